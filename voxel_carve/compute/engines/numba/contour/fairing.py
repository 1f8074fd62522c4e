"""Fairing of ragged places by compiled kernels. See `contour.fairing`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....contour.fairing import FAIRINGS, LARGEST_CRUMB, NO_WORSE, RELABELLINGS, RETURNS, SEPARATIONS, SMOOTHINGS
from ....formulas.vertex_placement import FALLBACK, PARTLY, SHARP, SMOOTH
from ....model.bricks import LOWEST, NO_PRIMITIVE
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.primitives import Primitives
from ....runtime.progress import with_progress
from ....runtime.threads import over_rows
from .connecting import has_any, least_linked, spread, touching
from .edge_snapping import LocalQuads
from .fairing_kernels import FairScratch, fair, outvote, put_points, relabel, settle, smooth
from .ironing import iron
from .occlusion import NearestLookup
from .overlaps import QUADS_PER_RUN, Array, Mask, Movers, Numbers, boxes_of, mark_overlaps, near_boxes
from .patches import CAP, PATH, STOCK, Labels, Patches
from .ragged_kernels import (
    find_suspects,
    mark_parts,
    mark_ragged,
    mark_turns,
    split_patches,
)
from .replacing import replace_faces

ROWS_PER_RUN = 1 << 9


@dataclass(frozen=True)
class Fairing:
    """The patches of a mesh, N vertices and M quads, before and after fairing.

    Attributes:
        mesh: the mesh.    local: the quads of the patches, as they were.    patches: see `Patches`.
        patch: (M,) the patch of each quad.    crumbs: (M,) quads that will be removed.
        home, labels: (N, 3) points and labels of quads before.
        points, faired_labels: the same after.    surfaces: (N,) number of surfaces that each vertex then lies on.
    """

    mesh: DualMesh
    local: LocalQuads
    patches: Patches
    patch: npt.NDArray[np.int64]
    crumbs: Mask
    home: Array
    labels: Labels
    points: Array
    faired_labels: Labels
    surfaces: Numbers

    @cached_property
    def corners(self) -> Numbers:
        """(M, 4) the corners of quads among the N vertices, -1 outside."""
        return np.asarray(self.patches.place.take(self.patches.quads))


def fair_ragged(
    primitives: Primitives,
    rule: Rule,
    lookup: NearestLookup,
    mesh: DualMesh,
    parts: Mask,
    ragged: Mask,
    fixed: Mask | None = None,
) -> DualMesh:
    """Smooth the ragged places of a mesh with complete edges, and return it without crumbs. The arrays change.

    Args:
        lookup: the primitives around a point.
        parts, ragged: see `find_ragged`.
        fixed: (V,) vertices that stay where they are; all faces around others are quads.
    """
    chosen = np.zeros(len(mesh.points), dtype=np.bool_)
    over_rows(spread, len(mesh.quads), QUADS_PER_RUN, mesh.quads, ragged, chosen)
    # A cap that joins the stock is whole in a patch.
    caps = mesh.quads.compress(_is_cap(mesh.codes), axis=0)
    caps = caps[parts[STOCK][caps].sum(axis=1) >= 3]
    chosen[caps[has_any(caps, chosen)]] = True
    # A sharp edge of the stock beside a ragged place is as it should be.
    chosen &= ragged | (mesh.kinds != SHARP) | parts[PATH] | parts[CAP]
    if fixed is not None:
        chosen &= ~fixed
    if not chosen.any():
        return mesh
    local = LocalQuads.of(primitives, rule, mesh, touching(mesh.quads, chosen))
    patches = _patches(mesh, local, np.flatnonzero(chosen).astype(np.int32))
    labels, home = Labels(mesh.codes[local.quad], local.signs), mesh.points.take(patches.vertex, axis=0)
    corners = patches.place.take(patches.quads)
    patch = _patch_of_quads(corners, len(home))
    crumbs = _find_crumbs(corners, patch, labels)
    seeds, bodies = ragged | (mesh.kinds == PARTLY), bodies_of(primitives)
    faired = _faired(primitives, bodies, rule, mesh, patches, labels, home)
    fairing = Fairing(mesh, local, patches, patch, crumbs, home, labels, *faired)

    def settled(points: Array, which: Mask) -> Mask:
        off = which.copy()
        over_rows(
            settle, len(points), ROWS_PER_RUN, primitives, bodies, rule, lookup, patches, fairing.faired_labels, home,
            points, off, scratch=FairScratch.of,
        )  # fmt: skip
        return which & ~off

    _keep_better(primitives, fairing, settled)
    iron(mesh, seeds & ~_on_paths(mesh, local), fixed)
    return _without(mesh, local.quad[crumbs])


def _on_paths(mesh: DualMesh, local: LocalQuads) -> Mask:
    """(V,) the vertices of those quads that belong to paths."""
    found = np.zeros(len(mesh.points), dtype=np.bool_)
    codes = mesh.codes[local.quad]
    found[mesh.quads[local.quad[(codes < 0) & ~_is_cap(codes)]]] = True
    return found


def _find_crumbs(corners: Numbers, patch_of: npt.NDArray[np.int64], labels: Labels) -> Mask:
    """(M,) the quads of crumbs. Corners (M, 4) are vertices of patches, -1 outside of them."""
    is_cap = _is_cap(labels.codes)
    is_stock = (labels.codes >= 0) & ~is_cap
    size = np.bincount(patch_of)
    outside, of_stock, of_path = (
        np.bincount(patch_of, which) for which in ((corners < 0).any(axis=1), is_stock, ~is_stock & ~is_cap)
    )
    is_crumb = (outside == 0) & (size <= LARGEST_CRUMB) & (of_stock > 0) & (of_path > 0)
    return np.asarray(is_crumb)[patch_of]


def _without(mesh: DualMesh, quads: npt.NDArray[np.int64]) -> DualMesh:
    """The mesh without some quads, ascending, and without their vertices. Its arrays change."""
    if not len(quads):
        return mesh
    nothing = DualMesh(mesh.points[:0], mesh.quads[:0], mesh.codes[:0], mesh.kinds[:0], mesh.cells[:0])
    return replace_faces(mesh, quads, np.unique(mesh.quads.take(quads, axis=0)), nothing)[0]


def bodies_of(primitives: Primitives) -> Numbers:
    """(T,) the body of each triangle of the stock: what triangles with common corners link."""
    return least_linked(primitives.triangles, len(primitives.points))[primitives.triangles[:, 0]]


def find_parts(mesh: DualMesh) -> Mask:
    """The vertices (3, V) of the stock, the paths and the caps."""
    parts = np.zeros((3, len(mesh.points)), dtype=np.bool_)
    over_rows(mark_parts, len(mesh.quads), QUADS_PER_RUN, mesh.quads, mesh.codes, parts)
    return parts


def find_ragged(primitives: Primitives, rule: Rule, mesh: DualMesh) -> tuple[Mask, Mask]:
    """The vertices (3, V) of the stock, the paths and the caps, and the ragged vertices (V,)."""
    parts = find_parts(mesh)
    suspect = np.zeros(len(mesh.quads), dtype=np.bool_)
    over_rows(find_suspects, len(suspect), QUADS_PER_RUN, mesh.quads, mesh.kinds, parts, suspect)
    local = LocalQuads.of(primitives, rule, mesh, np.flatnonzero(suspect))
    labels = Labels(mesh.codes[local.quad], local.signs)
    ragged = mesh.kinds == FALLBACK
    over_rows(
        mark_ragged, len(local.quad), QUADS_PER_RUN // 4, primitives, mesh.points, mesh.quads, local.quad, labels,
        ragged,
    )  # fmt: skip
    at_border = parts[STOCK].astype(np.int8) + parts[PATH] + parts[CAP] > 1
    borders = _patches(mesh, local, np.flatnonzero(at_border).astype(np.int32))
    over_rows(mark_turns, len(borders.vertex), ROWS_PER_RUN, primitives, mesh.points, borders, labels, ragged)
    return parts, ragged


def _patches(mesh: DualMesh, local: LocalQuads, vertex: Numbers) -> Patches:
    """Patches of vertices (N,); `local` has all quads around them."""
    place = np.full(len(mesh.points), -1, dtype=np.int32)
    place[vertex] = np.arange(len(vertex), dtype=np.int32)
    return Patches(vertex, place, *local.at(mesh, vertex), mesh.quads.take(local.quad, axis=0))


def _faired(
    primitives: Primitives, bodies: Numbers, rule: Rule, mesh: DualMesh, patches: Patches, labels: Labels, home: Array
) -> tuple[Array, Labels, Numbers]:
    """The points (N, 3) and labels of faired patches, and the number of surfaces (N,) that each vertex lies on.

    The mesh's points there change.
    """
    count = len(patches.vertex)
    moved, surfaces = np.empty((count, 3)), np.zeros(count, dtype=np.int32)
    for _ in range(SMOOTHINGS):
        over_rows(smooth, count, ROWS_PER_RUN, mesh.points, patches, moved)
        over_rows(put_points, count, QUADS_PER_RUN, moved, patches.vertex, mesh.points)
    stale, restless = np.ones(len(mesh.points), dtype=np.bool_), np.empty(count, dtype=np.bool_)
    for step in with_progress(range(FAIRINGS)):
        if step < RELABELLINGS:
            new = Labels(np.empty_like(labels.codes), np.empty_like(labels.signs))
            over_rows(
                relabel, len(patches.quads), ROWS_PER_RUN, primitives, bodies, rule, mesh.points, patches, labels, new,
                stale, scratch=FairScratch.of,
            )  # fmt: skip
            labels = new
        if step == RELABELLINGS - 1:
            # A border around a single quad would shrink to a point.
            for _ in range(2):
                new = Labels(np.empty_like(labels.codes), np.empty_like(labels.signs))
                over_rows(outvote, len(patches.quads), ROWS_PER_RUN, patches, labels, new)
                labels = new
            stale[:] = True
        over_rows(
            fair, count, ROWS_PER_RUN, primitives, bodies, rule, mesh.points, patches, labels, home, stale, moved,
            surfaces, restless, scratch=FairScratch.of,
        )  # fmt: skip
        over_rows(put_points, count, QUADS_PER_RUN, moved, patches.vertex, mesh.points)
        if step in (0, RELABELLINGS - 1):
            stale[:] = False
        stale[patches.vertex] = restless
    return moved, labels, surfaces


def _keep_better(primitives: Primitives, fairing: Fairing, settled: Callable[[Array, Mask], Mask]) -> None:
    """Set the mesh to the faired patches where they are better than what was there. See `contour.fairing`.

    `settled` moves some points (N, 3) onto the surface, and tells where that succeeds.
    """
    mesh, patches, corners, patch = fairing.mesh, fairing.patches, fairing.corners, fairing.patch
    moved = settled(fairing.points, np.ones(len(fairing.points), dtype=np.bool_))
    moved[corners[fairing.crumbs]] = False
    has_cap = (np.bincount(patch, _is_cap(fairing.labels.codes)) > 0)[patch]
    around = _quads_around(fairing)
    movers = Movers(patches.place, moved, np.sqrt(((fairing.points - fairing.home) ** 2).sum(axis=1)))
    area, collapsed = np.empty(len(patch)), np.empty(len(patch), dtype=np.bool_)
    stale, unchecked = np.ones((2, len(moved)), dtype=np.bool_)
    _put(primitives, fairing, np.zeros_like(moved), stale, area, collapsed)
    before = area.copy()
    most = np.bincount(patch, before) + NO_WORSE
    rounds, separations = np.zeros(len(most), dtype=np.int64), 0
    while True:
        _put(primitives, fairing, moved, stale, area, collapsed)
        stale[:] = False
        worse = np.bincount(patch, area) > most
        if collapsed.any():
            returning = collapsed
        elif worse.any():
            rounds += worse
            # Those beside the vertices that have returned go next.
            beside = has_any(corners, ~moved) & (rounds[patch] > 1)
            returning = worse[patch] & ((area > before) | beside | (rounds[patch] > RETURNS))
        else:
            changed = fairing.local.quad[has_any(corners, unchecked)]
            unchecked[:] = False
            overlapping = mark_overlaps(mesh.points, mesh.quads, around, changed, movers)
            if not overlapping.any():
                break
            separations += 1
            returning = has_any(corners, overlapping)
            if separations <= SEPARATIONS:
                between = np.empty_like(fairing.home)
                over_rows(smooth, len(between), ROWS_PER_RUN, mesh.points, patches, between)
                loose = np.zeros_like(moved)
                going = corners[returning & has_cap]
                loose[going[going >= 0]] = True
                loose &= moved
                fairing.points[loose] = between[loose]
                apart = settled(between, overlapping & ~loose)
                fairing.points[apart] = between[apart]
                stale |= apart | loose
        if not stale.any():
            going = corners[returning]
            stale[going[going >= 0]] = True
            moved[stale] = False
        unchecked |= stale
    placed = moved & (fairing.surfaces > 0)
    mesh.kinds[patches.vertex[placed]] = np.where(fairing.surfaces[placed] > 1, SHARP, SMOOTH)


def _quads_around(fairing: Fairing) -> npt.NDArray[np.int64]:
    """The quads of the mesh near the patches, before and after. The mesh's points there change."""
    mesh, vertex, quad = fairing.mesh, fairing.patches.vertex, fairing.local.quad
    mesh.points[vertex] = fairing.home
    before = boxes_of(mesh.points, mesh.quads, quad)
    mesh.points[vertex] = fairing.points
    after = boxes_of(mesh.points, mesh.quads, quad)
    boxes = np.hstack([np.minimum(before, after)[:, :3], np.maximum(before, after)[:, 3:]])
    near = near_boxes(mesh.points, mesh.quads, boxes)
    near[quad[fairing.crumbs]] = False
    return np.flatnonzero(near)


