"""The border points of the pairs on a face: see `faces`.

They are written into `borders`, those of a pair one after the other, from the side of the crossing that leaves on.
"""

from ..formulas.language import Borders, Face, Listed, Point, Primitives, real
from .faces import (
    bend_of_pair,
    do_bend,
    ending_triangle,
    hiding_segment,
    is_known,
    is_on_both,
    place_border_point,
    place_middle,
    put_between,
    thin_between,
)

MOST_HIDING = 3  # segments that are looked for at a border point
APART = 1e-3  # voxels squared: two border points of a pair that are nearer are one

ZERO = 0.0
ONE = 1.0
TWO = 2.0


def split_pair(
    primitives: Primitives,
    carves: bool,
    axis: int,
    code: int,
    m: int,
    n: int,
    deepest: float,
    face: Face,
    low: Point,
    borders: Borders,
    border: int,
) -> bool:
    """Set two border points of crossings m and n, and the middle point, where a segment lies between them. Return
    whether there are such.

    Args:
        code: of the segment.    deepest: where the line between the crossings is deepest in it; negative if it hides
            the point at `border`.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    if deepest >= ZERO:
        put_between(primitives, code, face, m, n, deepest, False, borders.point[border])
        put_between(primitives, code, face, m, n, deepest, True, borders.point[border + 1])
    else:
        for i in range(3):
            middle = real(borders.point[border, i])
            borders.point[border, i] = (face.point[m, i] + middle) / TWO
            borders.point[border + 1, i] = (face.point[n, i] + middle) / TWO
    place_border_point(primitives, face.code[m], code, u, v, low, borders.point[border])
    place_border_point(primitives, face.code[n], code, u, v, low, borders.point[border + 1])
    if not is_on_both(primitives, face.code[m], code, borders.point[border]):
        return False
    if not is_on_both(primitives, face.code[n], code, borders.point[border + 1]):
        return False
    along = real(ZERO)
    for i in range(3):
        along += (borders.point[border + 1, i] - borders.point[border, i]) * (face.point[n, i] - face.point[m, i])
    if along < APART:
        return False
    sign = -ONE if carves else ONE
    for k in range(2):
        own, at = (m if k == 0 else n), border + k
        if not do_bend(
            primitives,
            face.code[own],
            face.sign[own],
            code,
            sign,
            borders.point[at, 0],
            borders.point[at, 1],
            borders.point[at, 2],
        ):
            return False
    place_middle(
        primitives,
        code,
        carves,
        axis,
        low,
        borders.point[border],
        borders.point[border + 1],
        borders.middle[border],
    )
    for i in range(3):
        borders.middle[border + 1, i] = borders.middle[border, i]
    return True


def end_pair(
    primitives: Primitives,
    triangles: Listed,
    start: int,
    stop: int,
    axis: int,
    m: int,
    n: int,
    face: Face,
    low: Point,
    borders: Borders,
    border: int,
) -> bool:
    """Set two border points of crossings m and n, and the middle point, where triangles of the stock end their
    surfaces. Return whether there are such.

    Args:
        triangles: those that are near are from triangles[start] to triangles[stop - 1].
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    one = ending_triangle(
        primitives,
        triangles,
        start,
        stop,
        face,
        m,
        n,
        u,
        v,
        low,
        borders.middle[border],
        borders.point[border],
    )
    if one < 0:
        return False
    other = ending_triangle(
        primitives,
        triangles,
        start,
        stop,
        face,
        n,
        m,
        u,
        v,
        low,
        borders.middle[border],
        borders.point[border + 1],
    )
    if other < 0:
        return False
    for i in range(3):
        borders.middle[border, i] = (borders.point[border, i] + borders.point[border + 1, i]) / TWO
        borders.middle[border + 1, i] = borders.middle[border, i]
    borders.codes[border, 0] = face.code[m]
    borders.codes[border, 1] = one
    borders.codes[border + 1, 0] = other
    borders.codes[border + 1, 1] = face.code[n]
    return True


def place_borders(
    primitives: Primitives,
    carves: bool,
    segments: Listed,
    first_segment: int,
    stop_segment: int,
    is_thin: bool,
    triangles: Listed,
    first_triangle: int,
    stop_triangle: int,
    axis: int,
    m: int,
    n: int,
    face: Face,
    low: Point,
    borders: Borders,
    border: int,
) -> int:
    """Set the border points of the pair of crossings m and n around a face, from `border` on. Return their number.

    Args:
        segments, triangles: those that are near are from segments[first_segment] to segments[stop_segment - 1], and
            likewise.
        is_thin: whether one of these segments is thin.
        axis, low: that the face lies across, and its least corner.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    one, other = int(face.code[m]), int(face.code[n])
    code, number = int(0), int(0)
    deepest = real(-ONE)
    if bend_of_pair(primitives, face, m, n):
        for i in range(3):
            borders.point[border, i] = (face.point[m, i] + face.point[n, i]) / TWO
        place_border_point(primitives, one, other, u, v, low, borders.point[border])
        number = 1
        sign = -ONE if carves else ONE
        for _ in range(MOST_HIDING):
            code = hiding_segment(primitives, segments, first_segment, stop_segment, one, other, borders.point[border])
            if code == 0:
                break
            x, y, z = borders.point[border, 0], borders.point[border, 1], borders.point[border, 2]
            # A segment that goes on with one of the two surfaces takes its place.
            if not do_bend(primitives, one, face.sign[m], code, sign, x, y, z):
                one = code
            elif not do_bend(primitives, other, face.sign[n], code, sign, x, y, z):
                other = code
            else:
                break
            place_border_point(primitives, one, other, u, v, low, borders.point[border])
        if code == 0 and not is_on_both(primitives, one, other, borders.point[border]):
            ex, ey, ez = (
                real(borders.point[border, 0]),
                real(borders.point[border, 1]),
                real(borders.point[border, 2]),
            )
            if end_pair(primitives, triangles, first_triangle, stop_triangle, axis, m, n, face, low, borders, border):
                return 2
            borders.point[border, 0] = ex
            borders.point[border, 1] = ey
            borders.point[border, 2] = ez
    elif is_thin and is_known(one) and is_known(other):
        code, deepest = thin_between(primitives, segments, first_segment, stop_segment, face, m, n)
    if code < 0:
        px, py, pz = real(borders.point[border, 0]), real(borders.point[border, 1]), real(borders.point[border, 2])
        if split_pair(primitives, carves, axis, code, m, n, deepest, face, low, borders, border):
            borders.codes[border, 0] = one
            borders.codes[border, 1] = code
            borders.codes[border + 1, 0] = code
            borders.codes[border + 1, 1] = other
            return 2
        borders.point[border, 0] = px
        borders.point[border, 1] = py
        borders.point[border, 2] = pz
    borders.codes[border, 0] = one
    borders.codes[border, 1] = other
    return number
