"""The submenu of the Object menu."""

from typing import cast

import bpy


class OBJECT_MT_voxel_carve(bpy.types.Menu):  # noqa: N801 - Blender's naming
    """Carve and remesh through voxels."""

    bl_label = "Voxel Carve"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the operators."""
        layout = cast(bpy.types.UILayout, self.layout)
        layout.operator("object.voxel_carve", text="Carve")
        layout.separator()
        layout.operator("object.voxel_carve_voxelize")
        layout.operator("object.voxel_carve_offset")
        layout.operator("object.voxel_carve_boolean")


def draw_object_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add the submenu at the end of the Object menu."""
    layout = cast(bpy.types.UILayout, menu.layout)
    layout.separator()
    layout.menu("OBJECT_MT_voxel_carve")
