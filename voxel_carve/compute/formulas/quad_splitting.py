"""How quads are split. The four vertices around a crossed edge seldom lie in a plane: of the two ways to make two
triangles of them, the right one follows an edge of the surface, and the other cuts it off or bridges it.

A diagonal misses the surface by how far it passes by the point where the edge is crossed; by as much as it likes, where
a half is turned over. The height of a half is that over its longest side.

A ring (4, 3) is the corners of a quad around an edge, counter-clockwise seen from the edge's far end, counted from its
first end, in voxels; u and v are the axes after that of the edge.
"""

from .hermite import ROUNDING
from .language import Ring, real, sqrt

# The diagonal is taken that leaves no half lower than this, if the other leaves one half as low at most; else that
# which passes nearer to the surface, by more than this; else the shorter one, by more than this in squares. In voxels.
SLIVER = 0.02
TRUER = 1e-3
SHORTER = 1e-6

ZERO = 0.0
TWO = 2.0
NEVER = 1e300
LONGEST = 4.0  # voxels; no two vertices of a quad are so far apart, which lie in the cells around one edge


def projected_area(ring: Ring, a: int, b: int, c: int, u: int, v: int) -> float:
    """Twice the area of the triangle of three corners, seen along the edge."""
    return (ring[b, u] - ring[a, u]) * (ring[c, v] - ring[a, v]) - (ring[b, v] - ring[a, v]) * (ring[c, u] - ring[a, u])


def crossing_distance(
    ring: Ring, a: int, b: int, c: int, d: int, u: int, v: int, axis: int, place: float
) -> tuple[float, float]:
    """How far a quad, split from corner a to c, passes by the point at `place` on the edge that it surrounds; and twice
    the area of its smaller half, seen along that edge. NEVER where a half is turned over."""
    area = min(projected_area(ring, a, b, c, u, v), projected_area(ring, a, c, d, u, v))
    if area < -ROUNDING:
        return NEVER, area
    over = ring[c, u] * ring[a, v] - ring[c, v] * ring[a, u]
    # The half on whose side of the diagonal the edge passes; its corners from that diagonal on.
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
    """The height of the lower half of a quad split from corner a to c: over the longest side of that half."""
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
    """The corner, 0 or 1, from which a quad is split; the surface crosses the edge at `place`."""
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
