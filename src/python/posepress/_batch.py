"""Many files at once."""

from __future__ import annotations

import glob
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from ._files import read
from ._posepress import Recipe
from ._results import Compressed, compress
from .errors import PosepressError, Stopped


def compress_all(
    pattern: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    recipe: Recipe | str | None = None,
    tolerance_mm: float | None = None,
    *,
    on_done: Callable[[Compressed], object] | None = None,
    on_error: Callable[[PosepressError], object] | None = None,
    **settings: Any,
) -> list[Compressed]:
    """Compresses every clip of many files on all cores.

    A file or clip that fails does not stop the others. Ctrl+C does, and waits for the threads to end.

    Args:
        pattern: a pattern such as "library/**/*.glb", or the paths.
        recipe: a recipe, or the name of a codec. None: press.
        tolerance_mm: largest shell error, millimetres. None: the recipe's, or 0.1.
        on_done: called with each result as it comes, in the caller's thread.
        on_error: called with each error. None: the first error is raised.
        settings: more settings, see `Recipe`.

    Returns:
        The results, in the order of files and clips.

    Examples:
        >>> results = posepress.compress_all(sample, "variable-rate", tolerance_mm=1.0)
        >>> len(results), all(result.error_mm <= 1.0 for result in results)
        (10, True)
    """
    paths = _paths(pattern)
    stop = threading.Event()

    def check(_: float) -> None:
        if stop.is_set():
            raise Stopped("stopped before it finished")

    def work(path: str) -> list[Compressed | PosepressError]:
        done: list[Compressed | PosepressError] = []
        try:
            clips = read(path, progress=check).clips
        except PosepressError as error:
            return [error]
        for clip in clips:
            try:
                done.append(compress(clip, recipe, tolerance_mm, progress=check, **settings))
            except PosepressError as error:
                done.append(error)
        return done

    results: dict[int, list[Compressed]] = {}
    pool = ThreadPoolExecutor(max_workers=os.cpu_count() or 1)
    try:
        open_jobs: dict[Future[list[Compressed | PosepressError]], int] = {
            pool.submit(work, path): at for at, path in enumerate(paths)
        }
        while open_jobs:
            for job in wait(open_jobs, return_when=FIRST_COMPLETED).done:
                results[open_jobs.pop(job)] = list(_sorted_out(job.result(), on_done, on_error))
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    return [result for _, of_file in sorted(results.items()) for result in of_file]


def _sorted_out(
    done: list[Compressed | PosepressError],
    on_done: Callable[[Compressed], object] | None,
    on_error: Callable[[PosepressError], object] | None,
) -> Iterable[Compressed]:
    for one in done:
        if isinstance(one, Compressed):
            if on_done is not None:
                on_done(one)
            yield one
        elif on_error is None:
            raise one
        else:
            on_error(one)


def _paths(pattern: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    if not isinstance(pattern, (str, os.PathLike)):
        return [os.fspath(path) for path in pattern]
    text = os.fspath(pattern)
    if os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text, recursive=True))
    if not found:
        raise PosepressError(f"no file matches '{text}'", file=text, advice="Give another pattern, or the paths")
    return found
