"""Where the vertices of the surface lie: on the surface of the nearest primitives, and on edges and corners where two
or three of these surfaces meet (dual contouring: Ju, Losasso, Schaefer and Warren 2002).

A patch of surface in a cell has the primitives that cross the cell's edges, its members. From the mean of the
crossings, the vertex goes by least steps onto the planes that touch the members: Newton's method, and the least squares
of the quadric, as there are never more than three planes, which no member shares with another. Members whose normals
are alike are one surface, the nearest of them at each step. No vertex leaves its cell: where the surfaces do not meet
in it, the vertex is put on fewer of them, and `sharp_edges` sees to it. A point near an edge may be hidden by a segment
that crosses no edge of the cell: then that is a member too.

Arrays have the slots of the members first, and the vertices last.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bricks import NO_PRIMITIVE
from .cells import EDGES
from .hermite import ON_SURFACE, ROUNDING, Array, Codes, Indices, Mask, Primitives, Rule, is_known
from .hiding import hidden_by
from .progress import checkpoint
from .triangles import cross, dot

SAME_SURFACE = 0.97  # cosine: normals nearer than 14 degrees are those of one surface
NOT_PARALLEL = 0.985  # cosine: surfaces that look away from each other, as those of a wall, do not meet
CORNER = 0.15  # the least determinant of three normals that make a corner

# In voxels: where the mean of the crossings is good enough, and how far a vertex may be out of its cell by rounding.
ON_PLANE = 0.002
INSIDE_CELL = 1e-3
MARGIN = 5e-4  # from the sides of the cell: vertices of two cells must not be one

STEPS = 4  # of Newton's method, at most
TRIES = 4  # to find a point in the cell, going back into it each time
MOST_HIDDEN = 2  # members found because they hide the vertex
SLOTS = 12 + MOST_HIDDEN  # members of a patch at most: on each of its edges, and hiding it

# What became of a vertex: on the only surface of its cell; where all of them meet; on two of three; on one of several.
SMOOTH, SHARP, PARTLY, FALLBACK = 0, 1, 2, 3

EDGE_AXIS = np.arange(12) // 4
EDGE_CORNER = (EDGES[:, :1] >> np.arange(3) & 1).astype(np.float64)


@dataclass(frozen=True)
class Patches:
    """Patches of surface, one for each of N vertices.

    Attributes:
        corner: (3, N) of the cell, in voxels.
        crossing: (12, 3, N) where the edges of the cell are crossed.
        crossed: (12, N) which of them are, by this patch.
        codes: (12, N) int32, whose surface it is there.
        first_inside: (12, N) whether the first end of the edge is inside.
        around: (8, N) int32, the nearest primitive at each corner of the cell.
    """

    corner: Array
    crossing: Array
    crossed: Mask
    codes: Codes
    first_inside: Mask
    around: Codes

    def at(self, rows: Indices) -> "Patches":
        """Some of them."""
        return Patches(*(getattr(self, name)[..., rows] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Members:
    """The primitives that the surface has in each of N patches, in S slots, of which the first ones are used.

    Attributes:
        has: (S, N) whether there is one in the slot.
        codes: (S, N) int32.
        turns: (S, N) 1 where its gradient looks out of what is left, else -1.
    """

    has: Mask
    codes: Codes
    turns: Array

    def at(self, rows: Indices) -> "Members":
        """Those of some patches, in as many slots as they need."""
        has = self.has[:, rows]
        slots = int(has.sum(axis=0).max(initial=1))
        return Members(has[:slots], self.codes[:slots, rows], self.turns[:slots, rows])

    def joined(self, segments: Codes, rule: Rule) -> "Members":
        """With a segment (N,) more in each patch, NO_PRIMITIVE for none."""
        has, codes, turns = (np.concatenate([own, own[:1]]) for own in (self.has, self.codes, self.turns))
        has[-1] = False
        patch = np.flatnonzero(segments != NO_PRIMITIVE)
        slot = self.has[:, patch].sum(axis=0)
        has[slot, patch], codes[slot, patch], turns[slot, patch] = True, segments[patch], -1.0 if rule.carves else 1.0
        return Members(has, codes, turns)


def place(primitives: Primitives, patches: Patches) -> tuple[Array, npt.NDArray[np.uint8]]:
    """The vertex of each patch, and what became of it.

    Returns:
        points: (3, N) in voxels from the grid's origin.
        kind: (N,) SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    points = np.zeros(patches.corner.shape)
    for edge in range(12):
        points += np.where(patches.crossed[edge], patches.crossing[edge], 0.0)
    points /= patches.crossed.sum(axis=0)
    kind = np.full(patches.corner.shape[1], SMOOTH, dtype=np.uint8)
    members = _members(primitives, patches)
    known = (is_known(patches.codes) | ~patches.crossed).all(axis=0)
    rows = np.flatnonzero(known & ((members.has.sum(axis=0) > 1) | (members.codes[0] < 0)))
    patches, members = patches.at(rows), members.at(rows)
    mean = points[:, rows]
    points[:, rows], kind[rows] = _place(primitives, patches, members, mean)
    for _ in range(MOST_HIDDEN):
        hiding = _hidden_by(primitives, patches, members, points[:, rows])
        hidden = np.flatnonzero(hiding != NO_PRIMITIVE)
        rows, patches, mean = rows[hidden], patches.at(hidden), mean[:, hidden]
        members = members.at(hidden).joined(hiding[hidden], primitives.rule)
        points[:, rows], kind[rows] = _place(primitives, patches, members, mean)
    return points, kind


