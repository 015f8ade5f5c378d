"""Shell errors: how far points beside a joint move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .transforms import Array


def shell_errors_mm(a: Array, b: Array, shell_mm: float) -> Array:
    """Largest distance of three points beside each joint, one on each axis.

    Args:
        a: matrices in the world, array of shape (samples, bones, 4, 4).
        b: others.
        shell_mm: distance of the points from the joint in `a`, millimetres.

    Returns:
        Array of shape (samples, bones), millimetres.
    """
    length = np.linalg.norm(a[..., :3, :3], axis=-2)
    arms = shell_mm / 1000.0 / np.maximum(length, 1e-9)
    moved = (a - b)[..., :3, :3] * arms[..., None, :] + (a - b)[..., :3, 3:]
    distances_mm: Array = 1000.0 * np.linalg.norm(moved, axis=-2).max(axis=-1)
    return distances_mm


@dataclass(frozen=True)
class Worst:
    """The largest error.

    Attributes:
        error_mm: the error, millimetres.
        bone: index of the bone.
        sample: index of the sample.
    """

    error_mm: float
    bone: int
    sample: int


def worst(errors_mm: Array) -> Worst:
    """The largest of some errors, the earliest of equals."""
    if errors_mm.size == 0:
        return Worst(0.0, 0, 0)
    sample, bone = np.unravel_index(int(np.argmax(errors_mm)), errors_mm.shape)
    return Worst(float(errors_mm[sample, bone]), int(bone), int(sample))
