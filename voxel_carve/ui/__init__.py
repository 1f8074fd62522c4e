"""Panels, menus and the other visible parts of the interface."""

from pathlib import Path

import bpy

from . import answers
from .keymap import add_keymap_item, remove_keymap_item
from .manual import add_manual, remove_manual
from .menu import (
    OBJECT_MT_voxel_carve,
    VIEW3D_MT_voxel_carve_pie,
    VOXEL_CARVE_MT_presets,
    add_to_menus,
    remove_from_menus,
)
from .overlay import add_overlay, remove_overlay
from .panel import VIEW3D_PT_voxel_carve, VIEW3D_PT_voxel_carve_presets
from .panel_children import (
    VIEW3D_PT_voxel_carve_advanced,
    VIEW3D_PT_voxel_carve_last_result,
    VIEW3D_PT_voxel_carve_options,
    VIEW3D_PT_voxel_carve_surface,
    VIEW3D_PT_voxel_carve_tools,
)
from .panel_recipe import VIEW3D_PT_voxel_carve_paths, VIEW3D_PT_voxel_carve_recipe
from .path_list import VOXEL_CARVE_UL_paths

CLASSES: tuple[type, ...] = (
    VOXEL_CARVE_MT_presets,
    VOXEL_CARVE_UL_paths,
    OBJECT_MT_voxel_carve,
    VIEW3D_MT_voxel_carve_pie,
    VIEW3D_PT_voxel_carve_presets,
    VIEW3D_PT_voxel_carve,
    VIEW3D_PT_voxel_carve_paths,
    VIEW3D_PT_voxel_carve_surface,
    VIEW3D_PT_voxel_carve_options,
    VIEW3D_PT_voxel_carve_recipe,
    VIEW3D_PT_voxel_carve_last_result,
    VIEW3D_PT_voxel_carve_advanced,
    VIEW3D_PT_voxel_carve_tools,
)

# The folder that holds the presets of the extension.
SHIPPED = str(Path(__file__).resolve().parents[1])


def register() -> None:
    """Add the parts that are not classes, after the classes are registered."""
    add_to_menus()
    add_keymap_item()
    add_manual()
    add_overlay()
    bpy.utils.register_preset_path(SHIPPED)


def unregister() -> None:
    """Remove them, before the classes are unregistered."""
    bpy.utils.unregister_preset_path(SHIPPED)
    answers.forget()
    remove_overlay()
    remove_manual()
    remove_keymap_item()
    remove_from_menus()


__all__ = ["CLASSES", "register", "unregister"]
