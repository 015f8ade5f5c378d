"""Fewer keys in a new action, within an error that Blender's own evaluation confirms."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import count
from math import ceil, floor
from typing import Any

import numpy as np
import posepress

from ..arrays.channels import (
    CurveKeys,
    euler_clip,
    euler_curves,
    fitted_curves,
    is_worth,
    locals_of,
    reach_m,
    still_curves,
)
from ..arrays.errors import Worst, shell_errors_mm, worst
from ..arrays.rigs import Bones, Poses, make_clip, make_rig
from ..arrays.transforms import compose, continuous
from ..scene import bones as scene_bones
from ..scene.bones import Curves, rotation_channel
from ..scene.curves import (
    Source,
    by_channel,
    discard,
    duplicate,
    is_plain,
    key_count,
    keys_between_frames,
    write_keys,
)
from ..scene.player import PLACES, frame_rate, quarter_frames, read_bones
from .job import Work, beside, part
from .sample import play
from .settings import Settings

# The fit gets less than the tolerance, for rounding and for what it does not know.
_SHARE = 0.95
# What is left of the fit's tolerance after a round that Blender's evaluation refuses.
_SHRINK = 0.6
# Rounds before bones get their own keys back.
_ROUNDS = 5
# Values at rest of the channels that get new keys.
_REST = {
    "location": [0.0, 0.0, 0.0],
    "scale": [1.0, 1.0, 1.0],
    "rotation_euler": [0.0, 0.0, 0.0],
    "rotation_quaternion": [1.0, 0.0, 0.0, 0.0],
}

# The action as a clip, and the angles of bones with Euler angles as another.
Clips = tuple[posepress.Clip, posepress.Clip | None]
# Curves of each component by bone and property.
Fitted = dict[tuple[str, str], list[CurveKeys]]


@dataclass(frozen=True)
class Reduced:
    """A new action with fewer keys.

    Attributes:
        source: the action with all keys.
        result: the new one.
        keys_before: keys of the source.
        keys_after: keys of the new action.
        kept: channels whose own keys stay as they are.
        at_frames: largest error at the frames.
        bone: the bone of that error.
        frame: the frame of that error.
        between_mm: largest error at quarter frames, millimetres.
        secs: time that it took, seconds.
        notes: what could not be done.
    """

    source: Source
    result: Source
    keys_before: int
    keys_after: int
    kept: int
    at_frames: Worst
    bone: str
    frame: int
    between_mm: float
    secs: float
    notes: list[str] = field(default_factory=list)

    @property
    def error_mm(self) -> float:
        """Largest error at the frames, millimetres."""
        return self.at_frames.error_mm

    def line(self) -> str:
        """One line for people."""
        return (
            f"{self.result.action.name}: {self.keys_after:,} of {self.keys_before:,} keys, {self.error_mm:.3f} mm at "
            f"{self.bone}, frame {self.frame}; between frames {self.between_mm:.3f} mm; "
            f"{self.kept} channels keep their keys"
        )


@dataclass
class _Plan:
    """An action that gets fewer keys."""

    obj: Any
    source: Source
    bones: Bones
    curves: Curves
    frames: list[float]
    wanted: set[str]

    def own_keys(self, channel: tuple[str, str]) -> int:
        return sum(len(curve.keyframe_points) for curve in self.curves[channel].values())

    def replaceable(self) -> list[tuple[str, str]]:
        """Channels that keys of the fit can replace."""
        out = []
        for (bone, channel), parts in self.curves.items():
            posed = self.obj.pose.bones.get(bone)
            if posed is None or bone not in self.wanted or channel not in _REST:
                continue
            is_used = channel in ("location", "scale", rotation_channel(posed))
            # Three parts of a quaternion do not make one.
            is_whole = channel != "rotation_quaternion" or len(parts) == 4
            if is_used and is_whole and all(is_plain(curve) for curve in parts.values()):
                out.append((bone, channel))
        return out


def reduce(obj: Any, source: Source, settings: Settings, scene: Any) -> Work[Reduced]:
    """Writes a new action with fewer keys, and measures it in Blender at quarter frames. The armature then plays it."""
    began = time.monotonic()
    plan = _plan(obj, source, settings)
    quarters = quarter_frames(int(plan.frames[0]), int(plan.frames[-1]))
    before = yield from part(play(obj, source, plan.bones, quarters, scene), 0.0, 0.2)
    clips = _clip(plan, before, settings, scene), _euler_clip(plan, settings, scene)
    result = duplicate(source, f"{source.action.name}.reduced")
    done = False
    try:
        found = yield from part(_rounds(plan, clips, (before, quarters), result, settings, scene), 0.2, 1.0)
        done = True
    finally:
        if not done:
            discard(result)
    kept, errors_mm, notes = found
    at_frames, between = worst(errors_mm[::PLACES]), worst(errors_mm)
    frame = int(plan.frames[0]) + at_frames.sample
    name = plan.bones.names[at_frames.bone]
    counts = key_count(source), key_count(result)
    secs = time.monotonic() - began
    return Reduced(source, result, *counts, kept, at_frames, name, frame, between.error_mm, secs, notes)


def _plan(obj: Any, source: Source, settings: Settings) -> _Plan:
    # All keys, also those outside a range that the user set for the action.
    begin, end = source.action.curve_frame_range
    first, last = floor(begin), ceil(end)
    selected = {bone.name for bone in obj.pose.bones if scene_bones.is_selected(bone)}
    bones = read_bones(obj)
    wanted = selected if settings.selected_bones else set(bones.names)
    if not wanted:
        raise posepress.OptionError("no bone is selected. Select bones in Pose Mode, or turn 'Selected bones' off")
    return _Plan(obj, source, bones, by_channel(source), [float(at) for at in range(first, last + 1)], wanted)


def _clip(plan: _Plan, poses: Poses, settings: Settings, scene: Any) -> posepress.Clip:
    """The action as its own keys move the bones, without constraints."""
    values = scene_bones.values(plan.obj, plan.bones, plan.curves, plan.frames)
    values = [replace(own, rotation=continuous(own.rotation)) for own in values]
    own = compose(locals_of(plan.bones, values))
    rig = make_rig(plan.obj.name, plan.bones, poses.world[0])
    chained = np.array(own)
    for at, parent in enumerate(plan.bones.parents):
        if parent is not None:
            chained[:, at] = chained[:, parent] @ own[:, at]
    moved = Poses(poses.world[::PLACES], chained)
    clip, _ = make_clip(plan.source.action.name, rig, plan.bones, moved, frame_rate(scene), settings.shell_mm)
    return clip


def _euler_clip(plan: _Plan, settings: Settings, scene: Any) -> posepress.Clip | None:
    """The angles of bones that turn by Euler angles. None without such bones."""
    eulers = {}
    for at, name in enumerate(plan.bones.names):
        bone = plan.obj.pose.bones[name]
        if (name, "rotation_euler") in plan.curves and rotation_channel(bone) == "rotation_euler":
            eulers[at] = scene_bones.channel_values(bone, "rotation_euler", plan.curves, plan.frames)
    name = plan.source.action.name
    return euler_clip(name, plan.bones, eulers, frame_rate(scene), settings.shell_mm) if eulers else None


def _fit(plan: _Plan, clips: Clips, tolerance_mm: float, shell_mm: float) -> Work[Fitted]:
    """The fitted curves of each channel that leaves its rest."""
    names = {"translation": "location", "scale": "scale", "rotation": "rotation_quaternion"}
    clip, angles = clips
    out: Fitted = {}
    fit = beside(posepress.fit_keys, clip, tolerance_mm, shell_mm=shell_mm)
    for keys in (yield from part(fit, 0.0, 0.6)):
        # Joint 0 is the object.
        if keys.joint > 0:
            at = keys.joint - 1
            out[plan.bones.names[at], names[keys.channel]] = fitted_curves(plan.bones, at, keys)
    if angles is not None:
        reach = reach_m(plan.bones, shell_mm)
        fit = beside(posepress.fit_keys, angles, tolerance_mm, shell_mm=shell_mm)
        for keys in (yield from part(fit, 0.6, 1.0)):
            name = angles.rig.joints[keys.joint]
            if keys.channel == "translation":
                out[name, "rotation_euler"] = euler_curves(keys, float(reach[plan.bones.names.index(name)]))
    return out


def _rounds(
    plan: _Plan,
    clips: Clips,
    of: tuple[Poses, list[float]],
    result: Source,
    settings: Settings,
    scene: Any,
) -> Work[tuple[int, Any, list[str]]]:
    """Fits keys until Blender's evaluation is within the tolerance at the frames."""
    before, quarters = of
    channels = plan.replaceable()
    tolerance_mm = _SHARE * settings.tolerance_mm
    reference = before.in_world()
    given_back: set[str] = set()
    notes = _notes(plan)
    for at in count():
        # Each round has half of what is left.
        begin, middle, end = (1.0 - 0.5 ** (at + share) for share in (0.0, 0.4, 1.0))
        fitted = yield from part(_fit(plan, clips, tolerance_mm, settings.shell_mm), begin, middle)
        kept = _write(plan, fitted, [one for one in channels if one[0] not in given_back], result)
        after = yield from part(play(plan.obj, result, plan.bones, quarters, scene), middle, end)
        errors_mm = shell_errors_mm(reference, after.in_world(), settings.shell_mm)
        off = np.flatnonzero(errors_mm[::PLACES].max(axis=0) > settings.tolerance_mm)
        more = _with_ancestors(plan.bones, off) - given_back
        if not more:
            break
        tolerance_mm *= _SHRINK
        if at + 1 >= _ROUNDS:
            given_back |= more
            _restore(plan, result, more)
    if given_back:
        notes.append(f"{len(given_back)} bones keep their own keys: fewer do not hold the tolerance")
    return kept, errors_mm, notes


