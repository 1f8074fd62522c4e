"""The job: subtract the swept volume of paths from a stock, add it, or keep what both share."""

import time
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ..adaptivity.simplify import Labels, checked_labels, load_kernels, simplify
from ..attributes.label_borders import along_borders, has_borders
from ..engines.registry import get_backend
from ..exact.inner_shells import inner_shell_notes
from ..exact.touching import DIAGONAL, thickness, thinness, trace_notes
from ..field.protocol import Backend
from ..field.stock import PreparedStock, prepare_stock
from ..level_set.narrow_band import narrow_band
from ..losses import lost_note, lost_share, small_radius_notes
from ..model.bricks import BRICK_SIZE, State
from ..model.combining import Operation, combined_states
from ..model.grid import Grid, as_length_or_zero
from ..model.mesh import MeshLike, Source, Surface, TriMesh
from ..model.plan import job_bounds, one_voxel_size, plan_grid
from ..model.report import Report
from ..model.steps import Operations, Step, steps_of
from ..model.sweep import PathsLike, Sweep, left_out_notes
from ..primitives.segments import Segments
from ..repair.repair import Repaired, inverted_note, open_note, repaired_triangles
from ..runtime.errors import CarveError, EmptyResultError, InputError
from ..runtime.limits import allowed_bytes
from ..runtime.memory import array_bytes, peak_bytes, resident_bytes
from ..runtime.progress import Progress, progress_range, remaining_progress, reporting_to
from ..runtime.sentences import Length, Sentence
from ..sheets import OpenStock, SheetSolid, solid_behind
from .chain import after, bounds_of_steps
from .combining import combined_field, contoured, expected_vertices
from .estimate import Counts, beside, check_roughly, checked_bytes
from .preview import check_by_preview
from .removed import changed_volume, removed_volume, stock_surface, volume_of_stock
from .result import CarveResult, Clock
from .sheets import of_sheet

# Ends of the stages before the surface, as fractions of the time until the surface is complete; measured.
VOXELIZED, SWEPT, SAMPLED = 0.15, 0.17, 0.2
# When the surface of an open stock with the sweep is made, as a fraction of making that and, near the sweep, the one
# without.
MADE = 0.8
# When the surface is complete, as a fraction of the whole time: with merging of faces, which takes longest by far, and
# without. Then, when only measuring is left.
SURFACE_BEFORE_SIMPLIFYING, SURFACE_ALONE = 0.4, 0.97
MEASURING = 0.97


