"""Add paths to the recipe of a result, and remove them."""

from typing import Any, cast

import bpy

from ...compute.runtime import Sentence
from ...printing import printable
from ...recipes.recipe import is_recipe, notify, recipe_of
from ...scene.reading.read import is_path
from ...translations.telling import told
from ..selection.selected import active_object, selected_objects


class OBJECT_OT_voxel_carve_recipe_add(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Add the selected paths to the recipe of the active result."""

    bl_idname = "object.voxel_carve_recipe_add"
    bl_label = "Add Selected Paths"
    bl_description = "Carve the active result along the selected paths as well"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether a result is active and a path selected that is not in its recipe."""
        refusal = None
        if not is_recipe(active_object(context)):
            refusal = "No recipe: make the result of a carve active"
        elif not _more_paths(context):
            refusal = "Nothing to add: select curves, texts or edges that are no paths of the result yet"
        if refusal:
            cls.poll_message_set(told(refusal))
        return refusal is None

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Add them at the end."""
        paths = cast(Any, recipe_of(cast(bpy.types.Object, active_object(context)))).paths
        for obj in _more_paths(context):
            paths.add().path = obj
        return {"FINISHED"}


class OBJECT_OT_voxel_carve_recipe_remove(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Remove a path from the recipe of the active result."""

    bl_idname = "object.voxel_carve_recipe_remove"
    bl_label = "Remove Path"
    bl_description = "Carve the active result without this path"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Number", description="Of the path in the list, from 0", min=0, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether a result is active."""
        if not is_recipe(active_object(context)):
            cls.poll_message_set(told("No recipe: make the result of a carve active"))
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Remove it from the recipe; the path object stays."""
        obj = cast(bpy.types.Object, active_object(context))
        paths = cast(Any, recipe_of(obj)).paths
        if self.index >= len(paths):
            message = Sentence(
                "'{name}' has {count} paths: there is no number {number}",
                name=obj.name,
                count=len(paths),
                number=self.index + 1,
            )
            self.report({"ERROR"}, printable(told(message)))
            return {"CANCELLED"}
        paths.remove(self.index)
        notify(obj)
        return {"FINISHED"}


def _more_paths(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected paths that are not in the recipe of the active result."""
    active = cast(bpy.types.Object, active_object(context))
    known = {active, *(item.path for item in cast(Any, recipe_of(active)).paths)}
    return [obj for obj in selected_objects(context) if obj not in known and is_path(obj)]
