"""Sweeps combined with one large occupancy on the workers of Dask, some layers of it a task.

The occupancy lies on a disk that all workers see, stored by Zarr or as a .npy. A layer of chunks belongs to one task,
so no two write the same file. What is done is noted beside the target, so a run that ended half-way goes on where it
was. Sweeps may be combined twice with the same layers, without a change: so it does not matter what was half done.
"""

import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compute import Grid, InputError, Progress, Sweep
from ..compute.model import OperationName, PathsLike, operation_of
from ..compute.runtime import Sentence, report_progress, reporting_to
from ..formats import readable, replacing
from .cluster import Cluster, compare_versions
from .futures import Futures
from .occupancy_worker import combine_layers, opened
from .packing import packed
from .process import version
from .slab_worker import hold

LAYERS = 64  # of a task, where the array has no chunks
NOTE_SUFFIX = ".carved.json"


def combine(
    occupancy: str | os.PathLike[str],
    grid: Grid,
    sweeps: Sequence[tuple[OperationName, PathsLike]],
    *,
    client: Any,
    target: str | os.PathLike[str] | None = None,
    backend: str | None = None,
    progress: Progress | None = None,
) -> list[int]:
    """Combine sweeps, in their order, with an occupancy: what a `CarveSession` does, on workers.

    Args:
        occupancy: where it is stored, (Z, Y, X) of bool, or of uint8 with 0 and 1, of the grid's shape: a folder of
            Zarr, or a .npy.
        grid: where the voxels lie.
        sweeps: each an operation, and paths as for `Sweep.of`.
        client: a `distributed.Client`. Its workers see the same files, and have this package in this version.
        target: an array of the same kind, shape and chunks that is there already, and gets the result; None changes the
            occupancy in place.
        backend: a name for `get_dense_backend` that each worker has; None is the best one of each.
        progress: called several times a second; raise CarveCancelled in it to stop the work.

    Returns:
        For each sweep, in order: the number of voxels that it cleared, less those that it set.

    Raises:
        InputError: as `CarveSession`; no such array; a target of another shape; or a worker has another version.
        LostSchedulerError: the scheduler went away, or has had no workers for long.
        CarveError: some layers could not be combined, wherever that was tried.
    """
    source = Path(occupancy).absolute()
    to = source if target is None else Path(target).absolute()
    queue = [(operation_of(operation), Sweep.of(paths)) for operation, paths in sweeps]
    shape, depth = _described(source, to, grid)
    compare_versions(client)
    note = _Note.of(to, _fingerprint(source, to, grid, queue))
    parts = [(first, min(first + depth, shape[0])) for first in range(0, shape[0], depth)]
    run = secrets.token_hex(8)
    with reporting_to(progress):
        futures = Futures(Cluster(client, str(client.scheduler.address), is_local=False), run, Sentence("carve again"))
        try:
            common = futures.submit(hold, "sweeps", _packed(source, to, grid, queue, backend, run))
            waiting = [part for part in parts if part[0] not in note.removed]
            done = len(parts) - len(waiting)
            report_progress(done / len(parts))

            def begin(part: tuple[int, int]) -> Any:
                return futures.submit(combine_layers, f"{part[0]}-{part[1]}", common, packed({}, layers=part))

            for part, _, told, _ in futures.as_done(waiting, begin):
                note.add(part[0], told["removed"])
                done += 1
                report_progress(done / len(parts))
        finally:
            futures.end()
    note.remove()
    counts = np.array(list(note.removed.values()), dtype=np.int64).reshape(-1, len(queue))
    return [int(count) for count in counts.sum(axis=0)]


class _Note:
    """What is done of a job, in a file beside its target.

    Attributes:
        removed: the counts of each sweep, by the first layer of each task that is done.
    """

    def __init__(self, file: Path, job: str, removed: dict[int, list[int]]) -> None:
        self.file, self.job, self.removed = file, job, removed

    @classmethod
    def of(cls, target: Path, job: str) -> "_Note":
        """The note of a job; another job's counts for nothing."""
        file = target.with_name(target.name + NOTE_SUFFIX)
        known: dict[int, list[int]] = {}
        with suppress(OSError, ValueError, TypeError, AttributeError):
            told = json.loads(file.read_text(encoding="utf-8"))
            if told["job"] == job:
                known = {int(first): list(counts) for first, counts in told["removed"].items()}
        return cls(file, job, known)

    def add(self, first: int, removed: list[int]) -> None:
        """Note that the layers from `first` on are done."""
        self.removed[first] = removed
        with replacing(self.file, overwrite=True) as beside:
            beside.write_text(json.dumps({"job": self.job, "removed": self.removed}), encoding="utf-8")

    def remove(self) -> None:
        """Remove the file: all is done."""
        self.file.unlink(missing_ok=True)


def _described(source: Path, target: Path, grid: Grid) -> tuple[tuple[int, ...], int]:
    """The shape of the occupancy, and how many layers a task has: those of the target's chunks."""
    arrays = [opened(file) for file in dict.fromkeys((source, target))]
    for file, array in zip((source, target), arrays, strict=False):
        if tuple(array.shape) != grid.shape:
            raise InputError(
                "{file} has the shape {shape}, and the grid has {grid}: give the grid of the array",
                file=readable(file),
                shape=" x ".join(map(str, array.shape)),
                grid=" x ".join(map(str, grid.shape)),
            )
    chunks = getattr(arrays[-1], "chunks", None)
    return tuple(arrays[0].shape), int(chunks[0]) if chunks else LAYERS


def _packed(
    source: Path, target: Path, grid: Grid, queue: Sequence[tuple[str, Sweep]], backend: str | None, run: str
) -> bytes:
    arrays: dict[str, npt.NDArray[Any]] = {"origin": grid.origin}
    for number, (_, sweep) in enumerate(queue):
        arrays |= {f"{name}{number}": getattr(sweep, name) for name in ("start", "end", "start_radius", "end_radius")}
    return packed(
        arrays,
        run=run,
        version=version(),
        source=str(source),
        target=str(target),
        voxel_size=grid.voxel_size,
        shape=list(grid.shape),
        operations=[operation for operation, _ in queue],
        backend=backend,
    )


def _fingerprint(source: Path, target: Path, grid: Grid, queue: Sequence[tuple[str, Sweep]]) -> str:
    """What tells this job from others, as a text."""
    return sha256(_packed(source, target, grid, queue, None, "")).hexdigest()