def keep_apart(points: Array, corner: Array) -> None:
    """Move points (3, N) off the sides of their cells, at corner (3, N)."""
    np.clip(points, corner + MARGIN, corner + 1 - MARGIN, out=points)


def _members(primitives: Primitives, patches: Patches) -> Members:
    """The primitives at the crossings, each once."""
    has, codes = patches.crossed.copy(), patches.codes
    turns = np.full(has.shape, -1.0 if primitives.rule.carves else 1.0)
    for slot in range(12):
        for other in range(slot):
            has[slot] &= ~(has[other] & (codes[slot] == codes[other]))
        flat = np.flatnonzero(has[slot] & (codes[slot] >= 0) & is_known(codes[slot]))
        steepness = primitives.triangles.columns[9 + EDGE_AXIS[slot]].take(codes[slot, flat])
        turns[slot, flat] = np.where((steepness > 0) == patches.first_inside[slot, flat], 1.0, -1.0)
    used_first = np.argsort(~has, axis=0, kind="stable")
    return Members(*(np.take_along_axis(array, used_first, axis=0) for array in (has, codes, turns)))


def _hidden_by(primitives: Primitives, patches: Patches, members: Members, points: Array) -> Codes:
    """As `hidden_by`, of the segments around each cell; not one of the members, on whose surfaces the points lie."""
    is_member = (members.has[:, None] & (members.codes[:, None] == patches.around)).any(axis=0)
    return hidden_by(primitives, np.where(is_member, NO_PRIMITIVE, patches.around), points)


def _place(
    primitives: Primitives, patches: Patches, members: Members, mean: Array
) -> tuple[Array, npt.NDArray[np.uint8]]:
    """As `place`, for patches with known members and the mean (3, N) of their crossings."""
    points = mean.copy()
    normals, off = member_normals(primitives, members, mean)
    groups, group = find_groups(members, normals, 3)
    kind = np.where(groups > 1, FALLBACK, SMOOTH).astype(np.uint8)
    left = np.where((groups > 1) | (off >= ON_PLANE), groups, 0)
    for count in (3, 2):
        # Three surfaces that do not meet may do so two by two.
        again = np.flatnonzero((left == count) & (groups > count))
        own = members.at(again)
        slots = len(own.has)
        _, group[:slots, again] = find_groups(own, normals[:slots, :, again], count)
        rows = np.flatnonzero(left == count)
        own = members.at(rows)
        landed, met = _meet(primitives, patches.at(rows), own, group[: len(own.has), rows], count, mean[:, rows])
        points[:, rows[met]] = landed[:, met]
        kind[rows[met]] = np.where(groups[rows[met]] == count, SHARP, PARTLY)
        left[rows] = np.where(met, 0, count - 1)
    rows = np.flatnonzero(left == 1)
    points[:, rows] = _land(primitives, patches.at(rows), members.at(rows), mean[:, rows])
    return points, kind


def member_normals(primitives: Primitives, members: Members, points: Array) -> tuple[Array, Array]:
    """(S, 3, N) outward normals of the members at points (3, N); the greatest distance (N,) from any of them."""
    normals, most = np.zeros((len(members.has), *points.shape)), np.zeros(points.shape[1])
    for slot in range(len(members.has)):
        for rows, value, normal in _values(primitives, members, slot, members.has[slot], points):
            normals[slot][:, rows] = members.turns[slot, rows] * normal
            most[rows] = np.maximum(most[rows], np.abs(value))
    return normals, most


