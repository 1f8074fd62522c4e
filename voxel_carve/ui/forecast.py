"""What a carve will take, said before it starts, from bounding boxes alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import InputError, estimate_bytes, plan_grid
from ..scene.splines import bevel_depth
from ..settings import VoxelCarveSettings

# The paths cut, or add, about as much surface as the box of the job has.
CUT_SHARE = 2.0


@dataclass(frozen=True)
class Forecast:
    """The grid of a job, about.

    Attributes:
        voxels: along x, y and z.
        memory: in bytes.
    """

    voxels: tuple[int, int, int]
    memory: int


def forecast(
    stock: bpy.types.Object, paths: Sequence[bpy.types.Object], settings: VoxelCarveSettings
) -> Forecast | None:
    """What carving a stock along paths with these settings will take; None where the voxel size makes no grid."""
    bounds = world_bounds(stock)
    sides = bounds[1] - bounds[0]
    by_resolution = settings.size_mode == "RESOLUTION"
    voxel_size = float(sides.max()) / settings.resolution if by_resolution else settings.voxel_size
    if not sides.max() > 0 or voxel_size > sides.max():
        return None
    if settings.operation == "UNION":
        every = np.stack([bounds, *(swept_bounds(path, settings.radius) for path in paths)])
        bounds = np.stack([every[:, 0].min(axis=0), every[:, 1].max(axis=0)])
        sides = bounds[1] - bounds[0]
    try:
        grid = plan_grid(bounds, voxel_size)
    except InputError:
        return None
    area = 2 * (sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0])
    z, y, x = grid.shape
    return Forecast((x, y, z), estimate_bytes(CUT_SHARE * area, grid))


def swept_bounds(path: bpy.types.Object, radius: float) -> npt.NDArray[np.float64]:
    """(2, 3): the box in world space around what a tool of this radius sweeps along a path, about.

    The box of a curve with a bevel depth holds the bevel already, but for its ends. The radii of points are not asked.
    """
    reach = 0.0 if bevel_depth(path) else radius
    return world_bounds(path) + np.array([[-reach], [reach]])


def world_bounds(thing: bpy.types.Object) -> npt.NDArray[np.float64]:
    """(2, 3): the box in world space around an object's own box."""
    matrix = np.array(thing.matrix_world, dtype=np.float64)
    corners = np.array(thing.bound_box, dtype=np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([corners.min(axis=0), corners.max(axis=0)])
