"""Reading of files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from . import _posepress as native
from ._posepress import Clip, Rig
from ._progress import Report, reporting


@dataclass(frozen=True)
class Finding:
    """A result of the import checks.

    Attributes:
        severity: "note", "warning" or "decide" (the file probably means something else).
        subject: clip, mesh or joint.
        what: the observation.
        meaning: what it means, and what can be done.
    """

    severity: str
    subject: str
    what: str
    meaning: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.what}. {self.meaning}"


@dataclass(frozen=True)
class File:
    """A file that was read.

    Attributes:
        path: the path, as it was given.
        rig: joints and meshes.
        clips: the clips, in the order of the file.
        findings: results of the import checks.
    """

    path: str
    rig: Rig
    clips: list[Clip]
    findings: list[Finding]

    def __getitem__(self, name: str) -> Clip:
        """The clip of that name."""
        found = next((clip for clip in self.clips if clip.name == name), None)
        if found is None:
            raise KeyError(f"{self.path} has no clip '{name}'; there are: {', '.join(clip.name for clip in self.clips)}")
        return found

    def matching(self, pattern: str) -> list[Clip]:
        """The clips whose names match a pattern such as "Walk*"."""
        return [clip for clip in self.clips if fnmatchcase(clip.name, pattern)]


def read(
    file: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    rig: Rig | str | os.PathLike[str] | None = None,
    rate: float | None = None,
    unit: str | None = None,
    progress: Report | None = None,
    **options: Any,
) -> File:
    """Reads rig and clips of a glTF, GLB, FBX, BVH, VRM, ozz, .anm or .posepress file.

    Args:
        file: a path, or the contents of a file.
        name: the file's name, for contents. Its extension says what they are.
        rig: another rig, or the file that has it. The clips are put on it, matched by joint names.
        rate: samples per second. None finds the rate of the file's keys.
        unit: unit of lengths: "m", "cm", "mm", "in". None takes the file's own.
        progress: called with the fraction that is done, 0 to 1.
        options: more options of the command line's group "Source", with `_` for `-`: `up="z"`.

    Raises:
        ReadError: the file cannot be read. Its fields say the place in the file and what to do.
        OptionError: an option is unknown, or its value does not fit.

    Examples:
        >>> file = posepress.read(sample)
        >>> len(file.rig), file.clips[0].samples
        (63, 93)
        >>> same = posepress.read(sample.read_bytes(), name="sample.glb")
        >>> bool((same.clips[0].transforms == file.clips[0].transforms).all())
        True
        >>> posepress.read("missing.glb")
        Traceback (most recent call last):
        posepress.errors.ReadError: missing.glb: cannot be read: No such file or directory (os error 2)
    """
    if isinstance(file, bytes) and name is None:
        raise TypeError("give the name of the file with its contents: read(data, name='walk.glb')")
    path = name if isinstance(file, bytes) and name is not None else os.fspath(file)
    data = file if isinstance(file, bytes) else None
    onto = rig if rig is None or isinstance(rig, Rig) else read(rig).rig
    with reporting(f"read {os.path.basename(str(path))}", progress) as report:
        own, clips, rows = native.read(
            str(path), data=data, rig=onto, progress=report, rate=rate, unit=unit, **options
        )
    return File(str(path), own, clips, [Finding(*row) for row in rows])
