"""Volumes for the tests: exact level sets and fogs, written by openvdb."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voxel_carve.formats.volumes import openvdb

Points = npt.NDArray[np.float64]
HALF_WIDTH = 3.0  # voxels, of level sets


def ball_distance(radius: float, centre: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Callable[[Points], Points]:
    """The signed distance of points (..., 3) from a sphere."""
    return lambda points: np.linalg.norm(points - np.asarray(centre, float), axis=-1) - radius


def box_distance(half: npt.ArrayLike) -> Callable[[Points], Points]:
    """The signed distance of points (..., 3) from a box around the origin with these half sides."""

    def distance(points: Points) -> Points:
        off = np.abs(points) - np.asarray(half, float)
        return np.linalg.norm(np.maximum(off, 0), axis=-1) + np.minimum(off.max(axis=-1), 0)

    return distance


def level_set(distance: Callable[[Points], Points], reach: float, voxel_size: float, name: str = "surface") -> Any:
    """A level set of a distance, on the points within `reach` of the origin along each axis."""
    background = HALF_WIDTH * voxel_size
    grid = _grid(background, "LEVEL_SET", voxel_size, name)
    points, corner = _points(reach, voxel_size)
    grid.copyFromArray(np.clip(distance(points), -background, background).astype(np.float32), corner)
    return grid


def fog(density: Callable[[Points], Points], reach: float, voxel_size: float, name: str = "density") -> Any:
    """A fog, likewise."""
    grid = _grid(0.0, "FOG_VOLUME", voxel_size, name)
    points, corner = _points(reach, voxel_size)
    grid.copyFromArray(density(points).astype(np.float32), corner)
    return grid


def write(file: Path, *grids: Any) -> Path:
    """Write grids into a file."""
    openvdb().write(str(file), list(grids))
    return file


def _grid(background: float, kind: str, voxel_size: float, name: str) -> Any:
    module = openvdb()
    grid = module.FloatGrid(background)
    grid.name, grid.gridClass = name, getattr(module.GridClass, kind)
    grid.transform = module.createLinearTransform(voxel_size)
    return grid


def _points(reach: float, voxel_size: float) -> tuple[Points, tuple[int, int, int]]:
    side = int(np.ceil(reach / voxel_size))
    steps = np.arange(-side, side + 1)
    return np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1) * voxel_size, (-side,) * 3
