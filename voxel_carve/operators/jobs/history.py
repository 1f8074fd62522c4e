"""How long jobs have taken on this machine, to predict the duration of the next one."""

import json
import logging
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ...compute.job import NEAR_BRICKS_PER_AREA
from ...compute.model import BRICK_SIZE

logger = logging.getLogger(__name__)

# Runs kept per kind of job.
MOST_RUNS = 10
# Runs within this factor of a job's size predict it best: small ones are mostly overhead.
SIMILAR = 4.0
# Surface of a job, relative to that of its box: the paths cut or add as much again.
SURFACE_SHARE = 2.0

_file: Path | None = None
_runs: dict[str, list[tuple[int, float]]] | None = None
_last: dict[str, Any] | None = None


def set_history_file(file: str | None) -> None:
    """Restart the history in a file, which is read when first needed; None keeps it in memory only."""
    global _file, _runs
    _file, _runs = None if file is None else Path(file), None


def bricks_estimate(grid_shape: Sequence[int]) -> int:
    """Roughly how many bricks a job evaluates, from the shape of its grid alone, in any order of axes."""
    a, b, c = grid_shape
    surface = SURFACE_SHARE * 2 * (a * b + b * c + c * a)
    return int(min(math.prod(grid_shape) / BRICK_SIZE**3, surface * NEAR_BRICKS_PER_AREA))


def job_kind(backend: str, merges_faces: bool) -> str:
    """The kind of a job. Jobs of different kinds say nothing about each other's time."""
    return f"{backend}, merging faces" if merges_faces else backend


def remember_report(figures: Mapping[str, Any]) -> None:
    """Remember a job by its report, as `Report.to_dict` gives it."""
    global _last  # noqa: PLW0603 - one history of the process
    _last = dict(figures)
    kind = job_kind(figures["backend"], figures["tolerance"] > 0)
    steps = figures["operation"].count(",") + 1
    remember(kind, steps * bricks_estimate(figures["grid_shape"]), figures["seconds"]["compute"])


def last_report() -> dict[str, Any] | None:
    """The report of the last job of this process; None if there was none."""
    return _last


def remember(kind: str, bricks: int, seconds: float) -> None:
    """Remember one job.

    Args:
        kind: see `job_kind`.
        bricks: its size by `bricks_estimate`.
        seconds: how long it took, without compiling.
    """
    global _runs  # noqa: PLW0603 - one history of the process
    if not (bricks > 0 and math.isfinite(seconds) and seconds > 0):
        return
    runs = _all_runs()
    _runs = runs | {kind: [*runs.get(kind, []), (int(bricks), float(seconds))][-MOST_RUNS:]}
    if _file is not None:
        _write(_file, _runs)


def expected_seconds(kind: str, bricks: int) -> float | None:
    """How long a job of this kind and size takes, by the median of the last runs; None if there are none."""
    runs = _all_runs().get(kind, [])
    similar = [run for run in runs if 1 / SIMILAR <= run[0] / max(bricks, 1) <= SIMILAR]
    rates = [seconds / size for size, seconds in similar or runs]
    return bricks * median(rates) if rates else None


def _all_runs() -> dict[str, list[tuple[int, float]]]:
    global _runs  # noqa: PLW0603 - one history of the process
    if _runs is None:
        _runs = _read(_file) if _file is not None else {}
    return _runs


def _read(file: Path) -> dict[str, list[tuple[int, float]]]:
    """The runs in a file; none if it is missing or damaged."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {name: [_run(*run) for run in runs][-MOST_RUNS:] for name, runs in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        logger.warning("the history of jobs in %s starts anew: %s", file, error)
        return {}


def _run(bricks: Any, seconds: Any) -> tuple[int, float]:
    if not (bricks > 0 and seconds > 0):
        raise ValueError(f"a job of {bricks} bricks in {seconds} s")
    return int(bricks), float(seconds)


def _write(file: Path, runs: dict[str, list[tuple[int, float]]]) -> None:
    """Write atomically, so that another Blender never reads half of it. An unwritable folder is no error."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(runs), encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        logger.warning("the history of jobs cannot be kept in %s: %s", file, error)
