"""Keep Stock: the tool's body is cut out of the stock's own triangles by an exact boolean, which the caller provides.

Only the sweep is voxelized, within a box around the stock. The result is a closed 2-manifold, however often the sweep
intersects itself. The boolean of it and the stock changes only faces that the tool touches. The result is checked. If
it is wrong, the stock is remeshed instead, and a warning says why.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..adaptivity.simplify import Labels
from ..engines.registry import get_backend
from ..exact.touching import trace_notes
from ..field.protocol import Backend
from ..formulas.binding import ON_ARRAYS
from ..formulas.triangle import squared_distance_to_segment
from ..job.carve import CarveResult, carve
from ..job.estimate import check_limit
from ..model.combining import OPERATIONS, Operation
from ..model.grid import Grid
from ..model.mesh import Source, Surface, TriMesh, signed_volume
from ..model.plan import check_voxel_size, job_bounds, plan_grid
from ..model.report import Report
from ..model.sweep import Sweep
from ..primitives.segments import Segments
from ..repair.orientation import flipped, inward_triangles
from ..repair.pairing import paired_triangles
from ..repair.repair import repaired_triangles, turned_note
from ..runtime.errors import EmptyResultError, InputError
from ..runtime.memory import available_bytes, peak_bytes, resident_bytes
from ..runtime.progress import Progress, progress_range, reporting_to
from .voxel_check import compare_voxels

# Voxels between the stock and the box that clips the tool. It is not an integer, so that their sides are never close.
CLEARANCE = 3.37
# Bytes that a boolean and its check take per input triangle, measured.
BYTES_PER_TRIANGLE = 1000
# The largest number of pairs of a wrong edge and a segment that are tested before the boolean.
PAIRS_LOOKED_AT = 4_000_000

# Of the whole time: when the tool is made, and when it is cut out.
TOOL_MADE, CUT = 0.4, 0.85

STAGES = ("voxelize", "sweep", "combine", "surface", "simplify")  # of making the tool

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """The result of a boolean.

    Attributes:
        surface: the triangles of the result, in world space; None if nothing is left.
        faces: number of faces; polygons, if the boolean works on polygons.
        wrong_edges: number of edges without exactly two half-edges in opposite directions.
    """

    surface: Surface | None
    faces: int
    wrong_edges: int


class MeshBoolean(Protocol):
    """An exact boolean of one stock with any tool."""

    def wrong_edges(self) -> Points:
        """(E, 3) midpoints, in world space, of the stock's edges without exactly two opposite half-edges."""

    def __call__(self, tool: Surface, operation: Operation) -> Cut:
        """Subtract the tool from the stock, unite or intersect them. A tool of no faces takes nothing away."""


def keep_stock(
    stock: TriMesh,
    sweep: Sweep,
    voxel_size: float,
    boolean: MeshBoolean,
    *,
    operation: Operation = "subtract",
    tolerance: float = 0.0,
    labels: Labels | None = None,
    backend: str | Backend | None = None,
    memory_limit: int | None = None,
    verified: bool = False,
    progress: Progress | None = None,
) -> CarveResult:
    """Combine a stock with the sweep of paths, and change only the parts of the stock that the sweep touches.

    Args:
        stock: a mesh in world space.
        sweep: the segments, in world space.
        voxel_size: edge of a voxel, in Blender units: how fine the cut is.
        boolean: of this very stock.
        operation: as for `carve`.
        tolerance, labels: as for `carve`, but only faces of the sweep's body are merged, before the boolean.
        backend: a name for `get_backend`, or a backend.
        memory_limit: bytes that the job may take; None is half of the free memory.
        verified: as for `carve`.
        progress: called often; raise CarveCancelled in it to stop the job.

    Returns:
        The boolean's surface, if it is closed and the voxels confirm it; otherwise that of `carve`. The report's
        `result` says which, and its warnings say why.

    Raises:
        InputError, MemoryLimitError, EmptyResultError: as `carve`.
    """
    if operation not in OPERATIONS:
        raise InputError(f"unknown operation '{operation}': choose {', '.join(OPERATIONS)}")
    check_voxel_size(stock, voxel_size)
    limit = available_bytes() // 2 if memory_limit is None else memory_limit
    with reporting_to(progress):
        backend = get_backend(backend)
        carving = partial(
            carve,
            paths=sweep,
            voxel_size=voxel_size,
            tolerance=tolerance,
            backend=backend,
            memory_limit=limit,
            verified=verified,
        )
        return _keep(stock, sweep, voxel_size, boolean, operation, tolerance, labels, backend, limit, carving)


