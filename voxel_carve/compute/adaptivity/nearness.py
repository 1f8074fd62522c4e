"""Whether the mesh after a collapse is near the original one, compiled by numba: see `simplify` for the rules.

Removed vertices are kept in linked lists: vertex s is followed by next[s], and -1 ends a list.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engines.numba.compiler.decorators import inlined
from ..engines.numba.compiler.formulas import DOUBLE
from ..formulas import triangle
from .corner_table import after, before, cross, dot, length

squared_distance_to_segment, squared_distance_to_corners = (
    DOUBLE(triangle.squared_distance_to_segment),
    DOUBLE(triangle.squared_distance_to_corners),
)

# The most triangles that a new edge may pass.
MOST_PASSED = 1000


class Removed(NamedTuple):
    """The removed vertices, each in the list of a nearby triangle or kept edge.

    Attributes:
        next: (N,) int32, the next vertex in the list.
        of_face: (M,) int32, the first vertex in the list of each triangle, or -1.
        of_edge: (3 M,) int32, the first vertex in the list of the edge opposite each corner, or -1.
    """

    next: Any
    of_face: Any
    of_edge: Any


@inlined
def spread_fan(n, k, ring):  # type: ignore[no-untyped-def]
    """Set the fan of the ring: the triangles after the vertex is merged into neighbour k.

    Each has nine numbers: its normal of length 1, and two vectors. The scalar products of these with a place, relative
    to neighbour k, are two barycentric coordinates.
    """
    place, fan = ring.place, ring.fan
    x, y, z = place[k, 0], place[k, 1], place[k, 2]
    j = k + 1 if k + 1 < n else 0
    for _ in range(n - 2):
        i = j + 1 if j + 1 < n else 0
        ux, uy, uz = place[j, 0] - x, place[j, 1] - y, place[j, 2] - z
        vx, vy, vz = place[i, 0] - x, place[i, 1] - y, place[i, 2] - z
        nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
        per_square = 1.0 / dot(nx, ny, nz, nx, ny, nz)
        per_length = math.sqrt(per_square)
        fan[j, 0], fan[j, 1], fan[j, 2] = nx * per_length, ny * per_length, nz * per_length
        nx, ny, nz = nx * per_square, ny * per_square, nz * per_square
        fan[j, 3], fan[j, 4], fan[j, 5] = cross(vx, vy, vz, nx, ny, nz)
        fan[j, 6], fan[j, 7], fan[j, 8] = cross(nx, ny, nz, ux, uy, uz)
        j = i


@inlined
def triangle_near(x, y, z, j, n, k, reach, ring):  # type: ignore[no-untyped-def]
    """A triangle of the fan within reach of a place, which is relative to neighbour k; -1 if none is.

    It is the first from j on that has the place above or below it, or else the nearest one.
    """
    fan, end = ring.fan, k - 1 if k > 0 else n - 1
    if j in (end, k):
        j = k + 1 if k + 1 < n else 0
    for _ in range(n - 2):
        second = dot(fan[j, 3], fan[j, 4], fan[j, 5], x, y, z)
        third = dot(fan[j, 6], fan[j, 7], fan[j, 8], x, y, z)
        height = dot(fan[j, 0], fan[j, 1], fan[j, 2], x, y, z)
        if min(second, third, 1.0 - second - third) >= 0 and abs(height) <= reach:
            return j
        j = j + 1 if j + 1 < n else 0
        if j == end:
            j = k + 1 if k + 1 < n else 0
    best, least = np.int64(-1), reach * reach
    a = ring.place[k]
    x, y, z = x + a[0], y + a[1], z + a[2]
    for _ in range(n - 2):
        i = j + 1 if j + 1 < n else 0
        b, c = ring.place[j], ring.place[i]
        square = squared_distance_to_corners(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], x, y, z)
        if square <= least:
            best, least = j, square
        j = i if i != end else (k + 1 if k + 1 < n else 0)
    return best


@inlined
def listed_near(s, j, count, n, k, mesh, removed, reach, ring):  # type: ignore[no-untyped-def]
    """Find a triangle of the fan around neighbour k for each removed vertex from s on, trying number j first.

    The pairs are written to ring.listed and ring.face after the `count` that are there. Returns their number, or -1 if
    a vertex is too far away.
    """
    v, points = ring.vertex[k], mesh.points
    while s >= 0:
        x, y, z = points[s, 0] - points[v, 0], points[s, 1] - points[v, 1], points[s, 2] - points[v, 2]
        f = triangle_near(x, y, z, j, n, k, reach, ring)
        if f < 0 or count == len(ring.listed):
            return -1
        ring.listed[count], ring.face[count] = s, ring.corner[f] // 3
        count, s = count + 1, removed.next[s]
    return count


@inlined
def place_removed(u, n, k, free, mesh, removed, reach, ring):  # type: ignore[no-untyped-def]
    """Find a triangle near each removed vertex around u, and near u if it is free, after a merge into neighbour k.

    Returns the number of pairs, as `listed_near`.
    """
    count: Any = np.int64(0)
    removed.next[u] = -1
    if free:
        count = listed_near(u, (k + n // 2) % n, count, n, k, mesh, removed, reach, ring)
    for j in range(n):
        if count >= 0:
            count = listed_near(removed.of_face[ring.corner[j] // 3], j, count, n, k, mesh, removed, reach, ring)
    return count


@inlined
def edges_stay(n, k, mesh, original, reach, ring):  # type: ignore[no-untyped-def]
    """Whether the new edges of a merge into neighbour k are near the original mesh along their whole length."""
    fan = ring.fan
    i, j = (k + 1) % n, (k + 2) % n
    for _ in range(n - 3):
        nx, ny, nz = fan[i, 0] + fan[j, 0], fan[i, 1] + fan[j, 1], fan[i, 2] + fan[j, 2]
        if not edge_is_near(ring.vertex[k], ring.vertex[j], nx, ny, nz, original, reach):
            return False
        i, j = j, j + 1 if j + 1 < n else 0
    return True


@inlined
def edge_is_near(v, w, nx, ny, nz, original, reach):  # type: ignore[no-untyped-def]
    """Whether the straight line from vertex v to w is near the original mesh.

    The plane through both along a normal cuts a path from v to w out of the mesh. All its corners have to be within
    reach of the line. So every point of the line is within reach of the path.
    """
    points = original.points
    ox, oy, oz = points[v, 0], points[v, 1], points[v, 2]
    dx, dy, dz = points[w, 0] - ox, points[w, 1] - oy, points[w, 2] - oz
    mx, my, mz = cross(dx, dy, dz, nx, ny, nz)
    hx, hy, hz = cross(mx, my, mz, dx, dy, dz)
    whole = length(hx, hy, hz)
    if whole == 0:
        return False
    hx, hy, hz = hx / whole, hy / whole, hz / whole
    c = original.first[v]
    while True:
        p, q = original.vertex[after(c)], original.vertex[before(c)]
        if p == w or q == w:
            return True
        px, py, pz = points[p, 0] - ox, points[p, 1] - oy, points[p, 2] - oz
        qx, qy, qz = points[q, 0] - ox, points[q, 1] - oy, points[q, 2] - oz
        right, left = dot(px, py, pz, mx, my, mz), dot(qx, qy, qz, mx, my, mz)
        ahead = right * dot(qx, qy, qz, dx, dy, dz) - left * dot(px, py, pz, dx, dy, dz)
        if right >= 0 and left < 0 and ahead > 0:
            break
        c = after(original.opposite[after(c)])
        if c == original.first[v]:
            return False
    high_right, high_left = dot(px, py, pz, hx, hy, hz), dot(qx, qy, qz, hx, hy, hz)
    for _ in range(MOST_PASSED):
        if abs(high_left * right - high_right * left) > reach * (right - left):
            return False
        c = original.opposite[c]
        r = original.vertex[c]
        if r == w:
            return True
        x, y, z = points[r, 0] - ox, points[r, 1] - oy, points[r, 2] - oz
        side, high = dot(x, y, z, mx, my, mz), dot(x, y, z, hx, hy, hz)
        if side >= 0:
            right, high_right, c = side, high, before(c)
        else:
            left, high_left, c = side, high, after(c)
    return False


@inlined
def square_to_kept(x, y, z, a, b):  # type: ignore[no-untyped-def]
    """Squared distance from (x, y, z) to the segment from a to b."""
    return squared_distance_to_segment(a[0] - x, a[1] - y, a[2] - z, b[0] - a[0], b[1] - a[1], b[2] - a[2])


@inlined
def kept_edge_stays(u, k, end, mesh, removed, reach, ring):  # type: ignore[no-untyped-def]
    """Whether a kept edge between neighbours k and `end` would be near u and all vertices removed from its edges."""
    a, b, points = ring.place[k], ring.place[end], mesh.points
    if square_to_kept(0.0, 0.0, 0.0, a, b) > reach * reach:
        return False
    for i in (k, end):
        s = removed.of_edge[before(ring.corner[i])]
        while s >= 0:
            x, y, z = points[s, 0] - points[u, 0], points[s, 1] - points[u, 1], points[s, 2] - points[u, 2]
            if square_to_kept(x, y, z, a, b) > reach * reach:
                return False
            s = removed.next[s]
    return True


@inlined
def join_lists(u, one, other, mesh, removed):  # type: ignore[no-untyped-def]
    """Append vertex u, and the list of the edge opposite corner `other`, to the list of the edge opposite `one`."""
    removed.next[u] = removed.of_edge[one]
    tail = u
    while removed.next[tail] >= 0:
        tail = removed.next[tail]
    removed.next[tail] = removed.of_edge[other]
    removed.of_edge[one] = removed.of_edge[mesh.opposite[one]] = u


@inlined
def set_list(count, removed, ring):  # type: ignore[no-untyped-def]
    """Add `count` of ring.listed to the lists of the triangles in ring.face."""
    for i in range(count):
        s, f = ring.listed[i], ring.face[i]
        removed.next[s], removed.of_face[f] = removed.of_face[f], s


@inlined
def take_lists(n, k, count, mesh, removed, ring):  # type: ignore[no-untyped-def]
    """Move lists as the vertex is merged into neighbour k: `count` of ring.listed to the triangles in ring.face."""
    corner = ring.corner
    for j in range(n):
        removed.of_face[corner[j] // 3] = -1
    set_list(count, removed, ring)
    left, right = corner[k], corner[(k + n - 1) % n]
    for one, other in ((left, after(left)), (right, before(right))):
        head = removed.of_edge[one if mesh.kept[one] else other]
        removed.of_edge[mesh.opposite[one]] = removed.of_edge[mesh.opposite[other]] = head
