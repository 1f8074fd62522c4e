"""Where a z column of voxel centres passes through a triangle: see `crossings`.

Edge functions are taken in the order of the points' numbers, so that both triangles at an edge see the same one. A
column that passes through an edge or a corner is moved by a step that is too small to be told, first along x.
"""

from .language import Rows, ceil, floor, real

ZERO = 0.0
ONE = 1.0
HALF = 0.5


def edge_function(points: Rows, i: int, j: int, px: float, py: float) -> tuple[float, int]:
    """Twice the signed area of (i, j, p) seen from +z, and its sign with ties broken."""
    turned = i > j
    low = j if turned else i
    high = i if turned else j
    dx, dy = points[high, 0] - points[low, 0], points[high, 1] - points[low, 1]
    value = dx * (py - points[low, 1]) - dy * (px - points[low, 0])
    decides = value if value != ZERO else (-dy if dy != ZERO else dx)
    sign = 1 if decides > ZERO else (-1 if decides < ZERO else 0)
    if turned:
        return -value, -sign
    return value, sign


def column_crossing(points: Rows, a: int, b: int, c: int, px: float, py: float) -> tuple[int, float]:
    """Whether the column at (px, py) passes through a triangle of points (N, 3), in voxels.

    Returns:
        1 where the triangle looks up there, -1 where it looks down, 0 where the column passes by; and the index z of
        the first voxel above the crossing: a centre exactly on the surface is inside, below an upper face and above a
        lower one.
    """
    wa, sign = edge_function(points, b, c, px, py)
    wb, sign_b = edge_function(points, c, a, px, py)
    if sign != sign_b or sign == 0:
        return 0, real(ZERO)
    wc, sign_c = edge_function(points, a, b, px, py)
    if sign != sign_c:
        return 0, real(ZERO)
    az, bz, cz = points[a, 2], points[b, 2], points[c, 2]
    total = wa + wb + wc
    z = (wa * az + wb * bz + wc * cz) / total if total != ZERO else real(az)
    z = min(max(z, min(min(az, bz), cz)), max(max(az, bz), cz)) - HALF
    return sign, real(floor(z)) + ONE if sign > 0 else real(ceil(z))
