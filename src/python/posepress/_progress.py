"""Progress of long calls."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

#: Called with the fraction that is done, 0 to 1. An exception from it stops the work.
Report = Callable[[float], object]


class Bar(Protocol):
    """A progress bar, such as one of tqdm."""

    def update(self, n: float, /) -> object:
        """Adds to what is done."""
        ...

    def close(self) -> object:
        """Ends the bar."""
        ...


_BARS: ContextVar[Callable[..., Bar] | None] = ContextVar("posepress_bars", default=None)


@contextmanager
def progress(bars: Callable[..., Bar]) -> Generator[None, None, None]:
    """Shows a bar for every long call inside the block.

    Args:
        bars: makes a bar, as `tqdm.tqdm` does: it takes `total` and `desc`.

    Examples:
        >>> class Bar:
        ...     def __init__(self, total, desc):
        ...         self.done = 0.0
        ...     def update(self, n):
        ...         self.done += n
        ...     def close(self):
        ...         print(f"done: {self.done:.0%}")
        >>> with posepress.progress(Bar):
        ...     compressed = posepress.compress(posepress.read(sample)["run"])
        done: 100%
        done: 100%
    """
    token = _BARS.set(bars)
    try:
        yield
    finally:
        _BARS.reset(token)


@contextmanager
def reporting(subject: str, report: Report | None) -> Generator[Report | None, None, None]:
    """The report of a call: the caller's own, else a bar of the block around it."""
    bars = _BARS.get()
    if report is not None or bars is None:
        yield report
        return
    bar: Any = bars(total=1.0, desc=subject)
    done = 0.0

    def move(fraction: float) -> None:
        nonlocal done
        bar.update(fraction - done)
        done = fraction

    try:
        yield move
    finally:
        bar.close()
