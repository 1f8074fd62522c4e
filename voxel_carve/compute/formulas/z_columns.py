"""Where a z column of voxel centres crosses a triangle: see `primitives.crossings`.

An edge function takes its two points in the order of their indices, so both triangles at an edge compute the same one.
A column that hits an edge or a corner is moved by an infinitesimal step, first along x.
"""

from .language import Rows, ceil, floor, where
from .vector import greatest, least

ZERO = 0.0
ONE = 1.0
HALF = 0.5


def edge_function(points: Rows, i: int, j: int, u: int, v: int, px: float, py: float) -> tuple[float, int]:
    """Twice the signed area of (i, j, p) by the coordinates u and v, and its sign with ties broken."""
    low, high, order = where(i > j, j, i), where(i > j, i, j), where(i > j, -1, 1)
    dx, dy = points[high, u] - points[low, u], points[high, v] - points[low, v]
    value = dx * (py - points[low, v]) - dy * (px - points[low, u])
    side = where(value != ZERO, value, where(dy != ZERO, -dy, dx))
    return where(i > j, -value, value), where(side > ZERO, order, where(side < ZERO, -order, 0))


def line_place(
    points: Rows, a: int, b: int, c: int, u: int, v: int, axis: int, px: float, py: float
) -> tuple[int, float]:
    """Where the line along an axis at (px, py), by the coordinates u and v, crosses the triangle (a, b, c) of points
    (N, 3).

    Returns:
        1 if a, b and c run counter-clockwise from u to v, -1 if clockwise, 0 if the line misses the triangle; and the
        coordinate of the crossing along the axis.
    """
    wa, sign = edge_function(points, b, c, u, v, px, py)
    wb, sign_b = edge_function(points, c, a, u, v, px, py)
    wc, sign_c = edge_function(points, a, b, u, v, px, py)
    az, bz, cz = points[a, axis], points[b, axis], points[c, axis]
    total = wa + wb + wc
    z = where(total != ZERO, (wa * az + wb * bz + wc * cz) / where(total != ZERO, total, ONE), az)
    sign = where(sign_b == sign, where(sign_c == sign, sign, 0), 0)
    return sign, min(max(z, least(az, bz, cz)), greatest(az, bz, cz))


def column_height(points: Rows, a: int, b: int, c: int, px: float, py: float) -> tuple[int, float]:
    """Where the column at (px, py) crosses the triangle (a, b, c) of points (N, 3).

    Returns:
        1 if the triangle faces up, -1 if it faces down, 0 if the column misses it; and the z of the crossing.
    """
    return line_place(points, a, b, c, 0, 1, 2, px, py)


def column_crossing(points: Rows, a: int, b: int, c: int, px: float, py: float) -> tuple[int, float]:
    """As `column_height`, but in place of the height the index z of the first voxel above the crossing.

    A centre exactly on the surface is inside: below an upper face, above a lower one.
    """
    sign, z = column_height(points, a, b, c, px, py)
    return sign, where(sign > 0, floor(z - HALF) + ONE, ceil(z - HALF))


def column_range(low: float, high: float, columns: float) -> tuple[float, float]:
    """The first and the last of a row of columns with a centre from low to high; the last is less if there is none."""
    return ceil(min(max(low - HALF, ZERO), columns)), floor(max(min(high - HALF, columns - ONE), -ONE))


def height_in(above: float, depth: float) -> float:
    """The index z of the first voxel above a crossing, within a grid of this depth."""
    return min(max(above, ZERO), depth)
