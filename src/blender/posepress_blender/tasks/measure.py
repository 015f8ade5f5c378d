"""Size, error and slide of actions at a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import posepress

from ..scene.curves import Source
from .job import Work, beside, part
from .sample import Taken, take
from .settings import Settings

# Shear above this is reported, millimetres.
_SEEN_MM = 0.01


@dataclass(frozen=True)
class Measured:
    """A measured action.

    Attributes:
        taken: the clip.
        compressed: the result of the engine.
        worst_bone: bone with the largest error.
        worst_frame: frame of that error.
        notes: what the clip cannot hold.
    """

    taken: Taken
    compressed: posepress.Compressed
    worst_bone: str
    worst_frame: int
    notes: list[str]

    @property
    def slide_mm(self) -> float | None:
        """The largest slide of a foot that the compression adds. None without contacts."""
        return self.compressed.report["slide"]["worst_slide_mm"]

    @property
    def source_slide_mm(self) -> float | None:
        """The largest slide of a foot in the action itself. None without contacts."""
        return max((contact["source_slide_mm"] for contact in self.compressed.contacts), default=None)

    def line(self) -> str:
        """One line for people."""
        result = self.compressed
        slide = "no contacts" if self.slide_mm is None else f"slide {self.slide_mm:.2f} mm"
        return (
            f"{result.name}: {result.size:,} bytes (1/{result.ratio:.0f}), {result.error_mm:.3f} mm at "
            f"{self.worst_bone}, frame {self.worst_frame}; {slide}; {result.verdict}"
        )


def notes_of(taken: Taken) -> list[str]:
    """What the samples of a clip do not hold."""
    if taken.lost_mm <= _SEEN_MM:
        return []
    return [f"{taken.clip.name}: bones are sheared below an uneven scale; {taken.lost_mm:.2f} mm of that cannot be held"]


def measure(obj: Any, sources: Sequence[Source | None], settings: Settings, scene: Any) -> Work[list[Measured]]:
    """Measures each action. The next is sampled when the last is compressed."""
    out = []
    recipe = settings.recipe()
    for at, source in enumerate(sources):
        begin, middle, end = ((at + share) / len(sources) for share in (0.0, 0.3, 1.0))
        taken = yield from part(take(obj, source, settings, scene), begin, middle)
        compressed = yield from part(beside(posepress.compress, taken.clip, recipe), middle, end)
        worst = compressed.report["error"]["worst"]
        frame = taken.frame(worst["time_secs"])
        out.append(Measured(taken, compressed, worst["joint"], frame, notes_of(taken)))
    return out
