"""Sweeps over the vertices of a mesh that remove those that can be removed, compiled by numba: see `simplify`.

`remove_flat` needs no old mesh to compare with. If all neighbours of a vertex lie within a distance of the planes of
all triangles around it, then so does every triangle between neighbours. These distances add up for each triangle.
`remove_near` compares with the old mesh, by `nearness`.
"""

import math
from typing import Any

import numpy as np

from ..engines.numba.compiler.decorators import inlined, kernel
from .corner_table import before, dot
from .nearness import edges_stay, join_lists, kept_edge_stays, place_removed, spread_fan, take_lists
from .ring import cube_of, is_linked, kept_edges, least_shape, merge, ring_of, shape_after

# States of vertices. Those next to a removed one rest until the next sweep, so that triangles grow evenly: in even
# sweeps as RESTING, in odd ones as RESTING + 1. One that could not be removed sleeps until something around it changes.
AWAKE, ASLEEP, RESTING = np.uint8(0), np.uint8(1), np.uint8(2)
# The sweeps over a cube end when one removes less than this fraction of its vertices.
DONE_BELOW = 0.005
# Triangles are not even if the cosine between their normals is less.
EVEN_COSINE = 0.9
# A neighbour that lies farther from a plane around the vertex, in tolerances, is not tried.
MOST_DEVIATION = 2.5


@kernel
def remove_flat(start, stop, order, first, cubes, mesh, state, spent, reach, ring):  # type: ignore[no-untyped-def]
    """Remove the flat vertices in the cubes from `start` to `stop`: those in order (V,) from first[cube] on.

    Args:
        state: (N,) uint8, of vertices.
        spent: (M,) float64, how far each triangle may be from those that were there before.
        reach: the most that may be spent, in Blender units.
    """
    for cube in range(start, stop):
        place = cube_of(order[first[cube]], mesh.points, cubes)
        left, gone, rest = first[cube + 1] - first[cube], first[cube + 1] - first[cube], RESTING
        while gone > DONE_BELOW * left:
            gone, rest = 0, RESTING if rest != RESTING else RESTING + np.uint8(1)
            for i in range(first[cube], first[cube + 1]):
                n = ring_to_try(order[i], rest, place, mesh, cubes, state, ring)
                if n >= 3 and remove_if_flat(order[i], n, mesh, spent, reach, ring):
                    gone += 1
                    let_rest(n, rest, state, ring)
            left -= gone


@kernel
def remove_near(start, stop, order, first, cubes, mesh, state, original, removed, reach, ring):  # type: ignore[no-untyped-def]
    """Remove vertices in the cubes from `start` to `stop` where the mesh stays near the original: see `remove_flat`."""
    for cube in range(start, stop):
        place = cube_of(order[first[cube]], mesh.points, cubes)
        left, gone, rest = first[cube + 1] - first[cube], first[cube + 1] - first[cube], RESTING
        while gone > DONE_BELOW * left:
            gone, rest = 0, RESTING if rest != RESTING else RESTING + np.uint8(1)
            for i in range(first[cube], first[cube + 1]):
                n = ring_to_try(order[i], rest, place, mesh, cubes, state, ring)
                if n >= 3 and remove_if_near(order[i], n, mesh, original, removed, reach, ring):
                    gone += 1
                    let_rest(n, rest, state, ring)
            left -= gone


@inlined
def ring_to_try(u, rest, place, mesh, cubes, state, ring):  # type: ignore[no-untyped-def]
    """Set the ring of vertex u, and let it sleep. Return the number of triangles; less than 3 if it is not its turn."""
    if mesh.first[u] < 0 or state[u] == ASLEEP or state[u] == rest or mesh.locked[u]:
        return 0
    n = ring_of(u, place, mesh, cubes, ring)
    state[u] = ASLEEP if n >= 3 else AWAKE
    return n


@inlined
def let_rest(n, rest, state, ring):  # type: ignore[no-untyped-def]
    """Let the neighbours of a removed vertex rest."""
    for j in range(n):
        state[ring.vertex[j]] = rest


