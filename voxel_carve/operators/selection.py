"""What is selected, and why a job cannot start with it."""

from dataclasses import dataclass
from itertools import islice
from typing import cast

import bpy

from ..scene.evaluation import sculpt_refusal
from ..scene.read import is_path, is_stock


@dataclass(frozen=True)
class Selection:
    """The selected and visible objects that jobs are about, the active one first."""

    stocks: tuple[bpy.types.Object, ...]
    paths: tuple[bpy.types.Object, ...]


def selection(context: bpy.types.Context) -> Selection:
    """Stocks are meshes with faces; paths are curves, texts, Grease Pencil, and meshes without faces.

    An empty that instances both is both.
    """
    active = _active(context)
    things = sorted(_selected(context), key=lambda thing: thing != active)
    return Selection(
        tuple(thing for thing in things if is_stock(thing)), tuple(thing for thing in things if is_path(thing))
    )


def carve_refusal(context: bpy.types.Context) -> str | None:
    """Why Carve cannot start, for the user; None where it can."""
    refusal = stock_refusal(context)
    if refusal is None and not any(is_path(thing) for thing in _selected(context)):
        return "No path: select a curve, a text or edges as well"
    return refusal


def stock_refusal(context: bpy.types.Context, count: int = 1) -> str | None:
    """Why a job on `count` or more stocks cannot start."""
    refusal = _context_refusal(context) or _mode_refusal(context)
    if refusal:
        return refusal
    things = _selected(context)
    stocks = (thing for thing in things if is_stock(thing))
    if len(list(islice(stocks, count))) == count:
        return None
    if count > 1:
        return f"Select at least {count} meshes with faces"
    bare = [thing.name for thing in things if thing.type == "MESH"]
    return f"No stock: '{bare[0]}' has no faces" if bare else "No stock: select a mesh with faces"


def active_stock_refusal(context: bpy.types.Context) -> str | None:
    """Why a job that starts from the active stock and needs others cannot start."""
    refusal, active = stock_refusal(context, count=2), _active(context)
    if refusal is None and not (active and active.select_get() and is_stock(active)):
        return "Make one of the selected meshes active: it is the base"
    return refusal


def _selected(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects; none where the context has no view layer."""
    return list(getattr(context, "selected_objects", None) or ())


def _active(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object; none where the context has no view layer."""
    return getattr(context, "active_object", None)


def _context_refusal(context: bpy.types.Context) -> str | None:
    """Why nothing can be read in a context that a script has put together: Blender crashes where it evaluates it."""
    if context.scene is None or context.view_layer is None:
        return "No scene: nothing can be read"
    if context.view_layer not in context.scene.view_layers.values():
        return "The view layer is another scene's: give a context with both"
    return None


def _mode_refusal(context: bpy.types.Context) -> str | None:
    """Why a job cannot start in the mode that Blender is in.

    In Sculpt Mode it can, where what is sculpted can be read.
    """
    thing = _active(context)
    if context.mode == "OBJECT" or thing is None:
        return None
    if context.mode == "SCULPT":
        return sculpt_refusal(thing)
    modes = cast(bpy.types.EnumProperty, thing.bl_rna.properties["mode"])
    mode = modes.enum_items[thing.mode].name
    return f"'{thing.name}' is in {mode}: switch to Object Mode"
