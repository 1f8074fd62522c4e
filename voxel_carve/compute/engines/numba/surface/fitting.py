"""How the pieces of two sheets fit into a mesh. See `contour.rims`."""

from dataclasses import dataclass, replace

import numpy as np

from ....contour.rims import GROWTHS
from ....model.bricks import LOWEST
from ....model.mesh import DualMesh
from ....primitives.half_edges import face_sides, side_keys
from ..contour.connecting import has_any, linked_parts, merged, touching, twin_sides
from ..contour.overlaps import Mask, Numbers
from ..contour.vertices import MOST_PATCHES
from .cutting import Indices, Pieces
from .sheets import Sheet, place_in


@dataclass(frozen=True)
class Seam:
    """Where a region meets the rest of a mesh.

    Attributes:
        tail, head: (E,) half-edges of quads of the region.    quad: (E,) these quads, as places in the region.
        of_path: (E,) whether they are the sweep's.
        inner: (P, 2) quads of the region, as places in it, with a common edge.
    """

    tail: Indices
    head: Indices
    quad: Indices
    of_path: Mask
    inner: Indices

    @classmethod
    def of(cls, mesh: DualMesh, quad: Indices) -> "Seam":
        """The seam of quads (M,)."""
        quads = mesh.quads.take(quad, axis=0)
        tail, head = (ends.astype(np.int64) for ends in face_sides(quads))
        twin = twin_sides(quads)
        side = np.flatnonzero(twin < 0)
        inner = np.stack(_pairs(twin), axis=1) >> 2
        return cls(tail[side], head[side], side >> 2, is_path(mesh.codes[quad[side >> 2]]), inner)


@dataclass(frozen=True)
class Fit:
    """How pieces fit a region.

    Attributes:
        replaced: (M,) the quads of the region that are replaced.    taken: (F,) the faces that replace them.
        tail, head: (E,) the vertices of the pieces that stand for the seam's, -1 for none.
        again: (M,) the quads that pieces do not replace because they end too early, or because the line of the cut
            crosses the seam.    crossed: (C,) the vertices of the seam where it does.
        leaks: (L,), (L,), (L,) the face, the tail and the head of each half-edge where they end.
        part_of_quad, part_of_face: (M,), (F,) the number of the part that each belongs to. A part is replaced whole.
    """

    replaced: Mask
    taken: Mask
    tail: Indices
    head: Indices
    again: Mask
    crossed: Indices
    leaks: tuple[Indices, Numbers, Numbers]
    part_of_quad: Numbers
    part_of_face: Numbers

    @property
    def parts(self) -> int:
        """The number of parts."""
        return int(max(self.part_of_quad.max(initial=-1), self.part_of_face.max(initial=-1))) + 1

    def without(self, refused: Mask) -> "Fit":
        """The same, but with the parts that are refused, by their numbers, left as they were."""
        replaced, taken = self.replaced & ~refused[self.part_of_quad], self.taken & ~refused[self.part_of_face]
        return replace(self, replaced=replaced, taken=taken)


def is_path(codes: Numbers) -> Mask:
    """(Q,) whether quads with these codes are the sweep's."""
    return (codes < 0) & (codes != LOWEST)


def grown(mesh: DualMesh, quad: Indices, stock: Sheet, sweep: Sheet) -> tuple[Indices, Seam]:
    """A region and its seam, grown where the sheets do not have it."""
    for _ in range(GROWTHS):
        seam = Seam.of(mesh, quad)
        _, _, found = _stands_for(mesh, seam, stock, sweep)
        if found.all():
            return quad, seam
        missing = np.zeros(len(mesh.points), dtype=np.bool_)
        missing[seam.tail[~found]] = True
        missing[seam.head[~found]] = True
        quad = merged(quad, touching(mesh.quads, missing))
    return quad, Seam.of(mesh, quad)


