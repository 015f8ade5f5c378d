"""30 clips, one budget, one plot: finds the smallest tolerance at which parts of a file's clips fit a number of KB."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import posepress

CLIPS = 30
PART_SAMPLES = 16
STEPS = 4


def parts(path: str) -> list[posepress.Clip]:
    """The first half-second parts of all clips of a file."""
    found: list[posepress.Clip] = []
    for clip in posepress.read(path).clips:
        for start in range(0, clip.samples - PART_SAMPLES, PART_SAMPLES):
            part = clip.transforms[start : start + PART_SAMPLES]
            found.append(posepress.Clip(f"{clip.name} {start}", clip.rig, part, clip.rate_hz, looping=False))
    return found[:CLIPS]


def compressed(clips: list[posepress.Clip], tolerance_mm: float) -> list[posepress.Compressed]:
    """All clips at one tolerance."""
    return [posepress.compress(clip, "variable-rate", tolerance_mm) for clip in clips]


def fit(clips: list[posepress.Clip], limit_bytes: int) -> list[posepress.Compressed]:
    """The clips at the smallest tolerance, among steps, at which they fit."""
    small_mm, large_mm = 0.01, 10.0
    best = compressed(clips, large_mm)
    for _ in range(STEPS):
        middle_mm = (small_mm * large_mm) ** 0.5
        trial = compressed(clips, middle_mm)
        if sum(one.size for one in trial) <= limit_bytes:
            large_mm, best = middle_mm, trial
        else:
            small_mm = middle_mm
    return best


def main() -> list[posepress.Compressed]:
    """Fits the clips of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="a file with clips")
    parser.add_argument("--kb", type=float, default=60.0, help="budget, KB of 1024 bytes")
    parser.add_argument("--plot", type=Path, default=Path("budget.png"), help="the picture to write")
    options = parser.parse_args()
    results = fit(parts(options.file), int(options.kb * 1024))
    figure, axes = plt.subplots(figsize=(9, 5))
    axes.barh([one.name for one in results], [one.size for one in results])
    axes.set_xlabel(f"bytes at {results[0].report['error']['tolerance_mm']:.3f} mm")
    axes.tick_params(axis="y", labelsize="x-small")
    figure.savefig(options.plot, bbox_inches="tight")
    return results


if __name__ == "__main__":
    RESULT = main()
    print(f"{len(RESULT)} clips, {sum(one.size for one in RESULT):,} bytes")
