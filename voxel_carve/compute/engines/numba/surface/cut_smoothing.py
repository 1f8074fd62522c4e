"""What a cut leaves is smoothed, and anew with less freedom where that folds it over. See `contour.rims`."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ....runtime.threads import in_runs
from ..contour.overlaps import QUADS_PER_RUN, Array, Mask, Movers, Numbers, boxes_of, mark_overlaps, near_boxes
from ..contour.ragged_kernels import find_touching, spread
from .cloth_kernels import (
    HELD,
    Cloth,
    Indices,
    collapse_sides,
    find_bends,
    find_changed,
    find_short_sides,
    flip_chords,
    link_corners,
    move_nodes,
)

ROUNDS = 2  # of collapsing and moving
MOVES = 3  # of each node, in a round: others may be in its way at first
FLIPPINGS = 3  # passes over all sides, before and after nodes move
TRIALS = 8  # of smoothing, with more points held after each
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
    base, following = len(points), np.full(len(at), -1, dtype=np.int64)
    following[lines[:, 1]] = lines[:, 2]
    bends = np.zeros(len(at), dtype=np.bool_)
    find_bends(0, len(at), at, following, bends)
    home = np.concatenate([points, at])
    now, was, left, held = home.copy(), home, triangles.copy(), np.zeros(len(home), dtype=np.int8)
    which, again = np.arange(len(triangles)), np.ones(len(home), dtype=np.bool_)
    into, around, part = np.full(len(home), -1, dtype=np.int64), np.zeros(len(home), dtype=np.bool_), None
    others = _around(triangles, others, len(home))
    for _ in range(TRIALS):
        cloth, before = Cloth.of(now, triangles[which], normals[which], free, held), left[which]
        _smooth(cloth, base, place, of_sweep[which], bends)
        left[which], into[again] = cloth.triangles, cloth.into[again]
        changed = np.empty(len(which), dtype=np.bool_)
        in_runs(find_changed, len(which), QUADS_PER_RUN, before, was, cloth.triangles, now, around, changed)
        folded = _folded(now, home, left, which[changed], others, held)
        if not folded.any():
            break
        # What has vanished into these points, and those around them, is held too.
        around[:] = False
        around[left[(left[:, 0] >= 0) & folded[left].any(axis=1)]] = True
        end = _ends(into)
        held[around[end]] = np.maximum(held[around[end]], 1)
        held[folded[end]] += 1
        part = _parts(triangles, len(home)) if part is None else part
        chosen = np.zeros(len(home), dtype=np.bool_)
        chosen[part[folded[end]]] = True
        again = chosen[part]
        which, was = np.flatnonzero(again[triangles[:, 0]]), now.copy()
        now[again] = home[again]
    kept = np.flatnonzero(left[:, 0] >= 0)
    return now, left[kept], kept


def _smooth(cloth: Cloth, base: int, place: Array, of_sweep: Mask, bends: Mask) -> None:
    """Smooth a cloth. See `smooth_cut`."""
    moved = np.zeros(len(place), dtype=np.bool_)
    for _ in range(ROUNDS):
        collapse_sides(_short_sides(cloth, base), base, place, moved, bends, cloth)
        _flip_chords(cloth, base, of_sweep)
        for _ in range(MOVES):
            move_nodes(base, place, moved, cloth)
        _flip_chords(cloth, base, of_sweep)


def _short_sides(cloth: Cloth, base: int) -> Indices:
    """(S, 2) the sides that may collapse, the shortest first: the end that stays, a node, and the one that vanishes."""
    sides, squares = np.empty((cloth.triangles.size, 2), dtype=np.int64), np.empty(cloth.triangles.size)
    count = find_short_sides(base, cloth, sides, squares)
    sides = sides[:count][np.lexsort((sides[:count, 1], sides[:count, 0], squares[:count]))]
    # Of two nodes either may stay.
    return np.concatenate([sides, sides[sides[:, 1] >= base][:, ::-1]])


def _flip_chords(cloth: Cloth, base: int, of_sweep: Mask) -> None:
    """Flip sides that are no good, a few times, because flipped triangles lie apart. Then link the corners again."""
    for _ in range(FLIPPINGS):
        if not flip_chords(base, of_sweep, cloth.held > 0, cloth):
            break
        link_corners(cloth.triangles, cloth.head, cloth.link)


def _around(triangles: Indices, others: Numbers, points: int) -> Numbers:
    """The faces of others (F, 4) that lie around triangles: what is on the other side of the line is cut off."""
    inside = np.zeros(points, dtype=np.bool_)
    inside[triangles] = True
    reached = inside.copy()
    in_runs(spread, len(others), QUADS_PER_RUN, others, inside, reached)
    found = np.empty(len(others), dtype=np.bool_)
    in_runs(find_touching, len(others), QUADS_PER_RUN, others, reached, found)
    return others[found]


def _folded(
    points: Array, home: Array, triangles: Indices, which: Indices, others: Numbers, held: npt.NDArray[np.int8]
) -> Mask:
    """(P,) the points to hold, because triangles `which` (W,) overlap others or other faces.

    Of each pair that overlaps, the corner that is farthest from its home.
    """
    left = np.flatnonzero(triangles[:, 0] >= 0)
    faces = np.concatenate([triangles[left][:, [0, 1, 2, 2]].astype(np.int32), others])
    which = np.searchsorted(left, which)
    near = np.flatnonzero(near_boxes(points, faces, boxes_of(points, faces, which)))
    far = np.sqrt(((points - home) ** 2).sum(axis=1))
    movers = Movers(np.arange(len(points), dtype=np.int32), held <= HELD, far)
    return mark_overlaps(points, faces, near, which, movers, TOUCH)


def _ends(into: Indices) -> Indices:
    """(P,) where each point is now, of those that vanished (P,). See `Cloth`."""
    end = np.where(into >= 0, into, np.arange(len(into)))
    while (end[end] != end).any():
        end = end[end]
    return end


def _parts(triangles: Indices, points: int) -> Numbers:
    """(P,) numbers of the connected parts of triangles (T, 3) that points belong to."""
    links = (np.ones(2 * len(triangles), dtype=np.bool_), (triangles[:, :2].ravel(), triangles[:, 1:].ravel()))
    return np.asarray(connected_components(coo_matrix(links, (points, points)), directed=False)[1])
