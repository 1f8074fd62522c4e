"""Quads whose triangles would still pass through each other, or share a side with more than one other, are divided.

A quad spans four cells. Divided, it becomes a fan around its edge's crossing, and each of its sides that passes a face
gets a vertex on that face. So no triangle leaves its cell, and two pairs of one face never share a side. The vertices
of a loop may *collapse* as well: they become one, at the middle of the loop. Seen from a point inside the cell, a loop
on the cell's sides never crosses itself, and neither do the triangles between the two.

Loops collapse only where parts of divided quads would cross each other. Where they cross quads that are not divided,
these are divided too.

Divided quads are few: this runs on the host, whatever the engine.
"""

from collections.abc import Callable
from math import dist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .checking import CellsNear, crossing_pairs, triangles_of
from .quads import ENTERS, SPLIT

TINY = 1e-12
FLAT = 1e-6  # voxels
HALF = 0.5
OFF_EDGE = 1e-3  # voxels
MARGIN = 1e-3  # voxels: the middle of a loop stays so far inside its cell
INNER = 0.98  # of the way from there to the side of the cell: other vertices of divided quads stay within it
OF_PAIR = np.array([False, True, False, True])  # sides of a border point's quad that pass the face
MOST_QUADS_OF_PAIR = 4  # those of two border points
BLOCK = 4.0  # voxels: quads that are farther than one or two blocks from all vertices that divide are left alone
TRIES = 6  # of dividing
QUADS_PER_RUN = 1 << 14
DIVIDES, COLLAPSES = 1, 2  # what becomes of a vertex: its quads are divided; and its loop collapses too

Numbers = npt.NDArray[np.integer]
Reals = npt.NDArray[np.float64]


class BorderPoints(NamedTuple):
    """Border points of faces, N of them.

    Attributes:
        point: (N, 3) where each lies.    is_first: (N,) whether it is the first of two of a pair.
        ends: (N, 2) the crossings of its pair: that which leaves, and that which enters.
    """

    point: Reals
    is_first: npt.NDArray[np.generic]
    ends: npt.NDArray[np.int32]


class Divided(NamedTuple):
    """What replaces divided quads.

    Attributes:
        points: (M, 3) new vertices, whose indices follow all others.
        owner: (M,) for those on a face, the lesser of the vertices on its two sides; then for those at a crossing, the
            quad of that.    sizes: how many are on faces where two sides meet; on others; and at crossings.
        quads: (K, 4) counter-clockwise seen from outside, of triangles the last corner twice.
        of_quad: (K,) the quad that each one is a part of.
    """

    points: Reals
    owner: Numbers
    sizes: tuple[int, int, int]
    quads: npt.NDArray[np.int32]
    of_quad: npt.NDArray[np.int64]

    @classmethod
    def nothing(cls) -> "Divided":
        """What replaces no quads."""
        none = np.empty(0, dtype=np.int64)
        return cls(np.empty((0, 3)), none, (0, 0, 0), np.empty((0, 4), dtype=np.int32), none)


class _Job(NamedTuple):
    """What `divide` is given, and the quads that are near a vertex with a fate.

    Attributes:
        fate: (V,) DIVIDES for vertices whose quads are divided, COLLAPSES for those whose loop collapses too, else 0.
        near: the indices of these quads.
    """

    quads: npt.NDArray[np.int32]
    marks: Numbers
    fate: npt.NDArray[np.uint8]
    first_quad: int
    crossing_points: Callable[[Numbers], Reals]
    borders: BorderPoints
    points: Reals
    near: Numbers


class _Parts(NamedTuple):
    """The triangles of divided quads.

    Attributes:
        points, owner, sizes: see `Divided`.    triangles: (K, 3) turned to the outside.
        of_quad: (K,) the quad that each is a part of.    kept: (L,) the vertices that are left of loops.
    """

    points: Reals
    owner: Numbers
    sizes: tuple[int, int, int]
    triangles: npt.NDArray[np.int32]
    of_quad: npt.NDArray[np.int64]
    kept: npt.NDArray[np.int64]


