"""The volume that a case removes from its stock, by columns: exact along z, a midpoint sum over x and y.

    python -m benchmarks.volumes NAME...      prints the volume at two spacings: their difference shows the error

Nothing here uses voxels, distances or the code that is measured.
"""

import sys
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from benchmarks.cases import LONGEST_SIDE, WHOLE_SIDES, make
from voxel_carve.compute import Path

Array = npt.NDArray[np.float64]
Intervals = tuple[Array, Array]

SPACING = 0.05
STRIPS = 64  # along x; the columns of one strip are in memory at once


def _block(x: Array, y: Array) -> Intervals:
    """The block of W1."""
    inside = (x > 0) & (x < LONGEST_SIDE) & (y > 0) & (y < LONGEST_SIDE)
    return np.where(inside, -20.0, np.inf), np.where(inside, 0.0, -np.inf)


def _ball(x: Array, y: Array) -> Intervals:
    """The ball on whose surface the stock of W3 and S1 has its points."""
    square = (LONGEST_SIDE / 2) ** 2 - x * x - y * y
    half = np.sqrt(np.maximum(square, 0.0))
    return np.where(square > 0, -half, np.inf), np.where(square > 0, half, -np.inf)


# By family: a function from x and y of columns to where they enter and leave the stock.
STOCKS: dict[str, Callable[[Array, Array], Intervals]] = {"W1": _block, "W3": _ball, "S1": _ball}

# Results of `removed_volume` at SPACING, in cubic millimetres; at twice the spacing they differ by 3 in 100 000.
REMOVED = {"W1-1000": 45348.5, "W3-2000": 6950.9, "S1-12": 43474.1}

# Volumes of stocks from which nothing is removed.
WHOLE = {"B1-1": float(np.prod(WHOLE_SIDES))}


def removed_volume(name: str, spacing: float = SPACING) -> float:
    """The volume shared by stock and sweep of a case.

    Raises:
        KeyError: its stock is not in `STOCKS`; ValueError: its radius changes along the path.
    """
    stock, path = STOCKS[name.partition("-")[0]], make(name).path
    low = np.floor(path.points.min(axis=0) - path.radii.max())
    high = path.points.max(axis=0) + path.radii.max()
    columns = np.ceil((high - low)[:2] / spacing).astype(int)
    origin = low[:2] + spacing / 2  # the sides of the block lie between columns
    edges = np.linspace(0, columns[0], STRIPS + 1).astype(int)
    strips = pairwise(edges.tolist())
    return sum(_strip(stock, path, origin, spacing, (first, last), columns[1]) for first, last in strips)


def _strip(
    stock: Callable[[Array, Array], Intervals],
    path: Path,
    origin: Array,
    spacing: float,
    strip: tuple[int, int],
    rows: int,
) -> float:
    """The part of the volume in one strip of columns."""
    starts, stops, places = [], [], []
    for a, b, radius, other in zip(path.points[:-1], path.points[1:], path.radii[:-1], path.radii[1:], strict=True):
        if radius != other:
            raise ValueError("the radius changes: only capsules are known here")
        low, high = np.minimum(a, b)[:2] - radius, np.maximum(a, b)[:2] + radius
        first = np.maximum(np.ceil((low - origin) / spacing).astype(int), [strip[0], 0])
        last = np.minimum(np.floor((high - origin) / spacing).astype(int), [strip[1] - 1, rows - 1])
        if (last < first).any():
            continue
        i, j = (numbers.ravel() for numbers in np.mgrid[first[0] : last[0] + 1, first[1] : last[1] + 1])
        x, y = origin[0] + spacing * i, origin[1] + spacing * j
        bottom, top = capsule_interval(a, b, radius, x, y)
        floor, ceiling = stock(x, y)
        bottom, top = np.maximum(bottom, floor), np.minimum(top, ceiling)
        some = bottom < top
        starts.append(bottom[some])
        stops.append(top[some])
        places.append((i * rows + j)[some])
    if not starts:
        return 0.0
    return spacing**2 * union_length(np.concatenate(starts), np.concatenate(stops), np.concatenate(places))


def capsule_interval(a: Array, b: Array, radius: float, x: Array, y: Array) -> Intervals:
    """Where the lines along z at (N,) x and y enter and leave a capsule; (inf, -inf) if they miss it.

    A line enters and leaves through one of the two balls, or through the cylinder between them.
    """
    bottom, top = np.full(len(x), np.inf), np.full(len(x), -np.inf)
    for centre in (a, b):
        square = radius**2 - (x - centre[0]) ** 2 - (y - centre[1]) ** 2
        half = np.sqrt(np.maximum(square, 0.0))
        bottom = np.where(square > 0, np.minimum(bottom, centre[2] - half), bottom)
        top = np.where(square > 0, np.maximum(top, centre[2] + half), top)
    length = float(np.linalg.norm(b - a))
    axis = (b - a) / (length or 1.0)
    steep = 1.0 - axis[2] ** 2
    if length == 0.0 or steep < 1e-12:
        return bottom, top
    # With p = (x, y, a_z): |p - a + h z|^2 minus the square of its part along the axis is the radius squared.
    px, py = x - a[0], y - a[1]
    along = px * axis[0] + py * axis[1]
    half_linear = -along * axis[2]
    square = half_linear**2 - steep * (px**2 + py**2 - along**2 - radius**2)
    root = np.sqrt(np.maximum(square, 0.0))
    for sign in (-1.0, 1.0):
        height = (-half_linear + sign * root) / steep
        place = along + height * axis[2]
        on_cylinder = (square > 0) & (place >= 0) & (place <= length)
        bottom = np.where(on_cylinder, np.minimum(bottom, a[2] + height), bottom)
        top = np.where(on_cylinder, np.maximum(top, a[2] + height), top)
    return bottom, top


def union_length(start: Array, stop: Array, place: npt.NDArray[np.integer]) -> float:
    """Total length of the unions of intervals (N,) with the same place."""
    if len(start) == 0:
        return 0.0
    # Shift the intervals of each place to a separate stretch of one long line.
    shift = place * (2.0 * float(stop.max() - start.min()) + 1.0)
    order = np.argsort(start + shift)
    start, stop, shift = start[order], stop[order], shift[order]
    reached = np.maximum.accumulate(stop + shift)
    before = np.concatenate([[-np.inf], reached[:-1]]) - shift
    return float(np.maximum(stop - np.maximum(start, before), 0.0).sum())


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        print(wanted, *(round(removed_volume(wanted, spacing), 2) for spacing in (2 * SPACING, SPACING)))
