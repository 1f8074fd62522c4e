"""How quads are split into triangles: along the diagonal that folds less, then the one with the better triangles."""

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


def split_at_second(points: Points, a: int, b: int, c: int, d: int) -> bool:
    """Whether the diagonal of a quad runs from b to d, and not from a to c."""
    fold, shape = split_quality(points, a, b, c, d)
    other_fold, other_shape = split_quality(points, b, c, d, a)
    if (fold < ZERO) != (other_fold < ZERO):
        return fold < other_fold
    return other_shape > shape + TINY
