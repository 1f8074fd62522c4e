"""Triangles that pass through each other, and where their vertices go then.

Vertices are placed one by one on exact surfaces, so between surfaces that lie close to each other their triangles may
cross. In one plane they may be folded over each other, so that one touches the other with a side. In both cases a
vertex goes back toward where it came from: the mean of the crossings of its run, or of the border points of its hub.
All these lie on the sides of one cell. At first the vertices of both triangles go two short steps. Then one alone goes,
if that takes the triangles apart: that with the shortest way, but rather one that lies outside of its cell, and goes
into it. Until then it is compared with what the cell that it visits has, too. At last, all go the whole way.

Where triangles still cross in the last round, or more than two share a side, the quads around are divided: see
`dividing`. Triangles that only touch with a side, as where a capsule is tangent to a wall, stay as they are then.
"""

from ..formulas.language import CellLoops, Corners, Points, floor, real
from .projection import INSIDE_CELL

MOST_QUADS = 128  # at a cell that are compared
HOME = 13  # where a vertex lies that lies in its own cell: see `cell_visited`
ROUNDS = 8  # of tests
COMMON_ROUNDS = 2  # the first, in which all corners of two triangles go back
STEPS = 5  # a vertex goes back the whole way in the longest step, half of that in the next, and so on
LONGER = 4  # from this round on, the shortest steps are left out: two triangles may each time cross a third
OUTSIDE = 0.04  # a square of a way back that begins outside of the vertex's cell counts for so much
ALL = 6  # stands for all corners of two triangles
CLOSE = 1e-7  # voxels cubed: a tetrahedron with less than a sixth of it is flat, so a corner lies in the others' plane
CLEAR = 1e-5  # with more, a side from the corner touches the plane only at its other end
BESIDE = 1e-6  # of the size of a triangle: what passes it so near to a side touches it
SHARED = 1e-3  # of a side in another triangle: with less, it only touches a corner

ZERO = 0.0
HALF = 0.5
ONE = 1.0
FAR = 1e300


def volume_of(points: Points, a: int, b: int, c: int, d: int) -> float:
    """Six times the signed volume of a tetrahedron of points (V, 3)."""
    ax, ay, az = points[a, 0] - points[d, 0], points[a, 1] - points[d, 1], points[a, 2] - points[d, 2]
    bx, by, bz = points[b, 0] - points[d, 0], points[b, 1] - points[d, 1], points[b, 2] - points[d, 2]
    cx, cy, cz = points[c, 0] - points[d, 0], points[c, 1] - points[d, 1], points[c, 2] - points[d, 2]
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)


def passes_inside(points: Points, a: int, b: int, c: int, p: int, q: int, above: bool, touches: bool) -> bool:
    """Whether the line from p to q, on different sides of the triangle (a, b, c), passes inside its three sides.

    A line that passes through the plane may touch a side. One that only touches the plane may not: vertices may lie at
    one place, or on the sides of triangles.

    Args:
        above: whether p is on the side where volumes with the triangle are positive.
        touches: whether p or q lies in the plane.
    """
    sign = -ONE if above else ONE
    one, other = sign * volume_of(points, p, q, a, b), sign * volume_of(points, p, q, b, c)
    third = sign * volume_of(points, p, q, c, a)
    share = BESIDE if touches else -BESIDE
    return min(min(one, other), third) >= share * (one + other + third)


def pierces(points: Points, a: int, b: int, c: int, p: int, q: int) -> bool:
    """Whether the side from p to q passes through the triangle (a, b, c), or touches it with an end. It has none of its
    corners."""
    first, last = volume_of(points, a, b, c, p), volume_of(points, a, b, c, q)
    touches = min(first, last) >= -CLOSE or max(first, last) <= CLOSE
    if touches and (min(abs(first), abs(last)) > CLOSE or max(abs(first), abs(last)) <= CLEAR):
        return False
    return passes_inside(points, a, b, c, p, q, first > CLOSE or last < -CLOSE, touches)


