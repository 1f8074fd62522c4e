"""The first part of the winding number of a stock: signed crossings of the rays from all voxel centres toward +z.

The crossings of a z column serve all its voxels. Edge functions in float64 decide whether a column crosses a triangle.
Their end points are ordered by coordinates alone. Ties are broken as if each column were moved by (e, e^2), for an
infinitesimal e (Edelsbrunner and Mücke 1990). So a column exactly through an edge crosses exactly one of its two
triangles.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..formulas import z_columns
from ..formulas.binding import ON_ARRAYS

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

column_crossing = ON_ARRAYS(z_columns.column_crossing)


class Crossings(NamedTuple):
    """Where z columns cross triangles, sorted by column, then by height.

    Attributes:
        shape: of the grid, (Z, Y, X).
        column: (H,) int64, y * X + x.
        height: (H,) int64: the crossing is above the voxels with index z < height.
        sign: (H,) int64: +1 if the triangle faces up, -1 if it faces down.
        total: (H + 1,) int64: sums of the signs before each crossing.
        start: (Y * X + 1,) int64: column i has the crossings start[i] to start[i + 1].
    """

    shape: tuple[int, int, int]
    column: Indices
    height: Indices
    sign: Indices
    total: Indices
    start: Indices

    def volume(self) -> int:
        """Signed volume of a closed mesh, in voxels; negative if it faces inward."""
        return int(self.sign @ self.height)

    def above(self, z: npt.NDArray[np.integer], column: npt.NDArray[np.integer]) -> Indices:
        """Signed crossings above the voxels with index z in `column` (y * X + x), all of shape (N,)."""
        stride = self.shape[0] + 2
        z = np.minimum(z, self.shape[0])  # a brick may extend beyond the grid, where no crossing counts
        key = self.column * stride + self.height
        first = np.searchsorted(key, np.asarray(column, dtype=np.int64) * stride + z, side="right")
        return self.total[self.start[column + 1]] - self.total[first]
