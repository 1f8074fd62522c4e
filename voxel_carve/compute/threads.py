"""Blocks of numpy work on all cores: numpy lets go of Python's lock in every large operation."""

import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from .progress import steps

T = TypeVar("T")
R = TypeVar("R")

_worker = threading.local()


def thread_count() -> int:
    """How many threads work on blocks: one for each core that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows or macOS
        return os.cpu_count() or 1


def map_blocks(function: Callable[[T], R], blocks: Iterable[T]) -> Iterator[R]:
    """The results of `function` for each block, in order, from as many threads as there are cores.

    What goes wrong in a block, or in the loop over the results, ends the work: blocks not begun are dropped, and no
    thread is left when the error comes out. Within a block, more blocks are worked on in the same thread. The thread
    that asks for the results tells of them, as `steps` does.
    """
    threads = 1 if getattr(_worker, "busy", False) else thread_count()
    if threads == 1:
        yield from map(function, steps(blocks))
        return
    executor = ThreadPoolExecutor(threads, thread_name_prefix="voxel_carve", initializer=_begin)

    def submitted() -> Iterator[Future[R]]:
        waiting: deque[Future[R]] = deque()
        for block in blocks:
            waiting.append(executor.submit(function, block))
            # One more for each thread, so that none waits while a result is looked at.
            if len(waiting) > 2 * threads:
                yield waiting.popleft()
        yield from waiting

    try:
        for future in steps(submitted(), len(blocks) if isinstance(blocks, Collection) else None):
            yield future.result()
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def slices(length: int, step: int) -> list[slice]:
    """The rows 0 to `length`, in blocks of `step`."""
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


def _begin() -> None:
    _worker.busy = True
