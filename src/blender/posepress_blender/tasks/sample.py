"""Actions as clips: sampled from the armature as Blender evaluates it, at every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import posepress

from ..arrays.rigs import Bones, Poses, make_clip, make_rig
from ..scene import bones as scene_bones
from ..scene.curves import Source
from ..scene.player import Player, frame_range, frame_rate, playing, read_bones
from .job import Work, part
from .settings import Settings


@dataclass(frozen=True)
class Taken:
    """A clip with its place in the scene.

    Attributes:
        clip: the clip. Its first joint is the armature object.
        source: its action. None: what the scene plays.
        bones: the bones of its other joints.
        first_frame: frame of the first sample.
        rate_hz: frames per second.
        lost_mm: shell error of what transforms cannot hold, millimetres.
    """

    clip: posepress.Clip
    source: Source | None
    bones: Bones
    first_frame: int
    rate_hz: float
    lost_mm: float

    def frame(self, secs: float) -> int:
        """The frame nearest to a time of the clip."""
        return self.first_frame + round(secs * self.rate_hz)


def chosen_bones(obj: Any, settings: Settings) -> Bones:
    """All bones, or the selected ones with those above them."""
    bones = read_bones(obj)
    if not settings.selected_bones:
        return bones
    selected = {bone.name for bone in obj.pose.bones if scene_bones.is_selected(bone)}
    if not selected:
        raise posepress.OptionError("no bone is selected. Select bones in Pose Mode, or turn 'Selected bones' off")
    return bones.with_ancestors(selected)


def play(obj: Any, source: Source | None, bones: Bones, frames: Sequence[float], scene: Any) -> Work[Poses]:
    """Poses at some frames."""
    player = Player(obj, bones, scene)
    try:
        with playing(obj, source):
            for done, poses in player.poses(frames):
                yield done / len(frames)
    finally:
        player.close()
    return poses


def take(obj: Any, source: Source | None, settings: Settings, scene: Any) -> Work[Taken]:
    """The clip of an action."""
    bones = chosen_bones(obj, settings)
    first, last = frame_range(obj, source, scene, settings.whole_action)
    poses = yield from part(play(obj, source, bones, range(first, last + 1), scene), 0.0, 0.9)
    name = source.name if source is not None else scene.name
    rig = make_rig(obj.name, bones, poses.world[0])
    rate_hz = frame_rate(scene)
    clip, lost_mm = make_clip(name, rig, bones, poses, rate_hz, settings.shell_mm)
    return Taken(clip, source, bones, first, rate_hz, lost_mm)


def take_all(obj: Any, sources: Sequence[Source | None], settings: Settings, scene: Any) -> Work[list[Taken]]:
    """The clips of actions, all on one rig."""
    out: list[Taken] = []
    for at, source in enumerate(sources):
        one = yield from part(take(obj, source, settings, scene), at / len(sources), (at + 1) / len(sources))
        if out:
            clip = posepress.Clip(one.clip.name, out[0].clip.rig, one.clip.transforms, one.rate_hz, looping=False)
            one = Taken(clip, one.source, one.bones, one.first_frame, one.rate_hz, one.lost_mm)
        out.append(one)
    return out
