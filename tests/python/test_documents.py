"""Every example of a docstring and of the book's page runs; the types of reports name their keys."""

from __future__ import annotations

import doctest
import inspect
import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import posepress
from posepress import _report

from .conftest import ROOT, SAMPLE

OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def documented() -> list[tuple[str, str]]:
    found = [("posepress", posepress.__doc__ or "")]
    for name in posepress.__all__:
        thing = getattr(posepress, name)
        found.append((name, inspect.getdoc(thing) or ""))
        if inspect.isclass(thing):
            members = [key for key in vars(thing) if not key.startswith("_")]
            found += [(f"{name}.{key}", inspect.getdoc(getattr(thing, key)) or "") for key in members]
    return found


def run_examples(name: str, text: str, folder: Path) -> int:
    names = {"posepress": posepress, "np": np, "sample": SAMPLE, "folder": folder}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    result = runner.run(test, out=report.append)
    assert result.failed == 0, "".join(report)
    return result.attempted


def test_every_example_of_a_docstring_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    assert sum(run_examples(name, text, tmp_path) for name, text in documented()) > 30


def test_every_public_name_is_documented() -> None:
    assert [name for name, text in documented() if not text and name != "__version__"] == []


def test_every_block_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hero.glb").write_bytes(SAMPLE.read_bytes())
    page = (ROOT / "docs/book/src/how-to/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) > 4
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "python.md", "exec"), names)


def test_the_example_finds_one_budget_for_30_clips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    picture = tmp_path / "budget.png"
    monkeypatch.setattr(sys, "argv", ["one_budget.py", str(SAMPLE), "--kb", "100", "--plot", str(picture)])
    found = runpy.run_path(str(ROOT / "examples/python/one_budget.py"), run_name="__main__")["RESULT"]
    assert len(found) == 30 and sum(one.size for one in found) <= 100 * 1024
    assert picture.read_bytes().startswith(b"\x89PNG")


def keys_of(kind: Any, prefix: str) -> set[str]:
    """The keys of a typed report, as `scripts/report_keys.json` writes them."""
    found: set[str] = set()
    for key, hint in get_type_hints(kind).items():
        found.add(f"{prefix}.{key}")
        for part in (hint, *getattr(hint, "__args__", ())):
            if hasattr(part, "__total__"):
                many = "[]" if getattr(hint, "__origin__", None) is list else ""
                found |= keys_of(part, f"{prefix}.{key}{many}")
    return found


def test_the_types_of_a_report_name_the_keys_of_the_reference(sample: posepress.File) -> None:
    known = set(json.loads((ROOT / "scripts/report_keys.json").read_text()))
    typed = keys_of(_report.ClipReport, "clips[]")
    top = {key for key in known if re.fullmatch(r"clips\[\]\.\w+", key)}
    assert top <= typed
    typed_parts = {key.rsplit(".", 1)[0] for key in typed if key.count(".") > 1}
    nested = {key for key in known if key.rsplit(".", 1)[0] in typed_parts}
    assert nested <= typed, nested - typed
    report = posepress.compress(sample["pose_t"]).report
    required = _report.ClipReport.__required_keys__
    assert required <= set(report) <= {key.removeprefix("clips[].") for key in typed}