def _put(primitives: Primitives, fairing: Fairing, moved: Mask, stale: Mask, area: Array, collapsed: Mask) -> None:
    """Set the mesh, where it is stale, to the faired patches at the vertices `moved` (N,), else to what was there.

    Args:
        stale: (N,) vertices that are moved, or are not any more, or whose places in the faired patches have changed.
        area, collapsed: (M,) set to the ragged area of a quad, and to whether it has moved and shrunk to a point.
    """
    mesh, patches, old, new = fairing.mesh, fairing.patches, fairing.labels, fairing.faired_labels
    for put, points in ((moved, fairing.points), (~moved, fairing.home)):
        rows = np.flatnonzero(stale & put)
        mesh.points[patches.vertex[rows]] = points.take(rows, axis=0)
    which = np.flatnonzero(has_any(fairing.corners, stale))
    is_new = has_any(fairing.corners.take(which, axis=0), moved)
    codes = np.where(is_new, new.codes[which], old.codes[which])
    signs = np.where(is_new, new.signs[which], old.signs[which])
    quads = np.empty((len(which), 4), dtype=np.int32)
    over_rows(
        split_patches, len(which), ROWS_PER_RUN, primitives, mesh.points, patches, which, Labels(codes, signs), quads,
        area, collapsed,
    )  # fmt: skip
    area[which[_is_cap(old.codes[which])]] = 0.0
    collapsed[which] &= is_new
    mesh.quads[fairing.local.quad[which]] = np.where(is_new[:, None], quads, patches.quads.take(which, axis=0))
    mesh.codes[fairing.local.quad[which]] = codes


def _is_cap(codes: Numbers) -> Mask:
    """(M,) whether quads with these codes belong to a cap."""
    return np.asarray((codes == NO_PRIMITIVE) | (codes == LOWEST))


def _patch_of_quads(corners: Numbers, vertices: int) -> npt.NDArray[np.int64]:
    """(M,) the patch of each quad: vertices with a common quad are in one patch. Corners (M, 4) are -1 outside."""
    a, b, c, d = corners.T
    return least_linked(corners, vertices)[np.maximum(np.maximum(a, b), np.maximum(c, d))]
