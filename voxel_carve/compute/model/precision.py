"""Where float32, which is all that some files and Blender's meshes have, keeps what was made of voxels."""

import numpy as np
import numpy.typing as npt

Bounds = npt.NDArray[np.float64]

# A coordinate that is kept may be this part of a voxel off.
PART_OF_VOXEL = 1e-3
# So many times the length of a mesh is far: nearer by, float32 holds a thousandth of one of its 2000 voxels.
FAR = 16


def float32_holds(bounds: Bounds, voxel_size: float) -> bool:
    """Whether float32 keeps every coordinate within `bounds` (2, 3) to a thousandth of a voxel."""
    return bool(np.spacing(np.float32(np.abs(bounds).max())) / 2 <= PART_OF_VOXEL * voxel_size)


def float32_origin(bounds: Bounds) -> npt.NDArray[np.float64]:
    """(3,) where a mesh within `bounds` (2, 3) has its own origin: in the world's or, far from that, in its middle."""
    if np.abs(bounds).max() <= FAR * (bounds[1] - bounds[0]).max():
        return np.zeros(3)
    return float32_middle(bounds)


def float32_middle(bounds: Bounds) -> npt.NDArray[np.float64]:
    """(3,) a point by the middle of `bounds` (2, 3) that float32 holds exactly: an origin for what lies around it."""
    return bounds.mean(axis=0).astype(np.float32).astype(np.float64)
