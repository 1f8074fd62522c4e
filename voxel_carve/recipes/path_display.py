"""Paths drawn as wire while there is a result of them, so that their bevels do not fill their own grooves.

A path with a bevel or a fill is drawn as bounds, because the wire of its faces would hide the groove as well. A path
keeps how it was drawn before. It returns to that when no result asks for wire any more: it was applied or deleted, or
the setting was switched off. What the user changes meanwhile stays as it is.
"""

from typing import Any, cast

import bpy

from ..scene.presence import is_in_a_scene
from ..scene.reading.splines import becomes_faces, legacy_curve
from .recipe import recipe_of
from .watching import results

WIRE: Any = "WIRE"
BOUNDS: Any = "BOUNDS"


class CarvePathDisplay(bpy.types.PropertyGroup):
    """How an object was drawn before a result asked for wire, and how it was drawn then; `is_kept` while one does."""

    is_kept: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    display_type: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    given_type: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    hide_render: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]


def display_of(obj: bpy.types.Object) -> CarvePathDisplay:
    """How an object was drawn before."""
    display: CarvePathDisplay = cast(Any, obj).voxel_carve_display
    return display


def settle_displays() -> None:
    """Draw the paths of results as wire, where these ask for it, and all others as they were before."""
    recipes = [recipe_of(obj) for obj in results() if is_in_a_scene(obj)]
    wanted = {item.path for recipe in recipes if recipe.wire_paths for item in cast(Any, recipe).paths}
    wanted -= {recipe.stock for recipe in recipes}  # an empty can be both, and a stock is hidden
    for obj in bpy.data.objects:
        display = display_of(obj)
        if not obj.is_editable or (obj in wanted) == display.is_kept:
            continue
        if display.is_kept:
            _restore(obj, display)
        else:
            _draw_lightly(obj, display)


def _draw_lightly(obj: bpy.types.Object, display: CarvePathDisplay) -> None:
    display.is_kept, display.display_type, display.hide_render = True, obj.display_type, obj.hide_render
    obj.hide_render = True
    curve = legacy_curve(obj)
    if curve and becomes_faces(curve):
        obj.display_type = BOUNDS
    elif obj.display_type != BOUNDS:
        obj.display_type = WIRE
    display.given_type = obj.display_type


def _restore(obj: bpy.types.Object, display: CarvePathDisplay) -> None:
    if obj.display_type == display.given_type:
        obj.display_type = cast(Any, display.display_type)
    if obj.hide_render:
        obj.hide_render = display.hide_render
    for name in ("is_kept", "display_type", "given_type", "hide_render"):
        display.property_unset(name)
