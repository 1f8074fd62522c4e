"""Rims, cut exactly. See `contour.rims`."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ....contour.rims import DOUBT, EXTENSIONS, REACH, RIDGE, RINGS
from ....field.fields import Field, Fields
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.half_edges import face_sides, paired_sides
from ....primitives.primitives import Primitives
from ....runtime.progress import with_progress
from ..contour.connecting import has_any, linked_parts, merged, touching
from ..contour.fairing import fair_ragged, find_ragged
from ..contour.overlaps import Array, Mask, Movers, Numbers, boxes_of, mark_overlaps, near_boxes
from ..contour.patches import CAP, PATH, STOCK
from ..contour.replacing import replace_faces
from ..contour.vertices import MOST_PATCHES
from .cutting import Indices, Pieces, cut_sheets, smoothed
from .fitting import Fit, Seam, fit_pieces, grown, is_path
from .holes import fill_holes
from .sheets import Cells, Sheet, cells_near, completed, extract
from .tips import Tips, find_tips

MUCH = 0.1  # of a border: to cut it again would take as long as to extract all sheets again
LINKED = 2.0  # voxels at most between the vertices of a tip


@dataclass(frozen=True)
class RimCut:
    """A region's quads (M,), its seam, and the pieces that replace a part of it, with their fit."""

    quad: Indices
    seam: Seam
    pieces: Pieces
    fit: Fit


def cut_rims(field: Field, mesh: DualMesh, parts: Mask, ragged: Mask) -> tuple[DualMesh, Mask, Mask]:
    """Cut the ragged borders of a mesh exactly.

    Args:
        field: the mesh's own.
        mesh: its arrays change.
        parts: (3, V) the vertices of the stock, the paths and the caps.
        ragged: (V,) the ragged vertices.

    Returns:
        The mesh; which of its vertices are ragged (W,), and which belong to what was cut (W,).
    """
    at_border = parts[PATH] & (parts[STOCK] | parts[CAP])
    if field.parts is None or not (ragged & at_border).any():
        return mesh, ragged, np.zeros(len(ragged), dtype=np.bool_)
    chosen, quad = _region(mesh, at_border, ragged & at_border)
    primitives, rule = Primitives.of(field.segments, field.triangles), Rule.of(field.operation)
    of_parts = np.stack([parts[STOCK] | parts[CAP], parts[PATH]])
    beyond, crossed, barred, cuts = np.empty((0, 3)), np.empty(0, dtype=np.int64), at_border & ~chosen, []
    for _ in with_progress(range(EXTENSIONS)):
        sheets, near, tips = _sheets(
            field, field.parts, mesh, of_parts, quad, _corners(mesh, quad, chosen), beyond,
            RIDGE if len(crossed) else DOUBT,
        )  # fmt: skip
        beyond = np.concatenate([beyond, tips.ends])
        if len(crossed):
            quad = _with_tips(field, mesh, quad, tips, mesh.points.take(crossed, axis=0), barred)
        cut, extended = _cut(primitives, rule, mesh, quad, sheets, near)
        cuts.append(cut)
        del sheets
        # What did not fit because the sheets or the region end too early is cut again, with larger ones.
        barred[mesh.quads.take(cut.quad[cut.fit.replaced], axis=0)] = True
        quad, crossed = cut.quad[cut.fit.again], cut.fit.crossed
        if not len(quad) or not len(extended) + len(crossed):
            break
        beyond = np.concatenate([beyond, extended])
    return _joined(mesh, cuts, ragged)


