"""Carve results again."""

from typing import cast

import bpy

from ..compute import CarveResult
from ..recipes.recipe import is_recipe
from .jobs.job import Job
from .jobs.recarving import read_update_job
from .jobs.selection import active_object, selected_objects
from .jobs.voxel_operator import VoxelOperator


class OBJECT_OT_voxel_carve_update(VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Carve the active result, or the selected ones, again from their recipes."""

    bl_idname = "object.voxel_carve_update"
    bl_label = "Update"
    bl_description = "Carve the result again, as its stock, its paths and its settings are now"
    bl_options = {"REGISTER", "UNDO"}

    all_selected: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="All Selected",
        description="Update every selected result, and not only the active one",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say why there is nothing to update."""
        return recipe_refusal(context)

    def read(self, context: bpy.types.Context) -> Job[list[CarveResult]]:
        """Read the stocks and paths of the recipes."""
        return read_update_job(context, chosen(context, self.all_selected))

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show which results are updated."""
        cast(bpy.types.UILayout, self.layout).prop(self, "all_selected")


def recipe_refusal(context: bpy.types.Context) -> str | None:
    """Why there is no recipe to work on, for the user; None if the active object or a selected one has a recipe."""
    if is_recipe(active_object(context)) or any(is_recipe(obj) for obj in selected_objects(context)):
        return None
    return "No recipe: make the result of a carve active"


def chosen(context: bpy.types.Context, all_selected: bool) -> list[bpy.types.Object]:
    """The active result, or all selected results if asked for or if the active object is no result."""
    active = active_object(context)
    if is_recipe(active) and not all_selected:
        return [cast(bpy.types.Object, active)]
    return [obj for obj in selected_objects(context) if is_recipe(obj)]
