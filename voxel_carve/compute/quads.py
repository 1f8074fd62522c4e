"""How quads are split. The four vertices around a crossed edge seldom lie in a plane: of the two ways to make two
triangles of them, the right one follows an edge of the surface, and the other cuts it off or bridges it.
"""

import numpy as np
import numpy.typing as npt

from .hermite import ROUNDING, Array
from .triangles import cross, dot

# The diagonal is taken that leaves no half lower than this, if the other leaves one half as low at most; else that
# which passes nearer to the surface, by more than this; else the shorter one, by more than this in squares. In voxels.
SLIVER = 0.02
TRUER = 1e-3
SHORTER = 1e-6

# (4, 2): where the cells around an edge lie along the next two axes, counter-clockwise seen from its far end.
RING = np.array([(-1, -1), (0, -1), (0, 0), (-1, 0)])


def split_quads(ring: Array, place: Array) -> npt.NDArray[np.int64]:
    """From which corner each quad is split.

    Args:
        ring: (4, 3, N) the vertices around each edge, counter-clockwise seen from its far end, from its first end:
            along the next two axes, and along the edge.
        place: (N,) where the surface crosses the edge, from 0 to 1.

    Returns:
        (N,) 0 or 1.
    """
    even, odd = (_miss(np.roll(ring, -turn, axis=0), place) for turn in (0, 1))
    lost = np.isinf(even) & np.isinf(odd)
    with np.errstate(invalid="ignore"):  # both infinite
        truer = np.abs(even - odd) > TRUER
    diagonals = ring[2:] - ring[:2]
    across, other = (diagonals * diagonals).sum(axis=1)
    corner = np.where(truer, odd < even, other < across - SHORTER)
    low, high = _lower_half(ring), _lower_half(np.roll(ring, -1, axis=0))
    sliver = (np.minimum(low, high) < SLIVER) & (np.maximum(low, high) >= 2 * np.minimum(low, high))
    sliver &= np.isfinite(even) & np.isfinite(odd)
    corner = np.where(sliver, high > low, corner) & ~lost
    return corner.astype(np.int64)


def _miss(ring: Array, place: Array) -> Array:
    """(N,) how far a quad that is split from its first corner to its third passes by the point at `place` on its edge;
    infinite where a half is turned over."""
    a, b, c, d = ring
    over = _area(c, a)
    # The half on whose side of the diagonal the edge passes.
    near = over >= 0
    other, first, last = np.where(near, b, d), np.where(near, c, a), np.where(near, a, c)
    x, y = _area(other, first), _area(last, other)
    total = np.abs(over) + x + y
    turned = (_area(b - a, c - a) < -ROUNDING) | (_area(c - a, d - a) < -ROUNDING) | (total <= 0)
    height = np.abs(over) * other[2] + x * last[2] + y * first[2]
    return np.where(turned, np.inf, np.abs(height / np.where(turned, 1, total) - place))


def _lower_half(ring: Array) -> Array:
    """(N,) the height of the lower half of each quad split from its first corner: over that half's longest side."""
    a, b, c, d = ring
    heights = []
    for u, v in ((b - a, c - a), (c - a, d - a)):
        w, normal = v - u, cross(u, v)
        longest = np.maximum(np.maximum(dot(u, u), dot(v, v)), dot(w, w))
        heights.append(np.sqrt(dot(normal, normal) / np.maximum(longest, ROUNDING)))
    return np.minimum(*heights)


def _area(a: Array, b: Array) -> Array:
    """Twice the area between the origin and two points (3, N), seen along the third axis."""
    area: Array = a[0] * b[1] - a[1] * b[0]
    return area
