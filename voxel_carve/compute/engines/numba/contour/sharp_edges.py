"""Kernels that complete the feature edges. See `contour.sharp_edges`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.sharp_edges import LONGEST_MOVE, RELAXATIONS, STEPS_OUT
from ....formulas import newton, swept_body
from ....formulas.binding import ON_ARRAYS
from ....formulas.hermite import ON_SURFACE
from ....formulas.newton import SAME_SURFACE
from ....formulas.vertex_placement import FALLBACK, PARTLY, SHARP, SLOTS
from ....model.bricks import LOWEST, NO_PRIMITIVE
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.primitives import Primitives
from ....runtime.progress import progress_range, with_progress
from ....runtime.threads import over_rows
from ..compiler.decorators import NONE, force_inlined, inlined, kernel
from ..compiler.formulas import DOUBLE
from .edge_snapping import LocalQuads, outward, snap
from .occlusion import NearestLookup, drop_off_triangle, find_occluders
from .overlaps import Array, Mask, Numbers

find_groups, find_normals = DOUBLE(newton.find_groups), DOUBLE(newton.find_normals)
newton_iterate, segment_value = DOUBLE(newton.newton_iterate), ON_ARRAYS(swept_body.value)

MOST_NEIGHBOURS = 12  # quads around a vertex: one for each edge of its cell
ROWS_PER_RUN = 1 << 9


class Members(NamedTuple):
    """The primitives of the surface around each of N vertices, in up to M slots.

    Attributes:
        codes: (N, M).    signs: (N, M) orientation sign: 1 if the gradient points out of the result, else -1.
        used: (N,) number of slots used.
        groups: (N,) number of smooth surfaces that the members form.
        two, three: (N, M) int64, the group of each member if they are split into two, or three, groups.
    """

    codes: Numbers
    signs: Array
    used: Numbers
    groups: Numbers
    two: npt.NDArray[np.int64]
    three: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Chains:
    """Unresolved vertices with two or more neighbours along feature edges.

    Attributes:
        vertex: (N,) ascending.
        neighbours: (N, K), ascending.    count: (N,) number of neighbours.
        members: the primitives around each vertex.
    """

    vertex: Numbers
    neighbours: Numbers
    count: Numbers
    members: Members


def complete_edges(primitives: Primitives, rule: Rule, lookup: NearestLookup, mesh: DualMesh) -> None:
    """Move unresolved and occluded vertices onto the feature edge or corner near them.

    An occluded vertex that cannot move there moves out of what occludes it.

    Args:
        primitives, rule: define the surface.
        lookup: the nearest primitives around a point.
        mesh: its points and kinds change, and its quads where they are split in another way.
    """
    may_be_occluded = _may_be_occluded(rule, mesh)
    with progress_range(0.0, 0.1):
        wanted = may_be_occluded & (mesh.kinds == SHARP)
        mesh.kinds[find_occluders(primitives, lookup, mesh.points, wanted) != NO_PRIMITIVE] = FALLBACK
    unresolved = np.flatnonzero((mesh.kinds == FALLBACK) | (mesh.kinds == PARTLY)).astype(np.int32)
    if not len(unresolved):
        return
    local = LocalQuads.unresolved(primitives, rule, mesh)
    with progress_range(0.1, 0.15):
        chains = _find_chains(primitives, mesh, local, unresolved)
    with progress_range(0.15, 0.3):
        vertex, points = _snapped(primitives, rule, lookup, mesh, chains, may_be_occluded[chains.vertex])
    with progress_range(0.3, 0.85):
        snapped = snap(primitives, mesh, local, vertex, points)
    mesh.kinds[snapped] = SHARP
    left = unresolved[(mesh.kinds[unresolved] != SHARP) & may_be_occluded[unresolved]]
    with progress_range(0.85, 0.9):
        out, points = _pushed_out(primitives, lookup, mesh.points.take(left, axis=0))
    with progress_range(0.9, 1.0):
        snap(primitives, mesh, local, left[out], points)


def _may_be_occluded(rule: Rule, mesh: DualMesh) -> Mask:
    """(V,) the vertices that a segment may occlude. An intersection keeps the stock's surface where it lies in one."""
    possible = np.ones(len(mesh.points), dtype=np.bool_)
    if rule.greatest and not rule.carves:
        possible[mesh.quads[(mesh.codes >= 0) | (mesh.codes == LOWEST)]] = False
    return possible


