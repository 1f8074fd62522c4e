"""Where surfaces are smooth, and where they bend: by the primitives of two crossings.

Two surfaces *bend* if they meet at an angle: that of the stock and that of the sweep always do, two of the same kind if
their normals differ by more than SMOOTH_STOCK or SMOOTH_SWEEP.
"""

from ..formulas.language import Face, Primitives
from ..formulas.swept_body import lean as segment_lean
from ..formulas.swept_body import side_normal
from ..formulas.swept_body import value as segment_value
from ..model.bricks import LOWEST, NO_PRIMITIVE

SMOOTH_STOCK = 0.87  # 30 degrees
SMOOTH_SWEEP = 0.94  # 20 degrees
AROUND_END = 0.34  # cosine: where a segment's normal leans farther along its axis, 20 degrees, it is that of an end
STEP = 0.1  # voxels: a higher one between two triangles that are alike is looked for

ZERO = 0.0
ONE = 1.0
TWO = 2.0


def is_known(code: int) -> bool:
    """Whether a code is a primitive's, and not the cap of a hole's."""
    return code != NO_PRIMITIVE and code != LOWEST


def are_alike(primitives: Primitives, one: int, other: int, u: int, v: int, du: float, dv: float) -> bool:
    """Whether two primitives are one, or triangles with much the same normal and no step between them: a pair on them
    has no border point.

    Args:
        du, dv: the way from one crossing to the other, along axes u and v of the face.
    """
    if one == other:
        return True
    if one < 0 or other < 0 or one == NO_PRIMITIVE or other == NO_PRIMITIVE:
        return False
    cosine = (
        primitives.normal[one, 0] * primitives.normal[other, 0]
        + primitives.normal[one, 1] * primitives.normal[other, 1]
        + primitives.normal[one, 2] * primitives.normal[other, 2]
    )
    step = (primitives.normal[one, u] + primitives.normal[other, u]) * du
    step += (primitives.normal[one, v] + primitives.normal[other, v]) * dv
    return cosine > SMOOTH_STOCK and abs(step) < TWO * STEP


def is_step_between(
    primitives: Primitives, one: int, one_sign: float, other: int, other_sign: float, dx: float, dy: float, dz: float
) -> bool:
    """Whether points on two triangles, with this way from the first to the other, lie at different heights by a mean of
    both normals: a smooth surface bends one way, and they do not. The signs turn the normals out of the result."""
    if one == other or one < 0 or other < 0 or not is_known(one) or not is_known(other):
        return False
    step = (one_sign * primitives.normal[one, 0] + other_sign * primitives.normal[other, 0]) * dx
    step += (one_sign * primitives.normal[one, 1] + other_sign * primitives.normal[other, 1]) * dy
    step += (one_sign * primitives.normal[one, 2] + other_sign * primitives.normal[other, 2]) * dz
    return abs(step) > TWO * STEP


def is_step(primitives: Primitives, face: Face, m: int, n: int) -> bool:
    """The same of crossings m and n around a face."""
    return is_step_between(
        primitives,
        face.code[m],
        face.sign[m],
        face.code[n],
        face.sign[n],
        face.point[n, 0] - face.point[m, 0],
        face.point[n, 1] - face.point[m, 1],
        face.point[n, 2] - face.point[m, 2],
    )


def orientation(primitives: Primitives, carves: bool, code: int, axis: int, leaves: bool) -> float:
    """1 if the normal of a primitive points out of the result where an edge along an axis crosses it, else -1.

    Args:
        leaves: whether the edge leaves the result there.
    """
    if code >= 0 and is_known(code):
        return ONE if (primitives.normal[code, axis] > ZERO) == leaves else -ONE
    return -ONE if carves else ONE


def do_bend(
    primitives: Primitives, one: int, one_sign: float, other: int, other_sign: float, x: float, y: float, z: float
) -> bool:
    """Whether two surfaces meet at an angle at a point. The signs turn their normals out of the result."""
    if one == other or not is_known(one) or not is_known(other):
        return False
    if (one < 0) != (other < 0):
        return True
    if one >= 0:
        cosine = (
            primitives.normal[one, 0] * primitives.normal[other, 0]
            + primitives.normal[one, 1] * primitives.normal[other, 1]
            + primitives.normal[one, 2] * primitives.normal[other, 2]
        )
        return one_sign * other_sign * cosine < SMOOTH_STOCK
    _one, ax, ay, az = segment_value(primitives.segments, -1 - one, x, y, z)
    _other, bx, by, bz = segment_value(primitives.segments, -1 - other, x, y, z)
    return ax * bx + ay * by + az * bz < SMOOTH_SWEEP


def is_beside_axis(primitives: Primitives, code: int, x: float, y: float, z: float) -> bool:
    """Whether a point on a segment lies beside its axis, and not around one of its ends."""
    return abs(segment_lean(primitives.segments, -1 - code, x, y, z)) < AROUND_END


def goes_on_smoothly(primitives: Primitives, one: int, other: int, x: float, y: float, z: float) -> bool:
    """Whether the surfaces of two segments, if they were longer, have much the same normal at a point."""
    ax, ay, az = side_normal(primitives.segments, -1 - one, x, y, z)
    bx, by, bz = side_normal(primitives.segments, -1 - other, x, y, z)
    return ax * bx + ay * by + az * bz > SMOOTH_SWEEP


def bend_of_pair(primitives: Primitives, face: Face, m: int, n: int) -> bool:
    """Whether crossings m and n around a face bend, at the middle between them.

    Along a path of short segments, that is around the ends of both, where their normals differ although the path is
    smooth. So the surface of a segment goes on beyond its end there.
    """
    one, other = face.code[m], face.code[n]
    x = (face.point[m, 0] + face.point[n, 0]) / TWO
    y = (face.point[m, 1] + face.point[n, 1]) / TWO
    z = (face.point[m, 2] + face.point[n, 2]) / TWO
    if not do_bend(primitives, one, face.sign[m], other, face.sign[n], x, y, z):
        return False
    if one >= 0 or other >= 0:
        return True
    if not is_beside_axis(primitives, one, face.point[m, 0], face.point[m, 1], face.point[m, 2]):
        return True
    if not is_beside_axis(primitives, other, face.point[n, 0], face.point[n, 1], face.point[n, 2]):
        return True
    return not goes_on_smoothly(primitives, one, other, x, y, z)
