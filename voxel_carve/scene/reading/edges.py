"""Meshes of edges to polylines, in numpy alone."""

from dataclasses import dataclass
from itertools import pairwise

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
    if not len(edges):
        return chains
    # Each edge is two arrows, i and i + E; `onward` is the arrow that goes on where an arrow arrives, -1 at a junction.
    tail, head = edges.T.ravel(), edges[:, ::-1].T.ravel()
    onward = _onward(tail, head, degree)
    runs = _Runs.of(onward)
    rows, begins, closed = _walks(runs, degree[tail[runs.first]] != 2)
    arrows, counts = runs.arrows(rows)
    limits = np.concatenate([[0], np.cumsum(counts)])[[*begins, len(rows)]]
    # An open chain has one vertex more than it has edges.
    extra = ~np.array(closed)
    ends = limits[1:][extra]
    vertices = np.insert(tail[arrows], ends, head[arrows[ends - 1]])
    limits += np.concatenate([[0], np.cumsum(extra)])
    chains += [(vertices[begin:end], cyclic) for (begin, end), cyclic in zip(pairwise(limits), closed, strict=True)]
    return chains


@dataclass(frozen=True)
class _Runs:
    """Edges that follow each other as their numbers do, R runs of them, each as two of 2 R rows: there, and back.

    Most paths are drawn in one go: what has to be walked step by step is the few runs and not the many edges.

    Attributes:
        first: (2 R,) the first arrow of each.
        onward: (2 R,) the row that goes on where a row ends, -1 at a junction.
        count: (R,) how many edges.
    """

    first: Indices
    onward: Indices
    count: Indices

    @classmethod
    def of(cls, onward: Indices) -> "_Runs":
        """The runs of E edges, at least one, by the arrow that goes on from each (2 E,)."""
        total = len(onward) // 2
        last = np.append(np.flatnonzero(onward[: total - 1] != np.arange(1, total)), total - 1)
        count = np.diff(last, prepend=-1)
        first = last - count + 1
        following = onward[np.concatenate([last, first + total])]
        rows = np.repeat(np.arange(len(last)), count)[following % total] + len(last) * (following >= total)
        return cls(np.concatenate([first, last + total]), np.where(following >= 0, rows, -1), count)

    def arrows(self, walk: list[int]) -> tuple[Indices, Indices]:
        """The arrows of rows, one row after the other, and how many each row has."""
        rows = np.array(walk)
        count = self.count[rows % len(self.count)]
        step = np.where(rows < len(self.count), 1, -1)
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return np.repeat(self.first[rows], count) + np.repeat(step, count) * offset, count


def _walks(runs: _Runs, at_ends: npt.NDArray[np.bool_]) -> tuple[list[int], list[int], list[bool]]:
    """The rows of runs, chain after chain, those with ends first; where each chain begins, and whether it is closed."""
    onward, total = runs.onward.tolist(), len(runs.count)
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
            row = onward[row]
        closed.append(row >= 0)
    return rows, begins, closed


def _onward(tail: Indices, head: Indices, degree: Indices) -> Indices:
    """(2 E,) the arrow that follows each arrow where exactly two edges meet, else -1."""
    leaving = np.argsort(tail, kind="stable")
    first = np.cumsum(degree) - degree
    reverse = np.roll(np.arange(len(tail)), len(tail) // 2)
    through = degree[head] == 2
    one = leaving[np.where(through, first[head], 0)]
    other = leaving[np.where(through, first[head] + 1, 0)]
    return np.where(through, np.where(one == reverse, other, one), -1)
