"""How true a result is: its distances from the exact surface, which is known from stock and sweep."""

import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from .accuracy import Accuracy, Deviation
from .carve import CarveResult
from .combining import OPERATIONS, Operation
from .errors import InputError
from .exact import ExactSurface
from .mesh import Source, Surface, TriMesh
from .nearest import nearest
from .plan import check_voxel_size
from .progress import Progress, listening, share, steps
from .sweep import Sweep
from .threads import slices
from .true_edges import SLACK, angle_between, feet, lines, reached, sample, stock_edges

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

SHARP, BLUNT = 20.0, 160.0  # degrees between the normals of the two sides of an edge that is measured
# An edge may stand against one a little less sharp, or a little sharper: else those of 20 degrees had no other side.
SHARP_ENOUGH, BLUNT_ENOUGH = 10.0, 170.0
POINTS_PER_BLOCK = 1 << 17
REACH = 2.0  # voxels: edges farther apart than this have nothing to do with each other
ON_SWEEP = 0.5  # voxels from it
LEAST_HEIGHT = 0.01  # voxels: the normal of a triangle lower than this says little


def verify(
    result: Surface | TriMesh,
    stock: TriMesh,
    sweep: Sweep,
    voxel_size: float,
    operation: Operation = "subtract",
    progress: Progress | None = None,
) -> Accuracy:
    """Measure a result against the exact surface that stock and sweep have.

    The distance of a point is that of `ExactSurface.deviation`. Vertices on the sheet that closes a hole of an open
    stock are left out, and so are its faces. A round place of the sweep makes folds without a sharp edge: as much as
    two triangles with corners on the round body can have is not counted as sharp.

    Args:
        result: what `carve` gave, or any closed mesh for the same job.
        stock, sweep: what it was made of.
        voxel_size: in which it was made, in Blender units.
        operation: as it was made.
        progress: called often; raise CarveCancelled in it to stop.

    Raises:
        InputError: unknown operation, or a voxel size that is not positive.
    """
    if operation not in OPERATIONS:
        raise InputError(f"unknown operation '{operation}': choose {', '.join(OPERATIONS)}")
    check_voxel_size(stock, voxel_size)
    with listening(progress), share(0.0, 1.0, "Verify"):
        accuracy = _verify(result, ExactSurface.of(stock, sweep, voxel_size, operation))
        with share(1.0, 1.0):
            return accuracy


def _verify(result: Surface | TriMesh, surface: ExactSurface) -> Accuracy:
    """As `verify`, with the exact surface."""
    points = surface.grid.to_voxels(result.points)
    triangles, closure = _measured_triangles(result)

    used = np.zeros(len(points), dtype=bool)
    used[triangles.ravel()] = True
    used[closure.ravel()] = False
    centroids = points[triangles].mean(axis=1)
    with share(0.0, 0.1):
        edges, true_edges, stray, lost = _edges(surface, points, triangles, used)
    with share(0.1, 0.4):
        of_vertices = _off(surface, points[used])
    with share(0.4, 1.0):
        of_centroids = _off(surface, centroids)
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


def with_accuracy(result: CarveResult, stock: TriMesh, sweep: Sweep, progress: Progress | None = None) -> CarveResult:
    """The result of a job on stock and sweep, its report with the accuracy, and with the seconds that this took."""
    began, report = time.perf_counter(), result.report
    accuracy = verify(result.surface, stock, sweep, report.voxel_size, report.operation, progress)
    seconds = report.seconds | {"verify": time.perf_counter() - began}
    return replace(result, report=replace(report, accuracy=accuracy, seconds=seconds))


def _off(surface: ExactSurface, points: Array) -> Array:
    """(N,) deviations of points (N, 3), a block at a time."""
    out = np.empty(len(points))
    for block in steps(slices(len(points), POINTS_PER_BLOCK)):
        out[block] = surface.deviation(points[block])
    return out


