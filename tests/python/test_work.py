"""Threads, Ctrl+C, progress, pickles, errors."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pytest

import posepress

from .conftest import SAMPLE


def test_threads_give_the_same_bytes_as_one_after_another(sample: posepress.File) -> None:
    clips = [sample["run"], sample["turn_90"], sample["pose_t"]]
    expected = [posepress.compress(clip).data for clip in clips]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda clip: posepress.compress(clip).data, clips * 2))
    assert found == expected * 2


def test_other_threads_run_while_a_clip_is_compressed(long_clip: posepress.Clip) -> None:
    ended = threading.Event()
    turns = 0

    def count() -> None:
        nonlocal turns
        while not ended.is_set():
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    posepress.compress(long_clip, "press")
    ended.set()
    other.join()
    # Were the lock held, the other thread would have had a turn before and a turn after.
    assert turns > 5


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_stops_the_work_in_the_middle(long_clip: posepress.Clip) -> None:
    whole: list[float] = []

    def press_ctrl_c(fraction: float) -> None:
        whole.append(fraction)
        if len(whole) == 1:
            signal.raise_signal(signal.SIGINT)

    # A shell starts background jobs with Ctrl+C ignored, and Python then leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            posepress.compress(long_clip, "automatic", progress=press_ctrl_c)
    finally:
        signal.signal(signal.SIGINT, before)
    assert whole and whole[-1] < 1.0
    # What was stopped left nothing behind.
    assert posepress.compress(posepress.read(SAMPLE)["run"]).passes


def test_an_exception_of_progress_stops_the_work(long_clip: posepress.Clip) -> None:
    def refuse(fraction: float) -> None:
        raise LookupError(f"enough at {fraction}")

    with pytest.raises(LookupError, match="enough"):
        posepress.compress(long_clip, progress=refuse)


def test_progress_rises_to_one(long_clip: posepress.Clip) -> None:
    seen: list[float] = []
    posepress.compress(long_clip, "press", progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0


def test_tqdm_shows_a_bar_per_call(sample: posepress.File) -> None:
    tqdm = pytest.importorskip("tqdm").tqdm
    with posepress.progress(tqdm):
        assert posepress.compress(sample["run"]).passes


def test_results_recipes_and_errors_are_pickled(sample: posepress.File) -> None:
    recipe = posepress.Recipe("variable-rate", tolerance_mm=0.05, warn_slide_mm=0.5)
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    result = posepress.compress(sample["run"], recipe)
    again = pickle.loads(pickle.dumps(result))
    assert (again.data, again.report, again.row) == (result.data, result.report, result.row)
    np.testing.assert_array_equal(again.decode().transforms, result.decode().transforms)
    with pytest.raises(posepress.ReadError) as caught:
        posepress.read("no.glb")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.file, str(again)) == (posepress.ReadError, "no.glb", str(caught.value))


def test_other_processes_send_their_results(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(f"""
        import multiprocessing, posepress
        def work(name):
            return posepress.compress(posepress.read({str(SAMPLE)!r})[name])
        if __name__ == "__main__":
            names = ["run", "pose_t"]
            posepress.read({str(SAMPLE)!r})
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                print(*(result.size for result in pool.map(work, names)))
            fork = multiprocessing.get_context("fork").Pool(1) if hasattr(__import__("os"), "fork") else None
            if fork:
                with fork:
                    try:
                        fork.map(work, names)
                    except posepress.PosepressError as error:
                        print(error)
    """))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True, timeout=120)
    sizes, *refused = done.stdout.splitlines()
    file = posepress.read(SAMPLE)
    assert sizes.split() == [str(posepress.compress(file[name]).size) for name in ("run", "pose_t")]
    assert os.name == "nt" or "get_context('spawn')" in refused[0]


def test_errors_say_file_place_and_advice(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT hip {\n OFFSET 0 one 0\n")
    with pytest.raises(posepress.ReadError) as caught:
        posepress.read(broken)
    assert caught.value.file == str(broken) and caught.value.place is not None and "line 3" in caught.value.place
    with pytest.raises(posepress.OptionError, match="'tolerance_m'|'tolerance-m'"):
        posepress.Recipe(tolerance_m=0.1)
    with pytest.raises(posepress.OptionError, match="a number from 0.0001 to 1000000"):
        posepress.Recipe(tolerance_mm=-1)
    with pytest.raises(posepress.OptionError, match="no codec|unknown codec|codec 'zip'"):
        posepress.Recipe("zip")
    with pytest.raises(posepress.OptionError, match="'rat'"):
        posepress.read(SAMPLE, rat=30)
    with pytest.raises(posepress.ContainerError):
        posepress.Container(b"no container")
    with pytest.raises(posepress.ContainerError, match="missing.posepress") as gone:
        posepress.Container.open("missing.posepress")
    assert gone.value.file == "missing.posepress"
    with pytest.raises(KeyError, match="there are: walk"):
        posepress.read(SAMPLE)["wal"]


def test_containers_with_one_name_or_two_rigs_are_not_merged(sample: posepress.File) -> None:
    walk = posepress.compress(sample["walk"])
    with pytest.raises(posepress.ContainerError, match="two of the containers hold a clip 'walk'"):
        posepress.Container.merge([walk.data, walk.data])
    bone = posepress.Rig(["bone"], [None], np.array([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]))
    other = posepress.Clip("still", bone, bone.bind[None], rate_hz=30)
    with pytest.raises(posepress.ContainerError, match="another rig"):
        posepress.Container.merge([walk.data, posepress.compress(other).data])
    with pytest.raises(posepress.ExportError, match="on another rig") as caught:
        posepress.export([sample.clips[0], other], "glb")
    assert caught.value.clip == "still" and "on_rig" in (caught.value.advice or "")


def test_gates_fail_like_assertions(sample: posepress.File) -> None:
    results = [posepress.compress(sample[name]) for name in ("run", "turn_90")]
    posepress.gate(results, "max-error=0.2mm,slide=2mm")
    with pytest.raises(AssertionError, match="max-error"):
        posepress.gate(results, "max-error=0.001mm")
    with pytest.raises(posepress.OptionError, match="did you mean 'max-error'"):
        posepress.gate(results, "max-eror=1mm")
    over = posepress.compress(sample["run"], "quantize", tolerance_mm=0.0001)
    assert not over.passes
    with pytest.raises(posepress.GateError, match="run: over tolerance"):
        posepress.gate(over)


def test_a_library_goes_on_after_a_bad_file(tmp_path: Path, sample: posepress.File) -> None:
    clips = [sample["run"], sample["turn_90"]]
    for name in ("a.glb", "c.glb"):
        posepress.export(clips, "glb", tmp_path / name)
    (tmp_path / "b.glb").write_bytes(b"glTF")
    seen: list[str] = []
    errors: list[posepress.PosepressError] = []
    results = posepress.compress_all(tmp_path / "*.glb", on_done=lambda one: seen.append(one.name), on_error=errors.append)
    assert [result.name for result in results] == [clip.name for clip in clips] * 2
    assert sorted(seen) == sorted(result.name for result in results)
    assert [error.file for error in errors] == [str(tmp_path / "b.glb")]
    with pytest.raises(posepress.ReadError):
        posepress.compress_all(tmp_path / "b.glb")
    with pytest.raises(posepress.PosepressError, match="no file matches"):
        posepress.compress_all(tmp_path / "*.fbx")


def test_the_package_holds_the_licences_of_what_it_is_built_from() -> None:
    texts = {path.name: path.read_text() for path in files("posepress") or [] if path.suffix == ".txt" or path.name.startswith("LICENSE")}
    assert "pyo3" in texts["third-party-notices.txt"] and {"LICENSE-MIT", "LICENSE-APACHE"} <= texts.keys()
