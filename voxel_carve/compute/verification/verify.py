"""The accuracy of a result: its distances from the exact surface, which stock and sweep define."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy

from ..engines.numba.compiler.loading import load_kernels, load_seconds
from ..exact.nearest import nearest
from ..job.estimate import beside, verify_bytes
from ..job.result import CarveResult
from ..model.accuracy import Accuracy, Deviation
from ..model.mesh import MeshLike, Source, Surface, TriMesh
from ..model.plan import one_voxel_size
from ..model.steps import Operations
from ..model.sweep import PathsLike, Sweep
from ..primitives.half_edges import face_sides, paired_sides
from ..primitives.segments import Segments
from ..runtime.errors import MemoryLimitError
from ..runtime.memory import array_bytes
from ..runtime.progress import Progress, progress_range, remaining_progress, reporting_to, with_progress
from ..runtime.threads import slices
from .exact_surface import ExactSurface
from .true_edges import LEAST, SLACK, angle_between, edge_points_near, sample, stock_edges

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Corners = npt.NDArray[np.int32]

# Degrees between the normals of the two sides of an edge that is measured. It may match one that is a little less
# sharp, or a little sharper: see LEAST. Otherwise edges of 20 degrees had no match.
SHARP, BLUNT = 20.0, 160.0
POINTS_PER_BLOCK = 1 << 15
VERTICES_PER_BLOCK = 1 << 16  # their edges are processed together
REACH = 2.0  # voxels: edges farther apart than this are unrelated
ON_SWEEP = 0.5  # voxels from it
LEAST_HEIGHT = 0.01  # voxels: the normal of a lower triangle is unreliable


def verify(
    result: Surface | MeshLike,
    stock: MeshLike,
    paths: PathsLike,
    voxel_size: float | None = None,
    operation: Operations = "subtract",
    progress: Progress | None = None,
    *,
    resolution: int | None = None,
) -> Accuracy:
    """Measure a result against the exact surface of stock and sweep.

    The distance of a point is that of `ExactSurface.deviation`. Vertices and faces on the caps of holes are left out.
    Round parts of the sweep cause folds without a sharp edge. The largest fold of two triangles with corners on the
    round body does not count as sharp.

    Args:
        result: the result of `carve`, or any closed mesh for the same job.
        stock, paths, voxel_size, resolution, operation: as for `carve`.
        progress: called often; raise CarveCancelled in it to stop.

    Raises:
        InputError: as `carve`.
        BackendError: numba is missing, or its kernels cannot be compiled.
    """
    surface, mesh, sweep = Surface.of(result), TriMesh.of(stock), Sweep.of(paths)
    voxel_size = one_voxel_size(mesh, voxel_size, resolution)
    with reporting_to(progress):
        load_kernels("exact")
        with remaining_progress(stage="Verify"):
            accuracy = _verify(surface, ExactSurface.of(mesh, sweep, voxel_size, operation))
            with progress_range(1.0, 1.0):
                return accuracy


def _verify(result: Surface, surface: ExactSurface) -> Accuracy:
    """As `verify`, with the exact surface."""
    points = surface.grid.to_voxels(result.points)
    triangles, closure = _measured_triangles(result)

    used = np.zeros(len(points), dtype=bool)
    used[triangles.ravel()] = True
    used[closure.ravel()] = False
    vertices = np.flatnonzero(used)
    with progress_range(0.0, 0.1):
        edges, true_edges, stray, lost = _edges(surface, points, triangles, used)
    with progress_range(0.1, 0.4):
        of_vertices = _off(surface, len(vertices), lambda rows: points[vertices[rows]])
    with progress_range(0.4, 1.0):
        of_centroids = _off(surface, len(triangles), lambda rows: points[triangles[rows]].mean(axis=1))
    voxel_size = surface.grid.voxel_size
    return Accuracy(
        voxel_size=voxel_size,
        vertices=Deviation.of(of_vertices * voxel_size),
        centroids=Deviation.of(of_centroids * voxel_size),
        edges=Deviation.of(edges * voxel_size),
        true_edges=Deviation.of(true_edges * voxel_size),
        closure_faces=len(closure),
        stray_edges=stray,
        lost_points=lost,
    )


def with_accuracy(
    result: CarveResult,
    stock: TriMesh,
    sweep: Sweep,
    operation: Operations = "subtract",
    *,
    memory_limit: int | None = None,
) -> CarveResult:
    """Measure the result of a job on stock and sweep. Add the accuracy and the seconds to its report.

    Args:
        result: of the job.
        stock, sweep, operation: the input of the job.
        memory_limit: bytes that result and measuring may take; None is no limit.

    Raises:
        MemoryLimitError: they would take more.
    """
    began, loaded, report = time.perf_counter(), load_seconds(), result.report
    if memory_limit is not None:
        needed = verify_bytes(report.triangles, len(stock.triangles), len(sweep))
        with beside(array_bytes(result.surface), memory_limit) as left:
            if needed > left:
                raise MemoryLimitError(needed, left, np.inf)
    accuracy = verify(result.surface, stock, sweep, report.voxel_size, operation)
    loaded = load_seconds() - loaded
    verified = time.perf_counter() - began - loaded
    seconds = report.seconds | {"verify": verified, "compile": report.seconds["compile"] + loaded}
    return replace(result, report=replace(report, accuracy=accuracy, seconds=seconds))


def _off(surface: ExactSurface, count: int, points_of: Callable[[slice], Array]) -> Array:
    """(N,) deviations of N points, which `points_of` gives one block at a time."""
    out = np.empty(count)
    for block in with_progress(slices(count, POINTS_PER_BLOCK)):
        out[block] = surface.deviation(points_of(block))
    return out


def _measured_triangles(result: Surface) -> tuple[Corners, Corners]:
    """The triangles (T, 3) that are measured, and those of caps."""
    triangles = result.triangles()
    capped = (result.source == Source.CLOSURE)[result.face_of_triangle()]
    return (triangles[~capped], triangles[capped]) if capped.any() else (triangles, triangles[:0])


def _edges(
    surface: ExactSurface,
    points: Array,
    triangles: Corners,
    used: npt.NDArray[np.bool_],
) -> tuple[Array, Array, int, int]:
    """Distances from the result's sharp edges to the true ones and back, and how many of each were left out."""
    ends, angle, sides = _folds(points, triangles, used)
    sharp = (angle > SHARP) & (angle < BLUNT)
    corners, place = np.unique(sides[sharp], return_inverse=True)
    roundness = _roundness(surface, points[triangles[corners]])[place.reshape(-1, 2)].sum(axis=1)
    sharp[sharp] = angle[sharp] > SHARP + roundness
    middle = points[ends[sharp]].mean(axis=1)

    with progress_range(0.0, 0.7):
        true = sample(surface)
    probes = np.concatenate([points[np.unique(ends[sharp])], middle])
    with progress_range(0.7, 1.0):
        off = _from_true_edges(surface, probes, true.points)
    known = off <= REACH

    measured = true.points[(true.angle >= SHARP) & (true.angle <= BLUNT)]
    back, _ = nearest(measured, Segments.lines(points[ends[:, 0]], points[ends[:, 1]]), REACH)
    found = np.isfinite(back)
    stray = ~known[len(known) - int(sharp.sum()) :]  # the middles come last
    return off[known], back[found], int(stray.sum()), int((~found).sum())


