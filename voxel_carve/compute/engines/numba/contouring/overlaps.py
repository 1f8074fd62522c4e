"""Triangles that pass through each other, cell by cell: see `contouring.overlaps`.

Two triangles meet only in a cell in which both have a corner, or which a corner visits. In a plain cell there is one
sheet.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import overlaps
from ....contouring.overlaps import ALL, CLEAR, CLOSE, COMMON_ROUNDS, HOME, MOST_QUADS, ROUNDS, STEPS
from ....model.bricks import BRICK_SIZE
from ....runtime.threads import over_rows
from ..compiler.decorators import inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE
from .blocks import Crossings, Layout, Pairs, load_edges, lower_bound, octant_bits
from .cells import Vertices, general_cells, load_faces
from .compared_quads import CellBlock, add_visited, list_quads, list_visits, mark_near
from .splitting import forget_splits, turned_quad

do_cross, do_touch = DOUBLE(overlaps.do_cross), DOUBLE(overlaps.do_touch)
passes_inside = DOUBLE(overlaps.passes_inside)
next_corner, share_of, way_apart = DOUBLE(overlaps.next_corner), DOUBLE(overlaps.share_of), DOUBLE(overlaps.way_apart)

BRICKS_PER_RUN = 64
MOST_VERTICES = 62  # at a cell that have a bit
LOWEST_BIT = np.array([(n & -n).bit_length() - 1 for n in range(64)], dtype=np.int64)
MOST_TRIANGLES = 2 * MOST_QUADS
LANES = 8  # numbers that a processor handles at once, or a multiple


class CornerScratch(NamedTuple):
    """See `formulas.language.Corners`; and the vertices that they are, and the row of each."""

    point: npt.NDArray[np.float64]
    origin: npt.NDArray[np.float64]
    name: npt.NDArray[np.int64]
    movable: npt.NDArray[np.int64]
    vertex: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]

    @classmethod
    def of(cls) -> "CornerScratch":
        """Buffers for two triangles."""
        return cls(np.empty((6, 3)), np.empty((6, 3)), *(np.empty(6, np.int64) for _ in range(4)))


class OverlapScratch(NamedTuple):
    """Scratch buffers for the triangles at a cell.

    Attributes:
        own, other: the cells of its brick, and of one that a vertex visits.
        visits: (512,) see `list_visits`.    may_differ: (64,) see `mark_near`.
        listed: (Q,) the quads.    ring: (4,) the corners of one.    places: (4,) their places below.
        vertex: (M,) the vertices.    x, y, z: (M,) where they lie.
        corners, near: (T, 3) the corners of triangles, and their places among `vertex`.
        passed: (M,) the vertices that follow each of `vertex` around triangles, a bit for each.
        bits: (T,) likewise.    above, below: (T,) those with which it has a positive volume,
            and a negative one; clear: either by far.
        box: (6, T) the least and the greatest x, y and z.
        may, pairs: (T,) whether each may cross one triangle, and those that may.
        two: the corners of two triangles that cross.
    """

    own: CellBlock
    other: CellBlock
    visits: npt.NDArray[np.int64]
    may_differ: npt.NDArray[np.int64]
    listed: npt.NDArray[np.int64]
    ring: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    vertex: npt.NDArray[np.int64]
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    z: npt.NDArray[np.float64]
    corners: npt.NDArray[np.int64]
    near: npt.NDArray[np.int64]
    passed: npt.NDArray[np.int64]
    bits: npt.NDArray[np.int64]
    above: npt.NDArray[np.int64]
    below: npt.NDArray[np.int64]
    clear: npt.NDArray[np.int64]
    box: npt.NDArray[np.float64]
    may: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    two: CornerScratch

    @classmethod
    def of(cls) -> "OverlapScratch":
        """Buffers for any brick."""
        triangles = [np.empty(MOST_TRIANGLES, np.int64) for _ in range(6)]
        return cls(
            CellBlock.of(), CellBlock.of(), np.empty(BRICK_SIZE**3, np.int64),
            np.empty(BRICK_SIZE**2, np.int64), np.empty(MOST_QUADS, np.int64),
            np.empty(4, np.int64), np.empty(4, np.int64),
            np.empty(MOST_VERTICES, np.int64), np.empty(MOST_VERTICES), np.empty(MOST_VERTICES),
            np.empty(MOST_VERTICES), np.empty((MOST_TRIANGLES, 3), np.int64), np.empty((MOST_TRIANGLES, 3), np.int64),
            np.empty(MOST_VERTICES, np.int64), triangles[0], triangles[1], triangles[2], triangles[3],
            np.empty((6, MOST_TRIANGLES)), triangles[4], triangles[5], CornerScratch.of(),
        )  # fmt: skip


@subroutine
def row_of(vertices, v):  # type: ignore[no-untyped-def]
    """The row in `Vertices.vertex` of a vertex; -1 if it is in a plain cell."""
    if not vertices.is_general[v]:
        return np.int64(-1)
    b = lower_bound(vertices.first[:, 0], v + 1) - 1
    start = vertices.first[b, 1]
    return start + lower_bound(vertices.vertex[start : start + vertices.count[b, 1]], v)


@inlined
def drop_incomplete(quads, count, listed):  # type: ignore[no-untyped-def]
    """Drop those of the first `count` quads listed that lack a corner. Return how many are left."""
    kept = 0
    for n in range(count):
        q = listed[n]
        if min(quads[q, 0], quads[q, 1], quads[q, 2], quads[q, 3]) >= 0:
            listed[kept] = q
            kept += 1
    return kept


@inlined
def has_moved(quads, moved, count, scratch):  # type: ignore[no-untyped-def]
    """Whether a corner of the first `count` quads listed is marked in moved (V,)."""
    any_moved = False
    for n in range(count):
        q = scratch.listed[n]
        any_moved |= moved[quads[q, 0]] | moved[quads[q, 1]] | moved[quads[q, 2]] | moved[quads[q, 3]]
    return any_moved


@inlined
def list_triangles(points, quads, marks, count, scratch):  # type: ignore[no-untyped-def]
    """List the triangles of the first `count` quads listed. Return their number, and that of their vertices.

    If these are more than MOST_VERTICES, `near` is not set for all.
    """
    vertex, ring, places, corners, near = scratch.vertex, scratch.ring, scratch.places, scratch.corners, scratch.near
    triangles, known = 0, 0
    for n in range(count):
        ring[0], ring[1], ring[2], ring[3] = turned_quad(points, quads, marks, scratch.listed[n])
        for k in range(4):
            place = 0
            while place < min(known, MOST_VERTICES) and vertex[place] != ring[k]:
                place += 1
            if place == MOST_VERTICES:
                known = MOST_VERTICES + 1
            elif place == known:
                vertex[place] = ring[k]
                scratch.x[place], scratch.y[place] = points[ring[k], 0], points[ring[k], 1]
                scratch.z[place] = points[ring[k], 2]
                known += 1
            places[k] = place
        for k in range(1, 3):
            if ring[0] == ring[k] or ring[k] == ring[k + 1] or ring[k + 1] == ring[0]:
                continue
            corners[triangles, 0], corners[triangles, 1], corners[triangles, 2] = ring[0], ring[k], ring[k + 1]
            near[triangles, 0], near[triangles, 1], near[triangles, 2] = places[0], places[k], places[k + 1]
            triangles += 1
    return triangles, known


@inlined
def find_sides(triangles, known, scratch):  # type: ignore[no-untyped-def]
    """Set `bits`, `box`, `above`, `below` and `clear` of the first `triangles` for the first `known` vertices: see
    `overlaps.volume_of`."""
    x, y, z, near, box = scratch.x, scratch.y, scratch.z, scratch.near, scratch.box
    for t in range(triangles):
        i, j, k = np.uint64(near[t, 0]), np.uint64(near[t, 1]), np.uint64(near[t, 2])
        px, py, pz, qx, qy, qz, rx, ry, rz = x[i], y[i], z[i], x[j], y[j], z[j], x[k], y[k], z[k]
        above, below, clear = np.int64(0), np.int64(0), np.int64(0)
        for v in range(known):
            ax, ay, az = px - x[v], py - y[v], pz - z[v]
            bx, by, bz = qx - x[v], qy - y[v], qz - z[v]
            cx, cy, cz = rx - x[v], ry - y[v], rz - z[v]
            volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
            above |= np.int64(volume > CLOSE) << v
            below |= np.int64(volume < -CLOSE) << v
            clear |= np.int64(abs(volume) > CLEAR) << v
        scratch.above[t], scratch.below[t], scratch.clear[t] = above, below, clear
        box[0, t], box[1, t], box[2, t] = min(px, qx, rx), min(py, qy, ry), min(pz, qz, rz)
        box[3, t], box[4, t], box[5, t] = max(px, qx, rx), max(py, qy, ry), max(pz, qz, rz)
        scratch.bits[t] = 1 << near[t, 0] | 1 << near[t, 1] | 1 << near[t, 2]


@inlined
def list_pairs(m, scratch):  # type: ignore[no-untyped-def]
    """List the triangles before triangle m that may cross it, in `pairs`. Return their number.

    The corners of neither lie all on one side of the other's plane, nor all in it, and their boxes meet. Several are
    compared at once, so there are no branches.
    """
    bits, above, below, box, may = scratch.bits, scratch.above, scratch.below, scratch.box, scratch.may
    pairs, own, over, under = scratch.pairs, bits[m], above[m], below[m]
    west, south, low, east, north, high = box[0, m], box[1, m], box[2, m], box[3, m], box[4, m], box[5, m]
    for n in range((m + LANES - 1) // LANES * LANES):
        both = own & bits[n]
        first, second = own & ~both, bits[n] & ~both
        crosses = (first & above[n] != first) & (first & below[n] != first) & (first & (above[n] | below[n]) != 0)
        crosses &= (second & over != second) & (second & under != second) & (second & (over | under) != 0)
        crosses &= both & (both - 1) == 0  # no common side
        crosses &= (east >= box[0, n]) & (box[3, n] >= west)
        crosses &= (north >= box[1, n]) & (box[4, n] >= south)
        crosses &= (high >= box[2, n]) & (box[5, n] >= low)
        may[n] = 1 if crosses else 0
    number = 0
    for n in range(m):
        pairs[number] = n
        number += may[n]
    return number


@inlined
def list_sides(one, other, scratch):  # type: ignore[no-untyped-def]
    """The sides of a triangle whose ends are on different sides of another's plane, or one in it, and none of its
    corners: bits."""
    near, over, under, own = scratch.near, scratch.above[other], scratch.below[other], scratch.bits[other]
    flat, clear = ~(over | under), scratch.clear[other]
    a, b, c = near[one, 0], near[one, 1], near[one, 2]
    first = over >> a & under >> b | under >> a & over >> b | flat >> a & clear >> b | clear >> a & flat >> b
    second = over >> b & under >> c | under >> b & over >> c | flat >> b & clear >> c | clear >> b & flat >> c
    third = over >> c & under >> a | under >> c & over >> a | flat >> c & clear >> a | clear >> c & flat >> a
    first, second, third = (
        first & ~(own >> a | own >> b) & 1,
        second & ~(own >> b | own >> c) & 1,
        third & ~(own >> c | own >> a) & 1,
    )
    return first | second << 1 | third << 2


@inlined
def has_side_in(one, other, scratch):  # type: ignore[no-untyped-def]
    """Whether a side of a triangle lies in another's plane."""
    flat = scratch.bits[one] & ~(scratch.above[other] | scratch.below[other])
    return flat & (flat - 1) != 0


