"""The part of the Blender extension that needs no Blender."""

from __future__ import annotations

import ast
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posepress

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "src/blender"))

from posepress_blender.arrays.channels import (  # noqa: E402
    CurveKeys,
    Values,
    dense_curves,
    euler_clip,
    euler_curves,
    fitted_curves,
    from_euler,
    is_worth,
    locals_of,
    reach_m,
    to_euler,
    values_of,
)
from posepress_blender.arrays.errors import shell_errors_mm, worst  # noqa: E402
from posepress_blender.arrays.rigs import Bones, Poses, chained, local, make_clip, make_rig, poses_of  # noqa: E402
from posepress_blender.arrays.transforms import (  # noqa: E402
    Y_UP_FROM_Z_UP,
    Array,
    compose,
    decompose,
    multiply,
    rotation_matrices,
)

ORDERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


def random_transforms(seed: int, *shape: int) -> Array:
    random = np.random.default_rng(seed)
    rotation = random.normal(size=(*shape, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    return np.concatenate([random.normal(size=(*shape, 3)), rotation, random.uniform(0.5, 2.0, (*shape, 3))], axis=-1)


def chain(count: int = 4) -> Bones:
    rest = random_transforms(3, count)
    rest[:, 7:], rest[:, :3] = 1.0, [[0.0, 0.3 * at, 0.1] for at in range(count)]
    return Bones([f"bone{at}" for at in range(count)], [None, *range(count - 1)], compose(rest))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), mirrored=st.booleans())
def test_matrices_and_transforms_are_inverses(seed: int, mirrored: bool) -> None:
    transforms = random_transforms(seed, 20)
    if mirrored:
        transforms[:, 7] *= -1.0
    matrices = compose(transforms)
    np.testing.assert_allclose(compose(decompose(matrices)), matrices, atol=1e-9)
    signs = np.sign(np.sum(decompose(matrices)[:, 3:7] * transforms[:, 3:7], axis=-1))
    np.testing.assert_allclose(decompose(matrices)[:, 3:7] * signs[:, None], transforms[:, 3:7], atol=1e-9)