def _measured_triangles(result: Surface | TriMesh) -> tuple[Indices, Indices]:
    """Triangles (T, 3) that are measured, and those of the sheet that closes a hole."""
    if isinstance(result, TriMesh):
        return result.triangles.astype(np.int64), np.empty((0, 3), dtype=np.int64)
    triangles = result.triangles().astype(np.int64)
    source = np.repeat(result.source, len(triangles) // max(len(result.faces), 1))
    return triangles[source != Source.CLOSURE], triangles[source == Source.CLOSURE]


def _edges(
    surface: ExactSurface,
    points: Array,
    triangles: Indices,
    used: npt.NDArray[np.bool_],
) -> tuple[Array, Array, int, int]:
    """Distances of the result's sharp edges from true ones and back, and how many of either were left out."""
    ends, angle, sides = _folds(points, triangles)
    inside = used[ends].all(axis=1)
    ends, angle, sides = ends[inside], angle[inside], sides[inside]
    sharp = (angle > SHARP) & (angle < BLUNT)
    corners, place = np.unique(sides[sharp], return_inverse=True)
    roundness = _roundness(surface, points[triangles[corners]])[place.reshape(-1, 2)].sum(axis=1)
    sharp[sharp] = angle[sharp] > SHARP + roundness
    middle = points[ends[sharp]].mean(axis=1)

    with share(0.0, 0.7):
        true = sample(surface, SHARP_ENOUGH, BLUNT_ENOUGH)
    probes = np.concatenate([points[np.unique(ends[sharp])], middle])
    with share(0.7, 1.0):
        off = _from_true_edges(surface, probes, true.points)
    known = off <= REACH

    measured = true.points[(true.angle >= SHARP) & (true.angle <= BLUNT)]
    sharp_enough = ends[~(angle <= SHARP_ENOUGH)]
    back, _ = nearest(measured, lines(points[sharp_enough[:, 0]], points[sharp_enough[:, 1]]), REACH)
    found = np.isfinite(back)
    stray = ~known[len(known) - int(sharp.sum()) :]  # the middles come last
    return off[known], back[found], int(stray.sum()), int((~found).sum())


def _folds(points: Array, triangles: Indices) -> tuple[Indices, Array, Indices]:
    """The edges between two triangles.

    Returns:
        ends: (E, 2) points; angle: (E,) degrees between the normals, not a number where one is rounding; sides: (E, 2)
        the two triangles.
    """
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = np.asarray(across, dtype=np.float64)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    flat = np.linalg.norm(normal, axis=1) <= LEAST_HEIGHT * longest

    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    key = edges.min(axis=1) * len(points) + edges.max(axis=1)
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order]) == 0)
    one, other = order[first] // 3, order[first + 1] // 3
    angle = np.where(flat[one] | flat[other], np.nan, angle_between(normal[one], normal[other]))
    return edges[order[first]], angle, np.stack([one, other], axis=1)


def _roundness(surface: ExactSurface, corners: Array) -> Array:
    """(T,) degrees by which the normal of a triangle may differ from those of the round segment that it lies on.

    On a ball the triangle's normal makes one angle with the normals at all three corners (T, 3, 3), whose sine is the
    radius of the circle through the tips of these normals; 0 off the sweep.
    """
    centroid = corners.mean(axis=1)
    distance, which = nearest(centroid, surface.segments, ON_SWEEP)
    on = np.flatnonzero(np.abs(distance) <= ON_SWEEP)
    tips = np.stack([surface.segment_normals(which[on], corners[on, i]) for i in range(3)], axis=1)
    sides = np.linalg.norm(tips - np.roll(tips, 1, axis=1), axis=2)
    area = np.linalg.norm(np.cross(tips[:, 1] - tips[:, 0], tips[:, 2] - tips[:, 0]), axis=1)
    # On a cylinder the tips lie nearly on a line, and the circle through them is anything.
    longest = sides.max(axis=1)
    circle = np.clip(sides.prod(axis=1) / np.maximum(2 * area, 1e-300), longest / 2, longest)
    out = np.zeros(len(corners))
    out[on] = np.degrees(np.arcsin(np.minimum(circle, 1.0)))
    return out


def _from_true_edges(surface: ExactSurface, points: Array, samples: Array) -> Array:
    """(N,) distance of points (N, 3) from the nearest true edge, infinite where none is within REACH."""
    if len(points) == 0:
        return np.empty(0)
    off = np.full(len(points), np.inf)
    if len(samples):
        off = cKDTree(samples).query(points, distance_upper_bound=REACH)[0]
    start, end, _, _ = stock_edges(surface.triangles, SHARP_ENOUGH, BLUNT_ENOUGH)
    own = lines(start, end)
    distance, which = nearest(points, own, REACH)
    near = np.flatnonzero(np.isfinite(distance))
    near = near[surface.keeps_stock(feet(own, which[near], points[near]), SLACK)]
    off[near] = np.minimum(off[near], distance[near])
    distance, which = nearest(points, surface.segments, REACH)
    near = np.flatnonzero(np.isfinite(distance))
    met = reached(surface, points[near], which[near], SHARP_ENOUGH, BLUNT_ENOUGH, REACH)
    np.minimum.at(off, near[met.row], np.linalg.norm(points[near[met.row]] - met.points, axis=1))
    return off
