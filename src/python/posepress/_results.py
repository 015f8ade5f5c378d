"""Results: compressed clips and judged clips."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _posepress as native
from ._posepress import Clip, Container, Recipe
from ._progress import Report, reporting
from ._report import ClipReport, ContactRow
from .errors import GateError


@dataclass(frozen=True, eq=False)
class Result:
    """What was measured of a clip. Plain data: it can be pickled and sent to another process.

    Attributes:
        name: name of the clip.
        report: the object that `posepress report --json` prints for the clip.
        passes: True if the clip is within its tolerance, and no verdict fails.
        error_per_sample_mm: largest shell error over all joints, float32 array of shape (samples,), millimetres.
    """

    name: str
    report: ClipReport
    passes: bool
    error_per_sample_mm: npt.NDArray[np.float32]
    row: str = field(repr=False)

    @property
    def size(self) -> int:
        """Size of the clip, bytes. The rig, stored once in a container, is apart."""
        return self.report["bytes"]

    @property
    def ratio(self) -> float:
        """Size without compression divided by `size`."""
        return self.report["ratio"]

    @property
    def error_mm(self) -> float:
        """Largest shell error at the samples, millimetres."""
        return self.report["error"]["max_mm"]

    @property
    def verdict(self) -> str:
        """The verdict on the compression: "good", "warn" or "fail"."""
        return self.report["verdict"]

    @property
    def contacts(self) -> list[ContactRow]:
        """Contacts of feet, with their slide in millimetres."""
        return self.report["slide"]["contacts"]


@dataclass(frozen=True, eq=False)
class Compressed(Result):
    """A compressed clip.

    Attributes:
        data: contents of a `.posepress` file with this clip.
    """

    data: bytes = field(repr=False)

    def decode(self) -> Clip:
        """The clip as players see it: decoded from `data`."""
        return Container(self.data).decode(self.name)


@dataclass(frozen=True, eq=False)
class Judged(Result):
    """Another tool's version of a clip, measured against its source."""


def compress(
    clip: Clip,
    recipe: Recipe | str | None = None,
    tolerance_mm: float | None = None,
    *,
    progress: Report | None = None,
    **settings: Any,
) -> Compressed:
    """Compresses a clip, decodes the bytes and measures what was lost.

    The interpreter's lock is free meanwhile. Ctrl+C, and an exception of `progress`, stop the work.

    Args:
        clip: the clip.
        recipe: a recipe, or the name of a codec. None: press.
        tolerance_mm: largest shell error, millimetres. None: the recipe's, or 0.1.
        progress: called with the fraction that is done, 0 to 1.
        settings: more settings, see `Recipe`.

    Raises:
        OptionError: a setting is unknown, or its value does not fit.
        CompressError: the clip cannot be compressed.

    Examples:
        >>> clip = posepress.read(sample)["run"]
        >>> compressed = posepress.compress(clip, "press", tolerance_mm=0.1)
        >>> compressed.error_mm <= 0.1, compressed.ratio > 10, compressed.verdict
        (True, True, 'good')
        >>> compressed.decode().transforms.shape == clip.transforms.shape
        True
    """
    chosen = _recipe(recipe, tolerance_mm, settings)
    with reporting(f"compress {clip.name}", progress) as report:
        text, row, passes, error_mm, data = native.compress(clip, chosen, progress=report)
    assert data is not None
    return Compressed(clip.name, json.loads(text), passes, error_mm, row, data)


def judge(
    clip: Clip,
    other: Clip,
    recipe: Recipe | None = None,
    *,
    offset_secs: float = 0.0,
    progress: Report | None = None,
    **settings: Any,
) -> Judged:
    """Measures another tool's version of a clip against it, by the same limits as our own codecs.

    Args:
        clip: the source.
        other: the other version. It is put on the rig of the source.
        recipe: the limits. None: the defaults.
        offset_secs: time in `other` at which the source begins, seconds.
        progress: called with the fraction that is done, 0 to 1.
        settings: settings of limits, see `Recipe`.

    Examples:
        >>> clip = posepress.read(sample)["run"]
        >>> moved = clip.transforms
        >>> moved[:, 0, 0] += 0.001
        >>> other = posepress.Clip(clip.name, clip.rig, moved, clip.rate_hz)
        >>> round(posepress.judge(clip, other).error_mm, 2)
        1.0
    """
    chosen = _recipe(recipe if recipe is not None else Recipe("raw"), None, settings)
    with reporting(f"judge {clip.name}", progress) as report:
        text, row, passes, error_mm, _ = native.judge(
            clip, other, chosen, offset_secs=offset_secs, progress=report
        )
    return Judged(clip.name, json.loads(text), passes, error_mm, row)


def gate(results: Result | Iterable[Result], limits: str | None = None) -> None:
    """Fails if a result is over a limit. For tests: pytest shows which clip and why.

    Args:
        results: one or more results.
        limits: limits of `posepress batch --gate`: "max-error=0.2mm,slide=2mm,total=80KB". None: the verdicts of the clips'
            own recipes.

    Raises:
        GateError: an AssertionError with one line per limit that is not met.
        OptionError: a limit is unknown, or its value does not fit.

    Examples:
        >>> compressed = posepress.compress(posepress.read(sample)["run"])
        >>> posepress.gate(compressed, "max-error=0.2mm")
        >>> posepress.gate(compressed, "total=1KB")
        Traceback (most recent call last):
        posepress.errors.GateError: all clips take 3.5 KB; the limit is 1.0 KB
    """
    all_results: Sequence[Result] = [results] if isinstance(results, Result) else list(results)
    if limits is None:
        failed = [result for result in all_results if not result.passes]
        lines = [f"{result.name}: {json.loads(result.row)['numbers']['words']}" for result in failed]
    else:
        unmet = native.gate([result.row for result in all_results], limits)
        lines = [f"{clip}: {words}" if clip else words for _, clip, _, words in unmet]
    if lines:
        raise GateError("\n".join(lines))


def _recipe(recipe: Recipe | str | None, tolerance_mm: float | None, settings: dict[str, Any]) -> Recipe:
    if isinstance(recipe, Recipe):
        return recipe.replace(tolerance_mm=tolerance_mm, **settings)
    return Recipe(recipe, tolerance_mm=tolerance_mm, **settings)
