"""Newton steps onto the surfaces of the primitives in a cell: see `vertex_placement`.

Points are (x, y, z) in voxels from the grid's origin. Functions write their results into arguments.
"""

from .hermite import ON_SURFACE, ROUNDING
from .language import Integers, Normals, Point, Primitives, Rule, Signs, Values, real
from .swept_body import value as segment_value
from .triangle import plane_value
from .triangle import squared_distance as triangle_square

SAME_SURFACE = 0.97  # cosine: normals within 14 degrees belong to one surface
NOT_PARALLEL = 0.985  # cosine: surfaces that face opposite ways, as the two sides of a wall, do not meet
CORNER = 0.15  # the least determinant of three normals at a corner
STEPS = 4  # most Newton steps

ZERO = 0.0
ONE = 1.0
FAR = 1e300


def group_value(
    primitives: Primitives,
    rule: Rule,
    codes: Integers,
    signs: Signs,
    group: Integers,
    which: int,
    count: int,
    p: Point,
    values: Values,
    row: int,
) -> None:
    """Set a row of values (3, 4) to the distance of a group's surface, positive outside, and its gradient.

    The group is `which`, or all members if `which` is -1. The row of a group without members is 0.

    The distance of segments is the least of theirs. That of triangles is the one from the plane of the nearest. The
    operation combines both.
    """
    least = real(FAR)
    closest = real(FAR)
    is_set = bool(False)
    nearest = int(-1)
    alone = int(0)
    for i in range(4):
        values[row, i] = ZERO
    for m in range(count):
        if (which < 0 or group[m] == which) and codes[m] >= 0:
            alone += 1
            nearest = m
    for m in range(count):
        if which < 0 or group[m] == which:
            if codes[m] < 0:
                value, nx, ny, nz = segment_value(primitives.segments, -1 - codes[m], p[0], p[1], p[2])
                if value < least:
                    least = value
                    is_set = True
                    values[row, 0] = signs[m] * value
                    values[row, 1] = signs[m] * nx
                    values[row, 2] = signs[m] * ny
                    values[row, 3] = signs[m] * nz
            elif alone > 1:
                square = triangle_square(primitives, codes[m], p[0], p[1], p[2])
                if square < closest - ROUNDING:
                    closest = square
                    nearest = m
    if nearest >= 0:
        k = codes[nearest]
        sign = signs[nearest]
        plane = sign * plane_value(primitives, k, p[0], p[1], p[2])
        if not is_set or (plane > values[row, 0] if rule.greatest else plane < values[row, 0]):
            values[row, 0] = plane
            values[row, 1] = sign * primitives.normal[k, 0]
            values[row, 2] = sign * primitives.normal[k, 1]
            values[row, 3] = sign * primitives.normal[k, 2]


