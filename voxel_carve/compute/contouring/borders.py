"""The border points of the pairs on a face: see `faces`.

They are written into `borders`, those of a pair one after the other, from the side of the crossing that leaves on.
A pair's *way* leads from that crossing by its border points to the other one. In a face, no way crosses another or
itself.
"""

from ..formulas.language import Borders, Face, Listed, Point, Primitives, real
from .bends import bend_of_pair, do_bend, is_known, is_step
from .faces import (
    FITTING,
    closing_segment,
    facet_at,
    follow_to_bend,
    hiding_segment,
    is_cut_off,
    is_on_both,
    lies_near,
    place_border_point,
    place_middle,
    put_between,
    thin_between,
)
from .projection import put_at

FACETS = 2  # of a smooth surface that are tried at a border point
RETREATS = 2  # of border points, half way each; then they go all the way
MOST_HIDING = 3  # segments that are looked for at a border point
BETWEEN = 0.1  # of the way between two crossings
APART = 1e-3  # voxels squared: two border points of a pair that are nearer are one

ZERO = 0.0
ONE = 1.0
TWO = 2.0
TINY = 1e-12
NARROW = 0.04  # voxels squared: what lies so near between two border points is not looked for


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


def keep_between(face: Face, m: int, n: int, p: Point) -> None:
    """Move p (3,), which lies on no border, along the straight way between crossings m and n to between the two."""
    along, whole = real(ZERO), real(TINY)
    for i in range(3):
        way = face.point[n, i] - face.point[m, i]
        along += way * (p[i] - face.point[m, i])
        whole += way * way
    t = along / whole
    step = min(max(t, BETWEEN), ONE - BETWEEN) - t
    for i in range(3):
        p[i] += step * (face.point[n, i] - face.point[m, i])


def is_one_between(
    primitives: Primitives, face: Face, m: int, n: int, one: int, other: int, borders: Borders, border: int
) -> bool:
    """Whether triangles `one` and `other`, which end the surfaces of crossings m and n at two border points, are one
    surface that meets both at an angle, and is not NARROW."""
    x, y, z = borders.point[border, 0], borders.point[border, 1], borders.point[border, 2]
    if do_bend(primitives, one, ONE, other, ONE, x, y, z):
        return False
    if not do_bend(primitives, face.code[m], face.sign[m], one, ONE, x, y, z):
        return False
    if not do_bend(primitives, face.code[n], face.sign[n], other, ONE, x, y, z):
        return False
    along, width = real(ZERO), real(ZERO)
    for i in range(3):
        way = borders.point[border + 1, i] - borders.point[border, i]
        along += way * (face.point[n, i] - face.point[m, i])
        width += way * way
    return along > ZERO and width > NARROW


