"""Many jobs in one process. It continues after a failure, and reports the outcome of each job at the end."""

import logging
import time
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .clashes import files_read, refuse_shared_outputs, refuse_spoiled_inputs
from .compute import EmptyResultError, InputError
from .compute.runtime import said_at
from .formats import identity, is_file
from .headless import Progress, run_job
from .jobs import Job, read_options

logger = logging.getLogger(__name__)

DONE, SKIPPED, FAILED = "done", "skipped", "failed"
# At a frame, paths may leave nothing of the stock, as animated ones do: there is no file then, and nothing is wrong.
EMPTY = "empty"

Outcome = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A job of a list.

    Attributes:
        number: the number of its entry in the list, from 1.
        output: the file to write; None if the option is not text.
        job: the job, or why it cannot be done.
        options: what the jobs of its entry were read from: those of the entry, and of all jobs.
    """

    number: int
    output: str | None
    job: Job | InputError
    options: Mapping[str, Any] = field(default_factory=dict, compare=False)


def plan(
    entries: Sequence[Mapping[str, Any] | InputError],
    common: Mapping[str, Any],
    jobs_file: Path,
    open_blend: Path | None = None,
    resume: bool = False,
    summary_file: Path | None = None,
) -> list[Task]:
    """The tasks of a list, checked before any of them runs, so that no job spoils another's files.

    A job that would write to an input, its own or another job's, becomes one that fails. An input that does not exist
    yet can be the output of an earlier job.

    Args:
        entries: the options of each job, see `read_options`, or what is wrong with them; an entry with frames is one
            job per frame.
        common: options of all jobs that do not set them.
        jobs_file: the file of the entries; their relative paths start from its folder.
        open_blend: the .blend that is open, if any.
        resume: whether to skip jobs whose output exists.
        summary_file: the file for the summary of all jobs, if any.

    Raises:
        InputError: two jobs write the same file, or the summary is another file's output or input.
    """
    tasks = [
        task
        for number, entry in enumerate(entries, 1)
        for task in read_tasks(number, entry, common, jobs_file.parent, open_blend)
    ]
    jobs = [(_label(task.number, task.job), task.job) for task in tasks if isinstance(task.job, Job)]
    refuse_shared_outputs(jobs, summary_file)
    read: dict[Hashable, str] = {}
    for label, job in jobs:
        read |= files_read(job, label)
    read[identity(jobs_file)] = "the jobs file"
    if summary_file is not None:
        refuse_spoiled_inputs({"--report": summary_file}, read)
    return [_checked(task, {} if resume and _is_done(task) else read) for task in tasks]


def outcomes(tasks: Iterable[Task], resume: bool = False, progress: Progress | None = None) -> Iterator[Outcome]:
    """Run jobs one after the other, and yield the outcome of each.

    Args:
        tasks: from `plan`.
        resume: whether to skip jobs whose output exists.
        progress: as in `run_job`.

    Yields:
        `job` (the number of its entry, from 1), `output`, `status` (done, skipped, failed, or at a frame empty),
        `seconds`, and the `report` or the `error`.
    """
    written: set[Hashable] = set()
    for task in tasks:
        outcome = settled(task, resume, written) or carved(task, progress)
        note_written(task, outcome, written)
        yield outcome


def settled(task: Task, resume: bool, written: Collection[Hashable]) -> Outcome | None:
    """The outcome of a task for which nothing is carved; None if it has to be.

    Args:
        task: from `plan`.
        resume: whether to skip a job whose output exists.
        written: what `note_written` has noted of earlier jobs.
    """
    job = task.job
    if isinstance(job, InputError):
        return _of(task, 0.0, {"status": FAILED, "error": said_at("command_line", job)})
    # If the file system ignores case, only now does it show that two names are the same file.
    if any(identity(file) in written for file in job.outputs().values()):
        error = f"{job.output} is the output of an earlier job too: name another"
        return _of(task, 0.0, {"status": FAILED, "error": error})
    return _of(task, 0.0, {"status": SKIPPED}) if resume and is_file(job.output) else None


def note_written(task: Task, outcome: Outcome, written: set[Hashable]) -> None:
    """Add the outputs of a task that was done to `written`."""
    if outcome["status"] == DONE and isinstance(task.job, Job):
        written.update(identity(file) for file in task.job.outputs().values())


def carved(task: Task, progress: Progress | None = None) -> Outcome:
    """Run the job of a task that is not settled, and return its outcome, as `outcomes` yields it."""
    began = time.perf_counter()
    outcome = _carved(task, progress)
    return _of(task, time.perf_counter() - began, outcome)


def failed(task: Task, error: str) -> Outcome:
    """The outcome of a task that failed outside of its job."""
    return _of(task, 0.0, {"status": FAILED, "error": error})


def _of(task: Task, seconds: float, outcome: Outcome) -> Outcome:
    return {"job": task.number, "output": task.output, "seconds": round(seconds, 4), **outcome}


def summary(found: Iterable[Outcome], seconds: float) -> dict[str, Any]:
    """Counts by status, and all outcomes, ready for JSON. Empty ones are counted where there are any."""
    jobs = list(found)
    counts = Counter(outcome["status"] for outcome in jobs)
    totals = {status: counts[status] for status in (DONE, SKIPPED, FAILED, EMPTY) if status != EMPTY or counts[EMPTY]}
    return {**totals, "seconds": round(seconds, 4), "jobs": jobs}


def read_tasks(
    number: int,
    entry: Mapping[str, Any] | InputError,
    common: Mapping[str, Any],
    folder: Path,
    open_blend: Path | None,
) -> list[Task]:
    """The task of an entry, or one for each of its frames. Relative paths start from `folder`; else as for `plan`."""
    if isinstance(entry, InputError):
        return [Task(number, None, entry)]
    given = {name: value for name, value in entry.items() if value is not None}
    options = {**common, **given}
    try:
        jobs = read_options(options, folder, open_blend)
    except InputError as error:
        output = given.get("output")
        return [Task(number, output if isinstance(output, str) else None, error)]
    return [Task(number, str(job.output), job, options) for job in jobs]


def _label(number: int, job: Job) -> str:
    return f"job {number}" if job.frame is None else f"job {number}, frame {job.frame}"


def _is_done(task: Task) -> bool:
    return isinstance(task.job, Job) and is_file(task.job.output)


def _checked(task: Task, read: Mapping[Hashable, str]) -> Task:
    """The task, or one that fails because it would write to an input."""
    if isinstance(task.job, InputError):
        return task
    try:
        refuse_spoiled_inputs(task.job.outputs(), files_read(task.job))
        refuse_spoiled_inputs(task.job.outputs(), read)
    except InputError as error:
        return Task(task.number, task.output, error)
    return task


def _carved(task: Task, progress: Progress | None) -> Outcome:
    """Status and report or error of a job."""
    assert isinstance(task.job, Job)  # else it is settled
    try:
        report = run_job(task.job, progress)
    except EmptyResultError as error:
        status = FAILED if task.job.frame is None else EMPTY
        return {"status": status, "error": said_at("command_line", error)}
    except InputError as error:
        return {"status": FAILED, "error": said_at("command_line", error)}
    except MemoryError:
        return {"status": FAILED, "error": "memory ran out: choose larger voxels, or a lower memory_limit"}
    except Exception as error:  # the other jobs go on
        logger.exception("job %d", task.number)
        return {"status": FAILED, "error": f"a fault of voxel_carve: {type(error).__name__}: {error}"}
    return {"status": DONE, "report": report}
