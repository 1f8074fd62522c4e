"""What a cut leaves is smoothed, and anew with less freedom where that folds it over. See `contour.rims`."""

import numpy as np
import numpy.typing as npt

from ....runtime.threads import over_rows
from ..contour.connecting import has_any, linked_parts, spread, touching
from ..contour.overlaps import QUADS_PER_RUN, Array, Mask, Movers, Numbers, boxes_of, mark_overlaps, near_boxes
from .cloth_kernels import Cloth, Indices, Nodes
from .smoothing_kernels import HELD, find_bends, find_changed, smooth_parts

TRIALS = 24  # of smoothing, with more points held after each; what folds over even then stays as it was cut
TOUCH = 1e-5  # between triangles that overlap: the two sides of a thin tip come near


def smooth_cut(
    points: Array,
    triangles: Indices,
    normals: Array,
    of_sweep: Mask,
    lines: Indices,
    at: Array,
    place: Array,
    free: Mask,
    others: Numbers,
) -> tuple[Array, Indices, Indices]:
    """Collapse the short sides of triangles around a cut, and move nodes onto both surfaces.

    Where triangles then overlap, points are held, and what is connected to them is smoothed again: a held point
    merges with nearer ones only, and one that is held often stays where it is.

    Args:
        points: (V, 3) of both meshes.    triangles: (T, 3), with normals (T, 3) of what they were cut from.
        of_sweep: (T,) which mesh that was.
        lines: (L, 3) of one mesh: a half, and two nodes.    at, place: (N, 3) where nodes are, and should be.
        free: (V + N,) points that may vanish.    others: (F, 4) the faces beside the triangles.

    Returns:
        The points of the meshes and of the nodes; the triangles that are left (K, 3); and which these were (K,).
    """
    others = _around(triangles, others, len(points) + len(at))
    used = np.zeros(len(points) + len(at), dtype=np.bool_)
    used[triangles], used[others], used[len(points) :] = True, True, True
    # The rest of the meshes is much larger.
    rows, name = np.flatnonzero(used), np.cumsum(used, dtype=np.int32) - np.int32(1)
    points, triangles = np.concatenate([points, at]), name.take(triangles).astype(np.int64)
    part = linked_parts(triangles, len(rows))
    order = np.argsort(part[triangles[:, 0]], kind="stable")
    cloth = _cloth(
        points.take(rows, axis=0), triangles.take(order, axis=0), normals.take(order, axis=0), of_sweep[order], part,
        free[rows],
    )  # fmt: skip
    _smooth(cloth, _nodes(cloth, part[len(part) - len(at) :], lines, at, place), part, name.take(others))
    left = np.empty_like(triangles)
    left[order] = cloth.triangles
    kept = np.flatnonzero(left[:, 0] >= 0)
    points[rows] = cloth.points
    return points, rows.take(left.take(kept, axis=0)), kept


def _smooth(cloth: Cloth, nodes: Nodes, part: Numbers, others: Numbers) -> None:
    """Smooth a cloth and move its nodes; again, with less freedom, the parts that overlap themselves or others (F, 4).

    part (P,) is that of each point.
    """
    base, home, now = len(part) - len(nodes.place), cloth.points.copy(), cloth.points
    original, around, was = cloth.triangles.copy(), np.zeros(len(home), dtype=np.bool_), home
    size, before, again = np.diff(cloth.first), original, np.ones(len(cloth.first) - 1, dtype=np.bool_)
    for _ in range(TRIALS):
        chosen = np.flatnonzero(again & (size > 0))
        chosen = chosen[np.argsort(-size[chosen], kind="stable")]  # a large one that begins last would keep all waiting
        over_rows(smooth_parts, len(chosen), 1, chosen, base, nodes, cloth)
        changed = np.empty(len(original), dtype=np.bool_)
        over_rows(find_changed, len(original), QUADS_PER_RUN, before, was, cloth.triangles, now, around, changed)
        folded = _folded(now, home, cloth.triangles, np.flatnonzero(changed), others, cloth.held)
        if not folded.any():
            break
        # What has vanished into these points, and those around them, is held too.
        around[:] = False
        around[cloth.triangles[(cloth.triangles[:, 0] >= 0) & has_any(cloth.triangles, folded)]] = True
        end = _ends(cloth.into)
        cloth.held[around[end]] = np.maximum(cloth.held[around[end]], 1)
        cloth.held[folded[end]] += 1
        again[:] = False
        again[part[folded[end]]] = True
        before, was = cloth.triangles.copy(), now.copy()
        which, points_again = np.repeat(again, size), again[part]
        now[points_again], cloth.into[points_again] = home[points_again], -1
        cloth.triangles[which], nodes.moved[points_again[base:]] = original[which], False


def _cloth(points: Array, triangles: Indices, normals: Array, of_sweep: Mask, part: Numbers, free: Mask) -> Cloth:
    """The cloth of triangles (T, 3), sorted by their part; part (P,) is that of each point."""
    first = np.searchsorted(part[triangles[:, 0]], np.arange(part.max(initial=-1) + 2))
    count, corners = len(points), triangles.size
    return Cloth(
        points, triangles, normals, of_sweep, first,
        head=np.full(count, -1), link=np.empty(corners, dtype=np.int64),
        free=free, into=np.full(count, -1), held=np.zeros(count, dtype=np.int8), busy=np.zeros(count, dtype=np.bool_),
        sides=np.empty((corners, 2), dtype=np.int64), squares=np.empty(corners),
    )  # fmt: skip


def _nodes(cloth: Cloth, part: Numbers, lines: Indices, at: Array, place: Array) -> Nodes:
    """The nodes of a cloth, in parts (N,). See `smooth_cut`."""
    following, bends = np.full(len(at), -1), np.zeros(len(at), dtype=np.bool_)
    following[lines[:, 1]] = lines[:, 2]
    find_bends(0, len(at), at, following, bends)
    order = np.argsort(part, kind="stable")
    first = np.searchsorted(part[order], np.arange(len(cloth.first)))
    return Nodes(place, np.zeros(len(at), dtype=np.bool_), bends, order, first)


def _around(triangles: Indices, others: Numbers, points: int) -> Numbers:
    """The faces of others (F, 4) that lie around triangles: what is on the other side of the line is cut off."""
    inside = np.zeros(points, dtype=np.bool_)
    inside[triangles] = True
    reached = inside.copy()
    over_rows(spread, len(others), QUADS_PER_RUN, others, inside, reached)
    return others.take(touching(others, reached), axis=0)


def _folded(
    points: Array, home: Array, triangles: Indices, which: Indices, others: Numbers, held: npt.NDArray[np.int8]
) -> Mask:
    """(P,) the points to hold, because triangles `which` (W,) overlap others or other faces.

    Of each pair that overlaps, the corner that is farthest from its home.
    """
    left = np.flatnonzero(triangles[:, 0] >= 0)
    faces = np.concatenate([triangles.take(left, axis=0).astype(np.int32)[:, [0, 1, 2, 2]], others])
    which = np.searchsorted(left, which)
    near = np.flatnonzero(near_boxes(points, faces, boxes_of(points, faces, which)))
    way = points - home
    far = np.sqrt(np.einsum("ij,ij->i", way, way))
    movers = Movers(np.arange(len(points), dtype=np.int32), held <= HELD, far)
    return mark_overlaps(points, faces, near, which, movers, TOUCH)


def _ends(into: Indices) -> Indices:
    """(P,) where each point is now, of those that vanished (P,). See `Cloth`."""
    end = np.where(into >= 0, into, np.arange(len(into)))
    while (end[end] != end).any():
        end = end[end]
    return end
