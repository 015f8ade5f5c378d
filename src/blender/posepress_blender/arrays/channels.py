"""Channels of bones: their values, their transforms, and their keys as Blender has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import posepress

from .rigs import Bones
from .transforms import Array, conjugate, multiply, rotation_matrices

# A component that moves by less than this stays at one key: metres, parts of a quaternion, or parts of a scale.
STILL = 1e-6
# Its own keys stay, unless this part of them is enough.
WORTH = 0.5


@dataclass(frozen=True)
class Values:
    """Values of a bone's channels over time, each of shape (samples, 3 or 4). Quaternions are x, y, z, w."""

    location: Array
    rotation: Array
    scale: Array


@dataclass(frozen=True)
class CurveKeys:
    """Keys of one F-curve.

    Attributes:
        samples: times in samples.
        values: one value per key.
        slopes: slope per sample before and after each key, array of shape (keys, 2). None for lines and steps.
        constant: True if values hold until the next key.
    """

    samples: Array
    values: Array
    slopes: Array | None
    constant: bool

    def __len__(self) -> int:
        return len(self.samples)

    def handles(self) -> tuple[Array, Array]:
        """Left and right handles, arrays of shape (keys, 2): sample and value. A third of the way to the neighbour makes time even."""
        gaps = np.diff(self.samples)
        before = np.concatenate([gaps[:1], gaps]) if len(gaps) else np.ones(1)
        after = np.concatenate([gaps, gaps[-1:]]) if len(gaps) else np.ones(1)
        slopes = self.slopes if self.slopes is not None else np.zeros((len(self.samples), 2))
        left = np.stack([self.samples - before / 3, self.values - slopes[:, 0] * before / 3], axis=-1)
        right = np.stack([self.samples + after / 3, self.values + slopes[:, 1] * after / 3], axis=-1)
        return left, right


def locals_of(bones: Bones, values: list[Values]) -> Array:
    """Transforms in the space of each parent, array of shape (samples, bones, 10)."""
    out = []
    for rest, own in zip(bones.rest_transforms, values, strict=True):
        turned = own.location @ rotation_matrices(rest[3:7]).T
        rotation = multiply(np.broadcast_to(rest[3:7], own.rotation.shape), own.rotation)
        out.append(np.concatenate([rest[:3] + turned, rotation, own.scale], axis=-1))
    return np.stack(out, axis=1)


def values_of(bones: Bones, at: int, locals_: Array) -> Values:
    """The inverse of `locals_of` for one bone, from transforms of shape (samples, 10)."""
    rest = bones.rest_transforms[at]
    back = conjugate(rest[3:7])
    location = (locals_[:, :3] - rest[:3]) @ rotation_matrices(rest[3:7])
    return Values(location, multiply(np.broadcast_to(back, locals_[:, 3:7].shape), locals_[:, 3:7]), locals_[:, 7:])


def fitted_curves(bones: Bones, at: int, keys: posepress.Keys) -> list[CurveKeys]:
    """Keys of a joint's channel as keys of the bone's F-curves, in the order of its components. Quaternions are w, x, y, z."""
    values, tangents = keys.values.astype(float), keys.tangents.astype(float)
    rest = bones.rest_transforms[at]
    back = conjugate(rest[3:7])
    if keys.channel == "translation":
        turn = rotation_matrices(rest[3:7])
        values, tangents = (values - rest[:3]) @ turn, tangents @ turn
    elif keys.channel == "rotation":
        order = [3, 0, 1, 2]
        turned = [multiply(np.broadcast_to(back, part.shape), part)[..., order] for part in (values, tangents)]
        values, tangents = turned
    return [_curve(keys, values[:, part], tangents[..., part]) for part in range(values.shape[-1])]


