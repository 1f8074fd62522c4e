"""How far a job has come, told as it runs by whatever is at work, to whoever listens; and where the job can be stopped.

A front door such as `carve` lets its caller listen. What works below says how far it is, and so often that a listener
that raises stops the job within a fraction of a second: cancelling is nothing else. Nobody in between hands a callback
on. A thread listens to itself alone: blocks of work in other threads are told of by the one that waits for them.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

# Called with the stage and the part of the whole job that is done, 0 to 1; it stops the job by raising CarveCancelled.
Progress = Callable[[str, float], None]


class _Here(threading.local):
    """What is known in this thread.

    Attributes:
        listener: who is told; None for nobody.
        stage: what is going on.
        start, stop: which part of the whole job it is.
        told: the part of the whole job that was told last.
    """

    listener: Progress | None = None
    stage = ""
    start, stop, told = 0.0, 1.0, 0.0


_here = _Here()


@contextmanager
def listening(progress: Progress | None) -> Iterator[None]:
    """Let `progress` hear of a whole job; where it is None, who listens already hears of it as a part of theirs."""
    if progress is None:
        yield
        return
    before = _here.listener, _here.stage, _here.start, _here.stop, _here.told
    _here.listener, _here.stage, _here.start, _here.stop, _here.told = progress, "", 0.0, 1.0, 0.0
    try:
        yield
    finally:
        _here.listener, _here.stage, _here.start, _here.stop, _here.told = before


@contextmanager
def share(start: float, stop: float, stage: str = "") -> Iterator[None]:
    """What is told in here is of the part from `start` to `stop` of the work at hand, and of a stage, if it has a name.

    That it begins is told.
    """
    with _part(start, stop, stage):
        reached(0.0)
        yield


@contextmanager
def rest(part: float = 1.0, stage: str = "") -> Iterator[None]:
    """As `share`, of the first `part`, 0 to 1, of what is left of the work at hand after what was told before.

    Where it is of no stage, it is not told that it begins.
    """
    length = _here.stop - _here.start
    done = min(max((_here.told - _here.start) / length, 0.0), 1.0) if length else 0.0
    with _part(done, done + (1.0 - done) * part, stage):
        if stage:
            reached(0.0)
        yield


@contextmanager
def _part(start: float, stop: float, stage: str) -> Iterator[None]:
    before = _here.start, _here.stop, _here.stage
    length = _here.stop - _here.start
    _here.start, _here.stop = _here.start + start * length, _here.start + stop * length
    _here.stage = stage or _here.stage
    try:
        yield
    finally:
        _here.start, _here.stop, _here.stage = before


def reached(done: float) -> None:
    """Tell that `done`, 0 to 1, of the work at hand is done. What is told never runs back.

    Raises:
        CarveCancelled: the job is to stop. So all below does that calls this.
    """
    if _here.listener is not None:
        _here.told = max(_here.told, _here.start + done * (_here.stop - _here.start))
        _here.listener(_here.stage, _here.told)


def checkpoint() -> None:
    """Tell the same again, where nobody knows how much is done."""
    if _here.listener is not None:
        _here.listener(_here.stage, _here.told)


def steps(items: Iterable[T], count: int | None = None) -> Iterator[T]:
    """Each of some items, for a loop whose turns are equal parts of the work at hand; that one begins is told.

    Of items that do not know their number, and where no `count` says it, it is told that one more begins.
    """
    if count is None and isinstance(items, Collection):
        count = len(items)
    start, stop = _here.start, _here.stop
    for number, item in enumerate(items):
        if count is None:
            checkpoint()
            yield item
            continue
        _here.start = start + (stop - start) * number / count
        _here.stop = start + (stop - start) * (number + 1) / count
        reached(0.0)
        yield item
        # Where a loop ends early, whoever began the part sets this right.
        _here.start, _here.stop = start, stop
