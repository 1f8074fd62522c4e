"""Edges of a kept stock that are too short to be stored are made points.

A boolean leaves edges shorter than single precision can tell. Two vertices in one place would open the mesh: what reads
it next takes them for one, and the faces between them for nothing. A transform, or a file of text, rounds once more, so
edges of a few steps of the precision go as well, except those of the stock.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..model.mesh import Surface
from ..primitives.half_edges import connected, face_sides, unpaired_edges

Indices = npt.NDArray[np.int64]


def merged_where_rounded(
    surface: Surface,
    cut_face: npt.NDArray[np.int32],
    rounded: npt.NDArray[np.float32],
    stock: npt.NDArray[np.float64],
    least: float,
) -> tuple[Surface, npt.NDArray[np.int32]]:
    """A surface without the shortest edges, as far as no other edge then has more than two faces.

    Args:
        surface: triangles; cut_face: (M,) of each, as in `CarveResult`.
        rounded: (N, 3) the points of the surface as they will be stored.
        stock: (K, 3) the points of the stock. Of those that become one, a vertex of the stock stays; of two vertices of
            the stock, both do, if rounding leaves them apart.
        least: edges go if no coordinate differs by more than this. If it is 0, those go that rounding makes points.
    """
    tail, head = face_sides(surface.faces)
    length = np.abs(rounded[tail] - rounded[head]).max(axis=1)
    short = length <= least
    if not short.any():
        return surface, cut_face
    tail, head, is_none = tail[short], head[short], length[short] == 0
    of_stock = _are_in(surface.points, stock)
    old = unpaired_edges(*face_sides(surface.faces))
    while True:
        part = connected(tail, head, len(rounded))
        # An edge that is no point in single precision may not make two vertices of the stock one.
        crowded = (np.bincount(part, of_stock)[part[tail]] > 1) & ~is_none
        if crowded.any():
            tail, head, is_none = tail[~crowded], head[~crowded], is_none[~crowded]
            continue
        merged = _first_of_each(part, ~of_stock)
        faces = merged[surface.faces]
        kept = _without_opposite(faces)
        wrong = unpaired_edges(*face_sides(faces[kept]))
        known = np.sort(merged[old], axis=1)
        new = wrong[~np.isin(wrong[:, 0] << 32 | wrong[:, 1], known[:, 0] << 32 | known[:, 1])]
        apart = np.isin(merged[tail], new)
        if not apart.any():
            break
        tail, head, is_none = tail[~apart], head[~apart], is_none[~apart]
    made = replace(
        surface,
        faces=faces[kept].astype(surface.faces.dtype),
        source=surface.source[kept],
        primitive=surface.primitive[kept],
    )
    return made, cut_face[kept]


def _are_in(points: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """(N,) whether points (N, 3) are among others (K, 3), to the bit."""
    row = np.dtype((np.void, 24))
    one, other = (np.ascontiguousarray(each + 0.0).view(row).ravel() for each in (points, others))
    return np.isin(one, other)


def _first_of_each(part: npt.NDArray[np.integer], is_second: npt.NDArray[np.bool_]) -> Indices:
    """(N,) for each element the first of its part (N,), where elements that are second come last."""
    order = np.lexsort((is_second, part))
    _, first, place = np.unique(part[order], return_index=True, return_inverse=True)
    found = np.empty(len(part), dtype=np.int64)
    found[order] = order[first][place.reshape(-1)]
    return found


def _without_opposite(faces: Indices) -> Indices:
    """The triangles (K,) of (M, 3) that have three corners, and that no other one cancels."""
    sides = [faces[:, i] != faces[:, i - 1] for i in range(3)]
    kept = np.flatnonzero(sides[0] & sides[1] & sides[2])
    _, place, count = np.unique(np.sort(faces[kept], axis=1), axis=0, return_inverse=True, return_counts=True)
    return kept[count[place.reshape(-1)] == 1]
