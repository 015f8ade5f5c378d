"""Actions and their F-curves, from Blender 4.2 (no slots) to 5.x (slots alone)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..arrays.channels import CurveKeys

_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$')
_INTERPOLATION = {"CONSTANT": 0, "LINEAR": 1, "BEZIER": 2}
_FREE = 0


class Source(NamedTuple):
    """An action and its slot. The slot is None before Blender 4.4."""

    action: Any
    slot: Any

    @property
    def name(self) -> str:
        """Name for lists: with the slot, if there are several."""
        slots = [slot for slot in slots_of(self.action) if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
        return f"{self.action.name} ({self.slot.name_display})" if len(slots) > 1 else str(self.action.name)


def slots_of(action: Any) -> list[Any]:
    """Slots of an action; none before Blender 4.4."""
    return list(getattr(action, "slots", ()))


def curves_of(source: Source) -> Any:
    """The collection of F-curves of a slot, or an empty list."""
    if source.slot is None:
        return source.action.fcurves
    for layer in source.action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(source.slot)
            if bag is not None:
                return bag.fcurves
    return []


def bone_channel(curve: Any) -> tuple[str, str] | None:
    """Bone and property of an F-curve, or None."""
    found = _PATH.match(curve.data_path)
    return (bpy.utils.unescape_identifier(found[1]), found[2]) if found else None


def by_channel(source: Source) -> dict[tuple[str, str], dict[int, Any]]:
    """F-curves of bones by bone and property, then by component."""
    out: dict[tuple[str, str], dict[int, Any]] = {}
    for curve in curves_of(source):
        channel = bone_channel(curve)
        if channel is not None:
            out.setdefault(channel, {})[curve.array_index] = curve
    return out


def key_count(source: Source) -> int:
    """Keys of all F-curves."""
    return sum(len(curve.keyframe_points) for curve in curves_of(source))


def sources_of(obj: Any) -> list[Source]:
    """Actions with keys of this armature's bones."""
    names = {bone.name for bone in obj.pose.bones}
    found = []
    for action in bpy.data.actions:
        slots = [slot for slot in slots_of(action) if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
        for source in [Source(action, slot) for slot in slots] if hasattr(action, "slots") else [Source(action, None)]:
            channels = (bone_channel(curve) for curve in curves_of(source))
            if any(channel is not None and channel[0] in names for channel in channels):
                found.append(source)
    return found


def active_source(obj: Any) -> Source | None:
    """The action that the armature plays now."""
    data = obj.animation_data
    if data is None or data.action is None:
        return None
    slot = getattr(data, "action_slot", None)
    return None if hasattr(data, "action_slot") and slot is None else Source(data.action, slot)


def assign(obj: Any, source: Source) -> None:
    """Makes the armature play an action."""
    data = obj.animation_data or obj.animation_data_create()
    data.action = source.action
    if source.slot is not None:
        data.action_slot = source.slot


def duplicate(source: Source, name: str) -> Source:
    """A new action with the keys of this slot alone, exactly as they are."""
    action = source.action.copy()
    action.name = name
    action.use_fake_user = True
    if source.slot is None:
        return Source(action, None)
    for slot in slots_of(action):
        if slot.identifier != source.slot.identifier:
            action.slots.remove(slot)
    return Source(action, action.slots[0])


def discard(source: Source) -> None:
    """Removes an action that was not finished."""
    bpy.data.actions.remove(source.action)


def new_action(obj: Any, name: str) -> Source:
    """An empty action for this armature."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    if not hasattr(action, "slots"):
        return Source(action, None)
    slot = action.slots.new(id_type="OBJECT", name=obj.name)
    action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    return Source(action, slot)


def new_curve(source: Source, bone: str, channel: str, component: int) -> Any:
    """A new F-curve without keys."""
    path = f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'
    return curves_of(source).new(path, index=component)


def is_plain(curve: Any) -> bool:
    """True if keys alone decide the F-curve."""
    return not (curve.modifiers or curve.mute or curve.lock or curve.sampled_points)


def values_at(curve: Any, frames: Iterable[float]) -> list[float]:
    """Values of an F-curve at frames."""
    evaluate = curve.evaluate
    return [evaluate(frame) for frame in frames]


def keys_between_frames(source: Source) -> int:
    """Keys that lie on no frame."""
    off = 0
    for curve in curves_of(source):
        times = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", times)
        off += int(np.sum(np.abs(times[::2] - np.round(times[::2])) > 0.01))
    return off


def write_keys(curve: Any, keys: CurveKeys, start_frame: float) -> None:
    """Replaces the keys of an F-curve. Handles are free."""
    points, count = curve.keyframe_points, len(keys)
    points.clear()
    points.add(count)
    shift = np.array([start_frame, 0.0])
    left, right = keys.handles()
    kind = "CONSTANT" if keys.constant else "LINEAR" if keys.slopes is None else "BEZIER"
    points.foreach_set("interpolation", np.full(count, _INTERPOLATION[kind], np.int32))
    for side, handles in (("left", left), ("right", right)):
        points.foreach_set(f"handle_{side}_type", np.full(count, _FREE, np.int32))
        points.foreach_set(f"handle_{side}", (handles + shift).astype(np.float32).ravel())
    points.foreach_set("co", (np.stack([keys.samples, keys.values], axis=-1) + shift).astype(np.float32).ravel())
    curve.update()