def _stands_for(mesh: DualMesh, seam: Seam, stock: Sheet, sweep: Sheet) -> tuple[Indices, Indices, Mask]:
    """The vertices of the seam's half-edges in their sheets (E,), (E,), and whether the sheets have them (E,)."""
    tail, head, found = (np.full(len(seam.tail), -1), np.full(len(seam.tail), -1), np.zeros(len(seam.tail), np.bool_))
    for sheet, own in ((stock, ~seam.of_path), (sweep, seam.of_path)):
        tail[own], head[own] = (sheet.find(mesh.cells[ends[own]]) for ends in (seam.tail, seam.head))
        found[own] = sheet.has_side(tail[own], head[own])
    return tail, head, found


def _pairs(twin: Indices) -> tuple[Indices, Indices]:
    """(P,), (P,) half-edges along the same edges, from their twins: see `twin_sides`."""
    one = np.flatnonzero(twin > np.arange(len(twin)))
    return one, twin[one]


@dataclass(frozen=True)
class _Sides:
    """The half-edges of pieces.

    Attributes:
        face, tail, head: (4 F,) the face and the ends of each. Triangles have one from their last corner to itself.
        one, other: (P,) pairs along an edge that is not the seam's.
        is_open: (4 F,) neither in a pair nor along the seam.    is_outer: (4 F,) against one along the seam.
        on_seam: (E,) the half-edge along each of the seam's, -1 for none.
    """

    face: Indices
    tail: Numbers
    head: Numbers
    one: Indices
    other: Indices
    is_open: Mask
    is_outer: Mask
    on_seam: Indices

    @classmethod
    def of(cls, pieces: Pieces, seam_tail: Indices, seam_head: Indices) -> "_Sides":
        """The half-edges of pieces, and those of the seam (E,), (E,) between vertices of the pieces."""
        tail, head = face_sides(pieces.faces)
        is_end = np.zeros(len(pieces.points), dtype=np.bool_)
        is_end[seam_tail] = True
        along = np.flatnonzero(is_end[tail] & is_end[head])
        key, seam = side_keys(tail[along], head[along]), side_keys(seam_tail, seam_head)
        ordered, order = np.sort(seam, kind="stable"), np.argsort(key, kind="stable")
        is_inner, is_outer = np.zeros((2, len(tail)), dtype=np.bool_)
        is_inner[along] = place_in(ordered, key) >= 0
        is_outer[along] = place_in(ordered, side_keys(head[along], tail[along])) >= 0
        place = place_in(key[order], seam)
        twin = twin_sides(pieces.faces)
        one, other = _pairs(twin)
        is_open = (twin < 0) & (tail != head) & ~is_inner
        through = ~(is_inner | is_outer)[one]
        on_seam = np.where(place >= 0, along[order[place]] if len(along) else -1, -1)
        return cls(np.arange(len(tail)) >> 2, tail, head, one[through], other[through], is_open, is_outer, on_seam)


def fit_pieces(mesh: DualMesh, quad: Indices, seam: Seam, stock: Sheet, sweep: Sheet, pieces: Pieces) -> Fit:
    """How the pieces of two sheets fit the region of quads (M,)."""
    tail, head, found = _stands_for(mesh, seam, stock, sweep)
    first = np.where(seam.of_path, len(stock.mesh.points), 0)
    tail, head = np.where(found, tail + first, -1), np.where(found, head + first, -1)
    old = linked_parts(seam.inner, len(quad))
    sides, count = _Sides.of(pieces, tail[found], head[found]), old.max() + 1
    new = count + linked_parts(sides.face[np.stack([sides.one, sides.other], axis=1)], len(pieces.faces))
    own, there = old[seam.quad[found]], sides.on_seam >= 0
    along = np.stack([own[there], new[sides.face[sides.on_seam[there]]]], axis=1)
    group = linked_parts(along, new.max(initial=count) + 1)
    # What replaces a part of the region is closed apart from the seam, has all of the seam, and lies within it.
    wrong, linked = (np.zeros(group.max() + 1, dtype=np.bool_) for _ in range(2))
    broken = sides.is_open | sides.is_outer
    wrong[group[new[sides.face[broken]]]] = True
    wrong[group[old[seam.quad[~found]]]] = True
    wrong[group[own[~there]]] = True
    linked[group[own[there]]] = True
    leak = np.flatnonzero(sides.is_open)
    leak = leak[linked[group[new[sides.face[leak]]]]]
    goes_on = np.zeros(len(linked), dtype=np.bool_)
    goes_on[group[new[sides.face[leak]]]] = True
    goes_on[group[own[~there]]] = True
    fits, whole = (linked & ~wrong)[group], ~linked[group]
    whole[new[sides.face[broken]]] = False
    whole[old] = np.bincount(old[seam.quad], minlength=count)[old] == 0
    keys = np.concatenate([stock.keys, sweep.keys])
    whole[new[_with_some(pieces, _beyond(mesh, quad, keys))]] = False
    _drop_behind(pieces, np.concatenate([stock.behind, sweep.behind]), new, whole)
    _take_chips(mesh, quad, old, pieces, keys, new, whole, fits)
    leaks = sides.face[leak], sides.tail[leak], sides.head[leak]
    again = goes_on[group[old]] & ~fits[old]
    crossed = np.unique(np.concatenate([ends[found][~there] for ends in (seam.tail, seam.head)]))
    return Fit(fits[old], fits[new], tail, head, again, crossed, leaks, group[old], group[new])


