"""A narrow band: the distances near a surface, as bricks of voxels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class NarrowBand:
    """The signed distances of a closed surface in all voxels near it.

    Voxel (z, y, x) of a brick with the first voxel (k, j, i) has its centre (x, y, z) at
    `origin + (i + x + 0.5, j + y + 0.5, k + z + 0.5) * voxel_size`.

    Attributes:
        origin: (3,) float64, in Blender units.
        voxel_size: in Blender units.
        half_width: in voxels. Distances are clamped to it, on both sides.
        corners: (B, 3) int64, the first voxel of each brick as (z, y, x): multiples of BRICK_SIZE, which may be
            negative.
        distance: (B, 512) float32 in voxels, negative inside, voxels in (Z, Y, X) order. Bricks without a distance
            below `half_width` are left out.
    """

    origin: npt.NDArray[np.float64]
    voxel_size: float
    half_width: float
    corners: npt.NDArray[np.int64]
    distance: npt.NDArray[np.float32]
