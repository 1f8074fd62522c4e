"""Whether data-blocks still exist, and where."""

from collections.abc import Iterable
from typing import Any, cast

import bpy


def is_deleted(data_block: bpy.types.ID) -> bool:
    """Whether Blender has removed a data-block that Python still holds."""
    try:
        data_block.name  # noqa: B018 - raises if removed
    except ReferenceError:
        return True
    return False


def is_among(obj: bpy.types.Object, objects: Iterable[bpy.types.Object]) -> bool:
    """Whether a scene or a view layer has the object. Its name alone does not tell: a linked object may share it."""
    return cast(Any, objects).get(obj.name) == obj or any(each == obj for each in objects)


def is_in_a_scene(obj: bpy.types.Object | None) -> bool:
    """Whether an object is in a scene. A deleted object still exists while a recipe points to it."""
    return obj is not None and any(is_among(obj, scene.objects) for scene in bpy.data.scenes)
