"""Skeletal animation compression that reports its error.

Read a file, compress a clip, look at what was lost:

    >>> clip = posepress.read(sample)["run"]
    >>> compressed = posepress.compress(clip, tolerance_mm=0.1)
    >>> compressed.error_mm <= 0.1
    True

Lengths of arrays are in metres. Names with `_mm` are in millimetres, with `_secs` in seconds.
"""

from ._batch import compress_all
from ._export import Exported, Played, export
from ._files import File, Finding, read
from ._keys import Keys, fit_keys, hold_feet
from ._posepress import Clip, Container, Recipe, Rig, __version__
from ._progress import progress
from ._report import ClipReport, ContactRow
from ._results import Compressed, Judged, Result, compress, gate, judge
from ._views import plot, table
from .errors import (
    ClipError,
    CompressError,
    ContainerError,
    ExportError,
    GateError,
    OptionError,
    PosepressError,
    ReadError,
    Stopped,
)

__all__ = [
    "Clip",
    "ClipError",
    "ClipReport",
    "CompressError",
    "Compressed",
    "ContactRow",
    "Container",
    "ContainerError",
    "ExportError",
    "Exported",
    "File",
    "Finding",
    "GateError",
    "Judged",
    "Keys",
    "OptionError",
    "Played",
    "PosepressError",
    "ReadError",
    "Recipe",
    "Result",
    "Rig",
    "Stopped",
    "__version__",
    "compress",
    "compress_all",
    "export",
    "fit_keys",
    "gate",
    "hold_feet",
    "judge",
    "plot",
    "progress",
    "read",
    "table",
]
