"""Distances to triangles on bricks in numpy: rows of voxels, and in them the voxels near to each triangle's plane.

Where the foot of the perpendicular lies inside of all three sides, the distance is that from the plane. These come
first: then few other triangles are left that could be nearer to a voxel by one of their sides.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, REACH, VOXEL_STEPS, Bins, BrickTable, expand_ranges
from .scipy_kernels import Nearest, in_blocks
from .triangles import TriangleFrames, Triangles

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

MIDDLE = np.float32((BRICK_SIZE - 1) / 2)
BEYOND = np.float32(REACH + 1e-3)  # over the rounding of the distances themselves
HALF_BITS, LOW_BITS = np.uint64(32), np.uint64(0xFFFFFFFF)
CERTAIN = np.float32(1 - 1e-5)  # a bound of a square times this holds over rounding

# (9, 64): for each width of a rectangle, both coordinates of the steps through its rows.
ACROSS, UP = (
    np.array([part(np.arange(64), max(width, 1)) for width in range(9)]) for part in (np.mod, np.floor_divide)
)


@dataclass(frozen=True)
class Rows:
    """Rows of voxels along x, of some pairs (brick, triangle).

    Attributes:
        pair: (R,) int64, whose row it is.
        voxel: (R,) int64, the first voxel of the row in the brick.
        first, stop: (R,) int64, from which x, and before which, voxels are looked at.
        offset: (4, R) float32, distance from the plane, and from the lines of the sides, in the row's middle.
    """

    pair: Indices
    voxel: Indices
    first: Indices
    stop: Indices
    offset: Floats


def nearest_triangle(triangles: Triangles, bins: Bins, table: BrickTable) -> Nearest:
    """(B, 512) unsigned distance to the nearest triangle in each brick, in voxels, up to REACH; and which it is."""

    def fill(part: Bins) -> Nearest:
        owner = part.owner()
        centres = table.centres(part.bricks).T.take(owner, axis=1)
        columns = triangles.columns.take(part.primitive, axis=1)
        columns[:9] -= np.vstack([centres] * 3)
        low = np.minimum(np.minimum(columns[:3], columns[3:6]), columns[6:9])
        high = np.maximum(np.maximum(columns[:3], columns[3:6]), columns[6:9])
        plane = columns[9] * columns[0] + columns[10] * columns[1] + columns[11] * columns[2]
        near = np.abs(plane) <= MIDDLE * np.abs(columns[9:]).sum(axis=0) + BEYOND
        near &= ((low <= MIDDLE + BEYOND) & (high >= -MIDDLE - BEYOND)).all(axis=0)
        kept = np.flatnonzero(near)
        frames = TriangleFrames.of(columns.take(kept, axis=1))
        beyond = _packed(np.array([REACH * REACH], dtype=np.float32), np.array([NO_PRIMITIVE], dtype=np.int32))
        packed = np.repeat(beyond, len(part.bricks) * BRICK_VOXELS)
        rows = _rows(frames, low.take(kept, axis=1), high.take(kept, axis=1))
        _lower(packed, frames, rows, owner[kept] * BRICK_VOXELS, part.primitive[kept])
        square = _squares(packed)
        np.minimum(np.sqrt(square, out=square), np.float32(REACH), out=square)
        nearest = (packed & LOW_BITS).astype(np.int32)
        return square.reshape(-1, BRICK_VOXELS), nearest.reshape(-1, BRICK_VOXELS)

    return in_blocks(fill, bins)


def _rows(frames: TriangleFrames, low: Array, high: Array) -> Rows:
    """The rows of each triangle's box, low and high (3, P), that come near to the triangle."""
    first = np.clip(np.ceil(low - BEYOND + MIDDLE), 0, BRICK_SIZE).astype(np.int64)
    stop = np.clip(np.floor(high + BEYOND + MIDDLE) + 1, 0, BRICK_SIZE).astype(np.int64)
    extent = np.maximum(stop - first, 0)
    count = extent[1] * extent[2]
    pair = np.repeat(np.arange(len(count)), count)
    step = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    entry = extent[1, pair] * 64 + step
    y, z = ACROSS.ravel()[entry] + first[1, pair], UP.ravel()[entry] + first[2, pair]

    def at_middle(row: int) -> Floats:
        _, along_y, along_z = frames.direction[3 * row : 3 * row + 3]
        return (frames.offset[row][pair] + along_y[pair] * VOXEL_STEPS[y]) + along_z[pair] * VOXEL_STEPS[z]

    offset = at_middle(0)
    spread = MIDDLE * np.abs(frames.direction[:12:3]) + BEYOND  # (4, P)
    near = np.flatnonzero(np.abs(offset) <= spread[0][pair])
    offset, pair, y, z = offset[near], pair[near], y[near], z[near]
    offset = np.stack([offset, *(at_middle(row) for row in (1, 2, 3))])
    near = np.flatnonzero((offset[1:].T <= spread[1:].T[pair]).all(axis=1))
    offset, pair, y, z = offset[:, near], pair[near], y[near], z[near]

    # The slab about the plane cuts out one interval of x.
    nx = frames.direction[0][pair]
    nx = np.where(np.abs(nx) < 1e-6, np.float32(1e-6), nx)
    middle, half = MIDDLE - offset[0] / nx, BEYOND / np.abs(nx)
    start = np.clip(np.ceil(middle - half), first[0, pair], BRICK_SIZE).astype(np.int64)
    end = np.clip(np.floor(middle + half) + 1, 0, stop[0, pair]).astype(np.int64)
    return Rows(pair, (z * BRICK_SIZE + y) * BRICK_SIZE, start, end, offset)


