"""Where borders of smooth surfaces meet a face of a cell, between two of its crossings that are a pair: see `pairing`.

If the surfaces of the two bend, they have a border point: it lies in the face, on both surfaces.

A segment may lie between the two crossings and cross no edge of the face: it *hides* their border point, or, if it is
thin, a stretch of the line between them. Or the surfaces of the two do not meet in the face, as those of a thin wall,
because a segment or a triangle of the stock ends both. It may also be the wall of a step between them, or lie before
where two segments meet. Then the pair has two border points, where the surfaces of its crossings meet that of the
segment or the triangle, and a *middle point* on it between them.
"""

from ..formulas.language import Face, Listed, Point, Primitives, real
from ..formulas.newton import surface_value
from ..formulas.swept_body import value as segment_value
from ..formulas.triangle import box_meets, plane_value
from ..formulas.triangle import squared_distance as triangle_square
from .bends import do_bend, is_known

MOST_AROUND = 8  # crossings of a face

MOST_FACETS = 8  # of a smooth surface that are followed in a face

STEPS = 6  # of Newton's method
LONGEST_STEP = 0.7
SETTLED = 1e-6
INSET = 1e-6  # voxels
PARALLEL = 1e-4  # of the determinant of two surfaces in a face
HIDDEN = 0.02  # voxels: a point so deep in a segment is hidden
FITTING = 1e-3  # voxels: a point so near to both surfaces lies where they meet
ON_TRIANGLE = 1e-4  # voxels squared
BESIDE = 0.02  # voxels: a triangle farther from a face has no point in it
FAR = 1e300
HALVINGS = 8
THIN = 2.0  # voxels: a segment with a lesser radius is thin

ZERO = 0.0
ONE = 1.0
TWO = 2.0
TINY = 1e-9


def squared_length(face: Face, m: int, n: int) -> float:
    """The squared distance between crossings m and n around a face."""
    dx = face.point[m, 0] - face.point[n, 0]
    dy = face.point[m, 1] - face.point[n, 1]
    dz = face.point[m, 2] - face.point[n, 2]
    return dx * dx + dy * dy + dz * dz


def place_border_point(primitives: Primitives, one: int, other: int, u: int, v: int, low: Point, p: Point) -> None:
    """Move p (3,) in a face, along axes u and v, onto two surfaces. The least corner of the face is low.

    It stays INSET inside the face. On an edge of the grid it could lie on the wrong side of that edge's crossings.
    """
    for _ in range(STEPS):
        f, fx, fy, fz = surface_value(primitives, one, p[0], p[1], p[2])
        g, gx, gy, gz = surface_value(primitives, other, p[0], p[1], p[2])
        fu, fv = fx if u == 0 else (fy if u == 1 else fz), fx if v == 0 else (fy if v == 1 else fz)
        gu, gv = gx if u == 0 else (gy if u == 1 else gz), gx if v == 0 else (gy if v == 1 else gz)
        whole = fu * gv - fv * gu
        if abs(whole) < PARALLEL:
            size = fu * fu + fv * fv + gu * gu + gv * gv + TINY
            du, dv = (f * fu + g * gu) / size, (f * fv + g * gv) / size
        else:
            du, dv = (f * gv - g * fv) / whole, (g * fu - f * gu) / whole
        step = max(abs(du), abs(dv))
        scale = LONGEST_STEP / max(step, LONGEST_STEP)
        p[u] = min(max(p[u] - scale * du, low[u] + INSET), low[u] + ONE - INSET)
        p[v] = min(max(p[v] - scale * dv, low[v] + INSET), low[v] + ONE - INSET)
        if step < SETTLED:
            break


def hiding_segment(
    primitives: Primitives, listed: Listed, start: int, stop: int, one: int, other: int, p: Point
) -> int:
    """The code of the segment, of those from listed[start] to listed[stop - 1], that hides p (3,); 0 if none does.

    Codes `one` and `other` do not count.
    """
    least = -HIDDEN
    found = int(0)
    for n in range(start, stop):
        j = listed[n]
        if -1 - j != one and -1 - j != other:
            value, _x, _y, _z = segment_value(primitives.segments, j, p[0], p[1], p[2])
            if value < least:
                least = value
                found = -1 - j
    return found


def value_between(primitives: Primitives, j: int, face: Face, m: int, n: int, t: float) -> tuple[float, float]:
    """The distance from segment j of the point that lies between crossings m and n, for t from 0 to 1; and its
    derivative."""
    dx = face.point[n, 0] - face.point[m, 0]
    dy = face.point[n, 1] - face.point[m, 1]
    dz = face.point[n, 2] - face.point[m, 2]
    value, x, y, z = segment_value(
        primitives.segments, j, face.point[m, 0] + t * dx, face.point[m, 1] + t * dy, face.point[m, 2] + t * dz
    )
    return value, x * dx + y * dy + z * dz


