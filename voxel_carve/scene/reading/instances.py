"""The instances that an object holds: an instanced collection, and the instances that Geometry Nodes make.

An object is a *body*, with everything its modifiers make. An empty that instances a collection holds the bodies of the
collection's objects. A body with any face is a stock; any other body with lines is a path. So an empty can be both.
Blender's older instancing (on vertices, on faces, by particles) is ignored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

CURVE_TYPES = frozenset({"CURVE", "CURVES", "FONT", "GREASEPENCIL", "POINTCLOUD"})
# Blender itself follows instances of instances only this deep.
_MOST_LEVELS = 8


@dataclass(frozen=True)
class Copies:
    """One part of a body, placed K times.

    Attributes:
        obj: the evaluated object that owns the geometry; None if nodes made it.
        geometry: the `GeometrySet` that nodes made, else None.
        matrices: (K, 4, 4) to world space.
    """

    obj: bpy.types.Object | None
    geometry: Any
    matrices: Floats


@dataclass(frozen=True)
class Body:
    """An evaluated object with all of its geometry: its own first, if it has any."""

    obj: bpy.types.Object
    parts: tuple[Copies, ...]


def may_instance(obj: bpy.types.Object) -> bool:
    """Whether an object could hold instances, judged by its settings alone."""
    return instanced_collection(obj) is not None or _has_nodes(obj)


def instanced_collection(obj: bpy.types.Object) -> bpy.types.Collection | None:
    """The collection that an empty instances; None for any other object."""
    if obj.type != "EMPTY" or obj.instance_type != "COLLECTION":
        return None
    return obj.instance_collection


def has_instances(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an object does hold instances."""
    if instanced_collection(obj):
        return True
    return _has_nodes(obj) and bool(_references(_geometry(obj.evaluated_get(depsgraph))))


def instances_faces(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, level: int = 0) -> bool:
    """Whether an object instances a mesh with faces; stops at the first one."""
    if level >= _MOST_LEVELS:
        return False
    collection = instanced_collection(obj)
    if collection:
        return any(holds_faces(each, depsgraph, level + 1) for each in instanced_objects(collection))
    if not _has_nodes(obj):
        return False
    return _refers_to_faces(_geometry(obj.evaluated_get(depsgraph)), depsgraph, level)


def holds_faces(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, level: int = 0) -> bool:
    """Whether an object is a mesh with faces after its modifiers, or instances one."""
    if obj.type == "MESH":
        mesh = obj.evaluated_get(depsgraph).data if obj.modifiers else obj.data
        if len(cast(bpy.types.Mesh, mesh).polygons):
            return True
    return instances_faces(obj, depsgraph, level)


def holds_lines(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, level: int = 0) -> bool:
    """Whether an object is a path: a body with lines and without faces, or an empty that instances one."""
    if level >= _MOST_LEVELS:
        return False
    collection = instanced_collection(obj)
    if collection:
        return any(holds_lines(each, depsgraph, level + 1) for each in instanced_objects(collection))
    if obj.type == "MESH":
        return not holds_faces(obj, depsgraph, level)
    return obj.type in CURVE_TYPES and not instances_faces(obj, depsgraph, level)


def bodies(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, places: Floats | None = None, level: int = 0
) -> Iterator[Body]:
    """The bodies that an object holds.

    Args:
        obj: original or evaluated.
        depsgraph: evaluates it.
        places: (K, 4, 4) transforms of the object to world space; None for its own.
        level: how deeply it is nested in instances.
    """
    if level >= _MOST_LEVELS:
        return
    evaluated = obj.evaluated_get(depsgraph)
    if places is None:
        places = _matrix(evaluated)[None]
    collection = instanced_collection(evaluated)
    if collection:
        for each, matrix in _placed_objects(collection, depsgraph):
            yield from bodies(each, depsgraph, places @ matrix, level + 1)
        return
    own = (Copies(evaluated, None, places),) if evaluated.type in CURVE_TYPES | {"MESH"} else ()
    made = tuple(_made(_geometry(evaluated), depsgraph, places, level)) if _has_nodes(evaluated) else ()
    if own or made:
        yield Body(evaluated, (*own, *made))


