"""Runs scripts/batch_dask.py on a scheduler and three workers on this machine, and takes workers away while they work.

    python tests/readers/dask_cluster.py POSEPRESS LIBRARY SINGLE STORE [--kills N] [--seed N] -- OPTIONS

SINGLE is the output of a single run, and STORE its store. Manifest, outputs and store of the cluster must have the same bytes. Without
--kills, one worker is killed with its program in the middle of a task, and the connection of another is cut. With it, N workers are killed
at random moments, and each is replaced.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from distributed import Client

ROOT = Path(__file__).parents[2]
OUTPUT, STORE = Path("cluster"), Path("cluster-store")
WAIT_SECS = 120.0


class Proxy:
    """Passes a connection on to an address until it is cut."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.open: list[socket.socket] = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                here, _ = self.server.accept()
                there = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.open += [here, there]
            for source, sink in ((here, there), (there, here)):
                threading.Thread(target=self.pass_on, args=(source, sink), daemon=True).start()

    def pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self) -> None:
        self.server.close()
        for end in self.open:
            end.close()


class Cluster:
    """A scheduler and workers, each a process with its own group, so that a worker dies with the program that it runs."""

    def __init__(self) -> None:
        self.logs = open("cluster.log", "wb")
        self.port = free_port()
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self.client = Client(f"tcp://127.0.0.1:{self.port}", timeout=WAIT_SECS)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        settings = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "50"}
        command = [sys.executable, "-m", "dask", *words]
        return subprocess.Popen(command, env=settings, stdout=self.logs, stderr=self.logs, start_new_session=True)

    def add(self, name: str, port: int | None = None) -> None:
        address = f"tcp://127.0.0.1:{port or self.port}"
        words = ["worker", address, "--name", name, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        self.workers[name] = self.start(*words)

    def is_working(self, name: str) -> bool:
        """True while a worker runs a program."""
        return bool(psutil.Process(self.workers[name].pid).children(recursive=True))

    def wait(self, what: str, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + WAIT_SECS
        while not is_so():
            if time.monotonic() > end:
                sys.exit(f"timed out: {what}")
            time.sleep(0.05)

    def kill(self, name: str) -> None:
        os.killpg(self.workers.pop(name).pid, signal.SIGKILL)
        print(f"killed worker {name} and its program", flush=True)

    def stop(self) -> None:
        self.client.close()
        for process in [*self.workers.values(), self.scheduler]:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def take_two_away(cluster: Cluster, proxy: Proxy) -> None:
    for name in ("killed", "cut"):
        cluster.wait(f"a task on the worker '{name}'", lambda: cluster.is_working(name))
    cluster.kill("killed")
    proxy.cut()
    print("cut the connection of the worker 'cut'", flush=True)


def kill_at_random(cluster: Cluster, batch: subprocess.Popen[bytes], args: argparse.Namespace) -> None:
    chance = random.Random(args.seed)
    for number in range(args.kills):
        time.sleep(chance.uniform(0.2, 2.0))
        if batch.poll() is not None:
            sys.exit(f"the batch ended after {number} kills; give a larger library")
        cluster.kill(chance.choice(sorted(cluster.workers)))
        cluster.add(f"new{number}")


def files(folder: Path) -> dict[str, bytes]:
    """Contents of the files below a folder, without those that a killed program did not complete."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".part")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def compare(cluster: Path, single: Path) -> None:
    here, there = files(cluster), files(single)
    differ = sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))
    if differ or not here:
        sys.exit(f"{cluster} and {single} differ in {differ}")
    print(f"{cluster} and {single} have the same bytes: {len(here)} files, {sum(map(len, here.values()))} bytes")


def main() -> None:
    at = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    for name in ("posepress", "library", "single", "store"):
        parser.add_argument(name)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(sys.argv[1:at])
    cluster = Cluster()
    try:
        proxy = Proxy(cluster.port)
        for name, port in (("plain", None), ("killed", None), ("cut", proxy.port)):
            cluster.add(name, port)
        cluster.client.wait_for_workers(3, timeout=WAIT_SECS)
        script = [sys.executable, str(ROOT / "scripts/batch_dask.py"), args.library, "-o", str(OUTPUT), "--store", str(STORE)]
        script += ["--posepress", args.posepress, "--group-secs", "0.1", "--scheduler", f"tcp://127.0.0.1:{cluster.port}"]
        batch = subprocess.Popen([*script, *sys.argv[at:]])
        if args.kills:
            kill_at_random(cluster, batch, args)
        else:
            take_two_away(cluster, proxy)
        status = batch.wait(timeout=10 * WAIT_SECS)
        if status != 0:
            sys.exit(f"batch_dask.py ended with status {status}")
    finally:
        cluster.stop()
    compare(OUTPUT, Path(args.single))
    compare(STORE / "entries", Path(args.store) / "entries")


if __name__ == "__main__":
    main()
