"""Schedulers and workers of Dask as processes of their own, and a command line that runs beside them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.command_line import ROOT, SCRIPT, environment

LONGEST = 120.0


def wait_for(what: Callable[[], Any]) -> Any:
    """What is true of it in the end."""
    latest = time.monotonic() + LONGEST
    while not (found := what()):
        assert time.monotonic() < latest
        time.sleep(0.05)
    return found


@contextmanager
def program(*words: object, package: Path = ROOT) -> Iterator[subprocess.Popen[bytes]]:
    """A program of Dask, which finds the package in a folder, and is killed at the end."""
    command = [sys.executable, "-P", "-m", "dask", *map(str, words)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**environment(), "PYTHONPATH": str(package)}
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address and the process of a scheduler on the loopback."""
    file = folder / "scheduler.file"
    with program(
        "scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file
    ) as process:
        yield wait_for(lambda: file.exists() and file.read_text() and json.loads(file.read_text())["address"]), process


def worker(address: str, folder: Path, package: Path = ROOT) -> Any:
    """A worker of one thread, which nobody starts again."""
    words = ("worker", address, "--host", "127.0.0.1", "--nthreads", 1, "--no-nanny", "--no-dashboard")
    return program(*words, "--local-directory", folder / "scratch", package=package)


def started(arguments: Sequence[object], folder: Path) -> subprocess.Popen[str]:
    """The command line as a process in a group of its own, as a terminal starts it."""
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )


def is_alive(number: int) -> bool:
    """Whether there is such a process, other than one that only waits to be buried."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(number: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                parent = int(Path(entry.path, "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == number:
                found.append(int(entry.name))
    return found
