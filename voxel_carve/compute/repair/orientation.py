"""Face orientation: each part of a mesh is made consistent, if it is orientable.

A part is a set of faces that are connected by edges which exactly two faces share. If two faces have such an edge in
the same direction, one of them is flipped. A part can be made consistent unless it is one-sided, like a Möbius strip.
In a graph, every face has two nodes: as it is, and flipped. If two neighbours agree, their equal nodes are connected.
If they disagree, each node is connected to the opposite one of the neighbour. The part is orientable if the two nodes
of a face are never connected. Each of the two components is then one consistent orientation.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..primitives.half_edges import connected, face_sides, paired_sides, unpaired_edges

Points = npt.NDArray[np.float64]
Indices = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]
Whole = TypeVar("Whole", npt.NDArray[np.int32], npt.NDArray[np.int64])

# The search for parts inside closed parts tests this many boxes, the largest first.
MOST_SHELLS = 256


def turned_triangles(points: Points, triangles: Indices) -> Mask:
    """(M,) as `turned_faces`, of welded triangles (M, 3)."""
    return turned_faces(points, *face_sides(triangles), _face_of_sides(triangles))


def inward_triangles(points: Points, triangles: Indices) -> Mask:
    """(M,) as `inward_faces`, of welded triangles (M, 3)."""
    return inward_faces(points, *face_sides(triangles), _face_of_sides(triangles))


def _face_of_sides(triangles: Indices) -> Indices:
    return np.repeat(np.arange(len(triangles)), 3)


def flipped(triangles: Whole, which: Mask) -> Whole:
    """Triangles (M, 3), flipped where the mask is true."""
    turned: Whole = np.where(which[:, None], triangles[:, ::-1], triangles)
    return turned


def turned_faces(points: Points, tail: Indices, head: Indices, face: Indices) -> Mask:
    """Which faces must be flipped so that every part is consistent.

    Only inconsistent parts are changed: the shell of a cavity faces inward, and should. A closed part is made to face
    outward, by its volume. An open part follows the majority of its area. So does a closed part in the box of a larger
    closed part: it may be a cavity, and only its faces can decide. One-sided parts stay as they are. Parts that meet at
    edges of three or more faces are not aligned with each other.

    Args:
        points: (N, 3), without duplicates.
        tail, head: (C,) points where each half-edge of each face begins and ends.
        face: (C,) the face of each half-edge, in ascending order, from 0 to F - 1.

    Returns:
        (F,) bool.
    """
    count = int(face[-1]) + 1
    one, other = paired_sides(tail, head)
    against = tail[one] == tail[other]
    if not against.any():
        return np.zeros(count, dtype=bool)
    a, b = face[one], face[other]
    ends = np.concatenate([a, a + count]), np.concatenate([b + count * against, b + count * ~against])
    label = connected(*ends, 2 * count)
    as_is, turned = label[:count], label[count:]
    _, part = np.unique(np.minimum(as_is, turned), return_inverse=True)
    second = as_is > turned
    mixed, closed = np.zeros(part.max() + 1, dtype=bool), np.ones(part.max() + 1, dtype=bool)
    mixed[part[a[against]]] = True
    mixed[part[as_is == turned]] = False
    closed[part[np.delete(face, np.concatenate([one, other]))]] = False
    chosen = _second_ways(points, tail, head, face, part, second, mixed, closed)
    return np.asarray(mixed[part] & (second != chosen[part]))


def _second_ways(
    points: Points, tail: Indices, head: Indices, face: Indices, part: Indices, second: Mask, mixed: Mask, closed: Mask
) -> Mask:
    """(K,) which parts should take the second of their two orientations.

    `second` (F,) marks the faces that have it now. `part` (F,) is the part of each face. `mixed` and `closed` (K,)
    describe the parts.
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
    """Which faces must be flipped so that a closed mesh with consistent parts faces outward.

    If the mesh faces inward as a whole, by its volume, these are all faces. Disconnected bodies are judged one by one,
    except those in the box of another body, which may be its cavities.

    The arguments and the result are those of `turned_faces`.
    """
    part = connected(tail, head, len(points))
    _, body = np.unique(part[tail[_first_sides(face)]], return_inverse=True)
    volume = np.bincount(body, _areas_and_volumes(points, tail, head, face)[1])
    whole = volume.sum() < 0
    inward = (volume > 0) if whole else (volume < 0)
    inward &= ~_in_boxes(points, tail, body[face], inward, np.ones(len(volume), dtype=bool))
    return np.asarray(inward[body] != whole)


def _first_sides(face: Indices) -> Indices:
    """(F,) the first half-edge of each face."""
    return np.flatnonzero(np.diff(face, prepend=-1))


def _areas_and_volumes(points: Points, tail: Indices, head: Indices, face: Indices) -> tuple[Points, Points]:
    """(F,) twice the area of each face, and six times the volume between it and the middle of the points, negative if
    it faces the middle."""
    start = _first_sides(face)
    columns = (points - points.mean(axis=0)).T
    origin = columns.take(tail[start], axis=1)
    (ax, ay, az), (bx, by, bz) = (columns.take(ends, axis=1) - origin.take(face, axis=1) for ends in (tail, head))
    across = (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    normal = np.stack([np.add.reduceat(each, start) for each in across])
    return np.sqrt((normal * normal).sum(axis=0)), (origin * normal).sum(axis=0)


def _in_boxes(points: Points, tail: Indices, part: Indices, asked: Mask, shells: Mask) -> Mask:
    """(K,) which of the parts in question lie in the box of one of the largest shells.

    `part` (C,) is the part of each half-edge, which counts by the point where it begins.
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


def paired_triangles(
    points: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], int]:
    """Pair the edges of a mesh: merge equal points, and make its parts consistent. A mesh with paired edges is kept.

    Some file formats do not share corners between triangles.

    Returns:
        Points, triangles, and the number of triangles that were flipped.
    """
    if len(unpaired_edges(*face_sides(triangles))) == 0:
        return points, triangles, 0
    points, index = np.unique(points, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[triangles].astype(np.int32)
    turned = turned_triangles(points, triangles)
    return points, flipped(triangles, turned), int(turned.sum())
