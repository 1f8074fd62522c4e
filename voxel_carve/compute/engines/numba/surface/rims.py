"""Rims, cut exactly. See `contour.rims`."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ....contour.rims import EXTENSIONS, GROWTHS, REACH, RINGS
from ....field.fields import Field, Fields, places_of
from ....model.bricks import BRICK_VOXELS, LOWEST
from ....model.combining import Rule
from ....model.mesh import DualMesh, Source
from ....primitives.half_edges import paired_sides
from ....primitives.primitives import Primitives
from ....runtime.progress import with_progress
from ....runtime.threads import in_runs
from ..compiler.decorators import kernel, subroutine
from ..contour.extraction import dual_mesh
from ..contour.fairing import fair_ragged, find_ragged
from ..contour.occlusion import NearestLookup
from ..contour.overlaps import QUADS_PER_RUN, Array, Mask, Numbers
from ..contour.patches import CAP, PATH, STOCK
from ..contour.ragged_kernels import find_touching, spread
from ..contour.sharp_edges import complete_edges
from ..contour.vertices import MOST_PATCHES, locate
from ..field.fields import evaluate
from .cutting import Pieces, cut_sheets

VERTICES_PER_RUN = 1 << 8
PATCHES = BRICK_VOXELS * MOST_PATCHES  # most in a brick

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sheet:
    """The stock or the sweep alone near the border.

    Attributes:
        mesh: open where it leaves these cells.
        keys: (V,) ascending: `DualMesh.cells` of its vertices, with rows of the field of both.
        sides: (4 Q,) ascending: `_side_keys` of its quads.    lookup: its primitives around a point.
    """

    mesh: DualMesh
    keys: Indices
    sides: Indices
    lookup: NearestLookup

    def find(self, keys: Indices) -> Indices:
        """(N,) the vertices with keys (N,), -1 where there is none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, place, -1)

    def has_side(self, tail: Indices, head: Indices) -> Mask:
        """(N,) whether half-edges between vertices (N,), (N,) belong to quads; false for vertices -1."""
        if not len(self.sides):
            return np.zeros(len(tail), dtype=np.bool_)
        key = _side_keys(tail, head)
        place = np.minimum(np.searchsorted(self.sides, key), len(self.sides) - 1)
        return np.asarray((tail >= 0) & (head >= 0) & (self.sides[place] == key))


@dataclass(frozen=True)
class Seam:
    """Where a region meets the rest of a mesh.

    Attributes:
        tail, head: (E,) half-edges of quads of the region.    quad: (E,) these quads, as places in the region.
        of_path: (E,) whether they are the sweep's.
    """

    tail: Indices
    head: Indices
    quad: Indices
    of_path: Mask


def cut_rims(field: Field, mesh: DualMesh, parts: Mask, ragged: Mask) -> tuple[DualMesh, Mask, Mask]:
    """Cut the ragged borders of a mesh exactly.

    Args:
        field: the mesh's own.
        parts: (3, V) the vertices of the stock, the paths and the caps.
        ragged: (V,) the ragged vertices.

    Returns:
        The mesh; which of its vertices are ragged (W,), and which belong to what was cut (W,).
    """
    at_border = parts[PATH] & (parts[STOCK] | parts[CAP])
    if field.parts is None or not (ragged & at_border).any():
        return mesh, ragged, np.zeros(len(ragged), dtype=np.bool_)
    chosen, quad = _region(mesh, _border_numbers(mesh, at_border), ragged & at_border)
    primitives, rule = Primitives.of(field.segments, field.triangles), Rule.of(field.operation)
    beyond, cuts = np.empty((0, 3)), []
    for _ in with_progress(range(EXTENSIONS)):
        here = np.unique(mesh.quads[quad])
        near = np.concatenate([mesh.points[here[chosen[here]]], beyond])
        stock, sweep = (_sheet(field, field.parts, near, part) for part in (Source.STOCK, Source.PATH))
        quad, seam = _grown(mesh, quad, stock, sweep)
        fixed = [_snap(mesh, seam, sheet, own) for sheet, own in ((stock, ~seam.of_path), (sweep, seam.of_path))]
        for sheet, stays in zip((stock, sweep), fixed, strict=True):
            fair_ragged(primitives, rule, sheet.lookup, sheet.mesh, *find_ragged(primitives, rule, sheet.mesh), stays)
        pieces = cut_sheets(
            primitives, rule, stock.mesh, sweep.mesh, (stock.lookup, sweep.lookup), np.concatenate(fixed)
        )
        fit = _fit(mesh, quad, seam, stock, sweep, pieces)
        cuts.append(RimCut(quad, seam, pieces, fit))
        # What did not fit because the sheets ended too early is cut again, with larger sheets.
        quad, beyond = quad[fit.leaking], np.concatenate([beyond, pieces.points[fit.leaks]])
        if not len(quad):
            break
    return _joined(mesh, cuts, ragged)


