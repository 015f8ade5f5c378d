"""The exceptions of the package. Each has fields beside its message."""

from __future__ import annotations

from typing import Any


class PosepressError(Exception):
    """Base of all errors of the package.

    The message is complete by itself. The fields repeat its parts for programs:

    Attributes:
        message: file, problem, place and advice in one text.
        file: the file, as it was given. None if no file is involved.
        clip: name of the clip. None for a whole file.
        place: place in the file, such as a line, a byte or a node.
        advice: what to do.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        clip: str | None = None,
        place: str | None = None,
        advice: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.clip = clip
        self.place = place
        self.advice = advice

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.message, self.file, self.clip, self.place, self.advice)


def _rebuilt(
    kind: type[PosepressError], message: str, file: str | None, clip: str | None, place: str | None, advice: str | None
) -> PosepressError:
    return kind(message, file=file, clip=clip, place=place, advice=advice)


class ReadError(PosepressError):
    """A file cannot be read."""


class ClipError(PosepressError, ValueError):
    """An array is not a clip or a rig, or a clip does not fit a rig."""


class OptionError(PosepressError, ValueError):
    """A setting is unknown, or its value does not fit."""


class CompressError(PosepressError):
    """A clip cannot be compressed."""


class ContainerError(PosepressError):
    """A container is damaged, or cannot be read, merged or written."""


class ExportError(PosepressError):
    """Clips cannot be written in a format."""


class GateError(PosepressError, AssertionError):
    """Results are over a limit. pytest shows it as a failed assertion."""


class Stopped(PosepressError):
    """The work was stopped before it finished."""
