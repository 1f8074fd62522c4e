"""Half-edge collapses that remove vertices one by one, compiled by numba: see `simplify` for the rules.

Removed vertices are kept in linked lists: vertex s is followed by next[s], and -1 ends a list.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engines.numba.compiler.decorators import kernel, subroutine
from .corner_table import (
    after,
    before,
    between_segments,
    common_side,
    ring_of,
    shape_of,
    to_original,
    to_segment,
    to_triangle,
    triangle_towards,
    walk_near,
)

# A vertex with more triangles around it is never removed.
MOST_AROUND = 32
# The smallest cosine between a triangle's normals before and after a collapse.
LEAST_COSINE = 0.7
# The search for a nearer triangle stops at this squared distance, as a fraction of the squared tolerance.
NEAR_ENOUGH = 1e-4
# Steps along a new edge start at half of the mesh's spacing. Below this fraction of it, the edge is refused.
LEAST_STEP = 1 / 64


class Removed(NamedTuple):
    """The removed vertices, each in the list of a nearby triangle or kept edge.

    Attributes:
        next: (N,) int32, the next vertex in the list of a triangle.
        of_face: (M,) int32, the first vertex in the list of each triangle, or -1.
        next_kept: (N,) int32, the next vertex in the list of a kept edge.
        of_edge: (3 M,) int32, the first vertex in the list of the edge opposite each corner, or -1.
    """

    next: Any
    of_face: Any
    next_kept: Any
    of_edge: Any


class Scratch(NamedTuple):
    """Scratch memory.

    Attributes:
        ring: (MOST_AROUND,) int32, the corners at a vertex, counter-clockwise; and `around`, the vertices after them.
        score: (MOST_AROUND,) float64, the worst triangle shape after each collapse; negative if it is not allowed.
        mark: (1,) int32, the last mark given to vertices in stamp (N,) int32.
        which, face: (N,) int32, vertices and the triangles chosen for them.
        cross: (4,) float64, a normal and its length; last (4,), the previous one; here, there (3,), points on an edge.
    """

    ring: Any
    around: Any
    score: Any
    mark: Any
    stamp: Any
    which: Any
    face: Any
    cross: Any
    last: Any
    here: Any
    there: Any


class Limits(NamedTuple):
    """The limits of a collapse, in Blender units.

    Attributes:
        square: largest squared distance between the new mesh and the old one.
        shape: smallest height of a triangle, as a fraction of its longest side.
        spacing: mean edge length of the old mesh.
        flat: if the cosine between the normals of an edge's triangles is above this, the edge is not checked.
    """

    square: float
    shape: float
    spacing: float
    flat: float


@kernel
def sweep(start, stop, number, mesh, original, removed, scratch, limits, asleep, resting):  # type: ignore[no-untyped-def]
    """Remove the vertices from `start` to `stop` that can be removed. Return how many.

    The neighbours of a removed vertex rest during the sweep `number` (resting (N,) int32), so that triangles grow
    evenly. A vertex that could not be removed sleeps (asleep (N,) bool) until something around it changes.
    """
    count = 0
    for u in range(start, stop):
        if mesh.first[u] < 0 or asleep[u] or resting[u] == number or mesh.locked[u]:
            continue
        asleep[u] = True
        n = ring_of(mesh, u, scratch.ring)
        for j in range(n):
            scratch.around[j] = mesh.vertex[after(scratch.ring[j])]
        if n >= 3 and remove(u, n, mesh, original, removed, scratch, limits):
            count += 1
            for j in range(n):
                asleep[scratch.around[j]] = False
                resting[scratch.around[j]] = number
    return count


@subroutine
def remove(u, n, mesh, original, removed, scratch, limits):  # type: ignore[no-untyped-def]
    """Merge vertex u, with n triangles around it, into the neighbour that leaves the best shapes. False if none can."""
    # Python literals would be other types, for which numba would compile everything again.
    one: Any = np.int64(-1)
    other: Any = np.int64(-1)
    ring, kept = scratch.ring, 0
    for k in range(n):
        if mesh.kept[before(ring[k])]:
            kept += 1
            one, other = (k, other) if kept == 1 else (one, k)
    if kept != 0 and kept != 2:
        return False
    least = limits.shape
    for k in range(n):
        shape = shape_of(
            mesh.points[u], mesh.points[scratch.around[k]], mesh.points[scratch.around[(k + 1) % n]], scratch.cross
        )
        least = min(least, 0.999 * shape)
    for k in range(n):
        scratch.score[k] = -1.0
        if kept == 0:
            allowed = True
        else:
            end = other if k == one else one
            allowed = k in (one, other) and edge_stays(u, n, k, end, mesh, removed, scratch, limits)
        if allowed:
            scratch.score[k] = score_of(n, k, mesh, scratch, least)
    while True:
        best: Any = np.int64(0)
        for k in range(n):
            if scratch.score[k] > scratch.score[best]:
                best = k
        if scratch.score[best] < 0:
            return False
        if is_linked(n, best, mesh, scratch):
            count = place_removed(u, n, best, kept == 0, mesh, removed, scratch, limits)
            if count >= 0 and edges_stay(n, best, mesh, original, scratch, limits):
                break
        scratch.score[best] = -1.0
    if kept == 2:
        join_lists(u, before(ring[other if best == one else one]), before(ring[best]), mesh, removed)
    merge(u, n, best, count, mesh, removed, scratch)
    return True


@subroutine
def edge_stays(u, n, k, end, mesh, removed, scratch, limits):  # type: ignore[no-untyped-def]
    """Whether a kept edge between neighbours k and `end` would be near u and all vertices removed from its edges."""
    if (end - k) % n == 1 or (k - end) % n == 1:
        return False
    a, b = mesh.points[scratch.around[k]], mesh.points[scratch.around[end]]
    if to_segment(mesh.points[u], a, b) > limits.square:
        return False
    for i in (k, end):
        s = removed.of_edge[before(scratch.ring[i])]
        while s >= 0:
            if to_segment(mesh.points[s], a, b) > limits.square:
                return False
            s = removed.next_kept[s]
    return True


@subroutine
def is_linked(n, k, mesh, scratch):  # type: ignore[no-untyped-def]
    """Link condition: whether the mesh stays a manifold if a vertex is merged into neighbour k (Dey et al. 1999)."""
    v = scratch.around[k]
    if mesh.locked[v]:
        return False
    scratch.mark[0] += 1
    mark = scratch.mark[0]
    for j in range(n):
        scratch.stamp[scratch.around[j]] = mark
    c, common, count = mesh.first[v], 0, 0
    while True:
        common += scratch.stamp[mesh.vertex[after(c)]] == mark
        count += 1
        c = after(mesh.opposite[after(c)])
        if c == mesh.first[v]:
            break
        if count > MOST_AROUND:
            return False
    if common != 2 or n + count - 4 > MOST_AROUND:
        return False
    # The two neighbours that lose a triangle must keep three.
    for x in (scratch.around[(k + 1) % n], scratch.around[(k + n - 1) % n]):
        c = mesh.first[x]
        for _ in range(3):
            c = after(mesh.opposite[after(c)])
        if c == mesh.first[x]:
            return False
    return True


@subroutine
def score_of(n, k, mesh, scratch, least):  # type: ignore[no-untyped-def]
    """The worst shape after a vertex is merged into neighbour k; -1 if a triangle gets too thin or flips."""
    v, worst, cross = mesh.points[scratch.around[k]], 1.0, scratch.cross
    for d in range(1, n - 1):
        j = (k + d) % n
        shape = shape_of(v, mesh.points[scratch.around[j]], mesh.points[scratch.around[(j + 1) % n]], cross)
        normal = mesh.normal[scratch.ring[j] // 3]
        cosine = cross[0] * normal[0] + cross[1] * normal[1] + cross[2] * normal[2]
        known = normal[0] != 0 or normal[1] != 0 or normal[2] != 0
        if shape <= least or (known and cosine < LEAST_COSINE * cross[3]):
            return -1.0
        worst = min(worst, shape)
    return worst


@subroutine
def place_removed(u, n, k, free, mesh, removed, scratch, limits):  # type: ignore[no-untyped-def]
    """Find a triangle near each removed vertex around u, as if u were merged into neighbour k.

    The pairs are written to scratch.which and scratch.face. Returns their number, or -1 if a vertex is too far away.
    """
    v, count = mesh.points[scratch.around[k]], 0
    for j in range(-1, n):
        s = removed.of_face[scratch.ring[j] // 3] if j >= 0 else u
        while s >= 0 and (j >= 0 or free):
            least, d = math.inf, min(max((j - k) % n, 1), n - 2)
            for _ in range(n - 2):
                i = (k + d) % n
                a, b = mesh.points[scratch.around[i]], mesh.points[scratch.around[(i + 1) % n]]
                square = to_triangle(mesh.points[s], v, a, b)
                if square < least:
                    least = square
                    scratch.face[count] = scratch.ring[i] // 3
                if square < NEAR_ENOUGH * limits.square:
                    break
                d = d + 1 if d < n - 2 else 1
            if least > limits.square:
                return -1
            scratch.which[count] = s
            count += 1
            s = removed.next[s] if j >= 0 else -1
    return count


@subroutine
def edges_stay(n, k, mesh, original, scratch, limits):  # type: ignore[no-untyped-def]
    """Whether the new edges of a merge into neighbour k are near the original mesh along their whole length."""
    v, cross, last = scratch.around[k], scratch.cross, scratch.last
    for d in range(1, n - 1):
        a, b = scratch.around[(k + d) % n], scratch.around[(k + d + 1) % n]
        shape_of(mesh.points[v], mesh.points[a], mesh.points[b], cross)
        cosine = cross[0] * last[0] + cross[1] * last[1] + cross[2] * last[2]
        if (
            d > 1
            and cosine < limits.flat * cross[3] * last[3]
            and not edge_stays_near(v, a, mesh, original, scratch, limits)
        ):
            return False
        for i in range(4):
            last[i] = cross[i]
    return True


@subroutine
def edge_stays_near(v, w, mesh, original, scratch, limits):  # type: ignore[no-untyped-def]
    """Whether all points between vertices v and w are within the tolerance of the original mesh.

    The distance to a triangle is convex along the edge. If it is small enough at both ends of a step, it is small
    enough in between. A step to an adjacent triangle must pass near their common side. A longer step is halved.
    """
    a, b, x, z = mesh.points[v], mesh.points[w], scratch.here, scratch.there
    length = math.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2)
    part = min(0.25 * limits.spacing / max(length, 1e-300), 0.5)
    for i in range(3):
        z[i], x[i] = a[i], a[i] + part * (b[i] - a[i])
    f = triangle_towards(v, x, mesh.points, original)
    at, step = 0.0, 0.5 * limits.spacing
    while at < length:
        to = min(at + step, length)
        for i in range(3):
            x[i] = a[i] + to / length * (b[i] - a[i])
        if to_original(f, x, mesh.points, original) > limits.square:
            g, square = walk_near(f, x, mesh.points, original)
            if square > limits.square:
                return False
            side = common_side(f, g, original)
            if side >= 0:
                p, q = mesh.points[original.vertex[after(side)]], mesh.points[original.vertex[before(side)]]
                if between_segments(z, x, p, q) > limits.square:
                    return False
            elif to_original(g, z, mesh.points, original) > limits.square:
                step = 0.5 * (to - at)
                if step < LEAST_STEP * limits.spacing:
                    return False
                continue
            f = g
        at, step = to, min(2 * step, limits.spacing)
        for i in range(3):
            z[i] = x[i]
    return True


@subroutine
def join_lists(u, one, other, mesh, removed):  # type: ignore[no-untyped-def]
    """Append vertex u, and the list of the edge opposite corner `other`, to the list of the edge opposite `one`."""
    removed.next_kept[u] = removed.of_edge[one]
    tail = u
    while removed.next_kept[tail] >= 0:
        tail = removed.next_kept[tail]
    removed.next_kept[tail] = removed.of_edge[other]
    removed.of_edge[one] = u
    removed.of_edge[mesh.opposite[one]] = u


@subroutine
def merge(u, n, k, count, mesh, removed, scratch):  # type: ignore[no-untyped-def]
    """Merge u into neighbour k. Assign the first `count` vertices of scratch.which to the triangles in scratch.face."""
    ring, v = scratch.ring, scratch.around[k]
    for j in range(n):
        removed.of_face[ring[j] // 3] = -1
    for i in range(count):
        s, f = scratch.which[i], scratch.face[i]
        removed.next[s] = removed.of_face[f]
        removed.of_face[f] = s
    for d in range(1, n - 1):
        j = (k + d) % n
        mesh.vertex[ring[j]] = v
        shape_of(
            mesh.points[v], mesh.points[scratch.around[j]], mesh.points[scratch.around[(j + 1) % n]], scratch.cross
        )
        for i in range(3):
            mesh.normal[ring[j] // 3, i] = scratch.cross[i] / scratch.cross[3]
    left, right = ring[k], ring[(k + n - 1) % n]
    beyond_left, beyond_right = mesh.opposite[left], mesh.opposite[right]
    join_edges(left, after(left), mesh, removed)
    join_edges(right, before(right), mesh, removed)
    mesh.first[scratch.around[(k + 1) % n]] = after(beyond_left)
    mesh.first[v] = before(beyond_left)
    mesh.first[scratch.around[(k + n - 1) % n]] = before(beyond_right)
    mesh.first[u] = -1
    for i in range(3):
        mesh.vertex[left // 3 * 3 + i] = -1
        mesh.vertex[right // 3 * 3 + i] = -1


@subroutine
def join_edges(one, other, mesh, removed):  # type: ignore[no-untyped-def]
    """Merge the two edges opposite two corners of a vanishing triangle."""
    a, b = mesh.opposite[one], mesh.opposite[other]
    head = removed.of_edge[one if mesh.kept[one] else other]
    kept = mesh.kept[one] or mesh.kept[other]
    mesh.opposite[a], mesh.opposite[b] = b, a
    mesh.kept[a] = mesh.kept[b] = kept
    removed.of_edge[a] = removed.of_edge[b] = head
