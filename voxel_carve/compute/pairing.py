"""Edges by the faces on both of their sides."""

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.integer]


def unpaired_edges(tail: Indices, head: Indices) -> npt.NDArray[np.int64]:
    """The edges that are not run once in each direction: none in a closed, oriented 2-manifold.

    Args:
        tail, head: (C,) vertices where each side of each face begins and ends, less than 2^31.

    Returns:
        (E, 2) their vertices, the lower first, in ascending order.
    """
    low, high = np.minimum(tail, head).astype(np.uint64), np.maximum(tail, head).astype(np.uint64)
    key = np.sort((low << np.uint64(32) | high) << np.uint64(1) | (tail > head))
    edge = key >> np.uint64(1)
    # In order, a pair is an even number, and the next.
    if len(key) % 2 == 0:
        forward, backward = key[::2], key[1::2]
        paired = (backward == forward + np.uint64(1)).all() and not (forward & np.uint64(1)).any()
        if paired and (edge[1:-1:2] != edge[2::2]).all():
            return np.empty((0, 2), dtype=np.int64)
    edge, first, count = np.unique(edge, return_index=True, return_counts=True)
    turned = np.add.reduceat(key & np.uint64(1), first)
    wrong = edge[(count != 2) | (turned != 1)]
    return np.stack([wrong >> np.uint64(32), wrong & np.uint64(2**32 - 1)], axis=1).astype(np.int64)


def triangle_sides(triangles: Indices) -> tuple[Indices, Indices]:
    """Tail and head (3 M,) of the sides of triangles (M, 3)."""
    return triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()


def paired_triangles(
    points: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points and triangles as they are where all edges are paired, else with equal points made one.

    There are files that know no shared corners.
    """
    if len(unpaired_edges(*triangle_sides(triangles))) == 0:
        return points, triangles
    points, index = np.unique(points, axis=0, return_inverse=True)
    return points, index.reshape(-1)[triangles].astype(np.int32)