def thin_between(
    primitives: Primitives, listed: Listed, start: int, stop: int, face: Face, m: int, n: int
) -> tuple[int, float]:
    """The code of a thin segment that the line between crossings m and n passes, 0 if there is none; and where it is
    deepest."""
    half = squared_length(face, m, n) / (TWO * TWO)
    for k in range(start, stop):
        j = listed[k]
        radius = min(
            primitives.segments[j, 7],
            primitives.segments[j, 7] - primitives.segments[j, 6] * primitives.segments[j, 8],
        )
        if radius < THIN and -1 - j != face.code[m] and -1 - j != face.code[n]:
            value, slope = value_between(primitives, j, face, m, n, ONE / TWO)
            if value <= ZERO or value * value < half:
                low, high = real(ZERO), real(ONE)
                t = real(ONE / TWO)
                for _ in range(HALVINGS):
                    value, slope = value_between(primitives, j, face, m, n, t)
                    if slope > ZERO:
                        high = t
                    else:
                        low = t
                    t = (low + high) / TWO
                first, _first = value_between(primitives, j, face, m, n, ZERO)
                last, _last = value_between(primitives, j, face, m, n, ONE)
                if value < -HIDDEN and first > ZERO and last > ZERO:
                    return -1 - j, t
    return 0, ZERO


def put_between(
    primitives: Primitives, code: int, face: Face, m: int, n: int, deepest: float, is_last: bool, p: Point
) -> None:
    """Set p (3,) to where the line between crossings m and n enters a segment, or leaves it again."""
    outer = real(ONE if is_last else ZERO)
    inner = real(deepest)
    for _ in range(HALVINGS):
        t = (inner + outer) / TWO
        value, _slope = value_between(primitives, -1 - code, face, m, n, t)
        if value > ZERO:
            outer = t
        else:
            inner = t
    for i in range(3):
        p[i] = face.point[m, i] + inner * (face.point[n, i] - face.point[m, i])


def is_on_both(primitives: Primitives, one: int, other: int, p: Point) -> bool:
    """Whether p (3,) lies on two surfaces."""
    f, _fx, _fy, _fz = surface_value(primitives, one, p[0], p[1], p[2])
    g, _gx, _gy, _gz = surface_value(primitives, other, p[0], p[1], p[2])
    return abs(f) < HIDDEN and abs(g) < HIDDEN


def lies_near(primitives: Primitives, one: int, other: int, most: float, p: Point) -> bool:
    """Whether p (3,) is no farther than `most` from either of two surfaces."""
    f, _fx, _fy, _fz = surface_value(primitives, one, p[0], p[1], p[2])
    g, _gx, _gy, _gz = surface_value(primitives, other, p[0], p[1], p[2])
    return abs(f) < most and abs(g) < most


def closing_segment(
    primitives: Primitives,
    listed: Listed,
    start: int,
    stop: int,
    face: Face,
    m: int,
    n: int,
    u: int,
    v: int,
    low: Point,
    p: Point,
) -> int:
    """The code of the segment, of those from listed[start] to listed[stop - 1], that ends the surfaces of crossings m
    and n in the face first; 0 if none ends both. Set p (3,) to the middle between where it does.

    These surfaces do not meet in the face: they go apart from there on.
    """
    least = real(FAR)
    found = int(0)
    bx, by, bz = real(p[0]), real(p[1]), real(p[2])
    for k in range(start, stop):
        code = -1 - listed[k]
        value, _x, _y, _z = segment_value(
            primitives.segments, listed[k], face.point[m, 0], face.point[m, 1], face.point[m, 2]
        )
        if code != face.code[m] and code != face.code[n] and value < TWO:
            way = real(ZERO)
            mx, my, mz = real(ZERO), real(ZERO), real(ZERO)
            for side in range(2):
                own = m if side == 0 else n
                if way < least:
                    for i in range(3):
                        p[i] = face.point[own, i]
                    place_border_point(primitives, face.code[own], code, u, v, low, p)
                    for i in range(3):
                        way += (p[i] - face.point[own, i]) * (p[i] - face.point[own, i])
                    if not lies_near(primitives, face.code[own], code, FITTING, p):
                        way = FAR
                    mx += p[0] / TWO
                    my += p[1] / TWO
                    mz += p[2] / TWO
            if way < least:
                least = way
                found = code
                bx = mx
                by = my
                bz = mz
    p[0] = bx
    p[1] = by
    p[2] = bz
    return found


