"""The triangles that a cut leaves, as a cloth: what may change in it, and how sides collapse and flip.

See `contour.rims`; `smoothing_kernels` says when.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.rims import LEAST_COSINE
from ..compiler.decorators import inlined, kernel, subroutine
from ..contour.overlaps import Array, Mask

Indices = npt.NDArray[np.int64]

FLIPPINGS = 3  # passes over all sides
NO_WORSE = 0.05  # a triangle that is turned already may turn by so much of its cosine
LEAST_AREA = 1e-9  # twice the area of a triangle, in square voxels: a smaller one has no normal


class Cloth(NamedTuple):
    """Triangles around the line of a cut, part by part. A part is connected, and no two have a point in common.

    Attributes:
        points: (P, 3), which change. From `base` on, they are nodes.
        triangles: (T, 3), which change; a triangle that has vanished begins with -1.
        normals: (T, 3) unit normals of what each was cut from.    of_sweep: (T,) which mesh that was.
        first: (K + 1,) the triangles of part k are first[k] to first[k + 1].
        head: (P,) the last corner at each point, -1 for none.    link: (3 T,) the corner before at the same point.
        free: (P,) points that may vanish.    into: (P,) what has vanished, where it went, -1 for the rest.
        held: (P,) what may not change: from 1 on, the triangles around a point; beyond HELD, its place.
        busy: (P,) for `flip_chords`.    sides, squares: (3 T, 2), (3 T,), for `find_short_sides`.
    """

    points: Array
    triangles: Indices
    normals: Array
    of_sweep: Mask
    first: Indices
    head: Indices
    link: Indices
    free: Mask
    into: Indices
    held: npt.NDArray[np.int8]
    busy: Mask
    sides: Indices
    squares: Array


class Nodes(NamedTuple):
    """The nodes of a cut.

    Attributes:
        place: (N, 3) where they should be.    moved: (N,) set for those that get there.
        bends: (N,) those at which the border bends: they stay, unless another is as near as NO_BEND.
        order: (N,) all of them, part by part.    first: (K + 1,) those of part k are order[first[k] : first[k + 1]].
    """

    place: Array
    moved: Mask
    bends: Mask
    order: Indices
    first: Indices


@subroutine
def link_corners(cloth, start, stop):  # type: ignore[no-untyped-def]
    """Set head and link for the triangles start to stop."""
    for t in range(start, stop):
        for k in range(3 if cloth.triangles[t, 0] >= 0 else 0):
            cloth.head[cloth.triangles[t, k]] = -1
    for t in range(start, stop):
        for k in range(3 if cloth.triangles[t, 0] >= 0 else 0):
            cloth.link[3 * t + k] = cloth.head[cloth.triangles[t, k]]
            cloth.head[cloth.triangles[t, k]] = 3 * t + k


@kernel
def find_normals_of(start, stop, points, triangles, normals):  # type: ignore[no-untyped-def]
    """Set normals (T, 3) to the unit normals of triangles (T, 3)."""
    for t in range(start, stop):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = math.sqrt(x * x + y * y + z * z)
        scale = 1.0 / length if length > 0.0 else 0.0
        normals[t, 0], normals[t, 1], normals[t, 2] = x * scale, y * scale, z * scale


@subroutine
def cosine_at(cloth, t, v, x, y, z):  # type: ignore[no-untyped-def]
    """The cosine between triangle t and what it was cut from, with point v at (x, y, z); -1 if it has no area."""
    a, b, c = cloth.triangles[t, 0], cloth.triangles[t, 1], cloth.triangles[t, 2]
    k = 0 if a == v else (1 if b == v else 2)
    b, c = cloth.triangles[t, (k + 1) % 3], cloth.triangles[t, (k + 2) % 3]
    p = cloth.points
    ux, uy, uz, vx, vy, vz = p[b, 0] - x, p[b, 1] - y, p[b, 2] - z, p[c, 0] - x, p[c, 1] - y, p[c, 2] - z
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    n = cloth.normals[t]
    return (nx * n[0] + ny * n[1] + nz * n[2]) / length if length > LEAST_AREA else -1.0


@inlined
def has_corner(cloth, t, v):  # type: ignore[no-untyped-def]
    """Whether v is a corner of triangle t."""
    return cloth.triangles[t, 0] == v or cloth.triangles[t, 1] == v or cloth.triangles[t, 2] == v


@subroutine
def may_move(cloth, v, but, x, y, z):  # type: ignore[no-untyped-def]
    """Whether no triangle at v turns around if v moves to (x, y, z). Triangles with the corner `but` do not count.

    One that is turned already may stay so: a sliver has no sure normal.
    """
    corner, fine = cloth.head[v], True
    px, py, pz = cloth.points[v, 0], cloth.points[v, 1], cloth.points[v, 2]
    while corner >= 0 and fine:
        t = corner // 3
        if cloth.triangles[t, 0] >= 0 and not has_corner(cloth, t, but):
            after = cosine_at(cloth, t, v, x, y, z)
            fine = after >= LEAST_COSINE or after > cosine_at(cloth, t, v, px, py, pz) - NO_WORSE
        corner = cloth.link[corner]
    return fine


@subroutine
def is_neighbour(cloth, v, w):  # type: ignore[no-untyped-def]
    """Whether a triangle has both corners."""
    corner, found = cloth.head[v], False
    while corner >= 0 and not found:
        t = corner // 3
        found = cloth.triangles[t, 0] >= 0 and has_corner(cloth, t, w)
        corner = cloth.link[corner]
    return found


@subroutine
def may_collapse(cloth, keeps, goes):  # type: ignore[no-untyped-def]
    """The link condition (Dey et al. 1999): two ends of a side have no common neighbours but those across it."""
    shared, common, corner = 0, 0, cloth.head[goes]
    while corner >= 0:
        t = corner // 3
        if cloth.triangles[t, 0] >= 0:
            shared += has_corner(cloth, t, keeps)
            # The next corner of each triangle around: each neighbour once.
            k = 0 if cloth.triangles[t, 0] == goes else (1 if cloth.triangles[t, 1] == goes else 2)
            w = cloth.triangles[t, (k + 1) % 3]
            common += w != keeps and is_neighbour(cloth, keeps, w)
        corner = cloth.link[corner]
    return shared == 2 and common == 2


@subroutine
def collapse(cloth, keeps, goes):  # type: ignore[no-untyped-def]
    """Put `goes` into `keeps`."""
    corner, last = cloth.head[goes], -1
    while corner >= 0:
        t = corner // 3
        if cloth.triangles[t, 0] >= 0:
            if has_corner(cloth, t, keeps):
                cloth.triangles[t, 0] = -1
            else:
                for k in range(3):
                    if cloth.triangles[t, k] == goes:
                        cloth.triangles[t, k] = keeps
        last, corner = corner, cloth.link[corner]
    cloth.into[goes] = keeps
    if last >= 0:
        cloth.link[last] = cloth.head[keeps]
        cloth.head[keeps] = cloth.head[goes]
        cloth.head[goes] = -1


@subroutine
def across(cloth, t, a, b):  # type: ignore[no-untyped-def]
    """The corner, as 3 t + k, across the side from b to a, in another triangle than t; -1 if there is none."""
    corner, found = cloth.head[a], -1
    while corner >= 0 and found < 0:
        u = corner // 3
        if u != t and cloth.triangles[u, 0] >= 0:
            for k in range(3):
                if cloth.triangles[u, k] == b and cloth.triangles[u, (k + 1) % 3] == a:
                    found = 3 * u + (k + 2) % 3
        corner = cloth.link[corner]
    return found


@subroutine
def shape_of(cloth, n, a, b, c):  # type: ignore[no-untyped-def]
    """The height of a triangle over its longest side, divided by that side; negative if it faces away from normal n."""
    p = cloth.points
    ux, uy, uz = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], p[b, 2] - p[a, 2]
    vx, vy, vz = p[c, 0] - p[a, 0], p[c, 1] - p[a, 1], p[c, 2] - p[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    area = math.sqrt(x * x + y * y + z * z)
    wx, wy, wz = vx - ux, vy - uy, vz - uz
    square = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz)
    facing = x * n[0] + y * n[1] + z * n[2]
    return (area if facing > LEAST_COSINE * area else -1.0) / max(square, 1e-300)


@subroutine
def flip_chords(base, cloth, start, stop):  # type: ignore[no-untyped-def]
    """Flip sides between two nodes that do not lie on the border, where that makes the worse triangle better.

    That is done for the triangles start to stop, but for those beside a held point or beside one that was flipped.
    Returns the number of sides.
    """
    for t in range(start, stop):
        for k in range(3 if cloth.triangles[t, 0] >= 0 else 0):
            cloth.busy[cloth.triangles[t, k]] = cloth.held[cloth.triangles[t, k]] > 0
    flips = 0
    for t in range(start, stop):
        for k in range(3 if cloth.triangles[t, 0] >= 0 else 0):
            a, b, c = cloth.triangles[t, k], cloth.triangles[t, (k + 1) % 3], cloth.triangles[t, (k + 2) % 3]
            if a < base or b < base or cloth.busy[a] or cloth.busy[b] or cloth.busy[c]:
                continue
            corner = across(cloth, t, a, b)
            if corner < 0 or cloth.of_sweep[corner // 3] != cloth.of_sweep[t]:
                continue
            u, d = corner // 3, cloth.triangles[corner // 3, corner % 3]
            if cloth.busy[d] or is_neighbour(cloth, c, d):
                continue
            n = cloth.normals[t]
            before = min(shape_of(cloth, n, a, b, c), shape_of(cloth, n, b, a, d))
            after = min(shape_of(cloth, n, a, d, c), shape_of(cloth, n, d, b, c))
            if after > before:
                cloth.triangles[t, 0], cloth.triangles[t, 1], cloth.triangles[t, 2] = a, d, c
                cloth.triangles[u, 0], cloth.triangles[u, 1], cloth.triangles[u, 2] = d, b, c
                cloth.busy[a], cloth.busy[b], cloth.busy[c], cloth.busy[d] = True, True, True, True
                flips += 1
                break
    return flips


@subroutine
def flip_often(base, cloth, start, stop):  # type: ignore[no-untyped-def]
    """Flip sides a few times, because flipped triangles lie apart."""
    for _ in range(FLIPPINGS):
        if flip_chords(base, cloth, start, stop) == 0:
            break
        link_corners(cloth, start, stop)
