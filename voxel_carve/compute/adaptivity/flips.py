"""Flips of edges that give triangles better shapes, compiled by numba: see `simplify` for the rules.

The two triangles at an edge become the other two between the same four vertices, if the mesh stays near the original.
"""

from typing import Any

import numpy as np

from ..engines.numba.compiler.decorators import inlined, kernel
from .corner_table import after, before
from .nearness import edges_stay, listed_near, set_list, spread_fan
from .ring import MOST_AROUND, cube_of, shape_after, shape_between

# A flip makes the worse triangle's squared shape better by this factor.
BETTER = 1.5


@kernel
def flip_edges(start, stop, order, first, cubes, mesh, state, original, removed, reach, ring):  # type: ignore[no-untyped-def]
    """Flip edges in the cubes from `start` to `stop`: see `remove_near`."""
    for cube in range(start, stop):
        place = cube_of(order[first[cube]], mesh.points, cubes)
        for i in range(first[cube], first[cube + 1]):
            c = mesh.first[order[i]]
            for _ in range(MOST_AROUND):
                if (
                    c < mesh.opposite[c]
                    and not mesh.kept[c]
                    and quad_of(c, place, mesh, cubes, ring)
                    and is_better(mesh, ring)
                    and may_join(mesh, ring)
                ):
                    flip_if_near(mesh, original, removed, reach, ring)
                c = after(mesh.opposite[after(c)])
                if c == mesh.first[order[i]]:
                    break


@inlined
def quad_of(c, cube, mesh, cubes, ring):  # type: ignore[no-untyped-def]
    """Set the ring to the fan at corner c after a flip of the edge opposite. False if it is not all in the cube."""
    o = mesh.opposite[c]
    ring.corner[1], ring.corner[2] = c, o
    ring.vertex[0], ring.vertex[1], ring.vertex[2] = mesh.vertex[c], mesh.vertex[after(c)], mesh.vertex[o]
    ring.vertex[3] = mesh.vertex[before(c)]
    for k in range(4):
        v = ring.vertex[k]
        if mesh.locked[v] or cube_of(v, mesh.points, cubes) != cube:
            return False
        for i in range(3):
            ring.place[k, i] = mesh.points[v, i] - mesh.points[ring.vertex[0], i]
    return True


@inlined
def is_better(mesh, ring):  # type: ignore[no-untyped-def]
    """Whether a flip makes the worse triangle better, and turns none away."""
    worst = 1.0
    for k in (0, 2):
        x, y, z = ring.place[k, 0], ring.place[k, 1], ring.place[k, 2]
        _, _, _, square, longest = shape_between(ring, 1, 3, x, y, z)
        worst = min(worst, square / longest)
    return shape_after(4, 0, BETTER * worst, mesh, ring) > 0


@inlined
def may_join(mesh, ring):  # type: ignore[no-untyped-def]
    """Whether the ends of the new edge are no neighbours yet, and no vertex gets too many or too few triangles."""
    for k in range(4):
        c, count = mesh.first[ring.vertex[k]], 0
        while count < MOST_AROUND:
            if k == 0 and mesh.vertex[after(c)] == ring.vertex[2]:
                return False
            c, count = after(mesh.opposite[after(c)]), count + 1
            if c == mesh.first[ring.vertex[k]]:
                break
        if count == MOST_AROUND or (count < 4 and k % 2 == 1):
            return False
    return True


@inlined
def flip_if_near(mesh, original, removed, reach, ring):  # type: ignore[no-untyped-def]
    """Flip the edge of the quad in the ring, if the mesh stays near the original."""
    spread_fan(4, 0, ring)
    count: Any = np.int64(0)
    for j in (1, 2):
        if count >= 0:
            count = listed_near(removed.of_face[ring.corner[j] // 3], j, count, 4, 0, mesh, removed, reach, ring)
    if count >= 0 and edges_stay(4, 0, mesh, original, reach, ring):
        for j in (1, 2):
            removed.of_face[ring.corner[j] // 3] = -1
        set_list(count, removed, ring)
        flip(np.int64(ring.corner[1]), np.int64(ring.corner[2]), mesh, removed, ring)


@inlined
def flip(c, o, mesh, removed, ring):  # type: ignore[no-untyped-def]
    """Flip the edge between opposite corners."""
    mesh.vertex[before(c)], mesh.vertex[before(o)] = mesh.vertex[o], mesh.vertex[c]
    for corner, other in ((c, after(o)), (o, after(c))):
        beyond = mesh.opposite[other]
        mesh.opposite[corner], mesh.opposite[beyond] = beyond, corner
        mesh.kept[corner], removed.of_edge[corner] = mesh.kept[other], removed.of_edge[other]
    for corner, other in ((after(c), after(o)), (after(o), after(c))):
        mesh.opposite[corner], mesh.kept[corner], removed.of_edge[corner] = other, False, -1
    for corner in (c, after(c), o, after(o)):
        mesh.first[mesh.vertex[corner]] = corner
    for j in (1, 2):
        f = ring.corner[j] // 3
        mesh.normal[f, 0], mesh.normal[f, 1], mesh.normal[f, 2] = ring.fan[j, 0], ring.fan[j, 1], ring.fan[j, 2]
