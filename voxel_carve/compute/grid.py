"""The voxel grid: where voxel centres lie."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import InputError


@dataclass(frozen=True)
class Grid:
    """A regular grid of cubic voxels.

    The centre of the voxel with index (z, y, x) is `origin + (index + 0.5) * voxel_size`, as a point (x, y, z).

    Attributes:
        origin: (3,) float64, the corner with the least coordinates, as (x, y, z), in Blender units.
        voxel_size: edge of a voxel, in Blender units.
        shape: number of voxels as (Z, Y, X).

    Raises:
        InputError: voxel size not positive and finite, origin not finite, or a side of no voxels.
    """

    origin: npt.NDArray[np.float64]
    voxel_size: float
    shape: tuple[int, int, int]

    def __post_init__(self) -> None:
        origin = np.array(self.origin, dtype=np.float64).reshape(3)
        origin.flags.writeable = False
        object.__setattr__(self, "origin", origin)
        object.__setattr__(self, "voxel_size", float(self.voxel_size))
        object.__setattr__(self, "shape", tuple(int(side) for side in self.shape))
        if not (np.isfinite(self.voxel_size) and self.voxel_size > 0):
            raise InputError(f"voxel size {self.voxel_size:g}: it must be a positive length")
        if not np.isfinite(origin).all():
            raise InputError("grid origin is not finite: move the object nearer to the world's origin")
        if len(self.shape) != 3 or min(self.shape) < 1:
            raise InputError(f"grid shape {self.shape}: three sides of at least one voxel are needed")

    def to_voxels(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """World points (N, 3) as (x, y, z) in voxel units from the origin: voxel centres lie at i + 0.5."""
        return (np.asarray(points, dtype=np.float64) - self.origin) / self.voxel_size

    def to_world(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The inverse of `to_voxels`."""
        return np.asarray(points, dtype=np.float64) * self.voxel_size + self.origin

    def centres(self, indices: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """World points (N, 3) as (x, y, z) of the voxels with indices (N, 3) as (z, y, x)."""
        return self.to_world(np.asarray(indices)[..., ::-1] + 0.5)
