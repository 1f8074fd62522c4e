"""Quads whose triangles would still pass through each other, or share a side with more than one other, are divided.

A quad spans four cells. Divided, it becomes a fan around its edge's crossing, and each of its sides that passes a face
gets a vertex on that face. So no triangle leaves its cell, and two pairs of one face never share a side. The vertices
of a loop may *collapse* as well: they become one, at the middle of the loop. Seen from a point inside the cell, a loop
on the cell's sides never crosses itself, and neither do the triangles between the two.

Parts of divided quads may cross quads that are not divided. Then these are divided too.

Divided quads are few: this runs on the host, whatever the engine.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .checking import crossing_pairs, triangles_of
from .overlaps import COLLAPSES
from .quads import ENTERS

TINY = 1e-12
FLAT = 1e-6  # voxels
MARGIN = 1e-3  # voxels: the middle of a loop stays so far inside its cell
INNER = 0.98  # of the way from there to the side of the cell: other vertices of divided quads stay within it
MOST_QUADS_OF_PAIR = 4  # those of two border points
BLOCK = 4.0  # voxels: quads that are farther than one or two blocks from a vertex with a fate are left alone
TRIES = 6  # of dividing

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
        quads: (K, 4) counter-clockwise seen from outside, of triangles the last corner twice.
        of_quad: (K,) the quad that each one is a part of.
    """

    points: Reals
    quads: npt.NDArray[np.int32]
    of_quad: npt.NDArray[np.int64]


class _Job(NamedTuple):
    """What `divide` is given, and the quads that are near a vertex with a fate."""

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
        points: (M, 3) new vertices, whose indices follow all others.    triangles: (K, 3) turned to the outside.
        of_quad: (K,) the quad that each is a part of.    kept: (L,) the vertices that are left of loops.
    """

    points: Reals
    triangles: npt.NDArray[np.int32]
    of_quad: npt.NDArray[np.int64]
    kept: npt.NDArray[np.int64]


class _Side(NamedTuple):
    """A side of a quad that passes a face: the corner it starts at, the quad's row, and its direction outside."""

    corner: int
    row: int
    is_forward: bool


def divide(
    quads: npt.NDArray[np.int32],
    marks: Numbers,
    fate: npt.NDArray[np.uint8],
    first_quad: int,
    crossing_points: Callable[[Numbers], Reals],
    borders: BorderPoints,
    points: Reals,
) -> Divided:
    """Divide the quads at some vertices, and empty them. Where the parts cross other triangles, divide more.

    Args:
        quads, marks, first_quad: (Q, 4), (Q,) see `quads`. The corners of a divided quad become one.
        fate: (V,) DIVIDES for vertices whose quads are divided, COLLAPSES for those that become one as well, else 0.
        crossing_points: gives the places of crossings, by their indices.
        borders: those that the quads after the crossings belong to, two each.
        points: (V, 3) the vertices, in voxels. Those of divided quads are moved into their cells.
    """
    rows = np.flatnonzero((quads[:, 0] >= 0) & (quads[:, 1] >= 0) & (quads[:, 2] >= 0) & (quads[:, 3] >= 0))
    block = (points[quads[rows, 0]] * (1 / BLOCK)).astype(np.int32)
    for n in range(TRIES):
        near = rows[_are_near(block, points[fate > 0] / BLOCK, 1)]
        job = _Job(quads, marks, fate, first_quad, crossing_points, borders, points, near)
        which, made = _divide_once(job)
        moved, where = _moved_inside(made, points)
        before = points[moved]
        points[moved] = where
        if n == TRIES - 1 or not _spread_to_crossing(job, which, made):
            break
        points[moved] = before
    quads[which] = quads[which, :1]
    return Divided(made.points, made.triangles[:, [0, 1, 2, 2]], made.of_quad)


