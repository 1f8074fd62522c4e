"""A job on a thread of its own: what it tells while it runs, how it is stopped, and what it asks of Blender's thread.

Only Blender's own thread may touch Blender's data. The thread of a job computes; what it needs of Blender meanwhile, it
asks for, and waits until Blender's thread has come by and done it.
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

# Calls a function on Blender's thread, and gives back what it returns.
Ask = Callable[[Callable[[], Any]], Any]

# Before this part is done, or these seconds are over, nothing is said of the time that is left.
EARLIEST_FRACTION, EARLIEST_SECONDS = 0.03, 1.0
# What a job's thread leaves to Blender's own where both want a core, as `nice` counts it.
NICENESS = 10
# Seconds that a thread of Python's may take before another has its turn. Blender's own waits for one with each panel
# that it draws: with Python's usual 5 ms, that adds up.
TURN = 0.0005
# How long a thread is waited for that has to come to its end before Blender does.
PATIENCE = 2.0

_running: "RunningJob[Any] | None" = None
_turns = threading.Lock()
_threads, _turn_before = 0, 0.0


def running_job() -> "RunningJob[Any] | None":
    """The job that runs now, if one does."""
    return _running


def busy_job() -> "RunningJob[Any] | None":
    """The job that runs now and that another cannot start beside: one that gives way is none."""
    return None if _running is None or _running.gives_way else _running


def make_way() -> None:
    """End a job that gives way, and let its thread come to its end: before a user's job begins."""
    job = _running
    if job is not None and job.gives_way:
        job.cancel()
        job.gave_way = True
        job.wait(PATIENCE)


def is_rendering() -> bool:
    """Whether Blender renders on a thread of its own, which reads the scene."""
    return bool(cast(Any, bpy.app).is_job_running("RENDER"))


def directly(function: Callable[[], R]) -> R:
    """What a job asks with that is on Blender's thread itself."""
    return function()


class RunningJob(Generic[T]):
    """One job on its thread, from its start to `end`. All but what `compute` calls belongs to Blender's thread.

    Args:
        compute: does the work: it is given a progress, which raises CarveCancelled once the job is to stop, and
            what to ask Blender's thread with.
        close: called once, when the job ends in whatever way.
        gives_way: whether it ends as soon as a user starts another.

    Attributes:
        stage: what it is at.
        fraction: how much of it is done, 0 to 1.
        gave_way: whether it was ended for another.
        answers: whether its thread is waiting for what Blender's is just now doing for it.
    """

    def __init__(
        self, compute: Callable[[Progress, Ask], T], close: Callable[[], None], gives_way: bool = False
    ) -> None:
        global _running  # noqa: PLW0603 - one at a time
        make_way()
        if _running is not None:
            raise RuntimeError("a job is running already")
        self.stage, self.fraction = "Read", 0.0
        self.gives_way, self.gave_way, self.answers = gives_way, False, False
        self._compute, self._close = compute, close
        self._questions: queue.SimpleQueue[tuple[Callable[[], Any], _Answer]] = queue.SimpleQueue()
        self._cancelled, self._result, self._error = threading.Event(), cast(Any, None), cast(Any, None)
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="Voxel Carve", daemon=True)
        _running = self
        self._thread.start()

    @property
    def elapsed(self) -> float:
        """Seconds since its start."""
        return time.monotonic() - self._began

    @property
    def remaining(self) -> float | None:
        """Seconds that are left, by what is done; None while that says too little."""
        if not EARLIEST_FRACTION <= self.fraction < 1 or self.elapsed < EARLIEST_SECONDS:
            return None
        return self.elapsed * (1 - self.fraction) / self.fraction

    @property
    def is_cancelled(self) -> bool:
        """Whether it was told to stop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Let go of the job: its thread ends where it next tells its progress, and nobody waits for it."""
        self._cancelled.set()
        self.end()

    def is_done(self) -> bool:
        """Whether `result` can be called. Answers what the thread has asked meanwhile."""
        while not self._questions.empty():
            question, answer = self._questions.get()
            self.answers = True
            try:
                answer.give(question)
            finally:
                self.answers = False
        return not self._thread.is_alive()

    def result(self) -> T:
        """What `compute` returned, once it is done; raises what it raised."""
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
        """Let the thread come to its end, for so long at most; whether it has."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        if sys.platform == "linux":
            # There, and only there, this is the thread's own, and that of those it starts.
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        try:
            with _short_turns():
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
def _short_turns() -> Iterator[None]:
    """Let Python's threads take short turns for as long as one of several `with` blocks lasts."""
    global _threads, _turn_before  # noqa: PLW0603 - the turns are the whole process's
    with _turns:
        if _threads == 0:
            _turn_before = sys.getswitchinterval()
            sys.setswitchinterval(TURN)
        _threads += 1
    try:
        yield
    finally:
        with _turns:
            _threads -= 1
            if _threads == 0:
                sys.setswitchinterval(_turn_before)


class _Answer:
    """What came of a question, handed from one thread to the other."""

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
    """Undo, redo and loading a file take away what a job was made from, as they do with Blender's own jobs."""
    if _running is not None:
        _running.cancel()


_HANDLERS = ("undo_pre", "redo_pre", "load_pre")


def register() -> None:
    """Watch for what ends every job."""
    for name in _HANDLERS:
        getattr(bpy.app.handlers, name).append(_cancel_running)


def unregister() -> None:
    """End the job that runs, and watch no longer."""
    job = _running
    if job is not None:
        job.cancel()
        job.wait(PATIENCE)
    for name in reversed(_HANDLERS):
        getattr(bpy.app.handlers, name).remove(_cancel_running)
