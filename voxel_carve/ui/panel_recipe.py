"""The panel of a result: its recipe, and how it is updated."""

from typing import Any, cast

import bpy

from ..recipes.recipe import CarveRecipe, is_recipe, recipe_of, shown_fingerprint
from ..recipes.watching import is_outdated
from ..translations import interface_text


class VIEW3D_PT_voxel_carve_recipe(bpy.types.Panel):  # noqa: N801 - Blender's naming
    """The recipe of the active object."""

    bl_label = "Recipe"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Voxel Carve"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether the active object was carved."""
        return is_recipe(context.active_object)

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show stock, paths, settings, and how the result is updated."""
        layout, obj = cast(bpy.types.UILayout, self.layout), cast(bpy.types.Object, context.active_object)
        recipe = recipe_of(obj)
        layout.use_property_split = True
        layout.use_property_decorate = False
        _draw_state(layout, obj, recipe)
        layout.prop(recipe, "stock")
        _draw_paths(layout, recipe)
        _draw_settings(layout, recipe)
        column = layout.column()
        column.prop(recipe, "live")
        column.prop(recipe, "on_frame_change")
        row = layout.row(align=True)
        row.operator("object.voxel_carve_update", icon="FILE_REFRESH")
        row.operator("object.voxel_carve_apply", icon="CHECKMARK")
        layout.operator("object.voxel_carve_bake", icon="RENDER_ANIMATION")


def _draw_state(layout: bpy.types.UILayout, obj: bpy.types.Object, recipe: CarveRecipe) -> None:
    """Show why the result is not up to date, if it is not."""
    if recipe.message:
        column = layout.column(align=True)
        column.alert = True
        what, _, remedy = recipe.message.partition(": ")
        column.label(text=what, icon="ERROR", translate=False)
        if remedy:
            column.label(text=remedy[0].upper() + remedy[1:], icon="BLANK1", translate=False)
    elif not shown_fingerprint(obj):
        layout.label(text=interface_text("Preview"), icon="TIME")
    elif is_outdated(obj):
        layout.label(text=interface_text("Out of Date"), icon="INFO")


def _draw_paths(layout: bpy.types.UILayout, recipe: CarveRecipe) -> None:
    column = layout.column(align=True)
    for number, item in enumerate(cast(Any, recipe).paths):
        row = column.row(align=True)
        row.prop(item, "path", text="" if number else "Paths")
        cast(Any, row.operator("object.voxel_carve_recipe_remove", text="", icon="REMOVE")).index = number
    column.operator("object.voxel_carve_recipe_add", icon="ADD")


def _draw_settings(layout: bpy.types.UILayout, recipe: CarveRecipe) -> None:
    column = layout.column()
    column.row().prop(recipe, "size_mode", expand=True)
    column.prop(recipe, "resolution" if recipe.size_mode == "RESOLUTION" else "voxel_size")
    column.prop(recipe, "radius_mode")
    if recipe.radius_mode == "VALUE":
        column.prop(recipe, "radius")
    for name in ("radius_factor", "operation", "result", "adaptivity", "tolerance", "backend", "cut_material"):
        column.prop(recipe, name)
    for name in ("shade_smooth", "transfer_attributes", "custom_normals", "verify"):
        column.prop(recipe, name)
