"""Pairs of one face that join the same two vertices: their quads would share the side between these.

They are few: this runs on the host, whatever the engine.
"""

import numpy as np
import numpy.typing as npt

from .tables import FACE_EDGES, RING_PLACE


def split_doubled(
    doubled: npt.NDArray[np.integer],
    crowded: npt.NDArray[np.int32],
    border_point: npt.NDArray[np.float64],
    is_first: npt.NDArray[np.generic],
    first_quad: int,
    points: npt.NDArray[np.float64],
    quads: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Give each doubled pair a vertex of its own, on its face, between the two that it joins.

    Args:
        doubled: (K,) such a pair of each crowded face, -1 for none: see `quads.doubled_pair`.
        crowded: (K, 18) these faces: see `quads.pair_sides`.
        border_point, is_first: (N, 3), (N,) of each border point.    first_quad: see `quads`.
        points: (V, 3) the vertices, in voxels.    quads: (Q, 4) their corners become the new ones.

    Returns:
        The new vertices (M, 3), whose indices follow all others; (2 M, 4) what the quads on both sides lose, the last
        corner twice; (2 M,) the quad of each.
    """
    first = len(points)
    added: list[npt.NDArray[np.float64]] = []
    triangles, of_quad = [], []
    changed: set[tuple[int, int]] = set()
    for f in np.flatnonzero(doubled >= 0).tolist():
        row, pair, own = crowded[f].tolist(), int(doubled[f]), first + len(added)
        axis, border = row[0], row[5 + 4 * pair]
        q = first_quad + 2 * border
        if border >= 0 and len(set(quads[q].tolist())) > 1:
            point = border_point[border]
            # Where the quads between two border points are gone, the last one lies on the other side.
            is_lens = is_first[border] and len(set(quads[q + 1].tolist())) == 1
            sides = [(q, 1, 2), (q + 3 if is_lens else q + 1, 0, 3)]
        else:
            leaving, entering, edges = row[2 + 4 * pair : 5 + 4 * pair]
            sides = [
                (q, *(int(RING_PLACE[FACE_EDGES[2 * axis + far, edge]]) for far in (1, 0)))
                for q, edge in ((leaving, edges >> 2), (entering, edges & 3))
            ]
            point = np.mean([points[quads[q]].mean(axis=0) for q, _, _ in sides if quads[q].max() < first], axis=0)
        ends = {(q, end) for q, here, there in sides for end in (here, there)}
        if ends & changed:
            continue
        changed |= ends
        added.append(point)
        for q, here, there in sides:
            step = 1 if (here + 1) % 4 == there else -1
            old, beyond = int(quads[q, there]), int(quads[q, (there + step) % 4])
            triangles.append((own, old, beyond, beyond) if step == 1 else (beyond, old, own, own))
            of_quad.append(q)
            quads[q, there] = own
    return (
        np.array(added, dtype=np.float64).reshape(-1, 3),
        np.array(triangles, dtype=np.int32).reshape(-1, 4),
        np.array(of_quad, dtype=np.int64),
    )
