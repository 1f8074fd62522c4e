"""Where the vertices of the surface lie, compiled by numba: the steps of `vertices`, with the same numbers."""

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, State
from .cells import EDGES
from .hermite import LOWEST, ROUNDING
from .hiding import CLOSE
from .numba_hermite import cross_edge, segment_value
from .numba_kernels import NONE, ZERO, inlined, kernel, merged, part
from .numba_placing import MEMBERS, SIDE, land_on_segment, place_vertex
from .vertices import MARGIN, MOST_HIDDEN, SMOOTH

SOLID = int(State.SOLID)
CLAMP = np.float32(REACH)
ALL_ROW = np.uint64(2**64 - 1)

STRIDE = np.array([1, SIDE, SIDE**2])

# Of the edges of a cell: the first corner, as (x, y, z) and as a step in such a block; and the axis.
EDGE_CORNER = (EDGES[:, :1] >> np.arange(3) & 1).astype(np.int64)
EDGE_START = EDGE_CORNER @ STRIDE
EDGE_AXIS = np.arange(12) // 4
CORNER_STEP = (np.arange(8)[:, None] >> np.arange(3) & 1) @ STRIDE

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


@merged
def hidden_by(primitives, names, at, codes, members, p):  # type: ignore[no-untyped-def]
    """Which of the segments at the corners of the cell at place `at` of a block of names holds p (3,) deepest inside,
    if any; not those that are members, the first of codes: p lies on their surfaces."""
    least, found = -CLOSE, NONE
    for k in range(8):
        code = names[at + CORNER_STEP[k]]
        is_new = code < 0 and code != LOWEST
        for m in range(members):
            is_new = is_new and codes[m] != code
        if is_new:
            value, _, _, _ = segment_value(primitives, -1 - code, p[0], p[1], p[2])
            if value < least - ROUNDING:
                least, found = value, code
    return found


@merged
def gather_patch(primitives, rule, corners, edges, name, at, work, p):  # type: ignore[no-untyped-def]
    """Set p (3,) to the mean of the crossings of a patch, and in `work` the crossings, and the codes and turns of the
    primitives there, each once.

    Args:
        corners: configuration of the cell, at place `at` of the block.
        edges: (12,) the patch on each of its edges.    name: of this patch.

    Returns:
        How many crossings; how many primitives, 0 where one of them is unknown.
    """
    # A plain 0 would be a type of its own, for which everything is compiled once more.
    count, members = np.int64(0), np.int64(0)
    block, corner = work.block, work.corner
    all_known = True
    p[0], p[1], p[2] = 0.0, 0.0, 0.0
    for n in range(CROSSED[corners, 12]):
        edge = CROSSED[corners, n]
        if edges[edge] != name:
            continue
        axis, start = EDGE_AXIS[edge], at + EDGE_START[edge]
        for i in range(3):
            crossing = corner[i] + EDGE_CORNER[edge, i] + (work.place[axis, start] if i == axis else 0.0)
            work.crossings[count, i] = crossing
            p[i] += crossing
        count += 1
        own = work.code[axis, start]
        all_known = all_known and own != NONE and own != LOWEST
        is_new = all_known
        for m in range(members):
            is_new = is_new and work.codes[m] != own
        if is_new:
            work.codes[members] = own
            work.turns[members] = -1.0 if rule.carves else 1.0
            if own >= 0:
                outward = (primitives.normal[own, axis] > 0.0) == (block[start] <= 0.0)
                work.turns[members] = 1.0 if outward else -1.0
            members += 1
    for i in range(3):
        p[i] /= count
    return count, members if all_known else 0


@merged
def place_patch(primitives, rule, crossed, members, at, work, p):  # type: ignore[no-untyped-def]
    """Move p (3,), the mean of the crossings of a patch, to its vertex. See `vertices.place`.

    Args:
        crossed, members: how many crossings and primitives it has: see `gather_patch`.
        at: the cell's place in the block.

    Returns:
        SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    kind, corner, names = SMOOTH, work.corner, work.names
    if members == 0 or (members == 1 and work.codes[0] >= 0):
        return kind
    for i in range(3):
        work.mean[i] = p[i]
    for hidden in range(MOST_HIDDEN + 1):
        if members > 1 or not land_on_segment(primitives, -1 - work.codes[0], corner, p):
            kind = place_vertex(primitives, rule, members, crossed, work, p)
        code = hidden_by(primitives, names, at, work.codes, members, p) if hidden < MOST_HIDDEN else NONE
        if code == NONE or members == MEMBERS:
            break
        work.codes[members], work.turns[members] = code, -1.0 if rule.carves else 1.0
        members += 1
    return kind


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
                            primitives, rule, block[start], block[end], names[start], names[end],
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
            joined = 1 if cells[row * BRICK_SIZE + i] & JOINED else 0
            for name in range(patches[joined, corners]):
                p = points[vertex]
                crossed, members = gather_patch(primitives, rule, corners, patch[joined, corners], name, at, work, p)
                kind[vertex] = place_patch(primitives, rule, crossed, members, at, work, p)
                keep_apart(corner, p)
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
