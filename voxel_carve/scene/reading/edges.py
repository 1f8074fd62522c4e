"""Edges of a mesh to polylines, in numpy alone."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


def polylines(edges: npt.ArrayLike, count: int) -> list[tuple[Indices, bool]]:
    """Join edges to chains, which end at every vertex that does not have exactly two edges.

    Args:
        edges: (E, 2) vertex indices, each edge once.
        count: number of vertices.

    Returns:
        The vertex indices (N,) of each chain in order, and whether its last vertex is joined to the first. Each edge
        is in one chain; a vertex without edges is in none.
    """
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    degree = np.bincount(edges.ravel(), minlength=count)
    if not len(edges):
        return []
    # Edge i has the half-edges i and i + E. `successor` is the half-edge that continues each one, -1 at a chain's end.
    tail, head = edges.T.ravel(), edges[:, ::-1].T.ravel()
    successor = _successors(tail, head, degree)
    runs = _Runs.of(successor)
    rows, begins, closed = _walks(runs, degree[tail[runs.first]] != 2)
    half_edges, counts = runs.half_edges(rows)
    limits = np.concatenate([[0], np.cumsum(counts)])[[*begins, len(rows)]]
    # An open chain has one vertex more than it has edges.
    extra = ~np.array(closed)
    ends = limits[1:][extra]
    vertices = np.insert(tail[half_edges], ends, head[half_edges[ends - 1]])
    limits += np.concatenate([[0], np.cumsum(extra)])
    return [(vertices[begin:end], cyclic) for (begin, end), cyclic in zip(pairwise(limits), closed, strict=True)]


@dataclass(frozen=True)
class _Runs:
    """R runs of edges that continue each other in index order. Each run is two of 2 R rows: forward and backward.

    Most paths are drawn in one go, so there are few runs to walk step by step where there are many edges.

    Attributes:
        first: (2 R,) the first half-edge of each row.
        successor: (2 R,) the row that continues each row, -1 at the end of a chain.
        count: (R,) the number of edges of each run.
    """

    first: Indices
    successor: Indices
    count: Indices

    @classmethod
    def of(cls, successor: Indices) -> "_Runs":
        """The runs of E edges, at least one, from the successors (2 E,) of their half-edges."""
        total = len(successor) // 2
        last = np.append(np.flatnonzero(successor[: total - 1] != np.arange(1, total)), total - 1)
        count = np.diff(last, prepend=-1)
        first = last - count + 1
        following = successor[np.concatenate([last, first + total])]
        rows = np.repeat(np.arange(len(last)), count)[following % total] + len(last) * (following >= total)
        return cls(np.concatenate([first, last + total]), np.where(following >= 0, rows, -1), count)

    def half_edges(self, walk: list[int]) -> tuple[Indices, Indices]:
        """The half-edges of the rows of a walk, concatenated, and the number in each row."""
        rows = np.array(walk)
        count = self.count[rows % len(self.count)]
        step = np.where(rows < len(self.count), 1, -1)
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return np.repeat(self.first[rows], count) + np.repeat(step, count) * offset, count


def _walks(runs: _Runs, at_ends: npt.NDArray[np.bool_]) -> tuple[list[int], list[int], list[bool]]:
    """The rows, chain after chain, open chains first; the index where each chain begins, and whether it is closed."""
    successor, total = runs.successor.tolist(), len(runs.count)
    used = bytearray(total)
    rows: list[int] = []
    begins, closed = [], []
    for first in np.concatenate([np.flatnonzero(at_ends), np.flatnonzero(~at_ends)]).tolist():
        if used[first % total]:
            continue
        begins.append(len(rows))
        row = first
        while row >= 0 and not used[row % total]:
            used[row % total] = 1
            rows.append(row)
            row = successor[row]
        closed.append(row >= 0)
    return rows, begins, closed


def _successors(tail: Indices, head: Indices, degree: Indices) -> Indices:
    """(2 E,) the half-edge that continues each half-edge where exactly two edges meet, else -1."""
    leaving = np.argsort(tail, kind="stable")
    first = np.cumsum(degree) - degree
    reverse = np.roll(np.arange(len(tail)), len(tail) // 2)
    through = degree[head] == 2
    one = leaving[np.where(through, first[head], 0)]
    other = leaving[np.where(through, first[head] + 1, 0)]
    return np.where(through, np.where(one == reverse, other, one), -1)
