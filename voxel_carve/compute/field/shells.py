"""Whether shells of a closed stock overlap: its winding numbers tell."""

import numpy as np
import numpy.typing as npt

from ..formulas import z_columns
from ..formulas.binding import ON_ARRAYS
from ..model.bricks import BRICK_SIZE
from ..primitives.crossings import column_crossing
from .stock import PreparedStock

MOST_DOUBTS = 256  # places that are looked at one by one

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
    for crossing in doubtful.tolist():
        between = _between(stock, crossing)
        lowest, highest = min(lowest, int(between.min())), max(highest, int(between.max()))
    return lowest, highest


def _between(stock: PreparedStock, last: int) -> npt.NDArray[np.int64]:
    """The winding numbers (H,) below the crossings between two voxels, as one moves down. The highest is the last."""
    crossings, triangles = stock.crossings, stock.triangles
    column = int(np.searchsorted(crossings.start, last, side="right")) - 1
    y, x = divmod(column, crossings.shape[2])
    height = int(crossings.height[last])
    # The brick of the lower voxel lists all triangles up to the upper one.
    brick = stock.table.ids(np.array([[max(height - 1, 0), y, x]]) // BRICK_SIZE)
    row = int(np.searchsorted(stock.bins.bricks, brick)[0])
    near = triangles.triangles[stock.bins.primitive[stock.bins.first[row] : stock.bins.first[row + 1]]]
    sign, place = column_height(triangles.points, *near.T, x + 0.5, y + 0.5)
    above = np.clip(column_crossing(triangles.points, *near.T, x + 0.5, y + 0.5)[1], 0, crossings.shape[0])
    found = np.flatnonzero((sign != 0) & (above == height))
    found = found[np.argsort(-place[found])]
    is_below = np.append(np.diff(place[found]) != 0, True)  # all of several at the same height
    total = crossings.total[last + 1] - np.cumsum(sign[found])
    return total[is_below]
