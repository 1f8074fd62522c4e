"""Newton steps onto the surfaces of the primitives in a cell: see `contouring.projection`.

Points are (x, y, z) in voxels from the grid's origin. Functions write their results into arguments.
"""

from .language import Integers, Point, Primitives, Rule, Signs, Values, real
from .swept_body import value as segment_value
from .triangle import plane_value
from .triangle import squared_distance as triangle_square

ON_SURFACE = 0.01  # voxels: a step from here leaves an error of its square divided by twice a radius
ROUNDING = 1e-9  # of float64, generously
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
