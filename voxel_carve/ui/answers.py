"""What panels ask while they are drawn, and a thread finds out: only reading Blender takes time of its main thread.

A question has a key, and a way to read what it is about. Reading goes on the main thread, a moment at a time, and ends
with the work for the thread, on arrays alone.
"""

import logging
import threading
import time
from collections.abc import Callable, Generator, Hashable
from typing import Any

import bpy

from ..compute import CarveError
from ..compute.forecasts import can_expect_faces
from ..operators.jobs.progress import redraw_sidebars
from ..operators.jobs.running import blocking_job, in_background, is_rendering

logger = logging.getLogger(__name__)

Work = Callable[[], Any]
# Reads what a question is about, and returns the work; it stands still whenever it yields.
Reading = Generator[None, None, Work]

SLICE = 0.02  # seconds of reading at a time
SOON, LATER = 0.05, 1.0  # seconds: while the thread works, and while a job runs or kernels are compiled
MOST_KNOWN, MOST_ASKED = 256, 16

_known: dict[Hashable, Any] = {}
_asked: dict[Hashable, Callable[[], Reading]] = {}
_reading: tuple[Hashable, Reading] | None = None
_thread: "_Answering | None" = None


def ask(key: Hashable, read: Callable[[], Reading]) -> Any:
    """The answer to a question; None if it is not known yet, or cannot be. A panel may call this while it is drawn."""
    if key not in _known:
        _asked.pop(key, None)
        _asked[key] = read
        while len(_asked) > MOST_ASKED:
            del _asked[next(iter(_asked))]
        if not bpy.app.timers.is_registered(answer):
            bpy.app.timers.register(answer, first_interval=0.0)
    return _known.get(key)


def answer() -> float | None:
    """Find out what was asked, the latest first, and draw the panels again. A timer: returns when to go on."""
    global _reading, _thread  # noqa: PLW0603 - one question at a time
    if _thread is not None:
        if _thread.is_alive():
            return SOON
        _keep(_thread.key, _thread.value)
        _thread = None
    if blocking_job() or is_rendering() or not can_expect_faces():
        return LATER if _asked or _reading else None
    if _reading is None:
        if not _asked:
            return None
        key, read = _asked.popitem()
        _reading = key, read()
    key, reading = _reading
    try:
        _read_for_a_moment(reading)
    except StopIteration as end:
        _reading, _thread = None, _Answering(key, end.value)
        _thread.start()
        return SOON
    except (CarveError, ReferenceError) as error:
        logger.debug("nothing can be told of %s: %s", key, error)
        _reading = None
        _keep(key, None)
    return 0.0


def forget() -> None:
    """Ask for nothing more, and forget all answers."""
    global _reading, _thread  # noqa: PLW0603 - one question at a time
    _reading = _thread = None
    _asked.clear()
    _known.clear()
    if bpy.app.timers.is_registered(answer):
        bpy.app.timers.unregister(answer)


def _read_for_a_moment(reading: Reading) -> None:
    """Go on reading. Raises StopIteration with the work when it is done, and what reading raises."""
    until = time.monotonic() + SLICE
    while time.monotonic() < until:
        next(reading)


def _keep(key: Hashable, value: Any) -> None:
    while len(_known) >= MOST_KNOWN:
        del _known[next(iter(_known))]
    _known[key] = value
    redraw_sidebars(bpy.context)


class _Answering(threading.Thread):
    """The thread that answers one question. Its value is None until the answer is known, and if there is none."""

    def __init__(self, key: Hashable, work: Work) -> None:
        super().__init__(name="Voxel Carve Forecast", daemon=True)
        self.key, self.value, self._work = key, None, work

    def run(self) -> None:
        try:
            with in_background():
                self.value = self._work()
        except CarveError as error:
            logger.debug("nothing can be told of %s: %s", self.key, error)
        except Exception:
            logger.exception("a forecast has failed")
