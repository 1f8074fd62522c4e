"""Evaluated objects as the user sees them: modes that cannot be read, and a depsgraph for hidden objects.

Blender still evaluates an object that is hidden by the eye icon. An object that is disabled in viewports, or whose
collections are disabled or excluded, is evaluated only as far as others need it: its mesh may lack its modifiers, or be
outdated.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import bpy

from ...compute import InputError
from ...compute.runtime import Sentence
from ..presence import is_among
from .splines import is_edited, is_read_while_edited

_UNITS = ("system", "scale_length", "length_unit", "system_rotation")
_RENDER = ("fps", "fps_base", "use_simplify", "simplify_subdivision", "simplify_child_particles")


@contextmanager
def evaluated_depsgraph_for(
    context: bpy.types.Context, objs: Sequence[bpy.types.Object]
) -> Iterator[bpy.types.Depsgraph]:
    """A depsgraph that has fully evaluated these objects: the context's own, if it has.

    Otherwise a temporary scene instances them, at the same frame and with the same units and simplify settings. It is
    removed at the end: nothing evaluated may be used after the `with` block.
    """
    layer = cast(bpy.types.ViewLayer, context.view_layer)
    if all(is_enabled(obj, layer) for obj in objs):
        yield context.evaluated_depsgraph_get()
        return
    scene = bpy.data.scenes.new("Voxel Carve")
    collection = bpy.data.collections.new("Voxel Carve")
    empty = bpy.data.objects.new("Voxel Carve", None)
    try:
        _match(scene, cast(bpy.types.Scene, context.scene))
        for obj in dict.fromkeys(objs):
            collection.objects.link(obj)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        scene.collection.objects.link(empty)
        own = scene.view_layers[0]
        own.update()
        yield cast(bpy.types.Depsgraph, own.depsgraph)
    finally:
        bpy.data.batch_remove([scene, empty, collection])


@contextmanager
def context_of(scene: bpy.types.Scene) -> Iterator[bpy.types.Context]:
    """The context, with this scene as its scene."""
    if bpy.context.scene == scene:
        yield bpy.context
        return
    with cast(Any, bpy.context).temp_override(scene=scene, view_layer=scene.view_layers[0]):
        yield bpy.context


@contextmanager
def window_context(obj: bpy.types.Object) -> Iterator[bpy.types.Context]:
    """The context of a window that shows the scene of an object, else the current one."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager else ():
        if is_among(obj, window.view_layer.objects):
            with cast(Any, bpy.context).temp_override(window=window):
                yield bpy.context
            return
    yield bpy.context


def is_enabled(obj: bpy.types.Object, layer: bpy.types.ViewLayer) -> bool:
    """Whether a view layer evaluates an object: it is visible, or hidden only by the eye icon."""
    if obj.visible_get(view_layer=layer):
        return True
    if obj.hide_viewport:
        return False
    root, holders = layer.layer_collection, set(obj.users_collection)
    return any(each in holders for each in _enabled_collections(root))


def is_evaluated(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether a depsgraph has fully evaluated an object, because it shows the object or an instance of it."""
    if not obj.evaluated_get(depsgraph).is_evaluated:
        return False
    layer = cast(bpy.types.ViewLayer, depsgraph.view_layer)
    if is_enabled(obj, layer):
        return True
    scene = cast(bpy.types.Scene, depsgraph.scene)
    return any(
        each.instance_type == "COLLECTION"
        and each.instance_collection in obj.users_collection
        and is_enabled(each, layer)
        for each in scene.objects
    )


def _enabled_collections(parent: bpy.types.LayerCollection) -> Iterator[bpy.types.Collection]:
    collection = parent.collection
    if collection.hide_viewport:
        return
    if not parent.exclude:
        yield collection
    for child in parent.children:
        yield from _enabled_collections(child)


def _match(scene: bpy.types.Scene, other: bpy.types.Scene) -> None:
    """Give a new scene the settings of another that affect how objects are evaluated."""
    scene.frame_float = other.frame_float
    scene.use_gravity, scene.gravity = other.use_gravity, other.gravity
    pairs: tuple[tuple[Any, Any, tuple[str, ...]], ...] = (
        (scene.unit_settings, other.unit_settings, _UNITS),
        (scene.render, other.render, _RENDER),
    )
    for own, others, names in pairs:
        for name in names:
            setattr(own, name, getattr(others, name))


def refuse_mode(obj: bpy.types.Object) -> None:
    """Raise InputError if the object is in a mode whose edits cannot be read."""
    if is_edited(obj) and obj.type != "GREASEPENCIL" and not is_read_while_edited(obj):
        raise InputError("'{name}' is in Edit Mode: switch to Object Mode", name=obj.name)
    hidden = sculpt_refusal(obj)
    if hidden:
        raise InputError(hidden)


def sculpt_refusal(obj: bpy.types.Object) -> str | None:
    """Why an object's sculpted shape cannot be read; None if it can, or if the object is not in Sculpt Mode."""
    if obj.mode != "SCULPT":
        return None
    if obj.use_dynamic_topology_sculpting:
        return Sentence("'{name}' is sculpted with dynamic topology: switch to Object Mode", name=obj.name)
    if any(modifier.type == "MULTIRES" for modifier in obj.modifiers):
        return Sentence("'{name}' is sculpted with Multires: switch to Object Mode", name=obj.name)
    return None
