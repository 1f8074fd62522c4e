"""Vectors as three separate numbers."""

from .language import sqrt


def dot(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """Scalar product."""
    return (ax * bx + ay * by) + az * bz


def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> tuple[float, float, float]:
    """Vector product."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def length(x: float, y: float, z: float) -> float:
    """Euclidean length."""
    return sqrt((x * x + y * y) + z * z)


def least(a: float, b: float, c: float) -> float:
    """The least of three."""
    first = min(a, b)
    return min(first, c)


def greatest(a: float, b: float, c: float) -> float:
    """The greatest of three."""
    first = max(a, b)
    return max(first, c)
