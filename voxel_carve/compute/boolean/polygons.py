"""The faces of a kept stock: a boolean takes triangles, and the stock has polygons.

A polygon whose triangles are all unchanged is taken over as it is. The pieces of any other face are joined where they
are one flat disc without a vertex inside it, or two triangles; otherwise, as around a bore hole, they stay triangles.
So do they where an edge of other faces joins two corners of the disc: Blender might put a diagonal there, too, and the
edge would have four faces.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.mesh import Source, Surface
from ..primitives.half_edges import connected, face_sides, paired_sides

Points = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

FLAT = 1e-5  # of its size: how far a face may be from its plane
ON_EDGE = 1e-7  # of a triangle's height: a point this near to an edge lies on it


@dataclass(frozen=True)
class StockPolygons:
    """The faces of a stock with N vertices, C corners and F faces, and the T triangles that they are split into.

    Attributes:
        points: (N, 3) float64, in the space of the boolean.
        start: (F + 1,) the corners of face i are start[i] to start[i + 1].
        triangles: (T, 3) the vertices of each triangle.
        corners: (T, 3) the corner of a face that each corner of a triangle is.
        face: (T,) the face of each triangle, in ascending order.
    """

    points: Points
    start: npt.NDArray[np.integer]
    triangles: npt.NDArray[np.integer]
    corners: npt.NDArray[np.integer]
    face: npt.NDArray[np.integer]


@dataclass(frozen=True)
class Mixed:
    """Elements between three elements of the stock.

    Attributes:
        row: (K,) which they are.
        of: (K, 3) the elements of the stock.
        weight: (K, 3) their weights, which add up to 1.
    """

    row: Indices
    of: Indices
    weight: Points


@dataclass(frozen=True)
class KeptFaces:
    """The faces of a result with V vertices, K corners and P faces, in terms of the stock's.

    Attributes:
        points: (V, 3) float64, in the space of the boolean.
        vertex: (V,) the stock's vertex that each vertex is, -1 for a new one.
        mixed_vertices: the new ones that lie on the stock.
        start: (P + 1,) the corners of face i are start[i] to start[i + 1].
        corner_vertex: (K,) the vertex of each corner.
        corner: (K,) the stock's corner that each corner is, -1 for a new one.
        mixed_corners: the new ones that lie on the stock.
        face: (P,) the stock's face that each face is, or is a part of; -1 for a cut face.
        flipped: (P,) whether a face was flipped with regard to the stock's.
        segment: (P,) the segment of a cut face; -1 for none.
        piece: (K,) the corner of a triangle of the result that each corner was, 3 times the triangle and the place
            there; -1 on faces of the stock that stayed whole.
    """

    points: Points
    vertex: Indices
    mixed_vertices: Mixed
    start: Indices
    corner_vertex: Indices
    corner: Indices
    mixed_corners: Mixed
    face: Indices
    flipped: Mask
    segment: Indices
    piece: Indices

    def __len__(self) -> int:
        return len(self.face)

    def sides(self) -> tuple[Indices, Indices]:
        """The vertices (K,), (K,) where the side after each corner begins and ends."""
        following = np.arange(1, len(self.corner_vertex) + 1)
        following[self.start[1:] - 1] = self.start[:-1]
        return self.corner_vertex, self.corner_vertex[following]

    def is_stock(self, stock: StockPolygons) -> bool:
        """Whether the result is the stock itself."""
        same = len(self) == len(stock.start) - 1 and not self.flipped.any()
        return same and len(self.corner) == stock.start[-1] and bool((np.diff(self.corner) == 1).all())


def kept_faces(surface: Surface, cut_face: npt.NDArray[np.int32], stock: StockPolygons) -> KeptFaces:
    """The faces of a kept stock, in the order of the stock's faces; cut faces come last.

    Args:
        surface: the triangles of the result; cut_face: as in `CarveResult`.
        stock: its faces, with the same triangles as the stock that was cut.
    """
    ours = np.flatnonzero(surface.source == Source.STOCK)
    place = np.full((len(surface.faces), 3), -1)
    place[ours] = corner_places(
        surface.points[surface.faces[ours]], stock.points[stock.triangles[surface.primitive[ours]]]
    )
    whole, flipped = _whole_faces(surface, ours, place, stock)
    vertex = _vertices(surface, ours, place, stock)

    triangle = np.where(surface.source == Source.STOCK, surface.primitive, -1)
    face_of = np.where(triangle >= 0, stock.face[triangle], -1)
    loose = np.flatnonzero((face_of < 0) | ~whole[face_of])
    group = np.where(face_of[loose] < 0, len(whole) + cut_face[loose], face_of[loose])
    rest = np.stack(face_sides(np.delete(vertex, loose, axis=0)), axis=1)
    side, start = _joined(vertex[loose], group, surface.points[surface.faces[loose]], rest)
    row, which = loose[side // 3], side % 3

    kept = np.flatnonzero(whole)
    kept_corners, kept_start = _face_corners(stock.start, kept, flipped[kept])
    corner_vertices = np.empty(int(stock.start[-1]), dtype=np.int64)
    corner_vertices[stock.corners] = stock.triangles
    own = np.where(place[row, which] >= 0, stock.corners[triangle[row], place[row, which]], -1)

    first = row[start[:-1]]
    order = np.argsort(np.concatenate([kept, group[side[start[:-1]] // 3]]), kind="stable")
    start = np.concatenate([kept_start[:-1], start + kept_start[-1]])
    corner = np.concatenate([kept_corners, own])
    at = np.concatenate([corner_vertices[kept_corners], vertex[row, which]])
    of = np.concatenate([np.full(len(kept_corners), -1), triangle[row]])
    piece = np.concatenate([np.full(len(kept_corners), -1), 3 * row + which])
    moved, start = _rows(start, order)
    used, at = np.unique(at[moved], return_inverse=True)
    is_old = used < len(stock.points)
    points = np.concatenate([stock.points[used[is_old]], surface.points[used[~is_old] - len(stock.points)]])
    corner, of, at = corner[moved], of[moved], at.reshape(-1)
    mixed = _mixed(np.flatnonzero((corner < 0) & (of >= 0)), of, points[at], stock)
    return KeptFaces(
        points,
        np.where(is_old, used, -1),
        _mixed_vertices(mixed, of, at, is_old, stock),
        start,
        at,
        corner,
        mixed,
        np.concatenate([kept, face_of[first]])[order],
        np.concatenate([flipped[kept], np.zeros(len(first), dtype=bool)])[order],
        np.concatenate([np.full(len(kept), -1), np.where(face_of[first] < 0, surface.primitive[first], -1)])[order],
        piece[moved],
    )


def corner_places(corners: Points, before: Points) -> Indices:
    """(R, 3) which corner of a triangle (R, 3, 3) each corner of a piece of it (R, 3, 3) is; -1 for none."""
    place = np.full(corners.shape[:2], -1)
    for now in range(3):
        for then in range(3):
            place[(corners[:, now] == before[:, then]).all(axis=1), now] = then
    return place


def _whole_faces(surface: Surface, ours: Indices, place: Indices, stock: StockPolygons) -> tuple[Mask, Mask]:
    """(F,) which of the stock's faces are unchanged, and which of these are flipped."""
    count = len(stock.start) - 1
    face, place = stock.face[surface.primitive[ours]], place[ours]
    same = (np.sort(place, axis=1) == np.arange(3)).all(axis=1)
    turned = same & ((place[:, 1] - place[:, 0]) % 3 == 2)
    found, unchanged, flipped = (np.bincount(face[rows], minlength=count) for rows in (slice(None), same, turned))
    whole = (found == np.bincount(stock.face, minlength=count)) & (found == unchanged) & (found > 0)
    whole &= (flipped == 0) | (flipped == found)
    return whole, whole & (flipped > 0)


