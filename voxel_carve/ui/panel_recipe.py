"""The subpanels of a result: the paths of its recipe, and how it is updated."""

from typing import Any, cast

import bpy

from ..operators.selection.target import result_in_question, target
from ..recipes.recipe import recipe_of
from .panel import split_layout
from .panel_children import ChildPanel
from .path_list import draw_path_list


class VIEW3D_PT_voxel_carve_paths(ChildPanel, bpy.types.Panel):  # noqa: N801 - Blender's naming
    """The list of paths of a result, or of the next carve."""

    bl_label = "Paths"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the list."""
        draw_path_list(split_layout(self), target(context).settings)


class VIEW3D_PT_voxel_carve_recipe(ChildPanel, bpy.types.Panel):  # noqa: N801
    """How a result is updated."""

    bl_label = "Recipe"
    bl_options: Any = set()  # open, because Apply and Bake are there

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether a result is in question."""
        return result_in_question(context) is not None

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show when the result is carved again by itself, and what else can become of it."""
        layout = split_layout(self)
        recipe = recipe_of(cast(bpy.types.Object, result_in_question(context)))
        column = layout.column()
        column.use_property_split = False  # the names need the whole width
        column.prop(recipe, "live")
        column.prop(recipe, "on_frame_change")
        row = layout.row(align=True)
        row.operator("object.voxel_carve_apply", icon="CHECKMARK")
        row.operator("object.voxel_carve_bake", icon="RENDER_ANIMATION")
