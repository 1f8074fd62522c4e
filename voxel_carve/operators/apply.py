"""Turn results into ordinary objects."""

import bpy

from ..compute import InputError
from ..printing import printable
from ..recipes.path_display import settle_displays
from ..recipes.recipe import forget, refuse_forgetting, shown_fingerprint
from ..recipes.watching import forget_watch
from ..translations import report_text
from .selection.target import chosen_results, recipe_refusal


class OBJECT_OT_voxel_carve_apply(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Drop the recipe of the active result, or of the selected ones; the meshes stay as they are."""

    bl_idname = "object.voxel_carve_apply"
    bl_label = "Apply"
    bl_description = "Keep the mesh as it is, and forget what it was carved from"
    bl_options = {"REGISTER", "UNDO"}

    all_selected: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="All Selected",
        description="Apply every selected result, and not only the active one",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether there is a recipe; sets the message if not."""
        refusal = recipe_refusal(context)
        if refusal:
            cls.poll_message_set(report_text(refusal))
        return refusal is None

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Drop all of the recipes, or none."""
        objs = chosen_results(context, self.all_selected)
        try:
            for obj in objs:
                refuse_forgetting(obj)
        except InputError as error:
            self.report({"ERROR"}, printable(str(error)))
            return {"CANCELLED"}
        for obj in objs:
            if not shown_fingerprint(obj):
                sentence = (
                    f"'{obj.name}' keeps the coarse preview that it shows: undo and update it first, if not meant"
                )
                self.report({"WARNING"}, printable(sentence))
            forget(obj)
        forget_watch()
        settle_displays()
        names = f"'{objs[0].name}'" if len(objs) == 1 else f"{len(objs)} objects"
        self.report({"INFO"}, printable(f"{names} applied: no longer carved again"))
        return {"FINISHED"}
