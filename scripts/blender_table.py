#!/usr/bin/env python3
"""Writes the table of Reduce Keys against Blender's own Decimate at equal error. Run by `scripts/blender.sh table` in Blender's module."""

import sys
import time
from pathlib import Path

import bpy

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src/blender")]

from posepress_blender.scene.curves import Source, active_source, assign, discard, key_count, sources_of  # noqa: E402
from posepress_blender.tasks.job import Job  # noqa: E402
from posepress_blender.tasks.reduce import reduce  # noqa: E402
from posepress_blender.tasks.settings import Settings  # noqa: E402
from tests.blender.conftest import KNIGHT, bake, key_pose, make_rig, off_mm, select  # noqa: E402

TOLERANCE_MM = 0.1
KNIGHT_ACTIONS = ("Idle", "Walking_A", "Running_A", "Cheer", "1H_Melee_Attack_Chop")
# Keys of the generated clips: every so many frames of 300.
GAPS = (12, 25)
# Smallest and largest margin of Decimate, and halvings of their ratio in the search: the last step is 4 %.
MARGINS = (1e-5, 0.1)
HALVINGS = 8
HEAD = """<!-- Written by `scripts/blender.sh table`. -->

Blender {version}, tolerance {tolerance} mm, bones with a shell of 30 mm. Every action was baked first: a key at every frame. Errors are measured in
Blender's own evaluation, at the frames and at quarter frames against the baked action, which has straight lines there. Decimate has the
largest margin that keeps the tolerance at the frames, found in {halvings} tries; its time is that of one.

Decimate keeps the straight lines between the frames of a baked action. Reduce Keys puts smooth curves there, which need fewer keys and are farther
from those lines. Where an action is fast, such as a blow, they differ by millimetres.

The generated clips are of 60 bones and 300 frames, with an animator's key on every bone each 12 or 25 frames. The others are Knight's.

| action | keys | Reduce Keys | part | error (mm) | between (mm) | time (s) | Decimate | part | error (mm) | between (mm) | time (s) |
|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30


def decimated(obj, source, margin):
    """The action after Blender's Decimate with this margin, and the time that took."""
    action = source.action.copy()
    slot = action.slots[0] if source.slot is not None else None
    result = Source(action, slot)
    assign(obj, result)
    for bone in obj.pose.bones:
        select(bone, True)
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.type = "GRAPH_EDITOR"
    region = next(region for region in area.regions if region.type == "WINDOW")
    began = time.monotonic()
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.graph.select_all(action="SELECT")
        bpy.ops.graph.decimate(mode="ERROR", remove_error_margin=margin)
    return result, time.monotonic() - began


def best_decimated(obj, source):
    """Keys, errors and time of the largest margin that keeps the tolerance."""
    (low, high), best = MARGINS, None
    for _ in range(HALVINGS):
        margin = (low * high) ** 0.5
        result, secs = decimated(obj, source, margin)
        errors = off_mm(obj, source, result)
        if errors[0] <= TOLERANCE_MM:
            low, best = margin, (key_count(result), errors, secs)
        else:
            high = margin
        discard(result)
    return best


def row(name, obj, source):
    """A line of the table."""
    found = Job(reduce(obj, source, Settings(tolerance_mm=TOLERANCE_MM), bpy.context.scene)).run()
    at_frames, between = off_mm(obj, source, found.result)
    ours = [found.keys_after, found.keys_before / found.keys_after, at_frames, between, found.secs]
    best = best_decimated(obj, source)
    theirs = [best[0], found.keys_before / best[0], *best[1], best[2]] if best else None
    show = lambda side: "{:,} | 1/{:.1f} | {:.3f} | {:.2f} | {:.2f}".format(*side) if side else "none | | | |"  # noqa: E731
    return f"| {name} | {found.keys_before:,} | {show(ours)} | {show(theirs)} |\n"


def rows():
    """All lines."""
    for gap in GAPS:
        empty()
        obj = make_rig(60)
        for bone in obj.pose.bones:
            bone.rotation_mode = "QUATERNION"
        source = key_pose(obj, frames=range(1, 302, gap), size=min(1.0, gap / 25))
        yield row(f"generated, a key each {gap} frames", obj, bake(obj, source))
    if KNIGHT.exists():
        for name in KNIGHT_ACTIONS:
            empty()
            bpy.ops.import_scene.gltf(filepath=str(KNIGHT))
            obj = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
            bpy.context.view_layer.objects.active = obj
            obj.select_set(True)
            bpy.ops.object.mode_set(mode="POSE")
            assign(obj, next(source for source in sources_of(obj) if source.name == name))
            yield row(name, obj, bake(obj, active_source(obj)))


def main():
    head = HEAD.format(version=bpy.app.version_string, tolerance=TOLERANCE_MM, halvings=HALVINGS)
    Path(sys.argv[1]).write_text(head + "".join(rows()))


if __name__ == "__main__":
    main()
