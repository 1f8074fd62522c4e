"""The selected objects, and why a job cannot start with them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import bpy

from ...compute.runtime import Sentence
from ...scene.presence import is_among
from ...scene.reading.evaluation import sculpt_refusal
from ...scene.reading.read import is_path, is_stock
from ...settings import Own, own_of, scene_settings
from ...translations import blender_text
from ...translations.telling import told


@dataclass(frozen=True)
class Selection:
    """The objects of a job, the active one first.

    Attributes:
        stocks, paths: the objects.
        own: what each path has of its own; empty if none has.
    """

    stocks: tuple[bpy.types.Object, ...]
    paths: tuple[bpy.types.Object, ...]
    own: tuple[Own, ...] = ()

    def each_path(self) -> Iterator[tuple[bpy.types.Object, Own]]:
        """Each path with what it has of its own."""
        return zip(self.paths, self.own or [Own()] * len(self.paths), strict=True)


def selection(context: bpy.types.Context) -> Selection:
    """The objects of a carve: those in the scene's settings, selected or not, else the selected ones."""
    settings, found = scene_settings(context), selected(context)
    stocks = found.stocks if settings.stock is None else (settings.stock,)
    stocks = tuple(obj for obj in stocks if is_stock(obj) and _is_in_view_layer(obj, context))
    listed = [item for item in cast(Any, settings).paths if _is_listed_path(item.path, context)]
    if len(cast(Any, settings).paths):
        return Selection(stocks, tuple(item.path for item in listed), tuple(own_of(item) for item in listed))
    return Selection(stocks, found.paths if settings.path_collection is None else tuple(_collected_paths(context)))


def selected(context: bpy.types.Context) -> Selection:
    """The selected objects. Volumes and meshes with faces are stocks; curves, texts, strokes, other meshes are paths.

    An empty that instances both is both.
    """
    active = active_object(context)
    objs = sorted(selected_objects(context), key=lambda obj: obj != active)
    return Selection(tuple(obj for obj in objs if is_stock(obj)), tuple(obj for obj in objs if is_path(obj)))


def carve_refusal(context: bpy.types.Context) -> str | None:
    """Why Carve cannot start, for the user; None if it can."""
    refusal = context_refusal(context)
    if refusal:
        return refusal
    settings = scene_settings(context)
    refusal = stock_refusal(context) if settings.stock is None else _picked_stock_refusal(settings.stock, context)
    if refusal:
        return refusal
    for number, item in enumerate(cast(Any, settings).paths, start=1):
        if not _is_listed_path(item.path, context):
            return Sentence("No path: choose another for line {number} of the list, or remove it", number=number)
    if len(cast(Any, settings).paths):
        return None
    if settings.path_collection is None:
        found = selected(context)
        if found.paths:
            return None
        if len(found.stocks) > 1 and any(stock.type == "VOLUME" for stock in found.stocks):
            return "No path: select one, or combine the selected objects by Voxel Boolean"
        return "No path: select a curve, a text, strokes or edges as well"
    if any(True for _ in _collected_paths(context)):
        return None
    sentence = Sentence("No path: '{name}' holds no curve, text or edges that can be seen")
    return Sentence(sentence, name=settings.path_collection.name)


def stock_refusal(context: bpy.types.Context, count: int = 1) -> str | None:
    """Why a job on at least `count` stocks cannot start."""
    refusal = context_refusal(context) or _mode_refusal(context)
    if refusal:
        return refusal
    objs = selected_objects(context)
    stocks = (obj for obj in objs if is_stock(obj))
    if len(list(islice(stocks, count))) == count:
        return None
    if count > 1:
        return Sentence("Select at least {count} meshes with faces, or volumes", count=count)
    active = active_object(context)
    if active and is_stock(active) and not active.visible_get():
        return Sentence("No stock: '{name}' is hidden: show it", name=active.name)
    bare = [obj.name for obj in objs if obj.type == "MESH"]
    return _no_faces(bare[0]) if bare else "No stock: select a mesh or a volume"


