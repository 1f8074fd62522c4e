"""The job: take the swept volume of paths out of a stock, add it, or keep only what both share."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .backend import Backend
from .binning import BinnedSweep
from .bricks import BRICK_VOXELS, REACH, Bins, State
from .choice import get_backend
from .combining import OPERATIONS, Operation, combined_states, filled
from .errors import CarveError, EmptyResultError, InputError
from .memory import available_bytes, peak_bytes
from .mesh import Surface, TriMesh
from .plan import check_memory, check_voxel_size, job_bounds, plan_grid
from .report import Report
from .segments import Segments
from .stock import PreparedStock, prepare_stock, stock_distance
from .surface import Field
from .sweep import Sweep

# Called with the stage and the part of the whole job that is done, 0 to 1; it stops the job by raising CarveCancelled.
Progress = Callable[[str, float], None]

BRICKS_PER_CHUNK = 4096


@dataclass(frozen=True)
class CarveResult:
    """What a carve gives back.

    Attributes:
        surface: the result, in world space.
        report: its figures and warnings.
    """

    surface: Surface
    report: Report


@dataclass
class _Clock:
    """Seconds by stage."""

    seconds: dict[str, float] = field(default_factory=lambda: {"voxelize": 0.0, "sweep": 0.0, "surface": 0.0})

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - start


def carve(
    stock: TriMesh,
    sweep: Sweep,
    voxel_size: float,
    *,
    operation: Operation = "subtract",
    backend: str | Backend | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> CarveResult:
    """Combine a stock with the sweep of paths, and give back a closed mesh.

    Args:
        stock: a mesh in world space; closed, open or self-crossing.
        sweep: the segments, in world space.
        voxel_size: edge of a voxel, in Blender units.
        operation: "subtract" takes the sweep out of the stock, "union" adds it, "intersect" keeps what both share.
        backend: a name for `get_backend`, or a backend.
        memory_limit: bytes that the job may take; None is half of the free memory.
        progress: called often; raise CarveCancelled in it to stop the job.

    Raises:
        InputError: voxel size not positive or larger than the stock, unknown operation, backend that does not work.
        MemoryLimitError: the estimate passes the limit; nothing was allocated.
        EmptyResultError: nothing is left.
    """
    if operation not in OPERATIONS:
        raise InputError(f"unknown operation '{operation}': choose {', '.join(OPERATIONS)}")
    check_voxel_size(stock, voxel_size)
    loading = time.perf_counter()
    if backend is None or isinstance(backend, str):
        backend = get_backend(backend)
    report_progress = progress or _no_progress
    start, clock = time.perf_counter(), _Clock()
    compiled = backend.compile_seconds()
    limit = available_bytes() // 2 if memory_limit is None else memory_limit
    bounds = job_bounds(stock, sweep, operation)
    grid = plan_grid(bounds, voxel_size)
    check_memory(stock, sweep, grid, limit, backend)

    report_progress("Voxelize", 0.02)
    with clock.stage("voxelize"):
        prepared = prepare_stock(stock, grid, backend)
    if prepared.grid is not grid:
        grid = prepared.grid
        check_memory(stock, sweep, grid, limit, backend)
    report_progress("Sweep", 0.2)
    with clock.stage("sweep"):
        segments = Segments.on_grid(sweep, grid)
        binned = backend.bin_segments(segments, grid)
    result, removed, had_voxels = _combine(prepared, segments, binned, operation, backend, clock, report_progress)
    if not (result.distance <= 0).any() and not (result.states == State.SOLID).any():
        raise EmptyResultError(_empty_message(stock.name, operation, had_voxels))
    report_progress("Surface", 0.7)
    with clock.stage("surface"):
        surface = backend.extract_surface(result, grid, by_outside=operation != "union")
    report_progress("Surface", 0.95)
    volume, closed = backend.measure(surface)
    if not closed:
        raise CarveError("the result is not closed: please report this as a bug")
    compiled = backend.compile_seconds() - compiled
    clock.seconds["compute"] = time.perf_counter() - start - compiled
    clock.seconds["compile"] = start - loading + compiled
    report = Report(
        operation=operation,
        backend=backend.name,
        device=backend.device,
        voxel_size=grid.voxel_size,
        grid_shape=grid.shape,
        segments=len(sweep),
        stock_triangles=len(stock.triangles),
        removed_volume=removed * grid.voxel_size**3,
        volume=volume,
        vertices=len(surface.points),
        faces=len(surface.quads),
        triangles=2 * len(surface.quads),
        closed=closed,
        seconds=clock.seconds,
        bricks=len(result.bricks),
        peak_memory_mb=peak_bytes() / 2**20,
        warnings=backend.notes + _warnings(stock, prepared, operation, removed),
    )
    report_progress("Done", 1.0)
    return CarveResult(surface, report)


def _no_progress(stage: str, fraction: float) -> None:
    """Nobody listens."""


def _combine(
    prepared: PreparedStock,
    segments: Segments,
    binned: BinnedSweep,
    operation: Operation,
    backend: Backend,
    clock: _Clock,
    progress: Progress,
) -> tuple[Field, float, bool]:
    """The result's field, how many voxels' volume the stock lost, and whether it had a voxel inside."""
    stock_states, sweep_states = prepared.states, binned.states
    states = combined_states(stock_states, sweep_states, operation)
    bricks = np.flatnonzero(states == State.NEAR)
    distance = np.empty((len(bricks), BRICK_VOXELS), dtype=np.float32)
    source = np.empty((len(bricks), BRICK_VOXELS), dtype=np.uint8)
    removed, had_voxels = 0.0, bool((stock_states == State.SOLID).any())
    for start in range(0, len(bricks), BRICKS_PER_CHUNK):
        progress("Sweep", 0.25 + 0.4 * start / len(bricks))
        chunk = slice(start, start + BRICKS_PER_CHUNK)
        ids = bricks[chunk]
        with clock.stage("voxelize"):
            solid = _uniform(stock_states, ids)
            closure = np.zeros(solid.shape, dtype=bool)
            bins, rows = _bins_of(prepared.bins, ids)
            solid[rows], closure[rows] = stock_distance(prepared, bins, backend)
        with clock.stage("sweep"):
            swept = _uniform(sweep_states, ids)
            bins, rows = _bins_of(binned.bins, ids)
            swept[rows] = backend.segment_distance(segments, bins, prepared.table)
        distance[chunk], source[chunk], lost = backend.combine(solid, closure, swept, operation)
        removed += lost
        had_voxels = had_voxels or bool((solid <= 0).any())
    with clock.stage("voxelize"):
        lost, had_more = _removed_whole(prepared, states, backend)
    return Field(prepared.table, states, bricks, distance, source), removed + lost, had_voxels or had_more


def _uniform(states: npt.NDArray[np.uint8], ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """(N, 512) distances that say no more than the state of each brick."""
    side = np.where(states.ravel()[ids] == State.SOLID, -REACH, REACH).astype(np.float32)
    return np.repeat(side[:, None], BRICK_VOXELS, axis=1)


def _bins_of(bins: Bins, ids: npt.NDArray[np.int64]) -> tuple[Bins, npt.NDArray[np.int64]]:
    """The bins of those bricks among `ids` (N,) that have some, and their rows in `ids`."""
    part = bins.part(*np.searchsorted(bins.bricks, [ids[0], ids[-1] + 1]))
    part = part.select(np.isin(part.bricks, ids))
    return part, np.searchsorted(ids, part.bricks)


def _removed_whole(prepared: PreparedStock, states: npt.NDArray[np.uint8], backend: Backend) -> tuple[float, bool]:
    """Voxels' volume lost in bricks that are uniform in the result, and whether the stock had a voxel inside there."""
    stock, result = prepared.states, states
    lost = BRICK_VOXELS * float(((stock == State.SOLID) & (result == State.EMPTY)).sum())
    lost -= BRICK_VOXELS * float(((stock == State.EMPTY) & (result == State.SOLID)).sum())
    near = prepared.bins.select(result.ravel()[prepared.bins.bricks] != State.NEAR)
    had_voxels = False
    kept = BRICK_VOXELS * float((result.ravel()[near.bricks] == State.SOLID).sum())
    for start in range(0, len(near.bricks), BRICKS_PER_CHUNK):
        distance, _ = stock_distance(
            prepared, near.part(start, min(start + BRICKS_PER_CHUNK, len(near.bricks))), backend
        )
        lost += float(filled(distance).sum(dtype=np.float64))
        had_voxels = had_voxels or bool((distance <= 0).any())
    return lost - kept, had_voxels


def _empty_message(name: str, operation: Operation, had_voxels: bool) -> str:
    if not had_voxels:
        return f"'{name}' encloses no volume of a voxel: it is flat, thin, or too open; close it, or use smaller voxels"
    if operation == "intersect":
        return f"nothing is left of '{name}': the paths do not reach it"
    return f"nothing is left of '{name}': the paths carve all of it away; check the radius, or carve less"


def _warnings(stock: TriMesh, prepared: PreparedStock, operation: Operation, removed: float) -> tuple[str, ...]:
    found = []
    if len(prepared.boundary):
        found.append(
            f"'{stock.name}' is open ({len(prepared.boundary)} open edges): its holes were closed by the winding number"
        )
    elif prepared.crossings.volume() < 0:
        found.append(f"'{stock.name}' has its normals inverted: it was taken as solid all the same")
    if operation == "subtract" and removed == 0:
        found.append(f"the paths do not touch '{stock.name}': it comes back whole")
    return tuple(found)
