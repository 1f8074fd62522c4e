"""Where the vertices of the surface lie, compiled by numba: see `formulas.vertex_placement`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.cells import EDGES
from ....formulas import hermite, vertex_placement
from ....formulas.vertex_placement import SLOTS
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, REACH, State
from ..compiler.decorators import NONE, ZERO, inlined, kernel, merged, part
from ..compiler.formulas import DOUBLE

cross_edge = DOUBLE(hermite.cross_edge)
join_crossing, place_patch = DOUBLE(vertex_placement.join_crossing), DOUBLE(vertex_placement.place_patch)

SIDE = BRICK_SIZE + 1  # of a brick with the first voxels of the bricks after it
SOLID = int(State.SOLID)
CLAMP = np.float32(REACH)
ALL_ROW = np.uint64(2**64 - 1)

STRIDE = np.array([1, SIDE, SIDE**2])

# Of the edges of a cell: the first corner, as its number and as a step in such a block; and the axis.
EDGE_FIRST = EDGES[:, 0].astype(np.int64)
EDGE_START = (EDGE_FIRST[:, None] >> np.arange(3) & 1) @ STRIDE
EDGE_AXIS = np.arange(12) // 4
CORNER_STEP = (np.arange(8)[:, None] >> np.arange(3) & 1) @ STRIDE

# A brick has at most 2048 vertices: four to a cell.
JOINED = 1 << 15
LOCAL = JOINED - 1
NO_CELL = (1 << 16) - 1


class Work(NamedTuple):
    """What is known, and written, while the vertices of a brick are placed; the rest is a `formulas.language.Cell`.

    Attributes:
        block, names: (729,) float32 and int32, distances and nearest primitives of its voxels and the next ones.
        inside: (9, 9) int64, a bit for each voxel of a row, whether it is inside.
        place, code: (3, 729) float64 and int32, where the edge from a voxel along each axis is crossed, from 0 to 1,
            and whose surface it is there; only where it is crossed.
    """

    block: npt.NDArray[np.float32]
    names: npt.NDArray[np.int32]
    inside: npt.NDArray[np.int64]
    place: npt.NDArray[np.float64]
    code: npt.NDArray[np.int32]
    corner: npt.NDArray[np.float64]
    around: npt.NDArray[np.int32]
    crossings: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int32]
    signs: npt.NDArray[np.float64]
    group: npt.NDArray[np.int64]
    normals: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]

    @classmethod
    def of(cls) -> "Work":
        """It is the same for every brick."""
        return cls(
            np.empty(SIDE**3, np.float32), np.empty(SIDE**3, np.int32), np.empty((SIDE, SIDE), np.int64),
            np.empty((3, SIDE**3)), np.empty((3, SIDE**3), np.int32),
            np.empty(3), np.empty(8, np.int32), np.empty((12, 3)), np.empty(3), np.empty(SLOTS, np.int32),
            np.empty(SLOTS), np.empty(SLOTS, np.int64), np.empty((SLOTS, 3)), np.empty((3, 4)),
        )  # fmt: skip


def _crossed_edges() -> npt.NDArray[np.int64]:
    """(256, 13): the edges that each configuration crosses, in order, and last how many."""
    table = np.zeros((256, 13), dtype=np.int64)
    for configuration in range(256):
        crossed = np.flatnonzero((configuration >> EDGES[:, 0] & 1) != (configuration >> EDGES[:, 1] & 1))
        table[configuration, : len(crossed)], table[configuration, 12] = crossed, len(crossed)
    return table


CROSSED = _crossed_edges()


@inlined
def active_row(row):  # type: ignore[no-untyped-def]
    """Whether any of eight configurations in a row, as one number, is active."""
    return row != np.uint64(0) and row != ALL_ROW


@merged
def gather_patch(primitives, rule, corners, edges, name, at, work, p):  # type: ignore[no-untyped-def]
    """Set p (3,) to the sum of the crossings of a patch, and in `work` the crossings, and the codes and turns of the
    primitives there, each once: see `vertex_placement.join_crossing`.

    Args:
        corners: configuration of the cell, at place `at` of the block.
        edges: (12,) the patch on each of its edges.    name: of this patch.

    Returns:
        How many crossings; how many primitives.
    """
    # A plain 0 would be a type of its own, for which everything is compiled once more.
    crossed, members = np.int64(0), np.int64(0)
    p[0], p[1], p[2] = 0.0, 0.0, 0.0
    for n in range(CROSSED[corners, 12]):
        edge = CROSSED[corners, n]
        if edges[edge] == name:
            axis, start = EDGE_AXIS[edge], at + EDGE_START[edge]
            members = join_crossing(
                primitives, rule, work, crossed, members, EDGE_FIRST[edge], axis,
                work.place[axis, start], work.code[axis, start], work.block[start] <= ZERO, p,
            )  # fmt: skip
            crossed += 1
    return crossed, members


@part
def load_block(brick, places, states, inside, outside, values, block):  # type: ignore[no-untyped-def]
    """Set block (729,) to the values (B, 512) in a brick (z, y, x) and in the first voxels of the bricks after it.

    A brick that is not NEAR has that of its state, `inside` or `outside`; beyond the grid all is outside.
    """
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        z, y, x = brick[0] + dz, brick[1] + dy, brick[2] + dx
        depth, height, width = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE, 1 if dx else BRICK_SIZE
        place = places[z + 1, y + 1, x + 1]
        side = outside
        if place < 0 and z < states.shape[0] and y < states.shape[1] and x < states.shape[2]:
            side = inside if states[z, y, x] == SOLID else outside
        for k in range(depth):
            for j in range(height):
                row = ((dz * BRICK_SIZE + k) * SIDE + dy * BRICK_SIZE + j) * SIDE + dx * BRICK_SIZE
                for i in range(width):
                    value = side
                    if place >= 0:
                        value = values[place, (k * BRICK_SIZE + j) * BRICK_SIZE + i]
                    block[row + i] = value


@part
def inside_rows(block, inside):  # type: ignore[no-untyped-def]
    """Set inside (9, 9) to a bit for each voxel of a row of block (729,) that is inside."""
    for k in range(SIDE):
        for j in range(SIDE):
            bits = 0
            for i in range(SIDE):
                bits |= (block[(k * SIDE + j) * SIDE + i] <= ZERO) << i
            inside[k, j] = bits


@part
def cross_block(primitives, rule, brick, work, quad, quad_place, quad_code):  # type: ignore[no-untyped-def]
    """Find where the edges in the block of a brick (z, y, x) in `work` are crossed, and whose surface it is there.

    Those that start in the brick itself are set in quad_place and quad_code (Q,) too, from `quad` on.
    """
    block, names = work.block, work.names
    place, code, inside = work.place, work.code, work.inside
    inside_rows(work.block, inside)
    for k in range(SIDE):
        for j in range(SIDE):
            here = inside[k, j]
            along_x = (here ^ here >> 1) & (1 << BRICK_SIZE) - 1
            along_y = here ^ inside[k, j + 1] if j < BRICK_SIZE else 0
            along_z = here ^ inside[k + 1, j] if k < BRICK_SIZE else 0
            if along_x | along_y | along_z == 0:
                continue
            for i in range(SIDE):
                crossed = (along_x >> i & 1) | (along_y >> i & 1) << 1 | (along_z >> i & 1) << 2
                start = (k * SIDE + j) * SIDE + i
                for axis in range(3):
                    if crossed >> axis & 1:
                        end = start + STRIDE[axis]
                        place[axis, start], code[axis, start] = cross_edge(
                            primitives, rule, np.float64(block[start]), np.float64(block[end]),
                            names[start], names[end],
                            brick[2] * BRICK_SIZE + i + 0.5, brick[1] * BRICK_SIZE + j + 0.5,
                            brick[0] * BRICK_SIZE + k + 0.5, axis,
                        )  # fmt: skip
                        if max(i, j, k) < BRICK_SIZE:
                            quad_place[quad], quad_code[quad] = place[axis, start], code[axis, start]
                            quad += 1


@part
def place_brick(  # type: ignore[no-untyped-def]
    primitives, rule, brick, configuration, rows, cells, patches, patch, work, vertex, points, kind
):
    """Set points (V, 3) and kind (V,), from `vertex` on, to the vertices of a brick (z, y, x) with its block in `work`.

    Args:
        configuration, cells: (512,).    rows: (64,), the configurations of eight cells each.
    """
    corner = work.corner
    for row in range(BRICK_VOXELS // BRICK_SIZE):
        if not active_row(rows[row]):
            continue
        corner[1] = brick[1] * BRICK_SIZE + (row & 7) + 0.5
        corner[2] = brick[0] * BRICK_SIZE + (row >> 3) + 0.5
        for i in range(BRICK_SIZE):
            corners = configuration[row * BRICK_SIZE + i]
            if corners == 0 or corners == 255:
                continue
            corner[0] = brick[2] * BRICK_SIZE + i + 0.5
            at = ((row >> 3) * SIDE + (row & 7)) * SIDE + i
            for k in range(8):
                work.around[k] = work.names[at + CORNER_STEP[k]]
            joined = 1 if cells[row * BRICK_SIZE + i] & JOINED else 0
            for name in range(patches[joined, corners]):
                p = points[vertex]
                crossed, members = gather_patch(primitives, rule, corners, patch[joined, corners], name, at, work, p)
                kind[vertex] = place_patch(primitives, rule, crossed, members, work, p)
                vertex += 1


@kernel
def make_vertices(  # type: ignore[no-untyped-def]
    start, stop, bricks, places, states, distance, nearest, configuration, rows, cells, patches, patch,
    first_vertex, first_quad, primitives, rule, points, quad_place, quad_code, kind, work,
):  # fmt: skip
    """Place the vertices of some bricks, and find where the edges are crossed.

    Args:
        points: (V, 3) to be set, in voxels from the grid's origin; those of brick b begin at first_vertex[b].
        quad_place, quad_code: (Q,) to be set: where the edge of each quad is crossed, from 0 to 1, and whose surface
            it is there.
        kind: (V,) uint8 to be set: SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    for b in range(start, stop):
        if first_vertex[b + 1] > first_vertex[b]:
            load_block(bricks[b], places, states, -CLAMP, CLAMP, distance, work.block)
            load_block(bricks[b], places, states, NONE, NONE, nearest, work.names)
            cross_block(primitives, rule, bricks[b], work, first_quad[b], quad_place, quad_code)
            place_brick(
                primitives, rule, bricks[b], configuration[b], rows[b], cells[b], patches, patch, work,
                first_vertex[b], points, kind,
            )  # fmt: skip
