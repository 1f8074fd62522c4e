"""One job in slabs from files to a file and a report: here one after the other, or on the workers of Dask."""

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from ..compute import InputError, Report, ResultInParts, carve_in_slabs
from ..compute.runtime import allowed_bytes, said_at
from ..distributed import carve
from ..distributed.cluster import Cluster, connected
from ..headless import (
    CHORD_TOLERANCE,
    Progress,
    check_files,
    combine,
    in_our_words,
    named_paths,
    open_blend_of,
    path_lines_of,
    read_path_files,
    read_stock,
    sweep_of,
    unit_of,
    voxel_size_of,
    write_json,
)
from ..jobs import Job
from .compile_command import compile_missing

SUFFIX = ".ply"


def carve_in_slabs_by(job: Job, workers: str | None, scheduler: str | None, progress: Progress) -> dict[str, Any]:
    """As `run_job`, in slabs: on so many new workers, on those of a scheduler, or here.

    Raises:
        InputError: as `run_in_slabs` and `connected`.
    """
    if workers is None and scheduler is None:
        return run_in_slabs(job, None, progress)
    refuse(job)
    if workers is not None:
        compile_missing(progress)
    with connected(workers, scheduler) as cluster:
        return run_in_slabs(job, cluster, progress)


def run_in_slabs(job: Job, cluster: Cluster | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """As `run_job`, in slabs. Their parts lie beside the output until that is written.

    Args:
        cluster: the workers that make them; None makes them here, one after the other.

    Raises:
        InputError: as `run_job`; or the job wants what slabs cannot have.
    """
    refuse(job)
    began = time.perf_counter()
    check_files(job)
    blend = open_blend_of(job) if job.needs_blender() else None
    limit, unit = allowed_bytes(job.memory_limit), unit_of(job, blend)
    stock = read_stock(job.stocks[0], blend, False, limit, unit)
    lines, notes = read_path_files(job, unit, 0, limit)
    voxel_size = voxel_size_of(job, stock)
    path_lines, lacking = path_lines_of(job, lines, blend, CHORD_TOLERANCE * voxel_size)
    sweep, operations = sweep_of(job, path_lines, 0, limit)
    if len(set(operations)) > 1:
        raise InputError("paths with operations of their own are not carved in slabs: give all the same")
    seconds = {"read": time.perf_counter() - began}
    make = carve_in_slabs if cluster is None else partial(carve, client=cluster.client, shares_folder=cluster.is_local)
    with tempfile.TemporaryDirectory(
        prefix=f".{job.output.stem}-parts-", dir=job.output.parent, ignore_cleanup_errors=True
    ) as folder:
        made, seconds["write"] = _written(
            make(
                stock.mesh,
                sweep,
                voxel_size,
                folder=Path(folder) / "parts",
                operation=operations[0],
                backend=job.backend,
                memory_limit=job.memory_limit,
                open_stock=job.open_stock,
                progress=progress,
            ),
            job,
        )
    seconds["total"] = time.perf_counter() - began
    report = combine([in_our_words(made.to_dict())], [stock.name], seconds)
    warnings = blend.warnings(named_paths(job)) if blend is not None else ()
    said = (said_at("command_line", note) for note in (*warnings, *stock.notes, *notes, *lacking))
    report["warnings"] = [*dict.fromkeys(said), *report["warnings"]]
    if job.report is not None:
        write_json(job.report, report, job.overwrite)
    return report


def _written(result: ResultInParts, job: Job) -> tuple[Report, float]:
    """The report of a result, which is written, and the seconds that took. The parts can be removed then: Windows
    removes no file that is still being read."""
    began = time.perf_counter()
    result.save(job.output, job.overwrite)
    return result.report, time.perf_counter() - began


def refuse(job: Job) -> None:
    """Raise InputError if a job wants what slabs cannot have."""
    refused = {
        "several stocks: give one": len(job.stocks) > 1,
        "Keep Stock: leave --result keep out": job.result == "keep",
        "fewer faces: leave --adaptivity and --tolerance out": job.adaptivity.tolerance(1.0) > 0,
        "--verify: leave it out": job.verify,
        "a sheet: give --open-stock fill, or leave --close out": job.open_stock == "sheet" or job.close,
        f"{job.output.suffix}: write {SUFFIX}": job.output.suffix.lower() != SUFFIX,
        "frames: carve each by itself": job.frame is not None,
    }
    for what, is_wanted in refused.items():
        if is_wanted:
            raise InputError("what is carved in slabs cannot have {what}", what=what)
