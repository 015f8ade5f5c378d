"""Work in parts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

T = TypeVar("T")

# The fraction that is done, and the result at the end.
Work = Generator[float, None, T]

_WAIT_SECS = 0.01


class Stopped(Exception):
    """The user pressed Esc."""


class Job(Generic[T]):
    """A piece of work that a timer drives, or that runs to its end.

    Attributes:
        fraction: the fraction that is done, 0 to 1.
        result: the result. None before the end.
    """

    def __init__(self, work: Work[T]) -> None:
        self._work = work
        self.fraction = 0.0
        self.result: T | None = None

    def advance(self, secs: float) -> bool:
        """Works for about this time. Returns True at the end."""
        until = time.monotonic() + secs
        while True:
            try:
                self.fraction = next(self._work)
            except StopIteration as end:
                self.fraction, self.result = 1.0, end.value
                return True
            if time.monotonic() >= until:
                return False

    def run(self) -> T:
        """Works to the end."""
        while not self.advance(1.0):
            pass
        assert self.result is not None
        return self.result

    def stop(self) -> None:
        """Ends the work and puts everything back."""
        self._work.close()


def beside(call: Callable[..., T], *arguments: Any, **keywords: Any) -> Work[T]:
    """Calls a function of `posepress` in a thread. If the work is stopped, so is the call."""
    stopped = threading.Event()
    outcome: list[T] = []
    failure: list[BaseException] = []
    done = [0.0]

    def progress(fraction: float) -> None:
        done[0] = fraction
        if stopped.is_set():
            raise Stopped

    def body() -> None:
        try:
            outcome.append(call(*arguments, progress=progress, **keywords))
        except BaseException as error:  # noqa: BLE001 - raised again below, in the thread that waits
            failure.append(error)

    thread = threading.Thread(target=body, name="posepress")
    thread.start()
    try:
        while thread.is_alive():
            yield done[0]
            thread.join(_WAIT_SECS)
    finally:
        stopped.set()
        thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def part(work: Work[T], begin: float, end: float) -> Work[T]:
    """Work that is a part of another: its fraction runs from `begin` to `end`."""
    try:
        while True:
            try:
                fraction = next(work)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            yield begin + (end - begin) * fraction
    finally:
        work.close()