def split_quads(quads: npt.NDArray[np.int32], source: npt.NDArray[np.uint8], primitive: npt.NDArray[np.int32]) -> None:
    """Make two triangles of each quad (Q, 4) to be SPLIT, in place: the second ones come last, with the same source and
    primitive (Q,)."""
    split = np.flatnonzero(source & SPLIT)
    source[split] -= SPLIT
    second = quads[split][:, [0, 2, 3, 3]]
    quads[split, 3] = quads[split, 2]
    for array, added in ((quads, second), (source, source[split]), (primitive, primitive[split])):
        count = len(array)
        array.resize((count + len(split), *array.shape[1:]), refcheck=False)
        array[count:] = added


def divide(
    quads: npt.NDArray[np.int32],
    marks: Numbers,
    divides: npt.NDArray[np.bool_],
    first_quad: int,
    crossing_points: Callable[[Numbers], Reals],
    borders: BorderPoints,
    points: Reals,
) -> Divided:
    """Divide the quads at some vertices, and empty them. Where the parts cross other triangles, divide more.

    Args:
        quads, marks, first_quad: (Q, 4), (Q,) see `quads`. The corners of a divided quad become one.
        divides: (V,) the vertices whose quads are divided.
        crossing_points: gives the places of crossings, by their indices.
        borders: those that the quads after the crossings belong to, two each.
        points: (V, 3) the vertices, in voxels. Those of divided quads are moved into their cells.
    """
    fate = divides.astype(np.uint8) * np.uint8(DIVIDES)
    changed: Numbers = np.flatnonzero(divides)
    blocks: Reals = np.empty((0, 3))
    near: Numbers = np.empty(0, dtype=np.int64)
    for n in range(TRIES):
        reached = np.unique(np.floor(points[fate > 0] / BLOCK), axis=0)
        if len(reached) > len(blocks):
            blocks, near = reached, _rows_near(quads, points, reached)
        job = _Job(quads, marks, fate, first_quad, crossing_points, borders, points, near)
        which, made = _divide_once(job)
        moved, where = _moved_inside(made, points)
        before = points[moved]
        points[moved] = where
        if n == TRIES - 1:
            break
        changed = _spread_to_crossing(job, which, made, changed)
        if len(changed) == 0:
            break
        points[moved] = before
    quads[which] = quads[which, :1]
    return Divided(made.points, made.owner, made.sizes, made.triangles[:, [0, 1, 2, 2]], made.of_quad)


def _rows_near(quads: npt.NDArray[np.int32], points: Reals, blocks: Reals) -> Numbers:
    """The complete quads, ascending, that are in some blocks (N, 3), or beside them, by their first corners."""
    near = CellsNear.to(blocks)
    found: list[Numbers] = [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(quads), QUADS_PER_RUN):
        own = quads[start : start + QUADS_PER_RUN]
        rows = np.flatnonzero(own[:, 0] >= 0)
        rows = rows[near.has(points.take(own[rows, 0], axis=0) / BLOCK)]
        found.append(start + rows[own.take(rows, axis=0).min(axis=1, initial=0) >= 0])
    return np.concatenate(found)


