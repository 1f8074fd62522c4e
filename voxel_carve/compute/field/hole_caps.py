"""The caps that close the holes of an open stock: where the absolute winding number |w| crosses 0.5.

A cap can lie far from every triangle. Away from the boundary, the fractional part of the boundary sum b is smooth. If
it cannot reach 0.5 in a block of voxels, one value gives the side of the whole block. If it can, the cap is part of the
surface.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model.bricks import BAND, BRICK_SIZE, BRICK_VOXELS, REACH, BrickTable
from ..primitives.boundary import Boundary, BoundarySums
from ..primitives.crossings import Crossings
from ..runtime.progress import progress_range, with_progress
from ..runtime.threads import slices
from .binning import LEVELS, half_diagonal
from .protocol import Backend

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

BRICKS_PER_RUN = 4096


def cap_bricks(boundary: Boundary, table: BrickTable, backend: Backend) -> Indices:
    """Ids of the bricks where, away from the triangles, |w| can be 0.5 within BAND of a voxel centre."""
    if len(boundary) == 0:
        return np.empty(0, dtype=np.int64)
    tile = LEVELS[0]
    shape = [-(-side // (tile // BRICK_SIZE)) for side in table.shape]
    corners = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3) * tile
    for size in with_progress(LEVELS):
        if size < tile:
            corners = _split(corners, size)
            corners = corners[(corners < np.array(table.shape) * BRICK_SIZE).all(axis=1)]
        _, _, settled = _settle(corners, size, BAND, boundary, backend)
        corners = corners[~settled]
    return np.sort(table.ids(corners // BRICK_SIZE))


def boundary_sums(
    boundary: Boundary, crossings: Crossings, table: BrickTable, bricks: Indices, backend: Backend
) -> BoundarySums:
    """The boundary sum in bricks (B,): exact near a cap; elsewhere with an error that cannot move |w| across 0.5.

    A settled block takes the sum at its centre. If a boundary edge lies above it, each column takes its own sum: there
    both the sum and the crossings jump between columns.
    """
    if len(boundary) == 0 or len(bricks) == 0:
        return BoundarySums.none(len(bricks))
    runs = slices(len(bricks), BRICKS_PER_RUN)
    parts = [_sums_of_run(boundary, crossings, table, bricks[rows], backend) for rows in with_progress(runs)]
    return BoundarySums.joined(parts)


def _sums_of_run(
    boundary: Boundary, crossings: Crossings, table: BrickTable, bricks: Indices, backend: Backend
) -> BoundarySums:
    """As `boundary_sums`, for one run of bricks."""
    corners = table.coordinates(bricks) * BRICK_SIZE
    with progress_range(0.0, 0.1):
        sums, _, settled = _settle(corners, BRICK_SIZE, REACH, boundary, backend)
    jumps = _below_edges(boundary, table, corners, BRICK_SIZE)
    whole = settled & ~jumps
    row = np.where(whole, -1, np.cumsum(~whole) - 1).astype(np.int32)
    by_voxel = np.empty((int((~whole).sum()), *[BRICK_SIZE] * 3))
    to_cap = np.full(by_voxel.shape, REACH, dtype=np.float32)

    each = settled & jumps
    with progress_range(0.1, 0.2):
        by_voxel[row[each]] = _column_sums(corners[each], BRICK_SIZE, boundary, backend)
    slot, origin = row[~settled], corners[~settled]
    corners = origin
    for size, begin, end in ((4, 0.2, 0.3), (2, 0.3, 0.6)):
        slot, origin, corners = np.repeat(slot, 8), np.repeat(origin, 8, axis=0), _split(corners, size)
        blocks = _blocks_of(by_voxel, size)
        z, y, x = ((corners - origin) // size).T
        with progress_range(begin, end):
            b, bound, settled = _settle(corners, size, REACH, boundary, backend)
        jumps = _below_edges(boundary, table, corners, size)
        one, each = settled & ~jumps, settled & jumps
        blocks[slot[one], z[one], :, y[one], :, x[one], :] = b[one, None, None, None]
        columns = _column_sums(corners[each], size, boundary, backend)
        blocks[slot[each], z[each], :, y[each], :, x[each], :] = columns
        left = ~settled
        slot, origin, corners = slot[left], origin[left], corners[left]
        b, bound, jumps = b[left], bound[left], jumps[left]
    open_blocks = _Blocks(slot.astype(np.int64), corners, corners - origin, b, bound, jumps)
    with progress_range(0.6, 1.0):
        _fill_voxels(open_blocks, by_voxel, to_cap, boundary, crossings, backend)
    return BoundarySums(sums, row, by_voxel.reshape(-1, BRICK_VOXELS), to_cap.reshape(-1, BRICK_VOXELS))


@dataclass(frozen=True)
class _Blocks:
    """The N blocks of 2 voxels a side that are not settled.

    Attributes:
        slot: (N,) row of the brick in `by_voxel`.
        corner, offset: (N, 3) first voxel as (z, y, x), in the grid and in the brick.
        b, bound: (N,) boundary sum at the centre, and a bound of its steepness within REACH of a voxel centre. That is
            also one of its gradient's length at the voxel centres: these are nearer than half as far.
        jumps: (N,) whether b may jump between columns.
    """

    slot: Indices
    corner: Indices
    offset: Indices
    b: Array
    bound: Array
    jumps: npt.NDArray[np.bool_]


def _fill_voxels(
    blocks: _Blocks,
    by_voxel: Array,
    to_cap: npt.NDArray[np.float32],
    boundary: Boundary,
    crossings: Crossings,
    backend: Backend,
) -> None:
    """Set b and the distance to the cap in the voxels of the blocks.

    If the cap cannot pass between the voxels of a block, only the distance matters. There b is extrapolated by its
    gradient, which is below the bound, so that |w| cannot cross 0.5. Elsewhere b is exact.
    """
    points = _point(_split(blocks.corner, 1), 0.5)
    follows = (np.abs(blocks.b % 1.0 - 0.5) > half_diagonal(2) * blocks.bound) & ~blocks.jumps
    exact = np.repeat(~follows, 8)
    b, steepness = np.empty(len(points)), np.zeros(len(points))
    with progress_range(0.0, 0.4):
        b[exact] = backend.boundary_winding(points[exact], boundary)
    centres = _point(blocks.corner[follows], 1.0)
    with progress_range(0.4, 0.6):
        gradient = backend.winding_gradient(centres, boundary)
    step = points[~exact].reshape(-1, 8, 3) - centres[:, None]
    b[~exact] = (blocks.b[follows, None] + (step * gradient[:, None]).sum(axis=2)).ravel()
    steepness[~exact] = np.repeat(np.linalg.norm(gradient, axis=1), 8)

    z, y, x = _split(blocks.corner, 1).T
    rows, columns = np.minimum(y, crossings.shape[1] - 1), np.minimum(x, crossings.shape[2] - 1)
    off = np.abs(0.5 - np.abs(b + crossings.above(z, rows * crossings.shape[2] + columns)))
    close = exact & (off <= REACH * np.repeat(blocks.bound, 8))
    with progress_range(0.6, 1.0):
        steepness[close] = np.linalg.norm(backend.winding_gradient(points[close], boundary), axis=1)
    z, y, x = _split(blocks.offset, 1).T
    slot = np.repeat(blocks.slot, 8)
    by_voxel[slot, z, y, x] = b
    to_cap[slot, z, y, x] = np.minimum(off / np.maximum(steepness, 1e-12), REACH)


def _settle(
    corners: Indices, size: int, band: float, boundary: Boundary, backend: Backend
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Which blocks of `size` voxels a side, at corners (N, 3) as (z, y, x), are settled.

    Returns:
        (N,) b at the centre; a bound of its steepness within `band` of a voxel centre; and whether the fractional part
        of b cannot reach 0.5 within `band`.
    """
    centres = _point(corners, size / 2)
    with progress_range(0.0, 0.5):
        b = backend.boundary_winding(centres, boundary)
    reach = half_diagonal(size) + band
    with progress_range(0.5, 1.0):
        bound = backend.steepness_bound(centres, boundary, reach)
    return b, bound, np.abs(b % 1.0 - 0.5) > reach * bound


