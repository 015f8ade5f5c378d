"""Writing of bones' channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.channels import CurveKeys, Values, to_euler
from ..arrays.transforms import Array, continuous
from .bones import AXIS_ANGLE, QUATERNION
from .curves import Source, by_channel, new_curve, write_keys


def rotation_values(bone: Any, rotation: Array) -> Array:
    """Values of a bone's rotation channel, from quaternions (x, y, z, w) over time."""
    rotation = continuous(rotation)
    if bone.rotation_mode == QUATERNION:
        return rotation[:, [3, 0, 1, 2]]
    if bone.rotation_mode == AXIS_ANGLE:
        sine = np.linalg.norm(rotation[:, :3], axis=-1, keepdims=True)
        axis = np.where(sine > 1e-9, rotation[:, :3] / np.maximum(sine, 1e-9), [0.0, 1.0, 0.0])
        return np.concatenate([2 * np.arctan2(sine, rotation[:, 3:]), axis], axis=-1)
    return to_euler(rotation, bone.rotation_mode)


def channel_of(bone: Any, values: Values, channel: str) -> Array:
    """Values of one channel, as Blender has them."""
    if channel in ("location", "scale"):
        return values.location if channel == "location" else values.scale
    return rotation_values(bone, values.rotation)


def write_channel(source: Source, bone: str, channel: str, curves: list[CurveKeys], start_frame: float) -> None:
    """Writes all components of a channel. Missing F-curves are added."""
    have = by_channel(source).get((bone, channel), {})
    for component, keys in enumerate(curves):
        curve = have.get(component) or new_curve(source, bone, channel, component)
        write_keys(curve, keys, start_frame)
