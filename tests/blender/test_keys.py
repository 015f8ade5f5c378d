"""Reduce Keys, as Blender plays the result."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import posepress
import pytest
from posepress_blender.panels import operators
from posepress_blender.scene.curves import Source, by_channel, key_count, new_action, slots_of, sources_of
from posepress_blender.tasks.job import Job
from posepress_blender.tasks.reduce import Reduced, reduce
from posepress_blender.tasks.settings import Settings

from .conftest import bake, key_pose, keys, make_rig, off_mm, select

MODES = ["QUATERNION", "XYZ", "ZYX", "YXZ"]


def reduced(obj: Any, source: Source, settings: Settings) -> Reduced:
    return Job(reduce(obj, source, settings, bpy.context.scene)).run()


def test_keys_of_an_animator_stay_exactly_where_they_are(settings: Settings) -> None:
    obj = make_rig()
    source = key_pose(obj)
    before = keys(source)
    found = reduced(obj, source, settings)
    assert found.keys_after == found.keys_before == key_count(source)
    assert keys(found.result) == before == keys(source)
    assert off_mm(obj, source, found.result) == (0.0, 0.0) and found.error_mm == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_a_baked_action_needs_an_eighth_of_its_keys_and_plays_as_the_keys_before_the_bake(mode: str, settings: Settings) -> None:
    obj = make_rig()
    for bone in obj.pose.bones:
        bone.rotation_mode = mode
    source = key_pose(obj)
    baked = bake(obj, source)
    found = reduced(obj, baked, settings)
    assert found.keys_after * 8 <= found.keys_before, found.line()
    at_frames, _ = off_mm(obj, baked, found.result)
    assert at_frames <= settings.tolerance_mm and at_frames == pytest.approx(found.error_mm, abs=0.01)
    # Between the frames it is no farther from the animator's curves than the baked action, which has lines there.
    _, between = off_mm(obj, source, found.result)
    _, of_lines = off_mm(obj, source, baked)
    assert between <= of_lines, (between, of_lines)


def test_the_source_is_untouched_and_the_new_action_survives(settings: Settings) -> None:
    obj = make_rig()
    baked = bake(obj, key_pose(obj))
    before = keys(baked)
    found = reduced(obj, baked, settings)
    assert keys(baked) == before
    assert found.result.action.use_fake_user and found.result.action.name.endswith(".reduced")
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"]


def test_handles_are_free_and_even_in_time(settings: Settings) -> None:
    obj = make_rig()
    found = reduced(obj, bake(obj, key_pose(obj)), settings)
    bends = 0
    for parts in by_channel(found.result).values():
        for curve in parts.values():
            points = [point for point in curve.keyframe_points if point.interpolation == "BEZIER"]
            for a, b in zip(points, points[1:]):
                third = (b.co[0] - a.co[0]) / 3
                assert a.handle_right[0] - a.co[0] == pytest.approx(third, abs=1e-3)
                assert {a.handle_left_type, a.handle_right_type} == {"FREE"}
                bends += 1
    assert bends > 20


def test_only_selected_bones_change(settings: Settings) -> None:
    obj = make_rig()
    baked = bake(obj, key_pose(obj))
    for bone in obj.pose.bones:
        select(bone, bone.name in ("bone1", "bone3"))
    found = reduced(obj, baked, Settings(selected_bones=True))
    before, after = by_channel(baked), by_channel(found.result)
    changed = {bone for (bone, channel), parts in before.items() for at, curve in parts.items()
               if len(after[bone, channel][at].keyframe_points) != len(curve.keyframe_points)}  # fmt: skip
    assert changed == {"bone1", "bone3"}
    for bone in obj.pose.bones:
        select(bone, False)
    with pytest.raises(posepress.OptionError, match="no bone is selected"):
        reduced(obj, baked, Settings(selected_bones=True))


def test_a_larger_tolerance_needs_fewer_keys_and_is_kept() -> None:
    obj = make_rig(12)
    baked = bake(obj, key_pose(obj))
    counts = []
    for tolerance_mm in (0.02, 0.1, 1.0):
        found = reduced(obj, baked, Settings(tolerance_mm=tolerance_mm))
        assert off_mm(obj, baked, found.result)[0] <= tolerance_mm
        counts.append(found.keys_after)
    assert counts[0] >= counts[1] > counts[2], counts


def test_curves_with_modifiers_partial_quaternions_and_locks_stay(settings: Settings) -> None:
    obj = make_rig(4)
    baked = bake(obj, key_pose(obj))
    parts = by_channel(baked)
    parts["bone1", "rotation_quaternion"][0].modifiers.new("NOISE")
    parts["bone2", "rotation_quaternion"][0].lock = True
    found = reduced(obj, baked, settings)
    after = by_channel(found.result)
    for bone in ("bone1", "bone2"):
        assert [len(curve.keyframe_points) for curve in after[bone, "rotation_quaternion"].values()] == [121] * 4
    assert len(after["bone3", "rotation_quaternion"][1].keyframe_points) < 30
    assert off_mm(obj, baked, found.result)[0] <= settings.tolerance_mm


def test_scales_constraints_and_uneven_scales_stay_within_the_tolerance(settings: Settings) -> None:
    obj = make_rig(7)
    source = key_pose(obj, scale=True)
    copy = obj.pose.bones["bone5"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget, copy.influence = obj, "bone2", 0.6
    obj.scale = (2.0, 2.0, 2.0)
    baked = bake(obj, source)
    found = reduced(obj, baked, settings)
    assert found.error_mm <= settings.tolerance_mm and found.keys_after * 4 <= found.keys_before, found.line()


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="slots came with Blender 4.4")
def test_the_new_action_has_the_slot_of_this_armature_alone(settings: Settings) -> None:
    one, other = make_rig(3, "One"), make_rig(3, "Other")
    source = bake(one, key_pose(one))
    theirs = key_pose(other)
    slot = source.action.slots.new(id_type="OBJECT", name="Other")
    bag = source.action.layers[0].strips[0].channelbag(slot, ensure=True)
    for path, component, points in keys(theirs):
        curve = bag.fcurves.new(path, index=component)
        for point in points:
            curve.keyframe_points.insert(point[0], point[1])
    before = keys(Source(source.action, slot))
    assert len({found.name for found in sources_of(one) if found.action == source.action}) == 2
    found = reduced(one, source, settings)
    assert [slot.identifier for slot in slots_of(found.result.action)] == [source.slot.identifier]
    assert keys(Source(source.action, slot)) == before
    assert found.keys_after * 8 <= found.keys_before


def test_a_stopped_job_leaves_nothing_behind(settings: Settings) -> None:
    obj = make_rig()
    baked = bake(obj, key_pose(obj))
    actions, scenes = [sorted(block.name for block in blocks) for blocks in (bpy.data.actions, bpy.data.scenes)]
    for fraction in (0.01, 0.15, 0.25, 0.6):
        job = Job(reduce(obj, baked, settings, bpy.context.scene))
        while job.fraction < fraction:
            assert not job.advance(0.0), "the job ended before it was stopped"
        job.stop()
        assert sorted(action.name for action in bpy.data.actions) == actions
        assert sorted(scene.name for scene in bpy.data.scenes) == scenes
        assert obj.animation_data.action == baked.action and obj.animation_data.use_nla


def test_undo_takes_the_new_action_away() -> None:
    obj = make_rig()
    baked = bake(obj, key_pose(obj)).action.name
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.posepress.reduce_keys("EXEC_DEFAULT", True) == {"FINISHED"}
    assert bpy.data.objects["Rig"].animation_data.action.name == f"{baked}.reduced"
    bpy.ops.ed.undo()
    assert bpy.data.objects["Rig"].animation_data.action.name == baked
    assert f"{baked}.reduced" not in bpy.data.actions


def test_keys_between_frames_are_said(settings: Settings) -> None:
    obj = make_rig(2)
    source = key_pose(obj)
    for parts in by_channel(source).values():
        parts[0].keyframe_points[2].co_ui[0] += 0.4
    found = reduced(obj, source, settings)
    assert any("between frames" in note for note in found.notes)


def test_an_action_without_bones_of_the_armature_is_not_listed() -> None:
    obj = make_rig(2)
    source = key_pose(obj)
    new_action(obj, "empty")
    assert sources_of(obj) == [source]


def test_a_bone_that_jumps_and_still_bones(settings: Settings) -> None:
    obj = make_rig(3)
    source = key_pose(obj, frames=(1, 30, 31, 60))
    for parts in by_channel(source).values():
        for curve in parts.values():
            curve.keyframe_points[1].interpolation = "CONSTANT"
    baked = bake(obj, source)
    found = reduced(obj, baked, settings)
    assert found.error_mm <= settings.tolerance_mm
    still = [sum(len(curve.keyframe_points) for curve in parts.values()) for (_, channel), parts in by_channel(found.result).items() if channel == "scale"]
    assert still and all(count == 3 for count in still), "one key per component"
    assert np.isfinite(found.between_mm)


def test_keys_outside_a_manual_range_stay_and_muted_curves_too(settings: Settings) -> None:
    obj = make_rig(3)
    baked = bake(obj, key_pose(obj))
    baked.action.use_frame_range = True
    baked.action.frame_start, baked.action.frame_end = 30, 60
    by_channel(baked)["bone1", "rotation_quaternion"][1].mute = True
    found = reduced(obj, baked, settings)
    frames = [point.co[0] for parts in by_channel(found.result).values() for curve in parts.values() for point in curve.keyframe_points]
    assert (min(frames), max(frames)) == (1.0, 121.0)
    baked.action.use_frame_range = found.result.action.use_frame_range = False
    assert off_mm(obj, baked, found.result)[0] <= settings.tolerance_mm
    assert len(by_channel(found.result)["bone1", "rotation_quaternion"][1].keyframe_points) == 121


class Event:
    def __init__(self, kind: str) -> None:
        self.type = kind


def test_the_operator_works_on_a_timer_and_stops_at_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    obj = make_rig()
    baked = bake(obj, key_pose(obj))

    class Operator(operators.POSEPRESS_OT_reduce_keys.__mro__[1]):  # type: ignore[misc]
        work, finish = operators.POSEPRESS_OT_reduce_keys.work, operators.POSEPRESS_OT_reduce_keys.finish
        said: list[str] = []

        def report(self, kind: set[str], text: str) -> None:
            self.said.append(text)

    monkeypatch.setattr(operators, "_WORK_SECS", 0.0)
    monkeypatch.setattr(Operator, "_show", lambda self, context, fraction: None)
    ended: list[int] = []
    monkeypatch.setattr(Operator, "_ended", lambda self, context: ended.append(1))
    names = sorted(action.name for action in bpy.data.actions)
    one = Operator()
    one._job = Job(one.work(bpy.context))
    assert all(one.modal(bpy.context, Event(kind)) == {"RUNNING_MODAL"} for kind in ("TIMER", "MOUSEMOVE", "TIMER"))
    assert one.modal(bpy.context, Event("ESC")) == {"CANCELLED"} and ended == [1]
    assert sorted(action.name for action in bpy.data.actions) == names and "Nothing has changed" in one.said[0]
    other = Operator()
    other._job = Job(other.work(bpy.context))
    while other.modal(bpy.context, Event("TIMER")) == {"RUNNING_MODAL"}:
        pass
    assert ended == [1, 1] and obj.animation_data.action.name == f"{baked.action.name}.reduced"
