"""A process that writes level sets by openvdb, which holds Python's lock while it works: see `write_level_set`."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..runtime.pipes import answer
from .openvdb_module import openvdb_from

# The name that other programs give to the grid of a level set.
GRID_NAME = "surface"
_SIDE = 8  # voxels, of our bricks and of OpenVDB's leaves
_BLOCK = 1 << 16  # bytes, more than a disk gives away unnoticed


def serve() -> None:
    """The main function of the process, which is asked to write files."""
    answer(lambda asked, _: _write(*asked))


def _write(
    module_file: str,
    file: str,
    corners: npt.NDArray[np.int64],
    distance: npt.NDArray[np.float32],
    voxel_size: float,
    half_width: float,
    place: tuple[float, float, float],
) -> None:
    """Write a level set, by the openvdb module in a file.

    `corners` and `distance` are those of a `NarrowBand`; `place` is where voxel (0, 0, 0) is.
    """
    module: Any = openvdb_from(Path(module_file))
    grid = module.FloatGrid(half_width * voxel_size)
    grid.name, grid.gridClass = GRID_NAME, module.GridClass.LEVEL_SET
    # What equals the background is inactive. The flood then finds out which of that is inside.
    lengths = np.where(np.abs(distance) < half_width, distance * voxel_size, grid.background).astype(np.float32)
    bricks = np.ascontiguousarray(lengths.reshape(-1, _SIDE, _SIDE, _SIDE).transpose(0, 3, 2, 1))
    for (z, y, x), brick in zip(corners.tolist(), bricks, strict=True):
        grid.copyFromArray(brick, (x, y, z))
    grid.signedFloodFill()
    grid.transform = module.createLinearTransform(voxel_size)
    grid.transform.postTranslate(place)
    module.write(file, grid)
    if not _is_whole(module, file, grid.activeVoxelCount()):
        # OpenVDB does not notice a full disk. Writing on says why, as an OSError.
        with open(file, "ab", buffering=0) as rest:
            rest.write(bytes(_BLOCK))
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def _is_whole(module: Any, file: str, voxels: int) -> bool:
    """Whether a file can be read, and has so many active voxels."""
    try:
        return int(module.read(file, GRID_NAME).activeVoxelCount()) == voxels
    except (OSError, RuntimeError, LookupError):
        return False
