"""A carve in slabs: planned, made one by one or by workers, kept in a folder, and reported."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..engines.registry import get_backend
from ..exact.touching import thickness, trace_notes
from ..field.protocol import Backend
from ..field.stock import PreparedStock, prepare_stock
from ..job.carve import empty_message, warnings_of
from ..job.estimate import check_roughly
from ..job.removed import removed_volume
from ..job.result import Clock
from ..losses import lost_note, lost_share_of_parts, small_radius_notes
from ..model.combining import operation_of
from ..model.mesh import MeshLike, Surface, TriMesh
from ..model.plan import job_bounds, one_voxel_size, plan_grid
from ..model.report import Report
from ..model.sweep import PathsLike, Sweep, left_out_notes
from ..primitives.segments import Segments
from ..repair.repair import repaired_triangles
from ..runtime.errors import CarveError, EmptyResultError, InputError, MemoryLimitError
from ..runtime.limits import allowed_bytes
from ..runtime.memory import array_bytes, memory_texts, resident_bytes
from ..runtime.progress import Progress, progress_range, remaining_progress, reporting_to
from ..sheets import OpenStock, solid_behind
from .folder import read_part
from .joining import Joined
from .making import Made, Slab, SlabJob, Spans, make_part
from .planning import costs, cut, longest_axis
from .written import WrittenParts

PREPARED, MADE = 0.1, 0.95  # when the stock is prepared, and the parts are made, as fractions of the whole


class ThinnestSlabError(MemoryLimitError):
    """Even a slab that is one layer of bricks thick would need more memory than it may take."""

    def __init__(self, estimate_bytes: int, limit_bytes: int, fitting_voxel_size: float = math.inf) -> None:
        super().__init__(estimate_bytes, limit_bytes, fitting_voxel_size)
        needed, allowed = memory_texts(estimate_bytes, limit_bytes)
        said = (
            "even the thinnest slab needs about {needed} and may take {allowed}: raise the limit, or use larger voxels"
        )
        InputError.__init__(self, said, needed=needed, allowed=allowed)


SegmentsOf = Callable[[Slab], Segments]
# Makes slabs of a job, whose stock is prepared, and gives each with what was made, or with an error of its own.
Making = Callable[
    [SlabJob, PreparedStock, Sequence[Slab], SegmentsOf], Iterator[tuple[Slab, Made[Any] | MemoryLimitError]]
]


@dataclass(frozen=True)
class ResultInParts:
    """The result of a carve in slabs, in files.

    Attributes:
        files: the parts, each a .npz of `SurfacePart.arrays`.
        report: the figures of the job.
    """

    files: tuple[Path, ...]
    report: Report

    def joined(self) -> Joined:
        """The surface, to be read some vertices and faces at a time. The files are open as long as it is there."""
        return Joined([read_part(file) for file in self.files])

    def surface(self) -> Surface:
        """The whole surface, in memory: to the bit what `carve` gives."""
        return self.joined().surface()

    def save(self, file: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the surface to a .ply, some vertices and faces at a time. A failed write leaves no partial file.

        Raises:
            InputError: another suffix; the file exists already, or cannot be written.
        """
        from ...formats import save_in_parts

        if Path(file).suffix.lower() != ".ply":
            raise InputError("{file}: what is carved in slabs is written as .ply: choose that", file=file)
        joined = self.joined()
        triangles = (part.triangles() for part in joined.faces())
        save_in_parts(Path(file), joined.vertex_count, joined.points(), joined.triangle_count, triangles, overwrite)


def carve_in_slabs(
    stock: MeshLike,
    paths: PathsLike,
    voxel_size: float | None = None,
    *,
    folder: str | os.PathLike[str],
    resolution: int | None = None,
    operation: str = "subtract",
    backend: str | Backend | None = None,
    memory_limit: int | None = None,
    open_stock: OpenStock = "automatic",
    slabs: int = 1,
    progress: Progress | None = None,
) -> ResultInParts:
    """As `carve`, in slabs, one after the other, so that the mesh never has to fit into memory.

    The surface is to the bit that of `carve`. It lies in the folder in parts. The stock has to fit into memory, and so
    do the paths; of the voxels, and of the mesh, only those of one slab.

    Args:
        stock, paths, voxel_size, resolution, operation, backend, open_stock, progress: as for `carve`. All paths have
            one operation. Holes of the stock are filled, and sheets are refused.
        folder: an empty folder for the parts, or one that is to be made.
        memory_limit: bytes that the job may take, which decides how many slabs there are; None is half of the free
            memory.
        slabs: so many of them at least.

    Raises:
        InputError: as `carve`; the stock is a sheet; or the folder is not empty, or cannot be written.
        MemoryLimitError: the job does not fit even in the thinnest slabs.
        EmptyResultError: nothing is left.
    """
    limit = allowed_bytes(memory_limit)
    with reporting_to(progress):
        found = get_backend(backend)
        make = partial(_make_here, backend=found, limit=limit)
        return carve_by(make, stock, paths, voxel_size, folder, resolution, operation, found, limit, open_stock, slabs)