def _are_near(cells: Numbers, points: Reals, reach: int) -> npt.NDArray[np.bool_]:
    """(K,) whether cells (K, 3) of a grid are those of some points, or at most `reach` cells from one of these."""
    low = np.array([cells[:, i].min(initial=0) for i in range(3)]) - 1
    high = np.array([cells[:, i].max(initial=0) for i in range(3)])
    is_near = np.zeros(high - low + 2, dtype=np.bool_)
    steps = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    around = (np.unique(np.floor(points).astype(np.int64), axis=0)[:, None] + steps - low).reshape(-1, 3)
    x, y, z = np.clip(around, 0, np.array(is_near.shape) - 1).T
    is_near[x, y, z] = True
    return is_near[cells[:, 0] - low[0], cells[:, 1] - low[1], cells[:, 2] - low[2]]


def _divide_once(job: "_Job") -> tuple[Numbers, "_Parts"]:
    """The quads that are divided, and what becomes of them."""
    fate, first_quad, borders = job.fate, job.first_quad, job.borders
    rings, is_crossing = job.quads[job.near], job.near < first_quad
    _spread(rings[~is_crossing], fate)
    ends = _ends_of_divided(rings[is_crossing], rings[~is_crossing], fate)
    touched = fate > 0
    touched[[vertex for pair in ends for vertex in pair]] = True
    may = np.flatnonzero(touched[rings].any(axis=1))
    rows = zip(is_crossing[may].tolist(), rings[may].tolist(), strict=True)
    which = job.near[may[[_is_divided(ring, crosses, ends) for crosses, ring in rows]]]
    rings, of_border = job.quads[which], which >= first_quad
    anchors = np.empty((len(which), 3))
    anchors[~of_border] = job.crossing_points(which[~of_border])
    anchors[of_border] = borders.point[(which[of_border] - first_quad) // 2]
    enters = job.marks[which] & ENTERS != 0
    beside = _beside(which, first_quad, borders)
    sides, new = _divided_sides(rings, enters, of_border, ends, beside, anchors, len(fate))
    one_of = _loops(rings[of_border], fate)
    triangles: list[tuple[int, int, int]] = []
    of_quad: list[int] = []
    for row, ring in enumerate(rings.tolist()):
        own = [one_of.get(vertex, vertex) for vertex in ring]
        if of_border[row]:
            parts = _parts_of_border(own, sides[row])
        else:
            parts = _fan(own, sides[row], len(fate) + len(new))
            new.append(anchors[row])
        parts = [part for part in parts if len(set(part)) == 3]
        triangles += [(a, c, b) for a, b, c in parts] if enters[row] else parts
        of_quad += [int(which[row])] * len(parts)
    added = np.array(new, dtype=np.float64).reshape(-1, 3)
    kept = np.unique(np.fromiter(one_of.values(), dtype=np.int64))
    shape = np.array(triangles, dtype=np.int32).reshape(-1, 3)
    return which, _Parts(added, shape, np.array(of_quad, dtype=np.int64), kept)


def _spread_to_crossing(job: "_Job", which: Numbers, made: "_Parts") -> bool:
    """Let what a fate befell befall the vertices of triangles that cross the parts too; and where it did, a worse one.
    Return whether that is any."""
    points = np.concatenate([job.points, made.points])
    others = job.near[~np.isin(job.near, which)]
    middle = (points[job.quads[others, 0]] + points[job.quads[others, 2]]) / 2
    parts = points[made.triangles].mean(axis=1)
    others = others[_are_near(np.floor(middle - 0.5).astype(np.int64), parts - 0.5, 1)]
    triangles = np.concatenate([made.triangles, triangles_of(points, job.quads, job.marks, others)])
    pairs = crossing_pairs(points, triangles, len(made.triangles))
    corners = triangles[pairs].reshape(-1, 6)
    is_old = corners < len(job.fate)
    fates = np.where(is_old, job.fate[np.minimum(corners, len(job.fate) - 1)], COLLAPSES)
    least = fates.min(axis=1, initial=COLLAPSES)
    grows = (fates == least[:, None]) & (least < COLLAPSES)[:, None] & is_old
    job.fate[corners[grows]] = np.maximum(job.fate[corners[grows]], fates[grows] + 1)
    return bool(grows.any())


def _ends(a: int, b: int) -> tuple[int, int]:
    """The ends of a side, whatever its direction."""
    return min(a, b), max(a, b)


def _ends_of_divided(crossed: Numbers, rings: Numbers, fate: npt.NDArray[np.uint8]) -> set[tuple[int, int]]:
    """The ends of divided sides: those of a vertex that divides; and if one side of a pair's quads is divided, all are.

    Args:
        crossed, rings: the quads of crossings and of border points. Sides 1 and 3 of these pass the face.
    """
    around = crossed[(fate[crossed] > 0).any(axis=1)].tolist()
    ends = {
        _ends(a, b) for ring in around for a, b in zip(ring, ring[1:] + ring[:1], strict=True) if fate[a] or fate[b]
    }
    touched = fate > 0
    near = rings[:0]
    for _ in range(MOST_QUADS_OF_PAIR):
        near = rings[touched[rings].any(axis=1)]
        touched[near] = True
    pairs = [(_ends(b, c), _ends(d, a)) for a, b, c, d in near.tolist()]
    ends |= {side for pair in pairs for side in pair if fate[side[0]] or fate[side[1]]}
    count = -1
    while count != len(ends):
        count = len(ends)
        for one, other in pairs:
            if one in ends or other in ends:
                ends |= {one, other}
    return ends


def _is_divided(ring: list[int], is_crossing: bool, ends: set[tuple[int, int]]) -> bool:
    """Whether a quad has a divided side, and more than two corners."""
    sides = zip(ring, ring[1:] + ring[:1], strict=True)
    return len(set(ring)) > 2 and any(_ends(a, b) in ends for k, (a, b) in enumerate(sides) if is_crossing or k % 2)


def _divided_sides(
    rings: npt.NDArray[np.int32],
    enters: npt.NDArray[np.bool_],
    of_border: npt.NDArray[np.bool_],
    ends: set[tuple[int, int]],
    beside: set[tuple[int, int]],
    anchors: Reals,
    first: int,
) -> tuple[list[dict[int, int]], list[Reals]]:
    """The vertices on divided sides, of each quad by the corner that the side starts at; and where they lie.

    The two sides of two quads that run between the same vertices, one forward and one back, share a vertex. Of more,
    those of quads that lie beside each other, then the nearest ones.
    """
    by_ends: dict[tuple[int, int], list[_Side]] = defaultdict(list)
    for row, ring in enumerate(rings.tolist()):
        for corner in (1, 3) if of_border[row] else range(4):
            a, b = ring[corner], ring[(corner + 1) % 4]
            if _ends(a, b) in ends:
                by_ends[_ends(a, b)].append(_Side(corner, row, (a < b) != bool(enters[row])))
    sides: list[dict[int, int]] = [{} for _ in range(len(rings))]
    points: list[Reals] = []
    for found in by_ends.values():
        ways = [
            ((one.row, other.row) not in beside, float(np.square(anchors[one.row] - anchors[other.row]).sum()), n, m)
            for n, one in enumerate(found)
            for m, other in enumerate(found)
            if one.is_forward and not other.is_forward
        ]
        done: set[int] = set()
        for *_, n, m in sorted(ways):
            if n not in done and m not in done:
                done |= {n, m}
                one, other = found[n], found[m]
                sides[one.row][one.corner] = sides[other.row][other.corner] = first + len(points)
                points.append((anchors[one.row] + anchors[other.row]) / 2)
    return sides, points


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


def _fan(ring: list[int], sides: dict[int, int], middle: int) -> list[tuple[int, int, int]]:
    """The triangles between a quad's middle and its sides."""
    around: list[int] = []
    for corner, vertex in enumerate(ring):
        around += [vertex, sides[corner]] if corner in sides else [vertex]
    return [(middle, a, b) for a, b in zip(around, around[1:] + around[:1], strict=True)]


def _parts_of_border(ring: list[int], sides: dict[int, int]) -> list[tuple[int, int, int]]:
    """The triangles of a border point's quad, whose sides 1 and 3 are divided: on both sides of the face."""
    a, b, c, d = ring
    one, other = sides[1], sides[3]
    return [(other, a, b), (other, b, one), (one, c, d), (one, d, other)]
