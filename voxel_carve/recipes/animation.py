"""What a result follows from frame to frame."""

from collections.abc import Iterable
from typing import Any, cast

import bpy

from .recipe import recipe_of

# What gives an object its looks, or holds keyframes itself, moves nothing.
_NO_SHAPE = (bpy.types.Action, bpy.types.Material, bpy.types.Scene, bpy.types.World)
# Modifiers whose result depends on the time without keyframes.
_BY_TIME = {
    *("BUILD", "CLOTH", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "PARTICLE_SYSTEM"),
    *("SOFT_BODY", "WAVE", "GREASE_PENCIL_TIME", "GREASE_PENCIL_BUILD"),
}
_NODES_BY_TIME = {"GeometryNodeInputSceneTime", "GeometryNodeSimulationOutput"}


def animated_names(obj: bpy.types.Object) -> list[str]:
    """The names of what changes with the frame among a result, its stock, its paths, and all that these depend on:
    their data and shape keys, parents, and targets of modifiers, constraints and drivers. Each name appears once.

    What has keyframes, drivers, strips, drawings or files of several frames or a simulation counts, whether or not it
    changes at the frames that are asked for. What an add-on changes by a handler is not found.
    """
    recipe = cast(Any, recipe_of(obj))
    ingredients = [each for each in (recipe.stock, *(item.path for item in recipe.paths)) if each is not None]
    found = [each.name for each in _needed([obj, *ingredients]) if _is_animated(each)]
    return list(dict.fromkeys(found))


def _needed(blocks: Iterable[bpy.types.ID]) -> list[bpy.types.ID]:
    """These data-blocks, and those that they depend on for their shape and place."""
    used: dict[bpy.types.ID, list[bpy.types.ID]] = {}
    for block, users in cast(Any, bpy.data).user_map().items():
        for user in users:
            used.setdefault(user, []).append(block)
    found = dict.fromkeys(blocks)
    waiting = list(found)
    while waiting:
        for block in used.get(waiting.pop(), ()):
            if block not in found and not isinstance(block, _NO_SHAPE):
                found[block] = None
                waiting.append(block)
    return list(found)


def _is_animated(block: bpy.types.ID) -> bool:
    data = cast(Any, block).animation_data if hasattr(block, "animation_data") else None
    if data is not None and (data.action or data.drivers or any(track.strips for track in data.nla_tracks)):
        return True
    if isinstance(block, bpy.types.NodeTree):
        return any(node.bl_idname in _NODES_BY_TIME for node in block.nodes)
    if isinstance(block, bpy.types.Volume):
        return block.is_sequence
    if not isinstance(block, bpy.types.Object):
        return False
    if block.type == "GREASEPENCIL" and any(len(layer.frames) > 1 for layer in cast(Any, block.data).layers):
        return True
    body = cast(Any, block).rigid_body
    return (body is not None and body.type == "ACTIVE") or any(each.type in _BY_TIME for each in block.modifiers)
