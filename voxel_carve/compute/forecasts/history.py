"""How long the last jobs took on this machine, kept in the folder of the compiled kernels.

Several processes may write it: each reads it again before it adds a run. What it says is believed only as far as it
makes sense. Where it cannot be read or written, the runs of this process still count.
"""

import json
import logging
import math
import os
import time
from dataclasses import astuple, dataclass

from ..runtime.cache import keep, kept
from ..runtime.errors import BackendError

logger = logging.getLogger(__name__)

ENVIRONMENT_VARIABLE = "VOXEL_CARVE_NO_HISTORY"
ENTRY = "times"  # in the cache
MOST_RUNS = 10  # of a kind
MOST_KINDS = 64
FRESH = 2.0  # seconds for which what was read counts, because panels ask whenever they are drawn


@dataclass(frozen=True)
class Run:
    """A job that was done: the faces that it made before any were merged, for each of its steps, and its seconds."""

    faces: int
    seconds: float

    def makes_sense(self) -> bool:
        """Whether both are numbers above 0."""
        return self.faces > 0 and math.isfinite(self.seconds) and self.seconds > 0


Runs = dict[str, list[Run]]

_is_kept = False
_runs: Runs = {}
_read = -math.inf  # when the cache was last read


def keep_history(is_kept: bool) -> None:
    """Keep runs in the cache from now on, or in this process alone, and forget what is known. With the environment
    variable VOXEL_CARVE_NO_HISTORY, they stay in the process."""
    global _is_kept, _runs, _read
    _is_kept, _runs, _read = is_kept and not os.environ.get(ENVIRONMENT_VARIABLE), {}, -math.inf


def runs(kind: str) -> list[Run]:
    """The last runs of a kind, the latest one last."""
    if time.monotonic() - _read >= FRESH:
        _look()
    return list(_runs.get(kind, ()))


def add(kind: str, run: Run) -> None:
    """Add a run. What makes no sense is left out."""
    global _runs  # noqa: PLW0603 - one history of the process
    if not run.makes_sense():
        return
    _look()
    others = [(name, each) for name, each in _runs.items() if name != kind][1 - MOST_KINDS :]
    _runs = {**dict(others), kind: [*_runs.get(kind, ()), run][-MOST_RUNS:]}
    if not _is_kept:
        return
    values = {name: [astuple(each) for each in known] for name, known in _runs.items()}
    try:
        keep(ENTRY, json.dumps(values).encode())
    except BackendError as error:
        logger.warning("the times of jobs cannot be kept: %s", error)


def _look() -> None:
    """Read what other processes have added."""
    global _runs, _read  # noqa: PLW0603 - one history of the process
    _read = time.monotonic()
    if not _is_kept:
        return
    try:
        content = kept(ENTRY)
        if content is not None:
            _runs = _parsed(content)
    except (BackendError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        logger.warning("the times of earlier jobs are not used: %s", error)


def _parsed(content: bytes) -> Runs:
    """The runs in an entry. Raises one of several errors for what `add` has not written."""
    found = {
        name: [Run(int(faces), float(seconds)) for faces, seconds in each] for name, each in json.loads(content).items()
    }
    return {name: [run for run in each if run.makes_sense()][-MOST_RUNS:] for name, each in found.items()}
