"""A process that writes level sets by openvdb, which holds Python's lock while it works: see `write_level_set`."""

import errno
import os
from pathlib import Path
from typing import Any

from ..runtime.pipes import answer
from .openvdb_grid import GRID_NAME, grid_of
from .openvdb_module import openvdb_from

_BLOCK = 1 << 16  # bytes, more than a disk gives away unnoticed


def serve() -> None:
    """The main function of the process, which is asked to write files."""
    answer(lambda asked, _: _write(*asked))


def _write(module_file: str, file: str, *level_set: Any) -> None:
    """Write a level set, by the openvdb module in a file. The rest are the arguments of `grid_of`."""
    module: Any = openvdb_from(Path(module_file))
    grid = grid_of(module, *level_set)
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
