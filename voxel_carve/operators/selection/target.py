"""What Carve or Update would work on: a new carve of the selected objects, or a result that is already there."""

from dataclasses import dataclass
from typing import Any, cast

import bpy

from ...compute import InputError
from ...recipes.recipe import CarveRecipe, ingredients, is_recipe, owns, recipe_of
from ...recipes.watching import result as result_with
from ...recipes.watching import watch
from ...scene.presence import is_among
from ...scene.reading.read import is_path, is_stock
from ...settings import VoxelCarveSettings, scene_settings
from .selected import Selection, active_object, selected_objects, selection

# Both have the properties of a carve.
CarveSettings = CarveRecipe | VoxelCarveSettings


@dataclass(frozen=True)
class Target:
    """What the panel shows, and what its button works on.

    Attributes:
        result: the result that Update would carve again; None for a new carve.
        settings: the recipe of the result, or the settings of the next carve.
        objects: the stocks and the paths.
    """

    result: bpy.types.Object | None
    settings: CarveSettings
    objects: Selection


def target(context: bpy.types.Context) -> Target:
    """What Carve or Update would work on."""
    result = result_in_question(context)
    if result is None:
        return Target(None, scene_settings(context), selection(context))
    try:
        stock, paths = ingredients(result)
        objects = Selection((stock,), tuple(paths), owns(recipe_of(result)))
    except InputError:  # Update says what is missing
        objects = Selection((), ())
    return Target(result, recipe_of(result), objects)


def result_in_question(context: bpy.types.Context) -> bpy.types.Object | None:
    """The result to carve again: the active one, or one whose path is active.

    None if the selection holds what the result is not made from: then it asks for a new carve.
    """
    active, chosen = active_object(context), selected_objects(context)
    result = active if is_recipe(active) else _result_along(active, chosen, context)
    if result is None:
        return None
    own = {item.path for obj in (result, *chosen) if is_recipe(obj) for item in cast(Any, recipe_of(obj)).paths}
    if result in (active, *chosen):
        own.add(recipe_of(result).stock)
    others = (obj for obj in chosen if obj not in own and not is_recipe(obj))
    return None if any(is_stock(obj) or is_path(obj) for obj in others) else result


def _result_along(
    path: bpy.types.Object | None, chosen: list[bpy.types.Object], context: bpy.types.Context
) -> bpy.types.Object | None:
    """A result that was carved along a path, a selected one if there is; None if another stock is chosen to carve."""
    if path is None:
        return None
    picked = scene_settings(context).stock
    layer = cast(bpy.types.ViewLayer, context.view_layer)
    found = [obj for uid in sorted(watch().by_path.get(path.session_uid, ())) if (obj := result_with(uid))]
    found = [obj for obj in found if is_among(obj, layer.objects) and picked in (None, recipe_of(obj).stock)]
    return min(found, key=lambda obj: obj not in chosen, default=None)


def chosen_results(context: bpy.types.Context, all_selected: bool = False) -> list[bpy.types.Object]:
    """The active result, else the one in question; all selected results if asked for, or if there is no such one."""
    active = active_object(context)
    one = active if is_recipe(active) else result_in_question(context)
    chosen = [obj for obj in selected_objects(context) if is_recipe(obj)]
    return chosen if one is None or (all_selected and chosen) else [one]


def recipe_refusal(context: bpy.types.Context) -> str | None:
    """Why there is no recipe to work on, for the user; None if there is one."""
    return None if chosen_results(context) else "No recipe: make the result of a carve active"
