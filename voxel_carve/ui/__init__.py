"""The panel and the menu."""

from .menu import OBJECT_MT_voxel_carve, draw_object_menu
from .panel import VIEW3D_PT_voxel_carve
from .panel_recipe import VIEW3D_PT_voxel_carve_recipe

CLASSES: tuple[type, ...] = (OBJECT_MT_voxel_carve, VIEW3D_PT_voxel_carve, VIEW3D_PT_voxel_carve_recipe)

__all__ = ["CLASSES", "draw_object_menu"]