def _snapped(
    primitives: Primitives, rule: Rule, lookup: NearestLookup, mesh: DualMesh, chains: Chains, wanted: Mask
) -> tuple[Numbers, Array]:
    """The vertices that reach an edge or corner, and their points (N, 3) there.

    wanted: (N,) the vertices of chains that a segment may occlude.
    """
    with progress_range(0.0, 0.4):
        points, met = _relaxed(primitives, rule, mesh, chains)
    occluder = find_occluders(primitives, lookup, points, met & wanted)
    members, joined = chains.members, np.flatnonzero(occluder != NO_PRIMITIVE)
    if len(joined):
        members.codes[joined, members.used[joined]] = occluder[joined]
        members.signs[joined, members.used[joined]] = -1.0 if rule.carves else 1.0
        members.used[joined] += 1
        with progress_range(0.5, 0.9):
            points, met = _relaxed(primitives, rule, mesh, chains)
        met &= find_occluders(primitives, lookup, points, met & (occluder != NO_PRIMITIVE)) == NO_PRIMITIVE
    over_rows(
        drop_off_triangle, len(points), ROWS_PER_RUN, primitives, lookup, points, members.codes, members.used, met
    )
    return chains.vertex[met], points.compress(met, axis=0)


def _pushed_out(primitives: Primitives, lookup: NearestLookup, points: Array) -> tuple[Mask, Array]:
    """Which of points (N, 3) lie in a segment but can step out of all segments, and where they end."""
    occluded = occluder = find_occluders(primitives, lookup, points, np.ones(len(points), dtype=np.bool_))
    stepped = points
    for _ in with_progress(range(STEPS_OUT)):
        stepped, within = stepped.copy(), np.flatnonzero(occluder != NO_PRIMITIVE)
        value, *normal = segment_value(primitives.segments, -1 - occluder[within], *stepped[within].T)
        stepped[within] -= np.stack([value * along for along in normal], axis=1)
        occluder = find_occluders(primitives, lookup, stepped, occluder != NO_PRIMITIVE)
    out = (occluded != NO_PRIMITIVE) & (occluder == NO_PRIMITIVE)
    return out, stepped[out]


def _find_chains(primitives: Primitives, mesh: DualMesh, local: LocalQuads, unresolved: Numbers) -> Chains:
    """The chains among the unresolved vertices (N,). `local` are the quads around them."""
    first, corner = local.at(mesh, unresolved)
    neighbours, count = np.empty((len(unresolved), MOST_NEIGHBOURS), np.int32), np.zeros(len(unresolved), np.int32)
    codes, signs = np.empty((len(unresolved), SLOTS), np.int32), np.empty((len(unresolved), SLOTS))
    members = np.zeros(len(unresolved), np.int32)
    over_rows(
        find_chains, len(unresolved), ROWS_PER_RUN, primitives, mesh.points, mesh.quads, mesh.codes,
        local.quad, local.signs, unresolved, first, corner, neighbours, count, codes, signs, members,
    )  # fmt: skip
    rows = np.flatnonzero(count > 1)
    groups = np.empty(len(rows), dtype=np.int32), *np.empty((2, len(rows), SLOTS), dtype=np.int64)
    own = Members(codes.take(rows, axis=0), signs.take(rows, axis=0), members[rows], *groups)
    return Chains(unresolved[rows], neighbours.take(rows, axis=0), count[rows], own)


def _relaxed(primitives: Primitives, rule: Rule, mesh: DualMesh, chains: Chains) -> tuple[Array, Mask]:
    """The points (N, 3) of chains, relaxed along their edges and corners, and which (N,) lie there.

    A vertex that is PARTLY on its surfaces must come to lie on all three.
    """
    here = mesh.points.take(chains.vertex, axis=0)
    over_rows(group_surfaces, len(here), ROWS_PER_RUN, primitives, here, chains.members, scratch=_normal_scratch)
    partly = mesh.kinds[chains.vertex] == PARTLY
    place = np.full(len(mesh.points), -1, dtype=np.int32)
    place[chains.vertex] = np.arange(len(chains.vertex), dtype=np.int32)
    points, met = here.copy(), np.zeros(len(here), dtype=np.bool_)
    changed = np.ones(len(here), dtype=np.bool_)
    for iteration in with_progress(range(RELAXATIONS)):
        before, points, moved, changed = points, points.copy(), changed, np.zeros(len(here), dtype=np.bool_)
        over_rows(
            relax, len(here), ROWS_PER_RUN, primitives, rule, mesh.points, place,
            chains.neighbours, chains.count, chains.members, here, partly, before, moved, iteration == 0,
            met, points, changed, scratch=_relax_scratch,
        )  # fmt: skip
        if not changed.any():
            break
    return points, met


@inlined
def insert(numbers, count, number):  # type: ignore[no-untyped-def]
    """Insert a number into ascending numbers (count,), and return its place."""
    at = count
    while at > 0 and numbers[at - 1] > number:
        numbers[at] = numbers[at - 1]
        at -= 1
    numbers[at] = number
    return at