def carve(
    stock: MeshLike | PreparedStock,
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
    half_width: float = 0.0,
    open_stock: OpenStock = "automatic",
    close: bool = False,
    progress: Progress | None = None,
) -> CarveResult:
    """Combine a stock with the sweep of paths, and return a closed mesh; of a sheet, one that is as open as it is.

    Args:
        stock: a mesh in world space, closed, open or self-intersecting: see `TriMesh.of`. Or the result of `prepare`
            for this voxel size.
        paths: the paths of the tool, in world space: see `Sweep.of`.
        voxel_size: edge length of a voxel, in the unit of the points.
        resolution: instead of the voxel size, the number of voxels along the longest side of the stock.
        operation: "subtract" or "difference" removes the sweep from the stock, "union" adds it, "intersect" or
            "intersection" keeps what both share. Or one for each path: consecutive paths with the same one are a step,
            and each step is carved from the result of the one before.
        tolerance: merge faces if that moves the surface by less than this, in the unit of the points: see `simplify`.
            0 keeps all faces.
        labels: of the stock's triangles and the sweep's segments. Faces with different labels are not merged, and meet
            where those of the stock do.
        backend: a name for `get_backend`, or a backend.
        memory_limit: bytes that the job may take; None is half of the free memory.
        verified: whether `verify` follows. Then the limit applies to that too.
        half_width: of the narrow band that the result is to have as well: see `narrow_band`. 0 for none.
        open_stock: "sheet" makes the stock solid behind its faces, wherever it is open; "fill" closes its holes;
            "automatic" does the one for sheets, such as terrains, and the other for all else: see `sheets`.
        close: whether the solid behind a sheet is kept, with its sides and floor.
        progress: called often; raise CarveCancelled in it to stop the job.

    Raises:
        InputError: a stock or paths of another type, both or neither of voxel size and resolution, a voxel size that is
            not positive or is larger than the stock, an unknown or missing operation, a backend that does not work, a
            tolerance that is not a length, a memory limit that is no number, or a progress that is no function.
        MemoryLimitError: the estimate exceeds the limit. No voxels were allocated.
        EmptyResultError: nothing is left.
    """
    tolerance = as_length_or_zero(tolerance, Sentence("tolerance"))
    half_width = as_length_or_zero(half_width, "half_width")
    labels, limit = checked_labels(labels), allowed_bytes(memory_limit)
    if half_width and not 1 <= half_width <= BRICK_SIZE:
        raise InputError(
            "half_width {width:g}: it is in voxels, from 1 to {most}; or 0 for no narrow band",
            width=half_width,
            most=BRICK_SIZE,
        )
    stock, sweep = stock if isinstance(stock, PreparedStock) else TriMesh.of(stock), Sweep.of(paths)
    steps = steps_of(sweep, operation)
    mesh = stock.mesh if isinstance(stock, PreparedStock) else stock
    voxel_size = one_voxel_size(mesh, voxel_size, resolution)
    loading = time.perf_counter()
    with reporting_to(progress):
        backend = get_backend(backend)
        if tolerance:
            load_kernels()
        loaded = time.perf_counter() - loading
        job = _Job(
            voxel_size, tolerance, labels, backend, limit, verified, half_width, loaded, None,
            open_stock, close,
        )  # fmt: skip
        with remaining_progress():
            several = len(steps) > 1
            result = (
                _carve_in_steps(mesh, steps, sweep, job) if several else _carve(stock, sweep, steps[0].operation, job)
            )
            return result.with_warnings(left_out_notes(sweep))


@dataclass(frozen=True)
class _Job:
    """The arguments of `carve`, beside stock, paths and operation.

    Attributes:
        limit: in bytes.    loaded: seconds that loading kernels took.
        bounds: (2, 3) of the grid; None for those of the job.
        step: the number of a step of several, from 1; else 0.
    """

    voxel_size: float
    tolerance: float
    labels: Labels | None
    backend: Backend
    limit: int
    verified: bool
    half_width: float
    loaded: float
    bounds: npt.NDArray[np.float64] | None
    open_stock: OpenStock
    close: bool
    step: int = 0

    def of_solid(self, solid: SheetSolid) -> "_Job":
        """The same for the solid behind the sheets of the stock."""
        return replace(self, labels=solid.labels(self.labels), open_stock="fill")

    def has_borders(self) -> bool:
        """Whether triangles of the stock have different labels; skirts and floors do not count."""
        return self.labels is not None and has_borders(self.labels.stock)


