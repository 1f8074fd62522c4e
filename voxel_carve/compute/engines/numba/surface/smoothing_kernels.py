"""Kernels that smooth what a cut leaves: short sides collapse, nodes move, chords flip. See `contour.rims`."""

import math

from ....contour.rims import BEND, NO_BEND, SHORTEST_SIDE
from ..compiler.decorators import inlined, kernel, subroutine
from .cloth_kernels import collapse, flip_often, link_corners, may_collapse, may_move

ROUNDS = 2  # of collapsing and moving
MOVES = 3  # of each node, in a round: others may be in its way at first
SHORTER = 0.1  # sides that collapse beside a point, each time that it is held
HELD = 2  # times that a point is held before it may not even move


@subroutine
def collapse_side(base, nodes, cloth, keeps, goes):  # type: ignore[no-untyped-def]
    """Collapse a short side, if that turns no triangle around. The end that stays is a node."""
    if cloth.head[keeps] < 0 or cloth.head[goes] < 0 or not cloth.free[goes]:
        return
    x, y, z = cloth.points[keeps, 0], cloth.points[keeps, 1], cloth.points[keeps, 2]
    ux, uy, uz = cloth.points[goes, 0] - x, cloth.points[goes, 1] - y, cloth.points[goes, 2] - z
    longest = NO_BEND if goes >= base and nodes.bends[goes - base] else SHORTEST_SIDE
    longest *= SHORTER ** max(cloth.held[keeps], cloth.held[goes])
    if ux * ux + uy * uy + uz * uz > longest * longest or not may_collapse(cloth, keeps, goes):
        return
    n = keeps - base
    for step in range(2):
        if step == 0:
            x, y, z = nodes.place[n, 0], nodes.place[n, 1], nodes.place[n, 2]
        else:
            x, y, z = cloth.points[keeps, 0], cloth.points[keeps, 1], cloth.points[keeps, 2]
        if may_move(cloth, keeps, goes, x, y, z) and may_move(cloth, goes, keeps, x, y, z):
            collapse(cloth, keeps, goes)
            cloth.points[keeps, 0], cloth.points[keeps, 1], cloth.points[keeps, 2] = x, y, z
            nodes.moved[n] = nodes.moved[n] or step == 0
            return


@subroutine
def find_short_sides(base, cloth, start, stop):  # type: ignore[no-untyped-def]
    """Set `sides` and `squares`, from 3 start on, to the sides that may collapse and the squares of their lengths.

    A side is a node and what may vanish. Returns the number of sides.
    """
    count = 0
    for t in range(start, stop):
        for k in range(3 if cloth.triangles[t, 0] >= 0 else 0):
            # Each side once, from the triangle where it begins at the later point. A node stays, rather than a vertex.
            a, b = cloth.triangles[t, k], cloth.triangles[t, (k + 1) % 3]
            if a < base or a < b or not cloth.free[b]:
                continue
            x, y = cloth.points[a, 0] - cloth.points[b, 0], cloth.points[a, 1] - cloth.points[b, 1]
            z = cloth.points[a, 2] - cloth.points[b, 2]
            square = x * x + y * y + z * z
            if square < SHORTEST_SIDE * SHORTEST_SIDE:
                s = 3 * start + count
                cloth.sides[s, 0], cloth.sides[s, 1], cloth.squares[s] = a, b, square
                count += 1
    return count


@inlined
def is_after(cloth, s, a, b, square):  # type: ignore[no-untyped-def]
    """Whether side s comes after the one from a to b: the shortest come first."""
    after_ends = cloth.sides[s, 0] > a or (cloth.sides[s, 0] == a and cloth.sides[s, 1] > b)
    return cloth.squares[s] > square or (cloth.squares[s] == square and after_ends)


