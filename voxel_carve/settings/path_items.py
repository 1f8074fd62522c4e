"""The items of a list of paths: each a path, with what it has of its own."""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

import bpy

from .operations import OPERATIONS

OWN_OPERATIONS = (("SETTINGS", "Same as Settings", "Carve along this path as the settings say"), *OPERATIONS)


@dataclass(frozen=True)
class Own:
    """What a path of a list has of its own; None leaves it to the settings.

    Attributes:
        operation: subtract, union or intersect.
        radius: in Blender units, of a point radius of 1.
    """

    operation: str | None = None
    radius: float | None = None


class PathProperties:
    """The properties of one path of a list."""

    path: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Path",
        description="Curve, text, points or mesh of edges that the tool runs along",
        type=bpy.types.Object,
        poll=lambda _, obj: obj.type in {"CURVE", "CURVES", "FONT", "MESH", "GREASEPENCIL", "POINTCLOUD", "EMPTY"},
    )
    operation: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Operation",
        description="How this path is combined with what the paths before it have left. Paths are carved in the order "
        "of the list; those that follow each other with the same operation, together",
        items=OWN_OPERATIONS,
        default="SETTINGS",
    )
    use_radius: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Own Radius",
        description="Give this path the radius beside it, whatever its bevel and the settings",
        default=False,
    )
    radius: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Radius",
        description="Radius of the tool along this path in world space. The radius of each point multiplies it",
        default=0.1,
        min=0.0001,
        soft_min=0.001,
        soft_max=10.0,
        precision=4,
        subtype="DISTANCE",
    )


class VoxelCarvePath(PathProperties, bpy.types.PropertyGroup):
    """One path of the settings of a scene."""


def own_of(item: Any) -> Own:
    """What an item of a list has of its own."""
    operation = None if item.operation == "SETTINGS" else item.operation.lower()
    return Own(operation, item.radius if item.use_radius else None)


def give_own(item: Any, own: Own) -> None:
    """The opposite of `own_of`."""
    item.operation = "SETTINGS" if own.operation is None else own.operation.upper()
    item.use_radius = own.radius is not None
    if own.radius is not None:
        item.radius = own.radius


def owns_text(items: Sequence[Any]) -> str:
    """What the items of a list have of their own, as text for a preset."""
    return json.dumps([astuple(own_of(item)) for item in items])


def give_owns(items: Sequence[Any], text: str) -> None:
    """Give the items of a list, by their place, what `owns_text` of another list says."""
    for item, own in zip(items, json.loads(text), strict=False):
        give_own(item, Own(*own))
