"""Clips from arrays, and arrays from clips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posepress


def rig_of(joints: int) -> posepress.Rig:
    bind = np.zeros((joints, 10), np.float32)
    bind[:, 1], bind[:, 6], bind[:, 7:] = 0.3, 1.0, 1.0
    return posepress.Rig([f"joint{at}" for at in range(joints)], [None, *range(joints - 1)], bind)


def motion(joints: int, samples: int, seed: int) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """Smooth random motion."""
    random = np.random.default_rng(seed)
    time = np.linspace(0.0, 2.0 * np.pi, samples)[:, None]
    phase, size = random.uniform(0.0, 6.0, (1, joints)), random.uniform(0.1, 0.8, (1, joints))
    angle = size * np.sin(time + phase)
    out = np.zeros((samples, joints, 10), np.float32)
    out[..., 1], out[..., 7:] = 0.3, 1.0
    out[..., 3], out[..., 6] = np.sin(angle / 2), np.cos(angle / 2)
    return out


@settings(max_examples=25, deadline=None, derandomize=True)
@given(joints=st.integers(1, 6), samples=st.integers(1, 60), seed=st.integers(0, 2**32 - 1))
def test_arrays_come_back_as_they_were(joints: int, samples: int, seed: int) -> None:
    array = motion(joints, samples, seed)
    clip = posepress.Clip("made", rig_of(joints), array, rate_hz=30)
    assert clip.transforms.dtype == np.float32 and clip.transforms.shape == (samples, joints, 10)
    np.testing.assert_allclose(clip.transforms, array, atol=1e-6)
    again = posepress.Clip("made", clip.rig, clip.transforms, rate_hz=30)
    assert again.transforms.tobytes() == clip.transforms.tobytes()
    np.testing.assert_allclose(clip.times_secs, np.arange(samples) / 30, atol=1e-5)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    tolerance_mm=st.sampled_from([0.05, 0.3, 2.0]),
    codec=st.sampled_from(["press", "variable-rate", "linear-keys"]),
)
def test_the_error_is_within_the_tolerance_and_real(seed: int, tolerance_mm: float, codec: str) -> None:
    clip = posepress.Clip("made", rig_of(4), motion(4, 40, seed), rate_hz=30)
    compressed = posepress.compress(clip, codec, tolerance_mm)
    assert compressed.error_mm <= tolerance_mm and compressed.size < clip.raw_bytes
    assert compressed.error_per_sample_mm.shape == (clip.samples,)
    assert compressed.error_per_sample_mm.dtype == np.float32
    assert compressed.error_per_sample_mm.max() == pytest.approx(compressed.error_mm, rel=1e-3)
    # A joint's place in object space differs by no more than the shell error.
    places = [object_places(one.transforms) for one in (clip, compressed.decode())]
    assert np.linalg.norm(places[0] - places[1], axis=-1).max() * 1000 <= tolerance_mm * 1.01 + 1e-3


def object_places(transforms: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Places of the joints of a chain, (samples, joints, 3), metres."""
    samples, joints, _ = transforms.shape
    place, turn = np.zeros((samples, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (samples, 1))
    out = np.zeros((samples, joints, 3))
    for joint in range(joints):
        move, own = transforms[:, joint, :3].astype(float), transforms[:, joint, 3:7].astype(float)
        axis, w = turn[:, :3], turn[:, 3:]
        cross = np.cross(axis, move)
        place = place + move + 2.0 * (w * cross + np.cross(axis, cross))
        turn = np.concatenate(
            [w * own[:, :3] + own[:, 3:] * axis + np.cross(axis, own[:, :3]),
             w * own[:, 3:] - (axis * own[:, :3]).sum(axis=1, keepdims=True)], axis=1)
        out[:, joint] = place
    return out


def test_wrong_arrays_are_refused_with_the_shape_that_is_expected(sample: posepress.File) -> None:
    rig = sample.rig
    with pytest.raises(posepress.ClipError, match=r"\(2, 3, 10\).*\(samples, 63, 10\)") as caught:
        posepress.Clip("bad", rig, np.zeros((2, 3, 10)), rate_hz=30)
    assert caught.value.clip == "bad"
    with pytest.raises(posepress.ClipError, match="not a finite number"):
        posepress.Clip("bad", rig, np.full((2, 63, 10), np.nan), rate_hz=30)
    with pytest.raises(posepress.ClipError, match="a rate of 0 Hz"):
        posepress.Clip("bad", rig, sample.clips[0].transforms, rate_hz=0)
    with pytest.raises(posepress.ClipError, match="one parent and 10 numbers per joint"):
        posepress.Rig(["a", "b"], [None], np.zeros((2, 10)))


def test_float64_and_lists_are_taken_too() -> None:
    array = motion(2, 3, 1)
    expected = posepress.Clip("made", rig_of(2), array, rate_hz=30).transforms
    for other in (array.astype(np.float64), array.tolist(), np.asfortranarray(array)):
        assert posepress.Clip("made", rig_of(2), other, rate_hz=30).transforms.tobytes() == expected.tobytes()


def test_a_clip_moves_to_a_rig_with_the_same_names(sample: posepress.File) -> None:
    other = posepress.Rig(sample.rig.joints, sample.rig.parents, sample.rig.bind)
    moved = sample.clips[0].on_rig(other)
    np.testing.assert_allclose(moved.transforms, sample.clips[0].transforms, atol=1e-6)
    with pytest.raises(posepress.ClipError, match="joint names|joints are named"):
        sample.clips[0].on_rig(rig_of(3))
