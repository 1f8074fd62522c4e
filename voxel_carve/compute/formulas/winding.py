"""The contribution of an open boundary to the generalised winding number at a point, and to its gradient: see
`voxel_carve.compute.primitives.boundary`. Lengths are in voxels.

From a point, an edge and the direction -z span a solid angle. A complex number stands for it: its argument is half the
solid angle. These numbers are multiplied, and one arctangent of the product replaces one for each edge. Whole turns are
counted each time the product crosses the negative real axis.

The sum jumps if a point lies exactly below an edge. To break the tie as the crossings do, the point is moved by (SHIFT,
SHIFT_SQUARE): rounding hides this step except next to a zero.
"""

from .language import Edges, Listed, atan2, real, sqrt, where
from .vector import dot, length

SHIFT = 1e-150
SHIFT_SQUARE = 1e-300
ZERO = 0.0
ONE = 1.0
TWO = 2.0
TAU = 6.283185307179586
PI = 3.141592653589793
SPHERE = 12.566370614359172  # 4 pi
DEPARTS = 0.05968310365946075  # 0.75 / (4 pi)
RISE = 0.5707963267948966  # pi / 2 - 1
TINY = 1e-12
NEAREST = 1e-6


def edge_factor(edges: Edges, e: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Real and imaginary part of the factor of edge e at a point; their absolute values add up to 1."""
    low = length(edges.low[e, 0] - x, edges.low[e, 1] - y, edges.low[e, 2] - z)
    high = length(edges.high[e, 0] - x, edges.high[e, 1] - y, edges.high[e, 2] - z)
    return factor_between(edges, e, x, y, z, low, high)


def factor_between(edges: Edges, e: int, x: float, y: float, z: float, low: float, high: float) -> tuple[float, float]:
    """The same, if the distances of the point from both ends of the edge are known."""
    dx, dy = edges.high[e, 0] - edges.low[e, 0], edges.high[e, 1] - edges.low[e, 1]
    tie = where(dy != ZERO, -dy * SHIFT, dx * SHIFT_SQUARE)
    ax, ay, az = edges.low[e, 0] - x, edges.low[e, 1] - y, edges.low[e, 2] - z
    bx, by, bz = edges.high[e, 0] - x, edges.high[e, 1] - y, edges.high[e, 2] - z
    side = dy * ax - dx * ay
    side = where(side == ZERO, tie, side)
    across = (ax - SHIFT) * (bx - SHIFT) + (ay - SHIFT_SQUARE) * (by - SHIFT_SQUARE)
    u = (low - az) * (high - bz) + across
    v = -side * edges.sign[e]
    size = abs(u) + abs(v)
    u = where(size == ZERO, ONE, u)
    scale = ONE / where(size == ZERO, ONE, size)
    return u * scale, v * scale


def multiply(a: float, b: float, u: float, v: float) -> tuple[float, float, float]:
    """The product of (a, b) and (u, v), and the whole turns that it loses.

    These are the turns by which the sum of both arguments exceeds that of the product; all lie between -pi and pi.
    """
    c, d = a * u - b * v, a * v + b * u
    forth = where(v > ZERO, where(b >= ZERO, where(d < ZERO, ONE, ZERO), ZERO), ZERO)
    is_below = where(b < ZERO, ONE, where(b == ZERO, where(a > ZERO, ONE, ZERO), ZERO))
    back = where(v < ZERO, where(d >= ZERO, is_below, ZERO), ZERO)
    return c, d, forth - back


def winding_of(a: float, b: float, turns: float) -> float:
    """The winding number of a product (a, b) and its whole turns."""
    return atan2(b, a) / TAU + turns


def boundary_sum(edges: Edges, listed: Listed, start: int, stop: int, x: float, y: float, z: float) -> float:
    """The sum over some edges at a point: those from listed[start] to listed[stop - 1]."""
    a, b, turns = real(ONE), real(ZERO), real(ZERO)
    for n in range(start, stop):
        u, v = edge_factor(edges, listed[n], x, y, z)
        a, b, turn = multiply(a, b, u, v)
        turns += turn
        if (n - start) & 63 == 63:  # each factor may halve the product's size
            scale = ONE / (abs(a) + abs(b))
            a *= scale
            b *= scale
    return winding_of(a, b, turns)


def edge_gradient(edges: Edges, e: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The contribution of edge e to the gradient of the winding number at a point: the magnetic field of a current
    along it, in closed form (Hanson and Hirshman 2002)."""
    ax, ay, az = edges.low[e, 0] - x, edges.low[e, 1] - y, edges.low[e, 2] - z
    bx, by, bz = edges.high[e, 0] - x, edges.high[e, 1] - y, edges.high[e, 2] - z
    length_a, length_b = length(ax, ay, az), length(bx, by, bz)
    product = length_a * length_b
    scale = max(product * (product + ax * bx + ay * by + az * bz), TINY)
    weight = edges.sign[e] * (length_a + length_b) / scale / SPHERE
    return (ay * bz - az * by) * weight, (az * bx - ax * bz) * weight, (ax * by - ay * bx) * weight


def gradient_sum(
    edges: Edges, listed: Listed, start: int, stop: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """The gradient of the winding number at a point, likewise."""
    gx, gy, gz = real(ZERO), real(ZERO), real(ZERO)
    for n in range(start, stop):
        dx, dy, dz = edge_gradient(edges, listed[n], x, y, z)
        gx += dx
        gy += dy
        gz += dz
    return gx, gy, gz


def edge_remainder(edges: Edges, e: int, x: float, y: float, z: float, reach: float) -> float:
    """An upper bound of how far the contribution of edge e departs from its linear approximation at a point, within
    `reach` of there; ENDLESS at least, if the edge is as near.

    A short piece of length l at a distance s adds at most 1.5 l / (4 pi s^3) to the second derivatives. So, by Taylor's
    theorem, it departs by at most 0.75 l r^2 / (4 pi s^2 (s - r)) within r. The integral of that along a whole line at
    a distance d is 0.75 t / (4 pi) ((pi + 2 arcsin t) / sqrt(1 - t^2) - pi), where t = r / d, and arcsin t is at most
    t + (pi / 2 - 1) t^3.
    """
    dx, dy = edges.high[e, 0] - edges.low[e, 0], edges.high[e, 1] - edges.low[e, 1]
    dz = edges.high[e, 2] - edges.low[e, 2]
    ax, ay, az = x - edges.low[e, 0], y - edges.low[e, 1], z - edges.low[e, 2]
    whole = length(dx, dy, dz)
    along = dot(ax, ay, az, dx, dy, dz) * (ONE / max(whole * whole, TINY))
    along = min(max(along, ZERO), ONE)
    distance = max(length(ax - along * dx, ay - along * dy, az - along * dz), reach + NEAREST)
    t = reach / distance
    cosine = sqrt((ONE - t) * (ONE + t))
    line = t * ((PI + TWO * (t + RISE * (t * t * t))) / cosine - PI)
    return DEPARTS * min(line, whole * (t * t) / (distance - reach))


def remainder_bound(
    edges: Edges, listed: Listed, start: int, stop: int, x: float, y: float, z: float, reach: float
) -> float:
    """Upper bound of how far the sum departs from its linear approximation at a point, likewise."""
    remainder = real(ZERO)
    for n in range(start, stop):
        remainder += edge_remainder(edges, listed[n], x, y, z, reach)
    return remainder


def change_bound(
    edges: Edges, listed: Listed, start: int, stop: int, x: float, y: float, z: float, reach: float
) -> float:
    """Upper bound of how much the winding number changes from a point to any other within `reach`, likewise."""
    gx, gy, gz = gradient_sum(edges, listed, start, stop, x, y, z)
    return reach * length(gx, gy, gz) + remainder_bound(edges, listed, start, stop, x, y, z, reach)