def euler_clip(name: str, bones: Bones, eulers: dict[int, Array], rate_hz: float, shell_mm: float) -> posepress.Clip:
    """Euler angles as places of joints without parents, as far from the origin as the angles move the bone's farthest point.

    Keys of these places, divided by `reach_m`, are keys of the angles: one fit serves both.
    """
    reach = reach_m(bones, shell_mm)
    bind = np.zeros((len(eulers), 10))
    bind[:, 6:] = 1.0
    transforms = np.tile(bind, (len(next(iter(eulers.values()))), 1, 1))
    for joint, (at, angles) in enumerate(eulers.items()):
        transforms[:, joint, :3] = angles * reach[at]
    rig = posepress.Rig([bones.names[at] for at in eulers], [None] * len(eulers), bind)
    return posepress.Clip(name, rig, transforms, rate_hz, looping=False)


def euler_curves(keys: posepress.Keys, reach: float) -> list[CurveKeys]:
    """Keys of the places of `euler_clip` as keys of three angles."""
    values, tangents = keys.values.astype(float) / reach, keys.tangents.astype(float) / reach
    return [_curve(keys, values[:, axis], tangents[..., axis]) for axis in range(3)]


def reach_m(bones: Bones, shell_mm: float) -> Array:
    """Distance from each bone to the farthest bone below it at rest, with the shell, metres."""
    out = np.full(len(bones.names), shell_mm / 1000.0)
    for at in range(len(bones.names)):
        above: int | None = at
        while above is not None:
            away = float(np.linalg.norm(bones.rest[at, :3, 3] - bones.rest[above, :3, 3]))
            out[above] = max(out[above], away + shell_mm / 1000.0)
            above = bones.parents[above]
    return out


def still_curves(values: Array) -> list[CurveKeys]:
    """One key per component, from values of shape (components,)."""
    return [CurveKeys(np.zeros(1), np.array([value]), None, True) for value in values]


def is_worth(fitted: list[CurveKeys], own: int) -> bool:
    """True if the fitted keys replace the own keys of a channel."""
    return sum(len(curve) for curve in fitted) <= WORTH * own


def _curve(keys: posepress.Keys, values: Array, tangents: Array) -> CurveKeys:
    slopes = tangents if keys.curve == "cubic" else None
    return _without_still(CurveKeys(keys.samples.astype(float), values, slopes, keys.curve == "step"))


def _without_still(curve: CurveKeys) -> CurveKeys:
    moves = np.ptp(curve.values) > STILL
    bends = curve.slopes is not None and len(curve) > 1 and np.abs(curve.slopes * np.ptp(curve.samples)).max() > STILL
    if moves or bends or len(curve) == 1:
        return curve
    return CurveKeys(curve.samples[:1], curve.values[:1], None, True)


def from_euler(eulers: Array, order: str) -> Array:
    """Quaternions of Euler angles, array of shape (samples, 3) in radians. The first letter of the order turns first, as in Blender."""
    axes = {"X": 0, "Y": 1, "Z": 2}
    out = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (len(eulers), 4))
    for letter in order:
        turn = np.zeros((len(eulers), 4))
        turn[:, axes[letter]], turn[:, 3] = np.sin(eulers[:, axes[letter]] / 2), np.cos(eulers[:, axes[letter]] / 2)
        out = multiply(turn, out)
    return out


def to_euler(rotations: Array, order: str) -> Array:
    """Euler angles of quaternions over time, with angles that do not jump by full turns."""
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = rotation_matrices(rotations)
    middle = np.arcsin(np.clip(-sign * m[:, k, i], -1.0, 1.0))
    out = np.zeros((len(rotations), 3))
    out[:, i] = np.arctan2(sign * m[:, k, j], m[:, k, k])
    out[:, j] = middle
    out[:, k] = np.arctan2(sign * m[:, j, i], m[:, i, i])
    return np.unwrap(out, axis=0)


def dense_curves(samples: Array, values: Array) -> list[CurveKeys]:
    """A key at every sample with straight lines between, one curve per component of values (samples, components)."""
    return [_without_still(CurveKeys(samples, values[:, at], None, False)) for at in range(values.shape[1])]
