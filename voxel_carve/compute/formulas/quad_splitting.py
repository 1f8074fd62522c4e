"""How quads are split. The four vertices around a crossed edge rarely lie in a plane. Of the two possible diagonals,
the right one follows a feature edge of the surface, and the other cuts it off or bridges it.

The error of a diagonal is the distance between the split quad and the crossing, measured along the crossed edge. It is
infinite if one half is flipped. The height of a half is its height above its longest side.

A ring (4, 3) holds the corners of a quad around an edge, in voxels from the first end of that edge. They run
counter-clockwise, seen from its other end. The axes u and v follow the axis of the edge.
"""

from .hermite import ROUNDING
from .language import Ring, real, sqrt

# Three rules choose a diagonal; each decides only by its margin, in voxels. 1: the lower half is at least twice as high
# as with the other diagonal, which leaves a sliver. 2: the error is smaller. 3: the squared length is smaller.
SLIVER = 0.02
TRUER = 1e-3
SHORTER = 1e-6

ZERO = 0.0
TWO = 2.0
NEVER = 1e300
LONGEST = 4.0  # voxels: the vertices of a quad lie in the cells around one edge, so no two are this far apart


def projected_area(ring: Ring, a: int, b: int, c: int, u: int, v: int) -> float:
    """Twice the signed area of the triangle (a, b, c), projected along the edge."""
    return (ring[b, u] - ring[a, u]) * (ring[c, v] - ring[a, v]) - (ring[b, v] - ring[a, v]) * (ring[c, u] - ring[a, u])


def crossing_distance(
    ring: Ring, a: int, b: int, c: int, d: int, u: int, v: int, axis: int, place: float
) -> tuple[float, float]:
    """The error of a quad split from corner a to c, if the edge is crossed at `place`; NEVER if a half is flipped.

    Also returns twice the projected area of its smaller half.
    """
    area = min(projected_area(ring, a, b, c, u, v), projected_area(ring, a, c, d, u, v))
    if area < -ROUNDING:
        return NEVER, area
    over = ring[c, u] * ring[a, v] - ring[c, v] * ring[a, u]
    # The half that the edge passes through, as seen along it.
    other = b if over >= ZERO else d
    first = c if over >= ZERO else a
    last = a if over >= ZERO else c
    x = ring[other, u] * ring[first, v] - ring[other, v] * ring[first, u]
    y = ring[last, u] * ring[other, v] - ring[last, v] * ring[other, u]
    total = abs(over) + x + y
    if total <= ZERO:
        return NEVER, area
    height = (abs(over) * ring[other, axis] + x * ring[last, axis] + y * ring[first, axis]) / total
    return abs(height - place), area


def lower_half(ring: Ring, a: int, b: int, c: int, d: int) -> float:
    """The height of the lower half of a quad split from corner a to c."""
    least = real(NEVER)
    for half in range(2):
        i = b if half == 0 else c
        j = c if half == 0 else d
        ux, uy, uz = ring[i, 0] - ring[a, 0], ring[i, 1] - ring[a, 1], ring[i, 2] - ring[a, 2]
        vx, vy, vz = ring[j, 0] - ring[a, 0], ring[j, 1] - ring[a, 1], ring[j, 2] - ring[a, 2]
        wx, wy, wz = vx - ux, vy - uy, vz - uz
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        longest = max(max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz), wx * wx + wy * wy + wz * wz)
        least = min(least, sqrt((x * x + y * y + z * z) / max(longest, ROUNDING)))
    return least


def choose_split(ring: Ring, u: int, v: int, axis: int, place: float) -> int:
    """The corner, 0 or 1, at which the diagonal of a quad starts. The surface crosses the edge at `place`."""
    a, b, c, d = int(0), int(1), int(2), int(3)
    even, even_area = crossing_distance(ring, a, b, c, d, u, v, axis, place)
    odd, odd_area = crossing_distance(ring, b, c, d, a, u, v, axis, place)
    if even == NEVER or odd == NEVER:
        return 1 if odd < even else 0
    if min(even_area, odd_area) < LONGEST * SLIVER:
        low, high = lower_half(ring, a, b, c, d), lower_half(ring, b, c, d, a)
        if min(low, high) < SLIVER and max(low, high) >= TWO * min(low, high):
            return 1 if high > low else 0
    if abs(even - odd) > TRUER:
        return 1 if odd < even else 0
    first, second = real(ZERO), real(ZERO)
    for i in range(3):
        first += (ring[2, i] - ring[0, i]) * (ring[2, i] - ring[0, i])
        second += (ring[3, i] - ring[1, i]) * (ring[3, i] - ring[1, i])
    return 1 if second < first - SHORTER else 0