def _notes(plan: _Plan) -> list[str]:
    off = keys_between_frames(plan.source)
    if not off:
        return []
    return [f"{off} keys lie between frames: the scene may have another frame rate than the animation"]


def _write(plan: _Plan, fitted: Fitted, channels: list[tuple[str, str]], result: Source) -> int:
    """Writes the fitted keys of channels where they are worth it. Returns the count of channels that keep their own."""
    targets = by_channel(result)
    written = 0
    for channel in channels:
        parts = sorted(plan.curves[channel])
        all_curves = fitted.get(channel) or still_curves(np.array(_REST[channel[1]]))
        curves = [all_curves[component] for component in parts]
        is_better = is_worth(curves, plan.own_keys(channel))
        for component, curve in zip(parts, curves, strict=True):
            if is_better:
                write_keys(targets[channel][component], curve, plan.frames[0])
            else:
                _copy_keys(plan.curves[channel][component], targets[channel][component])
        written += is_better
    return len(plan.curves) - written


def _copy_keys(source: Any, target: Any) -> None:
    """Puts the own keys of an F-curve back, as they are."""
    if source == target:
        return
    size = len(source.keyframe_points)
    if len(target.keyframe_points) != size:
        target.keyframe_points.clear()
        target.keyframe_points.add(size)
    names = ("interpolation", "easing", "handle_left_type", "handle_right_type", "co", "handle_left", "handle_right")
    for name in (*names, "amplitude", "back", "period", "type"):
        pairs = name in ("co", "handle_left", "handle_right")
        kind = np.float32 if pairs or name in ("amplitude", "back", "period") else np.int32
        numbers = np.empty(size * (2 if pairs else 1), kind)
        source.keyframe_points.foreach_get(name, numbers)
        target.keyframe_points.foreach_set(name, numbers)


def _restore(plan: _Plan, result: Source, names: set[str]) -> None:
    targets = by_channel(result)
    for (bone, channel), curves in plan.curves.items():
        if bone in names:
            for component, curve in curves.items():
                _copy_keys(curve, targets[bone, channel][component])


def _with_ancestors(bones: Bones, places: Any) -> set[str]:
    out = set()
    for place in places:
        above: int | None = int(place)
        while above is not None:
            out.add(bones.names[above])
            above = bones.parents[above]
    return out