def _snap(mesh: DualMesh, seam: Seam, sheet: Sheet, own: Mask) -> Mask:
    """Move the vertices of a sheet that stand for some of the seam (E,) to those, and return which they are (V,)."""
    vertices = np.unique(np.concatenate([seam.tail[own], seam.head[own]]))
    there = sheet.find(mesh.cells[vertices])
    vertices, there = vertices[there >= 0], there[there >= 0]
    sheet.mesh.points[there] = mesh.points[vertices]
    fixed = np.zeros(len(sheet.mesh.points), dtype=np.bool_)
    fixed[there] = True
    return fixed


def _is_path(codes: Numbers) -> Mask:
    """(Q,) whether quads with these codes are the sweep's."""
    return (codes < 0) & (codes != LOWEST)


def _side_keys(tail: Indices, head: Indices) -> Indices:
    """A number for each half-edge (N,)."""
    return tail.astype(np.int64) << 32 | head


def _sides(quads: Numbers) -> tuple[Indices, Indices]:
    """Tail and head (4 M,) of the half-edges of quads (M, 4)."""
    return quads.ravel().astype(np.int64), np.roll(quads, -1, axis=1).ravel().astype(np.int64)


def _touching(mesh: DualMesh, vertices: Mask) -> Indices:
    """The quads with a corner among vertices (V,), ascending."""
    found = np.empty(len(mesh.quads), dtype=np.bool_)
    in_runs(find_touching, len(found), QUADS_PER_RUN, mesh.quads, vertices, found)
    return np.flatnonzero(found)


def _border_numbers(mesh: DualMesh, at_border: Mask) -> Numbers:
    """(V,) the number of the border that each vertex lies on, -1 for none. A border is connected."""
    quad = _touching(mesh, at_border)
    tail, head = _sides(mesh.quads[quad])
    along = np.flatnonzero(at_border[tail] & at_border[head])
    one, other = (along[places] for places in paired_sides(tail[along], head[along]))
    is_path = _is_path(mesh.codes[quad])
    edges = one[is_path[one >> 2] != is_path[other >> 2]]
    vertices = np.flatnonzero(at_border)
    index = np.empty(len(mesh.points), dtype=np.int32)
    index[vertices] = np.arange(len(vertices), dtype=np.int32)
    links = (np.ones(len(edges), dtype=np.bool_), (index[tail[edges]], index[head[edges]]))
    numbers = np.full(len(mesh.points), -1, dtype=np.int32)
    numbers[vertices] = connected_components(coo_matrix(links, (len(vertices),) * 2), directed=False)[1]
    return numbers


def _region(mesh: DualMesh, numbers: Numbers, seeds: Mask) -> tuple[Mask, Indices]:
    """The vertices (V,) of whole borders, and the quads around them: the borders with a seed, and those nearby."""
    vertices = np.flatnonzero(numbers >= 0)
    wanted = np.zeros(numbers.max() + 1, dtype=np.bool_)
    wanted[numbers[seeds]] = True
    while True:
        chosen = np.zeros(len(mesh.points), dtype=np.bool_)
        chosen[vertices] = wanted[numbers[vertices]]
        inside = chosen
        for _ in range(RINGS):
            reached = inside.copy()
            in_runs(spread, len(mesh.quads), QUADS_PER_RUN, mesh.quads, inside, reached)
            inside = reached
        quad = _touching(mesh, inside)
        touched = numbers[mesh.quads[quad]]
        touched = touched[touched >= 0]
        if wanted[touched].all():
            return chosen, quad
        wanted[touched] = True


