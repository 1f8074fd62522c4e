"""Points spread over the faces of a stock, and points just before and behind them."""

import numpy as np
import numpy.typing as npt

from ..primitives.triangles import TRIANGLES_PER_BLOCK, Triangles, cross, dot
from ..runtime.threads import slices

# The fractional parts of multiples of these fill a square evenly (Roberts, 2018: powers of the plastic number).
STEPS = 0.7548776662466927, 0.5698402909980532
MOST_TRIANGLES = 1 << 15
ASIDE = 1e-5  # of the size of all faces, from a face to the point before or behind it

Points = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def surface_samples(triangles: Triangles, count: int) -> tuple[Points, Indices]:
    """Points on triangles, each for the same share of their area. They are always the same ones. Of very many
    triangles, some are looked at, at equal distances in their list.

    Returns:
        points: (S, 3). Without any area, there are none.
        which: (S,) the triangle of each.
    """
    chosen = np.arange(0, len(triangles), 1 + len(triangles) // MOST_TRIANGLES)
    total = np.cumsum(areas(triangles.at(chosen)))
    if len(total) == 0 or not total[-1] > 0:
        return np.empty((0, 3)), np.empty(0, dtype=np.int64)
    number = np.arange(count) + 0.5
    which = chosen[np.minimum(np.searchsorted(total, total[-1] * number / count), len(total) - 1)]
    u, v = ((number * step % 1.0)[:, None] for step in STEPS)
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)  # the other half of the parallelogram
    a, b, c = (triangles.points[triangles.triangles[which, corner]] for corner in range(3))
    return a + u * (b - a) + v * (c - a), which


def part_samples(triangles: Triangles, part: npt.NDArray[np.integer], count: int) -> Indices:
    """`count` triangles of each part (M,), spread over its area, with repeats. Those of part -1 are left out."""
    area = areas(triangles)
    order = np.argsort(part, kind="stable")
    order = order[np.searchsorted(part[order], 0) :]
    start = np.flatnonzero(np.diff(part[order], prepend=-1))
    total = np.cumsum(area[order])
    begin = total[start] - area[order[start]]
    end = np.append(total[start[1:] - 1], total[-1:])[: len(start)]
    at = begin[:, None] + (end - begin)[:, None] * (np.arange(count) + 0.5) / count
    return order[np.minimum(np.searchsorted(total, at.ravel()), len(order) - 1)]


def aside(triangles: Triangles, which: Indices, side: float, points: Points | None = None) -> Points:
    """Points (K, 3) just before some triangles, or behind them: side 1 or -1.

    Args:
        points: (K, 3) on these triangles; their centres, if none are given.
    """
    if len(which) == 0:
        return np.empty((0, 3))
    corners = triangles.points[triangles.triangles[which]]
    reach = ASIDE * float(np.ptp(corners, axis=(0, 1)).max())
    on = corners.mean(axis=1) if points is None else points
    return np.asarray(on + side * reach * triangles.normal[which])


def areas(triangles: Triangles) -> npt.NDArray[np.float64]:
    """(M,) twice the area of each triangle."""
    areas = np.empty(len(triangles))
    for block in slices(len(triangles), TRIANGLES_PER_BLOCK):
        a, b, c = (triangles.points.take(corners, axis=0).T for corners in triangles.triangles[block].T)
        normal = cross(b - a, c - a)
        areas[block] = np.sqrt(dot(normal, normal))
    return areas