def _cut(
    primitives: Primitives, rule: Rule, mesh: DualMesh, quad: Indices, sheets: list[Sheet], near: Array
) -> tuple[RimCut, Array]:
    """Cut the region of quads (M,), and find the points (N, 3) at the reach of those near (K, 3) where sheets end."""
    stock, sweep = sheets
    quad, seam = grown(mesh, quad, stock, sweep)
    fixed = [
        sheet.snap(mesh, merged(*(np.sort(ends[own]) for ends in (seam.tail, seam.head))))
        for sheet, own in ((stock, ~seam.of_path), (sweep, seam.of_path))
    ]
    for sheet, stays in zip(sheets, fixed, strict=True):
        ragged = find_ragged(primitives, rule, sheet.mesh)
        fair_ragged(primitives, rule, sheet.lookup, sheet.mesh, *ragged, stays | sheet.at_end)
    lookups = stock.lookup, sweep.lookup
    cut = cut_sheets(primitives, rule, stock.mesh, sweep.mesh, lookups, np.concatenate(fixed))
    pieces = smoothed(stock.mesh, sweep.mesh, cut)
    fit = fit_pieces(mesh, quad, seam, stock, sweep, pieces)
    extended = _beyond(near, pieces.points[np.unique(fit.leaks[1])])
    if len(fit.leaks[1]) and not len(extended):
        pieces = fill_holes(pieces, *fit.leaks)
        fit = fit_pieces(mesh, quad, seam, stock, sweep, pieces)
    return RimCut(quad, seam, pieces, fit), extended


def _sheets(
    field: Field,
    parts: Fields,
    mesh: DualMesh,
    of_parts: Mask,
    quad: Indices,
    border: Indices,
    beyond: Array,
    doubt: float,
) -> tuple[list[Sheet], Array, Tips]:
    """The stock and the sweep alone near a border, and near points beyond it (N, 3); all these points; and tips there.

    Where tips concern much of the border, the sheets go on along them at once. Else a few parts are cut again later.

    Args:
        of_parts, doubt: see `find_tips`.    border: (B,) vertices of quads (M,).
    """
    near = np.concatenate([mesh.points.take(border, axis=0), beyond])
    cells = Cells.near(field, parts, near)
    extracts = extract(cells, field.operation)
    tips, steps = find_tips(field, parts, mesh, of_parts, cells, extracts, doubt)
    if len(tips.ends) and _is_much(mesh, quad, border, tips.ends):
        near = np.concatenate([near, tips.ends])
        cells = Cells.joined(parts, steps)
        del extracts  # before the next ones take as much memory
        extracts = extract(cells, field.operation)
    return [completed(extracted, cells) for extracted in extracts], near, tips


def _is_much(mesh: DualMesh, quad: Indices, border: Indices, ends: Array) -> bool:
    """Whether much of a border, vertices (B,) of quads (M,), is connected with what lies near points (N, 3)."""
    at_border = np.zeros(len(mesh.points), dtype=np.bool_)
    at_border[border] = True
    _, number = _border_numbers(mesh, quad, at_border)
    distance, _ = cKDTree(ends).query(mesh.points.take(border, axis=0), p=np.inf, distance_upper_bound=REACH + 1)
    return bool(np.isin(number, number[np.isfinite(distance)]).mean() > MUCH)


