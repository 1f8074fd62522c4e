"""The half-edges of faces, and which of them lie along one edge."""

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.integer]


def triangle_sides(triangles: Indices) -> tuple[Indices, Indices]:
    """Tail and head (3 M,) of the half-edges of triangles (M, 3)."""
    return triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()


def paired_sides(tail: Indices, head: Indices) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of half-edges (P,), (P,) that are the only two along their edge, in ascending order of its vertices.

    Args:
        tail, head: (C,) vertices where each half-edge begins and ends.
    """
    key = np.minimum(tail, head).astype(np.int64) << 32 | np.maximum(tail, head)
    order = np.argsort(key)
    key = key[order]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1], [True]]))
    pairs = first[:-1][np.diff(first) == 2]
    return order[pairs], order[pairs + 1]
