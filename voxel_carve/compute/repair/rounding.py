"""Vertices that rounding puts in one place are set apart, by a few steps of the precision.

What reads a mesh next may join them by their coordinates. A face with two corners in one place would then be no face,
and an edge where two sheets touch would have four.
"""

import numpy as np
import numpy.typing as npt

from ..primitives.half_edges import face_sides, side_keys

Points = npt.NDArray[np.floating]
Indices = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]

# Of the largest coordinate, in steps of the precision: a move that a transform, or text of six digits, leaves visible.
STEPS = 16
ROUNDS = 16
POINTS_PER_BLOCK = 1 << 14
# Odd numbers without a pattern: sums of their multiples hardly ever agree.
FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def set_apart(points: Points, tail: Indices, head: Indices, moves: Mask) -> Points:
    """Points of which none that moves is in the place of another, to the bit.

    A point moves along one of its edges, at most half way. Of several that could, the first one stays.

    Args:
        points: (N, 3) as they will be stored.
        tail, head: (C,) vertices where each half-edge of each face begins and ends.
        moves: (N,) which may move.
    """
    twins = twins_of(points)
    if not moves[twins].any():
        return points
    made = points.copy()
    step = short_step(points)
    for turn in range(ROUNDS):
        first = np.arange(len(points))
        first[twins] = twins[_places(made, twins)]
        goes = twins[moves[twins] & ~_are_first(first[twins], ~moves[twins])]
        if len(goes) == 0:
            break
        _move(made, goes, first, tail, head, turn, step)
        twins = twins_of(made)
    return made


def set_apart_where_joined(points: Points, faces: npt.NDArray[np.int32]) -> Points:
    """Points of which none is in the place of another where joining the two would spoil a face.

    It would if an edge of two triangles vanished, or got more. Points that no face joins may stay in one place, as the
    corners of triangles in a file that does not share them.

    Args:
        points: (N, 3) as they will be stored; faces: (M, 3) or (M, 4), as in `Surface`.
    """
    twins = twins_of(points)
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
    joined[twins] = twins[_places(points, twins)]
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


def twins_of(points: Points) -> Indices:
    """The points (N, 3) that are in the place of another, in ascending order."""
    ordered = _keys(points)
    ordered.sort()
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(again) == 0:
        return np.empty(0, dtype=np.int64)
    found = np.flatnonzero(np.isin(_keys(points), again))
    place = _places(points, found)
    return found[np.bincount(place)[place] > 1]


def _keys(points: Points) -> npt.NDArray[np.uint64]:
    """(N,) a number for each point, the same for points in one place, and hardly ever for others."""
    key = np.empty(len(points), dtype=np.uint64)
    for start in range(0, len(points), POINTS_PER_BLOCK):
        block = points[start : start + POINTS_PER_BLOCK] + points.dtype.type(0)  # so that -0 is 0
        x, y, z = block.view(f"u{block.itemsize}").astype(np.uint64).T * FACTORS[:, None]
        key[start : start + len(block)] = x + y + z
    return key


def _places(points: Points, which: Indices) -> Indices:
    """(K,) for each of some points the first of them that is in its place."""
    _, first, place = np.unique(points[which] + 0, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[place.reshape(-1)])


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
