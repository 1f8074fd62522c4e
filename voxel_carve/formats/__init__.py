"""Files to arrays and back: meshes, volumes (.vdb and .nvdb) and toolpaths (paths/). No bpy here."""

from .blend import PLAIN, is_whole
from .files import as_text, check_input, check_output, identity, is_file, readable, replacing
from .mesh_files import MESH_SUFFIXES, MeshFile, check_precision, read_mesh, read_mesh_file, write_meshes
from .paths import PATH_SUFFIXES, UNIT_NAMES, NoRadiusError, Toolpath, Unit, read_paths, unit_named
from .precision import PART_OF_VOXEL, float32_holds, float32_middle, float32_origin
from .saving import save_in_parts, save_result
from .volumes import VOLUME_SUFFIX, read_volume, write_volume

__all__ = [
    "MESH_SUFFIXES",
    "PART_OF_VOXEL",
    "PATH_SUFFIXES",
    "PLAIN",
    "UNIT_NAMES",
    "VOLUME_SUFFIX",
    "MeshFile",
    "NoRadiusError",
    "Toolpath",
    "Unit",
    "as_text",
    "check_input",
    "check_output",
    "check_precision",
    "float32_holds",
    "float32_middle",
    "float32_origin",
    "identity",
    "is_file",
    "is_whole",
    "read_mesh",
    "read_mesh_file",
    "read_paths",
    "read_volume",
    "readable",
    "replacing",
    "save_in_parts",
    "save_result",
    "unit_named",
    "write_meshes",
    "write_volume",
]
