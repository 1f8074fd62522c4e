"""Everything in bpy.data as one flat table, so that two states can be compared value by value."""

import hashlib
from collections.abc import Iterator

import bpy
import numpy as np

# Data of the user interface changes with the pointer, so only its names are compared.
ONLY_NAMES = ("screens", "workspaces", "window_managers")
# Properties that `_geometry` reads, that repeat others, or that are transient.
LEFT_OUT = {
    *("rna_type", "original", "preview", "depsgraph", "session_uid", "animation_visualization", "bound_box"),
    *("vertices", "edges", "loops", "polygons", "loop_triangles", "loop_triangle_polygons", "attributes", "splines"),
    *("vertex_normals", "polygon_normals", "corner_normals", "uv_layers", "color_attributes", "all_objects"),
    *("vertex_colors", "vertex_layers_float", "skin_vertices", "active_object_index", "is_evaluated", "is_editmode"),
}
DEPTH = 4
OF_ATTRIBUTES = {"FLOAT_VECTOR": ("vector", 3), "FLOAT2": ("vector", 2), "FLOAT_COLOR": ("color", 4)}
OF_POINTS = {"co": 4, "radius": 1, "tilt": 1, "select": 1, "hide": 1}
OF_BEZIER = {"co": 3, "handle_left": 3, "handle_right": 3, "radius": 1, "tilt": 1, "select_control_point": 1, "hide": 1}

Table = dict[str, str]


def fingerprint() -> Table:
    """All data-blocks: names, users, properties, custom properties, geometry; selection, visibility, modes."""
    table = {"mode": bpy.context.mode, "scene": bpy.context.scene.name}
    for prop in bpy.data.bl_rna.properties:
        if prop.type != "COLLECTION" or prop.identifier == "all_ids":
            continue
        for block in getattr(bpy.data, prop.identifier):
            place = f"{prop.identifier}/{block.name_full}"
            table[place] = f"{block.users} users"
            if prop.identifier not in ONLY_NAMES:
                table.update(_described(block, place, DEPTH))
                table.update((f"{place}/{name}", _digest(array)) for name, array in _geometry(block))
    layer = bpy.context.view_layer
    table["active"] = str(layer.objects.active)
    for obj in layer.objects:
        table[f"layer/{obj.name}"] = f"{obj.select_get()} {obj.hide_get()} {obj.mode}"
    return table


def differences(before: Table, after: Table) -> list[str]:
    """One line for each entry that is not as it was."""
    return [
        f"{name}: {before.get(name, 'nothing')} -> {after.get(name, 'nothing')}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def _described(obj: bpy.types.bpy_struct, place: str, depth: int) -> Iterator[tuple[str, str]]:
    """The properties of a struct and of the structs it owns; other data-blocks by name."""
    for prop in obj.bl_rna.properties:
        name = prop.identifier
        if name in LEFT_OUT:
            continue
        value, here = getattr(obj, name), f"{place}/{name}"
        if prop.type == "COLLECTION":
            for number, each in enumerate(value):
                yield from _described_value(each, f"{here}[{number}]", depth)
        elif prop.type == "POINTER":
            yield from _described_value(value, here, depth)
        elif getattr(prop, "is_array", False):
            yield here, str(np.array(value).tolist())
        else:
            yield here, str(value)
    if isinstance(obj, bpy.types.ID):
        yield from ((f"{place}/[{name!r}]", str(obj[name])) for name in obj.keys())  # noqa: SIM118 - no mapping


def _described_value(value: object, here: str, depth: int) -> Iterator[tuple[str, str]]:
    if value is None or isinstance(value, bpy.types.ID):
        yield here, "None" if value is None else value.name_full
        if isinstance(value, bpy.types.NodeTree) and value.is_embedded_data and depth:
            yield from _described(value, here, depth - 1)
    elif depth and isinstance(value, bpy.types.bpy_struct):
        yield from _described(value, here, depth - 1)


def _geometry(block: bpy.types.ID) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of meshes and curves."""
    if isinstance(block, bpy.types.Mesh):
        yield "loop_start", _values(block.polygons, "loop_start", 1)
        for attribute in block.attributes:
            if attribute.data_type != "STRING":
                name, width = OF_ATTRIBUTES.get(attribute.data_type, ("value", None))
                width = width or np.size(getattr(attribute.data[0], name)) if len(attribute.data) else 1
                yield f"attributes/{attribute.name}", _values(attribute.data, name, width)
        weights = [(each.group, each.weight) for vertex in block.vertices for each in vertex.groups]
        yield "weights", np.array(weights)
    elif isinstance(block, bpy.types.Curve):
        for number, spline in enumerate(block.splines):
            yield f"splines[{number}]", np.array([spline.type, str(spline.use_cyclic_u), str(spline.resolution_u)])
            for points, names in ((spline.points, OF_POINTS), (spline.bezier_points, OF_BEZIER)):
                for name, width in names.items():
                    yield f"splines[{number}]/{name}", _values(points, name, width)


def _values(collection: object, name: str, width: int) -> np.ndarray:
    values = np.empty(len(collection) * width)
    collection.foreach_get(name, values)
    return values


def _digest(array: np.ndarray) -> str:
    return f"{len(array)} values {hashlib.sha1(np.ascontiguousarray(array).tobytes()).hexdigest()}"
