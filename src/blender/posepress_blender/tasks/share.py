"""Clips for other programs, and clips that come back."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import posepress

from ..arrays.channels import dense_curves, values_of
from ..arrays.errors import shell_errors_mm, worst
from ..arrays.rigs import Bones, make_rig, poses_of
from ..arrays.transforms import compose
from ..scene.bones import follows_parent, rotation_channel
from ..scene.curves import Source, new_action, sources_of
from ..scene.player import frame_rate, read_bones
from ..scene.write import channel_of, write_channel
from .job import Work, beside, part
from .sample import take_all
from .settings import Settings

# Rest poses that differ by more than this are of another rig, millimetres.
_SAME_REST_MM = 1.0
# Formats of the engine by file extension.
_FORMATS = {".posepress": "container", ".glb": "glb"}


@dataclass(frozen=True)
class Sent:
    """A written file.

    Attributes:
        path: its path.
        size: its size, bytes.
        clips: names of its clips.
    """

    path: str
    size: int
    clips: list[str]

    def line(self) -> str:
        """One line for people."""
        return f"{os.path.basename(self.path)}: {len(self.clips)} clips, {self.size:,} bytes"


@dataclass(frozen=True)
class Back:
    """Clips that came in.

    Attributes:
        results: the new actions.
        notes: what was left out.
    """

    results: list[Source]
    notes: list[str]

    def line(self) -> str:
        """One line for people."""
        return f"{len(self.results)} actions: {', '.join(result.action.name for result in self.results)}"


def export(obj: Any, sources: Sequence[Source | None], settings: Settings, scene: Any, path: str) -> Work[Sent]:
    """Writes compressed clips: a container, or a GLB with what its bytes decode to."""
    kind = _FORMATS.get(os.path.splitext(path)[1].lower())
    if kind is None:
        raise posepress.OptionError(f"{os.path.basename(path)}: expected a name that ends in .posepress or .glb")
    taken = yield from part(take_all(obj, sources, settings, scene), 0.0, 0.4)
    clips = [one.clip for one in taken]
    done = yield from part(beside(posepress.export, clips, kind, path, recipe=settings.recipe()), 0.4, 1.0)
    return Sent(path, len(done.data), [clip.name for clip in clips])


def send(
    obj: Any, sources: Sequence[Source | None], settings: Settings, scene: Any, path: str, program: str
) -> Work[Sent]:
    """Writes a GLB and opens it in the program."""
    taken = yield from part(take_all(obj, sources, settings, scene), 0.0, 0.5)
    clips = [one.clip for one in taken]
    done = yield from part(beside(posepress.export, clips, "glb", path, body="capsules"), 0.5, 1.0)
    subprocess.Popen([program, path], stdin=subprocess.DEVNULL, start_new_session=True)
    return Sent(path, len(done.data), [clip.name for clip in clips])


def bring_in(obj: Any, settings: Settings, scene: Any, path: str) -> Work[Back]:
    """Makes an action of each clip of a file that this extension wrote, or that Posepress wrote from one."""
    bones = read_bones(obj)
    world = np.array(obj.matrix_world, float).reshape(4, 4)
    is_container = path.endswith(".posepress")
    rate = None if is_container else frame_rate(scene)
    file = yield from part(beside(posepress.read, path, rate=rate), 0.0, 0.5)
    _refuse_other_rig(file.rig, bones, obj.name)
    rig = make_rig(obj.name, bones, world)
    starts = {source.name: int(source.action.frame_range[0]) for source in sources_of(obj)}
    results: list[Source] = []
    notes: list[str] = []
    for at, clip in enumerate(file.clips):
        start = starts.get(clip.name, scene.frame_start)
        results.append(_write(obj, bones, clip.on_rig(rig), start, frame_rate(scene), notes))
        yield 0.5 + 0.5 * (at + 1) / len(file.clips)
    return Back(results, notes)


def _refuse_other_rig(rig: posepress.Rig, bones: Bones, name: str) -> None:
    joints = rig.joints
    known = [joints.index(bone) for bone in bones.names if bone in joints]
    if 2 * len(known) < len(bones.names):
        raise posepress.ClipError(f"the file has {len(known)} of the {len(bones.names)} bones of '{name}': it is of another rig")
    own = bones.local_rest()[[bones.names.index(joints[at]) for at in known]]
    theirs = compose(rig.bind[known].astype(float))
    # A shell as long as a hand shows rotations too.
    off = worst(shell_errors_mm(own[None], theirs[None], 100.0))
    if off.error_mm > _SAME_REST_MM:
        bone = joints[known[off.bone]]
        raise posepress.ClipError(
            f"{bone} rests {off.error_mm:.1f} mm off in the file: its bones have other axes. Only files that were exported "
            "here come back as actions"
        )


def _write(obj: Any, bones: Bones, clip: posepress.Clip, start: int, fps: float, notes: list[str]) -> Source:
    """A key at every sample, exactly as the clip has it."""
    result = new_action(obj, f"{clip.name}.approved")
    transforms = clip.transforms.astype(float)
    frames = fps / clip.rate_hz if clip.samples > 1 else 0.0
    samples = np.arange(clip.samples, dtype=float) * frames
    for at, name in enumerate(bones.names):
        bone = obj.pose.bones[name]
        if not follows_parent(bone):
            notes.append(f"{name} has no keys: it does not inherit all of its parent")
            continue
        values = values_of(bones, at, transforms[:, at + 1])
        for channel in ("location", rotation_channel(bone), "scale"):
            curves = dense_curves(samples, channel_of(bone, values, channel))
            write_channel(result, name, channel, curves, start)
    if np.ptp(poses_of(clip, bones).world, axis=0).max() > 1e-5:
        notes.append(f"{clip.name}: the object itself moves in the file; its keys are not touched")
    return result