@subroutine
def sort_sides(cloth, start, count):  # type: ignore[no-untyped-def]
    """Sort sides, the shortest first (Shell 1959, with the gaps of Knuth 1973)."""
    gap = 1
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, start + count):
            a, b, square, s = cloth.sides[i, 0], cloth.sides[i, 1], cloth.squares[i], i
            while s >= start + gap and is_after(cloth, s - gap, a, b, square):
                cloth.sides[s, 0], cloth.sides[s, 1] = cloth.sides[s - gap, 0], cloth.sides[s - gap, 1]
                cloth.squares[s] = cloth.squares[s - gap]
                s -= gap
            cloth.sides[s, 0], cloth.sides[s, 1], cloth.squares[s] = a, b, square
        gap //= 3


@subroutine
def collapse_sides(base, nodes, cloth, start, stop):  # type: ignore[no-untyped-def]
    """Collapse the short sides of the triangles start to stop, the shortest first. Of two nodes either may stay."""
    count = find_short_sides(base, cloth, start, stop)
    sort_sides(cloth, 3 * start, count)
    for s in range(3 * start, 3 * start + count):
        collapse_side(base, nodes, cloth, cloth.sides[s, 0], cloth.sides[s, 1])
    for s in range(3 * start, 3 * start + count):
        if cloth.sides[s, 1] >= base:
            collapse_side(base, nodes, cloth, cloth.sides[s, 1], cloth.sides[s, 0])


@subroutine
def move_nodes(base, nodes, cloth, start, stop):  # type: ignore[no-untyped-def]
    """Move nodes, the start-th to the stop-th in their order, to their place, or a part of the way."""
    for i in range(start, stop):
        n = nodes.order[i]
        v = base + n
        if cloth.head[v] < 0 or nodes.moved[n] or cloth.held[v] > HELD:
            continue
        for part in (1.0, 0.5, 0.25):
            x = cloth.points[v, 0] + part * (nodes.place[n, 0] - cloth.points[v, 0])
            y = cloth.points[v, 1] + part * (nodes.place[n, 1] - cloth.points[v, 1])
            z = cloth.points[v, 2] + part * (nodes.place[n, 2] - cloth.points[v, 2])
            if may_move(cloth, v, -1, x, y, z):
                cloth.points[v, 0], cloth.points[v, 1], cloth.points[v, 2] = x, y, z
                nodes.moved[n] = part == 1.0
                break


@kernel
def smooth_parts(run, end, parts, base, nodes, cloth):  # type: ignore[no-untyped-def]
    """Smooth the run-th to the end-th of some parts of a cloth: short sides collapse, sides flip, and nodes move."""
    for i in range(run, end):
        start, stop = cloth.first[parts[i]], cloth.first[parts[i] + 1]
        link_corners(cloth, start, stop)
        for _ in range(ROUNDS):
            collapse_sides(base, nodes, cloth, start, stop)
            flip_often(base, cloth, start, stop)
            for _ in range(MOVES):
                move_nodes(base, nodes, cloth, nodes.first[parts[i]], nodes.first[parts[i] + 1])
            flip_often(base, cloth, start, stop)


@kernel
def find_changed(start, stop, before, was, triangles, points, around, changed):  # type: ignore[no-untyped-def]
    """Set changed (T,) for triangles that are left and differ from those before, (T, 3) of points (P, 3), or that have
    a corner among points `around` (P,).
    """
    for t in range(start, stop):
        changed[t] = False
        for k in range(3 if triangles[t, 0] >= 0 else 0):
            v = triangles[t, k]
            changed[t] |= v != before[t, k] or around[v]
            for i in range(3):
                changed[t] |= was[v, i] != points[v, i]


@kernel
def find_bends(start, stop, at, following, bends):  # type: ignore[no-untyped-def]
    """Set bends (N,) for nodes at which the border bends. following (N,) is the next node along it, -1 for none."""
    for p in range(start, stop):
        n = following[p]
        q = following[n] if n >= 0 else -1
        if q >= 0:
            ux, uy, uz = at[n, 0] - at[p, 0], at[n, 1] - at[p, 1], at[n, 2] - at[p, 2]
            vx, vy, vz = at[q, 0] - at[n, 0], at[q, 1] - at[n, 1], at[q, 2] - at[n, 2]
            length = math.sqrt((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz))
            bends[n] = ux * vx + uy * vy + uz * vz < BEND * length