def active_stock_refusal(context: bpy.types.Context) -> str | None:
    """Why a job on the active stock and at least one other cannot start."""
    refusal, active = stock_refusal(context, count=2), active_object(context)
    if refusal is None and not (active and active.select_get() and is_stock(active)):
        return "Make one of the selected objects active: it is the base"
    return refusal


def selected_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects; none if the context has no view layer."""
    return list(getattr(context, "selected_objects", None) or ())


def selection_text(context: bpy.types.Context) -> str:
    """The active object and the selection as text, for `select_again`."""
    active = active_object(context)
    return json.dumps([active and active.name, [obj.name for obj in selected_objects(context)]])


def select_again(context: bpy.types.Context, text: str) -> None:
    """Restore a selection from `selection_text`."""
    active, names = json.loads(text)
    objects = cast(bpy.types.ViewLayer, context.view_layer).objects
    for obj in objects:
        obj.select_set(obj.name in names)
    objects.active = objects.get(active or "")


def _picked_stock_refusal(stock: bpy.types.Object, context: bpy.types.Context) -> str | None:
    """Why the stock in the settings cannot be carved."""
    if not _is_in_view_layer(stock, context):
        return Sentence("No stock: '{name}' is not in this view layer", name=stock.name)
    return _mode_refusal(context) or (None if is_stock(stock) else _no_faces(stock.name))


def _no_faces(name: str) -> str:
    return Sentence("No stock: '{name}' has no faces", name=name)


def _collected_paths(context: bpy.types.Context) -> Iterator[bpy.types.Object]:
    """The visible paths in the collection of the settings and in its children."""
    collection = scene_settings(context).path_collection
    return (obj for obj in collection.all_objects if is_path(obj) and obj.visible_get())


def _is_listed_path(obj: bpy.types.Object | None, context: bpy.types.Context) -> bool:
    """Whether an object of the list of paths is still there, and a path."""
    return obj is not None and _is_in_view_layer(obj, context) and is_path(obj)


def _is_in_view_layer(obj: bpy.types.Object, context: bpy.types.Context) -> bool:
    return is_among(obj, cast(bpy.types.ViewLayer, context.view_layer).objects)


def active_object(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object; None if the context has no view layer."""
    return getattr(context, "active_object", None)


def context_refusal(context: bpy.types.Context) -> str | None:
    """Why a context made by a script cannot be used: Blender would crash when evaluating it."""
    if context.scene is None or context.view_layer is None:
        return "No scene: nothing can be read"
    if context.view_layer not in context.scene.view_layers.values():
        return "The view layer is another scene's: give a context with both"
    return None


def may_run(operator: type[bpy.types.Operator], refusal: str | None) -> bool:
    """Whether nothing refuses an operator, for its `poll`. What does, Blender shows at its button."""
    if refusal is not None:
        operator.poll_message_set(told(refusal))
    return refusal is None


def add_refusal(context: bpy.types.Context) -> str | None:
    """Why no object can be added to the scene."""
    refusal = context_refusal(context)
    if refusal is not None:
        return refusal
    if context.mode != "OBJECT":
        return "Switch to Object Mode"
    return "The scene belongs to another file" if cast(bpy.types.Scene, context.scene).library is not None else None


def _mode_refusal(context: bpy.types.Context) -> str | None:
    """Why a job cannot start in the current mode.

    In Sculpt Mode it can, if the sculpted shape can be read.
    """
    obj = active_object(context)
    if context.mode == "OBJECT" or obj is None:
        return None
    if context.mode == "SCULPT":
        return sculpt_refusal(obj)
    modes = cast(bpy.types.EnumProperty, obj.bl_rna.properties["mode"])
    mode = blender_text(modes.enum_items[obj.mode].name, modes.translation_context)
    return Sentence("'{name}' is in {mode}: switch to Object Mode", name=obj.name, mode=mode)
