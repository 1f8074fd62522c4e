"""Kernels that place the vertices of the surface. See `formulas.vertex_placement`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.cells import EDGES, cell_tables
from ....formulas import hermite, vertex_placement
from ....formulas.vertex_placement import SLOTS
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, REACH, State
from ..compiler.decorators import NONE, ZERO, force_inlined, inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE

cross_edge = DOUBLE(hermite.cross_edge)
join_crossing, place_patch = DOUBLE(vertex_placement.join_crossing), DOUBLE(vertex_placement.place_patch)

SIDE = BRICK_SIZE + 1  # voxels along a block: a brick and the first voxels of the next bricks
SOLID = int(State.SOLID)
CLAMP = np.float32(REACH)
ALL_ROW = np.uint64(2**64 - 1)

STRIDE = np.array([1, SIDE, SIDE**2])

# The first corner of each edge of a cell, as a number and as a step in a block, and the edge's axis.
EDGE_FIRST = EDGES[:, 0].astype(np.int64)
EDGE_START = (EDGE_FIRST[:, None] >> np.arange(3) & 1) @ STRIDE
EDGE_AXIS = np.arange(12) // 4
CORNER_STEP = ((np.arange(8)[:, None] >> np.arange(3) & 1) @ STRIDE).astype(np.uint64)

MOST_PATCHES = 4  # in a cell, so a brick has at most 2048 vertices
JOINED_BIT = 15
JOINED = 1 << JOINED_BIT
LOCAL = JOINED - 1
NO_CELL = (1 << 16) - 1


class VertexScratch(NamedTuple):
    """Scratch buffers for placing the vertices of a brick. Attributes not listed are those of `formulas.language.Cell`.

    Attributes:
        block, nearest_block: (729,) float32 and int32, distances and nearest primitives in a block.
        inside: (9, 9) int64, a bit for each voxel of a row, set if it is inside.
        listed: (2188,) the crossed edges of a block: see `list_crossed`.
        own: (2188,) the places in `code` of those that start at active cells of the brick itself.
        active: (513,) the active cells of the brick.
        place, code: (2187,) float64 and int32, the crossing on the edge from each voxel along each axis, first all
            along x, from 0 to 1, and the primitive there. Edges without a crossing hold nothing.
    """

    block: npt.NDArray[np.float32]
    nearest_block: npt.NDArray[np.int32]
    inside: npt.NDArray[np.int64]
    listed: npt.NDArray[np.int64]
    own: npt.NDArray[np.uint64]
    active: npt.NDArray[np.uint64]
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
    def of(cls) -> "VertexScratch":
        """Buffers for any brick."""
        return cls(
            np.empty(SIDE**3, np.float32), np.empty(SIDE**3, np.int32), np.empty((SIDE, SIDE), np.int64),
            np.empty(3 * SIDE**3 + 1, np.int64), np.empty(3 * SIDE**3 + 1, np.uint64),
            np.empty(BRICK_VOXELS + 1, np.uint64), np.empty(3 * SIDE**3), np.empty(3 * SIDE**3, np.int32),
            np.empty(3), np.empty(8, np.int32), np.empty((12, 3)), np.empty(3), np.empty(SLOTS, np.int32),
            np.empty(SLOTS), np.empty(SLOTS, np.int64), np.empty((SLOTS, 3)), np.empty((3, 4)),
        )  # fmt: skip


# (256, 13): the edges with a crossing in each configuration, ascending, then the others; last, how many have one. They
# have no sign, as many indices here, because numba tests indices with a sign for counting from the end.
_IS_CROSSED = cell_tables().patch[0] >= 0
CROSSED = np.column_stack([np.argsort(~_IS_CROSSED, axis=1, kind="stable"), _IS_CROSSED.sum(axis=1)]).astype(np.uint8)
# (12,): from the place of a cell in its block to that of each of its edges in `VertexScratch.place`.
EDGE_OFFSET = (EDGE_AXIS * SIDE**3 + EDGE_START).astype(np.uint64)


@inlined
def locate(places, z, y, x):  # type: ignore[no-untyped-def]
    """The brick's place, -1 if it is not NEAR, and the voxel in it. The voxel may be one outside the grid."""
    place = places[(z >> 3) + 1, (y >> 3) + 1, (x >> 3) + 1]
    return place, (z & 7) << 6 | (y & 7) << 3 | (x & 7)


