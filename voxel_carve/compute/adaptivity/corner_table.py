"""A closed triangle mesh as a table of corners, and distances in it, compiled by numba.

Corner c belongs to triangle c // 3. Its opposite corner lies across the edge that c faces (the corner table of
Rossignac, Safonova and Szymczak 2001). The corners of a triangle are in counter-clockwise order.
"""

import math
from typing import Any, NamedTuple

from ..engines.numba.compiler.decorators import kernel, subroutine
from ..engines.numba.compiler.formulas import DOUBLE
from ..formulas import triangle

squared_distance_to_segment, squared_distance_to_corners = (
    DOUBLE(triangle.squared_distance_to_segment),
    DOUBLE(triangle.squared_distance_to_corners),
)


class Corners(NamedTuple):
    """A closed triangle mesh of N points and M triangles, changed in place.

    Attributes:
        points: (N, 3) float64.
        vertex: (3 M,) int32, the vertex of each corner; -1 if the triangle was removed.
        opposite: (3 M,) int32, the opposite corner.
        kept: (3 M,) bool, whether the edge opposite a corner may only be merged along itself.
        first: (N,) int32, one corner of each vertex; -1 if it was removed.
        normal: (M, 3) float64, of length 1, or 0 for a degenerate triangle.
        locked: (N,) bool, vertices that take no part in any collapse.
    """

    points: Any
    vertex: Any
    opposite: Any
    kept: Any
    first: Any
    normal: Any
    locked: Any


class Original(NamedTuple):
    """The mesh as it was: `vertex`, `opposite` and `first` of `Corners`."""

    vertex: Any
    opposite: Any
    first: Any


@subroutine
def after(c):  # type: ignore[no-untyped-def]
    """The next corner of the same triangle."""
    return c + 1 if c % 3 < 2 else c - 2


@subroutine
def before(c):  # type: ignore[no-untyped-def]
    """The previous corner of the same triangle."""
    return c - 1 if c % 3 > 0 else c + 2


@subroutine
def ring_of(mesh, u, ring):  # type: ignore[no-untyped-def]
    """Set ring to the corners at vertex u. Return their number, or -1 if there are too many."""
    c, count = mesh.first[u], 0
    while True:
        if count == len(ring):
            return -1
        ring[count] = c
        count += 1
        c = after(mesh.opposite[after(c)])
        if c == ring[0]:
            return count


@kernel
def fan_sizes(start, stop, vertex, opposite, first, sizes):  # type: ignore[no-untyped-def]
    """Set sizes (N,), initially 0, to the number of corners in the fan around each vertex."""
    for u in range(start, stop):
        c = first[u]
        while c >= 0:
            sizes[u] += 1
            c = after(opposite[after(c)])
            if c == first[u] or sizes[u] > len(vertex):
                break


@subroutine
def to_segment(p, a, b):  # type: ignore[no-untyped-def]
    """Squared distance from p to the segment from a to b."""
    return squared_distance_to_segment(a[0] - p[0], a[1] - p[1], a[2] - p[2], b[0] - a[0], b[1] - a[1], b[2] - a[2])


@subroutine
def between_segments(a, b, c, d):  # type: ignore[no-untyped-def]
    """Squared distance between the segments from a to b and from c to d (Ericson 2005, section 5.1.9)."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = d[0] - c[0], d[1] - c[1], d[2] - c[2]
    wx, wy, wz = a[0] - c[0], a[1] - c[1], a[2] - c[2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    across = uu * vv - uv * uv
    s = min(max((uv * vw - uw * vv) / across, 0.0), 1.0) if across > 1e-12 * uu * vv else 0.0
    t = min(max((uv * s + vw) / vv, 0.0), 1.0) if vv > 0 else 0.0
    s = min(max((uv * t - uw) / uu, 0.0), 1.0) if uu > 0 else 0.0
    x, y, z = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
    return x * x + y * y + z * z


@subroutine
def to_triangle(p, a, b, c):  # type: ignore[no-untyped-def]
    """Squared distance from p to the triangle a, b, c."""
    return squared_distance_to_corners(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], p[0], p[1], p[2])


@subroutine
def shape_of(a, b, c, cross):  # type: ignore[no-untyped-def]
    """Set cross (4,) to a triangle's normal and its length. Return the height as a fraction of the longest side."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    wx, wy, wz = c[0] - b[0], c[1] - b[1], c[2] - b[2]
    cross[0], cross[1], cross[2] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    cross[3] = math.sqrt(cross[0] ** 2 + cross[1] ** 2 + cross[2] ** 2)
    longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz)
    return cross[3] / longest if longest > 0 else 0.0


@subroutine
def to_original(f, x, points, original):  # type: ignore[no-untyped-def]
    """Squared distance from x to triangle f of the original mesh."""
    i, j, k = original.vertex[3 * f], original.vertex[3 * f + 1], original.vertex[3 * f + 2]
    return to_triangle(x, points[i], points[j], points[k])


@subroutine
def triangle_towards(v, x, points, original):  # type: ignore[no-untyped-def]
    """The original triangle at vertex v that is nearest to x."""
    c, best, least = original.first[v], -1, math.inf
    while True:
        square = to_original(c // 3, x, points, original)
        if square < least:
            best, least = c // 3, square
        c = after(original.opposite[after(c)])
        if c == original.first[v]:
            return best


@subroutine
def walk_near(f, x, points, original):  # type: ignore[no-untyped-def]
    """Walk from original triangle f to one with no neighbour nearer to x. Return it and its squared distance."""
    least = to_original(f, x, points, original)
    while True:
        best = f
        for i in range(3):
            g = original.opposite[3 * f + i] // 3
            square = to_original(g, x, points, original)
            if square < least:
                best, least = g, square
        if best == f:
            return f, least
        f = best


@subroutine
def common_side(f, g, original):  # type: ignore[no-untyped-def]
    """The corner of original triangle f opposite the edge that it shares with g; -1 if there is none."""
    for i in range(3):
        if original.opposite[3 * f + i] // 3 == g:
            return 3 * f + i
    return -1
