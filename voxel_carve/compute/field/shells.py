"""Whether shells of a closed stock overlap: its winding numbers tell."""

import numpy as np
import numpy.typing as npt

from ..formulas import z_columns
from ..formulas.binding import ON_ARRAYS
from ..model.bricks import BRICK_SIZE
from ..primitives.crossings import column_crossing
from .stock import PreparedStock

MOST_DOUBTS = 1 << 12  # places where the order is found

column_height = ON_ARRAYS(z_columns.column_height)


def winding_range(stock: PreparedStock) -> tuple[int, int]:
    """The least and the greatest winding number on the z columns of a closed stock.

    Crossings are sorted by the voxels between which they lie. Of several between the same two, as in gaps and walls
    thinner than a voxel, only the order of their heights tells what is between them. It is found where it matters.
    """
    crossings, total = stock.crossings, stock.crossings.total
    is_last = np.ones(len(total) - 1, dtype=np.bool_)  # between two voxels
    is_last[:-1] = crossings.height[1:] != crossings.height[:-1]
    ends = crossings.start[1:]
    is_last[ends[ends > 0] - 1] = True
    lowest, highest = (int(reduced(initial=0, where=is_last)) for reduced in (total[1:].min, total[1:].max))

    last = np.flatnonzero(is_last)
    group = np.searchsorted(last, np.flatnonzero(~is_last))  # of each crossing but the last ones
    group, others = np.unique(group, return_counts=True)
    end = last[group]
    up = (total[end + 1] - total[end - others] + others + 1) // 2
    may_be_lower, may_be_higher = total[end + 1] - up < lowest, total[end - others] + up > highest
    doubtful = end[may_be_lower | may_be_higher]
    if len(doubtful) > MOST_DOUBTS:
        return int(total.min()), int(total.max())  # as if all that face down came first
    between = _between(stock, doubtful)
    return int(between.min(initial=lowest)), int(between.max(initial=highest))


def _between(stock: PreparedStock, last: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The winding numbers (H,) below crossings: all that lie between the same two voxels as each of `last` (D,)."""
    crossings, points = stock.crossings, stock.triangles.points
    y, x = np.divmod(np.searchsorted(crossings.start, last, side="right") - 1, crossings.shape[2])
    height = crossings.height[last].astype(np.int64)
    # The brick of the lower voxel lists all triangles up to the upper one.
    bricks = stock.table.ids(np.column_stack([np.maximum(height - 1, 0), y, x]) // BRICK_SIZE)
    near = stock.bins.at(np.searchsorted(stock.bins.bricks, bricks))
    of, column = near.owner(), np.column_stack([x, y]) + 0.5
    corners = stock.triangles.triangles.take(near.primitive, axis=0).T
    a, b, c = (points.take(corner, axis=0)[:, :2] - column.take(of, axis=0) for corner in corners)
    around = (np.minimum(np.minimum(a, b), c) <= 0) & (np.maximum(np.maximum(a, b), c) >= 0)
    kept = np.flatnonzero(around[:, 0] & around[:, 1])
    of, corners = of[kept], corners[:, kept]
    sign, place = column_height(points, *corners, *column[of].T)
    above = np.clip(column_crossing(points, *corners, *column[of].T)[1], 0, crossings.shape[0])
    kept = np.flatnonzero((sign != 0) & (above == height[of]))
    kept = kept[np.lexsort((-place[kept], of[kept]))]
    of, sign, place = of[kept], sign[kept], place[kept]
    below = np.cumsum(sign)  # of all columns
    before = np.append(0, below)[np.searchsorted(of, np.arange(len(last)))]
    is_lowest = np.append((place[1:] != place[:-1]) | (of[1:] != of[:-1]), True)  # of several at the same height
    total: npt.NDArray[np.int64] = crossings.total[last + 1][of] - (below - before[of])
    return total[is_lowest[: len(of)]]
