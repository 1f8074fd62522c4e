"""A grid, a path and points, for the tests of all frameworks."""

import numpy as np
import numpy.typing as npt

from voxel_carve.compute import Grid, sweep_distance

GRID = Grid([-1.0, 0.5, 2.0], 0.9, (24, 21, 22))
POINTS = np.array([[3.0, 4.0, 5.0], [15.0, 13.0, 14.0], [3.0, 15.0, 17.0]], dtype=np.float32)
RADII = np.array([3.0, 4.5, 2.0], dtype=np.float32)


def voxels(seed: int) -> npt.NDArray[np.bool_]:
    return np.random.default_rng(seed).random(GRID.shape) < 0.5


def query(count: int = 40) -> npt.NDArray[np.float64]:
    """(count, 3) points on all sides of the path's segments, and in them."""
    return np.random.default_rng(4).uniform(-5, 25, (count, 3))


def box_field() -> npt.NDArray[np.float64]:
    """(Z, Y, X) the distance in each voxel from a box's sides, negative inside."""
    index = np.indices(GRID.shape).reshape(3, -1).T
    middle = GRID.origin + np.array(GRID.shape[::-1]) * GRID.voxel_size / 2
    return (np.abs(GRID.centres(index) - middle).max(axis=1) - 7.0).reshape(GRID.shape)


def swept_field(operation: str) -> npt.NDArray[np.float64]:
    """(Z, Y, X) what an operation with the path makes of `box_field`, by its definition."""
    index = np.indices(GRID.shape).reshape(3, -1).T
    swept = sweep_distance(GRID.centres(index), (POINTS, RADII)).distance.reshape(GRID.shape)
    field = box_field()
    return {
        "subtract": np.maximum(field, -swept),
        "union": np.minimum(field, swept),
        "intersect": np.maximum(field, swept),
    }[operation]
