"""Installs the zip as a user does, and measures an action with it. Run by test_share.py with a folder of its own for the user's files."""

import os
import sys

import bpy  # isort: skip
import addon_utils  # isort: skip - bpy puts it on the path

bpy.ops.wm.read_factory_settings(use_empty=True)
addon_utils.enable("bl_pkg", default_set=True)
bpy.ops.extensions.package_install_files(filepath=sys.argv[1], repo="user_default", enable_on_install=True)
name = "bl_ext.user_default.posepress"
assert name in bpy.context.preferences.addons, list(bpy.context.preferences.addons.keys())

bpy.context.preferences.addons[name].preferences.program = "/a/program"
operators = sys.modules[f"{name}.panels.operators"]
assert operators.program(bpy.context) == "/a/program"

data = bpy.data.armatures.new("Rig")
obj = bpy.data.objects.new("Rig", data)
bpy.context.collection.objects.link(obj)
bpy.context.view_layer.objects.active = obj
bpy.ops.object.mode_set(mode="EDIT")
data.edit_bones.new("bone").tail = (0.0, 0.0, 1.0)
bpy.ops.object.mode_set(mode="POSE")
for frame in (1, 10, 20):
    obj.pose.bones[0].location[0] = 0.01 * frame
    obj.pose.bones[0].keyframe_insert("location", frame=frame)
assert bpy.ops.posepress.measure() == {"FINISHED"}
assert bpy.context.window_manager.posepress_results[0].error_mm <= 0.1

import posepress  # noqa: E402

print("installed", posepress.__version__, posepress.__file__)
# The module of Blender 4.2 crashes if it ends while an extension is on.
sys.stdout.flush()
os._exit(0)
