"""The open boundary as small closed loops.

The edges of a boundary form closed loops. A long loop is cut into pieces. A chord closes each piece, and the chords
together, turned round, are a shorter loop, which is cut in the same way. Each chord occurs in two loops, once in each
direction: where both count, neither needs to.

A closed loop is a good unit. From afar, its sum is that of a dipole, and the sum's gradient is that of its edges alone.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .boundary import Array, Boundary

Indices = npt.NDArray[np.int64]

MOST_EDGES = 12  # of a loop


@dataclass(frozen=True)
class Loops:
    """L small closed loops.

    Attributes:
        boundary: their edges, loop by loop.
        first: (L + 1,) the first edge of each loop, and the number of edges.
        other: (E,) of a chord, the other loop that it is in; of all other edges, -1.
        low, high: (L, 3) box of each loop.
    """

    boundary: Boundary
    first: Indices
    other: Indices
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.low)

    def edges_of(self, owner: Indices, loop: Indices) -> tuple[Indices, Indices]:
        """The edges of loops (P,), without the chords between two loops of one owner.

        Args:
            owner, loop: (P,) in ascending order.

        Returns:
            (Q,) owner of each edge, and (Q,) edges.
        """
        count = np.diff(self.first)[loop]
        edge = np.arange(count.sum()) + np.repeat(self.first[loop] - (np.cumsum(count) - count), count)
        owner_of = np.repeat(owner, count)
        chord = np.flatnonzero(self.other[edge] >= 0)
        own, other = owner * len(self) + loop, owner_of[chord] * len(self) + self.other[edge[chord]]
        place = np.minimum(np.searchsorted(own, other), len(own) - 1)
        counts = np.ones(len(edge), dtype=bool)
        counts[chord] = own[place] != other
        return owner_of[counts], edge[counts]


def small_loops(boundary: Boundary) -> Loops:
    """The loops of a boundary with at least one edge, of at most MOST_EDGES edges each."""
    forward = boundary.sign[:, None] > 0
    tail, head = np.where(forward, boundary.low, boundary.high), np.where(forward, boundary.high, boundary.low)
    points, number = np.unique(np.concatenate([tail, head]), axis=0, return_inverse=True)
    tail, head = np.split(number.ravel(), 2)
    small: list[list[int]] = []
    inner: list[list[int]] = []
    for loop in _whole_loops(tail, head):
        _cut(loop, [-1] * len(loop), small, inner)
    begin = np.array([point for loop in small for point in loop])
    end = np.array([point for loop in small for point in (*loop[1:], loop[0])])
    first = np.cumsum([0, *map(len, small)])
    other = np.array([loop for part in inner for loop in part])
    chord = np.flatnonzero(other >= 0)  # so far, of the loop of chords alone
    other[first[other[chord] + 1] - 1] = np.repeat(np.arange(len(small)), np.diff(first))[chord]
    corners = points[begin]
    return Loops(
        Boundary(points[np.minimum(begin, end)], points[np.maximum(begin, end)], np.where(begin < end, 1.0, -1.0)),
        first,
        other,
        np.minimum.reduceat(corners, first[:-1]),
        np.maximum.reduceat(corners, first[:-1]),
    )


def _whole_loops(tail: Indices, head: Indices) -> list[list[int]]:
    """The points of each closed loop in order. At every point, as many edges begin as end."""
    following = np.empty(len(tail), dtype=np.int64)
    following[np.argsort(head, kind="stable")] = np.argsort(tail, kind="stable")
    is_known, loops = np.zeros(len(tail), dtype=bool), []
    for start in range(len(tail)):
        loop: list[int] = []
        edge = start
        while not is_known[edge]:
            is_known[edge] = True
            loop.append(int(tail[edge]))
            edge = int(following[edge])
        if loop:
            loops.append(loop)
    return loops


def _cut(loop: list[int], closed: list[int], small: list[list[int]], inner: list[list[int]]) -> None:
    """Append a loop of points to `small`: in pieces, if it is long.

    Args:
        closed: the piece that each edge closes, -1 for an edge of the boundary.
        inner: gets this for each edge. The last edge of a piece is its chord.
    """
    while len(loop) > MOST_EDGES:
        count = -(-len(loop) // (MOST_EDGES - 1))
        cuts = [len(loop) * piece // count for piece in range(count + 1)]
        around = [*loop, loop[0]]
        pieces = list(pairwise(cuts))
        number = len(small)
        small.extend(around[start : stop + 1] for start, stop in pieces)
        inner.extend([*closed[start:stop], -1] for start, stop in pieces)
        loop, closed = [loop[start] for start in cuts[:-1]], list(range(number, number + count))
    small.append(loop)
    inner.append(closed)
