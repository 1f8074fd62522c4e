"""Warp kernels for triangles that pass through each other: see `contouring.overlaps`.

Each cell that is not plain has a list of the quads with a corner in it. In a plain cell there is one sheet. G is the
number of these cells, V that of the vertices, and Q that of the quads. All is done in rounds; a round does nothing
where the one before has found nothing.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....contouring.overlaps import MOST_TRIANGLES, do_cross
from ....contouring.quads import turned_quad
from ..device.formulas import double, function, kernel, single
from ..device.structs import wp
from .face_kernels import Pairs
from .layout import Crossings, Layout, corner_at, crossings_at, moved, number_at, row_start
from .plain_kernels import EDGES, Tables
from .quad_kernels import Points
from .structs import looped

BLOCK_DIM = 128


class Rounds:
    """What the rounds R have found: `any` (R,), whether triangles cross; `bricks` (R, B), at the cells of which bricks;
    and `moves` (V,), which vertices go back in this round."""

    any: wp.array[wp.int32]
    bricks: wp.array2d[wp.uint8]
    moves: wp.array[wp.uint8]


@function(single)
def borders_of(record: wp.int32) -> wp.int32:
    """The number of border points of a face, by its record."""
    return (record & 3) + ((record >> 2) & 3) + ((record >> 4) & 3) + ((record >> 6) & 3)


@kernel(single)
def list_quads(
    layout: Layout,
    crossings: Crossings,
    pairs: Pairs,
    tables: Tables,
    cells: wp.array[wp.vec2i],
    sorts: wp.array[wp.int32],
    start: wp.int32,
    first_quad: wp.int32,
    first: wp.array[wp.int32],
    count: wp.array[wp.int32],
    listed: wp.array[wp.int32],
) -> None:
    """List the quads with a corner in each cell that is not plain. Launch with (G,).

    Args:
        cells, sorts, start: see `place_general_cells`.
        first: (G + 1,) where each list begins.    count: (G + 1,) how long it is.
        listed: the quads. An empty array means: only count.
    """
    i = wp.tid()
    brick, voxel = cells[sorts[start + i]][0], cells[sorts[start + i]][1]
    at = moved(row_start(layout, brick, voxel >> 3), 0, voxel & 7)
    is_listed = listed.shape[0] > 0
    number = wp.int32(0)
    for edge in range(EDGES):
        quad, many = crossings_at(layout, crossings, corner_at(at, tables.first_corner[edge]), edge >> 2)
        for n in range(many):
            if is_listed:
                listed[first[i] + number] = quad + n
            number += 1
    for side in range(6):
        face = number_at(layout, pairs.faces, moved(at, side >> 1, side & 1), side >> 1)
        if face >= 0:
            quad = first_quad + 2 * pairs.first_border[face]
            for n in range(2 * borders_of(pairs.record[face])):
                if is_listed:
                    listed[first[i] + number] = quad + n
                number += 1
    count[i] = number


@kernel(looped)
def turn_quads(
    points: Points,
    quads: wp.array2d[wp.int32],
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
    if wp.min(wp.min(quads[q, 0], quads[q, 1]), wp.min(quads[q, 2], quads[q, 3])) >= 0:
        a, b, c, d = turned_quad(points.point, quads, marks, q)
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
def lowest_of(points: Points, t: wp.vec3i) -> wp.vec3d:
    """The least coordinates of a triangle."""
    return wp.min(wp.min(points.point[t[0]], points.point[t[1]]), points.point[t[2]])


@function(double)
def highest_of(points: Points, t: wp.vec3i) -> wp.vec3d:
    """The greatest coordinates of a triangle."""
    return wp.max(wp.max(points.point[t[0]], points.point[t[1]]), points.point[t[2]])


@function(double)
def are_apart(low: wp.vec3d, high: wp.vec3d, other_low: wp.vec3d, other_high: wp.vec3d) -> wp.bool:
    """Whether two boxes do not meet."""
    for i in range(3):
        if high[i] < other_low[i] or other_high[i] < low[i]:
            return wp.bool(True)
    return wp.bool(False)


@function(single)
def mark_moves(points: Points, t: wp.vec3i, rounds: Rounds) -> None:
    """Mark the vertices of a triangle that may go back."""
    for k in range(3):
        if int(points.movable[t[k]]) == 1:
            rounds.moves[t[k]] = wp.uint8(1)


@function(single)
def is_near_crossing(layout: Layout, rounds: Rounds, number: wp.int32, brick: wp.int32) -> wp.bool:
    """Whether the round before has found crossing triangles in a brick or around it, so that vertices have moved."""
    if number == 0:
        return wp.bool(True)
    if rounds.any[number - 1] == 0:
        return wp.bool(False)
    corner = layout.corner[brick]
    for k in range(27):
        place = layout.places[(corner[0] >> 3) + k // 9, (corner[1] >> 3) + (k // 3) % 3, (corner[2] >> 3) + k % 3]
        if place >= 0:  # noqa: SIM102
            if int(rounds.bricks[number - 1, place]) == 1:
                return wp.bool(True)
    return wp.bool(False)


@kernel(looped)
def find_crossing(
    layout: Layout,
    cells: wp.array[wp.vec2i],
    sorts: wp.array[wp.int32],
    start: wp.int32,
    first: wp.array[wp.int32],
    listed: wp.array[wp.int32],
    turned: wp.array[wp.vec4i],
    points: Points,
    number: wp.int32,
    rounds: Rounds,
) -> None:
    """Find the triangles that cross at a cell, in a round, and mark their vertices. Launch with (G,)."""
    i = wp.tid()
    brick = cells[sorts[start + i]][0]
    if not is_near_crossing(layout, rounds, number, brick):
        return
    compared = wp.int32(0)
    for m in range(2 * (first[i + 1] - first[i])):
        t = triangle_at(turned, listed, first[i], m)
        if is_triangle(t) and compared < MOST_TRIANGLES:
            compared += 1
            low, high = lowest_of(points, t), highest_of(points, t)
            for n in range(m):
                o = triangle_at(turned, listed, first[i], n)
                if is_triangle(o) and not are_apart(low, high, lowest_of(points, o), highest_of(points, o)):  # noqa: SIM102
                    if do_cross(points.point, t[0], t[1], t[2], o[0], o[1], o[2]):
                        mark_moves(points, t, rounds)
                        mark_moves(points, o, rounds)
                        rounds.bricks[number, brick] = wp.uint8(1)
                        rounds.any[number] = 1


@kernel(double)
def go_back(rounds: Rounds, number: wp.int32, share: wp.float64, points: Points) -> None:
    """Move the marked vertices by a share of the way to their origins, and unmark them. Launch with (V,)."""
    v = wp.tid()
    if rounds.any[number] == 0:
        return
    if int(rounds.moves[v]) == 1:
        rounds.moves[v] = wp.uint8(0)
        here = points.point[v]
        points.point[v] = here + share * (points.origin[v] - here)
