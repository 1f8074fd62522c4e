"""The half-edges of faces: which of them lie along one edge, and which are not paired; and what hangs together."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt
import scipy

from ..model.mesh import are_closed

Indices = npt.NDArray[np.integer]
T = TypeVar("T", bound=np.integer)


def face_sides(faces: npt.NDArray[T]) -> tuple[npt.NDArray[T], npt.NDArray[T]]:
    """Tail and head (K M,) of the half-edges of faces (M, K)."""
    return faces.ravel(), np.roll(faces, -1, axis=1).ravel()


def side_keys(tail: Indices, head: Indices) -> npt.NDArray[np.int64]:
    """(C,) a number for each half-edge: its tail, its head."""
    return tail.astype(np.int64) << 32 | head


def paired_sides(tail: Indices, head: Indices) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of half-edges (P,), (P,) that are the only two along their edge, in ascending order of its vertices.

    Args:
        tail, head: (C,) vertices where each half-edge begins and ends, less than 2^31.
    """
    key = _keys(tail, head) >> 1
    order = np.argsort(key, kind="stable")  # which merges what ascends already
    key = key[order]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1], [True]]))
    pairs = first[:-1][np.diff(first) == 2]
    return order[pairs], order[pairs + 1]


def unpaired_edges(tail: Indices, head: Indices) -> npt.NDArray[np.int64]:
    """The edges without exactly one half-edge in each direction: none in a closed, oriented 2-manifold.

    Args:
        tail, head: (C,) vertices where each half-edge of each face begins and ends, less than 2^31.

    Returns:
        (E, 2) their vertices, the lower first, in ascending order.
    """
    key = np.sort(_keys(tail, head), kind="stable")
    # Sorted, a pair is an even number followed by its successor.
    if len(key) % 2 == 0:
        forward, backward = key[::2], key[1::2]
        paired = (backward - forward == 1).all() and not (forward & 1).any()
        if paired and (forward[1:] != forward[:-1]).all():
            return np.empty((0, 2), dtype=np.int64)
    edge, first, count = np.unique(key >> 1, return_index=True, return_counts=True)
    turned = np.add.reduceat(key & 1, first)
    return _ends(edge[(count != 2) | (turned != 1)] << 1)


def border(triangles: Indices) -> tuple[Indices, Indices]:
    """Tail and head (E,) of the half-edges of triangles (M, 3) that remain after opposite ones cancel.

    Each remains as often as it is not cancelled, in ascending order of its lower vertex, then of the higher one.
    """
    if are_closed(triangles):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    low, high, excess = directed_excess(triangles)
    edge = np.repeat(np.arange(len(excess)), np.abs(excess))
    forth = excess[edge] > 0
    return np.where(forth, low[edge], high[edge]), np.where(forth, high[edge], low[edge])


def directed_excess(triangles: Indices) -> tuple[Indices, Indices, Indices]:
    """Low index, high index and excess of each edge: triangles (M, 3) that use it from low to high, less those back."""
    # These do not ascend: a stable sort, which merges runs, takes four times as long.
    key = np.sort(_keys(*face_sides(triangles)))
    start = np.flatnonzero(np.diff(key >> 1, prepend=-1))
    low, high = _ends(key[start]).T
    return low, high, np.add.reduceat(1 - 2 * (key & 1), start)


def connected(one: Indices, other: Indices, count: int) -> npt.NDArray[np.int32]:
    """(count,) the connected part of each of `count` things, of which one (L,) and other (L,) are linked."""
    links = scipy.sparse.coo_array((np.ones(len(one), dtype=bool), (one, other)), shape=(count, count))
    part: npt.NDArray[np.int32] = scipy.sparse.csgraph.connected_components(links, directed=False)[1]
    return part


def _keys(tail: Indices, head: Indices) -> npt.NDArray[np.int64]:
    """A key for each half-edge (C,): its lower vertex, its higher vertex, and whether it runs from higher to lower."""
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    return low.astype(np.int64) << 32 | high.astype(np.int64) << 1 | (tail > head)


def _ends(key: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(E, 2) the lower and the higher vertex of keys (E,)."""
    return np.stack([key >> 32, (key & (2**32 - 1)) >> 1], axis=1)