def _sheet(field: Field, parts: Fields, border: Array, part: Source) -> Sheet:
    """The stock or the sweep alone in the cells near the border's points (N, 3)."""
    primitives, rule = Primitives.of(field.segments, field.triangles), Rule.of(field.operation)
    wanted, read = np.zeros((len(parts), BRICK_VOXELS), dtype=np.bool_), np.zeros(len(parts), dtype=np.bool_)
    in_runs(mark_near, len(border), VERTICES_PER_RUN, border, places_of(field), wanted, read)
    rows = np.flatnonzero(read)
    alone, _ = evaluate(parts.at(rows).alone(part, field.operation), field.operation)
    places = places_of(alone)
    mesh = dual_mesh(alone, places, wanted[rows])
    whole, used = (mesh.quads >= 0).all(axis=1), np.zeros(len(mesh.points), dtype=np.bool_)
    used[mesh.quads[whole]] = True
    index = np.cumsum(used, dtype=np.int32) - 1
    mesh = DualMesh(mesh.points[used], index[mesh.quads[whole]], mesh.codes[whole], mesh.kinds[used], mesh.cells[used])
    lookup = NearestLookup(places, alone.nearest)
    complete_edges(primitives, rule, lookup, mesh)
    keys = rows[mesh.cells // PATCHES] * PATCHES + mesh.cells % PATCHES
    return Sheet(mesh, keys, np.sort(_side_keys(*_sides(mesh.quads))), lookup)


@subroutine
def mark_cell(places, z, y, x, wanted, read):  # type: ignore[no-untyped-def]
    """Do `mark_near` for one cell."""
    place, voxel = locate(places, z, y, x)
    if place < 0 or wanted[place, voxel]:
        return
    for corner in range(8):
        if locate(places, z + (corner >> 2), y + (corner >> 1 & 1), x + (corner & 1))[0] < 0:
            return
    wanted[place, voxel] = True
    for corner in range(8):
        read[locate(places, z + (corner >> 2), y + (corner >> 1 & 1), x + (corner & 1))[0]] = True


@kernel
def mark_near(start, stop, points, places, wanted, read):  # type: ignore[no-untyped-def]
    """Mark the cells near points (N, 3) whose corners all lie in known bricks: wanted (B, 512).

    read (B,) is set for the bricks of their corners.
    """
    for n in range(start, stop):
        x, y, z = (
            int(np.floor(points[n, 0] - 0.5)),
            int(np.floor(points[n, 1] - 0.5)),
            int(np.floor(points[n, 2] - 0.5)),
        )
        for k in range(z - REACH, z + REACH + 1):
            for j in range(y - REACH, y + REACH + 1):
                for i in range(x - REACH, x + REACH + 1):
                    mark_cell(places, k, j, i, wanted, read)


def _seam(mesh: DualMesh, quad: Indices) -> Seam:
    """The seam of quads (M,)."""
    tail, head = _sides(mesh.quads[quad])
    alone = np.ones(len(tail), dtype=np.bool_)
    for places in paired_sides(tail, head):
        alone[places] = False
    side = np.flatnonzero(alone)
    return Seam(tail[side], head[side], side >> 2, _is_path(mesh.codes[quad[side >> 2]]))


def _stands_for(mesh: DualMesh, seam: Seam, stock: Sheet, sweep: Sheet) -> tuple[Indices, Indices, Mask]:
    """The vertices of the seam's half-edges in their sheets (E,), (E,), and whether the sheets have them (E,)."""
    tail, head, found = (np.full(len(seam.tail), -1), np.full(len(seam.tail), -1), np.zeros(len(seam.tail), np.bool_))
    for sheet, own in ((stock, ~seam.of_path), (sweep, seam.of_path)):
        tail[own], head[own] = (sheet.find(mesh.cells[ends[own]]) for ends in (seam.tail, seam.head))
        found[own] = sheet.has_side(tail[own], head[own])
    return tail, head, found


def _grown(mesh: DualMesh, quad: Indices, stock: Sheet, sweep: Sheet) -> tuple[Indices, Seam]:
    """A region and its seam, grown where the sheets do not have it."""
    for _ in range(GROWTHS):
        seam = _seam(mesh, quad)
        _, _, found = _stands_for(mesh, seam, stock, sweep)
        if found.all():
            return quad, seam
        missing = np.zeros(len(mesh.points), dtype=np.bool_)
        missing[seam.tail[~found]] = True
        missing[seam.head[~found]] = True
        quad = np.union1d(quad, _touching(mesh, missing))
    return quad, _seam(mesh, quad)


@dataclass(frozen=True)
class Fit:
    """How pieces fit a region.

    Attributes:
        replaced: (M,) the quads of the region that are replaced.    taken: (F,) the faces that replace them.
        tail, head: (E,) the vertices of the pieces that stand for the seam's, -1 for none.
        leaking: (M,) the quads that pieces do not replace because they end too early.
        leaks: (N,) the vertices where they end.
    """

    replaced: Mask
    taken: Mask
    tail: Indices
    head: Indices
    leaking: Mask
    leaks: Indices


@dataclass(frozen=True)
class RimCut:
    """A region's quads (M,), its seam, and the pieces that replace a part of it, with their fit."""

    quad: Indices
    seam: Seam
    pieces: Pieces
    fit: Fit


def _fit(mesh: DualMesh, quad: Indices, seam: Seam, stock: Sheet, sweep: Sheet, pieces: Pieces) -> Fit:
    """How pieces fit the region of quads (M,)."""
    tail, head, found = _stands_for(mesh, seam, stock, sweep)
    first = np.where(seam.of_path, len(stock.mesh.points), 0)
    tail, head = np.where(found, tail + first, -1), np.where(found, head + first, -1)
    one, other = paired_sides(*_sides(mesh.quads[quad]))
    old = _components(one >> 2, other >> 2, len(quad))
    face, tails, heads = pieces.sides()
    key, back = _side_keys(tails, heads), _side_keys(heads, tails)
    seam_keys = _side_keys(tail[found], head[found])
    seams = np.sort(seam_keys)
    inner, outer = _among(key, seams), _among(back, seams)
    one, other = paired_sides(tails, heads)
    is_open = ~inner
    is_open[one], is_open[other] = False, False
    through = ~(inner | outer)[one]
    count = old.max() + 1
    new = count + _components(face[one[through]], face[other[through]], len(pieces.faces))
    order = np.argsort(key)
    place = order[np.minimum(np.searchsorted(key[order], seam_keys), len(key) - 1)] if len(key) else np.zeros(0, int)
    there = key[place] == seam_keys
    own = old[seam.quad[found]]
    group = _components(own[there], new[face[place[there]]], new.max(initial=count) + 1)
    # What replaces a part of the region is closed apart from the seam, has all of the seam, and lies within it.
    wrong, linked = (np.zeros(group.max() + 1, dtype=np.bool_) for _ in range(2))
    wrong[group[new[face[is_open | outer]]]] = True
    wrong[group[old[seam.quad[~found]]]] = True
    wrong[group[own[~there]]] = True
    linked[group[own[there]]] = True
    leaking = is_open & linked[group[new[face]]]
    has_leak = np.zeros(len(linked), dtype=np.bool_)
    has_leak[group[new[face[leaking]]]] = True
    fits = (linked & ~wrong)[group]
    whole = ~linked[group]
    whole[new[face[is_open | outer]]] = False
    whole[old] = np.bincount(old[seam.quad], minlength=count)[old] == 0
    keys = np.concatenate([stock.keys, sweep.keys])
    whole[new[_has_vertices(pieces.faces, _beyond(mesh, quad, keys))]] = False
    _take_chips(mesh, quad, old, pieces, keys, new, whole, fits)
    leaks = np.unique(np.concatenate([tails[leaking], heads[leaking]]))
    return Fit(fits[old], fits[new], tail, head, has_leak[group[old]] & ~fits[old], leaks)


def _beyond(mesh: DualMesh, quad: Indices, keys: Indices) -> Mask:
    """(V,) which keys stand for vertices of the mesh that no quad of the region (M,) has."""
    outside = np.ones(len(mesh.points), dtype=np.bool_)
    outside[mesh.quads[quad]] = False
    return _among(keys, mesh.cells[outside])


def _has_vertices(faces: Indices, vertices: Mask) -> Mask:
    """(F,) which faces have some of the first vertices (V,)."""
    known = np.zeros(faces.max(initial=-1) + 1, dtype=np.bool_)
    known[: len(vertices)] = vertices[: len(known)]
    return np.asarray(known[faces].any(axis=1))


def _take_chips(
    mesh: DualMesh, quad: Indices, old: Indices, pieces: Pieces, keys: Indices, new: Indices, whole: Mask, fits: Mask
) -> None:
    """Let chips fit, closed parts of the mesh or of the pieces, where those and these have vertices in one cell.

    The grid cuts chips off from a thin rim. Then they are a part of a larger piece.

    Args:
        old, new: the part that each quad of the region (M,), and each face (F,), belongs to.
        keys: (V,) `DualMesh.cells` of the sheets' vertices.
        whole, fits: of each part, whether it is a chip, and whether it fits, which changes.
    """
    chip = np.flatnonzero(whole[old])
    cells = mesh.cells[mesh.quads[quad[chip]]].ravel() // MOST_PATCHES
    corners, candidate = pieces.faces, np.flatnonzero((fits | whole)[new])
    corner = corners[candidate].ravel()
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


def _joined(mesh: DualMesh, cuts: list[RimCut], ragged: Mask) -> tuple[DualMesh, Mask, Mask]:
    """See `cut_rims`."""
    gone, left = np.zeros(len(mesh.points), dtype=np.bool_), np.ones(len(mesh.quads), dtype=np.bool_)
    for cut in cuts:
        replaced = cut.quad[cut.fit.replaced]
        left[replaced] = False
        gone[mesh.quads[replaced]] = True
    for cut in cuts:
        for ends in (cut.seam.tail, cut.seam.head):
            gone[ends[cut.fit.replaced[cut.seam.quad]]] = False
    count, faces = len(mesh.points), []
    for cut in cuts:
        # The seam's vertices stay those of the mesh.
        name, found = np.arange(len(cut.pieces.points)) + count, cut.fit.tail >= 0
        name[cut.fit.tail[found]], name[cut.fit.head[found]] = cut.seam.tail[found], cut.seam.head[found]
        faces.append(name[cut.pieces.faces[cut.fit.taken]])
        count += len(cut.pieces.points)
    added = np.concatenate(faces)
    used = np.concatenate([~gone, np.zeros(count - len(gone), dtype=np.bool_)])
    used[added] = True
    index = np.cumsum(used, dtype=np.int32) - 1
    points = np.concatenate([mesh.points, *(cut.pieces.points for cut in cuts)])[used]
    in_cut, still = (np.zeros(len(points), dtype=np.bool_) for _ in range(2))
    in_cut[index[added]] = True
    still[: np.count_nonzero(~gone)] = ragged[~gone]
    return (
        DualMesh(
            points,
            np.concatenate([index[mesh.quads[left]], index[added]]),
            np.concatenate([mesh.codes[left], *(cut.pieces.codes[cut.fit.taken] for cut in cuts)]),
            np.concatenate([mesh.kinds, *(cut.pieces.kinds for cut in cuts)])[used],
            np.concatenate([mesh.cells, np.full(count - len(gone), -1)])[used],
        ),
        still & ~in_cut,
        in_cut,
    )


def _components(one: Indices, other: Indices, count: int) -> Indices:
    """(N,) numbers of the connected components of N things, of which pairs (P,), (P,) are connected."""
    links = coo_matrix((np.ones(len(one), dtype=np.bool_), (one, other)), (count, count))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)


def _among(keys: Indices, known: Indices) -> Mask:
    """(N,) which of keys (N,) are among others, ascending."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_)
    return np.asarray(known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys)
