"""Whether data-blocks that Python holds are there still, and where."""

from collections.abc import Iterable
from typing import Any, cast

import bpy


def is_deleted(data_block: bpy.types.ID) -> bool:
    """Whether Blender has removed a data-block that Python still holds."""
    try:
        data_block.name  # noqa: B018 - asking is what tells
    except ReferenceError:
        return True
    return False


def is_among(obj: bpy.types.Object, objects: Iterable[bpy.types.Object]) -> bool:
    """Whether an object is one of a scene's or a view layer's: a linked one may have the name of another."""
    return cast(Any, objects).get(obj.name) == obj or any(each == obj for each in objects)
