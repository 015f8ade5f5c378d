"""Clips of armatures: axes, rates, NLA, inheritance, measuring."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import posepress
import pytest
from posepress_blender.arrays.transforms import Y_UP_FROM_Z_UP, compose
from posepress_blender.scene.curves import Source, active_source, sources_of
from posepress_blender.scene.player import read_bones
from posepress_blender.tasks.job import Job
from posepress_blender.tasks.measure import measure
from posepress_blender.tasks.sample import Taken, take
from posepress_blender.tasks.settings import Settings

from .conftest import bake, key_pose, make_rig, select, world


def taken(obj: Any, source: Source | None, settings: Settings) -> Taken:
    return Job(take(obj, source, settings, bpy.context.scene)).run()


def object_places(clip: posepress.Clip) -> Any:
    """Matrices of all joints, with Y up."""
    local = compose(clip.transforms.astype(float))
    for at, parent in enumerate(clip.rig.parents):
        if parent is not None:
            local[:, at] = local[:, parent] @ local[:, at]
    return local


@pytest.mark.parametrize("place", ["origin", "moved", "animated"])
def test_joints_stand_where_blender_has_them_with_y_up(place: str, settings: Settings) -> None:
    obj = make_rig()
    source = key_pose(obj)
    if place != "origin":
        obj.location, obj.rotation_euler, obj.scale = (1.0, -2.0, 0.5), (0.3, 0.2, 1.4), (0.5, 0.5, 0.5)
    if place == "animated":
        for frame, x in ((1, 0.0), (121, 3.0)):
            obj.location[0] = x
            obj.keyframe_insert("location", frame=frame)
    clip = taken(obj, source, settings).clip
    expected = Y_UP_FROM_Z_UP @ world(obj, source, range(1, 122))
    found = object_places(clip)
    assert clip.samples == 121 and clip.rig.joints[0] == "Rig" and clip.rig.parents[1] == 0
    order = [clip.rig.joints.index(name) for name in read_bones(obj).names]
    assert np.abs(found[:, order] - expected).max() < 2e-5


def test_a_written_glb_plays_in_blender_as_the_armature(settings: Settings, tmp_path: Any) -> None:
    if not hasattr(bpy.ops.import_scene, "gltf"):
        pytest.skip("this Blender has no importer of glTF")
    obj = make_rig()
    source = key_pose(obj)
    clip = taken(obj, source, settings).clip
    posepress.export(clip, "glb", tmp_path / "clip.glb")
    expected = world(obj, source, range(1, 122))[..., :3, 3]
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "clip.glb"), bone_heuristic="BLENDER")
    other = next(other for other in bpy.data.objects if other.type == "ARMATURE" and other != obj)
    theirs = active_source(other)
    assert theirs is not None
    found = world(other, theirs, range(0, 121))[..., :3, 3]
    names = [bone.name for bone in sorted(other.data.bones, key=lambda bone: len(bone.parent_recursive))]
    own = [bone.name for bone in sorted(obj.data.bones, key=lambda bone: len(bone.parent_recursive))]
    assert set(own) <= set(names)
    assert np.abs(found[:, [names.index(name) for name in own]] - expected).max() * 1000 < 0.05


@pytest.mark.parametrize(("fps", "base", "rate_hz"), [(24, 1.0, 24.0), (30, 1.0, 30.0), (30, 1.001, 30 / 1.001)])
def test_the_rate_is_that_of_the_scene(fps: int, base: float, rate_hz: float, settings: Settings) -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, base
    obj = make_rig(2)
    one = taken(obj, key_pose(obj, frames=(1, 11, 21, 31)), settings)
    assert one.clip.samples == 31 and one.clip.rate_hz == pytest.approx(rate_hz, rel=1e-6)
    assert one.frame(one.clip.duration_secs) == 31


def test_one_action_is_measured_without_nla_and_the_scene_with_it(settings: Settings) -> None:
    obj = make_rig(3)
    source = key_pose(obj)
    alone = taken(obj, source, settings).clip.transforms
    track = obj.animation_data.nla_tracks.new()
    strip = track.strips.new("strip", 1, source.action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = source.slot
    other = source.action.copy()
    obj.animation_data.action = other
    if source.slot is not None:
        obj.animation_data.action_slot = other.slots[0]
    obj.animation_data.action_blend_type = "ADD"
    assert np.array_equal(taken(obj, source, settings).clip.transforms, alone)
    assert obj.animation_data.use_nla and obj.animation_data.action == other
    mixed = taken(obj, None, settings).clip
    assert mixed.samples == 121 and np.abs(mixed.transforms - alone).max() > 0.01


def test_a_range_of_the_scene_can_be_taken() -> None:
    obj = make_rig(2)
    source = key_pose(obj)
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 40, 59
    one = taken(obj, source, Settings(whole_action=False))
    assert (one.first_frame, one.clip.samples) == (40, 20)


def test_selected_bones_come_with_those_above_them() -> None:
    obj = make_rig(6)
    source = key_pose(obj)
    for bone in obj.pose.bones:
        select(bone, bone.name == "bone5")
    assert taken(obj, source, Settings(selected_bones=True)).clip.rig.joints == ["Rig", "bone0", "bone2", "bone5"]


def test_shear_is_said_and_kinds_of_inheritance_are_held(settings: Settings) -> None:
    obj = make_rig(4)
    source = key_pose(obj)
    bones = obj.data.bones
    bones["bone1"].inherit_scale, bones["bone2"].use_inherit_rotation = "NONE", False
    assert taken(obj, source, settings).lost_mm < 1e-3
    for frame, width in ((1, 1.0), (121, 1.8)):
        obj.pose.bones["bone0"].scale = (width, 1.0, 1.0)
        obj.pose.bones["bone0"].keyframe_insert("scale", frame=frame)
    bones["bone1"].inherit_scale = "FULL"
    found = Job(measure(obj, [source], settings, bpy.context.scene)).run()
    assert found[0].taken.lost_mm > 1.0 and "cannot be held" in found[0].notes[0]


def test_measured_numbers_are_those_of_the_engine(settings: Settings) -> None:
    obj = make_rig()
    source = bake(obj, key_pose(obj))
    found = Job(measure(obj, sources_of(obj), settings, bpy.context.scene)).run()
    assert [one.taken.source for one in found] == sources_of(obj)
    for one in found:
        again = posepress.compress(one.taken.clip, "press", tolerance_mm=0.1)
        assert (one.compressed.size, one.compressed.error_mm) == (again.size, again.error_mm)
        assert one.compressed.error_mm <= 0.1 and one.worst_bone in one.taken.clip.rig.joints
        errors = one.compressed.error_per_sample_mm
        assert one.worst_frame == 1 + int(np.argmax(errors)), one.line()
    assert source.action.name in found[1].line()


def test_operators_measure_show_the_worst_frame_and_report() -> None:
    obj = make_rig()
    source = key_pose(obj)
    assert bpy.ops.posepress.measure() == {"FINISHED"}
    rows = bpy.context.window_manager.posepress_results
    assert len(rows) == 1 and rows[0].name == source.name and rows[0].size > 0
    assert bpy.ops.posepress.show_worst(row=0) == {"FINISHED"}
    scene = bpy.context.scene
    assert scene.frame_current == rows[0].frame == scene.timeline_markers[0].frame
    bpy.context.scene.posepress.selected_bones = True
    for bone in obj.pose.bones:
        select(bone, False)
    with pytest.raises(RuntimeError, match="no bone is selected"):
        bpy.ops.posepress.measure()


def test_a_single_pose_and_the_object_with_a_bones_name(settings: Settings) -> None:
    obj = make_rig(2, "bone0")
    source = key_pose(obj, frames=(7,))
    one = taken(obj, source, settings)
    assert one.clip.samples == 1 and one.clip.rig.joints == ["bone0_object", "bone0", "bone1"]
    assert Job(measure(obj, [source], settings, bpy.context.scene)).run()[0].compressed.error_mm <= 0.1
