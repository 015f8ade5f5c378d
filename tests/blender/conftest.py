"""What the tests in Blender share: generated rigs, keyed and baked actions, poses as Blender plays them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")

ROOT = Path(__file__).parents[2]
KNIGHT = ROOT / "../shared/corpus/kaykit/Knight.glb"
sys.path.insert(0, str(ROOT / "src/blender"))

import posepress_blender  # noqa: E402
from posepress_blender.scene.curves import Source, active_source, assign, curves_of  # noqa: E402
from posepress_blender.scene.player import Player, playing, quarter_frames, read_bones  # noqa: E402
from posepress_blender.tasks.settings import Settings  # noqa: E402

KEY_FRAMES = (1, 9, 20, 31, 50, 61, 72, 91, 100, 121)


@pytest.fixture(autouse=True)
def empty_file() -> Iterator[None]:
    """An empty file at 30 frames per second, with the extension on."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    posepress_blender.register()
    yield
    posepress_blender.unregister()


def make_rig(bones: int = 6, name: str = "Rig", branches: bool = True) -> Any:
    """An armature of bones that point different ways, in Pose Mode."""
    data = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    made: list[Any] = []
    for at in range(bones):
        bone = data.edit_bones.new(f"bone{at}")
        parent = made[(at - 1) // 2 if branches else at - 1] if at else None
        bone.head = parent.tail if parent else (0.1, 0.2, 0.9)
        bone.tail = np.array(bone.head) + 0.3 * np.array([math.sin(at * 1.7), math.cos(at * 2.3), 0.4 + math.sin(at)])
        bone.roll, bone.parent = 0.4 * at, parent
        made.append(bone)
    bpy.ops.object.mode_set(mode="POSE")
    return obj


def key_pose(obj: Any, frames: Sequence[int] = KEY_FRAMES, scale: bool = False, size: float = 1.0) -> Source:
    """Keys as an animator sets them: few, with Blender's own handles."""
    for n, frame in enumerate(frames):
        for at, bone in enumerate(obj.pose.bones):
            x, y = size * math.sin(2.1 * n + at), size * math.cos(1.3 * n + 2 * at)
            if bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = (1.0, 0.3 * x, 0.2 * y, 0.1 * x * y)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            else:
                bone.rotation_euler = (0.6 * x, 0.4 * y, 0.3 * x * y)
                bone.keyframe_insert("rotation_euler", frame=frame)
            if at == 0:
                bone.location = (0.3 * x, 0.2 * y, 0.05 * x)
                bone.keyframe_insert("location", frame=frame)
            if scale:
                bone.scale = (1.0 + 0.1 * x,) * 3
                bone.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = frames[0], frames[-1]
    source = active_source(obj)
    assert source is not None
    return source


def bake(obj: Any, source: Source) -> Source:
    """The action with a key at every frame."""
    first, last = (int(frame) for frame in source.action.frame_range)
    assign(obj, source)
    for bone in obj.pose.bones:
        select(bone, True)
    bpy.ops.nla.bake(
        frame_start=first, frame_end=last, only_selected=False, visual_keying=False, clear_constraints=False,
        use_current_action=False, bake_types={"POSE"},
    )  # fmt: skip
    baked = active_source(obj)
    assert baked is not None and baked.action != source.action
    baked.action.name = f"{source.action.name}.baked"
    return baked


def select(bone: Any, on: bool) -> None:
    """Selects a bone in every version of Blender."""
    if hasattr(bone, "select"):
        bone.select = on
    else:
        bone.bone.select = on


def keys(source: Source) -> list[tuple[str, int, list[tuple[float, ...]]]]:
    """All keys with their handles."""
    return [
        (curve.data_path, curve.array_index, [(*key.co, *key.handle_left, *key.handle_right) for key in curve.keyframe_points])
        for curve in curves_of(source)
    ]


def world(obj: Any, source: Source | None, frames: Sequence[float]) -> Any:
    """Matrices of all bones in the world as Blender plays an action."""
    bones = read_bones(obj)
    player = Player(obj, bones, bpy.context.scene)
    try:
        with playing(obj, source):
            for _, poses in player.poses(frames):
                pass
    finally:
        player.close()
    return poses.in_world()


def off_mm(obj: Any, one: Source, other: Source) -> tuple[float, float]:
    """Largest distance of a point 30 mm beside each joint: at the frames, and at quarter frames. Computed apart from the extension."""
    first, last = (int(frame) for frame in one.action.frame_range)
    frames = quarter_frames(first, last)
    a, b = world(obj, one, frames), world(obj, other, frames)
    points = np.concatenate([0.03 * np.eye(3), np.ones((1, 3))])
    distance = np.linalg.norm(((a - b)[..., :3, :] @ points), axis=-2).max(axis=(1, 2)) * 1000
    return float(distance[::4].max()), float(distance.max())


@pytest.fixture
def settings() -> Settings:
    """The default settings: 0.1 mm."""
    return Settings()


@pytest.fixture
def knight() -> Any:
    """The armature of Knight, imported at its own rate."""
    if not KNIGHT.exists():
        pytest.skip("the corpus is not here: Knight.glb is not in the repository")
    if not hasattr(bpy.ops.import_scene, "gltf"):
        pytest.skip("this Blender has no importer of glTF")
    bpy.ops.import_scene.gltf(filepath=str(KNIGHT))
    obj = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    bpy.context.view_layer.objects.active = obj
    return obj