def _values(
    primitives: Primitives, members: Members, slot: int, wanted: Mask, points: Array
) -> list[tuple[Indices, Array, Array]]:
    """Of the triangles, and of the segments, in a slot where `wanted` (N,): patches (M,), their distances (M,) from
    points (3, N), and gradients (3, M)."""
    codes = members.codes[slot]
    flat, round_ = np.flatnonzero(wanted & (codes >= 0)), np.flatnonzero(wanted & (codes < 0))
    normal = primitives.triangles.columns[9:].take(codes[flat], axis=1)
    plane = primitives.plane_values(codes[flat], points[:, flat])
    return [(flat, plane, normal), (round_, *primitives.segment_values(-1 - codes[round_], points[:, round_]))]


def find_groups(
    members: Members, normals: Array, most_groups: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]:
    """Which surface each member belongs to, by its normal (S, 3, N).

    The two normals that are farthest apart, found by going twice to the farthest one, are those of two surfaces, and
    the one that stands out most from their plane is that of a third. Each member belongs to the one it is most like.

    Returns:
        groups: (N,) how many surfaces there are, 1 to `most_groups`.
        group: (S, N) 0 to 2.
    """
    count = normals.shape[2]
    a = normals[0]
    b = _farthest(members, normals, a, a)
    a = _farthest(members, normals, b, a)
    cosine = dot(a, b)
    c, most = a, np.zeros(count)
    for slot in range(len(members.has)):
        volume = np.abs(dot(a, cross(b, normals[slot])))
        more = members.has[slot] & (volume > most + ROUNDING)
        c, most = np.where(more, normals[slot], c), np.where(more, volume, most)
    groups = np.where((most > CORNER) & (most_groups > 2), 3, 2)
    groups[(cosine > SAME_SURFACE) | (cosine < -NOT_PARALLEL) | (members.has.sum(axis=0) == 1)] = 1
    group = np.zeros(members.has.shape, dtype=np.int8)
    for slot in range(len(members.has)):
        best = dot(a, normals[slot])
        closer = dot(b, normals[slot]) > best + ROUNDING
        best = np.where(closer, dot(b, normals[slot]), best)
        group[slot] = closer
        group[slot, (groups == 3) & (dot(c, normals[slot]) > best + ROUNDING)] = 2
    return groups, group


def _farthest(members: Members, normals: Array, of: Array, found: Array) -> Array:
    """(3, N) of the normals and of those in `found` (3, N), the one with the least scalar product with `of` (3, N)."""
    least = dot(of, found)
    for slot in range(len(members.has)):
        product = dot(of, normals[slot])
        less = members.has[slot] & (product < least - ROUNDING)
        found, least = np.where(less, normals[slot], found), np.where(less, product, least)
    return found


def group_values(primitives: Primitives, members: Members, wanted: Mask, points: Array) -> tuple[Array, Array]:
    """The field that the members where `wanted` (S, N) make together.

    Segments make the least of their distances, triangles that from the plane of the nearest; both together, what the
    operation makes of them.

    Returns:
        value: (N,) at points (3, N), positive outside.
        normal: (3, N) its gradient.
    """
    count = points.shape[1]
    value, normal = np.zeros(count), np.zeros((3, count))
    least = np.full(count, np.inf)
    flat = wanted & (members.codes >= 0)
    several = flat.sum(axis=0) > 1
    nearest, closest = flat.argmax(axis=0), np.full(count, np.inf)
    for slot in range(len(members.has)):
        rows = np.flatnonzero(wanted[slot] & ~flat[slot])
        if len(rows):
            own, gradient = primitives.segment_values(-1 - members.codes[slot, rows], points[:, rows])
            less = own < least[rows]
            rows, own, gradient = rows[less], own[less], gradient[:, less]
            turn = members.turns[slot, rows]
            least[rows], value[rows], normal[:, rows] = own, turn * own, turn * gradient
        rows = np.flatnonzero(flat[slot] & several)
        if len(rows):
            square = primitives.squares_to_triangles(members.codes[slot, rows], points[:, rows])
            less = square < closest[rows] - ROUNDING
            closest[rows[less]], nearest[rows[less]] = square[less], slot
    rows = np.flatnonzero(flat.any(axis=0))
    which, turn = members.codes[nearest[rows], rows], members.turns[nearest[rows], rows]
    own = turn * primitives.plane_values(which, points[:, rows])
    counts = own > value[rows] if primitives.rule.greatest else own < value[rows]
    counts |= np.isinf(least[rows])
    rows, which, turn, own = rows[counts], which[counts], turn[counts], own[counts]
    value[rows], normal[:, rows] = own, turn * primitives.triangles.columns[9:].take(which, axis=1)
    return value, normal


