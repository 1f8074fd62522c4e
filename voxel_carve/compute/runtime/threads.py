"""Work on all cores, in one pool of threads.

Threads help where Python's lock is released: in large numpy operations, and in compiled kernels. The pool is created on
first use and serves all jobs. A forked process creates its own. Its threads never wait for each other: work that asks
for threads within the pool runs in its own thread. Whoever gets no helper does all the work.
"""

import os
import threading
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from copy import copy
from functools import cache
from typing import Any, TypeVar

from .errors import InputError
from .helpers import Helpers
from .progress import with_progress

T = TypeVar("T")
R = TypeVar("R")

_worker = threading.local()
_most: int | None = None  # see `limit_threads`

REPORT_SECONDS = 0.01  # between two reports of progress, where runs are quicker
HELP_SECONDS = 3e-4  # of work that is worth another thread: some times what it takes to wake one


def core_count() -> int:
    """The number of cores that the system lets this process use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows or macOS
        return os.cpu_count() or 1


def limit_threads(most: int | None) -> None:
    """Work on at most so many cores from now on, because other processes work beside this one. None is no limit."""
    global _most  # noqa: PLW0603 - one setting of the process
    _most = most


def thread_count() -> int:
    """The number of cores that this process uses."""
    return core_count() if _most is None else max(1, min(_most, core_count()))


def in_runs(
    kernel: Callable[..., R], length: int, size: int, *arguments: Any, scratch: Callable[[], Any] | None = None
) -> list[R]:
    """Call `kernel(start, stop, *arguments)` for runs of at most `size` of `length` rows; return the results in order.

    Each run goes to the next free thread, of the pool or the caller's. If there are no rows, the kernel is called once
    for an empty run, so that it is compiled with the others. Results must not depend on the number of threads, so each
    run writes only its own rows, or what any other run would write there. The calling thread reports each run as a part
    of the current work. A kernel cannot be interrupted, so runs should be short. An error in a run, or in the listener,
    ends the work: runs that have not begun are dropped, and the running ones finish before the error is raised.

    Args:
        scratch: makes the scratch buffers of a thread, once for each. They are the kernel's last argument.
    """
    waiting = deque(enumerate(slices(length, size) or [slice(0, 0)]))
    count = len(waiting)
    results: list[Any] = [None] * count

    def bound() -> Callable[[int, int], R]:
        return _bound(kernel, arguments if scratch is None else (*arguments, scratch()))

    ready = bound() if scratch is None else None

    def work(runs: Iterator[tuple[int, slice]]) -> None:
        try:
            call = bound() if ready is None else copy(ready)
            for number, rows in runs:
                results[number] = call(rows.start, rows.stop)
        finally:
            waiting.clear()

    # Work within a thread of the pool stays in it.
    helpers = 0 if getattr(_worker, "busy", False) else min(thread_count(), count) - 1
    begun: deque[Future[None]] = deque()
    try:
        for _ in range(helpers):
            begun.append(_submitted(work, _taken(waiting)))
        work(_reported(_taken(waiting), count))
    finally:
        waiting.clear()
        left = _drop(begun)
    for helper in left:
        helper.result()
    return results


def over_rows(
    kernel: Callable[..., Any], length: int, size: int, *arguments: Any, scratch: Callable[[], Any] | None = None
) -> None:
    """As `in_runs`, for a kernel that returns nothing. A compiled one takes its runs itself.

    So its threads come back to Python once, and not after each run, where all of them would wait for Python's lock: 16
    threads wait longer than most runs take. As many threads help as the runs so far promise work for.
    """
    prepared = getattr(kernel, "prepared", None)
    if prepared is None or length == 0:
        in_runs(kernel, length, size, *arguments, scratch=scratch)
        return
    rows = array("q", [0, length, size])  # see `calling.Prepared.over_rows`
    place, count = rows.buffer_info()[0], -(-length // size)
    own = prepared(0, 0, *(arguments if scratch is None else (*arguments, scratch())))

    def work(_: None) -> None:
        try:
            (copy(own) if scratch is None else own.with_last(scratch())).over_rows(place, count)
        finally:
            rows[0] = length  # no run begins after an error

    # Work within a thread of the pool stays in it.
    helpers = 0 if getattr(_worker, "busy", False) else thread_count() - 1
    begun: deque[Future[None]] = deque()
    try:
        most = 1
        for number in with_progress(range(count)):
            if rows[0] > number * size:
                continue
            start = time.perf_counter()
            own.over_rows(place, most)
            took = time.perf_counter() - start
            left = max(0, count - rows[0] // size)
            for _ in range(min(helpers, int(took / most * left / HELP_SECONDS)) - len(begun)):
                begun.append(_submitted(work, None))
            most = 2 * most if took < REPORT_SECONDS / 2 else most // 2
            # The first runs may say little of the others.
            most = max(1, min(most, left // (2 * thread_count())))
    finally:
        rows[0] = length
        ended = _drop(begun)
    for helper in ended:
        helper.result()


def _bound(kernel: Callable[..., R], arguments: tuple[Any, ...]) -> Callable[[int, int], R]:
    """A kernel with all arguments but the rows. A compiled one reads them once, and each thread calls a copy."""
    prepared = getattr(kernel, "prepared", None)
    return prepared(0, 0, *arguments) if prepared else lambda start, stop: kernel(start, stop, *arguments)


def slices(length: int, step: int) -> list[slice]:
    """The rows 0 to `length`, in blocks of `step`."""
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


@cache
def _pool(threads: int) -> Helpers:
    return Helpers(threads, _begin)


def _submitted(function: Callable[[T], R], argument: T) -> Future[R]:
    """Submit a call to the pool. Raises InputError if the system refuses a new thread."""
    try:
        return _pool(thread_count()).submit(function, argument)
    except RuntimeError as error:
        raise InputError(
            "{error}: let this user have more processes and threads, or end others", error=error
        ) from error


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _begin() -> None:
    _worker.busy = True


def _taken(waiting: deque[T]) -> Iterator[T]:
    """Take items until none is left. Several threads may take from the same queue."""
    with suppress(IndexError):
        while True:
            yield waiting.popleft()


def _reported(runs: Iterator[tuple[int, T]], count: int) -> Iterator[tuple[int, T]]:
    """Yield numbered runs, `count` in all, each as a part of the current work. Those of other threads count too."""
    run = next(runs, None)
    for number in with_progress(range(count)):
        if run is not None and run[0] == number:
            yield run
            run = next(runs, None)


def _drop(begun: Iterable[Future[R]]) -> list[Future[R]]:
    """Cancel the calls that have not begun. Wait for the others, and return them."""
    left = [future for future in begun if not future.cancel()]
    wait(left)
    return left
