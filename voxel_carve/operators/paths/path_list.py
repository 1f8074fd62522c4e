"""Add paths to a list, remove them, and move them: in the recipe of a result, or in the settings of a scene."""

from typing import TYPE_CHECKING, Any, cast

import bpy

from ...backend_status import capitalized
from ...compute.runtime import Sentence
from ...printing import printable
from ...recipes.recipe import is_recipe, notify, recipe_of
from ...scene.reading.read import is_path
from ...settings import scene_settings
from ...translations.telling import told
from ..selection.selected import active_object, context_refusal, may_run, selected_objects
from ..selection.target import chosen_results

if TYPE_CHECKING:
    OperatorBase = bpy.types.Operator
else:
    OperatorBase = object  # Blender requires its own class to be the last base, and only once


class RecipeList(OperatorBase):
    """The list of a recipe: of the active result, else of the one in question."""

    @classmethod
    def owner(cls, context: bpy.types.Context) -> Any:
        """What has the list; None if there is none."""
        results = chosen_results(context) if context_refusal(context) is None else []
        return recipe_of(results[0]) if results else None

    @classmethod
    def owner_refusal(cls) -> str:
        """Why there is no list."""
        return "No recipe: make the result of a carve active"


class SceneList(OperatorBase):
    """The list of the scene's settings."""

    @classmethod
    def owner(cls, context: bpy.types.Context) -> Any:
        """What has the list."""
        return scene_settings(context) if context_refusal(context) is None else None

    @classmethod
    def owner_refusal(cls) -> str:
        """Why there is no list."""
        return "No scene: nothing can be read"


class AddPaths(OperatorBase):
    """Add the selected paths at the end."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether a path is selected that is not in the list; sets the message if not."""
        owner, refusal = cast(Any, cls).owner(context), None
        if owner is None:
            refusal = cast(Any, cls).owner_refusal()
        elif not _more_paths(owner, context):
            refusal = "Nothing to add: select curves, texts or edges that are not in the list yet"
        return may_run(cls, refusal)

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Add them."""
        owner = cast(Any, self).owner(context)
        for obj in _more_paths(owner, context):
            item = owner.paths.add()
            item.radius = owner.radius or item.radius
            item.path = obj
        owner.path_index = len(owner.paths) - 1
        return {"FINISHED"}


class PathOfList(OperatorBase):
    """Base of the operators on one path of a list."""

    index: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Number",
        description="Of the path in the list, from 0; -1 is the active one",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether there is a path in the list; sets the message if not."""
        owner, refusal = cast(Any, cls).owner(context), None
        if owner is None:
            refusal = cast(Any, cls).owner_refusal()
        elif not owner.paths:
            refusal = "The list is empty: add a path first"
        return may_run(cls, refusal)

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Change the list, and tell of it."""
        owner = cast(Any, self).owner(context)
        number = owner.path_index if self.index < 0 else self.index
        if not 0 <= number < len(owner.paths):
            message = Sentence(
                "the list has no path number {number}: its last is {count}", count=len(owner.paths), number=number + 1
            )
            self.report({"ERROR"}, printable(capitalized(told(message))))
            return {"CANCELLED"}
        self.change(owner, number)
        if isinstance(owner.id_data, bpy.types.Object):
            notify(owner.id_data)
        return {"FINISHED"}

    def change(self, owner: Any, number: int) -> None:
        """Change the list at this place."""
        raise NotImplementedError


class RemovePath(PathOfList):
    """Remove a path; its object stays."""

    def change(self, owner: Any, number: int) -> None:
        """Remove it."""
        owner.paths.remove(number)
        owner.path_index = min(owner.path_index, max(len(owner.paths) - 1, 0))


class MovePath(PathOfList):
    """Move a path by one place; at an end it stays."""

    direction: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Direction",
        description="Where to",
        items=(("UP", "Up", "To be carved earlier"), ("DOWN", "Down", "To be carved later")),
        options={"SKIP_SAVE"},
    )

    def change(self, owner: Any, number: int) -> None:
        """Move it, and make it the active one."""
        place = number + (1 if self.direction == "DOWN" else -1)
        place = min(max(place, 0), len(owner.paths) - 1)
        owner.paths.move(number, place)
        owner.path_index = place


class OBJECT_OT_voxel_carve_recipe_add(AddPaths, RecipeList, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Add the selected paths to the recipe of the active result."""

    bl_idname = "object.voxel_carve_recipe_add"
    bl_label = "Add Selected Paths"
    bl_description = "Carve the active result along the selected paths as well"
    bl_options = {"REGISTER", "UNDO"}


class OBJECT_OT_voxel_carve_recipe_remove(RemovePath, RecipeList, bpy.types.Operator):  # noqa: N801
    """Remove a path from the recipe of the active result."""

    bl_idname = "object.voxel_carve_recipe_remove"
    bl_label = "Remove Path"
    bl_description = "Carve the active result without this path"
    bl_options = {"REGISTER", "UNDO"}


class OBJECT_OT_voxel_carve_recipe_move(MovePath, RecipeList, bpy.types.Operator):  # noqa: N801
    """Move a path of the recipe of the active result."""

    bl_idname = "object.voxel_carve_recipe_move"
    bl_label = "Move Path"
    bl_description = "Carve along this path earlier or later"
    bl_options = {"REGISTER", "UNDO"}


class SCENE_OT_voxel_carve_list_add(AddPaths, SceneList, bpy.types.Operator):  # noqa: N801
    """Add the selected paths to the list of the scene."""

    bl_idname = "scene.voxel_carve_list_add"
    bl_label = "Add Selected Paths"
    bl_description = "Carve along the selected paths, whatever is selected later"
    bl_options = {"REGISTER", "UNDO"}


class SCENE_OT_voxel_carve_list_remove(RemovePath, SceneList, bpy.types.Operator):  # noqa: N801
    """Remove a path from the list of the scene."""

    bl_idname = "scene.voxel_carve_list_remove"
    bl_label = "Remove Path"
    bl_description = "Remove this path from the list"
    bl_options = {"REGISTER", "UNDO"}


class SCENE_OT_voxel_carve_list_move(MovePath, SceneList, bpy.types.Operator):  # noqa: N801
    """Move a path of the list of the scene."""

    bl_idname = "scene.voxel_carve_list_move"
    bl_label = "Move Path"
    bl_description = "Carve along this path earlier or later"
    bl_options = {"REGISTER", "UNDO"}


CLASSES: tuple[type, ...] = (
    OBJECT_OT_voxel_carve_recipe_add,
    OBJECT_OT_voxel_carve_recipe_remove,
    OBJECT_OT_voxel_carve_recipe_move,
    SCENE_OT_voxel_carve_list_add,
    SCENE_OT_voxel_carve_list_remove,
    SCENE_OT_voxel_carve_list_move,
)


def _more_paths(owner: Any, context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected paths that are not in a list; a result is no path of itself."""
    known = {owner.id_data, active_object(context) if is_recipe(active_object(context)) else None}
    known |= {item.path for item in owner.paths}
    return [obj for obj in selected_objects(context) if obj not in known and is_path(obj)]