def _carve_in_steps(stock: TriMesh, steps: tuple[Step, ...], sweep: Sweep, job: _Job) -> CarveResult:
    """As `carve`, in several steps on one grid: there a result has the same vertices again where no path comes near.

    Faces are merged at the end, because a step starts from all of them.
    """
    bounds, done = bounds_of_steps(stock, steps), None
    grid = plan_grid(bounds, job.voxel_size)
    check_roughly(stock, None, grid, job.limit, job.backend)
    clock = Clock(job.backend)
    with clock.stage("voxelize", 0.0, 0.0):
        solid = solid_behind(stock, repaired_triangles(stock, grid), sweep, grid, job.open_stock)
    if solid is not None:
        result = _carve_in_steps(solid.mesh, steps, sweep, job.of_solid(solid))
        return of_sheet(result, stock, solid, job.open_stock, job.close, clock.seconds["voxelize"])
    each = replace(job, tolerance=0.0, labels=None, verified=False, bounds=bounds, open_stock="fill")
    whole = SURFACE_BEFORE_SIMPLIFYING if job.tolerance else 1.0
    for number, step in enumerate(steps):
        each = replace(each, step=number + 1)
        mesh = stock if done is None else done.surface.to_tri_mesh(stock.name)
        share = whole / len(steps)
        with (
            beside(0 if done is None else array_bytes(done.surface), job.limit) as left,
            progress_range(number * share, (number + 1) * share),
        ):
            width = job.half_width if number == len(steps) - 1 else 0.0
            loaded = job.loaded if done is None else 0.0
            made = _carve(mesh, step.sweep, step.operation, replace(each, limit=left, half_width=width, loaded=loaded))
        done = after(done, made, step)
    assert done is not None  # there are steps
    return _merged(done, stock, job, whole) if job.tolerance or job.has_borders() else done


def _merged(result: CarveResult, mesh: TriMesh, job: _Job, begun: float) -> CarveResult:
    """A result with borders of labels as edges and its faces merged, from this fraction of the whole job."""
    tolerance, backend = job.tolerance, job.backend
    clock, report = Clock(backend), result.report
    surface = _with_borders(result.surface, mesh, job)
    with clock.stage("simplify", begun, MEASURING):
        if tolerance:
            surface = simplify(surface, tolerance, None if job.labels is None else job.labels.of_faces(surface))
    with progress_range(MEASURING, 1.0, "Surface"):
        volume, closed = backend.measure(surface)
    seconds = {name: report.seconds[name] + spent for name, spent in clock.all_seconds().items()}
    report = replace(
        report,
        removed_volume=report.removed_volume + _merged_away(surface, report.volume, volume),
        volume=volume,
        vertices=len(surface.points),
        faces=len(surface.faces),
        triangles=surface.triangle_count(),
        closed=closed,
        seconds=seconds,
        peak_memory_mb=peak_bytes() / 2**20,
        tolerance=tolerance,
    )
    return CarveResult(surface, report, band=result.band)


def _with_borders(surface: Surface, mesh: TriMesh, job: _Job) -> Surface:
    """The surface, with an edge wherever labels of the stock differ."""
    if job.labels is None or not job.has_borders():
        return surface
    return along_borders(surface, mesh, job.labels.stock, job.voxel_size)


def _merged_away(surface: Surface, before: float, volume: float) -> float:
    """How much volume was removed by merging the faces of a result; 0 where no path has cut."""
    return before - volume if (surface.source == Source.PATH).any() else 0.0


