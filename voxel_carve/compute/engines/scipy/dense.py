"""Dense operations in plain numpy and scipy: see `DenseBackend`.

They need no compiled kernels, and they are the readable reference of those kernels. Operations run in the same order
wherever a voxel depends on it.
"""

import platform
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ...arrays import Occupancy
from ...field.binning import BinnedSweep, half_diagonal, tiles_of_boxes, widened
from ...field.occupancies import BooleanOperation, check_kernel, check_operands, check_shapes
from ...field.protocol import DenseBackend
from ...formulas import swept_body
from ...formulas.binding import ON_ARRAYS
from ...model.bricks import BAND, BRICK_SIZE, BRICK_VOXELS, VOXEL_OFFSETS, Bins, BrickTable, State
from ...model.grid import Grid
from ...model.mesh import TriMesh
from ...primitives.boundary import INSIDE, Boundary, boundary_winding, change_bound
from ...primitives.crossings import signed_crossings
from ...primitives.segments import Segments
from ...repair.repair import repaired_triangles
from ...runtime.progress import progress_range, with_progress

Floats = npt.NDArray[np.float32]

VOXELS_PER_BLOCK = 1 << 21  # temporaries take a few times this many bytes

distance_from = ON_ARRAYS(swept_body.distance_from)

# (3, 512): x, y and z of the voxel centres of a brick, relative to its centre.
OFFSETS = np.ascontiguousarray(VOXEL_OFFSETS.T, dtype=np.float32)