@inlined
def active_row(row):  # type: ignore[no-untyped-def]
    """Whether any cell of a row is active. The row is eight configurations as one number."""
    return row != np.uint64(0) and row != ALL_ROW


@force_inlined
def gather_patch(primitives, rule, corners, edges, patch_number, at, scratch, p):  # type: ignore[no-untyped-def]
    """Gather the Hermite data of a patch: set p (3,) to the sum of its crossings, and the rest in `scratch`.

    The rest is the crossings, and the codes and signs of the primitives there, each once. See
    `vertex_placement.join_crossing`.

    Args:
        corners: configuration of the cell at place `at` of the block.
        edges: (12,) the patch on each of its edges.    patch_number: the patch to gather.

    Returns:
        The numbers of crossings and of primitives.
    """
    # A plain 0 has another type, for which numba would compile everything again.
    crossed, members = np.int64(0), np.int64(0)
    p[0], p[1], p[2] = 0.0, 0.0, 0.0
    for n in range(CROSSED[corners, 12]):
        edge = CROSSED[corners, n]
        if edges[edge] == patch_number:
            start = at + EDGE_OFFSET[edge]
            members = join_crossing(
                primitives, rule, scratch, crossed, members, EDGE_FIRST[edge], EDGE_AXIS[edge],
                scratch.place[start], scratch.code[start], corners >> EDGE_FIRST[edge] & 1 == 1, p,
            )  # fmt: skip
            crossed += 1
    return crossed, members