def _vertices(surface: Surface, ours: Indices, place: Indices, stock: StockPolygons) -> Indices:
    """(M, 3) the vertex of each corner of the surface: the stock's, or N plus the surface's for a new one.

    Where the stock has several vertices in one place, each face keeps its own.
    """
    vertex = surface.faces.astype(np.int64) + len(stock.points)
    own = np.take_along_axis(stock.triangles[surface.primitive[ours]], np.maximum(place[ours], 0), axis=1)
    known = place[ours] >= 0
    old = np.arange(len(surface.points)) + len(stock.points)
    old[surface.faces[ours][known]] = own[known]
    vertex = old[surface.faces]
    vertex[ours] = np.where(known, own, vertex[ours])
    return vertex


def _joined(vertex: Indices, group: Indices, corners: Points, rest: Indices) -> tuple[Indices, Indices]:
    """Join triangles (R, 3) of one group (R,) that share edges into faces, where these are simple.

    Args:
        corners: (R, 3, 3) the points of the triangles.
        rest: (E, 2) the edges of all other triangles.

    Returns:
        The sides of triangles, 3 r + i, that begin at the corners of the faces, face by face; and where each begins.
    """
    count = len(vertex)
    if count == 0:
        return np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    tail, head = face_sides(vertex)
    one, other = paired_sides(tail, head)
    within = (group[one // 3] == group[other // 3]) & (tail[one] == head[other])
    one, other = one[within], other[within]
    part = connected(one // 3, other // 3, count)
    is_border = np.ones(3 * count, dtype=bool)
    is_border[one] = is_border[other] = False
    border = np.flatnonzero(is_border)
    # A disc without a vertex inside it has two triangles less than sides.
    sides, triangles = np.bincount(part[border // 3], minlength=count), np.bincount(part, minlength=count)
    simple = sides == triangles + 2
    key = part[border // 3].astype(np.int64) << 32 | tail[border]
    simple[part[border // 3][_repeated(key)]] = False
    simple &= (triangles <= 2) | _flat(corners, part, count)
    simple &= triangles > 1
    edges = np.stack([tail, head], axis=1)
    while True:
        is_joined = simple[np.repeat(part, 3)]
        around = np.flatnonzero(is_border & is_joined)
        outer = np.concatenate([edges[~is_joined], rest])
        met = _met_across(part[around // 3].astype(np.int64), tail[around], head[around], triangles, outer)
        if len(met) == 0:
            break
        simple[met] = False
    alone = np.flatnonzero(~simple[part])
    border = border[simple[part[border // 3]]]
    # Blender splits a quad at its first corner.
    inner = [part[one // 3].astype(np.int64) << 32 | ends for ends in (tail[one], head[one])]
    key = part[border // 3].astype(np.int64) << 32 | tail[border]
    border = border[np.argsort(~np.isin(key, np.concatenate(inner)), kind="stable")]
    ordered, length = _in_order(border, part[border // 3], tail[border], head[border])
    side = np.concatenate([ordered, (3 * alone[:, None] + np.arange(3)).ravel()])
    start = np.concatenate([[0], np.cumsum(np.concatenate([length, np.full(len(alone), 3)]))])
    return side, start.astype(np.int64)


def _met_across(part: Indices, tail: Indices, head: Indices, size: Indices, edges: Indices) -> Indices:
    """Parts to be left apart, so that no diagonal of one is an edge elsewhere, however the parts are triangulated.

    Args:
        part, tail, head: (B,) the sides around parts that are to be joined.
        size: (P,) the number of triangles of each part. Of two that cannot both be joined, the smaller one is left.
        edges: (E, 2) all edges but those within parts that are to be joined.
    """
    low, high = np.sort(np.concatenate([edges, np.stack([tail, head], axis=1)]), axis=1).T
    key, number = np.unique(low << 32 | high, return_inverse=True)
    side = number.reshape(-1)[len(edges) :]
    corner = np.sort(tail << 32 | part)
    vertex, of = corner >> 32, corner & (1 << 32) - 1
    # An edge with both ends in a part is a diagonal of it, if it is not a side.
    edge, at = _listed(np.searchsorted(vertex, key >> 32), np.searchsorted(vertex, key >> 32, side="right"))
    is_across = np.isin((key[edge] & (1 << 32) - 1) << 32 | of[at], corner)
    is_across &= ~np.isin(edge << 32 | of[at], side << 32 | part)
    # Two parts with two corners in common share a side, or may both have a diagonal there.
    one, other = _listed(np.searchsorted(vertex, vertex), np.searchsorted(vertex, vertex, side="right"))
    pair, common = np.unique(_pairs(of[one], of[other]), return_counts=True)
    order = np.argsort(side, kind="stable")
    beside = np.flatnonzero(np.diff(side[order]) == 0)
    both = part[order[beside]], part[order[beside + 1]]
    shares_side = np.isin(pair, np.concatenate([_pairs(*both), _pairs(*both[::-1])]))
    pair = pair[(common > 2) | ((common == 2) & ~shares_side)]
    first, second = pair >> 32, pair & (1 << 32) - 1
    return np.unique(np.concatenate([of[at[is_across]], np.where(size[first] <= size[second], first, second)]))


def _pairs(one: Indices, other: Indices) -> Indices:
    """Pairs of parts as numbers, of those where the first part is the lower one."""
    return np.asarray((one << 32 | other)[one < other])


def _listed(first: Indices, last: Indices) -> tuple[Indices, Indices]:
    """For each i, i as often as there are numbers from first[i] to last[i]; and these numbers."""
    count = last - first
    row = np.repeat(np.arange(len(count)), count)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)


def _flat(corners: Points, part: npt.NDArray[np.integer], count: int) -> Mask:
    """(count,) which parts, as the triangles (R, 3, 3) belong to them (R,), lie in one plane."""

    def mean(rows: npt.NDArray[np.floating[Any]]) -> Points:
        return np.stack([np.bincount(part, column, count) for column in rows.T], axis=1)

    normal = mean(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    middle = mean(corners.mean(axis=1)) / np.maximum(np.bincount(part, minlength=count), 1)[:, None]
    arm = corners - middle[part][:, None]
    height, radius = np.zeros((2, count))
    np.maximum.at(height, part, np.abs((arm * normal[part][:, None]).sum(axis=2)).max(axis=1))
    np.maximum.at(radius, part, np.linalg.norm(arm, axis=2).max(axis=1))
    return np.asarray(height <= FLAT * radius)


def _repeated(key: Indices) -> Mask:
    """(B,) which keys occur more than once."""
    _, at, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(count[at.reshape(-1)] > 1)


def _in_order(side: Indices, part: Indices, tail: Indices, head: Indices) -> tuple[Indices, Indices]:
    """Sides (B,) of simple loops, one of each part, from the one that comes first on around the loop; and the length of
    each loop.

    Each side doubles its way back to the first, until all have arrived.
    """
    if len(side) == 0:
        return side, side
    by_tail = np.argsort(part.astype(np.int64) << 32 | tail)
    keys = (part.astype(np.int64) << 32 | tail)[by_tail]
    following = by_tail[np.searchsorted(keys, part.astype(np.int64) << 32 | head)]
    back = np.empty(len(side), dtype=np.int64)
    back[following] = np.arange(len(side))
    _, first, of, length = np.unique(part, return_index=True, return_inverse=True, return_counts=True)
    steps = np.ones(len(side), dtype=np.int64)
    back[first], steps[first] = first, 0
    for _ in range(int(length.max()).bit_length()):
        steps += steps[back]
        back = back[back]
    return side[np.lexsort((steps, of.reshape(-1)))], length


def _face_corners(start: npt.NDArray[np.integer], faces: Indices, flipped: Mask) -> tuple[Indices, Indices]:
    """The corners of faces, one face after the other, and where each begins. Flipped ones keep their first corner."""
    corners, begin = _rows(start, faces)
    count = np.diff(begin)
    place = np.arange(len(corners)) - np.repeat(begin[:-1], count)
    turned = np.repeat(flipped, count) & (place > 0)
    return np.where(turned, corners + np.repeat(count, count) - 2 * place, corners), begin


def _rows(start: npt.NDArray[np.integer], order: Indices) -> tuple[Indices, Indices]:
    """The elements of ranges from start[i] to start[i + 1], in another order; and where each range begins in that."""
    count = np.diff(start)[order]
    begin = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return np.arange(begin[-1]) + np.repeat(np.asarray(start[:-1])[order] - begin[:-1], count), begin


def _mixed(rows: Indices, of: Indices, points: Points, stock: StockPolygons) -> Mixed:
    """Corners `rows` on the stock's triangles `of` (K,), at points (K, 3), by barycentric coordinates."""
    triangle = of[rows]
    a, b, c = np.moveaxis(stock.points[stock.triangles[triangle]], 1, 0)
    normal = np.cross(b - a, c - a)
    size = np.maximum((normal * normal).sum(axis=1), np.finfo(np.float64).tiny)
    p = points[rows]
    v = (np.cross(p - a, c - a) * normal).sum(axis=1) / size
    w = (np.cross(b - a, p - a) * normal).sum(axis=1) / size
    weight = np.clip(np.stack([1 - v - w, v, w], axis=1), 0, 1)
    weight[weight < ON_EDGE] = 0
    weight /= weight.sum(axis=1, keepdims=True)
    return Mixed(rows, stock.corners[triangle].astype(np.int64), weight)


def _mixed_vertices(mixed: Mixed, of: Indices, at: Indices, is_old: Mask, stock: StockPolygons) -> Mixed:
    """The new vertices among the vertices `at` (K,) of mixed corners, each by one of them."""
    new = np.flatnonzero(~is_old[at[mixed.row]])
    vertex, first = np.unique(at[mixed.row[new]], return_index=True)
    chosen = new[first]
    return Mixed(vertex, stock.triangles[of[mixed.row[chosen]]].astype(np.int64), mixed.weight[chosen])
