"""The command `voxel-carve farm`: what render farms read, and what the steps of their jobs call."""

from collections.abc import Callable
from pathlib import Path

from ..batch import FAILED, Task, plan
from ..compute import InputError
from ..compute.runtime import Progress, said_at
from ..farm.collecting import collected
from ..farm.job_description import write_bundle
from ..formats import check_output, replacing
from ..headless import write_json
from ..jobs_file import read_jobs_file
from .compile_command import compile_missing

JOB_TYPE = "voxel_carve.js"


def write_job_type(folder: Path, overwrite: bool) -> Path:
    """Write the job type of Flamenco into a folder, and return the file.

    Raises:
        InputError: it exists and `overwrite` is not set, or it cannot be written.
    """
    source = Path(__file__).parents[1] / "farm" / JOB_TYPE
    with replacing(folder / JOB_TYPE, overwrite) as beside:
        beside.write_bytes(source.read_bytes())
    return folder / JOB_TYPE


def write_openjd(jobs_file: Path, folder: Path, overwrite: bool) -> list[Path]:
    """Write the bundle of a list into a folder, and return its files.

    Raises:
        InputError: the list cannot be read, or as `write_bundle`.
    """
    return write_bundle(folder, _tasks(jobs_file), jobs_file, overwrite)


def check_list(jobs_file: Path, progress: Progress, complain: Callable[[str], None]) -> int:
    """Read a list, complain of jobs that will fail, compile kernels that are missing, and return how many jobs it has.

    Raises:
        InputError: the list cannot be read, or is refused as a whole.
    """
    tasks = _tasks(jobs_file)
    for task in tasks:
        if isinstance(task.job, InputError):
            complain(f"warning: job {task.number}: {said_at('command_line', task.job)}")
    compile_missing(progress)
    return len(tasks)


def collect(
    jobs_file: Path, folder: Path, report: Path | None, overwrite: bool, complain: Callable[[str], None]
) -> dict[str, int]:
    """Make one summary of the reports in a folder, complain of each job that failed, and return the counts.

    Raises:
        InputError: something cannot be read or written.
    """
    if report is not None:
        check_output(report, overwrite)
    tasks = _tasks(jobs_file, report)
    whole = collected(folder, tasks)
    for outcome in whole["jobs"]:
        if outcome["status"] == FAILED:
            complain(f"job {outcome['job']}: {outcome['output']}: {outcome['error']}")
    if report is not None:
        write_json(report, whole, overwrite)
    return {name: count for name, count in whole.items() if name not in ("jobs", "seconds")}


def _tasks(jobs_file: Path, report: Path | None = None) -> list[Task]:
    return plan(read_jobs_file(jobs_file), {}, jobs_file, resume=True, summary_file=report)
