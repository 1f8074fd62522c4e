"""The precision of float32, which some files and Blender's meshes use, compared with the voxel size."""

import numpy as np
import numpy.typing as npt

Bounds = npt.NDArray[np.float64]

# The largest acceptable rounding of a coordinate, in voxels.
PART_OF_VOXEL = 1e-3
# Beyond this many times its length from the origin, a mesh is far away. Nearer, float32 resolves a thousandth of a
# voxel at 2000 voxels along the mesh.
FAR = 16


def float32_holds(bounds: Bounds, voxel_size: float) -> bool:
    """Whether float32 keeps every coordinate within `bounds` (2, 3) to a thousandth of a voxel."""
    return bool(np.spacing(np.float32(np.abs(bounds).max())) / 2 <= PART_OF_VOXEL * voxel_size)


def float32_origin(bounds: Bounds) -> npt.NDArray[np.float64]:
    """(3,) the origin for a mesh within `bounds` (2, 3): the world's or, far from that, the middle of the bounds."""
    if np.abs(bounds).max() <= FAR * (bounds[1] - bounds[0]).max():
        return np.zeros(3)
    return float32_middle(bounds)


def float32_middle(bounds: Bounds) -> npt.NDArray[np.float64]:
    """(3,) the middle of `bounds` (2, 3), rounded so that float32 represents it exactly."""
    return bounds.mean(axis=0).astype(np.float32).astype(np.float64)
