"""The volume of a closed mesh."""

import numpy as np
import numpy.typing as npt

from ..runtime.threads import map_blocks, slices
from .triangles import cross, dot

TRIANGLES_PER_BLOCK = 1 << 14


def signed_volume(points: npt.NDArray[np.float64], triangles: npt.NDArray[np.integer]) -> float:
    """Volume in closed triangles (M, 3) of points (N, 3), by the divergence theorem; negative if they face inward."""
    centred = np.ascontiguousarray((points - points[len(points) // 2]).T)

    def part(block: slice) -> float:
        a, b, c = (centred.take(corner, axis=1) for corner in triangles[block].T)
        return float(dot(a, cross(b, c)).sum())

    return sum(map_blocks(part, slices(len(triangles), TRIANGLES_PER_BLOCK))) / 6
