"""Quads whose triangles would still pass through each other, or share a side with more than one other, are divided.

A quad spans four cells. Divided, it becomes a fan around its edge's crossing, and each of its sides that passes a face
gets a vertex on that face. So no triangle leaves its cell, and two pairs of one face never share a side. The vertices
of a loop may *collapse* as well: they become one, at the middle of the loop. Seen from a point inside the cell, a loop
on the cell's sides never crosses itself, and neither do the triangles between the two.

Divided quads are few: this runs on the host, whatever the engine.
"""

from collections import defaultdict
from collections.abc import Callable
from math import dist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .overlaps import COLLAPSES
from .quads import ENTERS

TINY = 1e-12
FLAT = 1e-6  # voxels
MARGIN = 1e-3  # voxels: the middle of a loop stays so far inside its cell
INNER = 0.98  # of the way from there to the side of the cell: other vertices of divided quads stay within it
MOST_QUADS_OF_PAIR = 4  # those of two border points

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
    """Divide the quads at some vertices, and empty them.

    Args:
        quads, marks, first_quad: (Q, 4), (Q,) see `quads`. The corners of a divided quad become one.
        fate: (V,) DIVIDES for vertices whose quads are divided, COLLAPSES for those that become one as well, else 0.
        crossing_points: gives the places of crossings, by their indices.
        borders: those that the quads after the crossings belong to, two each.
        points: (V, 3) the vertices, in voxels. Those of divided quads are moved into their cells.
    """
    _spread(quads[first_quad:], fate)
    ends = _ends_of_divided(quads, first_quad, fate)
    touched = fate > 0
    touched[[vertex for pair in ends for vertex in pair]] = True
    which = _whole_with(quads, touched)
    rows = zip(which.tolist(), quads[which].tolist(), strict=True)
    which = which[[_is_divided(ring, q < first_quad, ends) for q, ring in rows]]
    rings = quads[which]
    of_border = which >= first_quad
    anchors = np.empty((len(which), 3))
    anchors[~of_border] = crossing_points(which[~of_border])
    anchors[of_border] = borders.point[(which[of_border] - first_quad) // 2]
    enters = marks[which] & ENTERS != 0
    beside = _beside(which, first_quad, borders)
    sides, shared = _divided_sides(rings, enters, of_border, ends, beside, anchors, len(fate))
    middles: list[int] = []
    one_of = _loops(rings[of_border], fate)
    triangles: list[tuple[int, int, int]] = []
    of_quad: list[int] = []
    for row, ring in enumerate(rings.tolist()):
        own = [one_of.get(vertex, vertex) for vertex in ring]
        if of_border[row]:
            made = _parts_of_border(own, sides[row])
        else:
            made = _fan(own, sides[row], len(fate) + len(shared) + len(middles))
            middles.append(row)
        made = [part for part in made if len(set(part)) == 3]
        triangles += [(a, c, b) for a, b, c in made] if enters[row] else made
        of_quad += [int(which[row])] * len(made)
    quads[which] = rings[:, :1]
    between = np.array(shared, dtype=np.int64).reshape(-1, 2)
    added = np.concatenate([(anchors[between[:, 0]] + anchors[between[:, 1]]) / 2, anchors[middles]])
    parts = np.array(triangles, dtype=np.int32).reshape(-1, 3)
    _move_inside(set(one_of.values()), parts, points, added)
    return Divided(added, parts[:, [0, 1, 2, 2]], np.array(of_quad, dtype=np.int64))


def _whole_with(quads: npt.NDArray[np.int32], marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The rows of quads (Q, 4) with a vertex that is marked (V,), and with all four."""
    # By columns: a sum over the last axis of so many rows takes several times as long.
    has_any = marked[quads[:, 0]]
    for corner in range(1, 4):
        has_any |= marked[quads[:, corner]]
    rows = np.flatnonzero(has_any)
    return rows[(quads[rows] >= 0).all(axis=1)]


def _ends(a: int, b: int) -> tuple[int, int]:
    """The ends of a side, whatever its direction."""
    return min(a, b), max(a, b)


def _ends_of_divided(
    quads: npt.NDArray[np.int32], first_quad: int, fate: npt.NDArray[np.uint8]
) -> set[tuple[int, int]]:
    """The ends of divided sides: those of a vertex that divides; and if one side of a pair's quads is divided, all are.

    Sides 1 and 3 of a border point's quad pass the face.
    """
    crossed, rings = quads[:first_quad], quads[first_quad:]
    touched = fate > 0
    around = crossed[_whole_with(crossed, touched)].tolist()
    ends = {
        _ends(a, b) for ring in around for a, b in zip(ring, ring[1:] + ring[:1], strict=True) if fate[a] or fate[b]
    }
    near = rings[:0]
    for _ in range(MOST_QUADS_OF_PAIR):
        near = rings[_whole_with(rings, touched)]
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
) -> tuple[list[dict[int, int]], list[tuple[int, int]]]:
    """The vertices on divided sides, of each quad by the corner that the side starts at; and the two quads of each.

    The two sides of two quads that run between the same vertices, one forward and one back, share a vertex. Of more,
    those of quads that lie beside each other, then the nearest ones.
    """
    by_ends: dict[tuple[int, int], list[_Side]] = defaultdict(list)
    for row, ring in enumerate(rings.tolist()):
        for corner in (1, 3) if of_border[row] else range(4):
            a, b = ring[corner], ring[(corner + 1) % 4]
            if (side := _ends(a, b)) in ends:
                by_ends[side].append(_Side(corner, row, (a < b) != bool(enters[row])))
    sides: list[dict[int, int]] = [{} for _ in range(len(rings))]
    shared: list[tuple[int, int]] = []
    place = anchors.tolist()
    for found in by_ends.values():
        ways = [
            ((one.row, other.row) not in beside, dist(place[one.row], place[other.row]), n, m)
            for n, one in enumerate(found)
            for m, other in enumerate(found)
            if one.is_forward and not other.is_forward
        ]
        done: set[int] = set()
        for *_, n, m in sorted(ways):
            if n not in done and m not in done:
                done |= {n, m}
                one, other = found[n], found[m]
                sides[one.row][one.corner] = sides[other.row][other.corner] = first + len(shared)
                shared.append((one.row, other.row))
    return sides, shared


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


def _move_inside(kept: set[int], triangles: npt.NDArray[np.int32], points: Reals, added: Reals) -> None:
    """Move the vertices that are left of loops to the middle of these, and others into their cells: points (V, 3).

    Args:
        triangles: (T, 3) those of divided quads, in which a loop's sides run between vertices of `added`.
    """
    count = len(points)
    corner = triangles.ravel()
    one, other = triangles[:, [1, 2, 0]].ravel() - count, triangles[:, [2, 0, 1]].ravel() - count
    of_side = np.flatnonzero((corner < count) & (one >= 0) & (other >= 0))
    start, end = added[one[of_side]], added[other[of_side]]
    way = np.sqrt(np.square(start - end).sum(axis=1))
    vertices, place = np.unique(corner[of_side], return_inverse=True)
    whole = np.bincount(place, way)
    moment = np.column_stack([np.bincount(place, way * (start + end)[:, i] / 2) for i in range(3)])
    vertices, middle = vertices[whole > 0], moment[whole > 0] / whole[whole > 0, None]
    # Where the loop lies in one side of the cell, the vertex tells which cell it is.
    is_flat = np.abs(middle + 0.5 - np.round(middle + 0.5)) < FLAT
    low = np.floor(np.where(is_flat, points[vertices], middle) - 0.5) + 0.5
    middle = np.clip(middle, low + MARGIN, low + 1 - MARGIN)
    step = points[vertices] - middle
    room = np.where(step > 0, low + 1 - middle, middle - low)
    share = np.minimum(INNER * (room / np.maximum(np.abs(step), TINY)).min(axis=1), 1)
    is_kept = np.isin(vertices, list(kept))
    points[vertices] = np.where(is_kept[:, None], middle, middle + share[:, None] * step)


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
