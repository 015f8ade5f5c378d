#!/usr/bin/env python3
"""Multiplies a corpus and measures `posepress batch` on it: time, memory, second run, resume, store. Writes docs/measured/library.md.

    python3 scripts/measure_library.py --posepress target/release/posepress --corpus CORPUS --build release [--clips 2000] [--recipe OPTIONS]

With --dask, the Python that runs it must have the packages of scripts/batch_dask.txt. Copies of a file differ: their motion starts later by some
frames, as in a loop.
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


@dataclass
class Measured:
    """A run of the program."""

    secs: float
    cpu_secs: float
    peak_mb: float
    compressed: int


def later_bvh(data: bytes, frames: int) -> bytes:
    """The motion of a BVH, started later."""
    head, count, rows = re.split(rb"(Frames:\s*\d+\s*Frame Time:\s*[\d.]+\s*\n)", data, maxsplit=1)
    lines = rows.strip().split(b"\n")
    at = frames % len(lines)
    return head + count + b"\n".join(lines[at:] + lines[:at]) + b"\n"


def later_glb(data: bytes, keys: int) -> bytes:
    """The motion of a GLB, with the values of each track moved by some keys."""
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + length])
    out, start = bytearray(data), 20 + length + 8
    for accessor in {s["output"] for animation in document["animations"] for s in animation["samplers"]}:
        about = document["accessors"][accessor]
        view = document["bufferViews"][about["bufferView"]]
        size = 4 * COMPONENTS[about["type"]]
        if about["componentType"] != 5126 or view.get("byteStride", size) != size:
            continue
        begin = start + view.get("byteOffset", 0) + about.get("byteOffset", 0)
        end, at = begin + size * about["count"], size * (keys % about["count"])
        out[begin:end] = out[begin + at : end] + out[begin : begin + at]
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

    def batch(name: str, jobs: int, folder: Path = library, kill_after: float | None = None) -> Measured:
        words = ["batch", str(folder), "-o", str(work / name), "--jobs", str(jobs), "--threads", str(jobs), *options]
        print(name, file=sys.stderr, flush=True)
        return run([args.posepress, *words], kill_after)

    rows = {f"{few} clips alone, 2 jobs": batch("few", 2, part), f"{clips} clips, 1 job": batch("one", 1)}
    rows[f"{clips} clips, 2 jobs"] = two = batch("two", 2)
    time.sleep(3)  # files that were just written are read again
    batch("two", 2)
    rows["the same again"] = batch("two", 2)
    killed = batch("killed", 2, kill_after=two.secs / 2)
    rows["killed half-way"], rows["resumed"] = killed, batch("killed", 2)
    if args.dask:
        script = [sys.executable, str(ROOT / "scripts/batch_dask.py"), str(library), "-o", str(work / "dask"), "--workers", "2"]
        rows["Dask, 2 workers"] = run([*script, "--posepress", args.posepress, "--", "--threads", "1", "--jobs", "1", *options])
    manifests = {name: (work / name / "posepress-batch.json").read_bytes() for name in ("one", "two", "killed", *(["dask"] if args.dask else []))}
    if len(set(manifests.values())) != 1:
        sys.exit("the manifests differ")
    return page(args, rows, size_of(work / "two/.posepress-store"), json.loads(manifests["two"])["totals"])


def page(args: argparse.Namespace, rows: dict[str, Measured], store: tuple[int, int], totals: dict[str, int]) -> str:
    lines = [
        "# A library of clips\n",
        f"```sh\npython3 scripts/measure_library.py --posepress posepress --corpus ../shared/corpus --clips {args.clips} --build '{args.build}'"
        + (f" --recipe '{args.recipe}'" if args.recipe else "") + (" --dask" if args.dask else "") + "\n```\n",
        f"Copies of Knight, Fox and the Bandai takes, each with its motion moved in time. Build: {args.build}. {os.cpu_count()} cores, which other",
        "programs used as well, so compare rows: the seconds of the processor depend least on other programs.\n",
        "| run | clips compressed | seconds | seconds of the processor | compressed per second of the processor | peak memory, MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        # The time and memory of Dask's workers are not those of the script.
        is_dask = name.startswith("Dask")
        rate = f"{row.compressed / row.cpu_secs:.1f}" if row.compressed and not is_dask else "–"
        cells = [name, "–" if is_dask else str(row.compressed), f"{row.secs:.1f}"]
        cells += ["–", "–", "–"] if is_dask else [f"{row.cpu_secs:.1f}", rate, f"{row.peak_mb:.0f}"]
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
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--page", type=Path, default=PAGE)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        args.page.write_text(measure(args, Path(work)))


if __name__ == "__main__":
    main()
