"""Values of bones' channels, and what transforms cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.channels import Values, from_euler
from ..arrays.rigs import Bones
from ..arrays.transforms import Array
from .curves import values_at

QUATERNION, AXIS_ANGLE = "QUATERNION", "AXIS_ANGLE"
ROTATIONS = {QUATERNION: "rotation_quaternion", AXIS_ANGLE: "rotation_axis_angle"}

Curves = dict[tuple[str, str], dict[int, Any]]


def rotation_channel(bone: Any) -> str:
    """Name of the property that turns a bone."""
    return ROTATIONS.get(bone.rotation_mode, "rotation_euler")


def channel_values(bone: Any, channel: str, curves: Curves, frames: list[float]) -> Array:
    """Values of a channel at frames, array of shape (frames, components). Components without keys keep the bone's value."""
    own = np.tile(np.array(getattr(bone, channel), float), (len(frames), 1))
    for component, curve in curves.get((bone.name, channel), {}).items():
        if not curve.mute:
            own[:, component] = values_at(curve, frames)
    return own


def values(obj: Any, bones: Bones, curves: Curves, frames: list[float]) -> list[Values]:
    """Values of all bones at frames."""
    out = []
    for name in bones.names:
        bone = obj.pose.bones[name]
        turned = channel_values(bone, rotation_channel(bone), curves, frames)
        if bone.rotation_mode == QUATERNION:
            rotation = turned[:, [1, 2, 3, 0]]
            rotation = rotation / np.maximum(np.linalg.norm(rotation, axis=-1, keepdims=True), 1e-12)
        elif bone.rotation_mode == AXIS_ANGLE:
            axis = turned[:, 1:] / np.maximum(np.linalg.norm(turned[:, 1:], axis=-1, keepdims=True), 1e-12)
            half = turned[:, :1] / 2
            rotation = np.concatenate([axis * np.sin(half), np.cos(half)], axis=-1)
        else:
            rotation = from_euler(turned, bone.rotation_mode)
        location, scale = (channel_values(bone, channel, curves, frames) for channel in ("location", "scale"))
        out.append(Values(location, rotation, scale))
    return out


def follows_parent(bone: Any) -> bool:
    """True if a bone inherits all of its parent, so that its keys follow from its place."""
    own = bone.bone
    return bool(own.inherit_scale == "FULL" and own.use_inherit_rotation and own.use_local_location)


def has_constraints(bone: Any) -> bool:
    """True if a constraint moves a bone."""
    return any(not constraint.mute and constraint.influence > 0 for constraint in bone.constraints)


def is_selected(bone: Any) -> bool:
    """True if a bone is selected. Blender 5.0 keeps that with the pose."""
    return bool(bone.select if hasattr(bone, "select") else bone.bone.select)