def is_corner(a: int, b: int, c: int, p: int) -> bool:
    """Whether p is one of three vertices."""
    return p == a or p == b or p == c


def side_pierces(points: Points, a: int, b: int, c: int, p: int, q: int) -> bool:
    """As `pierces`, but false if the side has a corner of the triangle."""
    if is_corner(a, b, c, p) or is_corner(a, b, c, q):
        return False
    return pierces(points, a, b, c, p, q)


def is_beside(points: Points, a: int, b: int, c: int, d: int, e: int, f: int) -> bool:
    """Whether the corners of the triangle (d, e, f) lie all on one side of the triangle (a, b, c), or all in its plane.
    Common corners do not count."""
    above, below, others = int(0), int(0), int(0)
    for k in range(3):
        corner = d if k == 0 else (e if k == 1 else f)
        if not is_corner(a, b, c, corner):
            volume = volume_of(points, a, b, c, corner)
            others += 1
            above += 1 if volume > CLOSE else 0
            below += 1 if volume < -CLOSE else 0
    return above == others or below == others or above + below == 0


def may_meet(points: Points, a: int, b: int, c: int, d: int, e: int, f: int) -> bool:
    """Whether the triangles (a, b, c) and (d, e, f) reach each other's planes, which differ. Two common corners are a
    common side."""
    common = int(0)
    if is_corner(a, b, c, d):
        common += 1
    if is_corner(a, b, c, e):
        common += 1
    if is_corner(a, b, c, f):
        common += 1
    return not (common > 1 or is_beside(points, a, b, c, d, e, f) or is_beside(points, d, e, f, a, b, c))


def do_cross(points: Points, a: int, b: int, c: int, d: int, e: int, f: int) -> bool:
    """Whether the triangles (a, b, c) and (d, e, f) pass through each other, or one touches the other with a corner."""
    if not may_meet(points, a, b, c, d, e, f):
        return False
    if side_pierces(points, a, b, c, d, e) or side_pierces(points, a, b, c, e, f):
        return True
    if side_pierces(points, a, b, c, f, d) or side_pierces(points, d, e, f, a, b):
        return True
    return side_pierces(points, d, e, f, b, c) or side_pierces(points, d, e, f, c, a)