def _point(corners: Indices, step: float) -> Array:
    """Points (x, y, z), offset by `step` along all axes from voxel corners (N, 3) as (z, y, x)."""
    return corners[:, ::-1].astype(np.float64) + step


def _split(corners: Indices, size: int) -> Indices:
    """The corners of the eight blocks of `size` voxels a side in each block of twice that side."""
    steps = np.stack(np.meshgrid(*[(0, size)] * 3, indexing="ij"), axis=-1).reshape(8, 3)
    return (corners[:, None] + steps).reshape(-1, 3)


def _blocks_of(voxels: Array, size: int) -> Array:
    """(S, n, size, n, size, n, size): a view of (S, 8, 8, 8) by blocks of `size` voxels a side."""
    return voxels.reshape(-1, *[BRICK_SIZE // size, size] * 3)


def _column_sums(corners: Indices, size: int, boundary: Boundary, backend: Backend) -> Array:
    """(N, 1, size, size): b of each column of the blocks at corners (N, 3), at half height. It jumps only between
    columns."""
    steps = np.arange(size) + 0.5
    y, x = np.meshgrid(steps, steps, indexing="ij")
    points = corners[:, None, None, ::-1] + np.stack([x, y, np.full_like(x, size / 2)], axis=-1)
    return backend.boundary_winding(points.reshape(-1, 3), boundary).reshape(-1, 1, size, size)


def _below_edges(boundary: Boundary, table: BrickTable, corners: Indices, size: int) -> npt.NDArray[np.bool_]:
    """(N,): whether a boundary edge may lie above the block, so that b jumps between its columns."""
    shape = np.array(table.shape[1:]) * (BRICK_SIZE // size)
    low = np.minimum(boundary.low, boundary.high)[:, 1::-1]
    high = np.maximum(boundary.low, boundary.high)[:, 1::-1]
    first = np.clip(np.floor(low / size), 0, shape).astype(int)
    stop = np.clip(np.floor(high / size) + 1, 0, shape).astype(int)
    # The rectangle of blocks under each edge, marked by its corners in a summed-area table.
    marks = np.zeros(shape + 1, dtype=np.int64)
    for y, x, sign in ((first, first, 1), (first, stop, -1), (stop, first, -1), (stop, stop, 1)):
        np.add.at(marks, (y[:, 0], x[:, 1]), sign)
    covered = marks.cumsum(axis=0).cumsum(axis=1) > 0
    return covered[corners[:, 1] // size, corners[:, 2] // size]
