"""Turn results into ordinary objects."""

import bpy

from ..compute import InputError
from ..compute.runtime import Sentence
from ..printing import printable
from ..recipes.path_display import settle_displays
from ..recipes.recipe import forget, refuse_forgetting, shown_fingerprint
from ..recipes.stock_display import leave_hidden
from ..recipes.watching import forget_watch
from ..translations.telling import told
from .selection.selected import may_run
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
        return may_run(cls, recipe_refusal(context))

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Drop all of the recipes, or none."""
        objs = chosen_results(context, self.all_selected)
        try:
            for obj in objs:
                refuse_forgetting(obj)
        except InputError as error:
            self.report({"ERROR"}, printable(told(error)))
            return {"CANCELLED"}
        leave_hidden(objs)
        for obj in objs:
            if not shown_fingerprint(obj):
                sentence = Sentence(
                    "'{name}' keeps the coarse preview that it shows: undo and update it first, if not meant",
                    name=obj.name,
                )
                self.report({"WARNING"}, printable(told(sentence)))
            forget(obj)
        forget_watch()
        settle_displays()
        sentence = Sentence("{count} objects applied: no longer carved again", count=len(objs))
        if len(objs) == 1:
            sentence = Sentence("'{name}' applied: no longer carved again", name=objs[0].name)
        self.report({"INFO"}, printable(told(sentence)))
        return {"FINISHED"}
