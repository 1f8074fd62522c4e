"""Keep Stock: the tool's body is cut out of the stock's own triangles by an exact boolean, which the caller provides.

Only the sweep is voxelized, within a box around the stock. The result is a closed 2-manifold, however often the sweep
intersects itself. The boolean of it and the stock changes only faces that the tool touches. The result is checked. If
it is wrong, the stock is remeshed instead, and a warning says why.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..adaptivity.simplify import Labels
from ..engines.numba.compiler.loading import load_kernels
from ..engines.registry import get_backend
from ..exact.nearest import nearest
from ..exact.touching import trace_notes
from ..field.protocol import Backend
from ..job.carve import STAGES, CarveResult, Clock, carve
from ..job.estimate import check_limit
from ..model.combining import OPERATIONS, Operation
from ..model.grid import Grid
from ..model.mesh import Source, Surface, TriMesh, signed_volume
from ..model.plan import check_voxel_size, job_bounds, plan_grid
from ..model.report import Report
from ..model.sweep import Sweep
from ..primitives.segments import Segments
from ..repair.orientation import flipped, inward_triangles, paired_triangles
from ..repair.repair import repaired_triangles, turned_note
from ..runtime.errors import EmptyResultError, InputError
from ..runtime.memory import allowed_bytes, peak_bytes, resident_bytes
from ..runtime.progress import Progress, progress_range, reporting_to
from .voxel_check import compare_voxels

# Voxels between the stock and the box that clips the tool. It is not an integer, so that their sides are never close.
CLEARANCE = 3.37
# Bytes that a boolean and its check take per input triangle, measured.
BYTES_PER_TRIANGLE = 1000

# Of the whole time: when the tool is made, and when it is cut out.
TOOL_MADE, CUT = 0.4, 0.85

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
        operation, tolerance, labels, backend, memory_limit, verified, progress: as for `carve`. But only faces of the
            sweep's body are merged, before the boolean.

    Returns:
        The boolean's surface, if it is closed and the voxels confirm it; otherwise that of `carve`. The report's
        `result` says which, and its warnings say why.

    Raises:
        InputError, MemoryLimitError, EmptyResultError: as `carve`.
    """
    if operation not in OPERATIONS:
        raise InputError(f"unknown operation '{operation}': choose {', '.join(OPERATIONS)}")
    check_voxel_size(stock, voxel_size)
    limit = allowed_bytes(memory_limit)
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
    clock = Clock(dict.fromkeys((*STAGES, "boolean", "judge"), 0.0))
    began, compiled, before = time.perf_counter(), backend.compile_seconds(), resident_bytes()

    def spent() -> dict[str, float]:
        compiling = backend.compile_seconds() - compiled
        return clock.seconds | {"compute": time.perf_counter() - began - compiling, "compile": compiling}

    def remeshed(reason: str, begun: float) -> CarveResult:
        seconds = spent()
        with progress_range(begun, 1.0, "Voxelize"):
            result = carving(stock, operation=operation, labels=labels)
        warning = f"'{stock.name}' was remeshed, not kept: {reason}"
        seconds = {name: result.report.seconds.get(name, 0.0) + seconds[name] for name in seconds}
        warnings = (warning, *result.report.warnings)
        return replace(result, report=replace(result.report, seconds=seconds, warnings=warnings))

    edges, grid = boolean.wrong_edges(), Grid(stock.bounds().mean(axis=0), voxel_size, (1, 1, 1))
    if len(edges) and _survives(grid.to_voxels(edges), Segments.on_grid(sweep, grid), operation):
        reason = f"it is open, or no manifold: {len(edges)} edges outside of the cut are not between two faces"
        return remeshed(reason, 0.0)
    _check_memory(stock, Surface.empty(), voxel_size, limit)
    # The sweep, clipped to a box around everything that the result can reach.
    low, high = job_bounds(stock, sweep, operation)
    box = TriMesh.box(low - CLEARANCE * voxel_size, high + CLEARANCE * voxel_size, stock.name)
    of_tool = None if labels is None else replace(labels, stock=np.zeros(1, dtype=np.int32))
    made, tool = None, Surface.empty()
    with progress_range(0.0, TOOL_MADE, "Voxelize"), suppress(EmptyResultError):  # none of it is near the stock
        made = carving(box, operation="intersect", labels=of_tool)
        tool = made.surface
        clock.seconds.update({name: made.report.seconds[name] for name in STAGES})
    _check_memory(stock, tool, voxel_size, limit)
    with clock.stage("boolean", TOOL_MADE, CUT):
        cut = boolean(tool, operation)
    with clock.stage("judge", CUT, 1.0):
        points, triangles, turned = paired_triangles(stock.points, stock.triangles)
        reason = _judge(cut, TriMesh(points, triangles, stock.name), tool, operation, voxel_size, backend)
    surface = cut.surface
    if reason or surface is None:
        return remeshed(reason, CUT)
    with progress_range(1.0, 1.0, "Judge"):
        inward = inward_triangles(points, triangles)
        volume = signed_volume(surface.points, surface.triangles())
        removed = signed_volume(points, flipped(triangles, inward)) - volume
    notes = [*turned_note(stock, turned if inward.all() else turned + int(inward.sum()))]
    if inward.all():
        notes.append(f"'{stock.name}' has its normals inverted: it was taken as solid all the same")
    if not (surface.source == Source.PATH).any():
        on_grid, segments = repaired_triangles(stock, grid)[0], Segments.on_grid(sweep, grid)
        with progress_range(1.0, 1.0, "Judge"):
            notes += trace_notes(stock.name, on_grid, segments, voxel_size, operation)
    report = Report(
        operation=operation,
        backend=backend.name,
        device=backend.device,
        voxel_size=voxel_size,
        grid_shape=plan_grid(box.bounds(), voxel_size).shape,
        segments=len(sweep),
        stock_triangles=len(stock.triangles),
        removed_volume=removed,
        volume=volume,
        vertices=len(surface.points),
        faces=cut.faces,
        triangles=len(surface.faces),
        closed=True,
        seconds=spent(),
        counts=made.report.counts if made else {},
        estimated_memory_mb=max(made.report.estimated_memory_mb if made else 0.0, _boolean_bytes(stock, tool) / 2**20),
        memory_before_mb=before / 2**20,
        peak_memory_mb=peak_bytes() / 2**20,
        warnings=(*backend.notes, *notes),
        result="keep",
        tolerance=tolerance,
        triangles_before=len(surface.faces) + (made.report.triangles_before - made.report.triangles if made else 0),
    )
    with progress_range(1.0, 1.0, "Done"):
        return CarveResult(surface, report)


def _survives(edges: Points, segments: Segments, operation: Operation) -> bool:
    """Whether an edge, given by its midpoint (E, 3), remains in the result. Lengths are in voxels."""
    with progress_range(0.0, 0.0, "Voxelize"):
        load_kernels("exact")
        distance, _ = nearest(edges, segments)
    return bool((distance < 0).any() if operation == "intersect" else (distance > 0).any())


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