@force_inlined
def is_feature_edge(primitives, points, quads, codes, local, signs, corner, v, a):  # type: ignore[no-untyped-def]
    """Whether the side that begins at the a-th of the corners at vertex v lies on a feature edge.

    A side that an earlier corner begins too is not counted again.
    """
    there = quads[local[corner[a] >> 2], (corner[a] + 1) & 3]
    for b in range(a):
        if quads[local[corner[b] >> 2], (corner[b] + 1) & 3] == there:
            return False
    x, y, z = (points[v, 0] + points[there, 0]) / 2, (points[v, 1] + points[there, 1]) / 2, 0.0
    z = (points[v, 2] + points[there, 2]) / 2
    for b in range(len(corner)):
        if quads[local[corner[b] >> 2], (corner[b] + 3) & 3] == there:
            one, other = corner[a] >> 2, corner[b] >> 2
            normal = outward(primitives, codes[local[one]], signs[one], x, y, z)
            nx, ny, nz = outward(primitives, codes[local[other]], signs[other], x, y, z)
            return normal[0] * nx + normal[1] * ny + normal[2] * nz < SAME_SURFACE
    return False


@kernel
def find_chains(  # type: ignore[no-untyped-def]
    start, stop, primitives, points, quads, codes, local, signs, vertex, first, corner,
    neighbours, count, member_codes, member_signs, members,
):  # fmt: skip
    """Find the neighbours (N, K) of vertices (N,) along feature edges, and their members.

    member_codes and member_signs (N, M) are set for the members. count and members (N,), both 0 before, are set to the
    numbers of neighbours and members. For `first` and `corner` see `LocalQuads.at`.
    """
    for i in range(start, stop):
        at = corner[first[i] : first[i + 1]]
        for a in range(len(at)):
            if is_feature_edge(primitives, points, quads, codes, local, signs, at, vertex[i], a):
                insert(neighbours[i], count[i], quads[local[at[a] >> 2], (at[a] + 1) & 3])
                count[i] += 1
            code = codes[local[at[a] >> 2]]
            is_new = code != NONE and code != LOWEST
            for m in range(members[i]):
                is_new = is_new and member_codes[i, m] != code
            if is_new:
                slot = insert(member_codes[i], members[i], code)
                for m in range(members[i], slot, -1):
                    member_signs[i, m] = member_signs[i, m - 1]
                member_signs[i, slot] = signs[at[a] >> 2]
                members[i] += 1


def _normal_scratch() -> Array:
    return np.empty((SLOTS, 3))


@kernel
def group_surfaces(start, stop, primitives, points, members, normals):  # type: ignore[no-untyped-def]
    """Group the members of each vertex by their normals at points (N, 3). See `Members`."""
    for i in range(start, stop):
        count = np.int64(members.used[i])
        find_normals(primitives, members.codes[i], members.signs[i], count, points[i], normals)
        members.groups[i] = 1
        if count > 1:
            members.groups[i] = find_groups(normals, count, np.int64(3), members.three[i])
            find_groups(normals, count, np.int64(2), members.two[i])


@force_inlined
def meet_near(primitives, rule, members, i, here, middle, values, p):  # type: ignore[no-untyped-def]
    """Move p (3,) from `middle` (3,) to where three surfaces of vertex i meet, or else two.

    Returns:
        The number of surfaces; 0 if none meet near `here` (3,).
    """
    for surfaces in range(3, 1, -1):
        if members.groups[i] < surfaces:
            continue
        group = members.three[i] if surfaces == 3 else members.two[i]
        p[0], p[1], p[2] = middle[0], middle[1], middle[2]
        used = np.int64(members.used[i])
        far = newton_iterate(primitives, rule, members.codes[i], members.signs[i], group, surfaces, used, values, p)
        x, y, z = p[0] - here[0], p[1] - here[1], p[2] - here[2]
        if far < ON_SURFACE and x * x + y * y + z * z < LONGEST_MOVE * LONGEST_MOVE:
            return surfaces
    return 0


def _relax_scratch() -> tuple[Array, Array, Array]:
    """The mean of a vertex's neighbours (3,); its new point (3,); values (3, 4), see `newton`."""
    return np.empty(3), np.empty(3), np.empty((3, 4))


@kernel
def relax(  # type: ignore[no-untyped-def]
    start, stop, primitives, rule, vertices, place, neighbours, count, members, here, partly, points, moved, is_first,
    met, found, changed, scratch,
):  # fmt: skip
    """Do one relaxation: move points (N, 3) from the mean of their neighbours to their edges and corners.

    Args:
        vertices: (V, 3) of the mesh.    place: (V,) of each among the points, -1 for none.
        neighbours, count, members: see `Chains`.
        here: (N, 3) the points at first.    partly: (N,) whether they are PARTLY.
        moved: (N,) the points that the last relaxation changed.    is_first: take all as changed.
        met: (N,) set for points that lie on their edge or corner.
        found: (N, 3) a copy of the points, to be updated.
        changed: (N,) set for points that change; all false before.
    """
    middle, p, values = scratch
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
