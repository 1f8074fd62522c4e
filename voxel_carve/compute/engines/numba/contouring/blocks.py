"""Bricks with what crosses their edges and faces, and blocks: a brick with the first voxels of the bricks after it.

A row of a brick is eight voxels along x. Row 64 a + 8 z + y of a brick's 192 has the edges along axis a, or the faces
across it, that start at the voxels of row (z, y). Masks have a bit for each voxel of a row.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring.tables import EDGE_AXIS, EDGE_FIRST, MOST_LOOPS
from ....formulas import octants
from ....model.bricks import BRICK_SIZE, State
from ..compiler.decorators import inlined, subroutine
from ..compiler.formulas import DOUBLE

SIDE = BRICK_SIZE + 1  # voxels along a block
ROWS = BRICK_SIZE**2
BLOCK = SIDE**3
EDGES_OF_BRICK = 3 * BRICK_SIZE**3
SOLID = int(State.SOLID)
octant_bits = DOUBLE(octants.octant_bits)
BITS = np.array([mask.bit_count() for mask in range(256)], dtype=np.uint8)  # of a mask

Masks = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]


class Layout(NamedTuple):
    """Where the B bricks of the result lie.

    Attributes:
        bricks: (B, 3) coordinates (z, y, x).
        places: (Z + 2, Y + 2, X + 2) int32, the row of each brick, -1 for other bricks and around the table.
        states: (Z, Y, X) uint8 `State` of the result.
        octants: (B, 3) uint8, those whose edges, faces and cells are made: see `formulas.octants`.
    """

    bricks: Indices
    places: npt.NDArray[np.int32]
    states: npt.NDArray[np.uint8]
    octants: Masks

    def places_of(self, rows: slice | npt.NDArray[np.bool_]) -> Indices:
        """(N,) where some bricks are in `places`, as one index."""
        z, y, x = self.bricks[rows].T + 1
        return np.asarray((z * self.places.shape[1] + y) * self.places.shape[2] + x)

    def beside(self, places: Indices, steps: tuple[int, ...]) -> npt.NDArray[np.int32]:
        """(N,) the rows of the bricks that are some steps (z, y, x) from places (N,); -1 where there is none."""
        z, y, x = steps
        shift = (z * self.places.shape[1] + y) * self.places.shape[2] + x
        # One index is looked up several times as fast as three.
        return self.places.ravel().take(places + shift)


class Crossings(NamedTuple):
    """The C crossings of the result's surface with the edges of the grid, by brick, row, voxel, and along the edge.

    Attributes:
        inside: (B, 64) the voxels in the result.
        crossed: (B, 192) the edges with a crossing.
        with_twice, twice: (B,) int32 and (T, 192), the edges with two, of bricks that have such: in this row, else -1.
        before: (B, 24) uint16, the crossings of the brick before those of each layer of eight rows.
        first: (B + 1,) the first crossing of each brick.
        place, code: (C,) float32 and int32, from 0 to 1 along the edge, and the primitive.
    """

    inside: Masks
    crossed: Masks
    with_twice: npt.NDArray[np.int32]
    twice: Masks
    before: npt.NDArray[np.uint16]
    first: Indices
    place: npt.NDArray[np.float32]
    code: npt.NDArray[np.int32]


class Pairs(NamedTuple):
    """The F faces with a border point, or with more than one pair of crossings, and the N border points.

    Attributes:
        row: (B,) int32, the row of each brick in the next two; -1 if it has no such face.
        known: (K, 192) these faces.
        before: (K, 192) uint16, the faces of the brick before those of each row.
        first: (B + 1,) the first of these faces of each brick.
        record: (F,) uint16: see `contouring.cells.link_face`.
        first_border: (F,) the first border point of each face.
        point, middle: (N, 3) float64, where it lies, and the middle point of its pair, if that has two.
        codes: (N, 2) int32, the primitives on the side of the crossing that leaves, and of that which enters.
        is_first: (N,) whether it is the first of two of a pair.
        ends: (N, 2) int32, the crossings of its pair: that which leaves, and that which enters.
    """

    row: npt.NDArray[np.int32]
    known: Masks
    before: npt.NDArray[np.uint16]
    first: Indices
    record: npt.NDArray[np.uint16]
    first_border: Indices
    point: npt.NDArray[np.float64]
    middle: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int32]
    is_first: npt.NDArray[np.bool_]
    ends: npt.NDArray[np.int32]


class EdgeBlock(NamedTuple):
    """The edges of a block.

    Attributes:
        index: (3, 729) int32, the first crossing of each edge that has one.
        crossed, twice: (3, 9, 9) int64, a bit for each voxel of a row.
        inside: (9, 9) int64, likewise the voxels in the result.
    """

    index: npt.NDArray[np.int32]  # type: ignore[assignment]
    crossed: Indices
    twice: Indices
    inside: Indices

    @classmethod
    def of(cls) -> "EdgeBlock":
        """Buffers for any brick."""
        return cls(
            np.empty((3, BLOCK), np.int32),
            np.empty((3, SIDE, SIDE), np.int64),
            np.empty((3, SIDE, SIDE), np.int64),
            np.empty((SIDE, SIDE), np.int64),
        )


@subroutine
def load_inside(brick, layout, inside, block):  # type: ignore[no-untyped-def]
    """Set block (9, 9) to the rows of the voxels in the result, in the block of a brick (z, y, x)."""
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        z, y, x = brick[0] + dz, brick[1] + dy, brick[2] + dx
        depth, height = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE
        place = layout.places[z + 1, y + 1, x + 1]
        state = 0
        if place < 0 and z < layout.states.shape[0] and y < layout.states.shape[1] and x < layout.states.shape[2]:
            state = 255 if layout.states[z, y, x] == SOLID else 0
        for k in range(depth):
            for j in range(height):
                row = np.int64(inside[place, k * BRICK_SIZE + j]) if place >= 0 else np.int64(state)
                if dx:
                    block[dz * BRICK_SIZE + k, dy * BRICK_SIZE + j] |= (row & 1) << BRICK_SIZE
                else:
                    block[dz * BRICK_SIZE + k, dy * BRICK_SIZE + j] = row


@inlined
def twice_in_row(crossings, b, row):  # type: ignore[no-untyped-def]
    """The edges of a row of brick b that are crossed twice."""
    own = crossings.with_twice[b]
    return np.int64(crossings.twice[own, row]) if own >= 0 else np.int64(0)


@inlined
def number_of_row(crossings, b, row):  # type: ignore[no-untyped-def]
    """The number of crossings of a row of brick b."""
    return np.int64(BITS[crossings.crossed[b, row]]) + np.int64(BITS[twice_in_row(crossings, b, row)])


@subroutine
def lower_bound(values, value):  # type: ignore[no-untyped-def]
    """The place of the first of values (N,), which never fall, that is not below a value; N if all are."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@subroutine