def boolean(operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
    """Union, intersection or difference."""
    check_operands(operation, a, b)
    check_shapes(a.shape, b.shape)
    if operation == "union":
        return np.logical_or(a, b)
    if operation == "intersect":
        return np.logical_and(a, b)
    return np.greater(a, b)


def dilate(occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
    """Dilate by a structuring element: the union of the occupancy shifted to each of its voxels."""
    check_kernel(occupancy, kernel)
    out = np.zeros(occupancy.shape, dtype=np.bool_)
    for shift in with_progress((np.argwhere(kernel) - np.array(kernel.shape) // 2).tolist()):
        here, there = zip(*map(overlap, shift, occupancy.shape, occupancy.shape), strict=True)
        out[there] |= occupancy[here]
    return out


def overlap(shift: int, length: int, other_length: int) -> tuple[slice, slice]:
    """The overlap of `length` items, moved by `shift`, with `other_length` items: a slice of each."""
    start, stop = max(0, -shift), min(length, other_length - shift)
    stop = max(start, stop)
    return slice(start, stop), slice(max(0, start + shift), max(0, stop + shift))


def voxelize_mesh(mesh: TriMesh, grid: Grid, fill_holes: bool = False) -> Occupancy:
    """The voxels inside a mesh, by the signed crossings above each and the sum over the open boundary."""
    triangles, _ = repaired_triangles(mesh, grid)
    with progress_range(0.0, 0.5):
        crossings = signed_crossings(triangles.points, triangles.triangles, grid.shape)
    inside = crossings != 0
    if len(triangles.boundary):
        with progress_range(0.5, 1.0):
            for corner in with_progress(list(np.ndindex(BrickTable.over(grid).shape))):
                brick = tuple(slice(BRICK_SIZE * place, BRICK_SIZE * (place + 1)) for place in corner)
                sums = _boundary_sums(np.array(corner[::-1], dtype=np.float64) * BRICK_SIZE, triangles.boundary)
                sums = np.broadcast_to(sums, (BRICK_SIZE,) * 3)[tuple(map(slice, crossings[brick].shape))]
                inside[brick] = np.abs(crossings[brick] + sums) > INSIDE
    return ndimage.binary_fill_holes(inside) if fill_holes else inside


def _boundary_sums(corner: npt.NDArray[np.float64], boundary: Boundary) -> npt.NDArray[np.float64]:
    """The boundary sum b of the voxels (8, 8, 8) of a brick with its lowest corner at (x, y, z).

    A single b (1, 1, 1) decides the whole brick if b has no jump there, and if its fraction cannot reach 0.5.
    """
    centre = corner + BRICK_SIZE / 2
    low, high = np.minimum(boundary.low, boundary.high), np.maximum(boundary.low, boundary.high)
    is_over = (high >= corner).all(axis=1) & (low[:, :2] <= corner[:2] + BRICK_SIZE).all(axis=1)
    b = boundary_winding(centre[None], boundary)
    reach = half_diagonal(BRICK_SIZE)
    bound = change_bound(centre[None], boundary, reach)
    if not is_over.any() and abs(b[0] % 1.0 - 0.5) > bound[0] + 1e-6:
        return b.reshape(1, 1, 1)
    return boundary_winding(centre + VOXEL_OFFSETS, boundary).reshape((BRICK_SIZE,) * 3)


def bin_segments(segments: Segments, grid: Grid) -> BinnedSweep:
    """The segments that can reach a voxel centre of each brick, found segment by segment."""
    table, reach = BrickTable.over(grid), half_diagonal(BRICK_SIZE) + BAND
    states = np.full(table.shape, State.EMPTY, dtype=np.uint8)
    low, high = widened(segments.bounds())
    found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))]
    for which in with_progress(np.arange(len(segments), dtype=np.int32)[:, None]):
        bricks, own = tiles_of_boxes(low[which], high[which], BRICK_SIZE, table.shape)
        primitive = which[own]
        distance = segments.distance(primitive, table.centres(bricks))
        states.ravel()[bricks[distance < -reach]] = State.SOLID
        found.append((bricks[distance <= reach], primitive[distance <= reach]))
    bricks, primitive = (np.concatenate(part) for part in zip(*found, strict=True))
    is_near = states.ravel()[bricks] != State.SOLID
    bins = Bins.from_pairs(bricks[is_near], primitive[is_near])
    states.ravel()[bins.bricks] = State.NEAR
    return BinnedSweep(states, bins)


def segment_distance(segments: Segments, table: BrickTable, bins: Bins) -> Floats:
    """(B, 512) signed distance to the nearest segment of each brick, in voxels."""
    out = np.empty((len(bins.bricks), BRICK_VOXELS), dtype=np.float32)
    for row, (x, y, z) in enumerate(table.centres(bins.bricks)):
        which = bins.primitive[bins.first[row] : bins.first[row + 1]]
        numbers = np.empty((swept_body.NUMBERS, len(which)), dtype=np.float32)
        for n, j in enumerate(which):
            swept_body.anchor(segments.rows, j, x, y, z, numbers, n)
        distance, *_ = distance_from(numbers, np.arange(len(which))[:, None], *OFFSETS)
        out[row] = distance.min(axis=0)
    return out


def subtract_segments(
    occupancy: Occupancy,
    first_layer: int,
    binned: BinnedSweep,
    table: BrickTable,
    distance_in: Callable[[Bins], Floats],
) -> int:
    """Clear the voxels of a slab within segments, a few rows of bricks at a time.

    Args:
        distance_in: computes the distance (B, 512) to the segments in some of their bricks.
    """
    removed = 0
    for z, rows in with_progress(_rows_of_bricks(occupancy, first_layer, table)):
        states = binned.states[z, rows]
        touched = np.flatnonzero((states != State.EMPTY).any(axis=0))
        if len(touched) == 0:
            continue
        columns = slice(int(touched[0]), int(touched[-1]) + 1)
        inside = _inside_segments(binned, table, z, rows, columns, distance_in)
        corner = [z * BRICK_SIZE - first_layer, rows.start * BRICK_SIZE, columns.start * BRICK_SIZE]
        here, there = zip(*map(overlap, corner, inside.shape, occupancy.shape), strict=True)
        inside, part = inside[here], occupancy[there]
        removed += int(np.count_nonzero(np.logical_and(inside, part)))
        np.copyto(part, False, where=inside)
    return removed


def _rows_of_bricks(occupancy: Occupancy, first_layer: int, table: BrickTable) -> Iterator[tuple[int, slice]]:
    """Blocks of a slab: z and rows y of bricks."""
    step = max(1, VOXELS_PER_BLOCK // (table.shape[2] * BRICK_VOXELS))
    last_layer = first_layer + len(occupancy) - 1
    for z in range(first_layer // BRICK_SIZE, last_layer // BRICK_SIZE + 1):
        for y in range(0, table.shape[1], step):
            yield z, slice(y, min(y + step, table.shape[1]))


def _inside_segments(
    binned: BinnedSweep, table: BrickTable, z: int, rows: slice, columns: slice, distance_in: Callable[[Bins], Floats]
) -> Occupancy:
    """(8, 8 rows, 8 columns): the voxels of a block of bricks with distance 0 or less."""
    height, width = rows.stop - rows.start, columns.stop - columns.start
    inside = np.zeros((BRICK_SIZE, height, BRICK_SIZE, width, BRICK_SIZE), dtype=np.bool_)
    by_brick = inside.transpose(1, 3, 0, 2, 4)
    by_brick[binned.states[z, rows, columns] == State.SOLID] = True
    ids = (z * table.shape[1] + np.array([rows.start, rows.stop])) * table.shape[2]
    bins = binned.bins.at(np.arange(*np.searchsorted(binned.bins.bricks, ids)))
    _, y, x = table.coordinates(bins.bricks).T
    by_brick[y - rows.start, x - columns.start] = (distance_in(bins) <= 0).reshape(-1, *[BRICK_SIZE] * 3)
    return inside.reshape(BRICK_SIZE, height * BRICK_SIZE, width * BRICK_SIZE)


class ScipyBackend(DenseBackend):
    """Slow, needs no compiler, and is the readable reference of the other backends."""

    name = "scipy"
    device = platform.processor() or platform.machine()
    boolean = staticmethod(boolean)
    dilate = staticmethod(dilate)
    voxelize_mesh = staticmethod(voxelize_mesh)
    bin_segments = staticmethod(bin_segments)

    def subtract_segments(
        self, occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
    ) -> int:
        """Clear the voxels of a slab within binned segments."""
        return subtract_segments(occupancy, first_layer, binned, table, partial(segment_distance, segments, table))
