"""Pictures and tables of results, with matplotlib and pandas where they are installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ._posepress import Clip
from ._results import Result
from .errors import PosepressError


def plot(clip: Clip, result: Result, axes: Any = None) -> Any:
    """Draws the error over time, with the tolerance and the contacts of feet. Needs matplotlib.

    Args:
        clip: the clip.
        result: what was measured of it.
        axes: axes of matplotlib to draw on. None makes new ones.

    Returns:
        The axes.

    Examples:
        >>> clip = posepress.read(sample)["run"]
        >>> axes = posepress.plot(clip, posepress.compress(clip))
        >>> axes.get_ylabel()
        'shell error, mm'
    """
    if axes is None:
        _, axes = _module("matplotlib.pyplot", "plot").subplots(figsize=(8, 3))
    axes.plot(clip.times_secs, result.error_per_sample_mm, label="largest error of all joints")
    axes.axhline(result.report["error"]["tolerance_mm"], color="tab:red", linestyle="--", label="tolerance")
    for row, contact in enumerate(result.contacts):
        label = "contact" if row == 0 else None
        axes.axvspan(contact["start_secs"], contact["end_secs"], color="tab:green", alpha=0.12, label=label)
    axes.set_title(f"{result.name}: {result.size:,} bytes, {result.error_mm:.3f} mm, {result.verdict}")
    axes.set_xlabel("time, s")
    axes.set_ylabel("shell error, mm")
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="upper right", fontsize="small")
    return axes


def table(results: Iterable[Result]) -> Any:
    """A pandas DataFrame with one row per result and the numbers of its report. Needs pandas.

    Nested numbers have a dot in their names: `error.max_mm`.

    Examples:
        >>> frame = posepress.table([posepress.compress(posepress.read(sample)["run"])])
        >>> bool((frame["error.max_mm"] <= frame["error.tolerance_mm"]).all())
        True
    """
    pandas = _module("pandas", "table")
    return pandas.json_normalize([result.report for result in results])


def _module(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        advice = f"Install it: pip install 'posepress[{extra}]'"
        what = f"posepress.{extra} needs {name.partition('.')[0]}. {advice}"
        raise PosepressError(what, advice=advice) from error