def ending_triangle(
    primitives: Primitives,
    listed: Listed,
    start: int,
    stop: int,
    face: Face,
    n: int,
    code: int,
    before: int,
    since: Point,
    is_ahead: bool,
    u: int,
    v: int,
    low: Point,
    p: Point,
    best: Point,
) -> int:
    """The triangle, of those from listed[start] to listed[stop - 1], that a way on another one in the face comes to
    first; -1 if there is none. Set best (3,) to where. p (3,) is scratch.

    Args:
        n: the crossing that the way leads to.    is_ahead: whether what is found must be nearer to that.
        code, since: the triangle that the way is on, and where it came there (3,).    before: that which it left there.
    """
    least = real(FAR)
    found = int(-1)
    for k in range(start, stop):
        triangle = listed[k]
        is_other = triangle != code and triangle != before and triangle != face.code[n]
        if is_other and box_meets(primitives, triangle, low, 3 - u - v, BESIDE):
            height = plane_value(primitives, triangle, since[0], since[1], since[2])
            if abs(height) < TWO:
                for i in range(3):
                    p[i] = since[i]
                place_border_point(primitives, code, triangle, u, v, low, p)
                if is_on_both(primitives, code, triangle, p):
                    dx, dy, dz = p[0] - since[0], p[1] - since[1], p[2] - since[2]
                    way = dx * dx + dy * dy + dz * dz
                    ahead = real(ZERO)
                    for i in range(3):
                        ahead += (p[i] - since[i]) * (face.point[n, i] - since[i])
                    is_first = way < least or (way == least and triangle < found)
                    is_first = is_first and (ahead > ZERO or not is_ahead)
                    if is_first and triangle_square(primitives, triangle, p[0], p[1], p[2]) < ON_TRIANGLE:
                        least = way
                        found = triangle
                        for i in range(3):
                            best[i] = p[i]
    return found


def facet_at(primitives: Primitives, listed: Listed, start: int, stop: int, code: int, p: Point) -> int:
    """The code of the triangle on which a smooth surface goes on at p (3,): that with a code if p lies on it, else the
    nearest one, of those from listed[start] to listed[stop - 1], unless p lies in its plane. A segment is its own."""
    found = int(code)
    if code < 0 or not is_known(code):
        return found
    least = triangle_square(primitives, code, p[0], p[1], p[2])
    if least > ON_TRIANGLE:
        for k in range(start, stop):
            height = plane_value(primitives, listed[k], p[0], p[1], p[2])
            if height * height < least and not do_bend(primitives, code, ONE, listed[k], ONE, p[0], p[1], p[2]):
                square = triangle_square(primitives, listed[k], p[0], p[1], p[2])
                if square < least:
                    least = square
                    found = listed[k]
        if abs(plane_value(primitives, found, p[0], p[1], p[2])) < FITTING:
            return int(code)
    return found


def follow_to_bend(
    primitives: Primitives,
    listed: Listed,
    start: int,
    stop: int,
    face: Face,
    m: int,
    n: int,
    is_ahead: bool,
    u: int,
    v: int,
    low: Point,
    since: Point,
    p: Point,
    best: Point,
) -> tuple[int, int]:
    """Follow the smooth surface of crossing m in the face to the triangle that ends it at an angle. Return the last
    triangle on the way and that one, or -1 for both; set best (3,) to where they meet. since and p (3,) are scratch.

    See `ending_triangle`.
    """
    code, before = int(face.code[m]), int(-1)
    for i in range(3):
        since[i] = face.point[m, i]
    for _ in range(MOST_FACETS):
        found = ending_triangle(
            primitives, listed, start, stop, face, n, code, before, since, is_ahead, u, v, low, p, best
        )
        if found < 0:
            return -1, -1
        if do_bend(primitives, code, ONE, found, ONE, best[0], best[1], best[2]):
            return code, found
        before = code
        code = found
        for i in range(3):
            since[i] = best[i]
    return -1, -1


def is_cut_off(
    primitives: Primitives, listed: Listed, start: int, stop: int, face: Face, m: int, n: int, p: Point
) -> bool:
    """Whether a triangle, of those from listed[start] to listed[stop - 1], may lie between crossings m and n around a
    face, on the one side, and p (3,), where their surfaces meet, on the other."""
    for k in range(start, stop):
        height = plane_value(primitives, listed[k], p[0], p[1], p[2])
        if abs(height) > HIDDEN and abs(height) < TWO:
            one = plane_value(primitives, listed[k], face.point[m, 0], face.point[m, 1], face.point[m, 2])
            other = plane_value(primitives, listed[k], face.point[n, 0], face.point[n, 1], face.point[n, 2])
            if one * height < ZERO and other * height < ZERO:
                return True
    return False


def place_middle(
    primitives: Primitives, code: int, carves: bool, axis: int, low: Point, one: Point, other: Point, p: Point
) -> None:
    """Set p (3,) to the middle point of a pair with border points `one` and `other`, in the face across an axis.

    From the middle between the two, it goes out of the segment: into the result if the sweep is carved away.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    sign = ONE if carves else -ONE
    du, dv = -sign * (other[v] - one[v]), sign * (other[u] - one[u])
    size = max(abs(du), abs(dv))
    for i in range(3):
        p[i] = (one[i] + other[i]) / TWO
    mu, mv = p[u], p[v]
    if size > TINY:
        near, far = real(ZERO), real(ONE)
        for _ in range(HALVINGS):
            t = (near + far) / TWO
            p[u] = mu + t * du / size
            p[v] = mv + t * dv / size
            value, _x, _y, _z = segment_value(primitives.segments, -1 - code, p[0], p[1], p[2])
            if value < ZERO:
                near = t
            else:
                far = t
    p[u] = min(max(p[u], low[u]), low[u] + ONE)
    p[v] = min(max(p[v], low[v]), low[v] + ONE)