def _keep(
    stock: TriMesh,
    sweep: Sweep,
    voxel_size: float,
    boolean: MeshBoolean,
    operation: Operation,
    tolerance: float,
    labels: Labels | None,
    backend: Backend,
    limit: int,
    carving: Callable[..., CarveResult],
) -> CarveResult:
    """As `keep_stock`. `carving` is `carve` with the arguments that the tool and a remeshed stock share."""
    clock = _Clock(backend)

    def remeshed(reason: str, begun: float) -> CarveResult:
        spent = clock.seconds()
        with progress_range(begun, 1.0, "Voxelize"):
            result = carving(stock, operation=operation, labels=labels)
        warning = f"'{stock.name}' was remeshed, not kept: {reason}"
        seconds = {name: result.report.seconds.get(name, 0.0) + spent[name] for name in spent}
        warnings = (warning, *result.report.warnings)
        return replace(result, report=replace(result.report, seconds=seconds, warnings=warnings))

    edges = boolean.wrong_edges()
    if _survives(edges, sweep, operation):
        reason = f"it is open, or no manifold: {len(edges)} edges outside of the cut are not between two faces"
        return remeshed(reason, 0.0)
    _check_memory(stock, Surface.empty(), voxel_size, limit)
    of_tool = None if labels is None else replace(labels, stock=np.zeros(1, dtype=np.int32))
    with progress_range(0.0, TOOL_MADE, "Voxelize"):
        tool = _tool(stock, sweep, voxel_size, operation, partial(carving, labels=of_tool))
    clock.seconds_of.update({name: tool.seconds[name] for name in STAGES})
    _check_memory(stock, tool.surface, voxel_size, limit)
    with clock.stage("boolean", TOOL_MADE, CUT):
        cut = boolean(tool.surface, operation)
    with clock.stage("judge", CUT, 1.0):
        points, triangles, turned = paired_triangles(stock.points, stock.triangles)
        one_way = TriMesh(points, triangles, stock.name)
        reason = _judge(cut, one_way, tool.surface, operation, voxel_size, backend)
    surface = cut.surface
    if reason or surface is None:
        return remeshed(reason, CUT)
    with progress_range(1.0, 1.0, "Judge"):
        inward = inward_triangles(points, triangles)
        before = signed_volume(points, flipped(triangles, inward))
        after = signed_volume(surface.points, surface.triangles())
    notes = [*turned_note(stock, turned if inward.all() else turned + int(inward.sum()))]
    if inward.all():
        notes.append(f"'{stock.name}' has its normals inverted: it was taken as solid all the same")
    if not (surface.source == Source.PATH).any():
        grid = Grid(stock.bounds().mean(axis=0), voxel_size, (1, 1, 1))
        on_grid, segments = repaired_triangles(stock, grid)[0], Segments.on_grid(sweep, grid)
        with progress_range(1.0, 1.0, "Judge"):
            notes += trace_notes(stock.name, on_grid, segments, voxel_size, operation)
    report = Report(
        operation=operation,
        backend=backend.name,
        device=backend.device,
        voxel_size=voxel_size,
        grid_shape=tool.grid_shape,
        segments=len(sweep),
        stock_triangles=len(stock.triangles),
        removed_volume=before - after,
        volume=after,
        vertices=len(surface.points),
        faces=cut.faces,
        triangles=len(surface.faces),
        closed=True,
        seconds=clock.seconds(),
        counts=tool.counts,
        estimated_memory_mb=max(tool.estimated_memory_mb, _boolean_bytes(stock, tool.surface) / 2**20),
        memory_before_mb=clock.memory_before / 2**20,
        peak_memory_mb=peak_bytes() / 2**20,
        warnings=(*backend.notes, *notes),
        result="keep",
        tolerance=tolerance,
        triangles_before=len(surface.faces) + tool.merged_triangles,
    )
    with progress_range(1.0, 1.0, "Done"):
        return CarveResult(surface, report)


