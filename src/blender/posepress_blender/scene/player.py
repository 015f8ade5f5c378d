"""Poses of an armature as Blender evaluates them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import floor
from typing import Any

import bpy
import numpy as np

from ..arrays.rigs import Bones, Poses
from .curves import Source, assign

# Places per frame at which poses are compared.
PLACES = 4


def frame_rate(scene: Any) -> float:
    """Frames per second of a scene."""
    return float(scene.render.fps / scene.render.fps_base)


def read_bones(obj: Any) -> Bones:
    """All bones of an armature, parents first."""
    bones = sorted(obj.data.bones, key=lambda bone: len(bone.parent_recursive))
    place = {bone.name: at for at, bone in enumerate(bones)}
    parents = [place[bone.parent.name] if bone.parent else None for bone in bones]
    rest = np.array([np.array(bone.matrix_local) for bone in bones], float).reshape(-1, 4, 4)
    return Bones([bone.name for bone in bones], parents, rest)


class Player:
    """Plays an armature in a scene of its own, so that meshes of the user's scene cost no time and its frame stays.

    The scene has the frame rate of the user's. Objects that constraints of the armature use are evaluated too.
    """

    def __init__(self, obj: Any, bones: Bones, scene: Any) -> None:
        self._obj, self._bones = obj, bones
        self._scene = bpy.data.scenes.new("posepress")
        self._scene.render.fps, self._scene.render.fps_base = scene.render.fps, scene.render.fps_base
        self._scene.collection.objects.link(obj)
        order = {bone.name: at for at, bone in enumerate(obj.pose.bones)}
        self._order = [order[name] for name in bones.names]

    def close(self) -> None:
        """Removes the scene."""
        bpy.data.scenes.remove(self._scene)

    def poses(self, frames: Sequence[float]) -> Iterator[tuple[int, Poses]]:
        """Poses at some frames, in parts: the count so far, and all poses when that is the count of frames."""
        count = len(self._obj.pose.bones)
        world, bones = np.empty((len(frames), 4, 4)), np.empty((len(frames), count, 4, 4))
        flat = np.empty(16 * count, np.float32)
        layer = self._scene.view_layers[0]
        for at, frame in enumerate(frames):
            whole = floor(frame)
            self._scene.frame_set(whole, subframe=frame - whole)
            evaluated = self._obj.evaluated_get(layer.depsgraph)
            world[at] = np.array(evaluated.matrix_world)
            evaluated.pose.bones.foreach_get("matrix", flat)
            # Blender stores columns.
            bones[at] = flat.reshape(count, 4, 4).transpose(0, 2, 1)
            if at % 64 == 63 or at + 1 == len(frames):
                yield at + 1, Poses(world, bones[:, self._order])


@contextmanager
def playing(obj: Any, source: Source | None) -> Iterator[None]:
    """Has the armature play one action alone; None: what the scene plays, with its NLA tracks."""
    data = obj.animation_data or obj.animation_data_create()
    before = (data.action, getattr(data, "action_slot", None), data.use_nla, data.action_influence)
    tweaked = data.use_tweak_mode
    if source is not None:
        if tweaked:
            data.use_tweak_mode = False
        data.use_nla, data.action_influence = False, 1.0
        assign(obj, source)
    try:
        yield
    finally:
        if source is not None:
            data.action = before[0]
            if hasattr(data, "action_slot") and before[0] is not None and before[1] is not None:
                data.action_slot = before[1]
            data.use_nla, data.action_influence = before[2], before[3]
            if tweaked:
                data.use_tweak_mode = True


def frame_range(obj: Any, source: Source | None, scene: Any, whole: bool) -> tuple[int, int]:
    """First and last frame: of the action, or of the scene (its preview range, if that is on)."""
    if source is not None and whole:
        first, last = source.action.frame_range
        return floor(first), -floor(-last)
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


def quarter_frames(first: int, last: int) -> list[float]:
    """Frames, and three places between each two."""
    return [first + at / PLACES for at in range(PLACES * (last - first) + 1)]
