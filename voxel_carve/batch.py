"""Many jobs in one process: it goes on after a failure, and says at the end what became of each."""

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .compute import InputError
from .headless import Progress, run_job
from .jobs import Job, read_options

logger = logging.getLogger(__name__)

DONE, SKIPPED, FAILED = "done", "skipped", "failed"

Outcome = dict[str, Any]


def outcomes(
    entries: Sequence[Mapping[str, Any]],
    common: Mapping[str, Any],
    folder: Path,
    open_blend: Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Do jobs one after the other, and yield what became of each.

    Args:
        entries: the options of each job, see `read_options`; one with frames is a job for each frame.
        common: options of all jobs that do not say otherwise.
        folder: what relative paths in entries start from.
        open_blend: the .blend that is open, if any.
        resume: whether a job whose output exists is skipped.
        progress: as in `run_job`.

    Yields:
        `job` (the number of its entry, from 1), `output`, `status` (done, skipped or failed), `seconds`, and the
        `report` or the `error`.
    """
    written: set[Path] = set()
    for number, entry in enumerate(entries, 1):
        try:
            jobs = read_options({**common, **entry}, folder, open_blend)
        except InputError as error:
            yield {"job": number, "output": entry.get("output"), "status": FAILED, "seconds": 0.0, "error": str(error)}
            continue
        for job in jobs:
            began = time.perf_counter()
            outcome = _outcome(job, number, resume, written, progress)
            seconds = round(time.perf_counter() - began, 4)
            yield {"job": number, "output": str(job.output), "seconds": seconds, **outcome}


def summary(found: Iterable[Outcome], seconds: float) -> dict[str, Any]:
    """Counts by status, and all outcomes, ready for JSON."""
    jobs = list(found)
    counts = Counter(outcome["status"] for outcome in jobs)
    totals = {status: counts[status] for status in (DONE, SKIPPED, FAILED)}
    return {**totals, "seconds": round(seconds, 4), "jobs": jobs}


def _outcome(job: Job, number: int, resume: bool, written: set[Path], progress: Progress | None) -> Outcome:
    """Status and report or error of a job; its output is added to `written`."""
    target = job.output.resolve()
    if target in written:
        return {"status": FAILED, "error": f"{job.output} is the output of an earlier job too: name another"}
    if resume and target.exists():
        return {"status": SKIPPED}
    try:
        report = run_job(job, progress)
    except InputError as error:
        return {"status": FAILED, "error": str(error)}
    except Exception as error:  # the other jobs are none the worse for it
        logger.exception("job %d", number)
        return {"status": FAILED, "error": f"a fault of voxel_carve: {type(error).__name__}: {error}"}
    written.add(target)
    return {"status": DONE, "report": report}
