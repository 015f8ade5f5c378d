"""The package, its program and the native program write the same bytes and the same numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import posepress

from .conftest import CORPUS, SAMPLE, run

# Times differ from run to run.
TIMES = ("encode_ms", "decode_ns_per_pose")
# Small files of the corpus, one per format.
MOST_BYTES = 150_000


def without_times(report: Any) -> Any:
    return {key: value for key, value in report.items() if key not in TIMES and key != "candidates"}


def check(path: Path, folder: Path, pattern: str, *options: str, **settings: Any) -> None:
    output = folder / "out.posepress"
    done = run("compress", path, "-o", output, "--json", "--clip", pattern, *options)
    assert done.returncode in (0, 3), done.stderr
    results = [posepress.compress(clip, **settings) for clip in posepress.read(path).matching(pattern)]
    assert posepress.Container.merge([result.data for result in results]).data == output.read_bytes()
    expected = json.loads(done.stdout)["clips"]
    assert [without_times(result.report) for result in results] == [without_times(clip) for clip in expected]
    assert all(result.passes for result in results) == (done.returncode == 0)


@pytest.mark.parametrize("codec", ["press", "variable-rate", "quantize"])
def test_the_sample_gives_the_bytes_and_numbers_of_the_command_line(codec: str, tmp_path: Path) -> None:
    check(SAMPLE, tmp_path, "[!if]*n*", "--codec", codec, "--tolerance-mm", "0.2", recipe=codec, tolerance_mm=0.2)


def test_settings_of_contacts_and_codecs_are_those_of_the_command_line(tmp_path: Path) -> None:
    options = ("--set", "level=full", "--warn-slide-mm", "0.5", "--sub-frames", "2", "--clip", "run")
    output = tmp_path / "run.posepress"
    assert run("compress", SAMPLE, "-o", output, *options).returncode in (0, 3)
    clip = posepress.read(SAMPLE)["run"]
    assert posepress.compress(clip, level="full", warn_slide_mm=0.5, sub_frames=2).data == output.read_bytes()


def test_files_of_the_corpus_give_the_bytes_of_the_command_line(tmp_path: Path) -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"{CORPUS} is not beside this checkout")
    small: dict[str, Path] = {}
    for path in sorted(CORPUS.rglob("*")):
        kind = path.suffix.lower()
        if kind in {".glb", ".fbx", ".bvh"} and path.stat().st_size < MOST_BYTES:
            small.setdefault(kind, path)
    assert small
    for path in small.values():
        check(path, tmp_path, "*")


@pytest.mark.skipif("POSEPRESS_PROGRAM" not in os.environ, reason="POSEPRESS_PROGRAM names no native program")
def test_the_program_of_the_package_prints_what_the_native_program_prints() -> None:
    import subprocess

    native = os.environ["POSEPRESS_PROGRAM"]
    for arguments in (["--version"], ["codecs", "press"], ["info", str(SAMPLE), "--json"], ["report"], ["info", "no.glb"]):
        expected = subprocess.run([native, *arguments], capture_output=True, text=True, check=False)
        found = run(*arguments)
        assert (found.returncode, found.stdout, found.stderr) == (expected.returncode, expected.stdout, expected.stderr)


def test_an_export_gives_the_bytes_of_the_command_line(tmp_path: Path) -> None:
    output = tmp_path / "out.glb"
    done = run("export", SAMPLE, "--to", "glb", "-o", output, "--tolerance-mm", "0.5", "--keys", "editable", "--json", "--clip", "run", "--clip", "turn*")
    assert done.returncode in (0, 3), done.stderr
    file = posepress.read(SAMPLE)
    clips = [file["run"], file["turn_90"]]
    exported = posepress.export(clips, "glb", recipe=posepress.Recipe(tolerance_mm=0.5), keys="editable")
    assert exported.data == output.read_bytes()
    rows = json.loads(done.stdout)["clips"]
    assert [clip.max_mm for clip in exported.clips] == [row["max_mm"] for row in rows]


def test_a_judged_file_has_the_numbers_of_the_command_line(tmp_path: Path, sample: posepress.File) -> None:
    other = tmp_path / "other.glb"
    clips = [sample["run"], sample["wave"]]
    posepress.export(clips, "glb", other, recipe=posepress.Recipe("quantize", tolerance_mm=2))
    done = run("compare", SAMPLE, other, "--json", "--clip", "run", "--clip", "wave")
    expected = json.loads(done.stdout)["clips"]
    theirs = posepress.read(other)
    judged = [posepress.judge(clip, theirs[clip.name]) for clip in clips]
    assert [without_times(one.report) for one in judged] == [without_times(clip) for clip in expected]