@inlined
def mark_twice(count, divides, scratch):  # type: ignore[no-untyped-def]
    """Set divides (V,) for the ends of sides that two of the first `count` triangles pass in the same direction."""
    near, corners, passed = scratch.near, scratch.corners, scratch.passed
    for place in range(MOST_VERTICES):
        passed[place] = 0
    for m in range(count):
        for k in range(3):
            last = k + 1 if k < 2 else 0
            p, q = near[m, k], near[m, last]
            if passed[p] >> q & 1 == 1:
                divides[corners[m, k]] = divides[corners[m, last]] = True
            passed[p] |= 1 << q


@subroutine
def mark_pair(vertices, corners, m, n, number, moves, two):  # type: ignore[no-untyped-def]
    """Mark the vertices of triangles m and n that go back to take them apart, in moves (G, STEPS), by how far. Return
    whether there are any that may."""
    any_may = False
    for k in range(6):
        v = corners[m, k] if k < 3 else corners[n, k - 3]
        two.vertex[k], two.name[k], two.row[k] = v, k, row_of(vertices, v)
        for before in range(k):
            if two.vertex[before] == v:
                two.name[k] = two.name[before]
        two.movable[k] = 1 if two.row[k] >= 0 and two.name[k] == k else 0
        any_may |= two.row[k] >= 0
        for i in range(3):
            two.point[k, i], two.origin[k, i] = vertices.points[v, i], vertices.origins[max(two.row[k], 0), i]
    way = way_apart(two, number)
    for k in range(6):
        if two.movable[k] == 1 and (way // STEPS == k or way // STEPS == ALL):
            moves[two.row[k], way % STEPS] = True
    return any_may


@subroutine
def mark_met(vertices, corners, m, n, number, cross, moves, divides, two):  # type: ignore[no-untyped-def]
    """As `mark_pair`, for triangles that cross, or touch. If they cross, and no vertex may go back, or this is the last
    round, set divides (V,)."""
    any_may = mark_pair(vertices, corners, m, n, number if cross else max(number, COMMON_ROUNDS), moves, two)
    if cross and (number == ROUNDS - 1 or not any_may):
        for k in range(6):
            divides[two.vertex[k]] = True
    return cross or any_may


@inlined
def mark_crossing(vertices, count, number, moves, divides, scratch):  # type: ignore[no-untyped-def]
    """As `mark_any_crossing`, with what `find_sides` has found."""
    points, corners, near = vertices.points, scratch.corners, scratch.near
    above, below = scratch.above, scratch.below
    found = False
    for m in range(count):
        for place in range(list_pairs(m, scratch)):
            n = scratch.pairs[place]
            cross, sides = False, list_sides(m, n, scratch) | list_sides(n, m, scratch) << 3
            while sides != 0 and not cross:
                step = LOWEST_BIT[sides]
                sides &= sides - 1
                # A side of one triangle, from its corner k on, and the other triangle.
                one, other = (m, n) if step < 3 else (n, m)
                k = step % 3
                last = k + 1 if k < 2 else 0
                first_end, last_end = near[one, k], near[one, last]
                clear = above[other] | below[other]
                cross = passes_inside(
                    points, corners[other, 0], corners[other, 1], corners[other, 2], corners[one, k],
                    corners[one, last], (above[other] >> first_end | below[other] >> last_end) & 1 == 1,
                    clear >> first_end & clear >> last_end & 1 == 0,
                )  # fmt: skip
            meet = cross
            if not cross and number < ROUNDS - 1 and (has_side_in(m, n, scratch) or has_side_in(n, m, scratch)):
                meet = do_touch(
                    points, corners[m, 0], corners[m, 1], corners[m, 2], corners[n, 0], corners[n, 1], corners[n, 2]
                )
            if meet:
                found |= mark_met(vertices, corners, m, n, number, cross, moves, divides, scratch.two)
    return found


@subroutine
def mark_any_crossing(vertices, count, number, moves, divides, scratch):  # type: ignore[no-untyped-def]
    """As `mark_crossing` and `mark_twice`, for more vertices than have bits."""
    points, corners, found = vertices.points, scratch.corners, False
    for m in range(count):
        for n in range(m):
            apart = False
            for i in range(3):
                a, b, c = points[corners[m, 0], i], points[corners[m, 1], i], points[corners[m, 2], i]
                d, e, f = points[corners[n, 0], i], points[corners[n, 1], i], points[corners[n, 2], i]
                apart |= max(a, b, c) < min(d, e, f) or max(d, e, f) < min(a, b, c)
            if apart:
                continue
            u, v, w = corners[m, 0], corners[m, 1], corners[m, 2]
            p, q, r = corners[n, 0], corners[n, 1], corners[n, 2]
            for k in range(3):
                one, last = corners[m, k], corners[m, k + 1 if k < 2 else 0]
                if next_corner(p, q, r, one) == last:
                    divides[one] = divides[last] = True
            cross = do_cross(points, u, v, w, p, q, r)
            if cross or (number < ROUNDS - 1 and do_touch(points, u, v, w, p, q, r)):
                found |= mark_met(vertices, corners, m, n, number, cross, moves, divides, scratch.two)
    return found


@kernel
def find_crossing(  # type: ignore[no-untyped-def]
    start, stop, which, layout, crossings, pairs, vertices, marks, first_quad, number, moved, moves, divides,
    has_crossing, scratch,
):  # fmt: skip
    """Set moves (G, STEPS) and divides (V,) for vertices of crossing triangles at the cells of some bricks, and
    has_crossing (B,), in a round.

    The bricks are those from which[start] to which[stop - 1]. After the first round, cells without a vertex that has
    moved (V,) are left out: far from these none is looked at.
    """
    for n in range(start, stop):
        b = which[n]
        has_crossing[b] = False
        brick = layout.bricks[b]
        if number > 0 and not mark_near(brick, layout, vertices, moved, scratch.may_differ):
            continue
        load_edges(brick, layout, crossings, scratch.own.block)
        load_faces(brick, layout, pairs, scratch.own.face, scratch.own.faces)
        list_visits(b, vertices, scratch.visits)
        for k in range(BRICK_SIZE):
            for j in range(BRICK_SIZE):
                general = general_cells(scratch.own.block, scratch.own.faces, k, j)
                general &= octant_bits(np.int64(layout.octants[b, 2]), k, j)
                if number > 0:
                    general &= scratch.may_differ[k * BRICK_SIZE + j]
                for i in range(BRICK_SIZE):
                    if general >> i & 1 == 0:
                        continue
                    visit = scratch.visits[(k * BRICK_SIZE + j) * BRICK_SIZE + i]
                    count = list_quads(pairs, i, j, k, first_quad, scratch.own, np.int64(0), scratch.listed)
                    if visit != HOME:
                        count = add_visited(
                            brick, visit, layout, crossings, pairs, i, j, k, first_quad, scratch.other, count,
                            scratch.listed,
                        )  # fmt: skip
                    count = drop_incomplete(vertices.quads, count, scratch.listed)
                    if number > 0 and not has_moved(vertices.quads, moved, count, scratch):
                        continue
                    triangles, known = list_triangles(vertices.points, vertices.quads, marks, count, scratch)
                    if known > MOST_VERTICES:
                        found = mark_any_crossing(vertices, triangles, number, moves, divides, scratch)
                    else:
                        find_sides(triangles, known, scratch)
                        mark_twice(triangles, divides, scratch)
                        found = mark_crossing(vertices, triangles, number, moves, divides, scratch)
                    has_crossing[b] |= found
                    if number == ROUNDS - 1 and found:
                        for t in range(triangles):
                            for c in range(3):
                                divides[scratch.corners[t, c]] = True


@kernel
def go_back(start, stop, vertices, moves, moved):  # type: ignore[no-untyped-def]
    """Move the vertices of some bricks that are marked in moves (G, STEPS) toward their origins. Set moved (V,), and
    clear moves."""
    points, origins = vertices.points, vertices.origins
    for b in range(start, stop):
        for row in range(vertices.first[b, 1], vertices.first[b, 1] + vertices.count[b, 1]):
            v, longest = vertices.vertex[row], -1
            for step in range(STEPS):
                longest = step if moves[row, step] else longest
                moves[row, step] = False
            moved[v] = longest >= 0
            if longest >= 0:
                share = share_of(longest)
                for i in range(3):
                    points[v, i] += share * (origins[row, i] - points[v, i])


def separate(
    layout: Layout, crossings: Crossings, pairs: Pairs, vertices: Vertices, marks: npt.NDArray[np.uint8]
) -> npt.NDArray[np.bool_]:
    """Move vertices of triangles that cross back toward their origins. Return those (V,) whose quads
    are to be divided."""
    which: Any = np.flatnonzero(vertices.count[:, 1])
    moves = np.zeros((len(vertices.origins), STEPS), dtype=np.bool_)
    moved, divides = (np.zeros(len(vertices.points), dtype=np.bool_) for _ in range(2))
    has_crossing = np.zeros(len(layout.bricks), dtype=np.bool_)
    for number in range(ROUNDS):
        over_rows(
            find_crossing, len(which), BRICKS_PER_RUN, which, layout, crossings, pairs, vertices, marks,
            len(crossings.place), number, moved, moves, divides, has_crossing,
            scratch=OverlapScratch.of,
        )  # fmt: skip
        if not has_crossing.any():
            break
        over_rows(go_back, len(layout.bricks), BRICKS_PER_RUN, vertices, moves, moved)
        forget_splits(marks)
        which = _with_neighbours(layout, has_crossing)
        has_crossing[:] = False
    return divides


def _with_neighbours(layout: Layout, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The chosen (B,) bricks and those around them, ascending."""
    places, near = layout.places_of(chosen), np.zeros(len(chosen) + 1, dtype=np.bool_)
    for z, y, x in np.ndindex(3, 3, 3):
        near[layout.beside(places, (z - 1, y - 1, x - 1))] = True
    return np.flatnonzero(near[:-1])