def _carve(stock: TriMesh | PreparedStock, sweep: Sweep, operation: Operation, job: _Job) -> CarveResult:
    """As `carve`, in one step."""
    backend, limit, voxel_size, tolerance = job.backend, job.limit, job.voxel_size, job.tolerance
    clock, before = Clock(backend, loaded=job.loaded), resident_bytes()
    mesh = stock.mesh if isinstance(stock, PreparedStock) else stock
    grid = plan_grid(job_bounds(mesh, sweep, operation) if job.bounds is None else job.bounds, voxel_size)
    check_roughly(mesh, sweep, grid, limit, backend)

    backend.begin_job()
    whole = SURFACE_BEFORE_SIMPLIFYING if tolerance else SURFACE_ALONE
    repaired = None
    if not isinstance(stock, PreparedStock):
        with clock.stage("voxelize", 0.0, 0.0):
            repaired = repaired_triangles(mesh, grid)
            solid = solid_behind(mesh, repaired, sweep, grid, job.open_stock)
        if solid is not None:
            spent = clock.seconds["voxelize"]
            result = _carve(solid.mesh, sweep, operation, job.of_solid(solid))
            return of_sheet(result, mesh, solid, job.open_stock, job.close, spent)
        check_by_preview(mesh, sweep, operation, grid, limit, backend, tolerance > 0)
    with clock.stage("voxelize", 0.0, VOXELIZED * whole):
        prepared = _prepared(stock, grid, backend, repaired)
    grid = prepared.grid
    with clock.stage("sweep", VOXELIZED * whole, SWEPT * whole):
        segments = Segments.on_grid(sweep, grid).without_repeats()
        binned = backend.bin_segments(segments, grid)
    states = combined_states(prepared.states, binned.states, operation)
    with clock.stage("combine", SWEPT * whole, SAMPLED * whole):
        vertices = expected_vertices(prepared, segments, binned, states, operation, backend)
    counts = Counts.of(prepared, binned, states, len(sweep), vertices)
    needed = checked_bytes(counts, grid, limit, backend.name, tolerance > 0, job.verified, job.half_width)
    with clock.stage("surface", SAMPLED * whole, whole):
        with progress_range(0.0, MADE if len(prepared.boundary) else 1.0):
            surface = contoured(prepared, segments, binned, states, operation, backend)
        with remaining_progress():
            measured = backend.measure(surface)
            had_volume = len(surface.faces) > 0 or len(stock_surface(prepared, backend).faces) > 0
            has_cut = bool((surface.source == Source.PATH).any())
            contoured_volume = partial(volume_of_stock, backend=backend)
            # What stock and sweep share is as far from the stock's surface as can be.
            changed = partial(changed_volume, prepared, surface, segments, binned, backend)
            nearby = None if operation == "intersect" else changed
            removed = 0.0
            if len(surface.faces):
                removed = removed_volume(prepared, has_cut, measured[0], contoured_volume, nearby)
    if len(surface.faces) == 0:
        thick = 0.0
        if operation == "intersect" and had_volume:
            with progress_range(whole, 1.0, "Surface"):
                thick = thickness(prepared.triangles, segments, operation)
        raise EmptyResultError(empty_message(mesh.name, operation, had_volume, thick, voxel_size))
    with progress_range(whole, whole, "Surface"):
        lost = lost_share(surface, prepared, segments, binned, operation)
    band = None
    if job.half_width:
        with clock.stage("combine", whole, whole):
            near = np.flatnonzero(states == State.NEAR)
            with_caps = prepared.with_cap_distances(backend)
            field = combined_field(with_caps, segments, binned, states, near, operation, backend)
        with clock.stage("surface", whole, whole):
            band = narrow_band(field, grid, job.half_width)
            del field
    surface = _with_borders(made := surface, mesh, job)
    triangles_before = surface.triangle_count()
    if tolerance:
        with clock.stage("simplify", whole, MEASURING):
            surface = simplify(surface, tolerance, None if job.labels is None else job.labels.of_faces(surface))
    with progress_range(MEASURING, 1.0, "Surface"):
        volume, closed = measured if surface is made else backend.measure(surface)
        removed += _merged_away(surface, measured[0], volume)
    if not (closed and np.isfinite(volume)):
        raise CarveError("the result is not closed: please report this as a bug")
    warnings = backend.notes + warnings_of(prepared) + small_radius_notes([surface], sweep, voxel_size)
    if lost:
        warnings += (lost_note(lost, prepared),)
    if not (surface.source == Source.PATH).any():
        with progress_range(1.0, 1.0, "Surface"):
            warnings += trace_notes(mesh.name, prepared.triangles, segments, voxel_size, operation, job.step)
    report = Report(
        operation=operation,
        backend=backend.name,
        device=backend.device,
        voxel_size=grid.voxel_size,
        grid_shape=grid.shape,
        segments=len(sweep),
        stock_triangles=len(mesh.triangles),
        removed_volume=removed,
        volume=volume,
        vertices=len(surface.points),
        faces=len(surface.faces),
        triangles=surface.triangle_count(),
        closed=closed,
        seconds=clock.all_seconds(),
        counts=asdict(counts) | backend.counts(),
        estimated_memory_mb=needed / 2**20,
        memory_before_mb=before / 2**20,
        peak_memory_mb=peak_bytes() / 2**20,
        warnings=warnings,
        tolerance=tolerance,
        triangles_before=triangles_before,
    )
    with progress_range(1.0, 1.0, "Done"):
        return CarveResult(surface, report, band=band)


