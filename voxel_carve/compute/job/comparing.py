"""Two surfaces compared: how much volume their faces span in some blocks, and whether they are the same there."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.decorators import kernel, subroutine
from ..engines.numba.contouring.measuring import FACES_PER_RUN, determinant
from ..model import mesh
from ..model.grid import Grid
from ..model.mesh import Source, Surface
from ..runtime.threads import in_runs
from .blocks_near import SIDE, Blocks

mix = subroutine(mesh.mix)

PATH = int(Source.PATH)


class Measured(NamedTuple):
    """What the faces of a surface are in some blocks, and all those of the sweep.

    Attributes:
        volume: between them and a point that does not depend on the surface.
        beyond: the sum of numbers of those outside of the inner blocks, modulo 2^64; that of equal faces is the same.
    """

    volume: float
    beyond: int


@kernel
def sum_in_blocks(start, stop, points, bits, faces, source, blocks, inner, low, size):  # type: ignore[no-untyped-def]
    """See `Measured`.

    Args:
        bits: the points (V, 3), as whole numbers.    blocks, inner: (Z, Y, X) see `blocks_near`.
        low, size: (3,) origin of the voxels, and their size.
    """
    volume, beyond = 0.0, np.uint64(0)
    for f in range(start, stop):
        is_path = source[f] == PATH
        inside = is_path
        if not is_path:
            first = faces[f, 0]
            x = int(np.floor((points[first, 0] - low[0]) / size))
            y = int(np.floor((points[first, 1] - low[1]) / size))
            z = int(np.floor((points[first, 2] - low[2]) / size))
            x = min(max(x, 0), blocks.shape[2] * 8 - 1)
            y = min(max(y, 0), blocks.shape[1] * 8 - 1)
            z = min(max(z, 0), blocks.shape[0] * 8 - 1)
            block = np.uint64(((z >> 1 & 3) * SIDE + (y >> 1 & 3)) * SIDE + (x >> 1 & 3))
            inside = blocks[z >> 3, y >> 3, x >> 3] >> block & np.uint64(1) == np.uint64(1)
            if inside and inner[z >> 3, y >> 3, x >> 3] >> block & np.uint64(1) == np.uint64(0):
                number = np.uint64(0)
                for k in range(4):
                    for c in range(3):
                        number = mix(number ^ bits[faces[f, k], c])
                beyond += number
        if inside:
            volume += determinant(points, low, faces[f, 0], faces[f, 1], faces[f, 2])
            volume += determinant(points, low, faces[f, 0], faces[f, 2], faces[f, 3])
    return volume, beyond


def measure_in(blocks: Blocks, inner: Blocks, surface: Surface, grid: Grid) -> Measured:
    """What the faces of a surface are in blocks, and in those outside of the inner ones.

    A face counts where its first corner lies: so it counts in both of two surfaces that share it, or in neither.
    """
    points = surface.points
    bits: npt.NDArray[np.uint64] = points.view(np.uint64)
    inputs = points, bits, surface.faces, surface.source, blocks, inner, grid.origin, grid.voxel_size
    parts = in_runs(sum_in_blocks, len(surface.faces), FACES_PER_RUN, *inputs)
    volumes, beyond = zip(*parts, strict=True)
    return Measured(float(np.array(volumes).sum() / 6), sum(beyond) % 2**64)
