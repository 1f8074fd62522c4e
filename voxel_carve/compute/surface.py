"""From the field in bricks to a closed mesh: one vertex per patch of surface in a cell, one quad per crossed edge.

A cell belongs to the brick of its corner with the least coordinates. Its index in the brick is that corner's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .active_cells import HERE, WEIGHTS, ActiveCells, active_cells, inside_words, joined_cells
from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, BrickTable, State
from .cells import EDGES, cell_tables, edge_at
from .errors import CarveError
from .grid import Grid
from .mesh import Surface
from .threads import map_blocks, slices

Indices = npt.NDArray[np.int64]
Points = npt.NDArray[np.float64]

BRICKS_PER_BLOCK = 512
CELLS_PER_BLOCK = 1 << 14

# The words of a brick all outside, and of one all inside: see `active_cells`.
UNIFORM_WORDS = np.array([[0] * BRICK_SIZE, [2**64 - 1] * BRICK_SIZE], dtype=np.uint64)

LEFT_BRICKS = "the surface leaves the bricks where it was looked for: please report this as a bug"


def _step(axis: int, sign: int) -> tuple[Indices, Indices]:
    """Of a step along an axis, 1 or -1, from each of the 512 voxels: how the brick's number changes, and its own."""
    out = (np.arange(BRICK_VOXELS) >> 3 * axis & 7) == (BRICK_SIZE - 1 if sign > 0 else 0)
    return out * (sign * WEIGHTS[axis]), np.where(out, -sign * (BRICK_SIZE - 1), sign) << 3 * axis


STEPS = {(axis, sign): _step(axis, sign) for axis in range(3) for sign in (1, -1)}


@dataclass(frozen=True)
class Field:
    """The result's field.

    Attributes:
        table: the bricks of the grid.
        states: (Z, Y, X) uint8 table of `State`.
        bricks: (B,) int64, ids of the NEAR bricks in ascending order.
        distance: (B, 512) float32, in voxels, 0 is inside, exact up to REACH.
        source: (B, 512) uint8, the `Source` whose distance it is.

    A backend may keep the last two on its device.
    """

    table: BrickTable
    states: npt.NDArray[np.uint8]
    bricks: npt.NDArray[np.int64]
    distance: Any
    source: Any


def extract_surface(field: Field, grid: Grid, by_outside: bool) -> Surface:
    """The surface between inside and outside.

    Args:
        field: no voxel at the sides of the grid may be inside.
        grid: where the voxels lie.
        by_outside: a quad's source is that of the voxel outside (True) or inside (False) the edge that it cuts: the
            voxel where the two fields were decided by one of them.

    Returns:
        A closed, oriented 2-manifold, empty where nothing is inside.
    """
    if len(field.bricks) == 0:
        return Surface(np.empty((0, 3)), np.empty((0, 4), dtype=np.int32), np.empty(0, dtype=np.uint8))
    around = _around(field)
    blocks = list(slices(len(field.bricks), BRICKS_PER_BLOCK))
    words = np.concatenate([*map_blocks(lambda rows: inside_words(field.distance[rows]), blocks), UNIFORM_WORDS])
    cells = joined_cells(list(map_blocks(lambda rows: active_cells(words, around, rows), blocks)))
    shape = cells.configuration + 256 * _repaired(cells, around)
    points, vertices = _vertices(field, grid, cells, shape, around)
    quads, source = _quads(field, cells, vertices, around, by_outside)
    return Surface(points, quads, source)


def places_of(field: Field) -> npt.NDArray[np.int32]:
    """(Z + 2, Y + 2, X + 2): the place of each brick in the field, -1 for others and around the table."""
    places = np.full(tuple(side + 2 for side in field.table.shape), -1, dtype=np.int32)
    z, y, x = field.table.coordinates(field.bricks).T + 1
    places[z, y, x] = np.arange(len(field.bricks), dtype=np.int32)
    return places


def _around(field: Field) -> npt.NDArray[np.int32]:
    """(27, B): rows of the bricks around each one, in the order of `active_cells`.

    The place in the field, or after its B bricks one for all that are EMPTY or beyond the table, and one for the SOLID.
    """
    bricks, places = len(field.bricks), places_of(field)
    uniform = np.full(places.shape, bricks, dtype=np.int32)
    uniform[1:-1, 1:-1, 1:-1] += field.states == State.SOLID
    rows = np.where(places < 0, uniform, places).ravel()
    z, y, x = field.table.coordinates(field.bricks).T + 1
    here = (z * places.shape[1] + y) * places.shape[2] + x
    dz, dy, dx = (step.ravel() - 1 for step in np.indices((3, 3, 3)))
    steps = (dz * places.shape[1] + dy) * places.shape[2] + dx
    return np.stack([rows[here + step] for step in steps])