def _beyond(mesh: DualMesh, quad: Indices, keys: Indices) -> Mask:
    """(V,) which keys stand for vertices of the mesh that no quad of the region (M,) has."""
    vertex, outside = place_in(mesh.cells, keys), np.ones(len(mesh.points), dtype=np.bool_)
    outside[mesh.quads.take(quad, axis=0)] = False
    return np.asarray((vertex >= 0) & outside[vertex])


def _with_some(pieces: Pieces, vertices: Mask) -> Mask:
    """(F,) which faces have some of the first vertices (V,)."""
    chosen = np.zeros(len(pieces.points), dtype=np.bool_)
    chosen[: len(vertices)] = vertices
    return has_any(pieces.faces, chosen)


def _drop_behind(pieces: Pieces, behind: Mask, new: Numbers, whole: Mask) -> None:
    """Let no part be a chip that lies behind the other sheet, away from the line of the cut.

    Args:
        behind: (V,) which of the sheets' vertices do.    new, whole: see `_take_chips`.
    """
    face = np.flatnonzero(whole[new])
    ahead = np.ones(len(pieces.points), dtype=np.bool_)
    ahead[: len(behind)] = ~behind
    of_chip = new[face[has_any(pieces.faces.take(face, axis=0), ahead)]]
    whole[new[face]] = False
    whole[of_chip] = True


def _take_chips(
    mesh: DualMesh, quad: Indices, old: Numbers, pieces: Pieces, keys: Indices, new: Numbers, whole: Mask, fits: Mask
) -> None:
    """Let chips fit, closed parts of the mesh or of the pieces, where those and these have vertices in one cell.

    The grid cuts chips off from a thin rim. Then they are a part of a larger piece.

    Args:
        old, new: the part that each quad of the region (M,), and each face (F,), belongs to.
        keys: (V,) `DualMesh.cells` of the sheets' vertices.
        whole, fits: of each part, whether it is a chip, and whether it fits, which changes.
    """
    chip = np.flatnonzero(whole[old])
    cells = mesh.cells.take(mesh.quads.take(quad[chip], axis=0)).ravel() // MOST_PATCHES
    corners, candidate = pieces.faces, np.flatnonzero((fits | whole)[new])
    corner = corners.take(candidate, axis=0).ravel()
    part = np.repeat(new[candidate], 4)[corner < len(keys)]
    their = keys[corner[corner < len(keys)]] // MOST_PATCHES
    order = np.argsort(their, kind="stable")
    their, part = their[order], part[order]
    first, stop = np.searchsorted(their, cells, "left"), np.searchsorted(their, cells, "right")
    fits[np.repeat(old[chip], 4)[stop > first]] = True
    where = (
        np.repeat(first, stop - first)
        + np.arange((stop - first).sum())
        - np.repeat(np.cumsum(stop - first) - (stop - first), stop - first)
    )
    fits[part[where]] = True