@subroutine
def load_block(brick, places, states, inside, outside, values, block):  # type: ignore[no-untyped-def]
    """Set block (729,) to the values (B, 512) in a brick (z, y, x) and in the first voxels of the next bricks.

    Bricks that are not NEAR hold the value of their state: `inside` or `outside`. Beyond the grid all is outside.
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


@subroutine
def inside_rows(block, inside):  # type: ignore[no-untyped-def]
    """Set inside (9, 9) to the rows of block (729,), with a bit set for each voxel inside."""
    for k in range(SIDE):
        for j in range(SIDE):
            bits = 0
            for i in range(SIDE):
                bits |= (block[(k * SIDE + j) * SIDE + i] <= ZERO) << i
            inside[k, j] = bits


@subroutine
def list_crossed(scratch):  # type: ignore[no-untyped-def]
    """List the crossed edges of the block in `scratch`, by voxel, then by axis. Return how many there are.

    An edge is ((z * 16 + y) * 16 + x) * 4 + axis of the voxel in the block that it starts at.
    """
    inside, listed = scratch.inside, scratch.listed
    inside_rows(scratch.block, inside)
    count = np.uint64(0)
    for k in range(SIDE):
        for j in range(SIDE):
            here = inside[k, j]
            along_x = (here ^ here >> 1) & (1 << BRICK_SIZE) - 1
            along_y = here ^ inside[k, j + 1] if j < BRICK_SIZE else 0
            along_z = here ^ inside[k + 1, j] if k < BRICK_SIZE else 0
            if along_x | along_y | along_z == 0:
                continue
            edge = (k << 8 | j << 4) << 2
            for i in range(SIDE):
                # What is not crossed is written over by the next. The processor could not foresee branches here.
                listed[count] = edge
                count += np.uint64(along_x >> i & 1)
                listed[count] = edge | 1
                count += np.uint64(along_y >> i & 1)
                listed[count] = edge | 2
                count += np.uint64(along_z >> i & 1)
                edge += 4
    return count


@subroutine
def cross_block(primitives, rule, brick, configuration, scratch, quad, quad_place, quad_code):  # type: ignore[no-untyped-def]
    """Find the crossings in the block of a brick (z, y, x), which is in `scratch`, and their primitives.

    The crossings on edges that start at active cells of the brick itself, by their configuration (512,), are also set
    in quad_place and quad_code (Q,), from `quad` on.
    """
    block, nearest_block, listed, own = scratch.block, scratch.nearest_block, scratch.listed, scratch.own
    place, code = scratch.place, scratch.code
    quads = np.uint64(0)
    for n in range(list_crossed(scratch)):
        edge = listed[n]
        i, j, k, axis = edge >> 2 & 15, edge >> 6 & 15, edge >> 10, edge & 3
        start = np.uint64((k * SIDE + j) * SIDE + i)
        at, end = np.uint64(axis * SIDE**3) + start, start + np.uint64(STRIDE[axis])
        place[at], code[at] = cross_edge(
            primitives, rule, np.float64(block[start]), np.float64(block[end]),
            nearest_block[start], nearest_block[end],
            brick[2] * BRICK_SIZE + i + 0.5, brick[1] * BRICK_SIZE + j + 0.5,
            brick[0] * BRICK_SIZE + k + 0.5, axis,
        )  # fmt: skip
        own[quads] = at
        is_active = configuration[np.uint64((k << 6 | j << 3 | i) & BRICK_VOXELS - 1)] != 0
        quads += np.uint64(((i | j | k) < BRICK_SIZE) & is_active)
    for n in range(quads):
        quad_place[quad + n], quad_code[quad + n] = place[own[n]], code[own[n]]


@inlined
def list_active(configuration, rows, active):  # type: ignore[no-untyped-def]
    """List the active cells of a brick. Return how many there are."""
    count = np.uint64(0)
    for row in range(BRICK_VOXELS // BRICK_SIZE):
        if active_row(rows[row]):
            for voxel in range(row * BRICK_SIZE, (row + 1) * BRICK_SIZE):
                active[count] = voxel
                count += np.uint64((configuration[voxel] != 0) & (configuration[voxel] != 255))
    return count


@subroutine
def place_brick(  # type: ignore[no-untyped-def]
    primitives, rule, brick, configuration, rows, cells, patches, patch, scratch, vertex, points, kind
):
    """Set points (V, 3) and kind (V,), from `vertex` on, for a brick (z, y, x) with its block in `scratch`.

    Args:
        configuration, cells: (512,).    rows: (64,), the configurations eight at a time.
    """
    corner, active = scratch.corner, scratch.active
    for n in range(list_active(configuration, rows, active)):
        voxel = active[n]
        i, j, k = np.int64(voxel & 7), np.int64(voxel >> 3 & 7), np.int64(voxel >> 6)
        corner[0] = brick[2] * BRICK_SIZE + i + 0.5
        corner[1] = brick[1] * BRICK_SIZE + j + 0.5
        corner[2] = brick[0] * BRICK_SIZE + k + 0.5
        at = np.uint64((k * SIDE + j) * SIDE + i)
        for c in range(8):
            scratch.around[c] = scratch.nearest_block[at + CORNER_STEP[c]]
        corners = configuration[voxel]
        joined = np.uint64(cells[voxel] >> JOINED_BIT)
        for patch_number in range(patches[joined, corners]):
            p = points[vertex]
            crossed, members = gather_patch(
                primitives, rule, corners, patch[joined, corners], patch_number, at, scratch, p
            )
            kind[vertex] = place_patch(primitives, rule, crossed, members, scratch, p)
            vertex += 1


@kernel
def make_vertices(  # type: ignore[no-untyped-def]
    start, stop, bricks, places, states, distance, nearest, configuration, rows, cells, patches, patch,
    first_vertex, first_quad, primitives, rule, points, quad_place, quad_code, kind, scratch,
):  # fmt: skip
    """Place the vertices of some bricks, and find the crossings on edges.

    Args:
        points: (V, 3) output, in voxels from the grid's origin. Those of brick b begin at first_vertex[b].
        quad_place, quad_code: (Q,) output: the crossing on the edge of each quad, from 0 to 1, and its primitive.
        kind: (V,) uint8 output: SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    for b in range(start, stop):
        if first_vertex[b + 1] > first_vertex[b]:
            load_block(bricks[b], places, states, -CLAMP, CLAMP, distance, scratch.block)
            load_block(bricks[b], places, states, NONE, NONE, nearest, scratch.nearest_block)
            cross_block(primitives, rule, bricks[b], configuration[b], scratch, first_quad[b], quad_place, quad_code)
            place_brick(
                primitives, rule, bricks[b], configuration[b], rows[b], cells[b], patches, patch, scratch,
                first_vertex[b], points, kind,
            )  # fmt: skip
