"""From the field in bricks to a closed mesh: one vertex per patch of surface in a cell, one quad per crossed edge.

A cell belongs to the brick of its corner with the least coordinates. Its index in the brick is that corner's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, BrickTable, State
from .cells import EDGES, cell_tables, edge_at
from .errors import CarveError
from .grid import Grid
from .mesh import Surface

BRICKS_PER_BLOCK = 512

LEFT_BRICKS = "the surface leaves the bricks where it was looked for: please report this as a bug"


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


@dataclass(frozen=True)
class ActiveCells:
    """The cells that the surface passes through, in order of brick and voxel.

    Attributes:
        brick: (C,) int64, place of the brick in the field.
        voxel: (C,) int64, 0 to 511.
        configuration: (C,) uint8: see `cells`.
        corners: (C, 8) float32, distances at the corners.
        index: (B, 512) int32, the place of each cell here, -1 where it is not active.
    """

    brick: npt.NDArray[np.int64]
    voxel: npt.NDArray[np.int64]
    configuration: npt.NDArray[np.uint8]
    corners: npt.NDArray[np.float32]
    index: npt.NDArray[np.int32]


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
    places = places_of(field)
    cells = _active_cells(field, places)
    joined = _repaired(field, cells, places)
    tables = cell_tables()
    count = tables.patches[joined, cells.configuration].astype(np.int64)
    first_vertex = np.cumsum(count) - count
    patch = tables.patch[joined, cells.configuration]
    points = _vertices(field, cells, patch, first_vertex, int(count.sum()))
    quads, source = _quads(field, cells, patch, first_vertex, places, by_outside)
    return Surface(grid.to_world(points), quads, source)


def places_of(field: Field) -> npt.NDArray[np.int32]:
    """(Z + 2, Y + 2, X + 2): the place of each brick in the field, -1 for others and around the table."""
    places = np.full(tuple(side + 2 for side in field.table.shape), -1, dtype=np.int32)
    z, y, x = field.table.coordinates(field.bricks).T + 1
    places[z, y, x] = np.arange(len(field.bricks), dtype=np.int32)
    return places


def _active_cells(field: Field, places: npt.NDArray[np.int32]) -> ActiveCells:
    index = np.full((len(field.bricks), BRICK_VOXELS), -1, dtype=np.int32)
    bricks, voxels, configurations, corners = [], [], [], []
    for start in range(0, len(field.bricks), BRICKS_PER_BLOCK):
        padded = _padded(field, places, np.arange(start, min(start + BRICKS_PER_BLOCK, len(field.bricks))))
        inside = (padded <= 0).view(np.uint8)
        configuration = np.zeros((len(padded), *[BRICK_SIZE] * 3), dtype=np.uint8)
        for corner in range(8):
            configuration |= inside[:, *_shifted(corner)] << np.uint8(corner)
        active = (configuration != 0) & (configuration != 255)
        brick, voxel = np.nonzero(active.reshape(len(padded), BRICK_VOXELS))
        bricks.append(brick + start)
        voxels.append(voxel)
        configurations.append(configuration[active])
        corners.append(np.stack([padded[:, *_shifted(corner)][active] for corner in range(8)], axis=1))
    brick, voxel = np.concatenate(bricks), np.concatenate(voxels)
    index[brick, voxel] = np.arange(len(brick), dtype=np.int32)
    return ActiveCells(brick, voxel, np.concatenate(configurations), np.concatenate(corners), index)


def _shifted(corner: int) -> tuple[slice, slice, slice]:
    x, y, z = (corner >> axis & 1 for axis in range(3))
    return slice(z, z + BRICK_SIZE), slice(y, y + BRICK_SIZE), slice(x, x + BRICK_SIZE)


def _padded(field: Field, places: npt.NDArray[np.int32], which: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """(N, 9, 9, 9) distances of bricks and of the first voxels of the bricks after them."""
    padded = np.empty((len(which), *[BRICK_SIZE + 1] * 3), dtype=np.float32)
    coordinates = field.table.coordinates(field.bricks[which])
    inner, outer = slice(0, BRICK_SIZE), slice(BRICK_SIZE, BRICK_SIZE + 1)
    for corner in range(8):
        step = np.array([corner >> 2 & 1, corner >> 1 & 1, corner & 1])
        z, y, x = (coordinates + step + 1).T
        place = places[z, y, x]
        part = tuple(slice(0, 1) if far else inner for far in step)
        values = field.distance[place].reshape(-1, *[BRICK_SIZE] * 3)[:, *part]
        z, y, x = np.minimum(coordinates + step, np.array(field.table.shape) - 1).T
        uniform = np.where(field.states[z, y, x] == State.SOLID, -REACH, REACH).astype(np.float32)
        uniform[((coordinates + step) >= field.table.shape).any(axis=1)] = REACH
        values = np.where((place >= 0)[:, None, None, None], values, uniform[:, None, None, None])
        padded[:, *(outer if far else inner for far in step)] = values
    return padded


def _neighbours(
    field: Field,
    places: npt.NDArray[np.int32],
    brick: npt.NDArray[np.int64],
    voxel: npt.NDArray[np.int64],
    step: tuple[int, int, int],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Place of the brick (-1 where it is not NEAR) and voxel, a step (z, y, x) of at most one voxel an axis away."""
    moved = [voxel >> 6, voxel >> 3 & 7, voxel & 7]
    coordinates = field.table.coordinates(field.bricks[brick]).T + 1
    for axis in range(3):
        moved[axis] = moved[axis] + step[axis]
        coordinates[axis] += moved[axis] >> 3
        moved[axis] = moved[axis] & 7
    place = places[coordinates[0], coordinates[1], coordinates[2]].astype(np.int64)
    return place, moved[0] << 6 | moved[1] << 3 | moved[2]


