"""What a process of Dask knows of itself, and of the work that it was told to leave."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_running: dict[str, int] = {}
_cancelled: set[str] = set()


def dask_setup(worker: object) -> None:
    """Dask calls this in a new process of our own, before any work. Ctrl-C, and a terminal that closes, reach all
    processes of the terminal: what becomes of the work is for the one that asked for it to say."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def version() -> str:
    """The version of this package."""
    package: Any = sys.modules[__name__.partition(".")[0]]
    return str(package.__version__)


def check_version(asked: str) -> None:
    """Raise RuntimeError if who asks has another version of this package than this worker."""
    if asked != version():
        raise RuntimeError(f"the worker has voxel_carve {version()}, not {asked}: install the same version")


def host_of(address: str) -> str:
    """The computer in the address of a worker."""
    from distributed.comm.addressing import get_address_host

    return str(get_address_host(address))


def this_host() -> str:
    """The computer that this worker names in its address."""
    from distributed import get_worker

    return host_of(get_worker().address)


@contextmanager
def running(run: str) -> Iterator[None]:
    """Work for a run, while the block lasts."""
    with _lock:
        _running[run] = _running.get(run, 0) + 1
    try:
        yield
    finally:
        with _lock:
            _running[run] -= 1
            if _running[run] == 0:
                del _running[run]


def cancel(run: str) -> int:
    """Let the work for a run end at its next report of progress; how much of it has not ended yet."""
    with _lock:
        _cancelled.add(run)
        return _running.get(run, 0)


def check(run: str) -> None:
    """Raise KeyboardInterrupt if the work for a run is to end."""
    if run in _cancelled:
        raise KeyboardInterrupt
