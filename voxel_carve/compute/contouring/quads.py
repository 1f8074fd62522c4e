"""How quads are split into triangles: along the diagonal that folds less, then the one with the better triangles.

Two quads of one edge, as those of a thin wall, are split alike. So they do not pass through each other.
"""

from ..formulas.language import Points, real, sqrt

ZERO = 0.0
ONE = 1.0
TINY = 1e-12


def area_vector(points: Points, a: int, b: int, c: int) -> tuple[float, float, float]:
    """The normal of a triangle of points (V, 3), twice its area long."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


def squared_side(points: Points, a: int, b: int) -> float:
    """The squared distance of two points."""
    x, y, z = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    return x * x + y * y + z * z


def split_quality(points: Points, a: int, b: int, c: int, d: int) -> tuple[float, float]:
    """The cosine of the fold of a quad that is split from a to c; and twice the area of the worse triangle over the sum
    of its squared sides."""
    x, y, z = area_vector(points, a, b, c)
    u, v, w = area_vector(points, a, c, d)
    first, second = sqrt(x * x + y * y + z * z), sqrt(u * u + v * v + w * w)
    cosine = (x * u + y * v + z * w) / max(first * second, TINY)
    ab, bc, cd, da, ac = (
        squared_side(points, a, b),
        squared_side(points, b, c),
        squared_side(points, c, d),
        squared_side(points, d, a),
        squared_side(points, a, c),
    )
    return cosine, min(first / max(ab + bc + ac, TINY), second / max(cd + da + ac, TINY))


def is_second_better(fold: float, shape: float, other_fold: float, other_shape: float) -> bool:
    """Whether the diagonal from the second corner is better, by fold and shape of both: see `split_quality`."""
    if (fold < ZERO) != (other_fold < ZERO):
        return fold < other_fold
    return other_shape > shape + TINY


def split_at_second(points: Points, a: int, b: int, c: int, d: int) -> bool:
    """Whether the diagonal of a quad runs from b to d, and not from a to c."""
    fold, shape = split_quality(points, a, b, c, d)
    other_fold, other_shape = split_quality(points, b, c, d, a)
    return is_second_better(fold, shape, other_fold, other_shape)


def split_both_at_second(
    points: Points, a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int
) -> bool:
    """As `split_at_second`, for two quads of one edge; their corners follow each other alike."""
    fold, shape = split_quality(points, a, b, c, d)
    other_fold, other_shape = split_quality(points, b, c, d, a)
    second_fold, second_shape = split_quality(points, e, f, g, h)
    second_other_fold, second_other_shape = split_quality(points, f, g, h, e)
    return is_second_better(
        min(fold, second_fold),
        min(shape, second_shape),
        min(other_fold, second_other_fold),
        min(other_shape, second_other_shape),
    )