def _with_any(rings: Numbers, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the quads (Q, 4) have a vertex that is marked (V,)."""
    found: npt.NDArray[np.bool_] = marked[rings[:, 0]]
    for corner in range(1, 4):
        found |= marked[rings[:, corner]]
    return found


def _divide_once(job: "_Job") -> tuple[Numbers, "_Parts"]:
    """The quads that are divided, and what becomes of them."""
    fate, first_quad, borders = job.fate, job.first_quad, job.borders
    rings, is_crossing = job.quads[job.near], job.near < first_quad
    _spread(rings[~is_crossing], fate)
    ends = _ends_of_divided(rings[is_crossing], rings[~is_crossing], fate)
    touched = fate > 0
    touched[ends // len(fate)] = touched[ends % len(fate)] = True
    may = np.flatnonzero(_with_any(rings, touched))
    rings = rings[may]
    keys = _ends(rings, len(fate))
    is_side = _are_in(keys, ends) & (is_crossing[may, None] | OF_PAIR)
    has_many = (np.diff(np.sort(rings, axis=1), axis=1) != 0).sum(axis=1) > 1
    divided = is_side.any(axis=1) & has_many
    which, rings, keys, is_side = job.near[may[divided]], rings[divided], keys[divided], is_side[divided]
    of_border, enters = which >= first_quad, job.marks[which] & ENTERS != 0
    anchors = np.empty((len(which), 3))
    anchors[~of_border] = job.crossing_points(which[~of_border])
    anchors[of_border] = borders.point[(which[of_border] - first_quad) // 2]
    is_forward = (rings < np.roll(rings, -1, axis=1)) != enters[:, None]
    shared, simple = _shared_sides(job, which, np.where(is_side, keys, -1), is_forward, anchors)
    sides = np.full(rings.shape, -1)
    for k in range(2):
        sides[shared[:, k, 0], shared[:, k, 1]] = len(fate) + np.arange(len(shared))
    of_side, corner = shared[:, 0].T
    here, beyond = (job.points[rings[of_side, (corner + n) % 4]] for n in (0, 1))
    added = [_on_faces(anchors[of_side], anchors[shared[:, 1, 0]], here, beyond), anchors[~of_border]]
    middle = len(fate) + len(shared)
    one_of = _loops(rings[of_border], fate)
    triangles: list[tuple[int, int, int]] = []
    of_quad: list[int] = []
    for row, (ring, on_sides) in enumerate(zip(rings.tolist(), sides.tolist(), strict=True)):
        own = [one_of.get(vertex, vertex) for vertex in ring]
        if of_border[row]:
            parts = _parts_of_border(own, on_sides)
        else:
            parts = _fan(own, on_sides, middle)
            middle += 1
        # Where a part of a surface ends, a side may lack the quad that it is shared with, and so its vertex.
        parts = [part for part in parts if len(set(part)) == 3 and min(part) >= 0]
        triangles += [(a, c, b) for a, b, c in parts] if enters[row] else parts
        of_quad += [int(which[row])] * len(parts)
    kept = np.unique(np.fromiter(one_of.values(), dtype=np.int64))
    shape = np.array(triangles, dtype=np.int32).reshape(-1, 3)
    owner = np.concatenate([keys[of_side, corner] // len(fate), which[~of_border]])
    sizes = simple, len(shared) - simple, len(owner) - len(shared)
    return which, _Parts(np.concatenate(added), owner, sizes, shape, np.array(of_quad, dtype=np.int64), kept)


def _on_faces(one: Reals, other: Reals, here: Reals, beyond: Reals) -> Reals:
    """Points (N, 3) on faces, between two of their crossings or border points. Between two crossings of one edge, where
    a thin wall ends, they are a little off the edge: a second face at this edge may have such a point, too.

    Args:
        here, beyond: (N, 3) the vertices of the cells on the two sides of the face.
    """
    middle = (one + other) / 2
    along = one != other
    within = np.floor(one - HALF) == np.floor(other - HALF)
    rows = np.flatnonzero((along.sum(axis=1) == 1) & (within | ~along).all(axis=1))
    if len(rows):
        sides = np.sign(here[rows] - middle[rows]), np.sign(beyond[rows] - middle[rows])
        inward = np.where(along[rows] | (sides[0] != sides[1]), 0.0, sides[0])
        middle[rows] += np.where(np.abs(inward).sum(axis=1, keepdims=True) == 1, OFF_EDGE * inward, 0.0)
    return middle


def _spread_to_crossing(job: "_Job", which: Numbers, made: "_Parts", changed: Numbers) -> Numbers:
    """Let what a fate befell befall the vertices of triangles that cross the parts too; and where it did, a worse one.
    Only parts near vertices whose fate has changed are looked at. Return the vertices whose fate changes now."""
    middle = _places_of(made.triangles, job, made).mean(axis=1)
    is_new = CellsNear.to(job.points[changed] / BLOCK).has(middle / BLOCK)
    others = job.near[~np.isin(job.near, which)]
    beside = (job.points[job.quads[others, 0]] + job.points[job.quads[others, 2]]) / 2
    others = others[CellsNear.to(middle[is_new] - 0.5).has(beside - 0.5)]
    whole = triangles_of(job.points, job.quads, job.marks, others)
    triangles = np.concatenate([made.triangles[is_new], made.triangles[~is_new], whole])
    used, named = np.unique(triangles, return_inverse=True)
    pairs = crossing_pairs(_places_of(used, job, made), named.reshape(-1, 3), int(is_new.sum()))
    corners = triangles[pairs].reshape(-1, 6)
    is_old = corners < len(job.fate)
    fates = np.where(is_old, job.fate[np.minimum(corners, len(job.fate) - 1)], COLLAPSES)
    least = fates.min(axis=1, initial=COLLAPSES)
    grows = (fates == least[:, None]) & (least < COLLAPSES)[:, None] & is_old
    job.fate[corners[grows]] = np.maximum(job.fate[corners[grows]], fates[grows] + 1)
    return np.unique(corners[grows])


def _places_of(vertices: Numbers, job: _Job, made: _Parts) -> Reals:
    """Where some vertices (...) of the mesh and of the parts are (..., 3). All vertices of a mesh are many."""
    is_old, count = vertices < len(job.points), len(job.points)
    places = np.empty((*vertices.shape, 3))
    places[is_old], places[~is_old] = job.points[vertices[is_old]], made.points[vertices[~is_old] - count]
    return places


def _ends(rings: Numbers, count: int) -> Numbers:
    """The two ends of each side of quads (Q, 4), whatever its direction, as one number. There are `count` vertices."""
    after = np.roll(rings, -1, axis=1)
    return np.minimum(rings, after).astype(np.int64) * count + np.maximum(rings, after)


def _are_in(keys: Numbers, known: Numbers) -> npt.NDArray[np.bool_]:
    """Which of some keys are among the known ones, which ascend."""
    place = np.searchsorted(known, keys)
    found: npt.NDArray[np.bool_] = np.append(known, -1)[place] == keys
    return found


def _ends_of_divided(crossed: Numbers, rings: Numbers, fate: npt.NDArray[np.uint8]) -> Numbers:
    """The ends of divided sides, ascending: those of a vertex that divides; and if one side of a pair's quads is
    divided, all are.

    Args:
        crossed, rings: the quads of crossings and of border points. Sides 1 and 3 of these pass the face.
    """
    divides = fate > 0
    around = crossed[_with_any(crossed, divides)]
    ends = np.unique(_ends(around, len(fate))[divides[around] | divides[np.roll(around, -1, axis=1)]])
    touched = divides.copy()
    near = rings[:0]
    for _ in range(MOST_QUADS_OF_PAIR):
        near = rings[_with_any(rings, touched)]
        touched[near] = True
    pairs = _ends(near, len(fate))[:, OF_PAIR]
    ends = np.union1d(ends, pairs[(divides[near] | divides[np.roll(near, -1, axis=1)])[:, OF_PAIR]])
    count = -1
    while count != len(ends):
        count = len(ends)
        ends = np.union1d(ends, pairs[_are_in(pairs, ends).any(axis=1)])
    return ends


def _shared_sides(
    job: _Job, which: Numbers, keys: Numbers, is_forward: npt.NDArray[np.bool_], anchors: Reals
) -> tuple[Numbers, int]:
    """(N, 2, 2) the two sides that share a vertex, as rows of the divided quads `which` (K,) and corners; and how many
    of these are alone between their ends: they come first.

    Two sides of two quads that run between the same vertices, one forward and one back, do. Of more, those of quads
    that lie beside each other, then the nearest ones.

    Args:
        keys: (K, 4) the ends of divided sides, -1 for others.
    """
    row, corner = np.nonzero(keys >= 0)
    order = np.argsort(keys[row, corner], kind="stable")
    row, corner = row[order], corner[order]
    found, forward = np.stack([row, corner], axis=1), is_forward[row, corner]
    _, start, size = np.unique(keys[row, corner], return_index=True, return_counts=True)
    two = start[size == 2]
    two = two[forward[two] != forward[two + 1]]
    shared = [np.stack([found[two], found[two + 1]], axis=1)]
    crowded = np.flatnonzero(size > 2)
    if len(crowded):
        beside = _beside(which, job.first_quad, job.borders)
        for first, many in zip(start[crowded].tolist(), size[crowded].tolist(), strict=True):
            rows = slice(first, first + many)
            shared += [found[first + np.array(_matched(row[rows].tolist(), forward[rows], beside, anchors), dtype=int)]]
    return np.concatenate(shared), len(two)


def _matched(
    rows: list[int], is_forward: npt.NDArray[np.bool_], beside: set[tuple[int, int]], anchors: Reals
) -> list[tuple[int, int]]:
    """The pairs of sides of some divided quads' rows: see `_shared_sides`."""
    ways = [
        ((one, other) not in beside, dist(anchors[one], anchors[other]), n, m)
        for n, one in enumerate(rows)
        for m, other in enumerate(rows)
        if is_forward[n] and not is_forward[m]
    ]
    done: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for *_, n, m in sorted(ways):
        if n not in done and m not in done:
            done |= {n, m}
            pairs.append((n, m))
    return pairs


def _beside(which: Numbers, first_quad: int, borders: BorderPoints) -> set[tuple[int, int]]:
    """The rows of quads which (K,) that lie beside each other on the way of a pair, in both orders."""
    row_of = {q: row for row, q in enumerate(which.tolist())}
    found: set[tuple[int, int]] = set()
    for border in np.unique((which[which >= first_quad] - first_quad) // 2).tolist():
        quad = first_quad + 2 * border
        leaving, entering = borders.ends[border].tolist()
        is_second = border > 0 and bool(borders.is_first[border - 1])
        before = quad - 1 if is_second else leaving
        after = quad + 2 if borders.is_first[border] else entering
        for one, other in ((before, quad), (quad, quad + 1), (quad + 1, after)):
            if one in row_of and other in row_of:
                found |= {(row_of[one], row_of[other]), (row_of[other], row_of[one])}
    return found


def _spread(rings: npt.NDArray[np.int32], fate: npt.NDArray[np.uint8]) -> None:
    """Let all vertices of a loop collapse if one does. Sides 0 and 2 of a border point's quad lie within a loop."""
    sides = rings.reshape(-1, 2)
    while True:
        collapses = fate[sides] == COLLAPSES
        more = sides[collapses[:, 0] != collapses[:, 1]]
        if not len(more):
            return
        fate[more] = COLLAPSES


def _loops(rings: npt.NDArray[np.int32], fate: npt.NDArray[np.uint8]) -> dict[int, int]:
    """The vertex that each one which collapses becomes: the least of its loop."""
    least: dict[int, int] = {}

    def find(vertex: int) -> int:
        while least.setdefault(vertex, vertex) != vertex:
            vertex = least[vertex]
        return vertex

    for a, b, c, d in rings.tolist():
        for one, other in ((find(a), find(b)), (find(c), find(d))):
            least[max(one, other)] = min(one, other)
    return {vertex: find(vertex) for vertex in least if fate[vertex] == COLLAPSES}


def _moved_inside(made: _Parts, points: Reals) -> tuple[Numbers, Reals]:
    """The vertices that are left of loops, and others of divided quads; and where they go: to the middle of these
    loops, and into their cells. The middle is that of the parts' sides that lie in the sides of the cell."""
    added = len(points)
    turned = np.concatenate([np.roll(made.triangles, -k, axis=1) for k in range(3)])
    turned = turned[(turned[:, 0] < added) & (turned[:, 1] >= added) & (turned[:, 2] >= added)]
    vertices, of = np.unique(turned[:, 0], return_inverse=True)
    one, other = (made.points[turned[:, k] - added] for k in (1, 2))
    way = np.linalg.norm(one - other, axis=1)
    whole = np.bincount(of, way, len(vertices))
    sums = [np.bincount(of, way * (one + other)[:, i] / 2, len(vertices)) for i in range(3)]
    found = whole > 0
    vertices, middle = vertices[found], np.stack(sums, axis=1)[found] / whole[found, None]
    # Where the loop lies in one side of the cell, the vertex tells which cell it is.
    is_flat = np.abs(middle + 0.5 - np.round(middle + 0.5)) < FLAT
    low = np.floor(np.where(is_flat, points[vertices], middle) - 0.5) + 0.5
    middle = np.clip(middle, low + MARGIN, low + 1 - MARGIN)
    step = points[vertices] - middle
    room = np.where(step > 0, low + 1 - middle, middle - low)
    share = INNER * np.min(room / np.maximum(np.abs(step), TINY), axis=1, initial=1 / INNER)
    share[np.isin(vertices, made.kept)] = 0.0
    return vertices, middle + share[:, None] * step


def _fan(ring: list[int], sides: list[int], middle: int) -> list[tuple[int, int, int]]:
    """The triangles between a quad's middle and its sides, with the vertices on these, -1 for none."""
    around: list[int] = []
    for vertex, on_side in zip(ring, sides, strict=True):
        around += [vertex, on_side] if on_side >= 0 else [vertex]
    return [(middle, a, b) for a, b in zip(around, around[1:] + around[:1], strict=True)]


def _parts_of_border(ring: list[int], sides: list[int]) -> list[tuple[int, int, int]]:
    """The triangles of a border point's quad, whose sides 1 and 3 are divided: on both sides of the face."""
    a, b, c, d = ring
    one, other = sides[1], sides[3]
    return [(other, a, b), (other, b, one), (one, c, d), (one, d, other)]
