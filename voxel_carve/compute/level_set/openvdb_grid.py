"""Bricks of distances as a level set of OpenVDB, and back. The openvdb module holds Python's lock meanwhile."""

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.bricks import BRICK_SIZE, BRICK_VOXELS
from ..runtime.errors import InputError
from ..runtime.progress import with_progress

# The name that other programs give to the grid of a level set.
GRID_NAME = "surface"
_BLOCK = 128  # voxels along each side of what is copied at once
_SCALARS = ("float", "double")
# A factor of rounding by which the sides of voxels may differ.
_ROUNDING = 1e-6

# Corners (B, 3) and distances (B, 512), voxel size, background, and the centre (3,) of voxel (0, 0, 0).
Leaves = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], float, float, npt.NDArray[np.float64]]


def grid_of(
    module: Any,
    corners: npt.NDArray[np.int64],
    distance: npt.NDArray[np.float32],
    voxel_size: float,
    half_width: float,
    place: npt.NDArray[np.float64],
) -> Any:
    """A level set. Arguments are those of a `SparseField`; `place` (3,) is the centre of voxel (0, 0, 0)."""
    grid = module.FloatGrid(half_width * voxel_size)
    grid.name, grid.gridClass = GRID_NAME, module.GridClass.LEVEL_SET
    # What equals the background is inactive. The flood then finds out which of that is inside.
    lengths = np.where(np.abs(distance) < grid.background, distance, np.float32(grid.background))
    bricks = np.ascontiguousarray(lengths.reshape(-1, *[BRICK_SIZE] * 3).transpose(0, 3, 2, 1))
    for (z, y, x), brick in zip(corners.tolist(), bricks, strict=True):
        grid.copyFromArray(brick, (x, y, z))
    grid.signedFloodFill()
    grid.transform = module.createLinearTransform(voxel_size)
    grid.transform.postTranslate(tuple(place.tolist()))
    return grid


def leaves_of(grid: Any) -> Leaves:
    """The bricks of a level set that hold active voxels.

    Raises:
        InputError: it is none, or its voxels are not cubes along the axes.
    """
    if getattr(grid, "valueTypeName", None) not in _SCALARS or not grid.background > 0:
        raise InputError("a grid of OpenVDB that is no level set: give numbers whose background is above 0")
    if grid.empty():
        raise InputError("a grid of OpenVDB has no active voxels")
    to_world = grid.transform.indexToWorld
    place = np.array(to_world((0, 0, 0)))
    sides = np.array([to_world(tuple(unit)) for unit in np.eye(3, dtype=int).tolist()]) - place
    size = float(grid.transform.voxelSize()[0])
    if not grid.transform.isLinear or np.abs(sides - size * np.eye(3)).max() > _ROUNDING * size:
        raise InputError("a grid of OpenVDB has voxels that are not cubes along the axes: resample it")
    background = np.float32(grid.background)
    box = np.transpose(grid.evalLeafBoundingBox())[::-1].tolist()
    blocks = [range(first // BRICK_SIZE * BRICK_SIZE, last + 1, _BLOCK) for first, last in box]
    values = np.empty((_BLOCK,) * 3, dtype=np.float32)  # (X, Y, Z), and `apart` is a view of it in our order
    count = _BLOCK // BRICK_SIZE
    apart = values.reshape([count, BRICK_SIZE] * 3).transpose(4, 5, 2, 3, 0, 1)
    corners, kept = [], []
    for z, y, x in with_progress(list(product(*blocks))):
        grid.copyToArray(values, (x, y, z))
        has = np.argwhere((np.abs(apart) < background).any(axis=(1, 3, 5)))
        corners.append(has * BRICK_SIZE + (z, y, x))
        kept.append(apart[has[:, 0], :, has[:, 1], :, has[:, 2]].reshape(-1, BRICK_VOXELS))
    found, distance = np.concatenate(corners), np.concatenate(kept).clip(-background, background)
    order = np.lexsort(found.T[::-1])
    return found[order], distance[order], size, float(background), place
