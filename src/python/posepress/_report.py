"""The types of a report, as `posepress report --json` prints it.

The reference of its keys is the page "Reports as JSON" of the book. Keys of rare parts (tiers, pins, candidates) have the type Any.
"""

from __future__ import annotations

from typing import Any, TypedDict


class WorstMoment(TypedDict):
    """A joint and a time."""

    joint: str
    time_secs: float


class ShellError(TypedDict):
    """Shell error at the samples, millimetres."""

    tolerance_mm: float
    shell_mm: float
    shell_from_mesh: bool
    max_mm: float
    p99_mm: float
    rms_mm: float
    mean_mm: float
    joint_mean_mm: float
    worst: WorstMoment
    promise: str
    within: bool


class SubFrameError(TypedDict):
    """Shell error between samples."""

    per_sample: int
    max_mm: float
    worst: WorstMoment


class VertexMoment(WorstMoment):
    """A vertex, the joint that moves it most wrongly, and a time."""

    mesh: str
    vertex: int


class VertexError(TypedDict):
    """Error on the skin."""

    max_mm: float
    p99_mm: float
    worst: VertexMoment


class LargestError(TypedDict):
    """The largest error of a kind: jitter, or sampling of the file's curves."""

    max_mm: float
    worst: WorstMoment


class ContactRow(TypedDict):
    """A contact of a foot: when it stands, and how it slides."""

    joint: str
    start_secs: float
    end_secs: float
    slide_mm: float
    heel_secs: Any
    toe_secs: Any
    sampling_mm: Any
    source_slide_mm: float
    rate_mm_s: float
    shimmer_mm: float
    float_mm: float
    sink_mm: float
    verdict: str


class SlideOptional(TypedDict, total=False):
    """Keys that only some clips have."""

    why: Any
    lock: Any


class Slide(SlideOptional):
    """Contacts of feet."""

    contacts: list[ContactRow]
    worst_slide_mm: float | None


class Loop(TypedDict):
    """Seam and roughness."""

    looping: bool
    seam_pop_mm: float | None
    seam_velocity_mm_s: float | None
    bone_length_mm: float


class JudgedRow(TypedDict):
    """An error that decides the verdict, with its limits."""

    by: str
    verdict: str
    error_mm: float
    warn_mm: float | None
    fail_mm: float | None
    joint: str
    time_secs: float
    reason: Any


class ClipReportOptional(TypedDict, total=False):
    """Keys that only some clips have."""

    external: Any
    bytes_by: dict[str, int]
    bit_rates: dict[str, int]
    steps: list[Any]
    stages: list[Any]
    compensation: Any
    added_to: str
    float_error: Any
    root: Any
    pins: list[Any]
    overrides: list[Any]
    tiers: list[Any]
    encode_ms: float
    pixels: Any
    why: Any
    candidates: list[Any]


class ClipReport(ClipReportOptional):
    """Everything measured of one clip and recipe. Lengths are in millimetres, joints have their names."""

    source: str
    clip: str
    codec: str
    recipe: dict[str, Any]
    joints: int
    samples: int
    rate_hz: float
    duration_secs: float
    raw_bytes: int
    bytes: int
    file_bytes: int
    resident_bytes: int
    ratio: float
    exact_tracks: dict[str, Any]
    error: ShellError
    sub_frame_error: SubFrameError
    vertex_error: VertexError | None
    jitter: LargestError | None
    sampling: LargestError | None
    slide: Slide
    loop: Loop
    decode_ns_per_pose: float
    verdict: str
    source_verdict: str
    judged: list[JudgedRow]
    worst_moment: WorstMoment | None