def surface_value(primitives: Primitives, code: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Signed distance of a point from a segment, or from the plane of a triangle, and its gradient."""
    if code < 0:
        return segment_value(primitives.segments, -1 - code, x, y, z)
    plane = plane_value(primitives, code, x, y, z)
    return plane, primitives.normal[code, 0], primitives.normal[code, 1], primitives.normal[code, 2]


def find_normals(
    primitives: Primitives, codes: Integers, signs: Signs, count: int, p: Point, normals: Normals
) -> float:
    """Set normals (count, 3) to those of the primitives at p (3,). Return the greatest distance of p from any."""
    most = real(ZERO)
    for m in range(count):
        value, nx, ny, nz = surface_value(primitives, codes[m], p[0], p[1], p[2])
        normals[m, 0] = signs[m] * nx
        normals[m, 1] = signs[m] * ny
        normals[m, 2] = signs[m] * nz
        most = max(most, abs(value))
    return most


def dot(normals: Normals, i: int, j: int) -> float:
    """Scalar product of two normals."""
    return normals[i, 0] * normals[j, 0] + normals[i, 1] * normals[j, 1] + normals[i, 2] * normals[j, 2]


def triple(normals: Normals, i: int, j: int, k: int) -> float:
    """Determinant of three normals."""
    return (
        normals[i, 0] * (normals[j, 1] * normals[k, 2] - normals[j, 2] * normals[k, 1])
        + normals[i, 1] * (normals[j, 2] * normals[k, 0] - normals[j, 0] * normals[k, 2])
        + normals[i, 2] * (normals[j, 0] * normals[k, 1] - normals[j, 1] * normals[k, 0])
    )


def find_groups(normals: Normals, count: int, most_groups: int, group: Integers) -> int:
    """Group members into surfaces by their normals (count, 3). Return the number of surfaces.

    Group (count,) is set to the surface of each member, 0 to 2.

    The two normals that are farthest apart belong to two surfaces. They are found by going to the farthest one twice.
    The normal that stands out most from their plane belongs to a third surface. Each member joins the surface with
    the most similar normal.
    """
    a, b, c = int(0), int(0), int(0)
    for m in range(1, count):
        if dot(normals, a, m) < dot(normals, a, b) - ROUNDING:
            b = m
    for m in range(1, count):
        if dot(normals, b, m) < dot(normals, b, a) - ROUNDING:
            a = m
    cosine = dot(normals, a, b)
    if cosine > SAME_SURFACE or cosine < -NOT_PARALLEL:
        return 1
    most = real(ZERO)
    for m in range(count):
        volume = abs(triple(normals, a, b, m))
        if volume > most + ROUNDING:
            most = volume
            c = m
    groups = 3 if most > CORNER and most_groups > 2 else 2
    for m in range(count):
        group[m] = 0
        best = dot(normals, a, m)
        if dot(normals, b, m) > best + ROUNDING:
            group[m] = 1
            best = dot(normals, b, m)
        if groups == 3 and dot(normals, c, m) > best + ROUNDING:
            group[m] = 2
    return groups


def newton_step(values: Values, groups: int, p: Point) -> float:
    """Move p (3,) by the shortest step onto the planes of one to three groups.

    Args:
        values: (3, 4) distance and normal of each plane.

    Returns:
        The greatest distance before the step.
    """
    first = values[0, 0]
    most = abs(first)
    if groups == 1:
        for i in range(3):
            p[i] -= first * values[0, i + 1]
        return most
    second = values[1, 0]
    most = max(most, abs(second))
    if groups == 2:
        cosine = values[0, 1] * values[1, 1] + values[0, 2] * values[1, 2] + values[0, 3] * values[1, 3]
        scale = ONE / max(ONE - cosine * cosine, ROUNDING)
        u = (first - cosine * second) * scale
        v = (second - cosine * first) * scale
        for i in range(3):
            p[i] -= u * values[0, i + 1] + v * values[1, i + 1]
        return most
    third = values[2, 0]
    most = max(most, abs(third))
    volume = (
        values[0, 1] * (values[1, 2] * values[2, 3] - values[1, 3] * values[2, 2])
        + values[0, 2] * (values[1, 3] * values[2, 1] - values[1, 1] * values[2, 3])
        + values[0, 3] * (values[1, 1] * values[2, 2] - values[1, 2] * values[2, 1])
    )
    inverse = ONE / volume if abs(volume) > ROUNDING else ZERO
    for i in range(3):
        j = (i + 1) % 3 + 1
        k = (i + 2) % 3 + 1
        bc = values[1, j] * values[2, k] - values[1, k] * values[2, j]
        ca = values[2, j] * values[0, k] - values[2, k] * values[0, j]
        ab = values[0, j] * values[1, k] - values[0, k] * values[1, j]
        p[i] -= (first * bc + second * ca + third * ab) * inverse
    return most


def newton_iterate(
    primitives: Primitives,
    rule: Rule,
    codes: Integers,
    signs: Signs,
    group: Integers,
    groups: int,
    count: int,
    values: Values,
    p: Point,
) -> float:
    """Move p (3,) onto the surfaces of all groups. Return its greatest distance from any before the last step."""
    most = real(FAR)
    for _ in range(STEPS):
        for g in range(groups):
            group_value(primitives, rule, codes, signs, group, g if groups > 1 else -1, count, p, values, g)
        most = newton_step(values, groups, p)
        if most < ON_SURFACE:
            break
    return most