def prepare(
    stock: MeshLike,
    voxel_size: float | None = None,
    backend: str | Backend | None = None,
    memory_limit: int | None = None,
    *,
    resolution: int | None = None,
    progress: Progress | None = None,
) -> PreparedStock:
    """Prepare a stock for several jobs. While only the paths change, pass the result to `carve` instead of the mesh.

    Its holes are filled, even if it is a sheet: the solid behind that depends on the paths.

    Args:
        stock: a mesh in world space: see `TriMesh.of`.
        voxel_size: of all these jobs, in the unit of the points.
        resolution, backend, memory_limit, progress: as for `carve`.

    Raises:
        InputError: as `carve`.
        MemoryLimitError: a job with this stock would be far over the limit.
    """
    mesh, limit = TriMesh.of(stock), allowed_bytes(memory_limit)
    grid = plan_grid(mesh.bounds(), one_voxel_size(mesh, voxel_size, resolution))
    with reporting_to(progress):
        backend = get_backend(backend)
        check_roughly(mesh, None, grid, limit, backend)
        with remaining_progress(stage="Voxelize"):
            return prepare_stock(mesh, grid, backend)


def _prepared(stock: TriMesh | PreparedStock, grid: Grid, backend: Backend, repaired: Repaired | None) -> PreparedStock:
    """The stock, prepared on `grid`. A prepared stock is reused if its grid covers this one."""
    if not isinstance(stock, PreparedStock):
        return prepare_stock(stock, grid, backend, repaired)
    if stock.grid.voxel_size != grid.voxel_size:
        raise InputError(
            "'{name}' was prepared for a voxel size of {prepared}, not {voxel_size}: prepare it anew",
            name=stock.mesh.name,
            prepared=Length(stock.grid.voxel_size),
            voxel_size=Length(grid.voxel_size),
        )
    low, high = stock.grid.to_voxels(np.stack([grid.origin, grid.to_world(np.array(grid.shape[::-1], dtype=float))]))
    holds = (low >= -0.5).all() and (high <= np.array(stock.grid.shape[::-1]) + 0.5).all()
    return stock if holds else prepare_stock(stock.mesh, grid, backend)


def empty_message(name: str, operation: Operation, had_volume: bool, thick: float, voxel_size: float) -> str:
    """Why nothing is left. `thick` is the thickness, in voxels, of what stock and sweep share; 0 if unknown."""
    if not had_volume:
        return Sentence(
            "'{name}' encloses no volume of a voxel: it is flat, thin, or too open; close it, or use smaller voxels",
            name=name,
        )
    if 0 < thick <= DIAGONAL:
        remedy = thinness(thick, voxel_size)
        return Sentence(
            "nothing is left of '{name}': what the paths share with it is thinner than a voxel; {remedy}",
            name=name,
            remedy=remedy,
        )
    if operation == "intersect":
        return Sentence("nothing is left of '{name}': the paths do not reach it", name=name)
    return Sentence(
        "nothing is left of '{name}': the paths carve all of it away; check the radius, or carve less", name=name
    )


def warnings_of(prepared: PreparedStock) -> tuple[str, ...]:
    """What the user is told of a stock."""
    found, name = [*prepared.notes], prepared.mesh.name
    if edges := len(prepared.boundary):
        found.append(open_note(name, edges))
    elif prepared.crossings.volume() < 0:
        found.append(inverted_note(name))
    if np.ptp(prepared.crossings.total) > 1:
        found += inner_shell_notes(name, prepared.triangles)
    return tuple(found)
