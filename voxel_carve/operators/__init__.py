"""Operators: settings in, job run, result reported."""

from .apply import OBJECT_OT_voxel_carve_apply
from .bake import OBJECT_OT_voxel_carve_bake
from .boolean import OBJECT_OT_voxel_carve_boolean
from .cancel import WM_OT_voxel_carve_cancel
from .carve import OBJECT_OT_voxel_carve
from .check_backend import WM_OT_voxel_carve_check_backend
from .diagnostics import WM_OT_voxel_carve_copy_diagnostics
from .kernels import WM_OT_voxel_carve_clear_kernels
from .offset import OBJECT_OT_voxel_carve_offset
from .paths.fit_path import CURVE_OT_voxel_carve_fit_path
from .paths.from_annotation import CURVE_OT_voxel_carve_from_annotation
from .paths.import_toolpath import IMPORT_CURVE_OT_voxel_carve_toolpath, VIEW3D_FH_voxel_carve_toolpath
from .paths.path_add import CURVE_OT_voxel_carve_path_add
from .paths.path_list import CLASSES as PATH_LIST_CLASSES
from .presets import WM_OT_voxel_carve_preset_add
from .update import OBJECT_OT_voxel_carve_update
from .voxelize import OBJECT_OT_voxel_carve_voxelize
from .voxels import SCENE_OT_voxel_carve_fit_voxels

CLASSES: tuple[type, ...] = (
    OBJECT_OT_voxel_carve,
    OBJECT_OT_voxel_carve_voxelize,
    OBJECT_OT_voxel_carve_offset,
    OBJECT_OT_voxel_carve_boolean,
    WM_OT_voxel_carve_cancel,
    OBJECT_OT_voxel_carve_update,
    OBJECT_OT_voxel_carve_apply,
    OBJECT_OT_voxel_carve_bake,
    SCENE_OT_voxel_carve_fit_voxels,
    *PATH_LIST_CLASSES,
    CURVE_OT_voxel_carve_from_annotation,
    CURVE_OT_voxel_carve_path_add,
    CURVE_OT_voxel_carve_fit_path,
    IMPORT_CURVE_OT_voxel_carve_toolpath,
    VIEW3D_FH_voxel_carve_toolpath,
    WM_OT_voxel_carve_preset_add,
    WM_OT_voxel_carve_check_backend,
    WM_OT_voxel_carve_clear_kernels,
    WM_OT_voxel_carve_copy_diagnostics,
)
