"""Files to arrays and back: meshes (.stl .ply .obj .glb), volumes (.vdb .nvdb) and toolpaths (.csv). No bpy here."""

from .blend import PLAIN, is_whole
from .mesh_files import MESH_SUFFIXES, check_precision, read_mesh, write_meshes
from .path_csv import NoRadiusError
from .path_files import PATH_SUFFIXES, read_paths
from .places import as_text, check_input, identity, is_file, readable
from .precision import float32_holds, float32_middle, float32_origin
from .replacing import check_output, replacing
from .saving import save_result
from .volumes import VOLUME_SUFFIX, read_volume, write_volume

__all__ = [
    "MESH_SUFFIXES",
    "PATH_SUFFIXES",
    "PLAIN",
    "VOLUME_SUFFIX",
    "NoRadiusError",
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
    "read_paths",
    "read_volume",
    "readable",
    "replacing",
    "save_result",
    "write_meshes",
    "write_volume",
]
