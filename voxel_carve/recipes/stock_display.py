"""Stocks are hidden while there is a result of them. When the last one is deleted, they show again as before.

What the user changes meanwhile stays as it is. A result that is applied leaves its stock hidden.
"""

from typing import Any, cast

import bpy

from ..scene.presence import is_in_a_scene
from .recipe import recipe_of
from .watching import results


class CarveStockDisplay(bpy.types.PropertyGroup):
    """How an object was shown before it was hidden; `is_kept` while there is a result of it."""

    is_kept: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    was_visible: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    hide_render: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]


def how_shown(obj: bpy.types.Object) -> tuple[bool, bool]:
    """Whether an object is visible in a view layer, and whether it is hidden in renders."""
    return any(not obj.hide_get(view_layer=layer) for layer in _layers(obj)), obj.hide_render


def keep_shown(obj: bpy.types.Object, shown: tuple[bool, bool]) -> None:
    """Remember how a stock was shown before a new result hid it, unless another result had hidden it already."""
    display = _display_of(obj)
    if obj.is_editable and not display.is_kept:
        display.is_kept, (display.was_visible, display.hide_render) = True, shown


def leave_hidden(objs: list[bpy.types.Object]) -> None:
    """Forget how the stocks of these results were shown, before they are applied. Those of other results too stay."""
    others = {recipe_of(each).stock for each in results() if each not in objs}
    for stock in {recipe_of(obj).stock for obj in objs} - others:
        if stock is not None and stock.is_editable:
            _forget(stock)


def settle_stocks() -> None:
    """Show the stocks again that have no result any more."""
    wanted = _stocks()
    for obj in bpy.data.objects:
        display = _display_of(obj)
        if not display.is_kept or not obj.is_editable or obj in wanted:
            continue
        if display.was_visible:
            for layer in _layers(obj):
                obj.hide_set(False, view_layer=layer)
        if obj.hide_render:
            obj.hide_render = display.hide_render
        _forget(obj)


def hide_stocks_again() -> None:
    """Hide the stocks that undo has given their results back. Undo does not know that they were shown meanwhile."""
    for obj in _stocks():
        display = _display_of(obj)
        if display.is_kept or not obj.is_editable or not is_in_a_scene(obj):
            continue
        keep_shown(obj, how_shown(obj))
        for layer in _layers(obj):
            obj.hide_set(True, view_layer=layer)
        obj.hide_render = True


def _stocks() -> set[bpy.types.Object]:
    recipes = [recipe_of(obj) for obj in results() if is_in_a_scene(obj)]
    return {recipe.stock for recipe in recipes if recipe.stock is not None}


def _layers(obj: bpy.types.Object) -> list[bpy.types.ViewLayer]:
    layers = [layer for scene in bpy.data.scenes for layer in scene.view_layers]
    return [layer for layer in layers if obj in layer.objects.values()]


def _display_of(obj: bpy.types.Object) -> CarveStockDisplay:
    display: CarveStockDisplay = cast(Any, obj).voxel_carve_stock_display
    return display


def _forget(obj: bpy.types.Object) -> None:
    for name in ("is_kept", "was_visible", "hide_render"):
        _display_of(obj).property_unset(name)
