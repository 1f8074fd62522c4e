"""Keep Stock: the tool's body is cut out of the stock's own triangles by an exact boolean.

Only the sweep is voxelized, within a box around the stock. The result is a closed 2-manifold, however often the sweep
intersects itself. The boolean of it and the stock changes only faces that the tool touches. Meanwhile sheets are closed
by the solid behind them, and holes by lids, which the tool must not touch. The result is checked. If it is wrong, the
stock is remeshed instead, and a warning says why.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ..adaptivity.simplify import Labels, checked_labels
from ..engines.registry import get_backend
from ..exact.inner_shells import inner_shell_notes
from ..exact.touching import trace_notes
from ..field.protocol import Backend
from ..job.carve import carve
from ..job.chain import after
from ..job.estimate import beside, check_limit
from ..job.preview import foretold_counts
from ..job.result import STAGES, CarveResult, Clock
from ..job.sheets import of_sheet
from ..losses import small_radius_notes
from ..model.combining import Operation
from ..model.grid import Grid, as_length_or_zero
from ..model.mesh import MeshLike, Source, Surface, TriMesh, used_points
from ..model.plan import job_bounds, one_voxel_size, plan_grid
from ..model.report import Report
from ..model.steps import Operations, Step, operations_of, steps_of
from ..model.sweep import PathsLike, Sweep, left_out_notes
from ..primitives.segments import Segments
from ..repair.flat_lids import closed_volume
from ..repair.orientation import flipped, inward_triangles, paired_triangles
from ..repair.repair import inverted_note, repaired_triangles, turned_note
from ..runtime.errors import EmptyResultError
from ..runtime.limits import allowed_bytes
from ..runtime.memory import array_bytes, peak_bytes, resident_bytes
from ..runtime.progress import Progress, progress_range, reporting_to
from ..runtime.sentences import Sentence
from ..sheets import OpenStock, solid_of
from .cut import Body, Cut
from .judge import NEAR_HOLE, ClosedStock, reason_against
from .lids import do_agree, find_lids
from .manifold_boolean import ManifoldBoolean

# Voxels between the stock and the box that clips the tool. It is not an integer, so that their sides are never close.
CLEARANCE = 3.37
# Bytes that a boolean and its check take per input triangle, measured.
BYTES_PER_TRIANGLE = 1000

# Of the whole time: when the tool is made, and when it is cut out.
TOOL_MADE, CUT = 0.4, 0.85

Points = npt.NDArray[np.float64]


def keep_stock(
    stock: MeshLike,
    paths: PathsLike,
    voxel_size: float | None = None,
    *,
    resolution: int | None = None,
    operation: Operations = "subtract",
    tolerance: float = 0.0,
    labels: Labels | None = None,
    backend: str | Backend | None = None,
    memory_limit: int | None = None,
    verified: bool = False,
    open_stock: OpenStock = "automatic",
    close: bool = False,
    progress: Progress | None = None,
) -> CarveResult:
    """Combine a stock with the sweep of paths, and change only the parts of the stock that the sweep touches.

    Args:
        stock: a mesh in world space: see `TriMesh.of`. An open one stays as open as it is.
        paths: those of the tool, in world space: see `Sweep.of`.
        voxel_size: edge of a voxel, in the unit of the points: how fine the cut is.
        resolution, operation, tolerance, labels, backend, memory_limit, verified, open_stock, close, progress: as for
            `carve`. But only faces of the sweep's body are merged, before the boolean.

    Returns:
        The boolean's surface, if the voxels confirm it; otherwise that of `carve`. The report's `result` says which,
        and its warnings say why.

    Raises:
        InputError, MemoryLimitError, EmptyResultError: as `carve`; CarveError: the boolean's process ended.
    """
    stock, sweep, operation = TriMesh.of(stock), Sweep.of(paths), operations_of(operation)
    steps = steps_of(sweep, operation)
    voxel_size = one_voxel_size(stock, voxel_size, resolution)
    tolerance = as_length_or_zero(tolerance, Sentence("tolerance"))
    labels, limit = checked_labels(labels), allowed_bytes(memory_limit)
    with reporting_to(progress):
        backend = get_backend(backend)
        clock = Clock(backend)
        with clock.stage("voxelize", 0.0, 0.0):
            solid = solid_of(stock, sweep, voxel_size, open_stock)
        mesh = stock if solid is None else solid.mesh
        carving = partial(
            carve,
            paths=sweep,
            voxel_size=voxel_size,
            tolerance=tolerance,
            backend=backend,
            memory_limit=limit,
            verified=verified,
            open_stock="fill",
        )
        labels = labels if solid is None else solid.labels(labels)
        first = _Job(mesh, sweep, voxel_size, steps[0].operation, tolerance, labels, backend, limit, carving)
        result = _keep(first) if len(steps) == 1 else _keep_in_steps(first, steps, operation)
        result = result.with_warnings(left_out_notes(sweep))
        return result if solid is None else of_sheet(result, stock, solid, "sheet", close, clock.seconds["voxelize"])


def _keep_in_steps(whole: "_Job", steps: tuple[Step, ...], operations: Operations) -> CarveResult:
    """As `keep_stock`, step by step. If one of them cannot keep its stock, the first stock is remeshed in all steps."""
    done, stock, labels = None, whole.stock, whole.labels
    for number, step in enumerate(steps):
        if labels is not None and whole.labels is not None and whole.labels.path.size > 1:
            labels = Labels(np.zeros(1, dtype=np.int32), whole.labels.path[step.segments])
        carving = partial(whole.carving, paths=step.sweep)
        with (
            beside(0 if done is None else array_bytes(done.surface), whole.limit) as left,
            progress_range(number / len(steps), (number + 1) / len(steps)),
        ):
            job = replace(whole, stock=stock, sweep=step.sweep, operation=step.operation, labels=labels, limit=left)
            made = _keep(replace(job, carving=partial(carving, memory_limit=left), step=number + 1))
        if made.report.result != "keep":
            remeshed = whole.carving(whole.stock, operation=operations, labels=whole.labels)
            warnings = (made.report.warnings[0], *remeshed.report.warnings)
            return replace(remeshed, report=replace(remeshed.report, warnings=warnings))
        done = after(done, made, step)
        stock = done.surface.to_tri_mesh(whole.stock.name)
    assert done is not None  # there are steps
    return done


@dataclass(frozen=True)
class _Job:
    """The arguments of `keep_stock`. `carving` is `carve` with those that the tool and a remeshed stock share; `step`
    is the number of a step of several, from 1, else 0."""

    stock: TriMesh
    sweep: Sweep
    voxel_size: float
    operation: Operation
    tolerance: float
    labels: Labels | None
    backend: Backend
    limit: int
    carving: Callable[..., CarveResult]
    step: int = 0

    def tool(self, bounds: Points) -> CarveResult | None:
        """The sweep, clipped to a box around bounds (2, 3) that contain every possible result; None if nothing of it is
        in the box."""
        reach, far = self.sweep.bounds(), CLEARANCE * self.voxel_size
        if self.operation == "union":
            low, high = reach
        else:
            low, high = np.maximum(bounds[0], reach[0]), np.minimum(bounds[1], reach[1])
        if (low - far >= high + far).any():
            return None
        box = TriMesh.box(low - far, high + far, self.stock.name)
        self._check_early(box)
        labels = None if self.labels is None else replace(self.labels, stock=np.zeros(1, dtype=np.int32))
        with suppress(EmptyResultError):
            return self.carving(box, operation="intersect", labels=labels)
        return None

    def _check_early(self, box: TriMesh) -> None:
        """Raise MemoryLimitError if the tool, the sweep in a box, surely has too many triangles for the boolean."""
        self.backend.begin_job()
        grid = plan_grid(job_bounds(box, self.sweep, "intersect"), self.voxel_size)
        counts = foretold_counts(box, self.sweep, "intersect", grid, self.backend)
        if counts is not None:
            self.check_memory(2 * counts.expected_vertices)

    def check_memory(self, tool_triangles: int) -> float:
        """The bytes that the boolean takes. Raise MemoryLimitError if they are more than the limit."""
        fixed = BYTES_PER_TRIANGLE * len(self.stock.triangles)
        needed = fixed + BYTES_PER_TRIANGLE * tool_triangles
        # The tool's faces are proportional to the voxels on its surface.
        check_limit(needed, self.limit, fixed, self.voxel_size)
        return needed


def _keep(job: _Job) -> CarveResult:
    """As `keep_stock`."""
    clock, before = Clock(job.backend, (*STAGES, "boolean", "judge")), resident_bytes()
    job.check_memory(0)
    with ManifoldBoolean() as boolean:
        with progress_range(0.0, 0.0, "Voxelize"):
            points, triangles, turned = paired_triangles(job.stock.points, job.stock.triangles)
            lids = find_lids(points, triangles, job.sweep, _grid_of(job))
        if lids is None:
            return _remeshed(job, clock, NEAR_HOLE, 0.0)
        closed = TriMesh(*lids.close(points, triangles), job.stock.name)
        with progress_range(0.0, TOOL_MADE, "Voxelize"):
            made = job.tool(closed.bounds())
            tool = made.surface if made else Surface.empty()
            clock.seconds.update({name: made.report.seconds[name] for name in STAGES} if made else {})
            agree = do_agree(lids, points, tool.points, _grid_of(job))
        if not agree:
            return _remeshed(job, clock, NEAR_HOLE, TOOL_MADE)
        needed = job.check_memory(tool.triangle_count())
        with clock.stage("boolean", TOOL_MADE, CUT):
            inward = inward_triangles(closed.points, closed.triangles)
            closed = replace(closed, triangles=flipped(closed.triangles, inward))
            bodies = Body(closed.points, closed.triangles), Body(tool.points, tool.triangles())
            cut = boolean(*bodies, job.operation)
    if cut is None:
        return _remeshed(job, clock, Sentence("it is no manifold"), CUT)
    stock = ClosedStock(closed, inward, len(triangles), lids)
    with clock.stage("judge", CUT, 1.0):
        reason = reason_against(cut, stock, tool, job.operation, job.voxel_size, job.backend)
    if reason:
        return _remeshed(job, clock, reason, CUT)
    with progress_range(1.0, 1.0, "Judge"):
        surface, cut_face = _surface(cut, stock, tool)
        notes = _notes(job, surface, inward[: stock.own], turned)
        report = _report(job, surface, made, clock.all_seconds(), notes)
        removed = closed_volume(points, closed.triangles[: stock.own]) - report.volume
        report = replace(report, removed_volume=removed)
    memory = max(report.estimated_memory_mb, needed / 2**20)
    peak = max(peak_bytes(), resident_bytes() + cut.peak) / 2**20
    report = replace(report, estimated_memory_mb=memory, memory_before_mb=before / 2**20, peak_memory_mb=peak)
    with progress_range(1.0, 1.0, "Done"):
        return CarveResult(surface, report, cut_face)


def _surface(cut: Cut, stock: ClosedStock, tool: Surface) -> tuple[Surface, npt.NDArray[np.int32]]:
    """The result without its lids, and (M,) the face of the tool that each triangle is part of, -1 for the stock's."""
    stays = ~cut.of_stock | (cut.number < stock.own)
    points, triangles = used_points(cut.points, cut.triangles[stays])
    number, of_stock = cut.number[stays].astype(np.int32), cut.of_stock[stays]
    face = np.full(len(number), -1, dtype=np.int32)
    face[~of_stock] = tool.face_of_triangle()[number[~of_stock]]
    source = np.where(of_stock, np.uint8(Source.STOCK), np.uint8(Source.PATH))
    primitive = number.copy()
    # What a side of the box has cut off belongs to no segment.
    segment = np.where(tool.source == Source.PATH, tool.primitive, -1)
    primitive[~of_stock] = segment[face[~of_stock]]
    return Surface(points, triangles, source, primitive), face


