"""Warp kernels for triangles that pass through each other: see `contouring.overlaps`.

Each cell that is not plain has a list of the quads with a corner in it, or in a cell that a vertex of it visits. In a
plain cell there is one sheet. G is the number of these cells, W that of the vertices, with gaps, and Q that of the
quads. All is done in rounds R; a round does nothing where no vertex has moved in the one before.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.overlaps import (
    ALL,
    COMMON_ROUNDS,
    HOME,
    MOST_QUADS,
    ROUNDS,
    STEPS,
    do_cross,
    do_touch,
    next_corner,
    share_of,
    step_to,
    way_apart,
)
from ....contouring.quads import turned_quad
from ..device.formulas import double, function, kernel, single
from ..device.structs import wp
from .face_kernels import Pairs
from .layout import Crossings, Layout, corner_at, crossings_at, moved, number_at, row_start
from .plain_kernels import EDGES, Tables, Vertices
from .structs import Corners, cornered, looped

BLOCK_DIM = 128


class Rounds:
    """What the rounds have found.

    Attributes:
        any: (R,) whether triangles cross.
        moves: (2, W) the last even round in which each vertex goes back, and by how far: STEPS (round + 1) and the
            step; then the last odd one.
        divides: (W,) the vertices whose quads are to be divided.    any_divides: (1,) whether there are any.
    """

    any: wp.array[wp.int32]
    moves: wp.array2d[wp.int32]
    divides: wp.array[wp.uint8]
    any_divides: wp.array[wp.int32]


@function(single)
def borders_of(record: wp.int32) -> wp.int32:
    """The number of border points of a face, by its record."""
    return (record & 3) + ((record >> 2) & 3) + ((record >> 4) & 3) + ((record >> 6) & 3)


@function(single)
def add_quad(
    quad: wp.int32, since: wp.int32, before: wp.int32, number: wp.int32, listed: wp.array[wp.int32]
) -> wp.int32:
    """List a quad after `number` others, unless it is among the first `before`. They begin at `since`. Return the new
    number. An empty array means: only count."""
    if number >= MOST_QUADS:
        return number
    if listed.shape[0] > 0:
        for n in range(before):
            if listed[since + n] == quad:
                return number
        listed[since + number] = quad
    return number + 1


@function(single)
def list_cell(
    layout: Layout,
    crossings: Crossings,
    pairs: Pairs,
    tables: Tables,
    first_quad: wp.int32,
    at: wp.vec3i,
    since: wp.int32,
    before: wp.int32,
    listed: wp.array[wp.int32],
) -> wp.int32:
    """List the quads with a corner in a cell, after the first `before`: see `add_quad`. Return the number of all."""
    number = wp.int32(before)
    for edge in range(EDGES):
        quad, many = crossings_at(layout, crossings, corner_at(at, tables.first_corner[edge]), edge >> 2)
        for n in range(many):
            number = add_quad(quad + n, since, before, number, listed)
    for side in range(6):
        face = number_at(layout, pairs.faces, moved(at, side >> 1, side & 1), side >> 1)
        if face >= 0:
            quad = first_quad + 2 * pairs.first_border[face]
            for n in range(2 * borders_of(pairs.record[face])):
                number = add_quad(quad + n, since, before, number, listed)
    return number


@kernel(single)
def list_quads(
    layout: Layout,
    crossings: Crossings,
    pairs: Pairs,
    tables: Tables,
    vertices: Vertices,
    cells: wp.array[wp.vec2i],
    sorts: wp.array[wp.int32],
    start: wp.int32,
    first: wp.array[wp.int32],
    count: wp.array[wp.int32],
    listed: wp.array[wp.int32],
) -> None:
    """List the quads with a corner in each cell that is not plain, or in one that a vertex of it visits. Launch with
    (G,).

    Args:
        cells, sorts, start: see `place_general_cells`.
        first: (G + 1,) where each list begins.    count: (G + 1,) how long it is.
        listed: the quads. An empty array means: only count, and those of two cells twice.
    """
    i = wp.tid()
    since = wp.int32(0)
    if listed.shape[0] > 0:
        since = first[i]
    brick, voxel = cells[sorts[start + i]][0], cells[sorts[start + i]][1]
    at = moved(row_start(layout, brick, voxel >> 3), 0, voxel & 7)
    number = list_cell(layout, crossings, pairs, tables, vertices.first_quad, at, since, 0, listed)
    visit = int(vertices.visits[start + i])
    if visit != HOME:
        there = moved(moved(moved(at, 0, step_to(visit, 0)), 1, step_to(visit, 1)), 2, step_to(visit, 2))
        number = list_cell(layout, crossings, pairs, tables, vertices.first_quad, there, since, number, listed)
    count[i] = number


@kernel(looped)
def turn_quads(
    vertices: Vertices,
    marks: wp.array[wp.int32],
    rounds: Rounds,
    number: wp.int32,
    start: wp.int32,
    turned: wp.array[wp.vec4i],
) -> None:
    """Set turned (Q,) to the corners of quads as they are split now, in a round. Launch with (Q,)."""
    if number > 0:  # noqa: SIM102
        if rounds.any[number - 1] == 0:
            return
    q = start + wp.tid()
    turned[q] = wp.vec4i(-1, -1, -1, -1)
    quads = vertices.quads
    if wp.min(wp.min(quads[q, 0], quads[q, 1]), wp.min(quads[q, 2], quads[q, 3])) >= 0:
        a, b, c, d = turned_quad(vertices.point, quads, marks, q)
        turned[q] = wp.vec4i(a, b, c, d)


@function(single)
def triangle_at(turned: wp.array[wp.vec4i], listed: wp.array[wp.int32], first: wp.int32, t: wp.int32) -> wp.vec3i:
    """Triangle t of those of the quads from `first` on, two of each."""
    quad = turned[listed[first + (t >> 1)]]
    if (t & 1) == 0:
        return wp.vec3i(quad[0], quad[1], quad[2])
    return wp.vec3i(quad[0], quad[2], quad[3])


@function(single)
def is_triangle(t: wp.vec3i) -> wp.bool:
    """Whether the corners of a triangle are three."""
    return t[0] != t[1] and t[1] != t[2] and t[2] != t[0]


@function(double)
def lowest_of(points: wp.array[wp.vec3d], t: wp.vec3i) -> wp.vec3d:
    """The least coordinates of a triangle."""
    return wp.min(wp.min(points[t[0]], points[t[1]]), points[t[2]])


@function(double)
def highest_of(points: wp.array[wp.vec3d], t: wp.vec3i) -> wp.vec3d:
    """The greatest coordinates of a triangle."""
    return wp.max(wp.max(points[t[0]], points[t[1]]), points[t[2]])


@function(double)
def are_apart(low: wp.vec3d, high: wp.vec3d, other_low: wp.vec3d, other_high: wp.vec3d) -> wp.bool:
    """Whether two boxes do not meet."""
    for i in range(3):
        if high[i] < other_low[i] or other_high[i] < low[i]:
            return wp.bool(True)
    return wp.bool(False)


@function(single)
def has_moved(
    quads: wp.array2d[wp.int32],
    listed: wp.array[wp.int32],
    first: wp.int32,
    stop: wp.int32,
    number: wp.int32,
    rounds: Rounds,
) -> wp.bool:
    """Whether a corner of the quads from `first` up to `stop` went back in the round before, if there was one."""
    if number == 0:
        return wp.bool(True)
    if rounds.any[number - 1] == 0:
        return wp.bool(False)
    for n in range(first, stop):
        for k in range(4):
            v = quads[listed[n], k]
            if v >= 0:  # noqa: SIM102
                if rounds.moves[(number - 1) & 1, v] >= STEPS * number:
                    return wp.bool(True)
    return wp.bool(False)


@function(single)
def let_divide(v: wp.int32, rounds: Rounds) -> None:
    """Let the quads of a vertex be divided."""
    rounds.divides[v] = wp.uint8(1)
    rounds.any_divides[0] = 1


@function(single)
def mark_twice(t: wp.vec3i, o: wp.vec3i, rounds: Rounds) -> None:
    """Let the quads be divided at the ends of sides that two triangles pass in the same direction."""
    for k in range(3):
        p, q = t[k], t[(k + 1) % 3]
        if next_corner(o[0], o[1], o[2], p) == q:
            let_divide(p, rounds)
            let_divide(q, rounds)


@function(single)
def corner_of(t: wp.vec3i, o: wp.vec3i, k: wp.int32) -> wp.int32:
    """Corner k of two triangles."""
    if k < 3:
        return t[k]
    return o[k - 3]


@function(cornered)
def gather_corners(vertices: Vertices, t: wp.vec3i, o: wp.vec3i, corners: Corners) -> wp.bool:
    """Set the corners of two triangles. Return whether any may go back."""
    found = wp.bool(False)
    for k in range(6):
        v = corner_of(t, o, k)
        is_movable = int(vertices.movable[v]) == 1
        corners.name[k] = k
        for before in range(k):
            if corner_of(t, o, before) == v:
                corners.name[k] = before
        corners.movable[k] = 1 if is_movable and corners.name[k] == k else 0
        found = found or is_movable
        for i in range(3):
            corners.point[k, i] = vertices.point[v][i]
            corners.origin[k, i] = vertices.origin[v][i]
    return found


@function(cornered)
def mark_pair(
    vertices: Vertices, t: wp.vec3i, o: wp.vec3i, number: wp.int32, cross: wp.bool, rounds: Rounds
) -> wp.bool:
    """Mark the vertices of two triangles that cross or touch, and go back in this round. If they cross, and there is
    none, or no other round, their quads are divided. Return whether anything is done."""
    corners = Corners()
    may_move = gather_corners(vertices, t, o, corners)
    if cross and (number == ROUNDS - 1 or not may_move):
        for k in range(3):
            let_divide(t[k], rounds)
            let_divide(o[k], rounds)
    way = way_apart(corners, number if cross else wp.max(number, COMMON_ROUNDS))
    for k in range(6):
        if corners.movable[k] == 1 and (way // STEPS == k or way // STEPS == ALL):
            wp.atomic_max(rounds.moves, number & 1, corner_of(t, o, k), STEPS * (number + 1) + way % STEPS)
    return cross or may_move


@kernel(looped)
def find_crossing(
    first: wp.array[wp.int32],
    count: wp.array[wp.int32],
    listed: wp.array[wp.int32],
    turned: wp.array[wp.vec4i],
    vertices: Vertices,
    number: wp.int32,
    rounds: Rounds,
) -> None:
    """Find the triangles that cross at a cell, in a round, and mark their vertices. Launch with (G,)."""
    i = wp.tid()
    since = first[i]
    if not has_moved(vertices.quads, listed, since, since + count[i], number, rounds):
        return
    triangles = 2 * count[i]
    any_found = wp.bool(False)
    for m in range(triangles):
        t = triangle_at(turned, listed, since, m)
        if is_triangle(t):
            low, high = lowest_of(vertices.point, t), highest_of(vertices.point, t)
            for n in range(m):
                o = triangle_at(turned, listed, since, n)
                if is_triangle(o) and not are_apart(
                    low, high, lowest_of(vertices.point, o), highest_of(vertices.point, o)
                ):
                    mark_twice(t, o, rounds)
                    cross = do_cross(vertices.point, t[0], t[1], t[2], o[0], o[1], o[2])
                    meet = bool(cross)
                    if not cross and number < ROUNDS - 1:
                        meet = do_touch(vertices.point, t[0], t[1], t[2], o[0], o[1], o[2])
                    if meet:
                        found = mark_pair(vertices, t, o, number, cross, rounds)
                        any_found = any_found or found
    if any_found:
        rounds.any[number] = 1
    if any_found and number == ROUNDS - 1:
        for m in range(triangles):
            t = triangle_at(turned, listed, since, m)
            if is_triangle(t):
                for k in range(3):
                    let_divide(t[k], rounds)


@kernel(double)
def go_back(rounds: Rounds, number: wp.int32, vertices: Vertices) -> None:
    """Move the vertices that are marked for a round toward their origins. Launch with (W,)."""
    v = wp.tid()
    step = rounds.moves[number & 1, v] - STEPS * (number + 1)
    if rounds.any[number] == 1 and step >= 0:
        here = vertices.point[v]
        vertices.point[v] = here + share_of(step) * (vertices.origin[v] - here)
