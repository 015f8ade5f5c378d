"""Clips for editors of curves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from . import _posepress as native
from ._files import Finding
from ._posepress import Clip
from ._progress import Report, reporting


@dataclass(frozen=True)
class Keys:
    """Keys of one channel of a joint.

    Attributes:
        joint: index of the joint.
        channel: "translation" in metres, "rotation" as a quaternion (x, y, z, w), or "scale".
        curve: the curve between keys: "step", "linear" or "cubic".
        samples: times of the keys in samples: float64 array of shape (keys,).
        values: float32 array of shape (keys, 3), or (keys, 4) for rotations.
        tangents: in- and out-tangent per sample: float32 array of shape (keys, 2, 3 or 4). Without rows unless the curve is cubic.
    """

    joint: int
    channel: str
    curve: str
    samples: npt.NDArray[np.float64]
    values: npt.NDArray[np.float32] = field(repr=False)
    tangents: npt.NDArray[np.float32] = field(repr=False)


def fit_keys(
    clip: Clip, tolerance_mm: float = 0.1, *, shell_mm: float = 30.0, progress: Report | None = None
) -> list[Keys]:
    """Returns few keys that keep a clip within an error at its samples. Channels at their bind pose have none.

    Keys of the clip's file stay keys. Between samples the curves are smooth, or straight where that needs no more keys.

    Args:
        clip: the clip.
        tolerance_mm: limit on the shell error in object space, millimetres.
        shell_mm: distance of the measured points from each joint, millimetres.
        progress: called while it works.

    Raises:
        OptionError: a length is not above zero.

    Examples:
        >>> run = posepress.read(sample)["run"]
        >>> keys = posepress.fit_keys(run, tolerance_mm=1)
        >>> sum(len(channel.samples) for channel in keys) * 4 < len(keys) * run.samples
        True
    """
    with reporting(f"keys of {clip.name}", progress) as report:
        return [Keys(*row) for row in native.fit_keys(clip, tolerance_mm, shell_mm, progress=report)]


def hold_feet(clip: Clip, *, progress: Report | None = None) -> tuple[Clip, list[Finding]]:
    """Returns the clip with feet that stand still during their contacts, and findings that say what that changed.

    Args:
        clip: the clip. Its joints need names that name feet.
        progress: called while it works.

    Examples:
        >>> held, findings = posepress.hold_feet(posepress.read(sample)["walk"])
        >>> held.samples == posepress.read(sample)["walk"].samples, len(findings)
        (True, 1)
    """
    with reporting(f"feet of {clip.name}", progress) as report:
        held, rows = native.hold_feet(clip, progress=report)
    return held, [Finding(*row) for row in rows]
