"""The triangles around one vertex, and how they merge if it is removed, compiled by numba.

A vertex u is merged into a neighbour (a half-edge collapse). The two triangles at their common edge vanish, and the
others around u form a fan around that neighbour. Neighbours are numbered counter-clockwise: triangle k of the ring lies
between neighbours k and k + 1.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engines.numba.compiler.decorators import inlined, kernel
from .corner_table import after, before, cross, dot

# A vertex with more triangles around it is never removed, and none gets more.
MOST_AROUND = 16
# With more removed vertices around it, a vertex is not removed.
MOST_LISTED = 1 << 14
# The smallest height of a triangle, as a fraction of its longest side, unless it was smaller before.
LEAST_SHAPE = 0.08
# The smallest cosine between a triangle's normals before and after a collapse.
LEAST_COSINE = 0.7


class Cubes(NamedTuple):
    """A grid of cubes. A vertex is removed only if all its neighbours lie in the same cube.

    Attributes:
        low: (3,) float64, the grid's corner.
        scale: cubes per Blender unit.
        count: (3,) int64, the number of cubes along x, y and z.
    """

    low: Any
    scale: float
    count: Any


class Ring(NamedTuple):
    """Scratch memory for the n triangles around a vertex.

    Attributes:
        corner, vertex: (MOST_AROUND,) int32, the corners at the vertex, and the neighbours after them.
        place: (MOST_AROUND, 3) float64, the neighbours relative to the vertex.
        cost: (MOST_AROUND,) float64, of merging the vertex into each neighbour; infinite if that is not allowed.
        fan: (MOST_AROUND, 9) float64, of the triangles after a collapse: see `spread_fan`.
        listed, face: (MOST_LISTED,) int32, removed vertices and the triangles chosen for them.
    """

    corner: Any
    vertex: Any
    place: Any
    cost: Any
    fan: Any
    listed: Any
    face: Any


def ring_scratch() -> Ring:
    """Scratch memory for one thread."""
    corner, vertex = np.empty((2, MOST_AROUND), dtype=np.int32)
    listed, face = np.empty((2, MOST_LISTED), dtype=np.int32)
    return Ring(
        corner, vertex, np.empty((MOST_AROUND, 3)), np.empty(MOST_AROUND), np.empty((MOST_AROUND, 9)), listed, face
    )


@inlined
def cube_of(v, points, cubes):  # type: ignore[no-untyped-def]
    """The number of the cube of vertex v along x, y and z."""
    return (
        np.int64((points[v, 0] - cubes.low[0]) * cubes.scale),
        np.int64((points[v, 1] - cubes.low[1]) * cubes.scale),
        np.int64((points[v, 2] - cubes.low[2]) * cubes.scale),
    )


@kernel
def number_cubes(start, stop, vertices, points, cubes, number):  # type: ignore[no-untyped-def]
    """Set number (V,) to the number of the cube of each of the vertices (V,)."""
    for i in range(start, stop):
        x, y, z = cube_of(vertices[i], points, cubes)
        number[i] = (z * cubes.count[1] + y) * cubes.count[0] + x


@inlined
def ring_of(u, cube, mesh, cubes, ring):  # type: ignore[no-untyped-def]
    """Set the ring of vertex u in a cube. Return the number of triangles.

    It is -1 if there are too many, and if a neighbour lies in another cube.
    """
    c, n, points = mesh.first[u], 0, mesh.points
    while True:
        w = mesh.vertex[after(c)]
        if n == MOST_AROUND or cube_of(w, points, cubes) != cube:
            return -1
        ring.corner[n], ring.vertex[n] = c, w
        for i in range(3):
            ring.place[n, i] = points[w, i] - points[u, i]
        n += 1
        c = after(mesh.opposite[after(c)])
        if c == ring.corner[0]:
            return n


@inlined
def kept_edges(n, mesh, ring):  # type: ignore[no-untyped-def]
    """How many kept edges meet at the vertex, and the neighbours at the end of the first two."""
    # Python literals would be other types, for which numba would compile everything again.
    count: Any = np.int64(0)
    one: Any = np.int64(-1)
    other: Any = np.int64(-1)
    for k in range(n):
        if mesh.kept[before(ring.corner[k])]:
            count += 1
            one, other = (k, other) if count == 1 else (one, k)
    return count, one, other


@inlined
def shape_between(ring, j, i, x, y, z):  # type: ignore[no-untyped-def]
    """The normal of the triangle between neighbours j, i and (x, y, z), and its squared length.

    It is followed by the fourth power of the longest side, so that their quotient is the squared shape: the height as a
    fraction of the longest side.
    """
    place = ring.place
    ux, uy, uz = place[j, 0] - x, place[j, 1] - y, place[j, 2] - z
    vx, vy, vz = place[i, 0] - x, place[i, 1] - y, place[i, 2] - z
    wx, wy, wz = vx - ux, vy - uy, vz - uz
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    square = dot(nx, ny, nz, nx, ny, nz)
    longest = max(dot(ux, uy, uz, ux, uy, uz), dot(vx, vy, vz, vx, vy, vz), dot(wx, wy, wz, wx, wy, wz))
    return nx, ny, nz, square, longest * longest


@inlined
def least_shape(n, ring):  # type: ignore[no-untyped-def]
    """The least squared shape that triangles may get: LEAST_SHAPE, or a little less than they have."""
    limit = LEAST_SHAPE * LEAST_SHAPE
    for k in range(n):
        _, _, _, square, longest = shape_between(ring, k, k + 1 if k + 1 < n else 0, 0.0, 0.0, 0.0)
        if square < limit * longest:
            limit = 0.998 * square / longest
    return limit


@inlined
def shape_after(n, k, least, mesh, ring):  # type: ignore[no-untyped-def]
    """The least squared shape after the vertex is merged into neighbour k; -1 if a triangle gets too thin or flips."""
    x, y, z, worst = ring.place[k, 0], ring.place[k, 1], ring.place[k, 2], 1.0
    j = k + 1 if k + 1 < n else 0
    for _ in range(n - 2):
        i = j + 1 if j + 1 < n else 0
        nx, ny, nz, square, longest = shape_between(ring, j, i, x, y, z)
        f = ring.corner[j] // 3
        fx, fy, fz = mesh.normal[f, 0], mesh.normal[f, 1], mesh.normal[f, 2]
        cosine = dot(nx, ny, nz, fx, fy, fz)
        known = fx != 0 or fy != 0 or fz != 0
        if square <= least * longest or (
            known and (cosine < 0 or cosine * cosine < LEAST_COSINE * LEAST_COSINE * square)
        ):
            return -1.0
        worst = min(worst, square / longest)
        j = i
    return worst


@inlined
def is_linked(n, k, mesh, ring):  # type: ignore[no-untyped-def]
    """Link condition: whether the mesh stays a manifold if a vertex is merged into neighbour k (Dey et al. 1999)."""
    v = ring.vertex[k]
    if mesh.locked[v]:
        return False
    c, common, count = mesh.first[v], 0, 0
    while True:
        w = mesh.vertex[after(c)]
        for j in range(n):
            common += ring.vertex[j] == w
        count += 1
        c = after(mesh.opposite[after(c)])
        if c == mesh.first[v]:
            break
        if count > MOST_AROUND:
            return False
    if common != 2 or n + count - 4 > MOST_AROUND:
        return False
    # The two neighbours that lose a triangle must keep three.
    for x in (ring.vertex[(k + 1) % n], ring.vertex[(k + n - 1) % n]):
        c = mesh.first[x]
        for _ in range(3):
            c = after(mesh.opposite[after(c)])
        if c == mesh.first[x]:
            return False
    return True


@inlined
def merge(u, n, k, mesh, ring):  # type: ignore[no-untyped-def]
    """Merge vertex u into neighbour k."""
    corner, v = ring.corner, ring.vertex[k]
    for d in range(1, n - 1):
        j = (k + d) % n
        mesh.vertex[corner[j]] = v
        nx, ny, nz, square, _ = shape_between(
            ring, j, (j + 1) % n, ring.place[k, 0], ring.place[k, 1], ring.place[k, 2]
        )
        f, scale = corner[j] // 3, 1.0 / math.sqrt(square)
        mesh.normal[f, 0], mesh.normal[f, 1], mesh.normal[f, 2] = scale * nx, scale * ny, scale * nz
    left, right = corner[k], corner[(k + n - 1) % n]
    beyond_left, beyond_right = mesh.opposite[left], mesh.opposite[right]
    join_edges(left, after(left), mesh)
    join_edges(right, before(right), mesh)
    mesh.first[ring.vertex[(k + 1) % n]] = after(beyond_left)
    mesh.first[v] = before(beyond_left)
    mesh.first[ring.vertex[(k + n - 1) % n]] = before(beyond_right)
    mesh.first[u] = -1
    for i in range(3):
        mesh.vertex[left // 3 * 3 + i] = -1
        mesh.vertex[right // 3 * 3 + i] = -1


@inlined
def join_edges(one, other, mesh):  # type: ignore[no-untyped-def]
    """Merge the two edges opposite two corners of a vanishing triangle."""
    a, b = mesh.opposite[one], mesh.opposite[other]
    mesh.opposite[a], mesh.opposite[b] = b, a
    mesh.kept[a] = mesh.kept[b] = mesh.kept[one] or mesh.kept[other]
