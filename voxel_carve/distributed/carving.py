"""One job on the workers of Dask, a slab a task.

Who asks decides which slabs there are, and writes the parts as they come. A worker that is lost takes nothing along but
the slab that it was at, which Dask gives to another one.
"""

import os
import queue
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ..compute import CarveError, InputError, MemoryLimitError, PreparedStock, Progress, ResultInParts, get_backend
from ..compute.losses import Kept
from ..compute.model import MeshLike, PathsLike, SurfacePart
from ..compute.runtime import Sentence, allowed_bytes, report_progress, reporting_to
from ..compute.slabs import Made, SegmentsOf, Slab, SlabJob, carve_by
from .cluster import Cluster, compare_versions, jobs_by_host
from .packing import packed, unpacked
from .process import cancel
from .slab_worker import hold, make_slab
from .watch import Watch

LOOK_EVERY = 0.1  # seconds between two reports of progress
ANSWER_SECONDS = 60.0  # to wait for a part that is there


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
    slabs: int | None = None,
    progress: Progress | None = None,
) -> ResultInParts:
    """As `carve_in_slabs`, on the workers of Dask.

    A worker works on the card that Dask has given it. Its stock is prepared once, and it gets the segments near its
    slab alone.

    Args:
        stock, paths, voxel_size, folder, resolution, operation, progress: as for `carve_in_slabs`. The folder is
            this computer's.
        client: a `distributed.Client`. Its workers have this package installed, in this version.
        backend: a name that each worker has; None is the best one of each.
        memory_limit: bytes that a slab may take on its worker; None is half of the free memory of its computer, shared
            by its workers, and less than what Dask would end it for.
        slabs: so many of them at least; None is one for each thread of all workers.

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
        make = partial(_make_there, cluster=cluster, backend=backend, limit=limit)
        return carve_by(
            make, stock, paths, voxel_size, Path(folder), resolution, operation, here, allowed_bytes(None), count
        )


def _make_there(
    job: SlabJob,
    prepared: PreparedStock,
    planned: Sequence[Slab],
    segments_of: SegmentsOf,
    *,
    cluster: Cluster,
    backend: str | None,
    limit: int | None,
) -> Iterator[tuple[Slab, Made | MemoryLimitError]]:
    """Make slabs on workers: see `Making`."""
    run = _Run(cluster, job, segments_of, backend, limit)
    try:
        yield from run.made(planned)
    finally:
        run.end()


@dataclass
class _Run:
    """Slabs while they are made.

    Attributes:
        begun: the futures that are with the scheduler, by their slabs.
        heard: the slabs that have ended.
    """

    cluster: Cluster
    job: SlabJob
    segments_of: SegmentsOf
    backend: str | None
    limit: int | None
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    begun: dict[Slab, Any] = field(default_factory=dict)
    heard: "queue.SimpleQueue[Slab]" = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        self.watch = Watch(self.cluster, Sentence("carve again"))
        self.stock = self._submit(hold, "stock", self._stock())

    def made(self, planned: Sequence[Slab]) -> Iterator[tuple[Slab, Made | MemoryLimitError]]:
        """What was made of each slab, as it comes."""
        waiting, done = deque(planned), 0
        while waiting or self.begun:
            # One more than workers can run, so that none waits for us.
            if waiting and len(self.begun) <= sum(self.watch.look().values()):
                self._begin(waiting.popleft())
                continue
            report_progress(done / len(planned))
            slab = self._next()
            if slab is not None:
                found = self._result(slab)
                del self.begun[slab]
                done += 1
                yield slab, found

    def end(self) -> None:
        """Leave what is not done."""
        with suppress(Exception):  # the scheduler may be gone
            if self.begun:
                self.cluster.client.cancel(list(self.begun.values()), force=True)
                self.cluster.client.run(cancel, self.name)
            self.stock.release()

    def _begin(self, slab: Slab) -> None:
        segments = self.segments_of(slab)
        order = packed(
            {"rows": segments.rows, "order": segments.order},
            run=self.name,
            slab=list(slab),
            operation=self.job.operation,
            backend=self.backend,
            limit=self.limit,
            here=max(jobs_by_host(self.watch.workers).values(), default=1),
        )
        future = self._submit(make_slab, f"{slab.first}-{slab.stop}", self.stock, order)
        self.begun[slab] = future
        future.add_done_callback(lambda _: self.heard.put(slab))

    def _submit(self, function: Any, name: str, *arguments: Any) -> Any:
        return self.cluster.client.submit(
            function, *arguments, key=f"voxel_carve-{self.name}-{name}", pure=False, retries=0
        )

    def _next(self) -> Slab | None:
        """The next slab that ends; none if it takes long."""
        self.watch.look()
        with suppress(queue.Empty):
            return self.heard.get(timeout=LOOK_EVERY)
        return None

    def _result(self, slab: Slab) -> Made | MemoryLimitError:
        future = self.begun[slab]
        try:
            arrays, told = unpacked(future.result(timeout=ANSWER_SECONDS))
        except Exception as error:
            if future.status != "error":
                raise self.watch.lost() from error
            raise _why(error) from error
        finally:
            future.release()
        match told["status"]:
            case "made":
                kept = Kept(arrays["near"], arrays["stay"])
                return Made(SurfacePart.of_arrays(arrays), kept, told["bricks"], told["estimated"])
            case "memory":
                return MemoryLimitError(told["needed"], told["limit"], float("inf"))
            case "cancelled":
                raise CarveError("a slab was cancelled on its worker")
        raise InputError(told["error"])

    def _stock(self) -> bytes:
        mesh, grid = self.job.mesh, self.job.grid
        return packed(
            {"points": mesh.points, "triangles": mesh.triangles, "origin": grid.origin},
            name=mesh.name,
            voxel_size=grid.voxel_size,
            shape=list(grid.shape),
        )


def _why(error: Exception) -> CarveError:
    """Why a worker has no part of a slab."""
    if type(error).__name__ != "KilledWorker":
        fault = f"{type(error).__name__}: {error}"
        return CarveError(Sentence("a worker could not make its slab ({fault})", fault=fault))
    return InputError(
        "the worker of a slab was lost {times} times: it may need more memory than there is; give a memory limit, or "
        "more slabs",
        times=error.allowed_failures + 1,  # type: ignore[attr-defined]
    )