def _notes(job: _Job, surface: Surface, inward: npt.NDArray[np.bool_], turned: int) -> list[str]:
    stock = job.stock
    notes = [*turned_note(stock, turned if inward.all() else turned + int(inward.sum()))]
    if inward.all():
        notes.append(inverted_note(stock.name))
    grid = _grid_of(job)
    triangles = repaired_triangles(stock, grid)[0]
    if not (surface.source == Source.PATH).any():
        notes += trace_notes(
            stock.name, triangles, Segments.on_grid(job.sweep, grid), job.voxel_size, job.operation, job.step
        )
    notes += small_radius_notes([surface], job.sweep, job.voxel_size)
    return [*notes, *inner_shell_notes(stock.name, triangles)]


def _report(
    job: _Job, surface: Surface, made: CarveResult | None, seconds: dict[str, float], notes: list[str]
) -> Report:
    """The report of a kept stock, without what the boolean took, and what was removed."""
    count = len(surface.faces)
    return Report(
        operation=job.operation,
        backend=job.backend.name,
        device=job.backend.device,
        voxel_size=job.voxel_size,
        grid_shape=made.report.grid_shape if made else plan_grid(job.stock.bounds(), job.voxel_size).shape,
        segments=len(job.sweep),
        stock_triangles=len(job.stock.triangles),
        removed_volume=0.0,
        volume=closed_volume(surface.points, surface.faces),
        vertices=len(surface.points),
        faces=count,
        triangles=count,
        closed=surface.is_closed(),
        seconds=seconds,
        counts=made.report.counts if made else {},
        estimated_memory_mb=made.report.estimated_memory_mb if made else 0.0,
        memory_before_mb=0.0,
        peak_memory_mb=0.0,
        warnings=(*job.backend.notes, *notes),
        result="keep",
        tolerance=job.tolerance,
        triangles_before=count + (made.report.triangles_before - made.report.triangles if made else 0),
    )


def _grid_of(job: _Job) -> Grid:
    return Grid(job.stock.bounds().mean(axis=0), job.voxel_size, (1, 1, 1))


def _remeshed(job: _Job, clock: Clock, reason: str, begun: float) -> CarveResult:
    """The stock carved by voxels after all, with a warning that says why."""
    kept = clock.all_seconds()
    with progress_range(begun, 1.0, "Voxelize"):
        try:
            result = job.carving(job.stock, operation=job.operation, labels=job.labels)
        except EmptyResultError as error:
            if reason != NEAR_HOLE:
                raise
            raise EmptyResultError("{error}; it was not kept, because {reason}", error=error, reason=reason) from error
    warning = Sentence("'{name}' was remeshed, not kept: {reason}", name=job.stock.name, reason=reason)
    seconds = {name: result.report.seconds.get(name, 0.0) + kept[name] for name in kept}
    warnings = (warning, *result.report.warnings)
    return replace(result, report=replace(result.report, seconds=seconds, warnings=warnings))
