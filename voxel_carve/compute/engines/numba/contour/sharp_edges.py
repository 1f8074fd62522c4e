"""Sharp edges made whole, compiled by numba: see `sharp_edges`.

A row is in tables here: of each vertex, so many neighbours and so many members, beside its own.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.sharp_edges import AROUND, AS_NEAR, BEYOND, FARTHEST, RELAXATIONS, STEPS_OUT
from ....formulas import newton, swept_body, triangle
from ....formulas.hermite import ON_SURFACE, ROUNDING
from ....formulas.newton import SAME_SURFACE
from ....formulas.vertex_placement import FALLBACK, OCCLUDED_DEPTH, PARTLY, SHARP, SLOTS
from ....model.bricks import BRICK_SIZE, LOWEST, NO_PRIMITIVE
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.primitives import Primitives
from ....runtime.progress import share, steps
from ....runtime.threads import in_runs
from ..compiler.decorators import NONE, inlined, kernel, merged, part
from ..compiler.formulas import DOUBLE
from .edge_snapping import Near, Numbers, move, outward
from .overlaps import Array, Mask

find_groups, find_normals = DOUBLE(newton.find_groups), DOUBLE(newton.find_normals)
newton_iterate, segment_value = DOUBLE(newton.newton_iterate), DOUBLE(swept_body.value)
plane_value, triangle_square = DOUBLE(triangle.plane_value), DOUBLE(triangle.squared_distance)


MOST_NEIGHBOURS = 12  # quads around a vertex: one for each edge of its cell
POINTS_PER_RUN = 1 << 13
ROWS_PER_RUN = 1 << 9


class Around(NamedTuple):
    """What is nearest around a point: `Field.nearest` (B, 512), and the places of bricks in it."""

    places: Numbers
    nearest: Numbers


class Members(NamedTuple):
    """The primitives that the surface has around each of N vertices, in M slots, of which the first ones are used.

    Attributes:
        codes: (N, M).    turns: (N, M) 1 where its gradient looks out of what is left, else -1.
        used: (N,) how many there are.
        groups: (N,) how many surfaces they make.    two, three: (N, M) int64, which of two, and of three, each is of.
    """

    codes: Numbers
    turns: Array
    used: Numbers
    groups: Numbers
    two: npt.NDArray[np.int64]
    three: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """Vertices that do not lie on all surfaces of their cells.

    Attributes:
        vertex: (N,) ascending.
        neighbours: (N, K) of each, ascending.    count: (N,) how many there are.
        members: of each vertex.
    """

    vertex: Numbers
    neighbours: Numbers
    count: Numbers
    members: Members


def complete_edges(primitives: Primitives, rule: Rule, around: Around, mesh: DualMesh) -> None:
    """Move the vertices that are FALLBACK or PARTLY, or are hidden, onto the edge or corner near them, if they can be;
    else out of what hides them.

    Args:
        primitives, rule: whose surface it is.
        around: what is nearest around a point.
        mesh: of which points, quads (only where they are split) and kinds are changed.
    """
    with share(0.0, 0.1):
        mesh.kinds[find_hiding(primitives, around, mesh.points, mesh.kinds == SHARP) != NO_PRIMITIVE] = FALLBACK
    open_ = np.flatnonzero((mesh.kinds == FALLBACK) | (mesh.kinds == PARTLY)).astype(np.int32)
    if not len(open_):
        return
    near = Near.of(primitives, rule, mesh)
    with share(0.1, 0.15):
        row = _row(primitives, mesh, near, open_)
    with share(0.15, 0.3):
        vertex, points = _drawn(primitives, rule, around, mesh, row)
    with share(0.3, 0.85):
        drawn = move(primitives, mesh, near, vertex, points)
    mesh.kinds[drawn] = SHARP
    left = open_[mesh.kinds[open_] != SHARP]
    with share(0.85, 0.9):
        out, points = _stepped_out(primitives, around, mesh.points[left])
    with share(0.9, 1.0):
        move(primitives, mesh, near, left[out], points)


def _drawn(primitives: Primitives, rule: Rule, around: Around, mesh: DualMesh, row: Row) -> tuple[Numbers, Array]:
    """Which vertices of a row lie on an edge or corner, and where (N, 3)."""
    with share(0.0, 0.4):
        points, met = _relaxed(primitives, rule, mesh, row)
    hiding = find_hiding(primitives, around, points, met)
    if join(row.members, hiding, -1.0 if rule.carves else 1.0):
        with share(0.5, 0.9):
            points, met = _relaxed(primitives, rule, mesh, row)
        met &= find_hiding(primitives, around, points, met & (hiding != NO_PRIMITIVE)) == NO_PRIMITIVE
    members = row.members
    in_runs(drop_beyond, len(points), ROWS_PER_RUN, primitives, around, points, members.codes, members.used, met)
    return row.vertex[met], points[met]


def _stepped_out(primitives: Primitives, around: Around, points: Array) -> tuple[Mask, Array]:
    """Which of points (N, 3) lie in a segment, and soon in none where they step out by the shortest way; and there."""
    hidden = hiding = find_hiding(primitives, around, points, np.ones(len(points), dtype=np.bool_))
    stepped = points
    for _ in steps(range(STEPS_OUT)):
        stepped = stepped.copy()
        in_runs(step_out, len(points), POINTS_PER_RUN, primitives, hiding, stepped)
        hiding = find_hiding(primitives, around, stepped, hiding != NO_PRIMITIVE)
    out = (hidden != NO_PRIMITIVE) & (hiding == NO_PRIMITIVE)
    return out, stepped[out]


def _row(primitives: Primitives, mesh: DualMesh, near: Near, open_: Numbers) -> Row:
    """Those of vertices open_ (N,) with at least two neighbours along edges; `near` are the quads around them."""
    first, corner = near.at(mesh, open_)
    neighbours, count = np.empty((len(open_), MOST_NEIGHBOURS), np.int32), np.zeros(len(open_), np.int32)
    codes, turns = np.empty((len(open_), SLOTS), np.int32), np.empty((len(open_), SLOTS))
    members = np.zeros(len(open_), np.int32)
    in_runs(
        find_row, len(open_), ROWS_PER_RUN, primitives, mesh.points, mesh.quads, mesh.codes, near.quad, near.turns,
        open_, first, corner, neighbours, count, codes, turns, members,
    )  # fmt: skip
    rows = np.flatnonzero(count > 1)
    groups = np.empty(len(rows), dtype=np.int32), *np.empty((2, len(rows), SLOTS), dtype=np.int64)
    own = Members(codes[rows], turns[rows], members[rows], *groups)
    return Row(open_[rows], neighbours[rows], count[rows], own)


def _relaxed(primitives: Primitives, rule: Rule, mesh: DualMesh, row: Row) -> tuple[Array, Mask]:
    """Where the vertices of a row lie on their edges and corners (N, 3), between their neighbours; which (N,) do.

    One that is PARTLY on its surfaces must come to lie on all three.
    """
    here = mesh.points[row.vertex]
    in_runs(find_row_groups, len(here), ROWS_PER_RUN, primitives, here, row.members, room=_normals)
    partly = mesh.kinds[row.vertex] == PARTLY
    place = np.full(len(mesh.points), -1, dtype=np.int32)
    place[row.vertex] = np.arange(len(row.vertex), dtype=np.int32)
    points, met = here.copy(), np.zeros(len(here), dtype=np.bool_)
    changed = np.ones(len(here), dtype=np.bool_)
    for turn in steps(range(RELAXATIONS)):
        before, points, moved, changed = points, points.copy(), changed, np.zeros(len(here), dtype=np.bool_)
        in_runs(
            relax, len(here), ROWS_PER_RUN, primitives, rule, mesh.points, place,
            row.neighbours, row.count, row.members, here, partly, before, moved, turn == 0, met, points, changed,
            room=_relaxing,
        )  # fmt: skip
        if not changed.any():
            break
    return points, met


@merged
def hidden_at(primitives, around, x, y, z):  # type: ignore[no-untyped-def]
    """The segment that holds a point deepest inside, of those nearest at the voxels around it. See `sharp_edges`."""
    fx, fy, fz = int(np.floor(x - 0.5)) - 1, int(np.floor(y - 0.5)) - 1, int(np.floor(z - 0.5)) - 1
    least, found, last = -OCCLUDED_DEPTH, NONE, NONE
    for k in range(fz, fz + AROUND):
        for j in range(fy, fy + AROUND):
            for i in range(fx, fx + AROUND):
                place = around.places[(k >> 3) + 1, (j >> 3) + 1, (i >> 3) + 1]
                if place < 0:
                    continue
                code = around.nearest[place, ((k & 7) * BRICK_SIZE + (j & 7)) * BRICK_SIZE + (i & 7)]
                if code < 0 and code != LOWEST and code != last:
                    last = code
                    value, _, _, _ = segment_value(primitives.segments, -1 - code, x, y, z)
                    if value < least - ROUNDING:
                        least, found = value, code
    return found


@part
def beyond_at(primitives, around, x, y, z):  # type: ignore[no-untyped-def]
    """Whether a point is past the end of the triangle in whose plane it is: see `sharp_edges`."""
    fx, fy, fz = int(np.floor(x - 0.5)) - 1, int(np.floor(y - 0.5)) - 1, int(np.floor(z - 0.5)) - 1
    least, beyond = np.inf, False
    for turn in range(2):
        last = NONE
        for n in range(AROUND**3):
            k, j, i = fz + n // AROUND**2, fy + n // AROUND % AROUND, fx + n % AROUND
            place = around.places[(k >> 3) + 1, (j >> 3) + 1, (i >> 3) + 1]
            if place < 0:
                continue
            code = around.nearest[place, ((k & 7) * BRICK_SIZE + (j & 7)) * BRICK_SIZE + (i & 7)]
            if code >= 0 and code != NONE and code != last:
                last = code
                far = math.sqrt(triangle_square(primitives, code, x, y, z))
                if turn == 0:
                    least = min(least, far)
                elif far <= least + AS_NEAR:
                    beyond = beyond or abs(plane_value(primitives, code, x, y, z)) > BEYOND
    return beyond


@kernel
def hide_points(start, stop, primitives, around, points, wanted, hiding):  # type: ignore[no-untyped-def]
    """As `find_hiding`."""
    for i in range(start, stop):
        if wanted[i]:
            hiding[i] = hidden_at(primitives, around, points[i, 0], points[i, 1], points[i, 2])


def find_hiding(primitives: Primitives, around: Around, points: Array, wanted: Mask) -> Numbers:
    """(N,) int32, what hides points (N, 3), NO_PRIMITIVE where nothing does or it is not wanted (N,)."""
    hiding = np.full(len(points), NO_PRIMITIVE, dtype=np.int32)
    in_runs(hide_points, len(points), POINTS_PER_RUN, primitives, around, points, wanted, hiding)
    return hiding


@kernel
def step_out(start, stop, primitives, hiding, points):  # type: ignore[no-untyped-def]
    """Move points (N, 3) onto the surface of the segments that hide them (N,), if any do."""
    for i in range(start, stop):
        if hiding[i] != NONE:
            j, p = -1 - hiding[i], points[i]
            value, x, y, z = segment_value(primitives.segments, j, p[0], p[1], p[2])
            p[0], p[1], p[2] = p[0] - value * x, p[1] - value * y, p[2] - value * z


@kernel
def drop_beyond(start, stop, primitives, around, points, codes, used, met):  # type: ignore[no-untyped-def]
    """Unset met (N,) for points (N, 3) with a triangle among their members, but beyond. See `sharp_edges`."""
    for i in range(start, stop):
        is_flat = False
        for m in range(used[i]):
            is_flat = is_flat or codes[i, m] >= 0
        if met[i] and is_flat:
            met[i] = not beyond_at(primitives, around, points[i, 0], points[i, 1], points[i, 2])


@kernel
def join(members, segments, turn):  # type: ignore[no-untyped-def]
    """Add a segment (N,), NO_PRIMITIVE for none, to the members of each vertex, with the turn of segments; how many
    there are."""
    joined = 0
    for i in range(len(segments)):
        if segments[i] != NONE:
            slot = members.used[i]
            members.codes[i, slot], members.turns[i, slot] = segments[i], turn
            members.used[i] = slot + 1
            joined += 1
    return joined


@inlined
def insert(numbers, count, number):  # type: ignore[no-untyped-def]
    """Insert a number into numbers (count,), ascending; the place that it has."""
    at = count
    while at > 0 and numbers[at - 1] > number:
        numbers[at] = numbers[at - 1]
        at -= 1
    numbers[at] = number
    return at


@merged
def is_edge(primitives, points, quads, codes, near, turns, corner, v, a):  # type: ignore[no-untyped-def]
    """Whether the side from vertex v that corner a begins, of those in `corner` at v, lies on an edge.

    It is not where the same side begins at an earlier corner.
    """
    there = quads[near[corner[a] >> 2], (corner[a] + 1) & 3]
    for b in range(a):
        if quads[near[corner[b] >> 2], (corner[b] + 1) & 3] == there:
            return False
    x, y, z = (points[v, 0] + points[there, 0]) / 2, (points[v, 1] + points[there, 1]) / 2, 0.0
    z = (points[v, 2] + points[there, 2]) / 2
    for b in range(len(corner)):
        if quads[near[corner[b] >> 2], (corner[b] + 3) & 3] == there:
            one, other = corner[a] >> 2, corner[b] >> 2
            normal = outward(primitives, codes[near[one]], turns[one], x, y, z)
            nx, ny, nz = outward(primitives, codes[near[other]], turns[other], x, y, z)
            return normal[0] * nx + normal[1] * ny + normal[2] * nz < SAME_SURFACE
    return False


@kernel
def find_row(  # type: ignore[no-untyped-def]
    start, stop, primitives, points, quads, codes, near, turns, vertex, first, corner,
    neighbours, count, own, own_turns, members,
):  # fmt: skip
    """Set the neighbours (N, K) of vertices (N,) along edges, and how many; their members' codes and turns (N, M), and
    how many: both numbers are 0 before. Corners of quads at each vertex: see `Near.at`."""
    for i in range(start, stop):
        at = corner[first[i] : first[i + 1]]
        for a in range(len(at)):
            if is_edge(primitives, points, quads, codes, near, turns, at, vertex[i], a):
                insert(neighbours[i], count[i], quads[near[at[a] >> 2], (at[a] + 1) & 3])
                count[i] += 1
            code = codes[near[at[a] >> 2]]
            is_new = code != NONE and code != LOWEST
            for m in range(members[i]):
                is_new = is_new and own[i, m] != code
            if is_new:
                slot = insert(own[i], members[i], code)
                for m in range(members[i], slot, -1):
                    own_turns[i, m] = own_turns[i, m - 1]
                own_turns[i, slot] = turns[at[a] >> 2]
                members[i] += 1


def _normals() -> Array:
    return np.empty((SLOTS, 3))


@kernel
def find_row_groups(start, stop, primitives, points, members, normals):  # type: ignore[no-untyped-def]
    """Set the groups of `Members`, seen from points (N, 3)."""
    for i in range(start, stop):
        count = np.int64(members.used[i])
        find_normals(primitives, members.codes[i], members.turns[i], count, points[i], normals)
        members.groups[i] = 1
        if count > 1:
            members.groups[i] = find_groups(normals, count, np.int64(3), members.three[i])
            find_groups(normals, count, np.int64(2), members.two[i])


@merged
def meet_near(primitives, rule, members, i, here, middle, values, p):  # type: ignore[no-untyped-def]
    """Move p (3,) from `middle` (3,) to where three surfaces of vertex i meet, or else two; how many do, 0 where none
    do not far from `here` (3,). See `sharp_edges`."""
    for surfaces in range(3, 1, -1):
        if members.groups[i] < surfaces:
            continue
        group = members.three[i] if surfaces == 3 else members.two[i]
        p[0], p[1], p[2] = middle[0], middle[1], middle[2]
        used = np.int64(members.used[i])
        far = newton_iterate(primitives, rule, members.codes[i], members.turns[i], group, surfaces, used, values, p)
        x, y, z = p[0] - here[0], p[1] - here[1], p[2] - here[2]
        if far < ON_SURFACE and x * x + y * y + z * z < FARTHEST * FARTHEST:
            return surfaces
    return 0


class Relaxing(NamedTuple):
    """What a thread needs to relax a vertex.

    Attributes:
        middle: (3,), of its neighbours.    p: (3,).    values: (3, 4), see `numba_vertices.Work`.
    """

    middle: Array
    p: Array
    values: Array


def _relaxing() -> Relaxing:
    return Relaxing(np.empty(3), np.empty(3), np.empty((3, 4)))


@kernel
def relax(  # type: ignore[no-untyped-def]
    start, stop, primitives, rule, vertices, place, neighbours, count, members, here, partly, points, moved, is_first,
    met, found, changed, room,
):  # fmt: skip
    """One relaxation: points (N, 3) go to their edges and corners, seen from the middle of their neighbours.

    Args:
        vertices: (V, 3) of the mesh.    place: (V,) of each among the points, -1 for none.
        neighbours, count, members: see `Row`.
        here: (N, 3) where the points were at first.    partly: (N,) whether they are PARTLY.
        moved: (N,) the points that changed by the last relaxation.    is_first: all are new.
        met: (N,) set where one lies on its edge or corner.
        found: (N, 3), a copy of the points, to be set to the new ones.
        changed: (N,), false, to be set for those that have changed.
    """
    middle, p, values = room
    for i in range(start, stop):
        stale = is_first
        middle[0], middle[1], middle[2] = 0.0, 0.0, 0.0
        for n in range(count[i]):
            v = neighbours[i, n]
            inner = place[v]
            stale = stale or (inner >= 0 and moved[inner])
            for axis in range(3):
                middle[axis] += points[inner, axis] if inner >= 0 else vertices[v, axis]
        if not stale:
            continue
        for axis in range(3):
            middle[axis] /= count[i]
        surfaces = meet_near(primitives, rule, members, i, here[i], middle, values, p)
        if surfaces > (2 if partly[i] else 1):
            met[i] = True
            for axis in range(3):
                changed[i] |= p[axis] != points[i, axis]
                found[i, axis] = p[axis]