@inlined
def remove_if_flat(u, n, mesh, spent, reach, ring):  # type: ignore[no-untyped-def]
    """Remove a vertex in a flat ring or on a straight kept edge. Return whether it could be."""
    so_far = 0.0
    for k in range(n):
        so_far = max(so_far, spent[ring.corner[k] // 3])
    allowed = reach - so_far
    kept, one, other = kept_edges(n, mesh, ring)
    if kept == 0:
        uneven = unevenness(0, n, n, allowed, mesh, ring)
    elif kept == 2 and 1 < other - one < n - 1:
        uneven = unevenness(one, other - one, n, allowed, mesh, ring)
        uneven = max(uneven, unevenness(other, n - other + one, n, allowed, mesh, ring)) + bend(one, other, ring)
    else:
        return False
    if not uneven <= allowed:
        return False
    least = least_shape(n, ring)
    for k in range(n):
        ring.cost[k] = shape_after(n, k, least, mesh, ring) if kept == 0 or k in (one, other) else -1.0
    while True:
        best: Any = np.int64(0)
        for k in range(n):
            if ring.cost[k] > ring.cost[best]:
                best = k
        if ring.cost[best] < 0:
            return False
        if is_linked(n, best, mesh, ring):
            break
        ring.cost[best] = -1.0
    merge(u, n, best, mesh, ring)
    for k in range(n):
        spent[ring.corner[k] // 3] = so_far + uneven
    return True


@inlined
def unevenness(begin, count, n, allowed, mesh, ring):  # type: ignore[no-untyped-def]
    """How far other triangles between the same vertices may be from `count` triangles of the ring, from `begin` on.

    It is infinite if it is more than allowed.
    """
    most, t, place, normal = 0.0, begin, ring.place, mesh.normal
    g = ring.corner[begin] // 3
    for _ in range(count):
        f = ring.corner[t] // 3
        nx, ny, nz = normal[f, 0], normal[f, 1], normal[f, 2]
        if dot(nx, ny, nz, normal[g, 0], normal[g, 1], normal[g, 2]) < EVEN_COSINE:
            return math.inf
        j = begin
        for _ in range(count + 1):
            most = max(most, abs(dot(place[j, 0], place[j, 1], place[j, 2], nx, ny, nz)))
            j = j + 1 if j + 1 < n else 0
        if most > EVEN_COSINE * allowed:
            return math.inf
        t = t + 1 if t + 1 < n else 0
    return most / EVEN_COSINE


@inlined
def bend(one, other, ring):  # type: ignore[no-untyped-def]
    """The distance of the vertex from the line between two neighbours; infinite if it is not between them."""
    a, b = ring.place[one], ring.place[other]
    aa, bb = dot(a[0], a[1], a[2], a[0], a[1], a[2]), dot(b[0], b[1], b[2], b[0], b[1], b[2])
    ab = dot(a[0], a[1], a[2], b[0], b[1], b[2])
    return math.sqrt(max(aa * bb - ab * ab, 0.0) / (aa + bb - 2 * ab)) if ab < 0 else math.inf


@inlined
def remove_if_near(u, n, mesh, original, removed, reach, ring):  # type: ignore[no-untyped-def]
    """Remove a vertex if the mesh stays near the original. It is merged into the neighbour that deviates least."""
    kept, one, other = kept_edges(n, mesh, ring)
    if kept != 0 and not (kept == 2 and 1 < other - one < n - 1):
        return False
    for k in range(n):
        ring.cost[k] = deviation(n, k, mesh, ring) if kept == 0 or k in (one, other) else math.inf
    least = -1.0
    while True:
        best: Any = np.int64(0)
        for k in range(n):
            if ring.cost[k] < ring.cost[best]:
                best = k
        if ring.cost[best] > MOST_DEVIATION * reach:
            return False
        if least < 0:
            least = least_shape(n, ring)
        ring.cost[best] = math.inf
        end = other if best == one else one
        if (
            shape_after(n, best, least, mesh, ring) > 0
            and is_linked(n, best, mesh, ring)
            and (kept == 0 or kept_edge_stays(u, best, end, mesh, removed, reach, ring))
        ):
            spread_fan(n, best, ring)
            count = place_removed(u, n, best, kept == 0, mesh, removed, reach, ring)
            if count >= 0 and edges_stay(n, best, mesh, original, reach, ring):
                break
    if kept == 2:
        join_lists(u, before(ring.corner[end]), before(ring.corner[best]), mesh, removed)
    take_lists(n, best, count, mesh, removed, ring)
    merge(u, n, best, mesh, ring)
    return True


@inlined
def deviation(n, k, mesh, ring):  # type: ignore[no-untyped-def]
    """The largest distance of neighbour k from the planes of the triangles around the vertex."""
    most, place, normal = 0.0, ring.place, mesh.normal
    for t in range(n):
        f = ring.corner[t] // 3
        most = max(most, abs(dot(place[k, 0], place[k, 1], place[k, 2], normal[f, 0], normal[f, 1], normal[f, 2])))
    return most
