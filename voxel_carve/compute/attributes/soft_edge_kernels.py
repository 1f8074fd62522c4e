"""The kernels of `soft_edges`, compiled by numba."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.decorators import kernel, subroutine
from ..engines.numba.compiler.formulas import DOUBLE
from ..formulas import vector
from .normal_kernels import ASIDE, ASKEW, SMOOTH_COSINE, reach_segment, side_normal

cross = DOUBLE(vector.cross)
dot = DOUBLE(vector.dot)
norm = DOUBLE(vector.length)

# The step between two normals that does not show.
EQUAL_COSINE = math.cos(math.radians(0.5))
# So many segments are looked for around a vertex.
MOST_SIDES = 12
# The state of a vertex.
OFF, NEAR, SOFT = 0, 1, 2
# The columns of a segment near a vertex: that of a face, the nearest one on its path, and its normal and its distance.
OF_FACE, NEAREST, X, Y, Z, DISTANCE = 0, 1, 2, 3, 4, 5
# The least way to an edge of less than 30 degrees, by how much farther the other side is.
LEAST_AWAY = 1.0 / math.sin(math.acos(SMOOTH_COSINE))


class SoftEdges(NamedTuple):
    """The corners at V vertices of a mesh, those on soft edges and beside them. Corner k of face q is 4 q + k.

    Attributes:
        start: (V + 1,) int64, the first corner of each one in `corner`.
        corner: (C,) int64.
        place: (N,) int32, which of the V a vertex of the mesh is, -1 for none.
        state: (N,) uint8, whether a vertex of the mesh is on a soft edge (SOFT), beside it (NEAR), or neither.
    """

    start: npt.NDArray[np.int64]
    corner: npt.NDArray[np.int64]
    place: npt.NDArray[np.int32]
    state: npt.NDArray[np.uint8]


@subroutine
def cosine_between(normals, c, d):  # type: ignore[no-untyped-def]
    """The cosine between the normals at two corners."""
    p, q, i, k = c >> 2, d >> 2, c & 3, d & 3
    return (
        normals[p, i, 0] * normals[q, k, 0] + normals[p, i, 1] * normals[q, k, 1] + normals[p, i, 2] * normals[q, k, 2]
    )


@kernel
def mark_soft(start, stop, faces, primitive, part, joined, normals, first, owner, state):  # type: ignore[no-untyped-def]
    """Mark as SOFT the vertices at whose corners normals (M, K, 3) differ, by little enough to be blended. `first` and
    `owner` (N,) int32 are the first corner of each vertex that was met so far, -1 for none, and the segment there."""
    for q in range(start, stop):
        if part[q] != ASIDE:
            p = primitive[q]
            for k in range(faces.shape[1]):
                v = faces[q, k]
                if first[v] < 0:
                    first[v] = 4 * q + k
                    owner[v] = p
                elif owner[v] != p and joined[p, 0] != owner[v] and joined[p, 1] != owner[v]:
                    is_soft_here = SMOOTH_COSINE < cosine_between(normals, first[v], 4 * q + k) < EQUAL_COSINE
                    state[v] = SOFT if is_soft_here else state[v]


@kernel
def mark_near(start, stop, faces, part, state, around):  # type: ignore[no-untyped-def]
    """Mark as NEAR the other vertices of faces at SOFT ones. List these faces in `around`; return their number."""
    count, sides = 0, faces.shape[1]
    for q in range(start, stop):
        if part[q] != ASIDE:
            is_around = False
            for k in range(sides):
                is_around = is_around or state[faces[q, k]] == SOFT
            if is_around:
                around[count] = q
                count += 1
                for k in range(sides):
                    v = faces[q, k]
                    state[v] = max(state[v], NEAR)
    return count


@kernel
def list_corners(start, stop, faces, part, state, place, size, corners):  # type: ignore[no-untyped-def]
    """List the corners at NEAR and SOFT vertices; return their number. Number these vertices in `place` (N,), and count
    their corners in size (V + 1,), whose last is the number of those met so far."""
    count = 0
    for q in range(start, stop):
        if part[q] != ASIDE:
            for k in range(faces.shape[1]):
                v = faces[q, k]
                if state[v] != OFF:
                    if place[v] < 0:
                        place[v] = size[-1]
                        size[-1] += 1
                    size[place[v]] += 1
                    corners[count] = 4 * q + k
                    count += 1
    return count


@kernel
def sort_corners(corners, faces, place, start, ordered):  # type: ignore[no-untyped-def]
    """Put corners (C,) in the order of their vertices, of which each begins at start (V,), which is changed."""
    for n in range(len(corners)):
        c = corners[n]
        m = place[faces[c >> 2, c & 3]]
        ordered[start[m]] = c
        start[m] += 1


@subroutine
def sides_around(n, faces, primitive, part, edges, sides):  # type: ignore[no-untyped-def]
    """List the segments that have faces at a soft vertex of a face around the vertex n of `edges`, in the first column
    of sides (MOST_SIDES, 6). Return their number."""
    count, last = 0, -1
    for i in range(edges.start[n], edges.start[n + 1]):
        q = edges.corner[i] >> 2
        for k in range(faces.shape[1]):
            u = faces[q, k]
            if edges.state[u] == SOFT and u != last:
                last = u
                m = edges.place[u]
                for j in range(edges.start[m], edges.start[m + 1]):
                    other = edges.corner[j] >> 2
                    p = primitive[other]
                    is_new = part[other] != ASKEW and count < len(sides)
                    for side in range(count):
                        is_new = is_new and sides[side, OF_FACE] != p
                    if is_new:
                        sides[count, OF_FACE] = p
                        count += 1
    return count


@subroutine
def measure_sides(count, point, cut, width, sides):  # type: ignore[no-untyped-def]
    """Set the other columns of sides. One that is listed twice, or too far away to count, gets an infinite distance."""
    least = math.inf
    for m in range(count):
        nearest, _, distance = reach_segment(int(sides[m, OF_FACE]), point, cut.cones, cut.joined)
        sides[m, NEAREST], sides[m, DISTANCE] = nearest, distance
        least = min(least, distance)
    for m in range(count):
        away = LEAST_AWAY * (sides[m, DISTANCE] - least)
        for other in range(m):
            if sides[other, NEAREST] == sides[m, NEAREST]:
                away = math.inf
        if away < width:
            p = int(sides[m, NEAREST])
            x, y, z = side_normal(p, point, cut.cones, cut.joints)
            sides[m, X], sides[m, Y], sides[m, Z] = cut.sign[p] * x, cut.sign[p] * y, cut.sign[p] * z
        else:
            sides[m, DISTANCE] = math.inf
    return least


@kernel
def turn_normals(start, stop, points, faces, primitive, part, cut, edges, width, normals, sides):  # type: ignore[no-untyped-def]
    """Add to the normals at the corners of each vertex of `edges` those of other segments nearby, the more the nearer
    their sides are: half at the edge, and nothing at `width` from it."""
    for n in range(start, stop):
        c = edges.corner[edges.start[n]]
        point = points[faces[c >> 2, c & 3]]
        count = sides_around(n, faces, primitive, part, edges, sides)
        if count < 2:
            continue
        least = measure_sides(count, point, cut, width, sides)
        for i in range(edges.start[n], edges.start[n + 1]):
            q, k = edges.corner[i] >> 2, edges.corner[i] & 3
            if part[q] != ASKEW:
                nx, ny, nz = normals[q, k, 0], normals[q, k, 1], normals[q, k, 2]
                x, y, z = 1.0 * nx, 1.0 * ny, 1.0 * nz
                for m in range(count):
                    if sides[m, DISTANCE] < math.inf:
                        sx, sy, sz = sides[m, X], sides[m, Y], sides[m, Z]
                        cosine = dot(nx, ny, nz, sx, sy, sz)
                        if SMOOTH_COSINE < cosine < EQUAL_COSINE:
                            away = (sides[m, DISTANCE] - least) / math.sqrt(1.0 - cosine * cosine)
                            share = max(1.0 - away / width, 0.0)
                            share *= share * (3.0 - 2.0 * share)
                            x, y, z = x + share * sx, y + share * sy, z + share * sz
                length = norm(x, y, z)
                normals[q, k, 0], normals[q, k, 1], normals[q, k, 2] = x / length, y / length, z / length


@subroutine
def beside(faces, c, way):  # type: ignore[no-untyped-def]
    """The vertex after (way 1) or before (-1) corner c of a face."""
    sides = faces.shape[1]
    q, k = c >> 2, c & 3
    other = faces[q, (k + way + sides) % sides]
    if other == faces[q, k]:
        other = faces[q, (k + 2 * way + sides) % sides]
    return other


@subroutine
def opening(points, faces, c):  # type: ignore[no-untyped-def]
    """The angle of a face at corner c; 0 at one that is named again."""
    sides = faces.shape[1]
    q, k = c >> 2, c & 3
    if k == sides - 1 and faces[q, k] == faces[q, 0]:
        return 0.0
    v, a, b = faces[q, k], beside(faces, c, 1), beside(faces, c, -1)
    ux, uy, uz = points[a, 0] - points[v, 0], points[a, 1] - points[v, 1], points[a, 2] - points[v, 2]
    wx, wy, wz = points[b, 0] - points[v, 0], points[b, 1] - points[v, 1], points[b, 2] - points[v, 2]
    x, y, z = cross(ux, uy, uz, wx, wy, wz)
    return math.atan2(norm(x, y, z), dot(ux, uy, uz, wx, wy, wz))


@subroutine
def is_soft(faces, normals, c, d):  # type: ignore[no-untyped-def]
    """Whether corners c and d of one vertex have an edge between them, or belong to one face, and like normals."""
    if cosine_between(normals, c, d) <= SMOOTH_COSINE:
        return False
    after, before = beside(faces, c, 1) == beside(faces, d, -1), beside(faces, c, -1) == beside(faces, d, 1)
    return c >> 2 == d >> 2 or after or before


@kernel
def join_corners(start, stop, points, faces, part, edges, normals, group):  # type: ignore[no-untyped-def]
    """Give the corners of each soft vertex one normal for those that are joined by soft edges: the mean, by the angles
    of the faces there. `group` is for as many numbers as a vertex has corners."""
    for n in range(start, stop):
        base, count = edges.start[n], edges.start[n + 1] - edges.start[n]
        c = edges.corner[base]
        if edges.state[faces[c >> 2, c & 3]] != SOFT:
            continue
        for i in range(count):
            group[i] = i
        for i in range(count):
            for j in range(i):
                one, other = group[i], group[j]
                if one != other and is_soft(faces, normals, edges.corner[base + i], edges.corner[base + j]):
                    for k in range(count):
                        if group[k] == other:
                            group[k] = one
        for i in range(count):
            # The last of a group is the one to blend it.
            one = group[i]
            is_last = True
            for j in range(i + 1, count):
                is_last = is_last and group[j] != one
            if is_last:
                x, y, z = 0.0, 0.0, 0.0
                for j in range(i + 1):
                    c = edges.corner[base + j]
                    q, k = c >> 2, c & 3
                    if group[j] == one and part[q] != ASKEW:
                        weight = opening(points, faces, c)
                        x += weight * normals[q, k, 0]
                        y += weight * normals[q, k, 1]
                        z += weight * normals[q, k, 2]
                length = norm(x, y, z)
                for j in range(i + 1):
                    c = edges.corner[base + j]
                    q, k = c >> 2, c & 3
                    if group[j] == one and part[q] != ASKEW and length > 0.0:
                        normals[q, k, 0] = x / length
                        normals[q, k, 1] = y / length
                        normals[q, k, 2] = z / length
