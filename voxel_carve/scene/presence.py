"""Whether data-blocks that Python holds are there still, and where."""

from collections.abc import Iterable
from typing import Any, cast

import bpy


def is_deleted(thing: bpy.types.ID) -> bool:
    """Whether Python holds a thing that Blender has no more."""
    try:
        thing.name  # noqa: B018 - asking is what tells
    except ReferenceError:
        return True
    return False


def is_among(thing: bpy.types.Object, objects: Iterable[bpy.types.Object]) -> bool:
    """Whether an object is one of a scene's or a view layer's: a linked one may have the name of another."""
    return cast(Any, objects).get(thing.name) == thing or any(each == thing for each in objects)