def _packed(square: Floats, triangle: npt.NDArray[np.int32]) -> npt.NDArray[np.uint64]:
    """(N,) numbers in the order of squares (N,), and of triangles (N,) where these are equal."""
    return square.view(np.uint32).astype(np.uint64) << HALF_BITS | triangle.astype(np.uint64)


def _squares(packed: npt.NDArray[np.uint64]) -> Floats:
    """(N,) the squares in numbers (N,) that `_packed` gave."""
    return (packed >> HALF_BITS).astype(np.uint32).view(np.float32)


def _lower(
    packed: npt.NDArray[np.uint64],
    frames: TriangleFrames,
    rows: Rows,
    first_voxel: Indices,
    triangle: npt.NDArray[np.int32],
) -> None:
    """Lower the squares of the distances, at first_voxel (P,) and on, to those of the voxels in the rows.

    Each is packed with the triangle (P,) that it is of.
    """
    length = np.maximum(rows.stop - rows.first, 0)
    row = np.repeat(np.arange(len(length)), length)
    x = expand_ranges(rows.first, length)
    voxel = np.repeat(first_voxel[rows.pair] + rows.voxel, length) + x
    step = VOXEL_STEPS[x]
    height, *sides = (rows.offset[i][row] + frames.direction[3 * i][rows.pair][row] * step for i in range(4))
    outer = np.maximum(np.maximum(sides[0], sides[1]), sides[2])
    height *= height
    over = np.flatnonzero(outer < 0)
    name = triangle[rows.pair]
    np.minimum.at(packed, voxel[over], _packed(height[over], name[row[over]]))

    # No side is nearer than the line of a side that the voxel lies beyond.
    bound = height + np.maximum(outer, 0) ** 2
    left = np.flatnonzero((bound * CERTAIN < _squares(packed[voxel])) & (outer >= 0))
    voxel, height, step, row = voxel[left], height[left], step[left], row[left]
    pair = rows.pair[row]
    place = rows.voxel[row]
    y, z = VOXEL_STEPS[place >> 3 & 7], VOXEL_STEPS[place >> 6]
    nearest = np.full(len(left), np.inf, dtype=np.float32)
    for i in range(3):
        tx, ty, tz = frames.direction[12 + 3 * i : 15 + 3 * i]
        along = ((frames.offset[4 + i][pair] + ty[pair] * y) + tz[pair] * z) + tx[pair] * step
        along -= np.clip(along, frames.limit[i][pair], frames.limit[3 + i][pair])
        side = sides[i][left]
        np.minimum(nearest, side * side + along * along, out=nearest)
    np.minimum.at(packed, voxel, _packed(nearest + height, name[row]))
