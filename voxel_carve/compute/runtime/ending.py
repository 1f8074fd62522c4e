"""The end of the process, while daemon threads are still at work in here.

Python waits for plain threads, and not for daemon threads. One of these that comes back to Python after its end is
taken down inside whatever called it, and a library in C++ may then abort the process: numpy's `unique` does. So at
Python's exit, their work stops first, at its next report of progress.
"""

import atexit
import sys
import threading
import time

# How the names of our own daemon threads begin. They only wait: for work, or for another process.
OWN_THREADS = "voxel_carve"
# The most that the exit waits. Work reports within a second.
LONGEST_WAIT = 2.0
LOOK_EVERY = 0.01

_COMPUTE = __package__.rpartition(".")[0]
_has_ended = False


def stop_at_the_end() -> None:
    """Raise SystemExit in a daemon thread once Python is about to end. It ends such a thread without a word."""
    if _has_ended and _is_abandoned(threading.current_thread()):
        raise SystemExit


def _is_abandoned(thread: threading.Thread) -> bool:
    return thread.daemon and not thread.name.startswith(OWN_THREADS)


def _stop_daemon_threads() -> None:
    """Let daemon threads leave our code, and wait until they have."""
    global _has_ended  # noqa: PLW0603 - of the process
    _has_ended = True
    latest = time.monotonic() + LONGEST_WAIT
    while _are_at_work() and time.monotonic() < latest:
        time.sleep(LOOK_EVERY)


def _are_at_work() -> bool:
    """Whether a daemon thread runs our code."""
    abandoned = {thread.ident for thread in threading.enumerate() if _is_abandoned(thread)}
    for number, frame in sys._current_frames().items():
        while number in abandoned and frame is not None:
            if frame.f_globals.get("__name__", "").startswith(_COMPUTE):
                return True
            frame = frame.f_back  # type: ignore[assignment]  # noqa: PLW2901 - outward
    return False


atexit.register(_stop_daemon_threads)
