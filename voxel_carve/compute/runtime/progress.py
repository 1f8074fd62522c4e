"""Progress of a job, reported to a listener while it runs. A listener stops the job by raising.

A front door such as `carve` installs its caller's listener. The code below reports to it without a callback being
passed down. It reports so often that a listener that raises stops the job within a fraction of a second. Cancelling is
nothing else. Listeners are per thread: the thread that waits for work in other threads reports it.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from .ending import stop_at_the_end
from .errors import CarveError, InputError

T = TypeVar("T")

# Called with the stage and the fraction of the whole job that is done, 0 to 1. It stops the job by raising
# CarveCancelled.
Progress = Callable[[str, float], None]


class _State(threading.local):
    """The progress of this thread.

    Attributes:
        listener: receives the reports; None for nobody.
        stage: the name of the current stage.
        start, stop: the range of the whole job that the current work covers.
        reported: the fraction of the whole job that was reported last.
    """

    listener: Progress | None = None
    stage = ""
    start, stop, reported = 0.0, 1.0, 0.0


_state = _State()


@contextmanager
def reporting_to(progress: Progress | None) -> Iterator[None]:
    """Report a whole job to `progress`. If it is None, the job is a part of the one that is being reported already.

    Raises:
        InputError: it is no function.
    """
    if progress is None:
        yield
        return
    if not callable(progress):
        raise InputError(
            "progress is a {kind}: give a function, which is called with the stage and the fraction done",
            kind=type(progress).__name__,
        )
    before = _state.listener, _state.stage, _state.start, _state.stop, _state.reported
    _state.listener, _state.stage, _state.start, _state.stop, _state.reported = progress, "", 0.0, 1.0, 0.0
    try:
        yield
    finally:
        _state.listener, _state.stage, _state.start, _state.stop, _state.reported = before


@contextmanager
def progress_range(start: float, stop: float, stage: str = "") -> Iterator[None]:
    """Let the work in this block cover the range from `start` to `stop` of the current work, and report its start.

    If a stage is named, reports in the block carry that name.
    """
    with _part(start, stop, stage):
        report_progress(0.0)
        yield


@contextmanager
def remaining_progress(part: float = 1.0, stage: str = "") -> Iterator[None]:
    """As `progress_range`, over the first `part`, 0 to 1, of the current work that has not been reported as done yet.

    The start is reported only if a stage is named.
    """
    length = _state.stop - _state.start
    done = min(max((_state.reported - _state.start) / length, 0.0), 1.0) if length else 0.0
    with _part(done, done + (1.0 - done) * part, stage):
        if stage:
            report_progress(0.0)
        yield


@contextmanager
def _part(start: float, stop: float, stage: str) -> Iterator[None]:
    before = _state.start, _state.stop, _state.stage
    length = _state.stop - _state.start
    _state.start, _state.stop = _state.start + start * length, _state.start + stop * length
    _state.stage = stage or _state.stage
    try:
        yield
    finally:
        _state.start, _state.stop, _state.stage = before


def report_progress(done: float) -> None:
    """Report that `done`, 0 to 1, of the current work is done. The reported fraction never decreases.

    Raises:
        CarveCancelled: the listener stops the job. Every function that reports progress can raise this.
        SystemExit: the process ends, in a daemon thread: see `ending`.
    """
    if _state.listener is not None:
        _state.reported = max(_state.reported, _state.start + done * (_state.stop - _state.start))
    checkpoint()


def checkpoint() -> None:
    """Report the same fraction again, so that the job can be stopped where progress is unknown."""
    stop_at_the_end()
    if _state.listener is None:
        return
    try:
        _state.listener(_state.stage, _state.reported)
    except StopIteration as error:  # a generator between here and there would take it for its own end
        raise CarveError("the progress function raised StopIteration: raise CarveCancelled to stop the job") from error


def with_progress(items: Iterable[T]) -> Iterator[T]:
    """Iterate over items that are equal parts of the current work, and report the start of each.

    If the number of items is unknown, each is only a `checkpoint`.
    """
    if _state.listener is None:
        for item in items:  # tens of thousands of short runs would take longer to count than to do
            stop_at_the_end()
            yield item
        return
    start, stop = _state.start, _state.stop
    count = len(items) if isinstance(items, Collection) else None
    for number, item in enumerate(items):
        if count is None:
            checkpoint()
            yield item
            continue
        _state.start = start + (stop - start) * number / count
        _state.stop = start + (stop - start) * (number + 1) / count
        report_progress(0.0)
        yield item
        # If the loop ends early, the surrounding range restores this.
        _state.start, _state.stop = start, stop
