"""Plays an exported GLB in Blender and compares it with the CSV of the same clip, joint by joint, at every sample.

By hand, with Blender as a module: pip install bpy==5.0.1, then
    posepress export FILE --clip NAME --to glb -o clip.glb
    posepress export FILE --clip NAME --codec raw --to csv -o clip.csv
    python tests/readers/blender.py clip.glb clip.csv RATE_HZ [METRES_IN_A_UNIT_OF_THE_GLB]

With a CSV that the codec `raw` wrote the figure is the error of the exported file as Blender plays it: of the worst of three points, 30 mm
from each joint.
"""

import csv
import json
import struct
import sys

import bpy
from mathutils import Matrix, Quaternion, Vector

SHELL_M = 0.03
BLENDER_FROM_GLTF = Matrix(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)))


def parents(glb):
    """Names of the nodes above each node, nearest first."""
    with open(glb, "rb") as file:
        _, _, _, length, _ = struct.unpack("<4sIIII", file.read(20))
        nodes = json.loads(file.read(length))["nodes"]
    above = {child: index for index, node in enumerate(nodes) for child in node.get("children", [])}
    name = [node.get("name") for node in nodes]
    return {name[child]: name[parent] for child, parent in above.items()}


def samples(path):
    """Object-space matrix of every joint, sample after sample, in Blender's axes."""
    above = parents(sys.argv[1])
    with open(path) as file:
        rows = [row for row in csv.DictReader(file) if row["joint"].isdigit()]
    count = 1 + max(int(row["joint"]) for row in rows)
    for first in range(0, len(rows), count):
        pose = {}
        for row in rows[first : first + count]:
            number = lambda key: float(row[key])
            local = Matrix.LocRotScale(
                Vector([number(k) for k in ("tx", "ty", "tz")]),
                Quaternion([number(k) for k in ("qw", "qx", "qy", "qz")]),
                Vector([number(k) for k in ("sx", "sy", "sz")]),
            )
            parent = pose.get(above.get(row["name"]))
            pose[row["name"]] = parent @ local if parent else local
        yield {name: BLENDER_FROM_GLTF @ joint for name, joint in pose.items()}


def played(sample):
    bpy.context.scene.frame_set(sample)
    bpy.context.view_layer.update()
    rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    return {bone.name: rig.matrix_world @ bone.matrix for bone in rig.pose.bones}


def main():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = int(sys.argv[3])
    # Bones stand as joints do, not along their children.
    bpy.ops.import_scene.gltf(filepath=sys.argv[1], bone_heuristic="BLENDER")
    offsets = [SHELL_M * Vector(axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    metres = float(sys.argv[4]) if len(sys.argv) > 4 else 1.0
    worst, joints = (0.0, "", 0), 0
    for sample, ours in enumerate(samples(sys.argv[2])):
        theirs = played(sample)
        joints = len(theirs.keys() & ours.keys())
        for name in theirs.keys() & ours.keys():
            there = [metres * (theirs[name] @ (offset / metres)) for offset in offsets]
            error = max((ours[name] @ offset - there).length for offset, there in zip(offsets, there))
            worst = max(worst, (error, name, sample))
    print(f"{1000 * worst[0]:.4f} mm at {worst[1]}, sample {worst[2]}, of {joints} joints")


main()
