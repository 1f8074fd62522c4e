"""Carve results again."""

from typing import Any, cast

import bpy

from .jobs.job import Job
from .jobs.recarving import read_update_job
from .jobs.voxel_operator import VoxelOperator
from .selection.target import chosen_results, recipe_refusal


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

    def read(self, context: bpy.types.Context) -> Job[Any]:
        """Read the stocks and paths of the recipes."""
        return read_update_job(context, chosen_results(context, self.all_selected))

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show which results are updated."""
        cast(bpy.types.UILayout, self.layout).prop(self, "all_selected")
