"""Feet that stand still, and their contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import posepress

from ..arrays.channels import dense_curves, values_of
from ..arrays.rigs import Bones
from ..scene.bones import follows_parent, has_constraints, rotation_channel
from ..scene.curves import Source, discard, duplicate
from ..scene.write import channel_of, write_channel
from .job import Work, beside, part
from .measure import notes_of
from .sample import Taken, take
from .settings import Settings

# A bone that changes by less than this keeps its keys: metres, or parts of a quaternion.
_CHANGED = 1e-6
# A smaller slide is none, millimetres.
_LEAST_SLIDE_MM = 0.5
# What is only measured is not compressed.
_MEASURING = "raw"


@dataclass(frozen=True)
class Cleaned:
    """An action whose feet stand.

    Attributes:
        result: the new action. None if no foot slides.
        bones: bones with new keys.
        before_mm: largest slide before, millimetres.
        after_mm: largest slide in the new action as Blender plays it, millimetres.
        notes: what was changed, and what could not be.
    """

    result: Source | None
    bones: list[str]
    before_mm: float
    after_mm: float
    notes: list[str]

    def line(self) -> str:
        """One line for people."""
        if self.result is None:
            return f"no foot slides: {self.before_mm:.2f} mm at most"
        return (
            f"{self.result.action.name}: slide {self.before_mm:.1f} mm, now {self.after_mm:.1f} mm; "
            f"new keys for {', '.join(self.bones)}"
        )


def contacts(obj: Any, source: Source, settings: Settings, scene: Any) -> Work[list[tuple[str, int, int]]]:
    """Contacts of feet: the bone, its first and its last frame."""
    taken = yield from part(take(obj, source, settings, scene), 0.0, 0.5)
    measured = yield from part(beside(posepress.compress, taken.clip, _MEASURING), 0.5, 1.0)
    rows = measured.contacts
    return [(row["joint"], taken.frame(row["start_secs"]), taken.frame(row["end_secs"])) for row in rows]


def clean(obj: Any, source: Source, settings: Settings, scene: Any) -> Work[Cleaned]:
    """Writes a new action whose feet stand still during their contacts. The armature then plays it."""
    settings = Settings(settings.codec, settings.tolerance_mm, settings.shell_mm, False, settings.whole_action)
    taken = yield from part(take(obj, source, settings, scene), 0.0, 0.2)
    before_mm = yield from part(_slide_mm(taken.clip), 0.2, 0.4)
    held, findings = yield from part(beside(posepress.hold_feet, taken.clip), 0.4, 0.6)
    notes = notes_of(taken)
    changed = np.abs(held.transforms - taken.clip.transforms).max(axis=0)
    if changed.max() <= _CHANGED or before_mm < _LEAST_SLIDE_MM:
        return Cleaned(None, [], before_mm, before_mm, notes)
    notes += [f"{found.what}. {found.meaning}" for found in findings]
    result = duplicate(source, f"{source.action.name}.feet")
    done = False
    try:
        written = _write(obj, taken, held, changed, result, notes)
        after = yield from part(take(obj, result, settings, scene), 0.6, 0.8)
        after_mm = yield from part(_slide_mm(after.clip), 0.8, 1.0)
        done = True
    finally:
        if not done:
            discard(result)
    return Cleaned(result, written, before_mm, after_mm, notes)


def _slide_mm(clip: posepress.Clip) -> Work[float]:
    measured = yield from beside(posepress.compress, clip, _MEASURING)
    return max((row["source_slide_mm"] for row in measured.contacts), default=0.0)


def _write(obj: Any, taken: Taken, held: posepress.Clip, changed: Any, result: Source, notes: list[str]) -> list[str]:
    """Writes keys for the bones that changed. Returns their names."""
    bones: Bones = taken.bones
    transforms = held.transforms.astype(float)
    written = []
    for at, name in enumerate(bones.names):
        bone, parts = obj.pose.bones[name], changed[at + 1]
        if parts.max() <= _CHANGED:
            continue
        if has_constraints(bone) or not follows_parent(bone):
            notes.append(f"{name} keeps its keys: constraints or its inheritance decide its place")
            continue
        values = values_of(bones, at, transforms[:, at + 1])
        moved = {"location": parts[:3], rotation_channel(bone): parts[3:7], "scale": parts[7:]}
        for channel, part_ in moved.items():
            if part_.max() > _CHANGED:
                own = channel_of(bone, values, channel)
                curves = dense_curves(np.arange(len(own), dtype=float), own)
                write_channel(result, name, channel, curves, taken.first_frame)
        written.append(name)
    return written
