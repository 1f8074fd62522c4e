"""Volumes: OpenVDB's (.vdb), by the openvdb module that Blender brings along, and NanoVDB's (.nvdb).

The surfaces of the former are read, level sets are written to both.

A level set has its surface at 0, and a fog where it is as dense as `FOG_THRESHOLD`: Blender's own default for meshes of
volumes. OpenVDB makes the surface, at the volume's own voxel size.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compute.level_set import SparseField, openvdb, write_level_set
from ..compute.model import TriMesh
from ..compute.runtime import CarveError, InputError, allowed_bytes
from .files import Room, check_input, readable, replacing, within_memory

VOLUME_SUFFIX, NANOVDB_SUFFIX = ".vdb", ".nvdb"
FOG_THRESHOLD = 0.1
_SCALARS = ("float", "double")
# Memory per active voxel while a surface is made, beside the grid: each may have a point, a quad and two triangles.
_BYTES_PER_VOXEL = 80


@within_memory
def read_volume(file: Path, memory_limit: int | None = None, grid_name: str | None = None) -> TriMesh:
    """The surface of a grid in a .vdb file, in the units of the file.

    Args:
        file: a regular file.
        memory_limit: bytes that reading may take; None is half of the free memory.
        grid_name: of the grid; None takes the first one of numbers.

    Raises:
        InputError: there is no openvdb module; the file is missing or damaged, has no such grid, or takes too much
            memory; or the grid has no surface.
    """
    check_input(file)
    module = openvdb()
    try:
        known = _chosen(module.readAllGridMetadata(str(file)), grid_name)
        room = Room(allowed_bytes(memory_limit))
        counts = (int(known.metadata.get(key, 0)) for key in ("file_mem_bytes", "file_voxel_count"))
        held, voxels = (max(count, 0) for count in counts)
        room.check(held + _BYTES_PER_VOXEL * voxels, f"the {voxels:,} voxels of its grid '{readable(known.name)}'")
        points, triangles = _surface(module, module.read(str(file), known.name))
    except (ValueError, TypeError, KeyError, OSError, RuntimeError) as error:
        raise InputError(
            "{file} cannot be read as {suffix}: {error}",
            file=readable(file),
            suffix=VOLUME_SUFFIX,
            error=readable(error),
        ) from error
    return TriMesh(points, triangles, name=str(file))


def write_volume(
    file: Path, band: SparseField, overwrite: bool = False, origin: npt.ArrayLike = (0.0, 0.0, 0.0)
) -> None:
    """Write a narrow band as a level set, whose distances are in the unit of its points.

    Args:
        file: the file to write.
        band: the distances.
        overwrite: whether the file may replace another.
        origin: (3,) point in world space that the file's coordinates are relative to.

    Raises:
        InputError: there is no openvdb module; the file exists and `overwrite` is not set, or it cannot be written.
        CarveError: the process that writes ended early, or the job was cancelled.
    """
    with replacing(file, overwrite) as beside:
        try:
            write_level_set(beside, band, origin)
        except CarveError:  # cancelled, for one
            raise
        except RuntimeError as error:
            raise InputError(
                "{file} could not be written: {error}", file=readable(file), error=readable(error)
            ) from error


def _chosen(grids: list[Any], name: str | None) -> Any:
    """The grid with this name, else the first one of numbers."""
    found = [grid for grid in grids if grid.valueTypeName in _SCALARS and name in (None, grid.name)]
    if found:
        return found[0]
    if name is not None:
        raise ValueError(f"it has no grid '{name}' of numbers")
    raise ValueError("it has no grid of numbers, such as a level set or a fog")


def _surface(module: Any, grid: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points (N, 3) and triangles (M, 3), facing outward, of the surface of a grid."""
    kinds = module.GridClass
    # A grid without a class whose background is positive holds distances: a fog is 0 outside.
    is_level_set = grid.gridClass == kinds.LEVEL_SET or (grid.gridClass == kinds.UNKNOWN and grid.background > 0)
    grid.gridClass = kinds.LEVEL_SET if is_level_set else kinds.FOG_VOLUME  # decides which way the faces look
    threshold = 0.0 if is_level_set else FOG_THRESHOLD
    points, triangles, quads = grid.convertToPolygons(isovalue=threshold)
    if not len(triangles) + len(quads):
        raise ValueError(f"its grid '{grid.name}' has no surface at {threshold:g}")
    corners = np.concatenate([triangles, quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32)
    # OpenVDB lists corners the other way round.
    return points.astype(np.float64), np.ascontiguousarray(corners[:, ::-1])
