"""The program `posepress`: the same command line as the one of the native program, without the window."""

from __future__ import annotations

import signal
import sys

from ._posepress import run_program


def main() -> int:
    """Runs the command line, and returns its exit status."""
    # Ctrl+C ends the program, as it ends the native one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["posepress", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
