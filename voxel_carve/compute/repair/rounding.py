"""Vertices that rounding puts in one place, or a few steps of the precision apart, are set apart.

What reads a mesh next may join them by their coordinates, and text files round these once more. A face with two corners
in one place would then be no face, and an edge where two sheets touch would have four.
"""

import numpy as np
import numpy.typing as npt
import scipy

from ..primitives.half_edges import face_sides, side_keys

Points = npt.NDArray[np.floating]
Indices = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]

# Of the largest coordinate, in steps of the precision: a move that a transform, or text of six digits, leaves visible.
STEPS = 16
PART_OF_MOVE = 0.5  # of it, points count as in one place: see `near_distance`
TEXT_STEP = 1e-6  # of text with six decimals
ROUNDS = 16
POINTS_PER_BLOCK = 1 << 14
CELL = 256  # times the distance that is near: large, so that few points lie near the side of a cell
LATTICES = 4
OFF = 0.3819  # of a cell: round coordinates do not lie beside its sides
HALF = 0.5
KEY_BITS = 20
# Odd numbers without a pattern: sums of their multiples hardly ever agree.
FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def set_apart(points: Points, tail: Indices, head: Indices, moves: Mask) -> Points:
    """Points of which none that moves is in the place of another: see `near_distance`.

    A point moves along one of its edges, at most half way. Of several that could, the first one stays.

    Args:
        points: (N, 3) as they will be stored.
        tail, head: (C,) vertices where each half-edge of each face begins and ends.
        moves: (N,) which may move.
    """
    twins, place = twins_of(points)
    if not moves[twins].any():
        return points
    made = points.copy()
    step = short_step(points)
    for turn in range(ROUNDS):
        first = np.arange(len(points))
        first[twins] = place
        goes = twins[moves[twins] & ~_are_first(place, ~moves[twins])]
        if len(goes) == 0:
            break
        _move(made, goes, first, tail, head, turn, step)
        twins, place = twins_of(made)
    return made


