"""Fairing of ragged places by compiled kernels. See `contour.fairing`."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ....contour.fairing import FAIRINGS, LARGEST_CRUMB, NO_WORSE, RELABELLINGS, RETURNS, SEPARATIONS, SMOOTHINGS
from ....formulas.vertex_placement import FALLBACK, SHARP, SMOOTH
from ....model.bricks import LOWEST, NO_PRIMITIVE
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.primitives import Primitives
from ....runtime.progress import with_progress
from ....runtime.threads import in_runs
from .edge_snapping import LocalQuads
from .fairing_kernels import (
    CAP,
    PATH,
    STOCK,
    FairScratch,
    Labels,
    Patches,
    fair,
    find_suspects,
    find_touching,
    mark_parts,
    mark_ragged,
    mark_turns,
    outvote,
    relabel,
    settle,
    smooth,
    split_patches,
    spread,
)
from .occlusion import NearestLookup
from .overlaps import QUADS_PER_RUN, Array, Mask, Movers, Numbers, boxes_of, mark_overlaps, near_boxes

ROWS_PER_RUN = 1 << 9


@dataclass(frozen=True)
class Faired:
    """What fairing makes of patches of N vertices and M quads.

    Attributes:
        points: (N, 3).    surfaces: (N,) number of surfaces that each vertex lies on.
        labels: of the quads.
    """

    points: Array
    surfaces: Numbers
    labels: Labels


def fair_ragged(primitives: Primitives, rule: Rule, lookup: NearestLookup, mesh: DualMesh) -> DualMesh:
    """Smooth the ragged places of a mesh with complete edges, and return it without crumbs. The arrays change.

    `lookup` tells the primitives around a point.
    """
    ragged, parts = _find_ragged(primitives, rule, mesh)
    chosen = np.zeros(len(mesh.points), dtype=np.bool_)
    in_runs(spread, len(mesh.quads), QUADS_PER_RUN, mesh.quads, ragged, chosen)
    # A sharp edge of the stock beside a ragged place is as it should be.
    chosen &= ragged | (mesh.kinds != SHARP) | parts[PATH] | parts[CAP]
    if not chosen.any():
        return mesh
    quad = np.empty(len(mesh.quads), dtype=np.bool_)
    in_runs(find_touching, len(quad), QUADS_PER_RUN, mesh.quads, chosen, quad)
    local = LocalQuads.of(primitives, rule, mesh, np.flatnonzero(quad))
    patches = _patches(mesh, local, np.flatnonzero(chosen).astype(np.int32))
    labels = Labels(mesh.codes[local.quad], local.signs)
    home = mesh.points[patches.vertex]
    faired = _faired(primitives, rule, mesh, patches, labels, home)
    off = np.empty(len(home), dtype=np.bool_)

    def settled(points: Array) -> Mask:
        in_runs(
            settle, len(home), ROWS_PER_RUN, primitives, rule, lookup, patches, faired.labels, home, points, off,
            scratch=FairScratch.of,
        )  # fmt: skip
        return ~off

    corners = patches.place[patches.quads]
    patch_of = _patch_of_quads(corners, len(home))
    crumbs = _find_crumbs(corners, patch_of, labels)
    _keep_better(primitives, mesh, local, patches, patch_of, labels, home, faired, settled, crumbs)
    return _without(mesh, local.quad[crumbs])


def _find_crumbs(corners: Numbers, patch_of: npt.NDArray[np.int64], labels: Labels) -> Mask:
    """(M,) the quads of crumbs. Corners (M, 4) are vertices of patches, -1 outside of them."""
    is_cap = (labels.codes == NO_PRIMITIVE) | (labels.codes == LOWEST)
    is_stock = (labels.codes >= 0) & ~is_cap
    size = np.bincount(patch_of)
    outside, of_stock, of_path = (
        np.bincount(patch_of, which) for which in ((corners < 0).any(axis=1), is_stock, ~is_stock & ~is_cap)
    )
    is_crumb = (outside == 0) & (size <= LARGEST_CRUMB) & (of_stock > 0) & (of_path > 0)
    return np.asarray(is_crumb)[patch_of]


def _without(mesh: DualMesh, quads: npt.NDArray[np.int64]) -> DualMesh:
    """The mesh without some quads, given by their indices, and without their vertices."""
    if not len(quads):
        return mesh
    gone = np.zeros(len(mesh.points), dtype=np.bool_)
    gone[mesh.quads[quads]] = True
    index = np.cumsum(~gone, dtype=np.int32) - 1
    left = np.ones(len(mesh.quads), dtype=np.bool_)
    left[quads] = False
    return DualMesh(mesh.points[~gone], index[mesh.quads[left]], mesh.codes[left], mesh.kinds[~gone])


def _find_ragged(primitives: Primitives, rule: Rule, mesh: DualMesh) -> tuple[Mask, Mask]:
    """The ragged vertices (V,), and the vertices (3, V) of the stock, the paths and the caps."""
    parts = np.zeros((3, len(mesh.points)), dtype=np.bool_)
    in_runs(mark_parts, len(mesh.quads), QUADS_PER_RUN, mesh.quads, mesh.codes, parts)
    suspect = np.zeros(len(mesh.quads), dtype=np.bool_)
    in_runs(find_suspects, len(suspect), QUADS_PER_RUN, mesh.quads, mesh.kinds, parts, suspect)
    local = LocalQuads.of(primitives, rule, mesh, np.flatnonzero(suspect))
    labels = Labels(mesh.codes[local.quad], local.signs)
    ragged = mesh.kinds == FALLBACK
    in_runs(
        mark_ragged, len(local.quad), QUADS_PER_RUN, primitives, mesh.points, mesh.quads, local.quad, labels, ragged
    )
    at_border = parts[STOCK].astype(np.int8) + parts[PATH] + parts[CAP] > 1
    borders = _patches(mesh, local, np.flatnonzero(at_border).astype(np.int32))
    in_runs(mark_turns, len(borders.vertex), ROWS_PER_RUN, primitives, mesh.points, borders, labels, ragged)
    return ragged, parts


def _patches(mesh: DualMesh, local: LocalQuads, vertex: Numbers) -> Patches:
    """Patches of vertices (N,); `local` has all quads around them."""
    place = np.full(len(mesh.points), -1, dtype=np.int32)
    place[vertex] = np.arange(len(vertex), dtype=np.int32)
    return Patches(vertex, place, *local.at(mesh, vertex), mesh.quads[local.quad])


def _faired(
    primitives: Primitives, rule: Rule, mesh: DualMesh, patches: Patches, labels: Labels, home: Array
) -> Faired:
    """The faired patches. The mesh's points there change."""
    count = len(patches.vertex)
    moved, surfaces = np.empty((count, 3)), np.zeros(count, dtype=np.int32)
    for _ in range(SMOOTHINGS):
        in_runs(smooth, count, ROWS_PER_RUN, mesh.points, patches, moved)
        mesh.points[patches.vertex] = moved
    stale, restless = np.ones(len(mesh.points), dtype=np.bool_), np.empty(count, dtype=np.bool_)
    for step in with_progress(range(FAIRINGS)):
        if step < RELABELLINGS:
            new = Labels(np.empty_like(labels.codes), np.empty_like(labels.signs))
            in_runs(
                relabel, len(patches.quads), ROWS_PER_RUN, primitives, rule, mesh.points, patches, labels, new, stale,
                scratch=FairScratch.of,
            )  # fmt: skip
            labels = new
        if step == RELABELLINGS - 1:
            # A border around a single quad would shrink to a point.
            for _ in range(2):
                new = Labels(np.empty_like(labels.codes), np.empty_like(labels.signs))
                in_runs(outvote, len(patches.quads), ROWS_PER_RUN, patches, labels, new)
                labels = new
            stale[:] = True
        in_runs(
            fair, count, ROWS_PER_RUN, primitives, rule, mesh.points, patches, labels, home, stale, moved, surfaces,
            restless, scratch=FairScratch.of,
        )  # fmt: skip
        mesh.points[patches.vertex] = moved
        if step in (0, RELABELLINGS - 1):
            stale[:] = False
        stale[patches.vertex] = restless
    return Faired(moved, surfaces, labels)


