"""Volume objects to meshes: the surface of the active grid, as modifiers and the current frame leave it."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import bpy
import numpy as np

from ...compute import InputError, TriMesh
from ...compute.runtime import Sentence
from ...formats import VOLUME_SUFFIX, read_volume
from .meshes import to_world, world_matrix

_SCALARS = ("FLOAT", "DOUBLE")
# In voxels, along each axis: Blender 4.5 shows volumes, and makes meshes of them, that much farther than OpenVDB says.
SHIFT = 0.5 if bpy.app.version < (5, 0, 0) else 0.0


def volume_mesh(evaluated: bpy.types.Object) -> TriMesh:
    """The surface of an evaluated Volume object, in world space, where Blender shows it, at its own voxel size.

    Blender gives Python no voxels. So its grids are saved to a temporary file, from which openvdb makes the surface.

    Raises:
        InputError: its file cannot be loaded, no grid holds numbers, or as `formats.read_volume`.
    """
    matrix, name = world_matrix(evaluated), evaluated.name
    grids = cast(bpy.types.Volume, evaluated.data).grids
    if not grids.load():
        raise InputError("the file of volume '{name}' cannot be loaded: {error}", name=name, error=grids.error_message)
    grid = _active_grid(grids)
    if grid is None:
        raise InputError("volume '{name}' has no grid of numbers: choose a level set or a fog", name=name)
    shift = SHIFT * np.array(grid.matrix_object, dtype=np.float64)[:3, :3].sum(axis=1)
    with TemporaryDirectory(prefix="voxel_carve-", dir=bpy.app.tempdir or None) as folder:
        file = Path(folder) / f"volume{VOLUME_SUFFIX}"
        try:
            grids.save(filepath=str(file))
        except RuntimeError as error:
            raise InputError("the grids of volume '{name}' cannot be saved: {error}", name=name, error=error) from error
        try:
            surface = read_volume(file, grid_name=grid.name)
        except InputError as error:
            fields = {**error.sentence.fields, "file": Sentence("volume '{name}'", name=name)}
            raise InputError(error.sentence.template, **fields) from error
    triangles = surface.triangles
    if np.linalg.det(matrix[:3, :3]) < 0:
        triangles = np.ascontiguousarray(triangles[:, ::-1])
    return TriMesh(to_world(matrix, surface.points + shift), triangles, name)


def _active_grid(grids: Any) -> Any:
    """The active grid, or else the first one, that holds numbers; None for none."""
    found = {number: grid for number, grid in enumerate(grids) if grid.data_type in _SCALARS}
    return found.get(grids.active_index, next(iter(found.values()), None))