def test_products_of_quaternions_are_those_of_matrices() -> None:
    a, b = random_transforms(1, 10)[:, 3:7], random_transforms(2, 10)[:, 3:7]
    np.testing.assert_allclose(rotation_matrices(multiply(a, b)), rotation_matrices(a) @ rotation_matrices(b), atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_come_back(order: str) -> None:
    angles = np.random.default_rng(4).uniform(-1.4, 1.4, (40, 3))
    angles = np.cumsum(0.1 * angles, axis=0)
    np.testing.assert_allclose(to_euler(from_euler(angles, order), order), angles, atol=1e-9)


def test_axes_are_turned_exactly() -> None:
    assert (Y_UP_FROM_Z_UP @ [1.0, 2.0, 3.0, 1.0]).tolist() == [1.0, 3.0, -2.0, 1.0]
    assert np.array_equal(np.linalg.inv(Y_UP_FROM_Z_UP) @ Y_UP_FROM_Z_UP, np.eye(4))


def test_poses_become_clips_and_come_back() -> None:
    bones = chain()
    own = random_transforms(5, 30, 4)
    own[..., 7:] = own[..., 7:8]
    poses = Poses(compose(random_transforms(6, 30)), chained(compose(own), bones.parents))
    clip, lost_mm = make_clip("clip", make_rig("bone1", bones, poses.world[0]), bones, poses, 30.0, 30.0)
    assert clip.rig.joints == ["bone1_object", "bone0", "bone1", "bone2", "bone3"] and lost_mm < 1e-6
    again = poses_of(clip, bones)
    assert shell_errors_mm(poses.in_world(), again.in_world(), 30.0).max() < 0.02
    np.testing.assert_allclose(chained(local(poses.bones, bones.parents), bones.parents), poses.bones, atol=1e-9)


def test_values_of_channels_come_back_from_transforms() -> None:
    bones = chain()
    parts = random_transforms(7, 4, 12)
    values = [Values(own[:, :3], own[:, 3:7], own[:, 7:]) for own in parts]
    transforms = locals_of(bones, values)
    for at, own in enumerate(values):
        again = values_of(bones, at, transforms[:, at])
        np.testing.assert_allclose(again.location, own.location, atol=1e-9)
        np.testing.assert_allclose(again.rotation, own.rotation, atol=1e-9)


def test_fitted_keys_are_values_of_channels() -> None:
    bones = chain(2)
    time = np.linspace(0.0, 1.0, 61)[:, None]
    location = np.concatenate([np.sin(3 * time), time**2, 0 * time], axis=1)
    still = Values(np.zeros((61, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (61, 1)), np.ones((61, 3)))
    values = [Values(location, still.rotation, still.scale), still]
    poses = Poses(np.tile(np.eye(4), (61, 1, 1)), chained(compose(locals_of(bones, values)), bones.parents))
    clip, _ = make_clip("clip", make_rig("rig", bones, np.eye(4)), bones, poses, 30.0, 30.0)
    keys = posepress.fit_keys(clip, 0.1)
    assert [(one.joint, one.channel) for one in keys] == [(1, "translation")]
    curves = fitted_curves(bones, 0, keys[0])
    assert [len(curve) > 1 for curve in curves] == [True, True, False] and is_worth(curves, 61 * 3)
    for axis, curve in enumerate(curves):
        np.testing.assert_allclose(curve.values, location[curve.samples.astype(int), axis], atol=1e-6)
        left, right = curve.handles()
        assert (left[:, 0] < curve.samples).all() and (right[:, 0] > curve.samples).all()


def test_angles_are_fitted_as_places_and_come_back() -> None:
    bones = chain(3)
    angles = np.stack([np.sin(np.linspace(0, 4, 50)), np.zeros(50), np.linspace(0, 1, 50)], axis=1)
    clip = euler_clip("clip", bones, {1: angles}, 30.0, 30.0)
    reach = reach_m(bones, 30.0)
    assert reach[0] > reach[1] > reach[2] == pytest.approx(0.03)
    (keys,) = posepress.fit_keys(clip, 0.1)
    curves = euler_curves(keys, float(reach[1]))
    for axis, curve in enumerate(curves):
        np.testing.assert_allclose(curve.values, angles[curve.samples.astype(int), axis], atol=1e-5)
    assert len(curves[1]) == 1 and len(curves[0]) < 12


def test_dense_keys_of_still_components_are_one() -> None:
    curves = dense_curves(np.arange(4.0), np.array([[0.0, 5.0], [1.0, 5.0], [0.0, 5.0], [1.0, 5.0]]))
    assert [len(curve) for curve in curves] == [4, 1]
    assert isinstance(curves[0], CurveKeys) and curves[0].slopes is None


def test_errors_are_of_points_beside_the_joint() -> None:
    a = np.tile(np.eye(4), (2, 3, 1, 1))
    b = a.copy()
    b[1, 2, 0, 3] = 0.002
    found = worst(shell_errors_mm(a, b, 30.0))
    assert (found.sample, found.bone) == (1, 2) and found.error_mm == pytest.approx(2.0)
    turned = a.copy()
    turned[..., :3, :3] = rotation_matrices(np.array([0.0, 0.0, np.sin(0.005), np.cos(0.005)]))
    assert shell_errors_mm(a, turned, 30.0)[0, 0] == pytest.approx(0.3, rel=1e-3)


def test_layers_use_only_those_below() -> None:
    layers = ["arrays", "scene", "tasks", "panels"]
    package = ROOT / "src/blender/posepress_blender"
    for at, layer in enumerate(layers):
        for path in (package / layer).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.level == 2:
                    assert (node.module or "").split(".")[0] in layers[: at + 1], f"{path.name}: {node.module}"
                if isinstance(node, ast.Import) and layer == "arrays":
                    assert not any(name.name.startswith(("bpy", "mathutils")) for name in node.names), path.name
