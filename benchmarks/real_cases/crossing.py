"""Straight runs of a tool across a stock."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from voxel_carve.compute import Path, TriMesh

THINNEST, THICKEST = 1.5, 3.5  # radii
CLEARANCE = 5.0  # between the ends of runs and the stock's bounds: more than any radius

Points = npt.NDArray[np.float64]


def across(stock: Callable[[], TriMesh], seed: int) -> Callable[[int], Path]:
    """A function from a number of runs to the path that has them across a stock."""
    return lambda runs: runs_across(stock(), runs, seed)


def runs_across(stock: TriMesh, runs: int, seed: int) -> Path:
    """A polyline with a segment for each run, which tapers from the radius at one end to that at the other.

    Each segment starts where the last one ended, beside the stock. It leads through a random point of the stock's
    surface, and ends where it has left the bounds again. None is longer than the mean side of the bounds: a flat stock
    would be cut to pieces along its plane.
    """
    random = np.random.default_rng(seed)
    low, high = stock.bounds() + np.array([[-CLEARANCE], [CLEARANCE]])
    corners = stock.corners()
    corners = corners[np.lexsort(np.round(corners.mean(axis=1), 3).T)]  # Blenders order the same triangles differently
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).cumsum()
    points = [_leaving((low + high) / 2, random.normal(size=3), low, high)]
    while len(points) <= runs:
        triangle = corners[np.searchsorted(areas, random.uniform(0, areas[-1]))]
        target = random.dirichlet(np.ones(3)) @ triangle
        end = _leaving(target, target - points[-1], low, high)
        if np.linalg.norm(end - points[-1]) <= (high - low).mean():
            points.append(end)
    return Path(np.array(points), random.uniform(THINNEST, THICKEST, runs + 1), name="runs")


def _leaving(point: Points, direction: Points, low: Points, high: Points) -> Points:
    """Where a ray from inside a box leaves it."""
    with np.errstate(divide="ignore"):
        reach = np.where(direction > 0, high - point, low - point) / direction
    return np.asarray(point + direction * np.nanmin(reach))
