"""A closed triangle mesh as a table of corners, and how it is made, compiled by numba.

Corner c belongs to triangle c // 3. Its opposite corner lies across the edge that c faces (the corner table of
Rossignac, Safonova and Szymczak 2001). The corners of a triangle are in counter-clockwise order.
"""

from typing import Any, NamedTuple

import numpy as np

from ..engines.numba.compiler.decorators import inlined, kernel
from ..engines.numba.compiler.formulas import DOUBLE
from ..formulas import vector

cross, dot, length = DOUBLE(vector.cross), DOUBLE(vector.dot), DOUBLE(vector.length)


THREE = np.uint32(3)


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


@inlined
def after(c):  # type: ignore[no-untyped-def]
    """The next corner of the same triangle."""
    return c + 1 if np.uint32(c) % THREE < 2 else c - 2


@inlined
def before(c):  # type: ignore[no-untyped-def]
    """The previous corner of the same triangle."""
    return c - 1 if np.uint32(c) % THREE > 0 else c + 2


@kernel
def link_corners(start, stop, vertex, first, following):  # type: ignore[no-untyped-def]
    """Link the corners of each vertex: first (N,), initially -1, is followed by following (3 M,); -1 is the end.

    Call it for one run after the other.
    """
    for c in range(start, stop):
        following[c] = first[vertex[c]]
        first[vertex[c]] = c


@kernel
def match_edges(start, stop, vertex, first, following, opposite, locked):  # type: ignore[no-untyped-def]
    """Set opposite (3 M,), initially -1, for the edges from each vertex to those of higher numbers.

    The ends of an edge of more than two triangles are locked.
    """
    for v in range(start, stop):
        c = first[v]
        while c >= 0:
            w = vertex[after(c)]
            if w > v:
                found, other = 0, first[v]
                while other >= 0:
                    if vertex[before(other)] == w:
                        found += 1
                        if opposite[before(c)] < 0 and opposite[after(other)] < 0:
                            opposite[before(c)], opposite[after(other)] = after(other), before(c)
                    other = following[other]
                if found != 1:
                    locked[v] = locked[w] = True
            c = following[c]


@kernel
def lock_touching(start, stop, vertex, first, following, opposite, locked):  # type: ignore[no-untyped-def]
    """Lock the vertices where parts of the surface touch: a fan does not contain all their corners."""
    for v in range(start, stop):
        left, c = 0, first[v]
        while c >= 0:
            left, c = left + 1, following[c]
        c = first[v]
        while c >= 0 and left >= 0:
            left, c = left - 1, after(opposite[after(c)])
            if c == first[v]:
                break
        if left != 0:
            locked[v] = True


@kernel
def set_normals(start, stop, points, vertex, normal):  # type: ignore[no-untyped-def]
    """Set normal (M, 3) of `Corners`."""
    for f in range(start, stop):
        a, b, c = points[vertex[3 * f]], points[vertex[3 * f + 1]], points[vertex[3 * f + 2]]
        x, y, z = cross(b[0] - a[0], b[1] - a[1], b[2] - a[2], c[0] - a[0], c[1] - a[1], c[2] - a[2])
        whole = length(x, y, z)
        scale = 1.0 / whole if whole > 0 else 0.0
        normal[f, 0], normal[f, 1], normal[f, 2] = scale * x, scale * y, scale * z


@kernel
def mark_kept(start, stop, opposite, normal, region, segment, cosine, kept):  # type: ignore[no-untyped-def]
    """Set kept (3 M,) of `Corners` for triangles of other regions (M,), and for larger bends than that of a cosine.

    A bend between triangles of one segment (M,) is not kept, because a tool is round. -1 is no segment.
    """
    for f in range(start, stop):
        for c in range(3 * f, 3 * f + 3):
            g = opposite[c] // 3
            bent = dot(normal[f, 0], normal[f, 1], normal[f, 2], normal[g, 0], normal[g, 1], normal[g, 2]) < cosine
            kept[c] = region[f] != region[g] or (bent and (segment[f] < 0 or segment[f] != segment[g]))
