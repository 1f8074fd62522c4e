"""The operators in Blender's own menus, and the pie menu."""

from typing import Any, cast

import bpy

from ..operators.presets import PRESET_FOLDER
from ..operators.selection.selected import carve_refusal
from ..settings import scene_settings


class VOXEL_CARVE_MT_presets(bpy.types.Menu):  # noqa: N801 - Blender's naming
    """The menu of presets."""

    bl_label = "Presets"
    preset_subdir = PRESET_FOLDER
    preset_operator = "script.execute_preset"
    draw = cast(Any, bpy.types.Menu).draw_preset


class OBJECT_MT_voxel_carve(bpy.types.Menu):  # noqa: N801
    """Carve and remesh through voxels."""

    bl_label = "Voxel Carve"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the operators."""
        layout = cast(bpy.types.UILayout, self.layout)
        layout.operator("object.voxel_carve", text="Carve", icon="MOD_BOOLEAN", search_weight=1.0)
        layout.operator("object.voxel_carve_update", icon="FILE_REFRESH")
        layout.operator("object.voxel_carve_apply", icon="CHECKMARK")
        layout.operator("object.voxel_carve_bake", icon="RENDER_ANIMATION")
        layout.separator()
        layout.menu("VOXEL_CARVE_MT_presets")
        layout.separator()
        layout.operator("object.voxel_carve_voxelize")
        layout.operator("object.voxel_carve_offset")
        layout.operator("object.voxel_carve_boolean")
        layout.separator()
        layout.operator("curve.voxel_carve_fit_path")
        if not _is_search(context):  # it is in Add > Curve too
            layout.operator("curve.voxel_carve_path_add")


class VIEW3D_MT_voxel_carve_pie(bpy.types.Menu):  # noqa: N801
    """The operators as a pie menu, for a key of the user's choice."""

    bl_label = "Voxel Carve"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Fill the pie in Blender's order: west, east, south, north, then the corners.

        The search of menus (F3) finds it by its keymap entry, and would list everything a second time.
        """
        if _is_search(context):
            return
        pie = cast(bpy.types.UILayout, self.layout).menu_pie()
        pie.operator("object.voxel_carve", text="Carve", icon="MOD_BOOLEAN")
        pie.operator("object.voxel_carve_voxelize", icon="MESH_GRID")
        pie.operator("object.voxel_carve_boolean", icon="SELECT_SUBTRACT")
        pie.operator("object.voxel_carve_offset", icon="MOD_SOLIDIFY")
        pie.operator("curve.voxel_carve_path_add", icon="CURVE_PATH")
        pie.prop(scene_settings(context), "show_overlay", icon="OVERLAY")


def _is_search(context: bpy.types.Context) -> bool:
    """Whether a menu is drawn for the search of menus, to list what is in it."""
    return bool(getattr(context, "is_menu_search", False))


def draw_object_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add the submenu at the start of the Object menu."""
    layout = cast(bpy.types.UILayout, menu.layout)
    layout.menu("OBJECT_MT_voxel_carve")
    layout.separator()


def draw_object_context_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add Carve to the context menu of objects, if several are selected and it can start."""
    if len(context.selected_objects or ()) > 1 and carve_refusal(context) is None:
        layout = cast(bpy.types.UILayout, menu.layout)
        layout.separator()
        layout.operator("object.voxel_carve", icon="MOD_BOOLEAN")


def draw_curve_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add the paths to the Add > Curve menu."""
    layout = cast(bpy.types.UILayout, menu.layout)
    layout.separator()
    layout.operator("curve.voxel_carve_path_add", text="Carving Path", icon="CURVE_PATH")
    layout.operator("curve.voxel_carve_from_annotation", icon="GREASEPENCIL")


def draw_import_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add the formats of toolpaths to the File > Import menu."""
    layout = cast(bpy.types.UILayout, menu.layout)
    layout.operator("import_curve.voxel_carve_toolpath", text="Toolpath (.csv/.svg/.dxf/...)")


# Blender's menus by name, and the function that draws in each. Blender's own entries of the Object menu fill the height
# of a window of 800 pixels, so what stands at the end of that menu is hidden there.
AT_START = (("VIEW3D_MT_object", draw_object_menu),)
AT_END = (
    ("VIEW3D_MT_object_context_menu", draw_object_context_menu),
    ("VIEW3D_MT_curve_add", draw_curve_menu),
    ("TOPBAR_MT_file_import", draw_import_menu),
)
ADDED = AT_START + AT_END


def add_to_menus() -> None:
    """Add to Blender's menus."""
    for name, draw in AT_START:
        getattr(bpy.types, name).prepend(draw)
    for name, draw in AT_END:
        getattr(bpy.types, name).append(draw)


def remove_from_menus() -> None:
    """Remove from Blender's menus."""
    for name, draw in reversed(ADDED):
        getattr(bpy.types, name).remove(draw)
