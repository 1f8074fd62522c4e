"""Derivatives of the distance from a round cone by its two end balls: start and end, each a centre and a radius.

The distance of a point p is |p - c(t)| - r(t), where c and r change linearly from the start, t = 0, to the end, t = 1.
It is least over t. There its derivative by t is 0, or t is held at an end. So its derivatives by anything else are
those with a fixed t (the envelope theorem: Danskin 1966).
"""

from .language import where

ZERO = 0.0
ONE = 1.0
HALF = 0.5
TINY = 1e-300


def fraction(place: float, length: float, is_forward: bool, start_radius: float, end_radius: float) -> float:
    """The fraction t of the nearest ball, from its place along the axis of a row: see `round_cone.nearest_ball`.

    Args:
        place, length: along the axis, and of it; a length of 0 stands for the larger of the two end balls.
        is_forward: whether the row's axis leads from start to end.
    """
    along = place / max(length, TINY)
    larger = where(end_radius > start_radius, ONE, ZERO)
    return where(length > ZERO, where(is_forward, along, ONE - along), larger)


def by_ends(t: float, gx: float, gy: float, gz: float) -> tuple[float, float, float, float, float, float, float, float]:
    """Derivatives of the distance by the start's centre (x, y, z) and radius, and by the end's.

    Args:
        t: fraction of the nearest ball.
        gx, gy, gz: the gradient of the distance by the point.
    """
    s = ONE - t
    return -s * gx, -s * gy, -s * gz, -s, -t * gx, -t * gy, -t * gz, -t


def area_ratio(t: float, radius: float, to_centre: float) -> float:
    """The area of a cone's surface over that of the parallel surface beside it.

    Along an end ball, both are spheres. Between the balls, both curve around the axis alone, with the radius of the
    nearest ball and with the distance from its centre (principal curvatures of a canal surface: Monge 1807).

    Args:
        t: fraction of the nearest ball.    radius: of that ball.    to_centre: distance of a point from its centre.
    """
    ratio = radius / max(to_centre, HALF * radius)
    square = ratio * ratio
    return where(t > ZERO, where(t < ONE, ratio, square), square)