def _repaired(field: Field, cells: ActiveCells, places: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
    """(C,): 1 where the cell's ambiguous face is to be joined, because the cell beyond it needs the same."""
    joined = np.zeros(len(cells.brick), dtype=np.int8)
    repair_face = cell_tables().repair_face[cells.configuration]
    for face in range(6):
        axis, side = divmod(face, 2)
        mine = np.flatnonzero(repair_face == face)
        step = [0, 0, 0]
        step[2 - axis] = 1 if side else -1
        place, voxel = _neighbours(field, places, cells.brick[mine], cells.voxel[mine], (step[0], step[1], step[2]))
        other = np.where(place >= 0, cells.index[place, voxel], -1)
        joined[mine] = (other >= 0) & (repair_face[other] == (face ^ 1))
    return joined


def _vertices(
    field: Field,
    cells: ActiveCells,
    patch: npt.NDArray[np.int8],
    first_vertex: npt.NDArray[np.int64],
    count: int,
) -> npt.NDArray[np.float64]:
    """(V, 3) points in voxel units: the mean of the places where the cell's edges are crossed."""
    total = np.zeros((count, 3), dtype=np.float32)
    crossings = np.zeros(count, dtype=np.float32)
    for edge, (a, b) in enumerate(EDGES):
        crossed = np.flatnonzero(patch[:, edge] >= 0)
        vertex = first_vertex[crossed] + patch[crossed, edge]
        here, there = cells.corners[crossed, a], cells.corners[crossed, b]
        place = np.zeros((len(crossed), 3), dtype=np.float32)
        place[:, edge // 4] = here / (here - there)
        place += np.array([a & 1, a >> 1 & 1, a >> 2 & 1], dtype=np.float32)
        total[vertex] += place
        crossings[vertex] += 1
    owner = np.repeat(np.arange(len(patch)), np.diff(first_vertex, append=count))
    brick, voxel = cells.brick[owner], cells.voxel[owner]
    corner = field.table.coordinates(field.bricks[brick])[:, ::-1] * float(BRICK_SIZE)
    corner += np.stack([voxel & 7, voxel >> 3 & 7, voxel >> 6], axis=1) + 0.5
    return corner + total / crossings[:, None]


def _quads(
    field: Field,
    cells: ActiveCells,
    patch: npt.NDArray[np.int8],
    first_vertex: npt.NDArray[np.int64],
    places: npt.NDArray[np.int32],
    by_outside: bool,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """A quad around each crossed edge: the vertices of the four cells that share it; in order of cell, then axis."""
    quads, sources, order = [], [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        owner = np.flatnonzero(patch[:, 4 * axis] >= 0)
        order.append(3 * owner + axis)
        brick, voxel = cells.brick[owner], cells.voxel[owner]
        ring = []
        # Counter-clockwise seen from the far end of the edge.
        for back_u, back_v in ((1, 1), (0, 1), (0, 0), (1, 0)):
            step = [0, 0, 0]
            step[2 - u], step[2 - v] = -back_u, -back_v
            place, cell_voxel = _neighbours(field, places, brick, voxel, (step[0], step[1], step[2]))
            cell = np.where(place >= 0, cells.index[place, cell_voxel], -1)
            if (cell < 0).any():
                raise CarveError(LEFT_BRICKS)
            ring.append(first_vertex[cell] + patch[cell, edge_at(axis, back_u, back_v)])
        start_inside = (cells.configuration[owner] & 1).astype(bool)
        quad = np.stack(ring, axis=1).astype(np.int32)
        quads.append(np.where(start_inside[:, None], quad, quad[:, ::-1]))
        step = [0, 0, 0]
        step[2 - axis] = 1
        end_brick, end_voxel = _neighbours(field, places, brick, voxel, (step[0], step[1], step[2]))
        at_start = start_inside != by_outside
        sources.append(field.source[np.where(at_start, brick, end_brick), np.where(at_start, voxel, end_voxel)])
    in_order = np.argsort(np.concatenate(order), kind="stable")
    return np.concatenate(quads)[in_order], np.concatenate(sources)[in_order]