def end_pair(
    primitives: Primitives,
    triangles: Listed,
    start: int,
    stop: int,
    axis: int,
    m: int,
    n: int,
    is_ahead: bool,
    is_one: bool,
    face: Face,
    low: Point,
    borders: Borders,
    border: int,
) -> bool:
    """Set two border points of crossings m and n, and the middle point, where triangles of the stock end their
    surfaces. Return whether there are such.

    Args:
        triangles: those that are near are from triangles[start] to triangles[stop - 1].
        is_ahead: see `faces.ending_triangle`.    is_one: whether there must be one surface between the two.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    last, one = follow_to_bend(
        primitives, triangles, start, stop, face, m, n, is_ahead, u, v, low, borders.middle[border],
        borders.middle[border + 1], borders.point[border],
    )  # fmt: skip
    if one < 0:
        return False
    other_last, other = follow_to_bend(
        primitives, triangles, start, stop, face, n, m, is_ahead, u, v, low, borders.middle[border],
        borders.middle[border + 1], borders.point[border + 1],
    )  # fmt: skip
    if other < 0:
        return False
    if is_one and not is_one_between(primitives, face, m, n, one, other, borders, border):
        return False
    for i in range(3):
        borders.middle[border, i] = (borders.point[border, i] + borders.point[border + 1, i]) / TWO
    for i in range(3):
        borders.middle[border + 1, i] = borders.middle[border, i]
    borders.codes[border, 0] = last
    borders.codes[border, 1] = one
    borders.codes[border + 1, 0] = other
    borders.codes[border + 1, 1] = other_last
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
        for _ in range(FACETS):
            at_one = facet_at(primitives, triangles, first_triangle, stop_triangle, one, borders.point[border])
            at_other = facet_at(primitives, triangles, first_triangle, stop_triangle, other, borders.point[border])
            if at_one != one or at_other != other:
                one = at_one
                other = at_other
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
        if code == 0 and not lies_near(primitives, one, other, FITTING, borders.point[border]):
            ex, ey, ez = (
                real(borders.point[border, 0]),
                real(borders.point[border, 1]),
                real(borders.point[border, 2]),
            )
            closing = closing_segment(
                primitives, segments, first_segment, stop_segment, face, m, n, u, v, low, borders.point[border]
            )
            if closing < 0:
                cx, cy, cz = (
                    real(borders.point[border, 0]),
                    real(borders.point[border, 1]),
                    real(borders.point[border, 2]),
                )
                if split_pair(primitives, carves, axis, closing, m, n, -ONE, face, low, borders, border):
                    borders.codes[border, 0] = face.code[m]
                    borders.codes[border, 1] = closing
                    borders.codes[border + 1, 0] = closing
                    borders.codes[border + 1, 1] = face.code[n]
                    return 2
                # It goes on with one of the two surfaces, and meets the other.
                goes_on = not do_bend(primitives, one, face.sign[m], closing, sign, cx, cy, cz)
                ahead, behind = closing if goes_on else one, other if goes_on else closing
                put_at(borders.point[border], cx, cy, cz)
                place_border_point(primitives, ahead, behind, u, v, low, borders.point[border])
                bend = do_bend(primitives, ahead, face.sign[m], behind, face.sign[n], cx, cy, cz)
                if bend and lies_near(primitives, ahead, behind, FITTING, borders.point[border]):
                    ex = real(borders.point[border, 0])
                    ey = real(borders.point[border, 1])
                    ez = real(borders.point[border, 2])
                    one = ahead
                    other = behind
            put_at(borders.point[border], ex, ey, ez)
        is_met = is_on_both(primitives, one, other, borders.point[border])
        is_ended = bool(not is_met)
        if is_met and one < 0 and other < 0:
            is_ended = is_cut_off(
                primitives, triangles, first_triangle, stop_triangle, face, m, n, borders.point[border]
            )
        if code == 0 and is_ended:
            ex, ey, ez = (
                real(borders.point[border, 0]),
                real(borders.point[border, 1]),
                real(borders.point[border, 2]),
            )
            if end_pair(
                primitives, triangles, first_triangle, stop_triangle,
                axis, m, n, False, is_met, face, low, borders, border,
            ):  # fmt: skip
                return 2
            borders.point[border, 0] = ex
            borders.point[border, 1] = ey
            borders.point[border, 2] = ez
            if not is_met:
                keep_between(face, m, n, borders.point[border])
    elif is_step(primitives, face, m, n):
        if end_pair(
            primitives, triangles, first_triangle, stop_triangle,
            axis, m, n, True, True, face, low, borders, border,
        ):  # fmt: skip
            return 2
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


def turns_left(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Twice the area of a triangle in a face, positive if it is counter-clockwise."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def stretch_end(face: Face, borders: Borders, border: int, number: int, m: int, n: int, k: int, axis: int) -> float:
    """A coordinate of point k on the way from crossing m by `number` border points to crossing n."""
    if k == 0:
        return face.point[m, axis]
    if k > number:
        return face.point[n, axis]
    return borders.point[border + k - 1, axis]


def do_ways_cross(
    face: Face,
    borders: Borders,
    u: int,
    v: int,
    border: int,
    number: int,
    m: int,
    n: int,
    other_border: int,
    other_number: int,
    other_m: int,
    other_n: int,
) -> bool:
    """Whether the ways of two pairs of a face cross, or touch. Of one and the same, whether its ends do."""
    is_same = m == other_m
    for k in range(number + 1):
        ax, ay = (
            stretch_end(face, borders, border, number, m, n, k, u),
            stretch_end(face, borders, border, number, m, n, k, v),
        )
        bx, by = (
            stretch_end(face, borders, border, number, m, n, k + 1, u),
            stretch_end(face, borders, border, number, m, n, k + 1, v),
        )
        for j in range(k + 2 if is_same else 0, other_number + 1):
            cx, cy = (
                stretch_end(face, borders, other_border, other_number, other_m, other_n, j, u),
                stretch_end(face, borders, other_border, other_number, other_m, other_n, j, v),
            )
            dx, dy = (
                stretch_end(face, borders, other_border, other_number, other_m, other_n, j + 1, u),
                stretch_end(face, borders, other_border, other_number, other_m, other_n, j + 1, v),
            )
            if (
                turns_left(ax, ay, bx, by, cx, cy) * turns_left(ax, ay, bx, by, dx, dy) <= ZERO
                and turns_left(cx, cy, dx, dy, ax, ay) * turns_left(cx, cy, dx, dy, bx, by) <= ZERO
            ):
                return True
    return False


def straighten(face: Face, borders: Borders, border: int, number: int, m: int, n: int, share: float) -> None:
    """Move the border points of a pair toward the straight way between its crossings m and n."""
    for k in range(number):
        t = real(k + 1) / real(number + 1)
        for i in range(3):
            straight = (ONE - t) * face.point[m, i] + t * face.point[n, i]
            borders.point[border + k, i] += share * (straight - borders.point[border + k, i])


def separate_pairs(face: Face, count: int, step: int, record: int, axis: int, borders: Borders, border: int) -> None:
    """Straighten the ways of the pairs of a face, until none crosses another or itself.

    Args:
        step: from the crossing that leaves, of `count` crossings, to the one that it is paired with.
        record: see `cells.link_face`.    border: the first border point.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    for retreat in range(RETREATS + 1):
        share = ONE if retreat == RETREATS else ONE / TWO
        found = bool(False)
        own, pair = int(border), int(0)
        for m in range(count):
            if face.leaves[m]:
                number = record >> (2 * pair) & 3
                other, other_pair = int(border), int(0)
                for k in range(m + 1):
                    if face.leaves[k]:
                        other_number = record >> (2 * other_pair) & 3
                        if do_ways_cross(
                            face,
                            borders,
                            u,
                            v,
                            own,
                            number,
                            m,
                            (m + step) % count,
                            other,
                            other_number,
                            k,
                            (k + step) % count,
                        ):
                            straighten(face, borders, own, number, m, (m + step) % count, share)
                            straighten(face, borders, other, other_number, k, (k + step) % count, share)
                            found = True
                        other += other_number
                        other_pair += 1
                own += number
                pair += 1
        if not found:
            return
