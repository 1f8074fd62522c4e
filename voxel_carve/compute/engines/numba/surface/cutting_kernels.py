"""Kernels that cut two meshes where they cross. See `contour.rims`."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiler.decorators import force_inlined, inlined, kernel, subroutine
from ..contour.overlaps import Array, box_of, boxes_touch, cell_at, cells_of

START, END = 0, 1

MOST_LINES = 24  # through one half of a quad
MOST_SIDES = 80  # of what is kept of it
MOST_TRIANGLES = 6  # for each line, and once more


@inlined
def volume(points, a, b, c, d):  # type: ignore[no-untyped-def]
    """Six times the volume of a tetrahedron, positive if d lies above triangle a, b, c."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    wx, wy, wz = points[d, 0] - points[a, 0], points[d, 1] - points[a, 1], points[d, 2] - points[a, 2]
    return (uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz


@subroutine
def is_above(points, a, b, c, d):  # type: ignore[no-untyped-def]
    """Whether d lies above triangle a, b, c. Four vertices in any order give one answer, whatever rounding does."""
    odd = False
    if a > b:
        a, b, odd = b, a, not odd
    if c > d:
        c, d, odd = d, c, not odd
    if a > c:
        a, c, odd = c, a, not odd
    if b > d:
        b, d, odd = d, b, not odd
    if b > c:
        b, c, odd = c, b, not odd
    return (volume(points, a, b, c, d) > 0.0) != odd


@inlined
def pierces(points, p, q, p_above, q_above, a, b, c):  # type: ignore[no-untyped-def]
    """Whether the edge from p to q goes through triangle a, b, c; given on which side of it p and q lie."""
    found = p_above != q_above
    if found:
        turn = is_above(points, p, q, a, b)
        found = is_above(points, p, q, b, c) == turn and is_above(points, p, q, c, a) == turn
    return found


@subroutine
def cross_triangles(points, mine, other, keeps_inside, ends):  # type: ignore[no-untyped-def]
    """Find the line along which two triangles cross.

    Args:
        mine, other: (3,) their corners.    keeps_inside: whether the part of `mine` below `other` is kept, else above.
        ends: (2, 3) int64, set to where the line starts and ends, with the kept part of `mine` on its left: the edge,
            as its lesser and greater vertex, and 1 if the edge is one of `mine`, else 0.

    Returns:
        The number of ends found: 2, or 0 if the triangles do not cross. Another number means that rounding deceives.
    """
    a, b, c = mine[0], mine[1], mine[2]
    d, e, f = other[0], other[1], other[2]
    up_a, up_b, up_c = is_above(points, d, e, f, a), is_above(points, d, e, f, b), is_above(points, d, e, f, c)
    if up_a == up_b and up_b == up_c:
        return 0
    up_d, up_e, up_f = is_above(points, a, b, c, d), is_above(points, a, b, c, e), is_above(points, a, b, c, f)
    if up_d == up_e and up_e == up_f:
        return 0
    starts, stops = 0, 0
    for n in range(6):
        is_mine = n < 3
        if is_mine:
            p, q = (a, b) if n == 0 else ((b, c) if n == 1 else (c, a))
            up_p, up_q = (up_a, up_b) if n == 0 else ((up_b, up_c) if n == 1 else (up_c, up_a))
            through = pierces(points, p, q, up_p, up_q, d, e, f)
        else:
            p, q = (d, e) if n == 3 else ((e, f) if n == 4 else (f, d))
            up_p, up_q = (up_d, up_e) if n == 3 else ((up_e, up_f) if n == 4 else (up_f, up_d))
            through = pierces(points, p, q, up_p, up_q, a, b, c)
        if through:
            # Along its own border, a triangle leaves its kept part where the line starts; for the other it ends there.
            leaves = up_q == keeps_inside
            end = START if leaves == is_mine else END
            ends[end, 0], ends[end, 1], ends[end, 2] = min(p, q), max(p, q), 1 if is_mine else 0
            starts += end == START
            stops += end == END
    return 2 if starts == 1 and stops == 1 else starts + stops + 3 * (starts + stops == 2)


class PairScratch(NamedTuple):
    """Scratch buffers for pairs: the box of a quad (6,), corners (2, 3), and ends (2, 3)."""

    box: Array
    corners: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    @classmethod
    def of(cls) -> "PairScratch":
        """Buffers for any pair."""
        return cls(np.empty(6), np.empty((2, 3), np.int64), np.empty((2, 3), np.int64))


@force_inlined
def take_half(quads, q, half, corners):  # type: ignore[no-untyped-def]
    """Set corners (3,) to those of half 0 or 1 of quad q."""
    corners[0], corners[1], corners[2] = quads[q, 0], quads[q, 1 + half], quads[q, 2 + half]


@kernel
def find_crossings(start, stop, points, quads, which, others, grid, keeps_inside, first, found, scratch):  # type: ignore[no-untyped-def]
    """Find the lines along which the halves of quads cross those of others.

    Args:
        which: (N,) quads.    others: (M,) other quads, whose boxes are in `grid`.
        first: (N + 1,) lines of quad n go to found[first[n] :]; if `found` is empty, first[n + 1] is set to how many.
        found: (C, 8) int64: the halves, as twice the quad plus 0 or 1; and the line, as `cross_triangles` sets it.
    """
    boxes, low, cells_per_unit, side, first_listed, listed = grid
    for n in range(start, stop):
        q, count = which[n], 0
        box = scratch.box
        box_of(points, quads, q, box)
        x, y, z, to_x, to_y, to_z = cells_of(box, low, cells_per_unit, side)
        for k in range(z, to_z + 1):
            for j in range(y, to_y + 1):
                for i in range(x, to_x + 1):
                    cell = (k * side[1] + j) * side[0] + i
                    for m in range(first_listed[cell], first_listed[cell + 1]):
                        own, other = boxes[listed[m]], others[listed[m]]
                        touch = (
                            (box[0] <= own[3]) & (own[0] <= box[3])
                            & (box[1] <= own[4]) & (own[1] <= box[4])
                            & (box[2] <= own[5]) & (own[2] <= box[5])
                        )  # fmt: skip
                        # Boxes may share several cells. The one with the least corner of their common part counts.
                        if (
                            not touch
                            or i != cell_at(max(box[0], own[0]), low[0], cells_per_unit)
                            or j != cell_at(max(box[1], own[1]), low[1], cells_per_unit)
                            or k != cell_at(max(box[2], own[2]), low[2], cells_per_unit)
                        ):
                            continue
                        for half in range(4):
                            mine, theirs = scratch.corners[0], scratch.corners[1]
                            take_half(quads, q, half & 1, mine)
                            take_half(quads, other, half >> 1, theirs)
                            if not boxes_touch(points, mine[0], mine[1], mine[2], theirs[0], theirs[1], theirs[2]):
                                continue
                            ends = cross_triangles(points, mine, theirs, keeps_inside, scratch.ends)
                            if ends == 2:
                                if len(found):
                                    row = found[first[n] + count]
                                    row[0], row[1] = 2 * q + (half & 1), 2 * other + (half >> 1)
                                    for c in range(6):
                                        row[2 + c] = scratch.ends[c // 3, c % 3]
                                count += 1
        if not len(found):
            first[n + 1] = count


@inlined
def next_on_side(side, along, count, where, past):  # type: ignore[no-untyped-def]
    """The first of `count` line ends that lies on a side of a triangle, farther along it than `past`; -1 for none."""
    found = -1
    for n in range(count):
        if side[n] == where and along[n] > past and (found < 0 or along[n] < along[found]):
            found = n
    return found


@kernel
def cut_halves(start, stop, points, quads, halves, first, lines, nodes, at, out, count, scratch):  # type: ignore[no-untyped-def]
    """Cut halves of quads along lines, and split what is kept into triangles.

    Args:
        points: (V, 3).    halves: (H,).    first: (H + 1,) half h has lines[first[h] : first[h + 1]].
        lines: (L, 2) the nodes where each starts and ends, with the kept part on its left.
        nodes: (N, 4), at: (N, 4): see `place_nodes`.
        out: (T, 3) int32, vertices of triangles; V + n is node n. Those of half h begin at
            MOST_TRIANGLES * (first[h] + h).
        count: (H,) set to their number; -1 where lines do not end on the border of the half, or where no cut fits.
    """
    corner, side, along, follow, done, polygon, flat, worst, through, stack = scratch
    base = len(points)
    for h in range(start, stop):
        take_half(quads, halves[h] >> 1, halves[h] & 1, corner)
        m = first[h + 1] - first[h]
        count[h] = -1
        if m > MOST_LINES:
            continue
        # End 2 i of the lines is the start of line i, end 2 i + 1 its end.
        for i in range(2 * m):
            node = lines[first[h] + (i >> 1), i & 1]
            side[i], along[i], follow[i], done[i >> 1] = -1, 0.0, -1, False
            for k in range(3):
                p, q = corner[k], corner[(k + 1) % 3]
                if nodes[node, 0] == min(p, q) and nodes[node, 1] == max(p, q):
                    side[i] = k
                    along[i] = at[node, 3] if p < q else 1.0 - at[node, 3]
        sound = True
        for i in range(m):
            for j in range(m):
                if side[2 * i + 1] < 0 and lines[first[h] + j, 0] == lines[first[h] + i, 1]:
                    follow[2 * i + 1] = 2 * j
            sound = sound and (side[2 * i + 1] >= 0 or follow[2 * i + 1] >= 0)
        total = 0
        for begin in range(m):
            if not sound or done[begin] or side[2 * begin] < 0:
                continue
            size, line = 0, begin
            while sound:
                done[line] = True
                if size + 5 > MOST_SIDES:
                    sound = False
                    break
                polygon[size] = base + lines[first[h] + line, 0]
                size += 1
                end = 2 * line + 1
                if side[end] < 0:
                    line = follow[end] >> 1
                    if done[line]:
                        sound = False
                    continue
                polygon[size] = base + lines[first[h] + line, 1]
                size += 1
                where, past = side[end], along[end]
                following = next_on_side(side, along, 2 * m, where, past)
                for _ in range(3):
                    if following < 0:
                        where, past = (where + 1) % 3, -1.0
                        polygon[size] = corner[where]
                        size += 1
                        following = next_on_side(side, along, 2 * m, where, past)
                if following < 0 or following & 1 == 1:
                    sound = False
                    break
                line = following >> 1
                if line == begin:
                    break
                if done[line]:
                    sound = False
            if sound:
                room = MOST_TRIANGLES * (first[h] + h) + total
                made = split_polygon(points, at, corner, polygon, size, flat, worst, through, stack, out, room)
                sound = made == size - 2
                total += made
        for i in range(m):
            sound = sound and done[i]
        if sound:
            count[h] = total


class CutScratch(NamedTuple):
    """Scratch buffers for one half of a quad.

    Attributes:
        corner: (3,) its corners.    side, along, follow: of each end of a line, the side of the half that it lies on,
            -1 for none, how far along it is, and the end that it is joined to.    done: (L,) of each line.
        polygon: the vertices of a part.    flat: (S, 2) these in a plane.
        worst, through, stack: see `split_polygon`.
    """

    corner: npt.NDArray[np.int64]
    side: npt.NDArray[np.int64]
    along: Array
    follow: npt.NDArray[np.int64]
    done: npt.NDArray[np.bool_]
    polygon: npt.NDArray[np.int64]
    flat: Array
    worst: Array
    through: npt.NDArray[np.int64]
    stack: npt.NDArray[np.int64]

    @classmethod
    def of(cls) -> "CutScratch":
        """Buffers for any half."""
        most = 2 * MOST_LINES
        return cls(
            np.empty(3, np.int64), np.empty(most, np.int64), np.empty(most), np.empty(most, np.int64),
            np.empty(MOST_LINES, np.bool_), np.empty(MOST_SIDES, np.int64), np.empty((MOST_SIDES, 2)),
            np.empty((MOST_SIDES, MOST_SIDES)), np.empty((MOST_SIDES, MOST_SIDES), np.int64),
            np.empty((MOST_SIDES, 2), np.int64),
        )  # fmt: skip


@inlined
def doubled_area(flat, a, b, c):  # type: ignore[no-untyped-def]
    """Twice the signed area of a triangle in a plane."""
    return (flat[b, 0] - flat[a, 0]) * (flat[c, 1] - flat[a, 1]) - (flat[c, 0] - flat[a, 0]) * (flat[b, 1] - flat[a, 1])


@inlined
def square_between(flat, a, b):  # type: ignore[no-untyped-def]
    """The square of the distance of two points in a plane."""
    x, y = flat[b, 0] - flat[a, 0], flat[b, 1] - flat[a, 1]
    return x * x + y * y


@subroutine
def split_polygon(points, at, corner, polygon, size, flat, worst, through, stack, out, room):  # type: ignore[no-untyped-def]
    """Split a polygon into triangles so that the worst shape is the best (Klincsek 1980). Return their number.

    out (T, 3) is set from `room` on.

    Args:
        corner: (3,) of the triangle that the polygon lies in.    polygon: (size,) its vertices; see `cut_halves`.
        flat, worst, through, stack: scratch.
    """
    base = len(points)
    a, b, c = corner[0], corner[1], corner[2]
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    axis = 0 if abs(x) >= max(abs(y), abs(z)) else (1 if abs(y) >= abs(z) else 2)
    turn = (x if axis == 0 else (y if axis == 1 else z)) < 0.0
    first, second = (axis + 1) % 3, (axis + 2) % 3
    if turn:
        first, second = second, first
    for n in range(size):
        v = polygon[n]
        flat[n, 0] = points[v, first] if v < base else at[v - base, first]
        flat[n, 1] = points[v, second] if v < base else at[v - base, second]
    # Of polygon[i] to polygon[j], the shape of the worst triangle, and the corner of the triangle on the side i, j.
    for length in range(1, size):
        for i in range(size - length):
            j = i + length
            worst[i, j], through[i, j] = math.inf if length == 1 else -math.inf, -1
            for k in range(i + 1, j):
                area = doubled_area(flat, i, k, j)
                longest = max(square_between(flat, i, k), square_between(flat, k, j), square_between(flat, j, i))
                here = min(area / max(longest, 1e-300), worst[i, k], worst[k, j])
                if here > worst[i, j]:
                    worst[i, j], through[i, j] = here, k
    made, waiting = 0, 1
    stack[0, 0], stack[0, 1] = 0, size - 1
    while waiting > 0:
        waiting -= 1
        i, j = stack[waiting, 0], stack[waiting, 1]
        k = through[i, j]
        if k >= 0:
            out[room + made, 0], out[room + made, 1], out[room + made, 2] = polygon[i], polygon[k], polygon[j]
            made += 1
            stack[waiting, 0], stack[waiting, 1] = i, k
            stack[waiting + 1, 0], stack[waiting + 1, 1] = k, j
            waiting += 2
    return made
