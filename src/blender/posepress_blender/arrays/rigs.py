"""Armatures as rigs of Posepress, and their poses as clips."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import posepress

from .errors import shell_errors_mm
from .transforms import Y_UP_FROM_Z_UP, Array, compose, decompose


@dataclass(frozen=True)
class Bones:
    """Bones of an armature, parents first.

    Attributes:
        names: their names.
        parents: index of each parent, or None.
        rest: rest matrices in the space of the armature, array of shape (bones, 4, 4).
    """

    names: list[str]
    parents: list[int | None]
    rest: Array

    @cached_property
    def rest_transforms(self) -> Array:
        """Transforms at rest in the space of each parent, array of shape (bones, 10)."""
        return decompose(self.local_rest())

    def local_rest(self) -> Array:
        """Rest matrices in the space of each parent."""
        own: Array = local(self.rest[None], self.parents)[0]
        return own

    def with_ancestors(self, wanted: set[str]) -> Bones:
        """The wanted bones and the bones above them."""
        kept: set[int] = set()
        for at, name in enumerate(self.names):
            above: int | None = at
            while name in wanted and above is not None and above not in kept:
                kept.add(above)
                above = self.parents[above]
        order = sorted(kept)
        place = {old: new for new, old in enumerate(order)}
        parents = [self.parents[at] for at in order]
        names = [self.names[at] for at in order]
        return Bones(names, [None if above is None else place[above] for above in parents], self.rest[order])


@dataclass(frozen=True)
class Poses:
    """Poses over time, in Blender's axes.

    Attributes:
        world: matrices of the armature object, array of shape (samples, 4, 4).
        bones: matrices of the bones in the space of the armature, array of shape (samples, bones, 4, 4).
    """

    world: Array
    bones: Array

    def in_world(self) -> Array:
        """Matrices of the bones in the world."""
        return self.world[:, None] @ self.bones


def local(matrices: Array, parents: list[int | None]) -> Array:
    """Matrices in the space of each parent, from matrices in one space: array of shape (samples, bones, 4, 4)."""
    out = np.array(matrices, float)
    for at, parent in enumerate(parents):
        if parent is not None:
            out[:, at] = np.linalg.inv(matrices[:, parent]) @ matrices[:, at]
    return out


def chained(locals_: Array, parents: list[int | None]) -> Array:
    """The inverse of `local`."""
    out = np.array(locals_, float)
    for at, parent in enumerate(parents):
        if parent is not None:
            out[:, at] = out[:, parent] @ out[:, at]
    return out


def make_rig(object_name: str, bones: Bones, world: Array) -> posepress.Rig:
    """A rig whose first joint is the armature object, with Y up. The bones keep their own axes."""
    name = object_name
    while name in bones.names:
        name += "_object"
    parents = [None] + [0 if parent is None else parent + 1 for parent in bones.parents]
    bind = np.concatenate([decompose((Y_UP_FROM_Z_UP @ world)[None]), bones.rest_transforms])
    return posepress.Rig([name, *bones.names], parents, bind)


def make_clip(
    name: str, rig: posepress.Rig, bones: Bones, poses: Poses, rate_hz: float, shell_mm: float
) -> tuple[posepress.Clip, float]:
    """A clip of poses, and the shell error in millimetres of what transforms cannot hold: shear below an uneven scale."""
    own = decompose(local(poses.bones, bones.parents))
    root = decompose(Y_UP_FROM_Z_UP @ poses.world)
    clip = posepress.Clip(name, rig, np.concatenate([root[:, None], own], axis=1), rate_hz, looping=False)
    again = Poses(poses.world, chained(compose(own), bones.parents))
    return clip, float(shell_errors_mm(poses.in_world(), again.in_world(), shell_mm).max(initial=0.0))


def poses_of(clip: posepress.Clip, bones: Bones) -> Poses:
    """The inverse of `make_clip`."""
    transforms = clip.transforms.astype(float)
    world = np.linalg.inv(Y_UP_FROM_Z_UP) @ compose(transforms[:, 0])
    return Poses(world, chained(compose(transforms[:, 1:]), bones.parents))
