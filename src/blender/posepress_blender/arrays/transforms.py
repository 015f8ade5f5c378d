"""Matrices and transforms. A transform is translation, rotation (x, y, z, w) and scale: ten numbers, as in `posepress.Clip`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# From Blender's axes (Z up) to those of Posepress (Y up): (x, y, z) becomes (x, z, -y).
Y_UP_FROM_Z_UP: Array = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)

# Scales below this have no rotation.
_LEAST_SCALE = 1e-12


def multiply(a: Array, b: Array) -> Array:
    """Products of quaternions (x, y, z, w)."""
    ax, ay, az, aw = np.moveaxis(np.asarray(a, float), -1, 0)
    bx, by, bz, bw = np.moveaxis(np.asarray(b, float), -1, 0)
    parts = [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
    return np.stack(parts, axis=-1)


def conjugate(a: Array) -> Array:
    """Inverses of unit quaternions."""
    return np.asarray(a, float) * [-1.0, -1.0, -1.0, 1.0]


def rotation_matrices(q: Array) -> Array:
    """Rotation matrices of quaternions, which need not be of unit length."""
    q = np.asarray(q, float)
    x, y, z, w = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternions(matrices: Array) -> Array:
    """Quaternions of rotation matrices, array of shape (..., 3, 3)."""
    m = np.asarray(matrices, float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # The largest of the four squares is the safe divisor.
    squares = np.stack([1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz], axis=-1)
    yz, zx, xy = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xpy, xpz, ypz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    choices = [
        np.stack([squares[..., 0], xpy, xpz, yz], axis=-1),
        np.stack([xpy, squares[..., 1], ypz, zx], axis=-1),
        np.stack([xpz, ypz, squares[..., 2], xy], axis=-1),
        np.stack([yz, zx, xy, squares[..., 3]], axis=-1),
    ]
    best = np.argmax(squares, axis=-1)
    chosen: Array = np.take_along_axis(np.stack(choices, axis=-2), best[..., None, None], axis=-2)[..., 0, :]
    unit: Array = chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)
    return unit


def decompose(matrices: Array) -> Array:
    """Transforms of matrices (..., 4, 4). Shear is lost: compare with `compose`."""
    m = np.asarray(matrices, float)
    scale = np.linalg.norm(m[..., :3, :3], axis=-2)
    mirrored = np.linalg.det(m[..., :3, :3]) < 0
    scale[..., 0] = np.where(mirrored, -scale[..., 0], scale[..., 0])
    axes = m[..., :3, :3] / np.where(np.abs(scale) < _LEAST_SCALE, 1.0, scale)[..., None, :]
    # The nearest rotation of sheared axes, one axis after the other.
    x = axes[..., :, 0]
    y = axes[..., :, 1] - x * np.sum(x * axes[..., :, 1], axis=-1, keepdims=True)
    length = np.linalg.norm(y, axis=-1, keepdims=True)
    y = y / np.where(length < _LEAST_SCALE, 1.0, length)
    rotation = np.stack([x, y, np.cross(x, y)], axis=-1)
    flat = np.any(np.abs(scale) < _LEAST_SCALE, axis=-1)
    rotation = np.where(flat[..., None, None], np.eye(3), rotation)
    return np.concatenate([m[..., :3, 3], quaternions(rotation), scale], axis=-1)


def compose(transforms: Array) -> Array:
    """Matrices of transforms (..., 10)."""
    t = np.asarray(transforms, float)
    out = np.zeros((*t.shape[:-1], 4, 4))
    out[..., :3, :3] = rotation_matrices(t[..., 3:7]) * t[..., None, 7:]
    out[..., :3, 3] = t[..., :3]
    out[..., 3, 3] = 1.0
    return out


def continuous(q: Array) -> Array:
    """Quaternions over time, of shape (samples, 4), with signs that do not flip."""
    flips = np.sum(q[1:] * q[:-1], axis=-1) < 0
    signs = np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)
    return np.concatenate([q[:1], q[1:] * signs[:, None]])