def _has_nodes(obj: bpy.types.Object) -> bool:
    return any(modifier.type == "NODES" and modifier.show_viewport for modifier in obj.modifiers)


def _geometry(evaluated: bpy.types.Object) -> Any:
    """The `GeometrySet` of an evaluated object; None if it is not evaluated."""
    return cast(Any, evaluated).evaluated_geometry() if evaluated.is_evaluated else None


def _references(geometry: Any) -> list[Any]:
    """What the instances in a `GeometrySet` refer to: `GeometrySet`s, objects and collections."""
    if geometry is None or geometry.instances_pointcloud() is None:
        return []
    return [each for each in geometry.instance_references() if each is not None]


def _refers_to_faces(geometry: Any, depsgraph: bpy.types.Depsgraph, level: int) -> bool:
    for reference in _references(geometry):
        if isinstance(reference, bpy.types.Object):
            found = holds_faces(reference, depsgraph, level + 1)
        elif isinstance(reference, bpy.types.Collection):
            found = any(holds_faces(each, depsgraph, level + 1) for each in instanced_objects(reference))
        else:
            mesh = reference.mesh
            found = bool(mesh and mesh.polygons) or (
                level < _MOST_LEVELS and _refers_to_faces(reference, depsgraph, level + 1)
            )
        if found:
            return True
    return False


def _made(geometry: Any, depsgraph: bpy.types.Depsgraph, places: Floats, level: int) -> Iterator[Copies]:
    """The instances in a `GeometrySet` placed by transforms (K, 4, 4), as parts of one body."""
    cloud = geometry.instances_pointcloud() if geometry is not None and level < _MOST_LEVELS else None
    if cloud is None:
        return
    count = len(cloud.points)
    transforms, index = np.empty(16 * count, dtype=np.float32), np.empty(count, dtype=np.int32)
    cloud.attributes["instance_transform"].data.foreach_get("value", transforms)
    cloud.attributes[".reference_index"].data.foreach_get("value", index)
    own = transforms.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    for number, reference in enumerate(geometry.instance_references()):
        matrices = (places[:, None] @ own[index == number]).reshape(-1, 4, 4)
        if reference is None or len(matrices) == 0:
            continue
        if isinstance(reference, bpy.types.Object):
            inner = bodies(reference, depsgraph, matrices, level + 1)
        elif isinstance(reference, bpy.types.Collection):
            inner = (
                body
                for each, matrix in _placed_objects(reference, depsgraph)
                for body in bodies(each, depsgraph, matrices @ matrix, level + 1)
            )
        else:
            yield Copies(None, reference, matrices)
            yield from _made(reference, depsgraph, matrices, level + 1)
            continue
        for body in inner:
            yield from body.parts


def instanced_objects(collection: bpy.types.Collection) -> Iterator[bpy.types.Object]:
    """The objects of a collection that its instances show."""
    if collection.hide_viewport:
        return
    for obj in collection.objects:
        if not obj.hide_viewport:
            yield obj
    for child in collection.children:
        yield from instanced_objects(child)


def _placed_objects(
    collection: bpy.types.Collection, depsgraph: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, Floats]]:
    """The evaluated objects of a collection, each once, with their transform (4, 4) within an instance of it."""
    offset = np.eye(4)
    offset[:3, 3] = -np.array(collection.instance_offset, dtype=np.float64)
    known = set()
    for obj in instanced_objects(collection):
        evaluated = obj.evaluated_get(depsgraph)
        if evaluated.name_full not in known:
            known.add(evaluated.name_full)
            yield evaluated, offset @ _matrix(evaluated)


def _matrix(evaluated: bpy.types.Object) -> Floats:
    return np.array(evaluated.matrix_world, dtype=np.float64)
