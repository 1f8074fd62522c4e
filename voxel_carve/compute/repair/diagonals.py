"""Quads that become triangles, where a diagonal of theirs is an edge elsewhere.

Blender's exporters, and programs that read quads, split them along either diagonal. If another face has an edge between
the same two vertices, as at the end of a wall that is thinner than a voxel, that edge would then have four faces.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..model.mesh import Surface

Keys = npt.NDArray[np.int64]

ALONG_FIRST = [[0, 1, 2, 2], [0, 2, 3, 3]]
ALONG_SECOND = [[0, 1, 3, 3], [1, 2, 3, 3]]


def with_own_diagonals(surface: Surface) -> Surface:
    """The same surface, if no diagonal of a quad is an edge or a diagonal elsewhere; else with such quads split along
    the other one. A quad with two such diagonals stays."""
    faces = surface.faces
    if faces.shape[1] != 4 or len(faces) == 0:
        return surface
    quads = np.flatnonzero(faces[:, 2] != faces[:, 3])
    corners = faces[quads]
    diagonals = _keys(corners[:, :2], corners[:, 2:])
    tail, head = faces, np.roll(faces, -1, axis=1)
    every = np.sort(np.concatenate([diagonals.ravel(), _keys(tail, head)[tail < head]]))
    shared = np.unique(every[1:][every[1:] == every[:-1]])
    if len(shared) == 0:
        return surface
    place = np.minimum(np.searchsorted(shared, diagonals), len(shared) - 1)
    is_shared = shared[place] == diagonals
    split = is_shared[:, 0] != is_shared[:, 1]
    count = np.ones(len(faces), dtype=np.int64)
    count[quads[split]] = 2
    rows = np.repeat(np.arange(len(faces)), count)
    made = faces[rows]
    way = np.where(is_shared[split, 0][:, None, None], np.array(ALONG_SECOND), np.array(ALONG_FIRST))
    pieces = np.take_along_axis(corners[split][:, None], way, axis=2)
    first = (np.cumsum(count) - count)[quads[split]]
    made[first], made[first + 1] = pieces[:, 0], pieces[:, 1]
    return replace(surface, faces=made, source=surface.source[rows], primitive=surface.primitive[rows])


def _keys(one: npt.NDArray[np.int32], other: npt.NDArray[np.int32]) -> Keys:
    """A number for each pair of vertices, in any order."""
    low, high = np.minimum(one, other).astype(np.int64), np.maximum(one, other)
    keys: Keys = low << 32 | high
    return keys
