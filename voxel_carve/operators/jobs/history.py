"""How long jobs have taken on this machine, so that the next one's time can be told before it starts."""

import json
import logging
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ...compute.bricks import BRICK_SIZE
from ...compute.estimate import NEAR_BRICKS_PER_AREA

logger = logging.getLogger(__name__)

# Runs of each backend that are kept.
MOST_RUNS = 10
# Runs within so many times the size of a job say most about it: small ones are mostly overhead.
SIMILAR = 4.0
# The surface of a job: of its box, and as much again that the paths cut or add.
SURFACE_SHARE = 2.0

_file: Path | None = None
_runs: dict[str, list[tuple[int, float]]] | None = None
_last: dict[str, Any] | None = None


def set_history_file(file: str | None) -> None:
    """Keep the history in a file, read when it is first asked for; None keeps it in memory alone. It starts anew."""
    global _file, _runs
    _file, _runs = None if file is None else Path(file), None


def bricks_estimate(grid_shape: Sequence[int]) -> int:
    """About how many bricks a job evaluates, by the shape of its grid alone; the order of axes does not matter."""
    a, b, c = grid_shape
    surface = SURFACE_SHARE * 2 * (a * b + b * c + c * a)
    return int(min(math.prod(grid_shape) / BRICK_SIZE**3, surface * NEAR_BRICKS_PER_AREA))


def remember_report(figures: Mapping[str, Any]) -> None:
    """Remember a job by its report, as `Report.to_dict` gives it."""
    global _last  # noqa: PLW0603 - one history of the process
    _last = dict(figures)
    remember(figures["backend"], bricks_estimate(figures["grid_shape"]), figures["seconds"]["compute"])


def last_report() -> dict[str, Any] | None:
    """The report of the last job of this process; None where there was none."""
    return _last


def remember(backend: str, bricks: int, seconds: float) -> None:
    """Remember one job.

    Args:
        backend: what computed it.
        bricks: its size as `bricks_estimate` has it.
        seconds: how long that took, without compiling.
    """
    global _runs  # noqa: PLW0603 - one history of the process
    if not (bricks > 0 and math.isfinite(seconds) and seconds > 0):
        return
    runs = _all_runs()
    _runs = runs | {backend: [*runs.get(backend, []), (int(bricks), float(seconds))][-MOST_RUNS:]}
    if _file is not None:
        _write(_file, _runs)


def expected_seconds(backend: str, bricks: int) -> float | None:
    """How long a job of a size will take on a backend, by the median of the last ones; None where there are none."""
    runs = _all_runs().get(backend, [])
    similar = [run for run in runs if 1 / SIMILAR <= run[0] / max(bricks, 1) <= SIMILAR]
    rates = [seconds / size for size, seconds in similar or runs]
    return bricks * median(rates) if rates else None


def _all_runs() -> dict[str, list[tuple[int, float]]]:
    global _runs  # noqa: PLW0603 - one history of the process
    if _runs is None:
        _runs = _read(_file) if _file is not None else {}
    return _runs


def _read(file: Path) -> dict[str, list[tuple[int, float]]]:
    """What a file keeps; one that is missing or damaged keeps nothing."""
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
    """In one step, so that another Blender never reads half of it. A folder that cannot be written to is no fault."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(runs), encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        logger.warning("the history of jobs cannot be kept in %s: %s", file, error)