class _Clock:
    """Seconds by stage, and in total, without compiling."""

    def __init__(self, backend: Backend) -> None:
        self._backend, self._began, self._compiled = backend, time.perf_counter(), backend.compile_seconds()
        self.memory_before = resident_bytes()
        self.seconds_of = dict.fromkeys((*STAGES, "boolean", "judge"), 0.0)

    @contextmanager
    def stage(self, name: str, begin: float, end: float) -> Iterator[None]:
        start = time.perf_counter()
        try:
            with progress_range(begin, end, name.capitalize()):
                yield
        finally:
            self.seconds_of[name] += time.perf_counter() - start

    def seconds(self) -> dict[str, float]:
        compiled = self._backend.compile_seconds() - self._compiled
        return self.seconds_of | {"compute": time.perf_counter() - self._began - compiled, "compile": compiled}


@dataclass(frozen=True)
class _Tool:
    """The sweep's body around the stock, and figures of making it. It has no faces if it is nowhere near the stock."""

    surface: Surface
    grid_shape: tuple[int, int, int]
    seconds: dict[str, float]
    counts: dict[str, int]
    estimated_memory_mb: float
    merged_triangles: int


def _tool(
    stock: TriMesh, sweep: Sweep, voxel_size: float, operation: Operation, making: Callable[..., CarveResult]
) -> _Tool:
    """The sweep, clipped to a box around everything that the result can reach."""
    low, high = job_bounds(stock, sweep, operation)
    box = TriMesh.box(low - CLEARANCE * voxel_size, high + CLEARANCE * voxel_size, stock.name)
    try:
        made = making(box, operation="intersect")
    except EmptyResultError:
        shape = plan_grid(box.bounds(), voxel_size).shape
        return _Tool(Surface.empty(), shape, dict.fromkeys(STAGES, 0.0), {}, 0.0, 0)
    report = made.report
    merged = report.triangles_before - report.triangles
    return _Tool(made.surface, report.grid_shape, report.seconds, report.counts, report.estimated_memory_mb, merged)


def _survives(edges: Points, sweep: Sweep, operation: Operation) -> bool:
    """Whether an edge, given by its midpoint (E, 3), certainly remains in the result. Many edges are sampled.

    Distances are to the axes of the segments. A midpoint is outside if it is farther from each than the larger radius.
    It is inside if it is nearer to any than the smaller radius.
    """
    if len(edges) == 0:
        return False
    most = max(1, PAIRS_LOOKED_AT // len(sweep))
    axis = sweep.end - sweep.start
    least = np.minimum(sweep.start_radius, sweep.end_radius)
    greatest = np.maximum(sweep.start_radius, sweep.end_radius)
    for middle in edges[:: -(-len(edges) // most)]:
        distance = np.sqrt(ON_ARRAYS(squared_distance_to_segment)(*(sweep.start - middle).T, *axis.T))
        if (distance < least).any() if operation == "intersect" else (distance > greatest).all():
            return True
    return False


def _judge(cut: Cut, stock: TriMesh, tool: Surface, operation: Operation, voxel_size: float, backend: Backend) -> str:
    """Why a boolean is wrong; empty if it is right."""
    if cut.surface is None:
        return "the boolean left nothing of it"
    if cut.wrong_edges:
        return f"the boolean left {cut.wrong_edges} edges that are not between two faces"
    if len(tool.faces) == 0:
        return ""
    found = compare_voxels(stock, tool.to_tri_mesh(), cut.surface.to_tri_mesh(), operation, voxel_size, backend)
    return "" if found.holds() else f"the boolean was wrong in {found.wrong:,} of {found.stock:,} voxels"


def _boolean_bytes(stock: TriMesh, tool: Surface) -> int:
    return BYTES_PER_TRIANGLE * (len(stock.triangles) + len(tool.triangles()))


def _check_memory(stock: TriMesh, tool: Surface, voxel_size: float, limit: int) -> None:
    """Raise MemoryLimitError if the boolean would take more than `limit` bytes."""
    needed, fixed = _boolean_bytes(stock, tool), BYTES_PER_TRIANGLE * len(stock.triangles)
    # The tool's faces are proportional to the voxels on its surface.
    check_limit(needed, limit, fixed, voxel_size)
