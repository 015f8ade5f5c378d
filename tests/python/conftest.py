"""What the tests of the Python package share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import posepress

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "src/app/assets/sample.glb"
CORPUS = ROOT / "../shared/corpus"


@pytest.fixture(scope="session")
def sample() -> posepress.File:
    """The bundled sample."""
    return posepress.read(SAMPLE)


@pytest.fixture(scope="session")
def long_clip(sample: posepress.File) -> posepress.Clip:
    """A clip that takes a while to compress with every codec."""
    run = sample["run"]
    return posepress.Clip("long", run.rig, np.tile(run.transforms, (6, 1, 1)), run.rate_hz, looping=False)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the program of the package."""
    command = [sys.executable, "-m", "posepress", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