class _Steps:
    """Neighbours of voxels (C,), whose bricks have the places `brick` (C,) in the field: see `_around`."""

    def __init__(self, brick: Indices, voxel: Indices, around: npt.NDArray[np.int32]) -> None:
        self._around, self._stride = around.ravel(), around.shape[1]
        self._brick, self._voxel = brick + HERE * self._stride, voxel

    def to(self, *steps: tuple[int, int]) -> tuple[Indices, Indices]:
        """Rows and voxels a step away along each of some axes: pairs (axis, 1 or -1)."""
        brick, voxel = self._brick, self._voxel
        for step in steps:
            brick_step, voxel_step = STEPS[step]
            brick, voxel = brick + (brick_step * self._stride)[self._voxel], voxel + voxel_step[self._voxel]
        return self._around[brick].astype(np.int64), voxel


def _repaired(cells: ActiveCells, around: npt.NDArray[np.int32]) -> Indices:
    """(C,): 1 where the cell's ambiguous face is to be joined, because the cell beyond it needs the same."""
    joined = np.zeros(len(cells.brick), dtype=np.int64)
    repair_face = cell_tables().repair_face[cells.configuration]
    place = cells.brick * BRICK_VOXELS + cells.voxel
    for face in range(6):
        mine = np.flatnonzero(repair_face == face)
        row, voxel = _Steps(cells.brick[mine], cells.voxel[mine], around).to((face >> 1, 2 * (face & 1) - 1))
        wanted = row * BRICK_VOXELS + voxel
        other = np.minimum(np.searchsorted(place, wanted), len(place) - 1)
        joined[mine] = (place[other] == wanted) & (repair_face[other] == (face ^ 1))
    return joined


@dataclass(frozen=True)
class _Vertices:
    """Which vertices a cell has.

    Attributes:
        of_voxel: (B * 512,) int32, one more than the only vertex of the cell; minus one more than its place among the
            cells, where it has several; 0 where there is none.
        first: (C,) int64, the first vertex of each cell.
        shape: (C,) int64, the configuration of each cell, and 256 more where its ambiguous face is joined.
    """

    of_voxel: npt.NDArray[np.int32]
    first: Indices
    shape: Indices

    def at(self, place: Indices, edge: int) -> Indices:
        """(N,) vertices of the edges `edge` of the cells at `place` (N,).

        Raises:
            CarveError: a cell has no vertex.
        """
        if len(place) and place.max() >= len(self.of_voxel):
            raise CarveError(LEFT_BRICKS)
        vertex = self.of_voxel[place].astype(np.int64) - 1
        several = np.flatnonzero(vertex < 0)
        if (vertex[several] == -1).any():
            raise CarveError(LEFT_BRICKS)
        cell = -2 - vertex[several]
        vertex[several] = self.first[cell] + cell_tables().patch.reshape(-1, 12)[self.shape[cell], edge]
        return vertex


def _vertices(
    field: Field, grid: Grid, cells: ActiveCells, shape: Indices, around: npt.NDArray[np.int32]
) -> tuple[Points, _Vertices]:
    """(V, 3) points in world space, the means of the places where the cells' edges are crossed; whose they are.

    `shape` (C,) is the configuration of each cell, and 256 more where its ambiguous face is joined.
    """
    tables = cell_tables()
    patches, patch = tables.patches.reshape(-1), np.ascontiguousarray(tables.patch.reshape(-1, 12).T)
    count = patches[shape]
    first = np.cumsum(count, dtype=np.int64) - count
    of_voxel = np.zeros(len(field.bricks) * BRICK_VOXELS, dtype=np.int32)
    points = np.empty((int(count.sum(dtype=np.int64)), 3))

    def fill(block: slice) -> None:
        brick, voxel, own, most = cells.brick[block], cells.voxel[block], first[block], count[block]
        of_voxel[brick * BRICK_VOXELS + voxel] = np.where(most == 1, own + 1, -1 - np.arange(block.start, block.stop))
        values = _corner_values(field, _Steps(brick, voxel, around))
        corner = field.table.coordinates(field.bricks[brick]).T[::-1] * float(BRICK_SIZE)
        corner += np.stack([voxel & 7, voxel >> 3 & 7, voxel >> 6]) + 0.5
        edges = patch.take(shape[block], axis=1)
        for name in range(int(most.max())):
            if name > 0:
                more = np.flatnonzero(most > name)
                values, corner, edges, own, most = (
                    values[:, more],
                    corner[:, more],
                    edges[:, more],
                    own[more],
                    most[more],
                )
            mean = _mean_crossing(values, edges == name)
            points[own + name] = ((corner + mean) * grid.voxel_size + grid.origin[:, None]).T

    for _ in map_blocks(fill, slices(len(shape), CELLS_PER_BLOCK)):
        pass
    return points, _Vertices(of_voxel, first, shape)