def turn_about(points: Points, nx: float, ny: float, nz: float, a: int, b: int, p: int) -> float:
    """The component along n of the product of the ways from a to b and from a to p: positive, if p is to the left."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[p, 0] - points[a, 0], points[p, 1] - points[a, 1], points[p, 2] - points[a, 2]
    return nx * (uy * vz - uz * vy) + ny * (uz * vx - ux * vz) + nz * (ux * vy - uy * vx)


def side_lies_in(points: Points, a: int, b: int, c: int, p: int, q: int) -> bool:
    """Whether the side from p to q lies in the plane of the triangle (a, b, c), and a part of it in that. It has none
    of its corners: a thin wall may end in one, and lose its tip."""
    if is_corner(a, b, c, p) or is_corner(a, b, c, q):
        return False
    if max(abs(volume_of(points, a, b, c, p)), abs(volume_of(points, a, b, c, q))) > CLOSE:
        return False
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    outside = -BESIDE * (nx * nx + ny * ny + nz * nz)
    # The part of it within all three sides.
    begin, end = real(ZERO), real(ONE)
    for k in range(3):
        first, last = (a if k == 0 else (b if k == 1 else c)), (b if k == 0 else (c if k == 1 else a))
        start = turn_about(points, nx, ny, nz, first, last, p) - outside
        stop = turn_about(points, nx, ny, nz, first, last, q) - outside
        if max(start, stop) < ZERO:
            return False
        if start < ZERO:
            begin = max(begin, start / (start - stop))
        if stop < ZERO:
            end = min(end, start / (start - stop))
    return end - begin > SHARED


def do_touch(points: Points, a: int, b: int, c: int, d: int, e: int, f: int) -> bool:
    """Whether a side of one of the triangles (a, b, c) and (d, e, f) lies in the other."""
    if not may_meet(points, a, b, c, d, e, f):
        return False
    if side_lies_in(points, a, b, c, d, e) or side_lies_in(points, a, b, c, e, f):
        return True
    if side_lies_in(points, a, b, c, f, d) or side_lies_in(points, d, e, f, a, b):
        return True
    return side_lies_in(points, d, e, f, b, c) or side_lies_in(points, d, e, f, c, a)


def next_corner(a: int, b: int, c: int, p: int) -> int:
    """The corner that follows p around the triangle (a, b, c); -1 if p is none of them."""
    if p == a:
        return b
    if p == b:
        return c
    return a if p == c else -1


def cell_visited(cell: CellLoops, points: Points, v: int) -> int:
    """In which of 27 cells vertex v of a cell lies: HOME for its own. The numbers of the others are x + 3 y + 9 z more,
    by the steps to them."""
    found, weight = int(HOME), int(1)
    for i in range(3):
        if points[v, i] < cell.corner[i] - INSIDE_CELL:
            found -= weight
        elif points[v, i] > cell.corner[i] + ONE + INSIDE_CELL:
            found += weight
        weight *= 3
    return found


def step_to(visited: int, axis: int) -> int:
    """The step along an axis from a cell to one that is visited, -1, 0 or 1."""
    if axis == 0:
        return visited % 3 - 1
    return visited // 3 % 3 - 1 if axis == 1 else visited // 9 - 1


def share_of(step: int) -> float:
    """How much of the way to its origin a vertex goes back, in one of STEPS."""
    share = real(ONE)
    for _ in range(STEPS - 1 - step):
        share = share * HALF
    return share


def is_outside(corners: Corners, k: int) -> bool:
    """Whether corner k lies outside of its cell, which its origin is in."""
    for i in range(3):
        low = real(floor(corners.origin[k, i] - HALF)) + HALF
        if corners.point[k, i] < low or corners.point[k, i] > low + ONE:
            return True
    return False


def are_apart(corners: Corners) -> bool:
    """Whether two triangles neither cross nor touch where their corners are now."""
    a, b, c, d, e, f = (
        corners.name[0], corners.name[1], corners.name[2], corners.name[3], corners.name[4], corners.name[5]
    )  # fmt: skip
    return not (do_cross(corners.point, a, b, c, d, e, f) or do_touch(corners.point, a, b, c, d, e, f))


def way_apart(corners: Corners, number: int) -> int:
    """Which corner of two triangles that cross goes back in a round: STEPS k and the step, for corner k or ALL."""
    found = STEPS * ALL + min(number, STEPS - 1)
    if number < COMMON_ROUNDS or number == ROUNDS - 2:
        return found
    least = real(FAR)
    for k in range(6):
        if corners.movable[k] == 1:
            x, y, z = corners.point[k, 0], corners.point[k, 1], corners.point[k, 2]
            dx, dy, dz = corners.origin[k, 0] - x, corners.origin[k, 1] - y, corners.origin[k, 2] - z
            begins_outside = is_outside(corners, k)
            square = (dx * dx + dy * dy + dz * dz) * (OUTSIDE if begins_outside else ONE)
            for step in range(max(number - LONGER, 0), STEPS):
                share = share_of(step)
                if share * share * square < least:
                    corners.point[k, 0] = x + share * dx
                    corners.point[k, 1] = y + share * dy
                    corners.point[k, 2] = z + share * dz
                    stays_outside = begins_outside and is_outside(corners, k)
                    if not stays_outside and are_apart(corners):
                        found = STEPS * k + step
                        least = share * share * square
            corners.point[k, 0] = x
            corners.point[k, 1] = y
            corners.point[k, 2] = z
    return found
