"""Where the vertices of the surface lie, compiled by numba: the steps of `vertices`, with the same numbers."""

import numba
import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, State
from .cells import EDGES
from .hermite import LOWEST, ROUNDING
from .numba_hermite import cross_edge, segment_value
from .numba_kernels import NONE, inlined, parallel, serial
from .numba_placing import Work, place_vertex
from .vertices import CLOSE, MARGIN, MOST_HIDDEN, SMOOTH

SOLID = int(State.SOLID)
CLAMP = np.float32(REACH)
ALL_ROW = np.uint64(2**64 - 1)

SIDE = BRICK_SIZE + 1  # of a brick with the first voxels of the bricks after it
STRIDE = np.array([1, SIDE, SIDE**2])

# Of the edges of a cell: the first corner, as (x, y, z) and as a step in such a block; and the axis.
EDGE_CORNER = (EDGES[:, :1] >> np.arange(3) & 1).astype(np.int64)
EDGE_START = EDGE_CORNER @ STRIDE
EDGE_AXIS = np.arange(12) // 4
CORNER_STEP = (np.arange(8)[:, None] >> np.arange(3) & 1) @ STRIDE

MEMBERS = 12 + MOST_HIDDEN  # surfaces in a cell

# A brick has at most 2048 vertices: four to a cell.
JOINED = 1 << 15
LOCAL = JOINED - 1
NO_CELL = (1 << 16) - 1


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


@inlined
def keep_apart(corner, p):  # type: ignore[no-untyped-def]
    """Move p (3,) off the sides of its cell, at `corner` (3,)."""
    for i in range(3):
        p[i] = min(max(p[i], corner[i] + MARGIN), corner[i] + 1.0 - MARGIN)


@serial
def hidden_by(primitives, others, p):  # type: ignore[no-untyped-def]
    """Which of the segments among others (N,), numbers as in `Field.nearest`, holds p (3,) deepest inside, if any."""
    least, found = -CLOSE, NONE
    for n in range(len(others)):
        code = others[n]
        if code < 0 and code != LOWEST:
            value, _, _, _ = segment_value(primitives, -1 - code, p[0], p[1], p[2])
            if value < least - ROUNDING:
                least, found = value, code
    return found


@serial
def find_members(primitives, rule, codes, axes, first_inside, count, work):  # type: ignore[no-untyped-def]
    """Set the codes and turns in `work` to those of the primitives at the crossings, each once; how many.

    Returns 0 where one of them is unknown.
    """
    members = 0
    for n in range(count):
        code = codes[n]
        if code == NONE or code == LOWEST:  # noqa: SIM109 - kernels know `in` for tuples of one type only
            return 0
        is_new = True
        for m in range(members):
            is_new = is_new and work.codes[m] != code
        if is_new:
            work.codes[members] = code
            work.turns[members] = -1.0 if rule.carves else 1.0
            if code >= 0:
                outward = (primitives.normal[code, axes[n]] > 0.0) == first_inside[n]
                work.turns[members] = 1.0 if outward else -1.0
            members += 1
    return members


@serial
def place_patch(  # type: ignore[no-untyped-def]
    primitives, rule, crossings, codes, axes, first_inside, count, others, corner, work, p
):
    """Set p (3,) to the vertex of a patch. See `vertices.place`.

    Args:
        crossings: (count, 3) where the surface crosses the edges of the cell.
        codes: (count,) whose surface it is there.
        axes, first_inside: (count,) along which axis the edge runs, and whether its first end is inside.
        others: (8,) the nearest primitive of each corner of the cell.
        corner: (3,) of the cell.
        work: see `Work`.

    Returns:
        SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    p[:] = 0.0
    for n in range(count):
        for i in range(3):
            p[i] += crossings[n, i]
    for i in range(3):
        p[i] /= count
    members = find_members(primitives, rule, codes, axes, first_inside, count, work)
    if members == 0:
        return SMOOTH
    if members == 1 and work.codes[0] >= 0:
        return SMOOTH
    for i in range(3):
        work.start[i] = p[i]
    kind = place_vertex(primitives, rule, work.codes, work.turns, members, corner, crossings, count, work, p)
    for _ in range(MOST_HIDDEN):
        code = hidden_by(primitives, others, p)
        if code == NONE or members == MEMBERS:
            break
        work.codes[members], work.turns[members] = code, -1.0 if rule.carves else 1.0
        members += 1
        for i in range(3):
            p[i] = work.start[i]
        kind = place_vertex(primitives, rule, work.codes, work.turns, members, corner, crossings, count, work, p)
    return kind


@serial
def load_block(brick, places, states, inside, outside, values, block):  # type: ignore[no-untyped-def]
    """Set block (9, 9, 9) to the values (B, 512) in a brick (z, y, x) and in the first voxels of the bricks after it.

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
                row = block[dz * BRICK_SIZE + k, dy * BRICK_SIZE + j]
                for i in range(width):
                    value = side
                    if place >= 0:
                        value = values[place, (k * BRICK_SIZE + j) * BRICK_SIZE + i]
                    row[dx * BRICK_SIZE + i] = value


