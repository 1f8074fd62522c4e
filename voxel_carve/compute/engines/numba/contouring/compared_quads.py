"""The quads at a cell that is not plain, and at another cell that one of its vertices visits: see
`contouring.overlaps`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import overlaps
from ....contouring.overlaps import HOME, MOST_QUADS
from ....contouring.tables import EDGE_AXIS, EDGE_FIRST
from ....model.bricks import BRICK_SIZE
from ..compiler.decorators import inlined, subroutine
from ..compiler.formulas import DOUBLE
from .blocks import BLOCK, SIDE, EdgeBlock, load_edges, number_at
from .cells import EDGE_START, load_faces

step_to = DOUBLE(overlaps.step_to)

REACH = 2  # cells: from a cell to a corner of a quad at one that it visits


class CellBlock(NamedTuple):
    """The cells of a brick: see `cells.CellScratch`."""

    block: EdgeBlock
    face: npt.NDArray[np.int32]
    faces: npt.NDArray[np.int64]

    @classmethod
    def of(cls) -> "CellBlock":
        """Buffers for any brick."""
        return cls(EdgeBlock.of(), np.empty((3, BLOCK), np.int32), np.empty((3, SIDE, SIDE), np.int64))


@inlined
def add_quad(quad, before, count, listed):  # type: ignore[no-untyped-def]
    """Add a quad to the first `count` listed, unless it is among the first `before`. Return their number."""
    for n in range(before):
        if listed[n] == quad:
            return count
    if count < MOST_QUADS:
        listed[count] = quad
        count += 1
    return count


@subroutine
def list_quads(pairs, x, y, z, first_quad, cells, before, listed):  # type: ignore[no-untyped-def]
    """List the quads with a corner in the cell at voxel (x, y, z) of the block, that are not among the first `before`.
    Return the number of all."""
    count, at, block = before, (z * SIDE + y) * SIDE + x, cells.block
    for edge in range(12):
        axis, start, first = EDGE_AXIS[edge], at + EDGE_START[edge], EDGE_FIRST[edge]
        for n in range(number_at(block, axis, x + (first & 1), y + (first >> 1 & 1), z + (first >> 2))):
            count = add_quad(block.index[axis, start] + n, before, count, listed)
    for side in range(6):
        axis = side >> 1
        fx = x + (1 if side == 1 else 0)
        fy = y + (1 if side == 3 else 0)
        fz = z + (1 if side == 5 else 0)
        if cells.faces[axis, fz, fy] >> fx & 1 == 0:
            continue
        face = cells.face[axis, (fz * SIDE + fy) * SIDE + fx]
        record, border = np.int64(pairs.record[face]), np.int64(pairs.first_border[face])
        borders = (record & 3) + (record >> 2 & 3) + (record >> 4 & 3) + (record >> 6 & 3)
        for n in range(2 * borders):
            count = add_quad(first_quad + 2 * border + n, before, count, listed)
    return count


@inlined
def list_visits(b, vertices, visits):  # type: ignore[no-untyped-def]
    """Set visits (512,) to the cells that vertices of the cells of a brick visit: HOME if none does, else as
    the first of them."""
    visited = vertices.visited
    visits[:] = HOME
    for row in range(vertices.first[b, 1], vertices.first[b, 1] + vertices.count[b, 1]):
        if visits[vertices.cell[row]] == HOME:
            visits[vertices.cell[row]] = visited[row]


@inlined
def add_visited(  # type: ignore[no-untyped-def]
    brick, visit, layout, crossings, pairs, x, y, z, first_quad, cells, count, listed
):
    """List the quads of the cell that is visited from that at voxel (x, y, z) of a brick (z, y, x), after the first
    `count`. Return the number of all. `cells` is scratch."""
    x, y, z = x + step_to(visit, 0), y + step_to(visit, 1), z + step_to(visit, 2)
    place = layout.places[brick[0] + (z >> 3) + 1, brick[1] + (y >> 3) + 1, brick[2] + (x >> 3) + 1]
    if place < 0:
        return count
    load_edges(layout.bricks[place], layout, crossings, cells.block)
    load_faces(layout.bricks[place], layout, pairs, cells.face, cells.faces)
    return list_quads(pairs, x & 7, y & 7, z & 7, first_quad, cells, count, listed)


@subroutine
def mark_near(brick, layout, vertices, moved, near):  # type: ignore[no-untyped-def]
    """Set near (64,), rows of the cells in a brick (z, y, x) whose quads may have a corner that is marked in moved
    (V,). Return whether there is one."""
    found = False
    for row in range(BRICK_SIZE * BRICK_SIZE):
        near[row] = 0
    for dz in range(-1, 2):
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                b = layout.places[brick[0] + 1 + dz, brick[1] + 1 + dy, brick[2] + 1 + dx]
                if b < 0:
                    continue
                start = vertices.first[b, 1]
                for row in range(start, start + vertices.count[b, 1]):
                    if moved[vertices.vertex[row]]:
                        cell = np.int64(vertices.cell[row])
                        x, y, z = cell & 7, cell >> 3 & 7, cell >> 6
                        found |= mark_around(near, x + BRICK_SIZE * dx, y + BRICK_SIZE * dy, z + BRICK_SIZE * dz)
    return found


@inlined
def mark_around(near, x, y, z):  # type: ignore[no-untyped-def]
    """Mark the cells in rows near (64,) whose quads, or those of a cell that they visit, may have a corner in the cell
    at (x, y, z). Return whether there is one."""
    first, last = max(x - REACH, 0), min(x + REACH, BRICK_SIZE - 1)
    if first > last:
        return False
    found = False
    for k in range(max(z - REACH, 0), min(z + REACH, BRICK_SIZE - 1) + 1):
        for j in range(max(y - REACH, 0), min(y + REACH, BRICK_SIZE - 1) + 1):
            near[k * BRICK_SIZE + j] |= (1 << last + 1) - (1 << first)
            found = True
    return found
