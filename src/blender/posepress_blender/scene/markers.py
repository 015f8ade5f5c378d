"""Markers of actions and scenes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

CONTACT, LIFT = "contact", "lift"


def mark_contacts(action: Any, contacts: Iterable[tuple[str, int, int]]) -> int:
    """Marks contacts of feet in an action: the foot, its first and its last frame. Marks of an earlier call go. Returns their count."""
    markers = action.pose_markers
    for marker in list(markers):
        if marker.name.split(" ", 1)[0] in (CONTACT, LIFT):
            markers.remove(marker)
    added = 0
    for foot, first, last in contacts:
        for name, frame in ((CONTACT, first), (LIFT, last)):
            markers.new(f"{name} {foot}").frame = frame
            added += 1
    return added


def mark_frame(scene: Any, name: str, frame: int) -> None:
    """Puts a marker in the timeline."""
    scene.timeline_markers.new(name, frame=frame)
