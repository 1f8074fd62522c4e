"""How the crossings around a face of a cell belong together.

The crossings around a face, counter-clockwise seen from the far end of its axis, enter and leave the result by turns.
Each one that leaves is paired with the one that enters before it, or after it: then the two cut off a stretch of the
inside, or *join* two. With two crossings there is one way. With more, the pairs with fewer bends win, then the shorter
ones.

A bend is where the surfaces of two crossings meet. If they do not meet in the face, others lie between them, so that
there are more bends: the sides of a fin that stands on a base are not a pair.
"""

from ..formulas.language import Face, Listed, Point, Primitives, real
from ..formulas.triangle import plane_value
from ..formulas.triangle import squared_distance as triangle_square
from .bends import bend_of_pair, do_bend
from .faces import ON_TRIANGLE, is_on_both, place_border_point, squared_length

APART = 3  # bends between two surfaces that do not meet

ZERO = 0.0
ONE = 1.0
TWO = 2.0


def is_on_stock(primitives: Primitives, code: int, triangles: Listed, start: int, stop: int, p: Point) -> bool:
    """Whether p (3,), which lies in the plane of the triangle with a code, lies on that triangle, or on one of those
    from triangles[start] to triangles[stop - 1] that goes on with it."""
    if triangle_square(primitives, code, p[0], p[1], p[2]) < ON_TRIANGLE:
        return True
    for k in range(start, stop):
        other = triangles[k]
        height = plane_value(primitives, other, p[0], p[1], p[2])
        if height * height < ON_TRIANGLE and not do_bend(primitives, code, ONE, other, ONE, p[0], p[1], p[2]):
            if triangle_square(primitives, other, p[0], p[1], p[2]) < ON_TRIANGLE:
                return True
    return False


def bends_between(
    primitives: Primitives,
    triangles: Listed,
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
    """How often the surface bends between crossings m and n around a face: see `are_joined`. It does once if their
    surfaces meet there, and APART if they do not: then others lie between them."""
    if not bend_of_pair(primitives, face, m, n):
        return 0
    for i in range(3):
        p[i] = (face.point[m, i] + face.point[n, i]) / TWO
    place_border_point(primitives, face.code[m], face.code[n], u, v, low, p)
    meet = is_on_both(primitives, face.code[m], face.code[n], p)
    for side in range(2):
        code = face.code[m] if side == 0 else face.code[n]
        if meet and code >= 0:
            meet = is_on_stock(primitives, code, triangles, start, stop, p)
    return 1 if meet else APART


def are_joined(
    primitives: Primitives,
    triangles: Listed,
    start: int,
    stop: int,
    face: Face,
    count: int,
    u: int,
    v: int,
    low: Point,
    p: Point,
) -> bool:
    """Whether the crossings that leave are paired with those that enter after them, of more than two around a face.

    Args:
        triangles: those that are near are from triangles[start] to triangles[stop - 1].
        u, v, low: the axes that the face lies along, and its least corner.
        p: (3,) scratch.
    """
    after, before = int(0), int(0)
    way_after, way_before = real(ZERO), real(ZERO)
    for n in range(count):
        if face.leaves[n]:
            last, following = (n + count - 1) % count, (n + 1) % count
            after += bends_between(primitives, triangles, start, stop, face, n, following, u, v, low, p)
            before += bends_between(primitives, triangles, start, stop, face, n, last, u, v, low, p)
            way_after += squared_length(face, n, following)
            way_before += squared_length(face, n, last)
    if after != before:
        return after < before
    return way_after < way_before