def _folds(points: Array, triangles: Corners, used: npt.NDArray[np.bool_]) -> tuple[Indices, Array, Indices]:
    """The edges between exactly two triangles with a bend of more than LEAST and both ends in use.

    Returns:
        ends: (E, 2) points; angle: (E,) degrees between the normals, NaN if one is unreliable; sides: (E, 2) the two
        triangles.
    """
    parts = []
    for block in with_progress(slices(len(points), VERTICES_PER_BLOCK)):
        near = np.flatnonzero(((triangles >= block.start) & (triangles < block.stop)).any(axis=1))
        tail, head = face_sides(triangles[near])
        low = np.minimum(tail, head)
        mine = np.flatnonzero((low >= block.start) & (low < block.stop) & used[tail] & used[head])
        ends = np.stack([tail[mine], head[mine]], axis=1)
        pairs = np.stack(paired_sides(*ends.T), axis=1)
        sides = near[mine[pairs] // 3]
        (one, flat), (other, thin) = (_normals(points[triangles[side]]) for side in sides.T)
        angle = np.where(flat | thin, np.nan, angle_between(one, other))
        bent = ~(angle <= LEAST)
        parts.append((ends[pairs[bent, 0]], angle[bent], sides[bent]))
    ends, angle, sides = (np.concatenate(part) for part in zip(*parts, strict=True))
    return ends, angle, sides


def _normals(corners: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """(N, 3) normals of triangles (N, 3, 3), twice their area in length, and (N,) whether they are unreliable."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = np.asarray(across, dtype=np.float64)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    return normal, np.linalg.norm(normal, axis=1) <= LEAST_HEIGHT * longest


def _roundness(surface: ExactSurface, corners: Array) -> Array:
    """(T,) degrees by which the normal of a triangle may differ from those of the round segment it lies on.

    On a ball, the triangle's normal makes the same angle with the normals at all three corners (T, 3, 3). The sine of
    the angle is the radius of the circle through the tips of these normals. It is 0 off the sweep.
    """
    out, least = np.zeros(len(corners)), np.full(len(corners), ON_SWEEP)
    for step in surface.steps:
        distance, which = nearest(corners.mean(axis=1), step.segments, ON_SWEEP)
        on = np.flatnonzero(np.abs(distance) <= least)
        least[on] = np.abs(distance[on])
        out[on] = _roundness_on(step.segments, which[on], corners[on])
    return out


def _roundness_on(segments: Segments, which: Indices, corners: Array) -> Array:
    """As `_roundness`, of triangles on these segments."""
    tips = np.stack([segments.normals(which, corners[:, i]) for i in range(3)], axis=1)
    sides = np.linalg.norm(tips - np.roll(tips, 1, axis=1), axis=2)
    area = np.linalg.norm(np.cross(tips[:, 1] - tips[:, 0], tips[:, 2] - tips[:, 0]), axis=1)
    # On a cylinder the tips are almost collinear, and the circle through them is ill-defined.
    longest = sides.max(axis=1)
    circle = np.clip(sides.prod(axis=1) / np.maximum(2 * area, 1e-300), longest / 2, longest)
    return np.asarray(np.degrees(np.arcsin(np.minimum(circle, 1.0))))


def _from_true_edges(surface: ExactSurface, points: Array, samples: Array) -> Array:
    """(N,) distance of points (N, 3) from the nearest true edge; infinite if none is within REACH."""
    if len(points) == 0:
        return np.empty(0)
    off = np.full(len(points), np.inf)
    if len(samples):
        off = scipy.spatial.cKDTree(samples).query(points, distance_upper_bound=REACH)[0]
    start, end, _, _ = stock_edges(surface.triangles)
    own = Segments.lines(start, end)
    distance, which = nearest(points, own, REACH)
    near = np.flatnonzero(np.isfinite(distance))
    near = near[surface.keeps_stock(own.feet(which[near], points[near]), SLACK)]
    off[near] = np.minimum(off[near], distance[near])
    for number, step in enumerate(surface.steps):
        distance, which = nearest(points, step.segments, REACH)
        near = np.flatnonzero(np.isfinite(distance))
        met = edge_points_near(surface, points[near], number, which[near], REACH)
        np.minimum.at(off, near[met.row], np.linalg.norm(points[near[met.row]] - met.points, axis=1))
    return off
