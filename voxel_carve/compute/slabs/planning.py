"""Into which slabs a job is cut: by what they cost, not by how thick they are."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..field.protocol import Backend
from ..field.stock import PreparedStock
from ..model.bricks import BRICK_SIZE, State
from ..model.grid import Grid
from ..primitives.segments import Segments
from .making import Slab

COARSE_SIDE = 512  # voxels along the longest side of the grid that tells where the sweep is
MOST_SEGMENTS = 1 << 20  # of a larger number, some are looked at, at equal distances in their list


def longest_axis(grid: Grid) -> int:
    """The axis that slabs are cut across."""
    return int(np.argmax(grid.shape))


def costs(stock: PreparedStock, segments: Segments, axis: int, backend: Backend) -> npt.NDArray[np.float64]:
    """(L,) about how many NEAR bricks each layer of the table has, across an axis: the stock's, and the sweep's by
    their number in larger voxels."""
    others = tuple(other for other in range(3) if other != axis)
    layers = (stock.states == State.NEAR).sum(axis=others).astype(np.float64)
    grid, factor = stock.grid, max(max(stock.grid.shape) / COARSE_SIDE, 1.0)
    shape = tuple(-(-int(np.ceil(side / factor)) // BRICK_SIZE) * BRICK_SIZE for side in grid.shape)
    coarse = Grid(np.zeros(3), 1.0, shape)  # type: ignore[arg-type]
    few = segments.at(np.arange(0, len(segments), 1 + len(segments) // MOST_SEGMENTS))
    near = backend.bin_segments(few.scaled(1 / factor), coarse).states == State.NEAR
    # A surface passes about factor^2 bricks of a larger one. They lie in `factor` layers.
    counted = near.sum(axis=others) * factor
    place = np.minimum((np.arange(len(layers)) / factor).astype(np.int64), len(counted) - 1)
    return np.asarray(layers + counted[place] + 1.0)


def cut(cost: npt.NDArray[np.float64], axis: int, count: int) -> list[Slab]:
    """`count` slabs of about the same cost, or one for each layer if there are fewer. cost (L,) is that of each."""
    count = max(1, min(count, len(cost)))
    total = np.cumsum(cost)
    ends = np.searchsorted(total, total[-1] * np.arange(1, count) / count) + 1
    # Each has a layer at least.
    steps = np.arange(1, count)
    ends = np.minimum(np.maximum.accumulate(np.maximum(ends, steps) - steps) + steps, len(cost) - count + steps)
    return [Slab(axis, first, stop) for first, stop in pairwise([0, *ends.tolist(), len(cost)])]
