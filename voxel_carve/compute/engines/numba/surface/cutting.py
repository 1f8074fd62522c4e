"""Two meshes, cut where they cross. See `contour.rims`."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....contour.rims import JITTER, SHIFT
from ....formulas.vertex_placement import SHARP
from ....model.combining import Rule
from ....model.mesh import DualMesh, mix
from ....primitives.primitives import Primitives
from ....runtime.threads import over_rows
from ..contour.connecting import has_any
from ..contour.edge_snapping import LocalQuads
from ..contour.occlusion import NearestLookup
from ..contour.overlaps import QUADS_PER_RUN, Array, BoxGrid, Mask, Numbers, boxes_of, near_boxes
from .cloth_kernels import find_normals_of
from .cut_smoothing import smooth_cut
from .cutting_kernels import (
    MOST_TRIANGLES,
    CutScratch,
    PairScratch,
    cut_halves,
    find_crossings,
)
from .node_kernels import NodeScratch, place_nodes

Indices = npt.NDArray[np.int64]

HALVES_PER_RUN = 1 << 8


@dataclass(frozen=True)
class Pieces:
    """Two meshes, with what the cut removes beside their common line removed. What lies farther away is still there.

    Attributes:
        points: (P, 3) those of one mesh, of the other, and the nodes.    kinds: (P,) as in `DualMesh`.
        faces: (F, 4) quads, and triangles that name their last corner twice.    codes: (F,) their primitives.
    """

    points: Array
    kinds: npt.NDArray[np.uint8]
    faces: Numbers
    codes: Numbers


@dataclass(frozen=True)
class Cut:
    """What is left of two meshes, before it is smoothed.

    Attributes:
        triangles: (T, 3) of the halves that are cut, and of those beside what may vanish; V + n is node n.
        normals: (T, 3) of these halves.    half: (T,) which they are.
        lines: (L, 3) a half of the first mesh, and the nodes where a line starts and ends in it.
        at, place: (N, 3) where nodes are, and should be.    free: (V + N,) points that may vanish.
        left, quad: (F, 4), (F,) the other faces, and the quads that they are of.
    """

    triangles: Indices
    normals: Array
    half: Indices
    lines: Indices
    at: Array
    place: Array
    free: Mask
    left: Numbers
    quad: Indices


def cut_sheets(
    primitives: Primitives,
    rule: Rule,
    stock: DualMesh,
    sweep: DualMesh,
    lookups: tuple[NearestLookup, NearestLookup],
    fixed: Mask,
) -> Cut:
    """Cut two meshes where they cross.

    A half of a quad that cannot be cut is left out. Vertices that are fixed (V,), of both meshes, stay.
    """
    first = len(stock.quads)
    points = np.concatenate([stock.points + _shift(stock, rule), sweep.points + _jitter(sweep.cells)])
    quads = np.concatenate([stock.quads, sweep.quads + np.int32(len(stock.points))])
    codes = np.concatenate([stock.codes, sweep.codes])
    signs = np.concatenate(
        [LocalQuads.of(primitives, rule, mesh, np.arange(len(mesh.quads))).signs for mesh in (stock, sweep)]
    )
    lines, nodes = _crossings(points, quads, first, rule)
    at, place = np.empty((len(nodes), 4)), np.empty((len(nodes), 3))
    over_rows(
        place_nodes, len(nodes), HALVES_PER_RUN, primitives, rule, lookups, points, quads, first, codes, signs, nodes,
        at, place, scratch=NodeScratch.of,
    )  # fmt: skip
    halves, half, triangles = _halves_cut(points, quads, lines, nodes, at)
    free = np.zeros(len(points) + len(nodes), dtype=np.bool_)
    free[triangles] = True
    free[: len(points)] &= ~fixed
    # A half beside a vertex that may vanish changes too.
    beside = _touched(quads, halves, free[: len(points)])
    triangles = np.concatenate([triangles, _corners_of(quads, beside)])
    half, normals = np.concatenate([half, beside]), np.empty((len(triangles), 3))
    over_rows(find_normals_of, len(half), HALVES_PER_RUN, points, _corners_of(quads, half), normals)
    left = _left(quads, np.concatenate([halves, beside]))
    lines, at = lines[: len(lines) // 2].copy(), np.ascontiguousarray(at[:, :3])
    return Cut(triangles, normals, half, lines, at, place, free, *left)


def _halves_cut(
    points: Array, quads: Numbers, lines: Indices, nodes: Indices, at: Array
) -> tuple[Indices, Indices, Indices]:
    """The halves that lines (L, 3) cut (H,), ascending; and the triangles that are kept of them: the half of each (T,),
    and their corners (T, 3)."""
    order = np.argsort(lines[:, 0], kind="stable")
    begins = np.flatnonzero(np.diff(lines[order, 0], prepend=-1))
    halves, starts = lines[order[begins], 0], np.append(begins, len(lines))
    out = np.empty((MOST_TRIANGLES * (len(lines) + len(halves)), 3), dtype=np.int32)
    count = np.empty(len(halves), dtype=np.int64)
    over_rows(
        cut_halves, len(halves), HALVES_PER_RUN, points, quads, halves, starts, lines[:, 1:].take(order, axis=0),
        nodes, at, out, count, scratch=CutScratch.of,
    )  # fmt: skip
    count = np.maximum(count, 0)
    cut = np.repeat(np.arange(len(halves)), count)
    row = MOST_TRIANGLES * (starts[cut] + cut) + np.arange(len(cut)) - np.repeat(np.cumsum(count) - count, count)
    return halves, halves[cut], out.take(row, axis=0).astype(np.int64)


def smoothed(stock: DualMesh, sweep: DualMesh, cut: Cut) -> Pieces:
    """The pieces that a cut leaves of two meshes, with the line moved onto both surfaces."""
    # From here on without the shifts: overlaps count where vertices are in the end.
    points, triangles, kept = smooth_cut(
        np.concatenate([stock.points, sweep.points]),
        cut.triangles,
        cut.normals,
        cut.half >= 2 * len(stock.quads),
        cut.lines,
        cut.at,
        cut.place,
        cut.free,
        cut.left,
    )
    faces = np.concatenate([cut.left, triangles[:, [0, 1, 2, 2]].astype(np.int32)])
    quad = np.concatenate([cut.quad, cut.half[kept] >> 1])
    kinds = np.concatenate([stock.kinds, sweep.kinds, np.full(len(cut.at), SHARP, dtype=np.uint8)])
    return Pieces(points, kinds, faces, np.concatenate([stock.codes, sweep.codes])[quad])


def _jitter(cells: Indices) -> Array:
    """(V, 3) shifts so small that they do not matter, of vertices with cells (V,): in general, no four of them and of
    another mesh then lie in one plane."""
    numbers = mix(cells.astype(np.uint64)[:, None] * np.uint64(3) + np.arange(3, dtype=np.uint64))
    return JITTER * (numbers / 2.0**63 - 1.0)


def _shift(stock: DualMesh, rule: Rule) -> Array:
    """(V, 3) such shifts of the stock's vertices, by which the sweep's in a plane of the stock are cut off."""
    corners = stock.points.take(stock.quads, axis=0)
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    sums = np.stack(
        [np.bincount(stock.quads.ravel(), np.repeat(normals[:, i], 4), len(stock.points)) for i in range(3)], axis=1
    )
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray((-SHIFT if rule.greatest else SHIFT) * sums / np.maximum(lengths, 1e-300))


def _corners_of(quads: Numbers, halves: Indices) -> Indices:
    """(H, 3) the corners of halves (H,)."""
    quad, half = halves >> 1, halves & 1
    return np.stack([quads[quad, 0], quads[quad, 1 + half], quads[quad, 2 + half]], axis=1).astype(np.int64)


def _touched(quads: Numbers, halves: Indices, vertices: Mask) -> Indices:
    """The halves with a corner among vertices (V,), apart from halves (H,)."""
    quad = np.flatnonzero(has_any(quads, vertices))
    left = np.ones(2 * len(quads), dtype=np.bool_)
    left[halves] = False
    beside = np.stack([2 * quad, 2 * quad + 1], axis=1).ravel()
    beside = beside[left[beside]]
    return beside[has_any(_corners_of(quads, beside), vertices)]


def _crossings(points: Array, quads: Numbers, first: int, rule: Rule) -> tuple[Indices, Indices]:
    """The lines where halves of the first quads cross halves of the others, and their nodes.

    Returns:
        Lines (L, 3): a half, and the nodes where a line starts and ends in it; and nodes (N, 4): see `place_nodes`.
    """
    others = np.arange(first, len(quads))
    lines, nodes = np.empty((0, 3), dtype=np.int64), np.empty((0, 4), dtype=np.int64)
    if not first or not len(others):
        return lines, nodes
    which = np.flatnonzero(near_boxes(points, quads[:first], boxes_of(points, quads, others)))
    if not len(which):
        return lines, nodes
    others = first + np.flatnonzero(near_boxes(points, quads[first:], boxes_of(points, quads, which)))
    if not len(others):
        return lines, nodes
    grid = BoxGrid.of(boxes_of(points, quads, others))
    begin, found = np.zeros(len(which) + 1, dtype=np.int64), np.empty((0, 8), dtype=np.int64)
    for _ in range(2):
        over_rows(
            find_crossings, len(which), QUADS_PER_RUN // 32, points, quads, which, others, grid, rule.greatest, begin,
            found, scratch=PairScratch.of,
        )  # fmt: skip
        if not len(found):
            begin = np.cumsum(begin)
            found = np.empty((begin[-1], 8), dtype=np.int64)
    if not len(found):
        return lines, nodes
    # An end is known by its edge, and by the half that the edge goes through: the other one's, or mine.
    ends = found[:, 2:].reshape(-1, 3)
    mine, other = np.repeat(found[:, 0], 2), np.repeat(found[:, 1], 2)
    through, own = np.where(ends[:, 2] == 1, other, mine), np.where(ends[:, 2] == 1, mine, other)
    edge = ends[:, 0] << 32 | ends[:, 1]
    order = np.lexsort((through << 32 | own, edge))
    edge, sorted_ends = edge[order], np.stack([ends[:, 0], ends[:, 1], through, own], axis=1).take(order, axis=0)
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (edge[1:] != edge[:-1]) | (sorted_ends[1:, 2] != sorted_ends[:-1, 2])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    start, stop = number[0::2], number[1::2]
    lines = np.concatenate([np.stack([found[:, 0], start, stop], axis=1), np.stack([found[:, 1], stop, start], axis=1)])
    return lines, sorted_ends.compress(new, axis=0)


def _left(quads: Numbers, halves: Indices) -> tuple[Numbers, Indices]:
    """The faces (F, 4) that are left of quads (Q, 4) without some halves, and the quad of each (F,)."""
    is_cut = np.zeros((len(quads), 2), dtype=np.bool_)
    is_cut[halves >> 1, halves & 1] = True
    whole = np.flatnonzero(~(is_cut[:, 0] | is_cut[:, 1]))
    first, second = (np.flatnonzero(is_cut[:, 1 - half] & ~is_cut[:, half]) for half in range(2))
    faces = [quads.take(whole, axis=0)]
    faces += [quads.take(first, axis=0)[:, [0, 1, 2, 2]], quads.take(second, axis=0)[:, [0, 2, 3, 3]]]
    return np.concatenate(faces), np.concatenate([whole, first, second])