def _with_tips(field: Field, mesh: DualMesh, quad: Indices, tips: Tips, crossed: Array, barred: Mask) -> Indices:
    """A region, grown along the tips that begin at points (N, 3), but not to quads with vertices that are barred (V,).

    A tip is what is missing, vertex beside vertex.
    """
    linked = cKDTree(tips.points).query_pairs(LINKED, output_type="ndarray")
    number = linked_parts(linked, len(tips.points))
    distance, _ = cKDTree(crossed).query(tips.points, distance_upper_bound=RINGS)
    along = tips.points[np.isin(number, number[np.isfinite(distance)])]
    wanted, _ = cells_near(field, along, RINGS)
    added = touching(mesh.quads, wanted.ravel()[mesh.cells // MOST_PATCHES])
    return merged(quad, added[~has_any(mesh.quads.take(added, axis=0), barred)])


def _corners(mesh: DualMesh, quad: Indices, chosen: Mask) -> Indices:
    """The chosen vertices (V,) of quads (M,), ascending."""
    found = np.zeros(len(chosen), dtype=np.bool_)
    found[mesh.quads.take(quad, axis=0)] = True
    return np.flatnonzero(found & chosen)


def _beyond(near: Array, leaks: Array) -> Array:
    """The leaks (N, 3) at the reach of the points near (M, 3). Others are where the bricks end: no sheet goes on."""
    if not len(leaks):
        return leaks
    distance, _ = cKDTree(near).query(leaks, p=np.inf)
    return leaks[distance > REACH - 1]


def _region(mesh: DualMesh, at_border: Mask, seeds: Mask) -> tuple[Mask, Indices]:
    """The vertices (V,) of whole borders, and the quads around them: the borders with a seed, and those nearby."""
    reached, quad = at_border, np.empty(0, dtype=np.int64)
    for _ in range(RINGS + 1):
        quad, reached = touching(mesh.quads, reached), reached.copy()
        reached[mesh.quads.take(quad, axis=0)] = True
    quads = mesh.quads.take(quad, axis=0)
    border, numbers = _border_numbers(mesh, quad, at_border)
    wanted = np.zeros(numbers.max() + 1, dtype=np.bool_)
    wanted[numbers[seeds[border]]] = True
    number = np.full(len(mesh.points), -1, dtype=np.int32)
    number[border] = numbers
    number = number.take(quads)
    while True:
        chosen = np.zeros(len(mesh.points), dtype=np.bool_)
        chosen[border] = wanted[numbers]
        inside, around = chosen.copy(), has_any(quads, chosen)
        for _ in range(RINGS):
            inside[quads.compress(around, axis=0)] = True
            around = has_any(quads, inside)
        touched = number[around]
        touched = touched[touched >= 0]
        if wanted[touched].all():
            return chosen, quad[around]
        wanted[touched] = True


def _border_numbers(mesh: DualMesh, quad: Indices, at_border: Mask) -> tuple[Indices, Numbers]:
    """The vertices (N,) at a border, and the number of the border that each lies on (N,). A border is connected.

    The quads (M,) are those around these vertices, and maybe others.
    """
    tail, head = face_sides(mesh.quads.take(quad, axis=0))
    along = np.flatnonzero(at_border[tail] & at_border[head])
    one, other = (along[places] for places in paired_sides(tail[along], head[along]))
    of_path = is_path(mesh.codes[quad])
    edges = one[of_path[one >> 2] != of_path[other >> 2]]
    vertices = np.flatnonzero(at_border)
    index = np.empty(len(mesh.points), dtype=np.int32)
    index[vertices] = np.arange(len(vertices), dtype=np.int32)
    return vertices, linked_parts(index[np.stack([tail[edges], head[edges]], axis=1)], len(vertices))


def _joined(mesh: DualMesh, cuts: list[RimCut], ragged: Mask) -> tuple[DualMesh, Mask, Mask]:
    """See `cut_rims`. A part of a cut that overlaps what is beside it is left out: the mesh stays as it was there."""
    new, part = _added(mesh, cuts)
    while (refused := _overlapping(mesh, cuts, new, part)).any():
        own = np.split(refused, np.cumsum([cut.fit.parts for cut in cuts])[:-1])
        cuts = [replace(cut, fit=cut.fit.without(mask)) for cut, mask in zip(cuts, own, strict=True)]
        new, part = _added(mesh, cuts)
    joined, vertices, quads = replace_faces(mesh, _replaced(cuts), np.flatnonzero(_gone(mesh, cuts)), new)
    in_cut = np.zeros(len(joined.points), dtype=np.bool_)
    in_cut[joined.quads.take(quads.added, axis=0)] = True
    return joined, vertices.fill(ragged, np.zeros(len(new.points), dtype=np.bool_)) & ~in_cut, in_cut


def _replaced(cuts: list[RimCut]) -> Indices:
    """The quads that cuts replace, ascending."""
    return np.sort(np.concatenate([cut.quad[cut.fit.replaced] for cut in cuts]), kind="stable")


def _gone(mesh: DualMesh, cuts: list[RimCut]) -> Mask:
    """(V,) the vertices that vanish with these quads. The seam's stay."""
    gone = np.zeros(len(mesh.points), dtype=np.bool_)
    for cut in cuts:
        gone[mesh.quads.take(cut.quad[cut.fit.replaced], axis=0)] = True
    for cut in cuts:
        for ends in (cut.seam.tail, cut.seam.head):
            gone[ends[cut.fit.replaced[cut.seam.quad]]] = False
    return gone


def _added(mesh: DualMesh, cuts: list[RimCut]) -> tuple[DualMesh, Indices]:
    """What cuts add, as for `replace_faces`, and the part that each of its vertices belongs to, counted over cuts."""
    count, first, added, parts = len(mesh.points), 0, [], []
    for cut in cuts:
        seam, fit, pieces = cut.seam, cut.fit, cut.pieces
        name, found = np.full(len(pieces.points), -1, dtype=np.int32), fit.tail >= 0
        name[fit.tail[found]], name[fit.head[found]] = seam.tail[found], seam.head[found]
        faces, part = pieces.faces.compress(fit.taken, axis=0), np.full(len(name), -1)
        part[faces] = fit.part_of_face[fit.taken][:, None]
        own = (part >= 0) & (name < 0)
        name[own] = np.arange(count, count + np.count_nonzero(own))
        count += int(np.count_nonzero(own))
        cells = np.full(np.count_nonzero(own), -1)
        added.append(
            DualMesh(
                pieces.points.compress(own, axis=0), name.take(faces), pieces.codes[fit.taken], pieces.kinds[own], cells
            )
        )
        parts.append(first + part[own])
        first += fit.parts
    return DualMesh(*map(np.concatenate, zip(*(vars(each).values() for each in added), strict=True))), np.concatenate(
        parts
    )


def _overlapping(mesh: DualMesh, cuts: list[RimCut], new: DualMesh, part: Indices) -> Mask:
    """(P,) which parts overlap an earlier one, or what is left of the mesh, or themselves."""
    # Far away from the cuts, a large mesh is only read: copies of it would take longer than all the rest.
    _, points, faces = _with_new(mesh, new, new.quads)
    near = near_boxes(mesh.points, mesh.quads, boxes_of(points, faces, np.arange(len(faces))))
    near[_replaced(cuts)] = False
    beside = mesh.quads.compress(near, axis=0)
    vertices, points, faces = _with_new(mesh, new, np.concatenate([beside, new.quads.astype(np.int32)]))
    changed = np.arange(len(beside), len(faces))
    count, own = sum(cut.fit.parts for cut in cuts), vertices >= len(mesh.points)
    of_vertex = np.full(len(vertices), -1, dtype=np.int32)
    of_vertex[own] = part[vertices[own] - len(mesh.points)]
    # Of two parts that overlap, the later one counts as moved farther. To touch is not to overlap: see `cut_smoothing`.
    movers = Movers(of_vertex, np.ones(count, dtype=np.bool_), np.arange(count, dtype=np.float64))
    return mark_overlaps(points, faces, np.arange(len(faces)), changed, movers, 0.0)


def _with_new(mesh: DualMesh, new: DualMesh, faces: Numbers) -> tuple[Indices, Array, Numbers]:
    """The vertices (N,) of faces (F, 4) of a mesh and of what is new, ascending; their points; the faces of these."""
    used = np.zeros(len(mesh.points) + len(new.points), dtype=np.bool_)
    used[faces] = True
    vertices, name = np.flatnonzero(used), np.empty(len(used), dtype=np.int32)
    name[vertices] = np.arange(len(vertices), dtype=np.int32)
    old, own = np.split(vertices, [np.searchsorted(vertices, len(mesh.points))])
    return (
        vertices,
        np.concatenate([mesh.points.take(old, axis=0), new.points.take(own - len(mesh.points), axis=0)]),
        name.take(faces),
    )
