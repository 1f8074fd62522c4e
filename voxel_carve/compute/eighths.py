"""Eighths of bricks, 4 x 4 x 4 voxels: short lists of primitives for each, and the least of many values by list.

Arrays hold voxels first and eighths last, (4, 4, 4, N) in (Z, Y, X) order, so that numpy's loops are long. Eighth k of
a brick lies at (k & 1, k >> 1 & 1, k >> 2 & 1) as (x, y, z); tables of them are (8, B), one row for each k.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, VOXEL_STEPS

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
Numbers = TypeVar("Numbers", npt.NDArray[np.float32], npt.NDArray[np.int32])

# Of pairs (n,) in the eighths (n,) of their bricks, with WORK_ARRAYS arrays (4, 4, 4, n) to work in: values
# (4, 4, 4, n), which may be one of those.
Evaluate = Callable[[Indices, Indices, list[Floats]], Floats]
WORK_ARRAYS = 4

EIGHTH_SIZE = BRICK_SIZE // 2
EIGHTHS_PER_GROUP = 512  # evaluated at once: their temporaries stay in the cache

HALF = np.float32((EIGHTH_SIZE - 1) / 2)  # extent of the voxel centres of an eighth from its centre, along one axis
HALF_DIAGONAL = np.float32(np.sqrt(3) * (EIGHTH_SIZE - 1) / 2)

# (3, 8): which half of the brick each eighth lies in, along x, y, z; where its centre lies, from the brick's.
SIDES = np.array([[k >> axis & 1 for k in range(8)] for axis in range(3)])
CENTRES = (np.float32(EIGHTH_SIZE) * (SIDES - 0.5)).astype(np.float32)

# (4, 2): the voxel steps of the lower and of the upper half of a brick.
STEPS = np.ascontiguousarray(VOXEL_STEPS.reshape(2, EIGHTH_SIZE).T)


@dataclass(frozen=True)
class EighthLists:
    """For each eighth of some bricks, the pairs (brick, primitive) that matter in it.

    Attributes:
        start: (8 B,) int64, where the list of each begins in `pair`.
        length: (8 B,) int64.
        pair: (N,) int64.
    """

    start: Indices
    length: Indices
    pair: Indices

    @classmethod
    def of(cls, kept: npt.NDArray[np.bool_], first: Indices) -> "EighthLists":
        """Of the pairs where `kept` (8, P) is true; brick b has the pairs first[b] to first[b + 1]."""
        pairs = kept.shape[1]
        before = np.zeros(kept.size + 1, dtype=np.int64)
        np.cumsum(kept.ravel(), out=before[1:])
        eighth = np.arange(8) * pairs
        bounds = before[eighth[:, None] + first]
        pair = np.flatnonzero(kept) - np.repeat(eighth, bounds[:, -1] - bounds[:, 0])
        return cls(bounds[:, :-1].ravel(), np.diff(bounds, axis=1).ravel(), pair)


def least_of_lists(lists: EighthLists, evaluate: Evaluate, out: Floats, nearest: npt.NDArray[np.int32]) -> None:
    """Lower out (4, 4, 4, 8 B) to the least value of each list, and set nearest (4, 4, 4, 8 B) to the pair it is of.

    All first pairs of the lists are evaluated at once, then all second ones, and so on: with the longest lists first,
    they are those of fewer and fewer of the first eighths.
    """
    space = np.empty((WORK_ARRAYS, EIGHTH_SIZE**3 * EIGHTHS_PER_GROUP), dtype=np.float32)
    bricks = len(lists.length) // 8
    order = np.argsort(-lists.length, kind="stable")[: np.count_nonzero(lists.length)]
    for begin in range(0, len(order), EIGHTHS_PER_GROUP):
        group = order[begin : begin + EIGHTHS_PER_GROUP]
        start, length, eighth = lists.start[group], lists.length[group], group // bricks
        least, pairs = out[..., group], nearest[..., group]
        for rank in range(int(length[0])):
            n = int(np.searchsorted(-length, -rank))
            work = [array[: EIGHTH_SIZE**3 * n].reshape(*[EIGHTH_SIZE] * 3, n) for array in space]
            pair = lists.pair[start[:n] + rank]
            values = evaluate(pair, eighth[:n], work)
            closer = values < least[..., :n]
            np.copyto(least[..., :n], values, where=closer)
            np.copyto(pairs[..., :n], pair, where=closer, casting="same_kind")
        out[..., group], nearest[..., group] = least, pairs


def joined(eighths: Numbers) -> Numbers:
    """(B, 512) from eighths (4, 4, 4, 8 B)."""
    parts = eighths.reshape(*[EIGHTH_SIZE] * 3, 2, 2, 2, -1)
    whole: Numbers = parts.transpose(6, 3, 0, 4, 1, 5, 2).reshape(-1, BRICK_VOXELS)
    return whole
