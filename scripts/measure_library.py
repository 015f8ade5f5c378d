#!/usr/bin/env python3
"""Multiplies a corpus and measures `posepress batch` on it: time, memory, second run, resume, store. Writes docs/measured/library.md.

    python3 scripts/measure_library.py --posepress target/release/posepress --corpus CORPUS --build release [--clips 2000] [--recipe OPTIONS]
        [--more 20000] [--more-recipe OPTIONS] [--small 100000]

With --more, a larger library is compressed with other options, and larger ones still are estimated. With --small, so many files of four
frames are planned, compressed and planned again. With --dask, the Python that runs it must have the packages of scripts/batch_dask.txt. Copies of a file differ: their motion starts later by some
frames, as in a loop. After as many copies as there are frames, the root is moved, too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/measured/library.md"
SETS = ("kaykit/*.glb", "fox/*.glb", "bandai/*.bvh")
COMPONENTS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


# Distance of the roots of copies that start at the same frame, in the units of the file.
MOVED = 1e-3
# A clip of four frames; the numbers make it another one.
SMALL = """HIERARCHY
ROOT hip { OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation End Site { OFFSET 0 -0.5 0 } }
MOTION
Frames: 4
Frame Time: 0.05
0 0 0
10 %d 0
20 5 %.2f
30 9 0
"""
# Sizes of libraries that are estimated.
ON_PAPER = (100_000, 10_000_000)


@dataclass
class Measured:
    """A run of the program."""

    secs: float
    cpu_secs: float
    peak_mb: float
    compressed: int


def later_bvh(data: bytes, frames: int) -> bytes:
    """The motion of a BVH, started later. Its first number is a coordinate of the root."""
    head, count, rows = re.split(rb"(Frames:\s*\d+\s*Frame Time:\s*[\d.]+\s*\n)", data, maxsplit=1)
    lines = rows.strip().split(b"\n")
    round_, at = divmod(frames, len(lines))
    if round_:
        split = (line.split(maxsplit=1) for line in lines)
        lines = [b"%.6f %s" % (float(first) + round_ * MOVED, rest) for first, rest in split]
    return head + count + b"\n".join(lines[at:] + lines[:at]) + b"\n"


def later_glb(data: bytes, keys: int) -> bytes:
    """The motion of a GLB, with the values of each track moved by some keys."""
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + length])
    out, start = bytearray(data), 20 + length + 8
    translations = {
        animation["samplers"][channel["sampler"]]["output"]
        for animation in document["animations"]
        for channel in animation["channels"]
        if channel["target"].get("path") == "translation"
    }
    for accessor in {s["output"] for animation in document["animations"] for s in animation["samplers"]}:
        about = document["accessors"][accessor]
        view = document["bufferViews"][about["bufferView"]]
        size = 4 * COMPONENTS[about["type"]]
        if about["componentType"] != 5126 or view.get("byteStride", size) != size:
            continue
        begin = start + view.get("byteOffset", 0) + about.get("byteOffset", 0)
        round_, at = divmod(keys, about["count"])
        end, at = begin + size * about["count"], size * at
        out[begin:end] = out[begin + at : end] + out[begin : begin + at]
        if round_ and accessor in translations:
            values = struct.unpack_from(f"<{3 * about['count']}f", out, begin)
            struct.pack_into(f"<{len(values)}f", out, begin, *(value + round_ * MOVED for value in values))
    return bytes(out)


def clips_of(data: bytes, path: Path) -> int:
    if path.suffix == ".bvh":
        return 1
    length = struct.unpack_from("<I", data, 12)[0]
    return len(json.loads(data[20 : 20 + length])["animations"])


def multiply(corpus: Path, library: Path, clips: int) -> int:
    """Writes copies of the corpus until there are that many clips. Each set has about a third of them."""
    made = 0
    for number, pattern in enumerate(SETS, 1):
        sources = [(path, path.read_bytes()) for path in sorted(corpus.glob(pattern))]
        if not sources:
            sys.exit(f"{corpus}: no file matches {pattern}")
        round_ = 0
        while made < clips * number // len(SETS):
            for path, data in sources:
                if made >= clips * number // len(SETS):
                    break
                later = later_bvh if path.suffix == ".bvh" else later_glb
                place = library / path.parent.name / f"{path.stem}_{round_}{path.suffix}"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(later(data, round_))
                made += clips_of(data, path)
            round_ += 1
    return made


def run(command: list[str], kill_after: float | None = None) -> Measured:
    """Runs a command. Times and memory are those of its process; status 3 is a clip over a limit."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        _, status, usage = os.wait4(process.pid, 0)
        secs = time.monotonic() - begin
        messages.seek(0)
        lines = messages.read().splitlines()
    if kill_after is None and os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"{shlex.join(command)}: status {status}: {lines[-1:]}")
    compressed = sum(line.startswith(b"compressed ") for line in lines)
    return Measured(secs, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, compressed)


