#!/usr/bin/env python3
"""Compresses a library on many machines. Dask gives the tasks of `posepress batch` to workers that see the same files.

    pip install --require-hashes -r scripts/batch_dask.txt
    python scripts/batch_dask.py lib -o build --workers 8 -- --codec press
    python scripts/batch_dask.py lib -o build --store /net/store --scheduler tcp://farm:8786 -- --codec press -- --gate max-error=0.2mm --junit

Options after `--` are those of `posepress batch`. Those after a second `--` are for the merge alone: gates, reports, `--prune`, `--review`. The
status is that of the merge: 0, 1, or 3 if a limit is not kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import dask
from distributed import Client, LocalCluster, as_completed

MOST_KEYS = 500
"""Keys of one command, whose length systems limit."""
TRIES = 3
"""Tries of a command that ends without an answer."""


@dataclass(frozen=True)
class Task:
    """A clip, or a file whose clips are known only after an import."""

    source: str
    key: str
    secs: float


def main() -> int:
    """Plans, has the workers compress, and merges."""
    args = arguments()
    batch = [args.posepress, "batch"]
    where = ["-o", args.output, *(["--store", args.store] if args.store else []), *args.options]
    tasks, has_budgets = plan([*batch, *args.inputs, *where])
    groups = list(grouped(tasks, args.group_secs))
    say(f"{len(tasks)} tasks in {len(groups)} groups")
    if groups:
        with client(args) as connected:
            sources = args.inputs if has_budgets else []
            for failure in compress(connected, [claim(batch, sources, group, where) for group in groups]):
                say(failure)
    return subprocess.run([*batch, *args.inputs, *where, "--merge", *args.of_merge], check=False).returncode


def arguments() -> argparse.Namespace:
    """Options of this script, those after `--`, and those after a second one."""
    own, options, of_merge = parts(sys.argv[1:])
    about = "Options after -- are those of posepress batch. Those after a second -- are for the merge alone."
    parser = argparse.ArgumentParser(description="Compresses a library on many machines.", epilog=about)
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="files, folders and patterns")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="folder of the outputs, the same on all machines")
    parser.add_argument("--store", metavar="DIR", help="folder of the results, the same on all machines [default: in OUT]")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a running Dask scheduler [default: workers on this machine]")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="workers on this machine [default: one per core]")
    parser.add_argument("--group-secs", type=float, default=5.0, metavar="S", help="least estimated seconds of a command [default: 5]")
    parser.add_argument("--posepress", default="posepress", metavar="PROGRAM", help="the program, at the same place on all machines")
    args = parser.parse_args(own)
    args.options, args.of_merge = options, of_merge
    return args


def parts(given: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The words before, between and after the first two `--`."""
    ends = [at for at, word in enumerate(given) if word == "--"][:2]
    first, second = (*ends, len(given), len(given))[:2]
    return given[:first], given[first + 1 : second], given[second + 1 :]


def plan(command: list[str]) -> tuple[list[Task], bool]:
    """The tasks without a result, the longest first, and true if clips share budgets. The merge names files that cannot be used."""
    done = subprocess.run([*command, "--plan", "--json"], check=False, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(done.returncode)
    planned: dict[str, Any] = json.loads(done.stdout)
    rows: list[dict[str, Any]] = planned["tasks"]
    tasks = [Task(row["source"], row["key"], row["estimated_secs"]) for row in rows if row["state"] in ("new", "changed")]
    return sorted(tasks, key=lambda task: (-task.secs, task.source, task.key)), planned["has_budgets"]


def grouped(tasks: list[Task], least_secs: float) -> Iterator[list[Task]]:
    """Groups of at least that many seconds. A file is imported once per group, so its tasks stay together as far as groups allow."""
    of_file: dict[str, list[Task]] = {}
    for task in tasks:
        of_file.setdefault(task.source, []).append(task)
    group: list[Task] = []
    for task in (task for tasks in of_file.values() for task in tasks):
        group.append(task)
        if sum(task.secs for task in group) >= least_secs or len(group) == MOST_KEYS:
            yield group
            group = []
    if group:
        yield group


def claim(batch: list[str], inputs: list[str], group: list[Task], where: list[str]) -> list[str]:
    """The command for a group. Without inputs it names the files of its tasks alone, so that no worker looks through the library."""
    # A name that begins with a dash would be an option.
    sources = dict.fromkeys(f"./{task.source}" if task.source.startswith("-") else task.source for task in group)
    return [*batch, *(inputs or sources), *where, "--json", "--claim", ",".join(task.key for task in group)]


def client(args: argparse.Namespace) -> Client:
    """A client of the scheduler, or of workers on this machine."""
    # A task whose machine dies is given to another one. This many deaths of its workers make it a failure.
    dask.config.set({"distributed.scheduler.allowed-failures": 10})
    if args.scheduler:
        return Client(args.scheduler)
    return Client(LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=None))


def compress(connected: Client, commands: list[list[str]]) -> Iterable[str]:
    """Runs the commands on the workers. Yields a line per clip that has no result."""
    folder = os.getcwd()
    # Dask takes equal keys for one task, and would take the answers of an earlier run.
    futures = [connected.submit(run, command, folder, pure=False, retries=TRIES - 1) for command in commands]
    groups = as_completed(futures)
    for number, future in enumerate(groups, 1):
        if future.status != "finished":
            yield f"group {number}/{len(futures)}: {future.exception()}"
            continue
        answer = future.result()
        say(f"group {number}/{len(futures)}: {answer['compressed']} compressed, {answer['found']} were there")
        for failed in answer["failed"]:
            yield f"{failed['source']}#{failed['clip']}: {failed['error']}"


def run(command: list[str], folder: str) -> dict[str, Any]:
    """Runs a command on a worker. A clip that fails is part of the answer; a command without an answer is tried again."""
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()[-2000:]}") from None
    return answer


def say(message: str) -> None:
    """A line of progress. Standard output is for the result of the merge."""
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
