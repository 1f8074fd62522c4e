"""What the window shows of a path and no carve cuts: told before it, in the panel, and after it, in the report."""

from collections.abc import Iterator

import bpy
import numpy as np

from ...compute.runtime import Sentence
from .bevels import bevel_radius, is_round
from .curves import Floats
from .instances import instanced_collection, instanced_objects
from .meshes import scale_ratio
from .splines import becomes_faces, ignored_modifiers, legacy_curve, point_radius

# From this ratio of scales on, a round bevel counts as distorted.
_UNEVEN_SCALE_RATIO = 1.001

# One and several modifiers that are not cut, with the way to have them cut.
_OF_FACES = (
    Sentence("modifier {names} of '{name}' is not cut: remove the curve's bevel, extrusion and fill, and set a radius"),
    Sentence(
        "modifiers {names} of '{name}' are not cut: remove the curve's bevel, extrusion and fill, and set a radius"
    ),
)
_OF_EDGES = (
    Sentence("modifier {names} of '{name}' is not cut: convert the curve to a mesh"),
    Sentence("modifiers {names} of '{name}' are not cut: convert the curve to a mesh"),
)
_OF_TEXT = (
    Sentence("modifier {names} of '{name}' is not cut: convert the text to a curve"),
    Sentence("modifiers {names} of '{name}' are not cut: convert the text to a curve"),
)


def path_warnings(obj: bpy.types.Object, *, use_own_radius: bool = True) -> tuple[str, ...]:
    """Sentences about what an object shows and is not cut, as far as its properties tell.

    Args:
        obj: a path.
        use_own_radius: whether the radius is its own, as for `read_paths`.
    """
    return tuple(_warnings(obj, np.array(obj.matrix_world, dtype=np.float64), use_own_radius, frozenset()))


def _warnings(
    obj: bpy.types.Object, matrix: Floats, use_own_radius: bool, within: frozenset[bpy.types.Collection]
) -> Iterator[str]:
    """The warnings of an object with this transform (4, 4), in an instance of these collections."""
    collection = instanced_collection(obj)
    if collection is None:
        yield from _instancing_warnings(obj)
        if use_own_radius:
            yield from _radius_warnings(obj, matrix)
        yield from _curve_warnings(obj)
    elif collection not in within:
        for each in instanced_objects(collection):
            placed = matrix @ np.array(each.matrix_world, dtype=np.float64)
            yield from _warnings(each, placed, use_own_radius, within | {collection})


def _instancing_warnings(obj: bpy.types.Object) -> Iterator[str]:
    parent = obj.parent
    if parent is not None and parent.instance_type in {"VERTS", "FACES"}:
        yield Sentence(
            "the instances of '{name}' on '{parent}' are not cut: make them real", name=obj.name, parent=parent.name
        )


def _radius_warnings(obj: bpy.types.Object, matrix: Floats) -> Iterator[str]:
    curve = legacy_curve(obj)
    is_uneven = 0 < scale_ratio(matrix) * _UNEVEN_SCALE_RATIO < 1
    if curve is None:
        if is_uneven and (obj.type == "GREASEPENCIL" or point_radius(obj)):
            yield Sentence("'{name}' is scaled unevenly: its radii are multiplied by the mean scale", name=obj.name)
        return
    if is_uneven and bevel_radius(obj):
        yield Sentence("'{name}' is scaled unevenly: its bevel is taken as round, with the mean scale", name=obj.name)
    if not is_round(curve):
        yield Sentence("the bevel of '{name}' is not round: it is cut as round, as wide as it is", name=obj.name)


def _curve_warnings(obj: bpy.types.Object) -> Iterator[str]:
    curve = legacy_curve(obj)
    if curve is None:
        return
    if curve.extrude:
        yield Sentence("'{name}' is cut without its extrusion: set Extrude to 0", name=obj.name)
    if curve.offset:
        yield Sentence("'{name}' is cut without its offset: set Offset to 0", name=obj.name)
    ignored = ignored_modifiers(obj)
    if ignored:
        names = ", ".join(f"'{name}'" for name in ignored)
        one, many = _OF_TEXT if obj.type == "FONT" else _OF_FACES if becomes_faces(curve) else _OF_EDGES
        template = one if len(ignored) == 1 else many
        yield Sentence(template, name=obj.name, names=names)
    if curve.taper_object:
        yield Sentence("'{name}' is cut without its taper object: give its points radii", name=obj.name)
