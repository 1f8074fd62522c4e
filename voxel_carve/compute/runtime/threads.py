"""Work on all cores, in one pool of threads.

It pays for what lets go of Python's lock: numpy in every large operation, and the compiled kernels as long as they run.
The pool is made when it is first needed, serves all jobs at once, and is left behind where a process forks: the child
makes its own. Its threads do not wait for each other, so work in them may ask for more: they do that themselves.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from .errors import InputError
from .progress import reached, steps

T = TypeVar("T")
R = TypeVar("R")

_worker = threading.local()


def thread_count() -> int:
    """How many threads work: one for each core that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows or macOS
        return os.cpu_count() or 1


def map_blocks(function: Callable[[T], R], blocks: Iterable[T]) -> Iterator[R]:
    """The results of `function` for each block, in order, from the threads of the pool.

    What goes wrong in a block, or in the loop over the results, ends the work: blocks not begun are dropped, and none
    is at work when the error comes out. Within a block, more blocks are worked on in the same thread. The thread that
    asks for the results tells of them, as `steps` does.
    """
    threads = _free_threads()
    if threads == 1:
        yield from map(function, steps(blocks))
        return
    pool, begun = _pool(threads), deque[Future[R]]()

    def results() -> Iterator[Future[R]]:
        for block in blocks:
            begun.append(_submitted(pool, function, block))
            # One more for each thread, so that none waits while a result is looked at.
            if len(begun) > 2 * threads:
                yield begun[0]
                begun.popleft()
        while begun:
            yield begun[0]
            begun.popleft()

    try:
        for future in steps(results(), len(blocks) if isinstance(blocks, Collection) else None):
            yield future.result()
    finally:
        _drop(begun)


def in_runs(
    kernel: Callable[..., R], length: int, size: int, *arguments: Any, scratch: Callable[[], Any] | None = None
) -> list[R]:
    """What a kernel gives for each run of at most `size` of `length` rows, in order: `kernel(start, stop, *arguments)`.
    Where there are no rows, it is called for an empty run, so that it is compiled with all others.

    The next run goes to the next thread that is free, of the pool or the caller's. Where the bytes are to be the same
    for any threads and runs, as they have to be, each run writes its own rows, or what any other would write there.
    The caller tells of each run, between those that it takes. A kernel cannot be stopped: its runs are to be short.
    What goes wrong in one, or in telling, ends the work: runs not begun are dropped, and none is at work when the error
    comes out.

    Args:
        scratch: makes the scratch buffers of a thread, once for each. They are the kernel's last argument.
    """
    waiting = deque(enumerate(slices(length, size) or [slice(0, 0)]))
    count = len(waiting)
    results: list[Any] = [None] * count

    def work(runs: Iterator[tuple[int, slice]]) -> None:
        try:
            own = arguments if scratch is None else (*arguments, scratch())
            for number, rows in runs:
                results[number] = kernel(rows.start, rows.stop, *own)
        finally:
            waiting.clear()

    helpers = min(_free_threads(), count) - 1
    begun: deque[Future[None]] = deque()
    try:
        for _ in range(helpers):
            begun.append(_submitted(_pool(thread_count()), work, _taken(waiting)))
        work(_told(_taken(waiting), count))
    finally:
        waiting.clear()
        left = _drop(begun)
    for helper in left:
        helper.result()
    return results


def slices(length: int, step: int) -> list[slice]:
    """The rows 0 to `length`, in blocks of `step`."""
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


def _free_threads() -> int:
    """How many threads may work on what is asked for here: those of the pool have been given out already."""
    return 1 if getattr(_worker, "busy", False) else thread_count()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="voxel_carve", initializer=_begin)


def _submitted(pool: ThreadPoolExecutor, function: Callable[[T], R], argument: T) -> Future[R]:
    """Hand a call to the pool. Raises InputError where the system lets it have no thread."""
    try:
        return pool.submit(function, argument)
    except RuntimeError as error:
        raise InputError(f"{error}: let this user have more processes and threads, or end others") from error


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _begin() -> None:
    _worker.busy = True


def _taken(waiting: deque[T]) -> Iterator[T]:
    """Each of what waits, as long as there is any; several threads may take from it."""
    with suppress(IndexError):
        while True:
            yield waiting.popleft()


def _told(runs: Iterator[tuple[int, T]], count: int) -> Iterator[tuple[int, T]]:
    """Each of numbered runs, `count` in all; as one is taken, it is told of, and those that others took before."""
    told = 0
    for number, rows in runs:
        for before in range(told, number + 1):
            reached(before / count)
        told = number + 1
        yield number, rows
    for before in range(told, count):
        reached(before / count)


def _drop(begun: Iterable[Future[R]]) -> list[Future[R]]:
    """Take back what no thread has begun, and wait for the rest, which is returned."""
    left = [future for future in begun if not future.cancel()]
    wait(left)
    return left
