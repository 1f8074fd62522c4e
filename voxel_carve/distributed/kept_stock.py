"""The stock that a worker has prepared, which it keeps between the slabs of one job, and not for long after them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..compute import PreparedStock

KEPT_SECONDS = 60.0  # after the last slab

_lock = threading.Lock()
_kept: dict[str, PreparedStock] = {}
_in_use: list[str] = []
_timers: list[threading.Timer] = []


@contextmanager
def prepared_once(job: str, prepare: Callable[[], PreparedStock]) -> Iterator[PreparedStock]:
    """The stock of a job, for as long as the block lasts. It is prepared if it is not known; others are forgotten."""
    with _lock:
        if job not in _kept:
            _kept.clear()
            _kept[job] = prepare()
        found = _kept[job]
        _in_use.append(job)
    try:
        yield found
    finally:
        with _lock:
            _in_use.remove(job)
            _forget_later()


def kept_count() -> int:
    """How many stocks are kept: one at most."""
    return len(_kept)


def _forget_later() -> None:
    for timer in _timers:
        timer.cancel()
    _timers[:] = [threading.Timer(KEPT_SECONDS, _forget)]
    _timers[0].daemon = True
    _timers[0].start()


def _forget() -> None:
    with _lock:
        if not _in_use:
            _kept.clear()
