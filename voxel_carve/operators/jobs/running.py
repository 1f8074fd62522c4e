"""A job on a background thread: its progress, how it is cancelled, and its calls to the main thread.

Only Blender's main thread may touch Blender's data. The job's thread computes. When it needs something from Blender, it
queues a call and waits until the main thread has run it.
"""

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, cast

import bpy

from ...compute import CarveCancelled, Progress

T = TypeVar("T")
R = TypeVar("R")

# Calls a function on the main thread, and returns its result.
Ask = Callable[[Callable[[], Any]], Any]

# The time left is not shown before this fraction is done and these seconds have passed.
EARLIEST_FRACTION, EARLIEST_SECONDS = 0.03, 1.0
# The `nice` value of a job's thread, so that Blender's own threads go first.
NICENESS = 10
# Seconds before a Python thread yields to another. The main thread waits this long for each panel that it draws;
# Python's default of 5 ms would add up.
SWITCH_INTERVAL = 0.0005
# Seconds to wait for a thread that has to end.
END_TIMEOUT = 2.0

_running: "RunningJob[Any] | None" = None
_interval_lock = threading.Lock()
_threads, _interval_before = 0, 0.0


def running_job() -> "RunningJob[Any] | None":
    """The job that is running, if any."""
    return _running


def blocking_job() -> "RunningJob[Any] | None":
    """The running job, if it keeps others from starting; a preemptible job does not."""
    return None if _running is None or _running.preemptible else _running


def preempt() -> None:
    """Cancel a preemptible job and wait for its thread, before a user's job begins."""
    job = _running
    if job is not None and job.preemptible:
        job.cancel()
        job.preempted = True
        job.wait(END_TIMEOUT)


def is_rendering() -> bool:
    """Whether Blender is rendering on another thread, which reads the scene."""
    return bool(cast(Any, bpy.app).is_job_running("RENDER"))


def call_directly(function: Callable[[], R]) -> R:
    """The `Ask` of a job that runs on the main thread itself."""
    return function()


class RunningJob(Generic[T]):
    """One job on its thread, from its start to `end`. Use it on the main thread, except in what `compute` calls.

    Args:
        compute: does the work. It gets a progress, which raises CarveCancelled once the job is cancelled, and an `Ask`.
        close: called once, however the job ends.
        preemptible: whether it ends as soon as the user starts another job.

    Attributes:
        stage: the current stage.
        fraction: how much of it is done, 0 to 1.
        preempted: whether it was cancelled for another job.
        is_answering: whether the main thread is running a call for the job's thread.
    """

    def __init__(
        self, compute: Callable[[Progress, Ask], T], close: Callable[[], None], preemptible: bool = False
    ) -> None:
        global _running  # noqa: PLW0603 - one at a time
        preempt()
        if _running is not None:
            raise RuntimeError("a job is running already")
        self.stage, self.fraction = "Read", 0.0
        self.preemptible, self.preempted, self.is_answering = preemptible, False, False
        self._compute, self._close = compute, close
        self._questions: queue.SimpleQueue[tuple[Callable[[], Any], _Answer]] = queue.SimpleQueue()
        self._cancelled, self._result, self._error = threading.Event(), cast(Any, None), cast(Any, None)
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="Voxel Carve", daemon=True)
        _running = self
        self._thread.start()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    @property
    def remaining(self) -> float | None:
        """Estimated seconds left; None while it is too early to tell."""
        if not EARLIEST_FRACTION <= self.fraction < 1 or self.elapsed < EARLIEST_SECONDS:
            return None
        return self.elapsed * (1 - self.fraction) / self.fraction

    @property
    def is_cancelled(self) -> bool:
        """Whether the job was cancelled."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Abandon the job: its thread ends at its next progress report, and nobody waits for it."""
        self._cancelled.set()
        self.end()

    def is_done(self) -> bool:
        """Whether `result` can be called. Also runs the calls that the thread has queued."""
        while not self._questions.empty():
            question, answer = self._questions.get()
            self.is_answering = True
            try:
                answer.give(question)
            finally:
                self.is_answering = False
        return not self._thread.is_alive()

    def result(self) -> T:
        """What `compute` returned, or raise what it raised. Call it only when the job is done."""
        if self._error is not None:
            raise self._error
        return cast(T, self._result)

    def end(self) -> None:
        """Make room for the next job."""
        global _running  # noqa: PLW0603 - one at a time
        if _running is self:
            _running = None
            self._close()

    def wait(self, seconds: float) -> bool:
        """Wait for the thread to end, for this long at most. Return whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            with in_background():
                self._result = self._compute(self._tell, self._ask)
        except BaseException as error:
            self._error = error

    def _tell(self, stage: str, fraction: float) -> None:
        if self._cancelled.is_set():
            raise CarveCancelled
        self.stage, self.fraction = stage, fraction

    def _ask(self, question: Callable[[], R]) -> R:
        answer = _Answer()
        self._questions.put((question, answer))
        while not answer.given.wait(0.05):
            if self._cancelled.is_set():
                raise CarveCancelled
        if answer.error is not None:
            raise answer.error
        return cast(R, answer.value)


@contextmanager
def in_background() -> Iterator[None]:
    """Let Blender's own threads go before this thread, which the `with` block ends. Python's switch interval is shorter
    while any of several such blocks lasts."""
    global _threads, _interval_before  # noqa: PLW0603 - the interval is the whole process's
    if sys.platform == "linux":
        # Only on Linux does this apply to a single thread and the threads that it starts.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
    with _interval_lock:
        if _threads == 0:
            _interval_before = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_INTERVAL)
        _threads += 1
    try:
        yield
    finally:
        with _interval_lock:
            _threads -= 1
            if _threads == 0:
                sys.setswitchinterval(_interval_before)


class _Answer:
    """The answer to a question, handed from one thread to the other."""

    def __init__(self) -> None:
        self.given = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None

    def give(self, question: Callable[[], Any]) -> None:
        try:
            self.value = question()
        except BaseException as error:
            self.error = error
        self.given.set()


@cast(Any, bpy.app.handlers).persistent  # type: ignore[untyped-decorator]
def _cancel_running(*_: object) -> None:
    """Cancel the job before undo, redo and loading, which remove its inputs; Blender's own jobs end then too."""
    if _running is not None:
        _running.cancel()


_HANDLERS = ("undo_pre", "redo_pre", "load_pre")


def register() -> None:
    """Cancel jobs on undo, redo and loading from now on."""
    for name in _HANDLERS:
        getattr(bpy.app.handlers, name).append(_cancel_running)


def unregister() -> None:
    """End the running job, and remove the handlers."""
    job = _running
    if job is not None:
        job.cancel()
        job.wait(END_TIMEOUT)
    for name in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(_cancel_running)
