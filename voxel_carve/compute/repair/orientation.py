"""Faces that look both ways: each part of a mesh made consistent, as far as its shape allows.

A part is a set of faces joined over edges that exactly two faces share. Where two of them run such an edge in the same
direction, one looks the other way. A part can be made consistent unless it has one side only, as a Möbius strip has.
Every face stands in a graph twice, as it is and turned round: joined to its neighbour as it is where both agree, and to
the neighbour turned round where they do not. The part has two sides where these two never meet, and each is one way to
make it consistent.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

Points = npt.NDArray[np.float64]
Indices = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]
Whole = TypeVar("Whole", npt.NDArray[np.int32], npt.NDArray[np.int64])

# Of a mesh's closed parts, the boxes of so many are looked at, the largest first, for what lies in them.
MOST_SHELLS = 256


def turned_triangles(points: Points, triangles: Indices) -> Mask:
    """(M,) as `turned_faces`, of welded triangles (M, 3)."""
    return turned_faces(points, *_triangle_sides(triangles))


def inward_triangles(points: Points, triangles: Indices) -> Mask:
    """(M,) as `inward_faces`, of welded triangles (M, 3)."""
    return inward_faces(points, *_triangle_sides(triangles))


def _triangle_sides(triangles: Indices) -> tuple[Indices, Indices, Indices]:
    face = np.repeat(np.arange(len(triangles)), 3)
    return triangles.ravel(), np.roll(triangles, -1, axis=1).ravel(), face


def flipped(triangles: Whole, which: Mask) -> Whole:
    """Triangles (M, 3), of which some are turned round."""
    turned: Whole = np.where(which[:, None], triangles[:, ::-1], triangles)
    return turned


def turned_faces(points: Points, tail: Indices, head: Indices, face: Indices) -> Mask:
    """Which faces have to be turned round, so that every part looks one way.

    Only parts that look both ways are touched: a cavity's own shell looks inward, and should. Such a part comes to look
    outward, by its volume, where it is closed, and as the larger part of its area did where it is open. So does one
    that lies in the box of a larger closed part: it may be a cavity, and only its faces can tell. A part with one side
    only stays as it is, and so does how parts stand to each other that meet at edges of three and more faces.

    Args:
        points: (N, 3), each place once.
        tail, head: (C,) points where each side of each face begins and ends.
        face: (C,) whose side each is, in ascending order, from 0 to F - 1.

    Returns:
        (F,) bool.
    """
    count = int(face[-1]) + 1
    one, other = _shared_sides(tail, head)
    against = tail[one] == tail[other]
    if not against.any():
        return np.zeros(count, dtype=bool)
    a, b = face[one], face[other]
    ends = np.concatenate([a, a + count]), np.concatenate([b + count * against, b + count * ~against])
    graph = sparse.coo_array((np.ones(2 * len(a), dtype=np.int8), ends), shape=(2 * count, 2 * count))
    _, label = sparse.csgraph.connected_components(graph.tocsr(), directed=False)
    as_is, turned = label[:count], label[count:]
    _, part = np.unique(np.minimum(as_is, turned), return_inverse=True)
    second = as_is > turned
    mixed, closed = np.zeros(part.max() + 1, dtype=bool), np.ones(part.max() + 1, dtype=bool)
    mixed[part[a[against]]] = True
    mixed[part[as_is == turned]] = False
    closed[part[np.delete(face, np.concatenate([one, other]))]] = False
    chosen = _second_ways(points, tail, head, face, part, second, mixed, closed)
    return np.asarray(mixed[part] & (second != chosen[part]))


def _shared_sides(tail: Indices, head: Indices) -> tuple[Indices, Indices]:
    """Pairs of sides (P,), (P,) that are the only two along their edge."""
    key = np.minimum(tail, head).astype(np.int64) << 32 | np.maximum(tail, head)
    order = np.argsort(key)
    key = key[order]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1], [True]]))
    pairs = first[:-1][np.diff(first) == 2]
    return order[pairs], order[pairs + 1]


def _second_ways(
    points: Points, tail: Indices, head: Indices, face: Indices, part: Indices, second: Mask, mixed: Mask, closed: Mask
) -> Mask:
    """Which of the parts (K,) look best as those of their faces do that look the `second` (F,) of the two ways.

    `part` (F,) says whose each face is; `mixed` and `closed` (K,) what the parts are.
    """
    way = np.where(second, -1.0, 1.0)
    area, volume = _areas_and_volumes(points, tail, head, face)
    by_area, outward = np.bincount(part, way * area) < 0, np.bincount(part, way * volume) < 0
    chosen = np.where(closed, outward, by_area)
    doubtful = mixed & closed & (outward != by_area)
    inner = _in_boxes(points, tail, part[face], doubtful, closed)
    chosen[inner] = by_area[inner]
    return chosen


def inward_faces(points: Points, tail: Indices, head: Indices, face: Indices) -> Mask:
    """Which faces have to be turned round, so that a closed mesh whose parts look one way each looks outward.

    That is all of them where it looks inward as a whole, by its volume. Of what does not hang together with the rest,
    each body counts by itself, but for those in the box of another, which may be its cavities.

    Arguments and what is returned are as those of `turned_faces`.
    """
    ends = sparse.coo_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(len(points), len(points)))
    _, label = sparse.csgraph.connected_components(ends.tocsr(), directed=False)
    _, body = np.unique(label[tail[_first_sides(face)]], return_inverse=True)
    volume = np.bincount(body, _areas_and_volumes(points, tail, head, face)[1])
    whole = volume.sum() < 0
    inward = (volume > 0) if whole else (volume < 0)
    inward &= ~_in_boxes(points, tail, body[face], inward, np.ones(len(volume), dtype=bool))
    return np.asarray(inward[body] != whole)


def outward_faces(points: Points, tail: Indices, head: Indices, face: Indices) -> Mask:
    """Which faces have to be turned round for both reasons: as `turned_faces`, and then `inward_faces`."""
    turned = turned_faces(points, tail, head, face)
    back = turned[face]
    return turned ^ inward_faces(points, np.where(back, head, tail), np.where(back, tail, head), face)


def _first_sides(face: Indices) -> Indices:
    """(F,) the first side of each face."""
    return np.flatnonzero(np.diff(face, prepend=-1))


def _areas_and_volumes(points: Points, tail: Indices, head: Indices, face: Indices) -> tuple[Points, Points]:
    """(F,) twice the area of each face, and six times the volume between it and the middle of the points, negative
    where it looks there."""
    start = _first_sides(face)
    columns = (points - points.mean(axis=0)).T
    origin = columns.take(tail[start], axis=1)
    (ax, ay, az), (bx, by, bz) = (columns.take(ends, axis=1) - origin.take(face, axis=1) for ends in (tail, head))
    across = (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    normal = np.stack([np.add.reduceat(each, start) for each in across])
    return np.sqrt((normal * normal).sum(axis=0)), (origin * normal).sum(axis=0)


def _in_boxes(points: Points, tail: Indices, part: Indices, asked: Mask, shells: Mask) -> Mask:
    """(K,) which of the parts that are asked for lie in the box of one of the largest shells.

    `part` (C,) says whose each side is, by the point where it begins.
    """
    inner = np.zeros(len(asked), dtype=bool)
    rows = np.flatnonzero(asked)
    if len(rows) == 0:
        return inner
    order = np.argsort(part, kind="stable")
    begin = np.searchsorted(part[order], np.arange(len(asked)))
    low, high = (each.reduceat(points[tail[order]], begin) for each in (np.minimum, np.maximum))
    largest = np.flatnonzero(shells)
    largest = largest[np.argsort(-(high - low)[largest].prod(axis=1), kind="stable")][:MOST_SHELLS]
    for shell in largest:
        inner[rows] |= ((low[rows] > low[shell]) & (high[rows] < high[shell])).all(axis=1)
    return inner