def size_of(folder: Path) -> tuple[int, int]:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


def measure(args: argparse.Namespace, work: Path) -> str:
    library, part = work / "library", work / "part"
    clips, few = multiply(args.corpus, library, args.clips), multiply(args.corpus, part, args.clips // 4)
    options = shlex.split(args.recipe)

    def batch(name: str, jobs: int, folder: Path = library, kill_after: float | None = None, also: tuple[str, ...] = ()) -> Measured:
        words = ["batch", str(folder), "-o", str(work / name), "--jobs", str(jobs), "--threads", str(jobs), *options, *also]
        print(name, file=sys.stderr, flush=True)
        return run([args.posepress, *words], kill_after)

    rows = {f"{few} clips alone, 2 jobs": batch("few", 2, part), f"{clips} clips, 1 job": batch("one", 1)}
    rows[f"{clips} clips, 2 jobs"] = two = batch("two", 2)
    time.sleep(3)  # files that were just written are read again
    batch("two", 2)
    rows["the same again"] = batch("two", 2)
    rows["again with --hash"] = batch("two", 2, also=("--hash",))
    rows["--merge into another folder"] = batch("merged", 2, also=("--merge", "--store", str(work / "two/.posepress-store")))
    killed = batch("killed", 2, kill_after=two.secs / 2)
    rows["killed half-way"], rows["resumed"] = killed, batch("killed", 2)
    if args.dask:
        script = [sys.executable, str(ROOT / "scripts/batch_dask.py"), str(library), "-o", str(work / "dask"), "--workers", "2"]
        rows["Dask, 2 workers"] = run([*script, "--posepress", args.posepress, "--", "--threads", "1", "--jobs", "1", *options])
    manifests = {name: (work / name / "posepress-batch.json").read_bytes() for name in ("one", "two", "merged", "killed", *(["dask"] if args.dask else []))}
    if len(set(manifests.values())) != 1:
        sys.exit("the manifests differ")
    text = page(args, rows, size_of(work / "two/.posepress-store"), json.loads(manifests["two"])["totals"])
    return text + (more(args, work) if args.more else "") + (small(args, work) if args.small else "")


def small(args: argparse.Namespace, work: Path) -> str:
    """A library of many small files. The second run only looks for changes."""
    library, out = work / "small", work / "of-small"
    for number in range(args.small):
        place = library / str(number // 1000) / f"{number}.bvh"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(SMALL % (number % 90, number / 1000))
    command = [args.posepress, "batch", str(library), "-o", str(out), "--jobs", "2", "--threads", "2", *shlex.split(args.more_recipe)]
    rows = {}
    for name in ("first run", "the same again"):
        print(f"small: {name}", file=sys.stderr, flush=True)
        rows[name] = run(command)
        time.sleep(3)  # files that were just written are read again
        run(command)
    lines = [
        "\n## Many small files\n",
        f"{args.small:,} files of four frames, `{args.more_recipe}`, 2 jobs.\n",
        "| run | clips compressed | seconds | seconds of the processor | peak memory, MB |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| {name} | {row.compressed} | {row.secs:.1f} | {row.cpu_secs:.1f} | {row.peak_mb:.0f} |" for name, row in rows.items()]
    return "\n".join(lines) + "\n"


def more(args: argparse.Namespace, work: Path) -> str:
    """A larger library, and those that are estimated from it."""
    library, out, halves = work / "more", work / "of-more", work / "half"
    clips, half = multiply(args.corpus, library, args.more), multiply(args.corpus, halves, args.more // 2)

    def batch(folder: Path, out: Path) -> Measured:
        print(f"{folder.name}: {out.name}", file=sys.stderr, flush=True)
        words = ["batch", str(folder), "-o", str(out), "--jobs", "2", "--threads", "2", *shlex.split(args.more_recipe)]
        return run([args.posepress, *words])

    rows = {f"{half} clips": batch(halves, work / "of-half"), f"{clips} clips": batch(library, out)}
    time.sleep(3)  # files that were just written are read again
    batch(library, out)
    rows["the same again"] = again = batch(library, out)
    files, store = size_of(out / ".posepress-store")
    manifest = (out / "posepress-batch.json").stat().st_size
    lines = [
        "\n## A larger library\n",
        f"As above with `{args.more_recipe}`, 2 jobs.\n",
        "| run | clips compressed | seconds | seconds of the processor | compressed per second of the processor | peak memory, MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        rate = f"{row.compressed / row.cpu_secs:.1f}" if row.compressed else "–"
        lines.append(f"| {name} | {row.compressed} | {row.secs:.1f} | {row.cpu_secs:.1f} | {rate} | {row.peak_mb:.0f} |")
    first = rows[f"{clips} clips"]
    lines += [
        f"\nThe store has {files} files and {store / 2**20:.1f} MB, the manifest {manifest / 2**20:.1f} MB.",
        "\n## On paper\n",
        f"Estimates from the {clips} clips, as if everything grew with the number of clips. No run has shown them. Memory and the",
        "manifest hurt first: a run keeps the plan and all rows in memory. Split a library of millions by folders, each with its own output folder.\n",
        "| clips | processor hours | second run, seconds of the processor | its peak memory | store | files in a folder of the store | manifest |",
        "|---|---|---|---|---|---|---|",
    ]
    for number in ON_PAPER:
        times = number / clips
        lines.append(
            f"| {number:,} | {first.cpu_secs * times / 3600:.1f} | {again.cpu_secs * times:.0f} | {again.peak_mb * times / 1024:.1f} GB | "
            f"{store * times / 2**30:.0f} GB | {files * times / 256:,.0f} | {manifest * times / 2**20:,.0f} MB |"
        )
    return "\n".join(lines) + "\n"


def page(args: argparse.Namespace, rows: dict[str, Measured], store: tuple[int, int], totals: dict[str, int]) -> str:
    lines = [
        "# A library of clips\n",
        f"```sh\npython3 scripts/measure_library.py --posepress posepress --corpus ../shared/corpus --clips {args.clips} --build '{args.build}'"
        + (f" --recipe '{args.recipe}'" if args.recipe else "")
        + (f" --more {args.more} --more-recipe '{args.more_recipe}'" if args.more else "")
        + (f" --small {args.small}" if args.small else "")
        + (" --dask" if args.dask else "")
        + "\n```\n",
        f"Copies of Knight, Fox and the Bandai takes, each with its motion moved in time. Build: {args.build}. {os.cpu_count()} cores, which other",
        "programs used as well, so compare rows: the seconds of the processor depend least on other programs.\n",
        "| run | clips compressed | seconds | seconds of the processor | compressed per second of the processor | peak memory, MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        # Scheduler and workers in Python count for Dask's row.
        compressed = totals["clips"] if name.startswith("Dask") else row.compressed
        rate = f"{compressed / row.cpu_secs:.1f}" if compressed else "–"
        cells = [name, str(compressed), f"{row.secs:.1f}", f"{row.cpu_secs:.1f}", rate, f"{row.peak_mb:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        f"\nThe store has {store[0]} files and {store[1] / 2**20:.1f} MB; the clips are {totals['raw_bytes'] / 2**20:.1f} MB without compression and "
        f"{totals['bytes'] / 2**20:.1f} MB with it.",
        "\nThe manifests of all complete runs had the same bytes.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures posepress batch on a multiplied corpus.")
    parser.add_argument("--posepress", required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--build", required=True, help="what kind of build it is, for the page")
    parser.add_argument("--clips", type=int, default=2000)
    parser.add_argument("--recipe", default="", help="options of batch")
    parser.add_argument("--more", type=int, default=0, help="clips of a larger library")
    parser.add_argument("--more-recipe", default="--codec quantize", help="options of batch for it")
    parser.add_argument("--small", type=int, default=0, help="files of four frames in a library of many small files")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--page", type=Path, default=PAGE)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        args.page.write_text(measure(args, Path(work)))


if __name__ == "__main__":
    main()
