"""The stock on bricks: where its surface can be, on which side the voxels lie, and how far from it.

What closes the holes of an open stock is the sheet where the absolute winding number crosses 0.5. It can lie far from
every triangle. Away from the boundary the fraction of the boundary sum b is smooth: where it cannot reach 0.5, one
value tells the side of a whole block of voxels; where it can, the sheet is part of the surface.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from .backend import Backend
from .binning import LEVELS, half_diagonal
from .bricks import BAND, BRICK_SIZE, REACH, Bins, BrickTable, State
from .crossings import Crossings
from .errors import InputError
from .grid import Grid
from .mesh import TriMesh
from .plan import plan_grid
from .triangles import Triangles
from .winding import INSIDE, Boundary, gradient_bound

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

MOST_GROWTHS = 6  # of the grid, for a sheet that leaves it; each makes it half as large again


@dataclass(frozen=True)
class PreparedStock:
    """A stock made ready for a grid.

    Attributes:
        grid: the voxels; larger than asked for where the sheet that closes a hole leaves it.
        table: the bricks of the grid.
        triangles, boundary: in voxel units from the grid's origin.
        crossings: of the z columns of the grid.
        states: (Z, Y, X) uint8 table of `State`.
        bins: triangles of all NEAR bricks; none where only the sheet that closes a hole can be near.
    """

    grid: Grid
    table: BrickTable
    triangles: Triangles
    boundary: Boundary
    crossings: Crossings
    states: npt.NDArray[np.uint8]
    bins: Bins


def prepare_stock(mesh: TriMesh, grid: Grid, backend: Backend) -> PreparedStock:
    """Bin the triangles, pass the columns, find the sheet and the state of every brick.

    The grid holds all triangles. It grows where the sheet leaves it, which can stand out far where open shells lie over
    each other.

    Raises:
        InputError: the sheet still leaves a grid many times as large.
    """
    for _ in range(MOST_GROWTHS):
        stock = prepare_on_grid(mesh, grid, backend)
        if not _reaches_sides(stock, backend):
            return stock
        sides = np.array(grid.shape[::-1], dtype=np.float64)
        room = sides.max() / 4
        grid = plan_grid(grid.to_world(np.stack([np.full(3, -room), sides + room])), grid.voxel_size)
    raise InputError(f"'{mesh.name}' has holes too large to be closed ({len(stock.boundary)} open edges): close them")


def prepare_on_grid(mesh: TriMesh, grid: Grid, backend: Backend) -> PreparedStock:
    """The same on this very grid, wherever the triangles lie."""
    triangles = Triangles.on_grid(mesh, grid)
    boundary = Boundary.of(triangles.points, triangles.triangles)
    table = BrickTable.over(grid)
    crossings = backend.pass_columns(triangles, grid.shape)
    bins = _with_bricks(backend.bin_triangles(triangles, grid), _sheet_bricks(boundary, table, backend))
    states = np.full(len(table), State.EMPTY, dtype=np.uint8)
    states[bins.bricks] = State.NEAR
    stock = PreparedStock(grid, table, triangles, boundary, crossings, states.reshape(table.shape), bins)
    return replace(stock, states=_flood_states(stock, backend))


def _reaches_sides(stock: PreparedStock, backend: Backend) -> bool:
    """Whether the voxels at the sides of the grid are not all outside."""
    if not len(stock.boundary):
        return False
    coordinates, last = stock.table.coordinates(stock.bins.bricks), np.array(stock.table.shape) - 1
    at_side = ((coordinates == 0) | (coordinates == last)).any(axis=1)
    w, _ = winding_in_bricks(stock, stock.bins.bricks[at_side], backend)
    inside = (np.abs(w) > INSIDE).reshape(-1, *[BRICK_SIZE] * 3)
    for axis in range(3):
        for brick, layer in ((0, 0), (last[axis], -1)):
            at = coordinates[at_side, axis] == brick
            if np.take(inside[at], layer, axis=axis + 1).any():
                return True
            if (np.take(stock.states, brick, axis=axis) == State.SOLID).any():
                return True
    return False


def _sheet_bricks(boundary: Boundary, table: BrickTable, backend: Backend) -> Indices:
    """Ids of the bricks where |w| can be 0.5 within BAND of a voxel centre, away from the triangles."""
    if len(boundary) == 0:
        return np.empty(0, dtype=np.int64)
    tile = LEVELS[0]
    shape = [-(-side // (tile // BRICK_SIZE)) for side in table.shape]
    corners = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3) * tile
    while True:
        _, _, settled = _settle(corners, tile, BAND, boundary, backend)
        corners = corners[~settled]
        if tile == BRICK_SIZE:
            return np.sort(table.ids(corners // BRICK_SIZE))
        tile //= 2
        corners = _split(corners, tile)
        corners = corners[(corners < np.array(table.shape) * BRICK_SIZE).all(axis=1)]


def _settle(
    corners: Indices, size: int, band: float, boundary: Boundary, backend: Backend
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """For blocks of `size` voxels a side at corners (N, 3) as (z, y, x): b at the centre; a bound of its gradient
    within `band` of a voxel centre; whether b, as a fraction, is so far from 0.5 that it cannot get there in `band`.
    """
    centres = _point(corners, size / 2)
    b = backend.boundary_winding(centres, boundary)
    reach = half_diagonal(size) + band
    bound = gradient_bound(centres, boundary, reach)
    return b, bound, np.abs(b % 1.0 - 0.5) > reach * bound


def _point(corners: Indices, step: float) -> Array:
    """Points (x, y, z) a step along all three axes from voxel corners (N, 3) as (z, y, x)."""
    return corners[:, ::-1].astype(np.float64) + step


def _split(corners: Indices, size: int) -> Indices:
    """The corners of the eight blocks of `size` voxels a side in each block of twice that."""
    steps = np.stack(np.meshgrid(*[(0, size)] * 3, indexing="ij"), axis=-1).reshape(8, 3)
    return (corners[:, None] + steps).reshape(-1, 3)


def _with_bricks(bins: Bins, more: Indices) -> Bins:
    """Add bricks without primitives."""
    bricks = np.union1d(bins.bricks, more)
    count = np.zeros(len(bricks), dtype=np.int64)
    count[np.searchsorted(bricks, bins.bricks)] = np.diff(bins.first)
    return Bins(bricks, np.concatenate([[0], np.cumsum(count)]), bins.primitive)


def _flood_states(stock: PreparedStock, backend: Backend) -> npt.NDArray[np.uint8]:
    """States of the bricks that are not NEAR: no surface lies between two that touch, so one tells for all."""
    states = stock.states.copy()
    label, count = ndimage.label(states != State.NEAR)
    found, first = np.unique(label.ravel(), return_index=True)
    found, first = found[found > 0], first[found > 0]
    corner = stock.table.coordinates(first) * BRICK_SIZE
    above = stock.crossings.above(corner[:, 0], corner[:, 1] * stock.crossings.shape[2] + corner[:, 2])
    w = above + backend.boundary_winding(_point(corner, 0.5), stock.boundary)
    is_solid = np.zeros(count + 1, dtype=bool)
    is_solid[found] = np.abs(w) > INSIDE
    states[is_solid[label]] = State.SOLID
    return states


def winding_in_bricks(stock: PreparedStock, bricks: Indices, backend: Backend) -> tuple[Array, npt.NDArray[np.float32]]:
    """The winding number in bricks (B,), ids in ascending order.

    Returns:
        w: (B, 512), exact near a sheet that closes a hole; elsewhere exact but for a part that cannot carry it across
            0.5.
        to_sheet: (B, 512) distance to the sheet, to first order, in voxels, clamped to REACH.
    """
    w = backend.crossings_in_bricks(stock.crossings, bricks, stock.table).astype(np.float64)
    to_sheet = np.full(w.shape, REACH, dtype=np.float32)
    if len(stock.boundary) == 0:
        return w, to_sheet
    origin = stock.table.coordinates(bricks) * BRICK_SIZE
    by_voxel = w.reshape(-1, *[BRICK_SIZE] * 3)
    slot, corners, bound = np.arange(len(bricks)), origin, np.empty(0)
    for size in (8, 4, 2):
        b, bound, settled = _settle(corners, size, REACH, stock.boundary, backend)
        jumps = _below_edges(stock, corners, size)
        one, each = settled & ~jumps, settled & jumps
        index = _block_index(slot[one], corners[one] - origin[slot[one]], size)
        by_voxel[index] += b[one, None, None, None]
        index = _block_index(slot[each], corners[each] - origin[slot[each]], size)
        by_voxel[index] += _column_sums(corners[each], size, stock.boundary, backend)
        slot, bound = np.repeat(slot[~settled], 8), np.repeat(bound[~settled], 8)
        corners = _split(corners[~settled], size // 2)
    points = _point(corners, 0.5)
    z, y, x = (corners - origin[slot]).T
    voxel = (z * BRICK_SIZE + y) * BRICK_SIZE + x
    w[slot, voxel] += backend.boundary_winding(points, stock.boundary)
    off = np.abs(0.5 - np.abs(w[slot, voxel]))
    close = off <= REACH * bound
    steepness = np.linalg.norm(backend.winding_gradient(points[close], stock.boundary), axis=1)
    to_sheet[slot[close], voxel[close]] = np.minimum(off[close] / np.maximum(steepness, 1e-12), REACH)
    return w, to_sheet


def _block_index(slot: Indices, corner: Indices, size: int) -> tuple[Indices, ...]:
    """Index arrays (N, size, size, size) of blocks of voxels in an array (B, 8, 8, 8)."""
    steps = np.meshgrid(*[np.arange(size)] * 3, indexing="ij")
    z, y, x = (corner[:, axis, None, None, None] + steps[axis] for axis in range(3))
    return slot[:, None, None, None], z, y, x


def _column_sums(corners: Indices, size: int, boundary: Boundary, backend: Backend) -> Array:
    """(N, 1, size, size): b of each column of the blocks at corners (N, 3), at half height: it jumps between columns
    only."""
    steps = np.arange(size) + 0.5
    y, x = np.meshgrid(steps, steps, indexing="ij")
    points = corners[:, None, None, ::-1] + np.stack([x, y, np.full_like(x, size / 2)], axis=-1)
    return backend.boundary_winding(points.reshape(-1, 3), boundary).reshape(-1, 1, size, size)


def _below_edges(stock: PreparedStock, corners: Indices, size: int) -> npt.NDArray[np.bool_]:
    """(N,): whether a boundary edge may lie over the block, so that b jumps between its columns."""
    shape = np.array(stock.table.shape[1:]) * (BRICK_SIZE // size)
    low = np.minimum(stock.boundary.low, stock.boundary.high)[:, 1::-1]
    high = np.maximum(stock.boundary.low, stock.boundary.high)[:, 1::-1]
    first = np.clip(np.floor(low / size), 0, shape).astype(int)
    stop = np.clip(np.floor(high / size) + 1, 0, shape).astype(int)
    # Each edge's rectangle of blocks, by the corners of a table of sums.
    marks = np.zeros(shape + 1, dtype=np.int64)
    for y, x, sign in ((first, first, 1), (first, stop, -1), (stop, first, -1), (stop, stop, 1)):
        np.add.at(marks, (y[:, 0], x[:, 1]), sign)
    covered = marks.cumsum(axis=0).cumsum(axis=1) > 0
    return covered[corners[:, 1] // size, corners[:, 2] // size]


def stock_distance(
    stock: PreparedStock, bins: Bins, backend: Backend
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """The stock's field in the bricks of `bins`, a part of `stock.bins`.

    Returns:
        distance: (B, 512) float32, signed, in voxels, clamped to REACH; 0 is inside.
        closure: (B, 512) bool: the sheet that closes a hole is nearer than any triangle.
    """
    distance = backend.triangle_distance(stock.triangles, bins, stock.table)
    w, to_sheet = winding_in_bricks(stock, bins.bricks, backend)
    closure = to_sheet < distance
    np.minimum(distance, to_sheet, out=distance)
    np.negative(distance, where=np.abs(w) > INSIDE, out=distance)
    return distance, closure
