"""The panel, the menu and the viewport overlay."""

from .menu import OBJECT_MT_voxel_carve, draw_object_menu
from .overlay import add_overlay, remove_overlay
from .panel import VIEW3D_PT_voxel_carve

CLASSES: tuple[type, ...] = (OBJECT_MT_voxel_carve, VIEW3D_PT_voxel_carve)

__all__ = ["CLASSES", "add_overlay", "draw_object_menu", "remove_overlay"]