def _corner_values(field: Field, steps: _Steps) -> npt.NDArray[np.float32]:
    """(8, C) distances at the corners of cells."""
    distance, bricks = field.distance.reshape(-1), len(field.bricks)
    values = []
    for corner in range(8):
        row, voxel = steps.to(*((axis, 1) for axis in range(3) if corner >> axis & 1))
        value = distance[np.minimum(row, bricks - 1) * BRICK_VOXELS + voxel]
        uniform = np.flatnonzero(row >= bricks)
        value[uniform] = np.where(row[uniform] > bricks, -REACH, REACH)
        values.append(value)
    return np.stack(values)


def _mean_crossing(values: npt.NDArray[np.float32], crossed: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """(3, C) mean of the places in a cell where `crossed` (12, C) edges are crossed, by values (8, C) at corners."""
    total = np.zeros((3, values.shape[1]), dtype=np.float32)
    for edge, (a, b) in enumerate(EDGES):
        # Where an edge is not crossed, its ends may be equal, and the place is not used.
        with np.errstate(divide="ignore", invalid="ignore"):
            place = values[a] / (values[a] - values[b])
        for axis in range(3):
            if axis == edge // 4:
                total[axis] += np.where(crossed[edge], place, np.float32(0))
            elif a >> axis & 1:
                total[axis] += crossed[edge]
    return total / crossed.sum(axis=0, dtype=np.float32)


def _quads(
    field: Field, cells: ActiveCells, vertices: _Vertices, around: npt.NDArray[np.int32], by_outside: bool
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """A quad around each crossed edge: the vertices of the four cells that share it; in order of cell, then axis."""

    def make(block: slice) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        brick, voxel, configuration = cells.brick[block], cells.voxel[block], cells.configuration[block]
        crossed = (configuration ^ np.stack([configuration >> (1 << axis) for axis in range(3)])) & 1
        before = np.concatenate([[0], np.cumsum(crossed.sum(axis=0, dtype=np.int64))])
        quads = np.empty((before[-1], 4), dtype=np.int32)
        source = np.empty(before[-1], dtype=np.uint8)
        for axis in range(3):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            owner = np.flatnonzero(crossed[axis])
            at = before[owner] + crossed[:axis, owner].sum(axis=0, dtype=np.int64)
            steps = _Steps(brick[owner], voxel[owner], around)
            ring = np.empty((4, len(owner)), dtype=np.int32)
            # Counter-clockwise seen from the far end of the edge.
            for k, back in enumerate(((u, v), (v,), (), (u,))):
                row, place = steps.to(*((side, -1) for side in back))
                edge = edge_at(axis, int(u in back), int(v in back))
                ring[k] = vertices.at(row * BRICK_VOXELS + place, edge)
            start_inside = (configuration[owner] & 1).astype(bool)
            quads[at] = np.where(start_inside, ring, ring[::-1]).T
            row, place = steps.to((axis, 1))
            at_start = start_inside != by_outside
            row, place = np.where(at_start, brick[owner], row), np.where(at_start, voxel[owner], place)
            if (row >= len(field.bricks)).any():
                raise CarveError(LEFT_BRICKS)
            source[at] = field.source[row, place]
        return quads, source

    made = list(map_blocks(make, slices(len(cells.brick), CELLS_PER_BLOCK)))
    made.append((np.empty((0, 4), dtype=np.int32), np.empty(0, dtype=np.uint8)))
    quads, source = zip(*made, strict=True)
    return np.concatenate(quads), np.concatenate(source)
