"""How long Blender's main thread is blocked, measured by how late a 10 ms timer comes, and what it did meanwhile."""

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np

from inside.places import region

EVERY_S = 0.01
THREADS = Path("/proc/self/task")
# Threads by the beginning of their names; Linux keeps 15 letters. Those that draw in software, and those of a job.
GROUPS = {"llvmpipe": "drawing", "Voxel Carve": "job", "voxel_carve": "job", "blender": "main"}


class Pauses:
    """The measurement, which runs from construction to `stop`."""

    def __init__(self) -> None:
        self._times, self._spent, self._stopped = [time.perf_counter()], [spent_ms()], False
        bpy.app.timers.register(self._tick, first_interval=EVERY_S, persistent=True)

    def stop(self) -> dict[str, object]:
        """Milliseconds between two ticks: median, 99th percentile and longest; how many were long, and the longest by
        what Blender's threads did: see `spent_ms`."""
        self._tick()
        self._stopped = True
        gaps = np.diff(self._times) * 1000
        longest = np.argsort(-gaps)[:5].tolist()
        return {
            "seconds": round(self._times[-1] - self._times[0], 1),
            "median_ms": round(float(np.median(gaps)), 1),
            "percentile_99_ms": round(float(np.percentile(gaps, 99)), 1),
            "longest_ms": round(float(gaps.max()), 1),
            **{f"over_{limit}_ms": int((gaps > limit).sum()) for limit in (50, 100, 200, 500)},
            "longest": [
                {"ms": round(float(gaps[tick]), 1), **_difference(self._spent[tick], self._spent[tick + 1])}
                for tick in longest
            ],
        }

    def _tick(self) -> float | None:
        if self._stopped:
            return None
        self._times.append(time.perf_counter())
        self._spent.append(spent_ms())
        return EVERY_S


def spent_ms() -> dict[str, float]:
    """For the threads of each group together, the milliseconds that they ran, and that they waited for a core.

    For the rest of a block, the main thread slept, until drawing threads were done, or another thread let Python go.
    """
    found: dict[str, float] = defaultdict(float)
    for thread in THREADS.iterdir():
        try:
            name = (thread / "comm").read_text().strip()
            ran, waited, _ = map(int, (thread / "schedstat").read_text().split())
        except (OSError, ValueError):  # it has ended
            continue
        group = next((group for start, group in GROUPS.items() if name.startswith(start)), "others")
        if group == "main" and thread.name != str(os.getpid()):
            group = "others"
        found[f"{group}_ran"] += ran / 1e6
        found[f"{group}_waited"] += waited / 1e6
    return dict(found)


def _difference(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    return {name: round(after[name] - before.get(name, 0.0), 1) for name in sorted(after)}


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