@parallel
def make_vertices(  # type: ignore[no-untyped-def]
    bricks, places, states, distance, nearest, configuration, rows, cells, patches, patch,
    first_vertex, first_quad, primitives, rule, points, quad_place, quad_code, kind,
):  # fmt: skip
    """Place the vertices, and find where the edges are crossed.

    Args:
        points: (V, 3) to be set, in voxels from the grid's origin; those of brick b begin at first_vertex[b].
        quad_place, quad_code: (Q,) to be set: where the edge of each quad is crossed, from 0 to 1, and whose surface
            it is there.
        kind: (V,) uint8 to be set: SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    for b in numba.prange(len(bricks)):
        vertex, quad = first_vertex[b], first_quad[b]
        if first_vertex[b + 1] == vertex:
            continue
        block, names = np.empty((SIDE, SIDE, SIDE), np.float32), np.empty((SIDE, SIDE, SIDE), np.int32)
        load_block(bricks[b], places, states, -CLAMP, CLAMP, distance, block)
        load_block(bricks[b], places, states, NONE, NONE, nearest, names)
        flat, flat_names = block.reshape(SIDE**3), names.reshape(SIDE**3)
        place, code = np.full((3, SIDE**3), -1.0), np.empty((3, SIDE**3), np.int32)
        work = Work(
            np.empty(MEMBERS, np.int32), np.empty(MEMBERS), np.empty(MEMBERS, np.int64), np.empty((MEMBERS, 3)),
            np.empty((3, 4)), np.empty(3), np.empty(3),
        )  # fmt: skip
        crossings, axes, codes = np.empty((12, 3)), np.empty(12, np.int64), np.empty(12, np.int32)
        others = np.empty(8, np.int32)
        first_inside = np.empty(12, np.bool_)
        corner, p = np.empty(3), np.empty(3)
        for row in range(BRICK_VOXELS // BRICK_SIZE):
            if not active_row(rows[b, row]):
                continue
            corner[1] = bricks[b, 1] * BRICK_SIZE + (row & 7) + 0.5
            corner[2] = bricks[b, 0] * BRICK_SIZE + (row >> 3) + 0.5
            for i in range(BRICK_SIZE):
                corners = configuration[b, row * BRICK_SIZE + i]
                if corners == 0 or corners == 255:
                    continue
                corner[0] = bricks[b, 2] * BRICK_SIZE + i + 0.5
                at = ((row >> 3) * SIDE + (row & 7)) * SIDE + i
                for n in range(CROSSED[corners, 12]):
                    edge = CROSSED[corners, n]
                    axis, start = EDGE_AXIS[edge], at + EDGE_START[edge]
                    if place[axis, start] < 0.0:
                        end = start + STRIDE[axis]
                        place[axis, start], code[axis, start] = cross_edge(
                            primitives, rule, flat[start], flat[end], flat_names[start], flat_names[end],
                            corner[0] + EDGE_CORNER[edge, 0], corner[1] + EDGE_CORNER[edge, 1],
                            corner[2] + EDGE_CORNER[edge, 2], axis,
                        )  # fmt: skip
                    if start == at:
                        quad_place[quad], quad_code[quad] = place[axis, start], code[axis, start]
                        quad += 1
                for k in range(8):
                    others[k] = flat_names[at + CORNER_STEP[k]]
                joined = 1 if cells[b, row * BRICK_SIZE + i] & JOINED else 0
                for name in range(patches[joined, corners]):
                    count = 0
                    for n in range(CROSSED[corners, 12]):
                        edge = CROSSED[corners, n]
                        if patch[joined, corners, edge] != name:
                            continue
                        axis, start = EDGE_AXIS[edge], at + EDGE_START[edge]
                        for k in range(3):
                            crossings[count, k] = corner[k] + EDGE_CORNER[edge, k]
                        crossings[count, axis] += place[axis, start]
                        axes[count], codes[count] = axis, code[axis, start]
                        first_inside[count] = flat[start] <= 0.0
                        count += 1
                    kind[vertex] = place_patch(
                        primitives, rule, crossings, codes, axes, first_inside, count, others, corner, work, p
                    )
                    keep_apart(corner, p)
                    for k in range(3):
                        points[vertex, k] = p[k]
                    vertex += 1