def _wanted(members: Members, group: npt.NDArray[np.int8], groups: int, which: int) -> Mask:
    return members.has & (group == which) if groups > 1 else members.has


def settle(primitives: Primitives, members: Members, group: npt.NDArray[np.int8], groups: int, points: Array) -> Array:
    """Move points (3, N) by steps onto the surfaces of all groups; how far (N,) the last of them was before its last
    step."""
    far = np.full(points.shape[1], np.inf)
    active = np.arange(len(far))
    for _ in range(STEPS):
        checkpoint()
        own, here = members.at(active), points[:, active]
        part = group[: len(own.has), active]
        values = [group_values(primitives, own, _wanted(own, part, groups, which), here) for which in range(groups)]
        far[active] = np.max([np.abs(value) for value, _ in values], axis=0)
        points[:, active] = here - _step_onto(values)
        active = active[far[active] >= ON_SURFACE]
    return far


def _step_onto(values: list[tuple[Array, Array]]) -> Array:
    """(3, N) the least step, to be taken away, onto one to three planes: distances (N,) and normals (3, N) of each."""
    (u, a), *others = values
    if not others:
        return u * a
    (v, b), *others = others
    if not others:
        cosine = dot(a, b)
        scale = 1 / np.maximum(1 - cosine * cosine, ROUNDING)
        return (u - cosine * v) * scale * a + (v - cosine * u) * scale * b
    w, c = others[0]
    volume = dot(a, cross(b, c))
    solvable = np.abs(volume) > ROUNDING
    scale = np.where(solvable, 1 / np.where(solvable, volume, 1), 0)
    step: Array = (u * cross(b, c) + v * cross(c, a) + w * cross(a, b)) * scale
    return step


def _clamp(points: Array, corner: Array) -> Array:
    """Move points (3, N) into the cells at corner (3, N); how far (N,) each was out of it along some axis."""
    inner = np.clip(points, corner, corner + 1)
    out: Array = np.abs(inner - points).max(axis=0, initial=0)
    points[:] = inner
    return out


def _meet(
    primitives: Primitives, patches: Patches, members: Members, group: npt.NDArray[np.int8], groups: int, mean: Array
) -> tuple[Array, Mask]:
    """Where the surfaces of all groups meet, seen from the mean (3, N); and whether they do, in the cell."""
    points = mean.copy()
    met, todo = np.zeros(points.shape[1], dtype=bool), np.arange(points.shape[1])
    for _ in range(TRIES):
        here, own = points[:, todo], members.at(todo)
        far = settle(primitives, own, group[: len(own.has), todo], groups, here)
        inside = _clamp(here, patches.corner[:, todo]) <= INSIDE_CELL
        points[:, todo] = here
        met[todo] = inside & (far < ON_SURFACE)
        todo = todo[~inside]
    return points, met


def _land(primitives: Primitives, patches: Patches, members: Members, mean: Array) -> Array:
    """(3, N) points on the surface within the cells: by steps, else the nearest of the crossings."""
    points = mean.copy()
    todo = np.arange(points.shape[1])
    group = np.zeros(members.has.shape, dtype=np.int8)
    for _ in range(TRIES):
        here, own = points[:, todo], members.at(todo)
        far = settle(primitives, own, group[: len(own.has), todo], 1, here)
        inside = _clamp(here, patches.corner[:, todo]) <= INSIDE_CELL
        points[:, todo] = here
        todo = todo[~(inside & (far < ON_SURFACE))]
    part = patches.at(todo)
    off = part.crossing - mean[:, todo]
    square = np.where(part.crossed, (off * off).sum(axis=1), np.inf)
    nearest, least = np.zeros(len(todo), dtype=np.int64), np.full(len(todo), np.inf)
    for edge in range(12):
        closer = square[edge] < least - ROUNDING
        nearest[closer], least[closer] = edge, square[edge][closer]
    points[:, todo] = np.take_along_axis(part.crossing, nearest[None, None], axis=0)[0]
    return points
