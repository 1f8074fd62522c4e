"""Boxes that touch, compiled by numba: as `overlaps.touching_boxes`, from lists of those that begin in each voxel."""

from collections.abc import Iterator
from itertools import pairwise

import numba
import numpy as np
import numpy.typing as npt

from .numba_kernels import parallel

PAIRS_PER_BLOCK = 1 << 18


@parallel
def count_or_fill(low, high, cell, first, last, side, is_chosen, chosen, start, one, two):  # type: ignore[no-untyped-def]
    """(K,) how many pairs each box of `chosen` (K,) has; where `one` has room, they are written to one and two, from
    start (K,) on.

    The boxes stand in the order of the voxels where they begin, cell (M,) by number, of a grid with these sides; what
    touches a box begins in a voxel from first to last (K, 3).
    """
    count = np.zeros(len(chosen), dtype=np.int64)
    for k in numba.prange(len(chosen)):
        a = chosen[k]
        for z in range(first[k, 2], last[k, 2] + 1):
            for y in range(first[k, 1], last[k, 1] + 1):
                row = (z * side[1] + y) * side[0]
                begin = np.searchsorted(cell, row + first[k, 0])
                end = np.searchsorted(cell, row + last[k, 0], side="right")
                for b in range(begin, end):
                    if a == b or (is_chosen[b] and b < a):
                        continue
                    touch = True
                    for axis in range(3):
                        touch = touch and low[a, axis] <= high[b, axis] and low[b, axis] <= high[a, axis]
                    if touch:
                        if len(one):
                            one[start[k] + count[k]], two[start[k] + count[k]] = a, b
                        count[k] += 1
    return count


def touching_boxes(
    low: npt.NDArray[np.float64], high: npt.NDArray[np.float64], chosen: npt.NDArray[np.int64]
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """As `overlaps.FindPairs`."""
    none = np.empty(0, dtype=np.int64)
    if not len(chosen):
        return
    origin, widest = low.min(axis=0), (high - low).max(axis=0)
    voxel = (low - origin).astype(np.int64)
    side = voxel.max(axis=0) + 1
    cell = (voxel[:, 2] * side[1] + voxel[:, 1]) * side[0] + voxel[:, 0]
    order = np.argsort(cell, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    low, high, cell, chosen = low[order], high[order], cell[order], np.sort(place[chosen])
    first = np.maximum(np.floor(low[chosen] - widest - origin).astype(np.int64), 0)
    last = np.minimum((high[chosen] - origin).astype(np.int64), side - 1)
    is_chosen = np.zeros(len(low), dtype=np.bool_)
    is_chosen[chosen] = True
    count = count_or_fill(low, high, cell, first, last, side, is_chosen, chosen, none, none, none)
    stop = np.cumsum(count)
    ends = np.searchsorted(stop, np.arange(PAIRS_PER_BLOCK, stop[-1], PAIRS_PER_BLOCK), side="right")
    for begin, end in pairwise(np.unique([0, *ends, len(chosen)]).tolist()):
        rows, start = slice(begin, end), (stop - count)[begin:end]
        total = int(count[rows].sum())
        if total:
            one, two = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
            start = start - start[0]
            count_or_fill(low, high, cell, first[rows], last[rows], side, is_chosen, chosen[rows], start, one, two)
            yield order[one], order[two]