def _keep_better(
    primitives: Primitives,
    mesh: DualMesh,
    local: LocalQuads,
    patches: Patches,
    patch_of: npt.NDArray[np.int64],
    labels: Labels,
    home: Array,
    faired: Faired,
    settled: Callable[[Array], Mask],
    crumbs: Mask,
) -> None:
    """Set the mesh to the faired patches where they are better than what was there. See `contour.fairing`.

    Args:
        patch_of: (M,) the patch of each quad.
        settled: moves points (N, 3) onto the surface, and tells where that succeeds.
        crumbs: (M,) the quads that do not count, because they will be removed.
    """
    corners = patches.place[patches.quads]
    moved = settled(faired.points)
    moved[corners[crumbs]] = False
    before, collapsed = np.empty(len(corners)), np.empty(len(corners), dtype=np.bool_)
    mesh.points[patches.vertex] = home
    boxes = boxes_of(mesh.points, mesh.quads, local.quad)
    quads = np.empty_like(patches.quads)
    in_runs(
        split_patches, len(corners), ROWS_PER_RUN, primitives, mesh.points, patches, labels, quads, before, collapsed
    )
    most = np.bincount(patch_of, before) + NO_WORSE
    movers = Movers(patches.place, moved, np.sqrt(((faired.points - home) ** 2).sum(axis=1)))
    mesh.points[patches.vertex] = faired.points
    after = boxes_of(mesh.points, mesh.quads, local.quad)
    around = np.flatnonzero(
        near_boxes(
            mesh.points, mesh.quads, np.hstack([np.minimum(boxes, after)[:, :3], np.maximum(boxes, after)[:, 3:]])
        )
    )
    around = np.setdiff1d(around, local.quad[crumbs])
    was_cap = (labels.codes == NO_PRIMITIVE) | (labels.codes == LOWEST)
    area, rounds = np.empty(len(corners)), np.zeros(len(most), dtype=np.int64)
    tries, between = 0, np.empty_like(home)
    unchecked = np.ones(len(home), dtype=np.bool_)
    while True:
        mesh.points[patches.vertex] = np.where(moved[:, None], faired.points, home)
        is_new = _has_any(corners, moved)
        now = Labels(
            np.where(is_new, faired.labels.codes, labels.codes), np.where(is_new, faired.labels.signs, labels.signs)
        )
        in_runs(
            split_patches, len(corners), ROWS_PER_RUN, primitives, mesh.points, patches, now, quads, area, collapsed
        )
        area[was_cap] = 0.0
        mesh.quads[local.quad] = quads
        worse = np.bincount(patch_of, area) > most
        collapsed &= is_new
        if collapsed.any():
            returning = collapsed
        elif worse.any():
            rounds += worse
            # Those beside the vertices that have returned go next.
            beside = _has_any(corners, ~moved) & (rounds[patch_of] > 1)
            returning = worse[patch_of] & ((area > before) | beside | (rounds[patch_of] > RETURNS))
        else:
            changed = local.quad[is_new & _has_any(corners, unchecked)]
            unchecked[:] = False
            overlapping = mark_overlaps(mesh.points, mesh.quads, around, changed, movers)
            if not overlapping.any():
                break
            tries += 1
            if tries <= SEPARATIONS:
                in_runs(smooth, len(home), ROWS_PER_RUN, mesh.points, patches, between)
                apart = overlapping & settled(between)
                faired.points[apart] = between[apart]
                unchecked |= apart
                if apart.any():
                    continue
            returning = _has_any(corners, overlapping)
        going = corners[returning]
        unchecked[going[going >= 0]] = True
        moved[going[going >= 0]] = False
    mesh.codes[local.quad] = now.codes
    placed = moved & (faired.surfaces > 0)
    mesh.kinds[patches.vertex[placed]] = np.where(faired.surfaces[placed] > 1, SHARP, SMOOTH)


def _has_any(corners: Numbers, chosen: Mask) -> Mask:
    """(M,) whether a corner (M, 4) is chosen (N,); -1 is no corner."""
    return np.asarray((chosen[corners] & (corners >= 0)).any(axis=1))


def _patch_of_quads(corners: Numbers, vertices: int) -> npt.NDArray[np.int64]:
    """(M,) the patch of each quad: vertices with a common quad are in one patch. Corners (M, 4) are -1 outside."""
    first = corners.max(axis=1)
    rows, columns = np.repeat(first, 4), corners.ravel()
    inside = columns >= 0
    links = coo_matrix((np.ones(inside.sum(), dtype=np.bool_), (rows[inside], columns[inside])), (vertices, vertices))
    return np.asarray(connected_components(links, directed=False)[1][first], dtype=np.int64)
