"""Settings of the jobs, without Blender's properties."""

from __future__ import annotations

from dataclasses import dataclass

import posepress

# Codecs that are offered, with a line on each. The first is the default.
CODECS = [
    ("press", "Smallest for most clips; frames follow one another"),
    ("variable-rate", "Random access, fast to sample"),
    ("linear-keys", "Few keys with straight lines between"),
    ("quantize", "Every frame, fewer bits"),
    ("raw", "No compression, for measuring an action itself"),
]


@dataclass(frozen=True)
class Settings:
    """Choices of the user.

    Attributes:
        codec: name of the codec.
        tolerance_mm: largest shell error, millimetres.
        shell_mm: distance of the measured points from each joint, millimetres.
        selected_bones: True if only selected bones count.
        whole_action: True for the range of each action, False for that of the scene.
    """

    codec: str = CODECS[0][0]
    tolerance_mm: float = 0.1
    shell_mm: float = 30.0
    selected_bones: bool = False
    whole_action: bool = True

    def recipe(self) -> posepress.Recipe:
        """The recipe of the engine."""
        return posepress.Recipe(self.codec, tolerance_mm=self.tolerance_mm, shell_mm=self.shell_mm)