def set_apart_where_joined(points: Points, faces: npt.NDArray[np.int32]) -> Points:
    """Points of which none is in the place of another where joining the two would spoil a face.

    It would if an edge of two triangles vanished, or got more. Points that no face joins may stay in one place, as the
    corners of triangles in a file that does not share them.

    Args:
        points: (N, 3) as they will be stored; faces: (M, 3) or (M, 4), as in `Surface`.
    """
    twins, place = twins_of(points)
    if len(twins) == 0:
        return points
    is_twin = np.zeros(len(points), dtype=bool)
    is_twin[twins] = True
    near = faces[is_twin[faces].any(axis=1)]
    if faces.shape[1] == 4:
        near = near[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
        near = near[near[:, 1] != near[:, 2]]
    tail, head = face_sides(near)
    joined = np.arange(len(points))
    joined[twins] = place
    own = _numbered(tail, head)
    now = _numbered(joined[tail], joined[head])
    most = np.zeros(now.max() + 1, dtype=np.int64)
    np.maximum.at(most, now, np.bincount(own)[own])
    spoilt = (most[now] == 2) & ((np.bincount(now)[now] > 2) | (joined[tail] == joined[head]))
    moves = np.zeros(len(points), dtype=bool)
    moves[joined[tail[spoilt]]] = moves[joined[head[spoilt]]] = True
    return set_apart(points, tail, head, moves[joined] & is_twin)


def short_step(points: Points) -> float:
    """A length that is too short to be an edge's, and long enough to keep points (N, 3) apart: see STEPS."""
    return STEPS * float(np.finfo(points.dtype).eps) * float(np.abs(points).max(initial=0))


def near_distance(points: Points) -> float:
    """How near points (N, 3) are, along x, y and z, that count as in one place: text of six decimals may join them."""
    return min(TEXT_STEP, PART_OF_MOVE * short_step(points))


def twins_of(points: Points) -> tuple[Indices, Indices]:
    """The points (N, 3) that are in the place of another, in ascending order, and the first of all in that place.

    Points in one place are linked by near distances, each to the next.
    """
    near = near_distance(points)
    which = _crowded(points, near)
    exact, of_exact = np.unique(points[which] + 0, axis=0, return_inverse=True)
    if len(exact) == 0:
        return which, which
    pairs = scipy.spatial.cKDTree(exact).query_pairs(near, p=np.inf, output_type="ndarray")
    links = scipy.sparse.coo_matrix((np.ones(len(pairs)), pairs.T), (len(exact),) * 2)
    place = scipy.sparse.csgraph.connected_components(links, directed=False)[1][of_exact.reshape(-1)]
    _, first, place, count = np.unique(place, return_index=True, return_inverse=True, return_counts=True)
    is_twin = count[place] > 1
    return which[is_twin], which[first[place]][is_twin]


def _crowded(points: Points, near: float) -> Indices:
    """The points (N, 3) that share a cell with others, in ascending order: all that are near another, and few more.

    A side of a cell may lie between two near ones. Such points are near the side, and few. They are looked at in more
    lattices, each shifted by a part of a cell along x, y and z: two near points lie in different cells of at most one
    lattice along each of these, and so of three at most.
    """
    keys, is_beside = _cells(points, near, 0)
    found = [_repeated(keys)]
    beside = np.flatnonzero(is_beside)
    found += [beside[_repeated(_cells(points[beside], near, number)[0])] for number in range(1, LATTICES)]
    return np.unique(np.concatenate(found))


def _cells(points: Points, near: float, number: int) -> tuple[npt.NDArray[np.uint64], Mask]:
    """(N,) a number for the cell of each point in a lattice, hardly ever the same for two cells; and whether the point
    is near a side of it."""
    per_cell = 1 / max(CELL * near, float(np.finfo(points.dtype).tiny))
    keys, is_beside = np.zeros(len(points), dtype=np.uint64), np.zeros(len(points), dtype=bool)
    for start in range(0, len(points), POINTS_PER_BLOCK):
        block = slice(start, start + POINTS_PER_BLOCK)
        for axis in range(3):
            place = points[block, axis] * np.float64(per_cell) + (OFF + number / LATTICES)
            cell = place.astype(np.int64)  # toward zero, which is faster than down: one cell is twice as wide
            place -= cell
            keys[block] += cell.view(np.uint64) * FACTORS[axis]
            is_beside[block] |= np.abs(np.abs(place) - HALF) > HALF - 2 / CELL
    return keys, is_beside


def _repeated(keys: npt.NDArray[np.uint64]) -> Indices:
    """The indices of keys (N,) that are there more than once, and of few others."""
    ordered = np.sort(keys)
    is_again = np.zeros(1 << KEY_BITS, dtype=bool)
    is_again[_slots(ordered[1:][ordered[1:] == ordered[:-1]])] = True
    return np.flatnonzero(is_again[_slots(keys)])


def _slots(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """(N,) the first bits of keys."""
    return (keys >> np.uint64(64 - KEY_BITS)).astype(np.int64)


def _are_first(place: Indices, stays: Mask) -> Mask:
    """(K,) which of points in places (K,) keep theirs: the first of those that stay or, without one, of all."""
    order = np.lexsort((np.arange(len(place)), ~stays, place))
    found = np.empty(len(place), dtype=bool)
    found[order] = np.diff(place[order], prepend=-1) != 0
    return found


def _numbered(tail: Indices, head: Indices) -> Indices:
    """(C,) a number for the edge of each half-edge."""
    key = side_keys(np.minimum(tail, head), np.maximum(tail, head))
    return np.unique(key, return_inverse=True)[1].reshape(-1)


def _move(points: Points, goes: Indices, first: Indices, tail: Indices, head: Indices, turn: int, step: float) -> None:
    """Move some points (K,) of (N, 3) toward a neighbour, first of all one that no other point in their place has.

    Args:
        first: (N,) the first point in the place of each; turn: counts the neighbours, and the points in one place.
    """
    one, other = np.concatenate([tail, head]), np.concatenate([head, tail])
    near = np.isin(first[one], first[goes]) & (first[one] != first[other])
    one, other = np.unique(np.stack([one[near], first[other[near]]]), axis=1)
    common = _numbered(first[one], other)
    is_shared = np.bincount(common)[common] > 1
    way = (points[other] - points[one]).astype(np.float64)
    length = np.linalg.norm(way, axis=1)
    order = np.lexsort((-length, is_shared, one))
    goes = goes[np.argsort(first[goes], kind="stable")]
    rank = np.arange(len(goes)) - np.searchsorted(first[goes], first[goes])
    begin, end = (np.searchsorted(one[order], goes, side) for side in ("left", "right"))
    count = end - begin
    chosen = order[(begin + (turn + rank) % np.maximum(count, 1))[count > 0]]
    share = np.minimum(step / length[chosen], 0.5)
    points[one[chosen]] += share[:, None] * way[chosen]
