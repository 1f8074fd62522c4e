"""One job on the workers of Dask, a slab a task.

Who asks decides which slabs there are, and writes the parts as they come, where workers do not. A worker that is lost
takes nothing along but what it has not given yet, which Dask gives to another one.
"""

import os
import secrets
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..compute import MemoryLimitError, PreparedStock, Progress, ResultInParts, get_backend
from ..compute.losses import Kept
from ..compute.model import MeshLike, PathsLike
from ..compute.runtime import Sentence, allowed_bytes, report_progress, reporting_to
from ..compute.sheets import OpenStock
from ..compute.slabs import Made, SegmentsOf, Slab, SlabJob, carve_by
from .cluster import Cluster, compare_versions, jobs_by_host
from .futures import Futures
from .packing import packed
from .process import version
from .slab_worker import hold, make_slab


def carve(
    stock: MeshLike,
    paths: PathsLike,
    voxel_size: float | None = None,
    *,
    folder: str | os.PathLike[str],
    client: Any,
    resolution: int | None = None,
    operation: str = "subtract",
    backend: str | None = None,
    memory_limit: int | None = None,
    open_stock: OpenStock = "automatic",
    slabs: int | None = None,
    shares_folder: bool = False,
    progress: Progress | None = None,
) -> ResultInParts:
    """As `carve_in_slabs`, on the workers of Dask.

    A worker works on the card that Dask has given it. Its stock is prepared once, and it gets the segments near its
    slab alone.

    Args:
        stock, paths, voxel_size, folder, resolution, operation, open_stock, progress: as for `carve_in_slabs`. The
            folder is this computer's.
        client: a `distributed.Client`. Its workers have this package installed, in this version.
        backend: a name that each worker has; None is the best one of each.
        memory_limit: bytes that a slab may take on its worker; None is half of the free memory of its computer, shared
            by its workers, and less than what Dask would end it for.
        slabs: so many of them at least; None is one for each thread of all workers.
        shares_folder: whether all workers see the folder, under the same name. They write the parts themselves then;
            else the parts are sent here.

    Raises:
        InputError, MemoryLimitError, EmptyResultError: as `carve_in_slabs`.
        InputError: a worker has another version.
        LostSchedulerError: the scheduler went away, or has had no workers for long.
        CarveError: a slab could not be made, wherever it was tried.
    """
    compare_versions(client)
    cluster = Cluster(client, str(client.scheduler.address), is_local=False)
    limit = None if memory_limit is None else allowed_bytes(memory_limit)
    count = slabs or max(1, sum(client.nthreads().values()))
    with reporting_to(progress):
        here = get_backend(backend)
        make = partial(
            _make_there,
            name=secrets.token_hex(8),
            cluster=cluster,
            backend=backend,
            limit=limit,
            shares_folder=shares_folder,
        )
        return carve_by(
            make,
            stock,
            paths,
            voxel_size,
            Path(folder),
            resolution,
            operation,
            here,
            allowed_bytes(None),
            open_stock,
            count,
        )


def _make_there(
    job: SlabJob,
    prepared: PreparedStock,
    planned: Sequence[Slab],
    segments_of: SegmentsOf,
    *,
    name: str,
    cluster: Cluster,
    backend: str | None,
    limit: int | None,
    shares_folder: bool,
) -> Iterator[tuple[Slab, Made[Any] | MemoryLimitError]]:
    """Make slabs on workers: see `Making`.

    Args:
        name: of the job, that no other has.
    """
    futures = Futures(cluster, secrets.token_hex(8), Sentence("carve again"))
    try:
        stock = futures.submit(hold, "stock", _packed_stock(job))

        def begin(slab: Slab) -> Any:
            segments = segments_of(slab)
            order = packed(
                {"rows": segments.rows, "order": segments.order},
                job=name,
                run=futures.run,
                slab=list(slab),
                operation=job.operation,
                backend=backend,
                limit=limit,
                file=str(job.file_of(slab).absolute()) if shares_folder else None,
                version=version(),
                jobs_by_host=jobs_by_host(futures.watch.workers),
            )
            return futures.submit(make_slab, f"{slab.first}-{slab.stop}", stock, order)

        for done, (slab, arrays, told, part) in enumerate(futures.as_done(planned, begin), 1):
            if told["status"] == "made":
                kept = Kept(arrays["near"], arrays["stay"])
                yield slab, Made(None if shares_folder else part, kept, told["bricks"], told["estimated"])
            else:
                yield slab, MemoryLimitError(told["needed"], told["limit"], float("inf"))
            report_progress(done / len(planned))
    finally:
        futures.end()


def _packed_stock(job: SlabJob) -> bytes:
    mesh, grid = job.mesh, job.grid
    return packed(
        {"points": mesh.points, "triangles": mesh.triangles, "origin": grid.origin},
        name=mesh.name,
        voxel_size=grid.voxel_size,
        shape=list(grid.shape),
    )
