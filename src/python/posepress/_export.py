"""Files for other programs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import _posepress as native
from ._posepress import Clip, Recipe
from ._progress import Report, reporting


@dataclass(frozen=True)
class Played:
    """The error of a clip as players of a file play it.

    Attributes:
        name: name of the clip.
        tolerance_mm: the limit, millimetres.
        max_mm: largest shell error at the samples, millimetres.
        between_mm: largest shell error between samples, millimetres.
        within: True if the error is within the limit.
    """

    name: str
    tolerance_mm: float
    max_mm: float
    between_mm: float
    within: bool


@dataclass(frozen=True)
class Exported:
    """A file for another program.

    Attributes:
        data: its contents.
        clips: the measured error of each clip.
    """

    data: bytes = field(repr=False)
    clips: list[Played]


def export(
    clips: Clip | Iterable[Clip],
    format: str,
    path: str | os.PathLike[str] | None = None,
    *,
    recipe: Recipe | None = None,
    progress: Report | None = None,
    **options: Any,
) -> Exported:
    """Writes clips in another format, and measures them as a player plays the file.

    Args:
        clips: one or more clips on one rig.
        format: "glb", "csv", "ozz", "ozz-skeleton", "anm", "usda" or "container".
        path: the file to write. None: only the contents are returned.
        recipe: the clips are written as the recipe's bytes decode. None: as they are, to 0.01 mm.
        progress: called with the fraction that is done, 0 to 1.
        options: options of `posepress export --help` in its group "Export": `keys="editable"`.

    Raises:
        ExportError: the format does not hold these clips, or the file cannot be written.
        OptionError: an option is unknown, or its value does not fit.

    Examples:
        >>> clip = posepress.read(sample)["run"]
        >>> exported = posepress.export(clip, "glb", folder / "walk.glb", recipe=posepress.Recipe(tolerance_mm=0.5))
        >>> exported.clips[0].within, (folder / "walk.glb").read_bytes() == exported.data
        (True, True)
    """
    chosen = [clips] if isinstance(clips, Clip) else list(clips)
    with reporting(f"export {format}", progress) as report:
        data, rows = native.export(chosen, format, recipe=recipe, progress=report, **options)
    if path is not None:
        native.write(os.fspath(path), data)
    return Exported(data, [Played(*row) for row in rows])
