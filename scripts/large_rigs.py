#!/usr/bin/env python3
"""Writes rigs of 400 and of 1,000 joints, and one whose root walks 600 m from the origin, as BVH in metres into a folder, for `posepress measure`.

    scripts/large_rigs.py FOLDER

Each joint has up to three children 10 cm away, as faces and hair have. Half of the joints stand still, as in most clips; the others swing, with noise
of about a tenth of a degree, as in motion capture. Ten seconds at 30 Hz.
"""
import math
import pathlib
import random
import sys

SAMPLES = 300
RATE_HZ = 30
CHILDREN = 3


def children(joint, joints):
    first = CHILDREN * joint + 1
    return range(min(first, joints), min(first + CHILDREN, joints))


def order(joint, joints):
    """The joints in the order of the file: each before its children."""
    yield joint
    for child in children(joint, joints):
        yield from order(child, joints)


def hierarchy(joint, joints, indent=""):
    kind = "JOINT" if indent else "ROOT"
    offset = "0 0.1 0" if indent else "0 0 0"
    channels = "3" if indent else "6 Xposition Yposition Zposition"
    yield f"{indent}{kind} joint{joint}"
    yield f"{indent}{{"
    yield f"{indent}  OFFSET {offset}"
    yield f"{indent}  CHANNELS {channels} Zrotation Xrotation Yrotation"
    for child in children(joint, joints):
        yield from hierarchy(child, joints, indent + "  ")
    if not children(joint, joints):
        yield f"{indent}  End Site"
        yield f"{indent}  {{"
        yield f"{indent}    OFFSET 0 0.1 0"
        yield f"{indent}  }}"
    yield f"{indent}}}"


def motion(joints, start):
    noise = random.Random(3)
    swings = [[noise.uniform(-8, 8) if joint % 2 == 0 else 0.0 for _ in range(3)] for joint in range(joints)]
    for sample in range(SAMPLES):
        secs = sample / RATE_HZ
        row = [start[0] + 1.4 * secs, start[1] + 0.02 * math.sin(9 * secs), start[2]]
        for joint in order(0, joints):
            for axis, degrees in enumerate(swings[joint]):
                row.append(degrees * math.sin(5 * secs + joint + axis) + (noise.uniform(-0.1, 0.1) if degrees else 0.0))
        yield " ".join(f"{number:.6f}" for number in row)


def write(path, joints, start):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["HIERARCHY", *hierarchy(0, joints), "MOTION", f"Frames: {SAMPLES}", f"Frame Time: {1 / RATE_HZ:.9f}", *motion(joints, start)]
    path.write_text("\n".join(lines) + "\n")


folder = pathlib.Path(sys.argv[1])
for count in (400, 1000):
    write(folder / f"joints-{count}" / f"joints_{count}.bvh", count, (0.0, 1.0, 0.0))
write(folder / "far-root" / "root_600_m.bvh", 100, (600.0, 1.0, -600.0))
