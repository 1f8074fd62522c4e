"""The size of a voxel, from the settings, the stock's longest side, and the least radius of the tool."""

import math
from typing import Protocol

# Automatic: so many voxels along the longest side of the stock, and more where a radius is less than two voxels.
USUAL_RESOLUTION = 128
MOST_RESOLUTION = 1024
# That a user may ask for.
LARGEST_RESOLUTION = 65536
# A groove needs a radius of two voxels: below that it comes out coarse, and below one too small.
VOXELS_PER_RADIUS = 2.0


class VoxelSettings(Protocol):
    """What `VoxelProperties` say about the size of a voxel."""

    @property
    def size_mode(self) -> str:
        """AUTOMATIC, RESOLUTION or SIZE."""

    @property
    def resolution(self) -> int:
        """The voxels along the longest side of the stock, if that is the mode."""

    @property
    def voxel_size(self) -> float:
        """The edge of a voxel, if that is the mode."""


def chosen_voxel_size(settings: VoxelSettings, longest: float, least_radius: float = math.inf) -> float:
    """The size of a voxel.

    Args:
        settings: how it is given.
        longest: the longest side of the stock.
        least_radius: of the tool, in the same unit; infinite without paths.
    """
    if settings.size_mode == "SIZE":
        return settings.voxel_size
    if settings.size_mode == "RESOLUTION":
        return longest / settings.resolution
    return min(longest / USUAL_RESOLUTION, max(fitting_voxel_size(least_radius), longest / MOST_RESOLUTION))


def fitting_voxel_size(least_radius: float) -> float:
    """The largest voxel that is small enough for a groove of this radius."""
    return least_radius / VOXELS_PER_RADIUS