def carve_by(
    make: Making,
    stock: MeshLike,
    paths: PathsLike,
    voxel_size: float | None,
    folder: str | os.PathLike[str],
    resolution: int | None,
    operation: str,
    backend: Backend,
    limit: int,
    open_stock: OpenStock,
    slabs: int,
) -> ResultInParts:
    """See `carve_in_slabs`. The slabs are made by `make`; `limit` is that of this process, in bytes."""
    place = _empty_folder(folder)
    mesh, sweep, kind = TriMesh.of(stock), Sweep.of(paths), operation_of(operation)
    size = one_voxel_size(mesh, voxel_size, resolution)
    clock, before = Clock(backend), resident_bytes()
    grid = plan_grid(job_bounds(mesh, sweep, kind), size)
    check_roughly(mesh, None, grid, limit, backend)
    backend.begin_job()
    with remaining_progress():
        with clock.stage("voxelize", 0.0, PREPARED):
            repaired = repaired_triangles(mesh, grid)
            if solid_behind(mesh, repaired, sweep, grid, open_stock) is not None:
                raise InputError(
                    "'{name}' is a sheet, which is not carved in slabs: carve it whole, or as a body with holes",
                    name=mesh.name,
                )
            prepared = prepare_stock(mesh, grid, backend, repaired)
        with clock.stage("sweep", PREPARED, PREPARED):
            segments = Segments.on_grid(sweep, prepared.grid).without_repeats()
            axis = longest_axis(prepared.grid)
            spans = Spans.of(segments, axis)
            planned = cut(costs(prepared, segments, axis, backend), axis, slabs)
        known = prepared.triangles, prepared.crossings, prepared.bins
        job = SlabJob(mesh, grid, kind, place, array_bytes(*known, sweep, segments, spans))
        written = WrittenParts()
        side = prepared.table.shape[axis]

        def segments_of(slab: Slab) -> Segments:
            return segments.at(spans.reaching(slab.binned(side)))

        with clock.stage("surface", PREPARED, MADE):
            _make_all(make, job, prepared, planned, segments_of, written)
            nothing = Segments(segments.rows[:0], segments.order[:0])
            volume_of = partial(_volume_of_stock, planned=written.slabs, segments=nothing, backend=backend)
            removed = removed_volume(prepared, written.has_cut, written.volume, volume_of) if written.faces else 0.0
    if not written.faces:
        thick = thickness(prepared.triangles, segments, kind) if kind == "intersect" else 0.0
        raise EmptyResultError(empty_message(mesh.name, kind, volume_of(prepared) > 0, thick, size))
    if not (written.balance == 0 and np.isfinite(written.volume)):
        raise CarveError("the result is not closed: please report this as a bug")
    files = tuple(written.files)
    warnings = backend.notes + warnings_of(prepared)
    warnings += small_radius_notes(map(read_part, files), sweep, size)
    if lost := lost_share_of_parts(written.kept, prepared):
        warnings += (lost_note(lost, prepared),)
    if not written.has_cut:
        warnings += trace_notes(mesh.name, prepared.triangles, segments, size, kind, 0)
    warnings += left_out_notes(sweep)
    return ResultInParts(files, written.report(prepared, job, len(sweep), removed, backend, clock, before, warnings))


def _make_all(
    make: Making,
    job: SlabJob,
    prepared: PreparedStock,
    planned: Sequence[Slab],
    segments_of: SegmentsOf,
    written: WrittenParts,
) -> None:
    """Make all slabs. One that does not fit is cut into several, and so are those that come after it."""
    waiting = list(planned)
    while waiting:
        again: list[Slab] = []
        for slab, made in make(job, prepared, waiting, segments_of):
            if isinstance(made, Made):
                written.add(slab, job.file_of(slab), made)
            else:
                again += _cut_again(slab, made)
            del made  # before the next one takes its place
        waiting = again


def _cut_again(slab: Slab, error: MemoryLimitError) -> list[Slab]:
    """Thinner slabs in place of one that takes too much memory."""
    thick = slab.stop - slab.first
    if thick < 2 or error.limit_bytes <= 0:
        raise ThinnestSlabError(error.estimate_bytes, error.limit_bytes) from error
    count = min(max(2, math.ceil(error.estimate_bytes / error.limit_bytes)), thick)
    ends = [slab.first + thick * number // count for number in range(count + 1)]
    return [Slab(slab.axis, first, stop) for first, stop in pairwise(ends)]


def _make_here(
    job: SlabJob,
    prepared: PreparedStock,
    planned: Sequence[Slab],
    segments_of: SegmentsOf,
    *,
    backend: Backend,
    limit: int,
) -> Iterator[tuple[Slab, Made[Any] | MemoryLimitError]]:
    """Make slabs one after the other: see `Making`. If one does not fit, neither do others that can be cut, which cost
    the same.

    Args:
        limit: bytes that the job may take.
    """
    left, refused = max(limit - job.held, 0), None
    for number, slab in enumerate(planned):
        with progress_range(number / len(planned), (number + 1) / len(planned)):
            try:
                if refused is None or slab.stop - slab.first == 1:
                    yield slab, make_part(prepared, segments_of(slab), slab, job.operation, backend, left)
                    continue
            except MemoryLimitError as error:
                refused = error
            yield slab, refused


def _volume_of_stock(prepared: PreparedStock, planned: Sequence[Slab], segments: Segments, backend: Backend) -> float:
    """The volume of a stock's surface, made cell by cell, one slab after the other."""
    return math.fsum(make_part(prepared, segments, slab, "subtract", backend, 1 << 62).part.volume for slab in planned)


def _empty_folder(folder: str | os.PathLike[str]) -> Path:
    """A folder for parts, made if there is none. Raises InputError if there is anything in it, or it cannot be made."""
    place = Path(folder)
    try:
        place.mkdir(exist_ok=True)
        if any(place.iterdir()):
            raise InputError("{folder} is not empty: choose another folder for the parts", folder=place)
    except OSError as error:
        raise InputError(
            "{folder} cannot hold the parts ({fault}): choose another folder",
            folder=place,
            fault=error.strerror or error,
        ) from error
    return place
