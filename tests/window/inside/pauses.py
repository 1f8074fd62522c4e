"""How long Blender's main thread is blocked, measured by how late a 10 ms timer comes."""

import time
from collections.abc import Iterator

import bpy
import numpy as np

from inside.places import region

EVERY_S = 0.01


class Pauses:
    """The measurement, which runs from construction to `stop`."""

    def __init__(self) -> None:
        self._times, self._stopped = [time.perf_counter()], False
        bpy.app.timers.register(self._tick, first_interval=EVERY_S, persistent=True)

    def stop(self) -> dict[str, float]:
        """Milliseconds between two ticks: median, 99th percentile and longest; and how many were long."""
        self._tick()
        self._stopped = True
        gaps = np.diff(self._times) * 1000
        return {
            "seconds": round(self._times[-1] - self._times[0], 1),
            "median_ms": round(float(np.median(gaps)), 1),
            "percentile_99_ms": round(float(np.percentile(gaps, 99)), 1),
            "longest_ms": round(float(gaps.max()), 1),
            **{f"over_{limit}_ms": int((gaps > limit).sum()) for limit in (50, 100, 200, 500)},
        }

    def _tick(self) -> float | None:
        if self._stopped:
            return None
        self._times.append(time.perf_counter())
        return EVERY_S


def during(steps: Iterator[float]) -> Iterator[float]:
    """Take steps, and return the pauses meanwhile."""
    pauses = Pauses()
    try:
        yield from steps
    finally:
        found = pauses.stop()
    return found


def redrawn(seconds: float, every_s: float) -> Iterator[float]:
    """Redraw the sidebar repeatedly, as while a job runs."""
    for _ in range(round(seconds / every_s)):
        region("UI").tag_redraw()
        yield every_s


def rest(seconds: float) -> Iterator[float]:
    """Do nothing for a while, in steps of at most a tenth of a second."""
    for _ in range(round(seconds / 0.1)):
        yield 0.1
