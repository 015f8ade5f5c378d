"""A character of the corpus: Knight, with 41 bones and 76 actions."""

from __future__ import annotations

from typing import Any

import bpy
from posepress_blender.scene.curves import assign, sources_of
from posepress_blender.tasks.feet import clean, contacts
from posepress_blender.tasks.job import Job
from posepress_blender.tasks.measure import measure
from posepress_blender.tasks.reduce import reduce
from posepress_blender.tasks.settings import Settings

from .conftest import off_mm


def source_of(obj: Any, name: str) -> Any:
    # Before Blender 4.4 the importer adds the name of the armature.
    return next(source for source in sources_of(obj) if source.name in (name, f"{name}_{obj.name}"))


def test_all_actions_are_measured(knight: Any, settings: Settings) -> None:
    sources = sources_of(knight)
    assert len(sources) == 76
    found = Job(measure(knight, sources[:12], settings, bpy.context.scene)).run()
    assert all(one.compressed.error_mm <= 0.1 and one.compressed.ratio > 10 for one in found)
    assert any(one.slide_mm is not None for one in found)


def test_keys_get_fewer_within_the_tolerance_as_blender_plays_them(knight: Any, settings: Settings) -> None:
    for name in ("Walking_A", "Idle", "Cheer"):
        source = source_of(knight, name)
        found = Job(reduce(knight, source, settings, bpy.context.scene)).run()
        assert off_mm(knight, source, found.result)[0] <= settings.tolerance_mm
        assert found.keys_after < 0.7 * found.keys_before, found.line()


def test_feet_stand_and_contacts_are_marked(knight: Any, settings: Settings) -> None:
    source = source_of(knight, "Walking_B")
    found = Job(clean(knight, source, settings, bpy.context.scene)).run()
    assert found.before_mm > 30.0 and found.after_mm < 1.0, found.line()
    assert found.result is not None and "foot.l" in found.bones and "head" not in found.bones
    rows = Job(contacts(knight, source, settings, bpy.context.scene)).run()
    assert {foot for foot, _, _ in rows} == {"foot.l", "foot.r"}
    assign(knight, source)
    for _ in range(2):
        assert bpy.ops.posepress.mark_contacts() == {"FINISHED"}
    marks = sorted((marker.frame, marker.name) for marker in source.action.pose_markers)
    assert marks == sorted([(first, f"contact {foot}") for foot, first, _ in rows] + [(last, f"lift {foot}") for foot, _, last in rows])


def test_feet_without_slide_get_no_action(knight: Any, settings: Settings) -> None:
    found = Job(clean(knight, source_of(knight, "T-Pose"), settings, bpy.context.scene)).run()
    assert found.result is None and "no foot slides" in found.line()


def test_bones_that_constraints_move_keep_their_keys(knight: Any, settings: Settings) -> None:
    knight.pose.bones["foot.l"].constraints.new("LIMIT_ROTATION")
    found = Job(clean(knight, source_of(knight, "Walking_B"), settings, bpy.context.scene)).run()
    assert "foot.l" not in found.bones and any(note.startswith("foot.l keeps its keys") for note in found.notes)
