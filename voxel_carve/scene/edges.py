"""Meshes of edges to polylines, in numpy alone."""

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


def polylines(edges: npt.ArrayLike, count: int) -> list[tuple[Indices, bool]]:
    """Chains of edges, cut where other than two edges meet.

    Args:
        edges: (E, 2) indices of vertices, each edge once.
        count: number of vertices.

    Returns:
        For each chain the indices (N,) of its vertices in order, and whether the last is joined to the first. Each edge
        is in one chain; a vertex without edges is a chain of its own.
    """
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    degree = np.bincount(edges.ravel(), minlength=count)
    chains: list[tuple[Indices, bool]] = [(np.array([lone]), False) for lone in np.flatnonzero(degree == 0)]
    # Each edge is two arrows, i and i + E; `onward` is the arrow that goes on where an arrow arrives, -1 at a junction.
    tail, head = edges.T.ravel(), edges[:, ::-1].T.ravel()
    onward = _onward(tail, head, degree).tolist()
    heads, total = head.tolist(), len(edges)
    used = bytearray(total)
    at_ends = degree[tail] != 2
    for first in np.concatenate([np.flatnonzero(at_ends), np.flatnonzero(~at_ends)]).tolist():
        if used[first % total]:
            continue
        chain, arrow = [int(tail[first])], first
        while arrow >= 0 and not used[arrow % total]:
            used[arrow % total] = 1
            chain.append(heads[arrow])
            arrow = onward[arrow]
        cyclic = arrow >= 0
        chains.append((np.array(chain[:-1] if cyclic else chain), cyclic))
    return chains


def _onward(tail: Indices, head: Indices, degree: Indices) -> Indices:
    """(2 E,) the arrow that follows each arrow where exactly two edges meet, else -1."""
    leaving = np.argsort(tail, kind="stable")
    first = np.cumsum(degree) - degree
    reverse = np.roll(np.arange(len(tail)), len(tail) // 2)
    through = degree[head] == 2
    one = leaving[np.where(through, first[head], 0)] if len(tail) else leaving
    other = leaving[np.where(through, first[head] + 1, 0)] if len(tail) else leaving
    return np.where(through, np.where(one == reverse, other, one), -1)
