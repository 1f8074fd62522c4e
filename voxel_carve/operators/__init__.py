"""Operators: settings in, job run, result reported."""

from .boolean import OBJECT_OT_voxel_carve_boolean
from .cancel import WM_OT_voxel_carve_cancel
from .carve import OBJECT_OT_voxel_carve
from .offset import OBJECT_OT_voxel_carve_offset
from .voxelize import OBJECT_OT_voxel_carve_voxelize

CLASSES: tuple[type, ...] = (
    OBJECT_OT_voxel_carve,
    OBJECT_OT_voxel_carve_voxelize,
    OBJECT_OT_voxel_carve_offset,
    OBJECT_OT_voxel_carve_boolean,
    WM_OT_voxel_carve_cancel,
)