def load_edges(brick, layout, crossings, block):  # type: ignore[no-untyped-def]
    """Set an `EdgeBlock` to the edges in the block of a brick (z, y, x)."""
    load_inside(brick, layout, crossings.inside, block.inside)
    for axis in range(3):
        for k in range(SIDE):
            for j in range(SIDE):
                block.crossed[axis, k, j], block.twice[axis, k, j] = 0, 0
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        place = layout.places[brick[0] + dz + 1, brick[1] + dy + 1, brick[2] + dx + 1]
        if place < 0:
            continue
        depth, height = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE
        first = crossings.first[place]
        for axis in range(3):
            for k in range(depth):
                index = first + crossings.before[place, axis * BRICK_SIZE + k]
                for j in range(height):
                    row = (axis * BRICK_SIZE + k) * BRICK_SIZE + j
                    mask = np.int64(crossings.crossed[place, row])
                    if mask == 0:
                        continue
                    twice = twice_in_row(crossings, place, row)
                    z, y = dz * BRICK_SIZE + k, dy * BRICK_SIZE + j
                    at = (z * SIDE + y) * SIDE + dx * BRICK_SIZE
                    if dx:
                        block.crossed[axis, z, y] |= (mask & 1) << BRICK_SIZE
                        block.twice[axis, z, y] |= (twice & mask & 1) << BRICK_SIZE
                        block.index[axis, at] = index
                        index += number_of_row(crossings, place, row)
                        continue
                    block.crossed[axis, z, y] |= mask
                    block.twice[axis, z, y] |= twice
                    for i in range(BRICK_SIZE):
                        # Where no edge is crossed, what is written is never read. There are no branches to foresee.
                        block.index[axis, np.uint64(at + i)] = index
                        index += (mask >> i & 1) + (twice >> i & 1)


@inlined
def number_at(block, axis, x, y, z):  # type: ignore[no-untyped-def]
    """The number of crossings of the edge along an axis from voxel (x, y, z) of a block."""
    return (block.crossed[axis, z, y] >> x & 1) + (block.twice[axis, z, y] >> x & 1)


@inlined
def is_inside(block, x, y, z):  # type: ignore[no-untyped-def]
    """1 if voxel (x, y, z) of a block is in the result, else 0."""
    return block.inside[z, y] >> x & 1


@subroutine
def active_cells(block, k, j):  # type: ignore[no-untyped-def]
    """The cells of a row that the surface passes, and those with an edge that is crossed twice: a bit for each."""
    crossed, twice = block.crossed, block.twice
    active, general = 0, 0
    for far in range(4):
        u, v = far & 1, far >> 1
        active |= crossed[0, k + v, j + u]
        general |= twice[0, k + v, j + u]
        active |= crossed[1, k + v, j] >> u
        general |= twice[1, k + v, j] >> u
        active |= crossed[2, k, j + v] >> u
        general |= twice[2, k, j + v] >> u
    return active & 255, general & 255


@subroutine
def corners_of(block, x, y, z):  # type: ignore[no-untyped-def]
    """The configuration of the cell at voxel (x, y, z) of the block: see `contouring.tables`."""
    inside = block.inside
    near = (inside[z, y] >> x & 3) | (inside[z, y + 1] >> x & 3) << 2
    return near | (inside[z + 1, y] >> x & 3) << 4 | (inside[z + 1, y + 1] >> x & 3) << 6


@subroutine
def most_loops(block):  # type: ignore[no-untyped-def]
    """The most loops that the cells of a block may have, together; and without one for each cell where no edge is
    crossed twice.

    A loop has two crossings or more.
    """
    loops, more = np.int64(0), np.int64(0)
    for k in range(BRICK_SIZE):
        for j in range(BRICK_SIZE):
            active, twice = active_cells(block, k, j)
            if active == 0:
                continue
            for i in range(BRICK_SIZE):
                if twice >> i & 1:
                    crossings = np.int64(0)
                    for edge in range(12):
                        first = EDGE_FIRST[edge]
                        x, y, z = i + (first & 1), j + (first >> 1 & 1), k + (first >> 2)
                        crossings += number_at(block, EDGE_AXIS[edge], x, y, z)
                    loops += crossings >> 1
                    more += crossings >> 1
                elif active >> i & 1:
                    own = MOST_LOOPS[corners_of(block, i, j, k)]
                    loops += own
                    more += own - 1
    return loops, more
