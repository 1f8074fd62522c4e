"""Arrays to Blender objects, through attribute arrays: nothing here loops over vertices or faces."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import CarveResult, InputError, Report, Surface
from ...compute.runtime import as_json, said_at
from ..layers import add_groups, add_layers
from ..provenance import Provenance
from ..shading import add_normals
from .arrays import SHARP_ANGLE, MeshArrays, Place, mesh_arrays

CUT_MATERIAL = "Voxel Carve Cut"
CUT_COLOUR = (0.32, 0.45, 0.55, 1.0)
SOURCE_ATTRIBUTE = "voxel_carve_source"
SEGMENT_ATTRIBUTE = "voxel_carve_segment"
REPORT_PROPERTY = "voxel_carve_report"
# Greatest deviation of a transform from location, rotation and scale: more than float32 rounding.
SHEAR_TOLERANCE = 1e-5


def write_result(
    scene: bpy.types.Scene,
    result: CarveResult,
    stock: bpy.types.Object,
    replace: bool = False,
    provenance: Provenance | None = None,
    arrays: MeshArrays | None = None,
) -> bpy.types.Object:
    """The carved mesh as an object with its report: see `result_name`; arguments and errors as for `write_surface`."""
    name, voxel_size = result_name(stock), result.report.voxel_size
    obj = write_surface(scene, result.surface, stock, name, replace, provenance, voxel_size, arrays)
    write_report(obj, result.report)
    return obj


def result_name(stock: bpy.types.Object) -> str:
    """The name "<stock> Carved" of the result of a stock; that of a result is "<stock> Carved", too, with a number."""
    name = re.sub(r" Carved(\.\d+)?$", "", stock.name) if REPORT_PROPERTY in cast(Any, stock) else stock.name
    return f"{name} Carved"


def write_surface(
    scene: bpy.types.Scene,
    surface: Surface,
    stock: bpy.types.Object,
    name: str,
    replace: bool = False,
    provenance: Provenance | None = None,
    voxel_size: float = math.inf,
    arrays: MeshArrays | None = None,
) -> bpy.types.Object:
    """A surface in world space as a mesh object, in the collections of the stock it was made from.

    The materials of the stock come first, in order, then those of cut faces. Edges between cut faces and others are
    sharp. Two attributes say where each face comes from. "voxel_carve_source" is 0 for the stock, the number of the
    path from 1, or -1 for faces that close a hole. "voxel_carve_segment" is the segment of the sweep, or -1 for faces
    that no path cut. The stock is hidden and not changed, unless it is replaced: then it gets the surface as its mesh
    and loses its modifiers, which the surface already includes.

    Args:
        scene: where the object is made.
        surface: the surface to write.
        stock: what it was made from.
        name: the name of the object.
        replace: whether the stock gets the surface as its mesh.
        provenance: the origin of triangles and segments. Without it, faces of the stock get its first material, if it
            is no volume, and no attributes are transferred.
        voxel_size: of the grid the surface was made from: see `Place`.
        arrays: what `mesh_arrays` made of all this, on any thread, while the stock was where it is now; else they are
            made here, which takes most of the time.

    Raises:
        InputError: the stock is to be replaced, but belongs to another file.
    """
    place = place_of(stock, replace, voxel_size)
    if replace:
        refuse_replace(stock)
    if arrays is None or not arrays.fits(surface, provenance, place):
        arrays = mesh_arrays(surface, provenance, place)
    made = _new_object(stock.data.name if replace and stock.data else name, arrays, stock)
    if replace:
        mesh = cast(bpy.types.Mesh, made.data)
        bpy.data.objects.remove(made)
        return _put_mesh(stock, mesh)
    made.location = arrays.location.tolist()
    for collection in collections_for(scene, stock):
        collection.objects.link(made)
    hide(scene, stock)
    return made


def place_of(stock: bpy.types.Object, replaces: bool, voxel_size: float) -> Place:
    """Where a surface made from a stock goes, with the stock where it is now."""
    return Place(np.array(stock.matrix_world, dtype=np.float64), replaces, voxel_size)


def write_mesh(
    scene: bpy.types.Scene, mesh: bpy.types.Mesh, stock: bpy.types.Object, name: str, replace: bool = False
) -> bpy.types.Object:
    """A finished mesh in the space of a stock as an object at its place; the rest as for `write_surface`."""
    if replace:
        refuse_replace(stock)
        mesh.name = cast(bpy.types.Mesh, stock.data).name
        return _put_mesh(stock, mesh)
    mesh.name = name
    obj = bpy.data.objects.new(name, mesh)
    obj.matrix_world = stock.matrix_world
    # Location, rotation and scale cannot express shear from parents: the rest goes into the mesh.
    rest = obj.matrix_basis.inverted() @ stock.matrix_world
    if not np.allclose(np.array(rest), np.eye(4), rtol=0, atol=SHEAR_TOLERANCE):
        mesh.transform(rest)
    for collection in collections_for(scene, stock):
        collection.objects.link(obj)
    hide(scene, stock)
    return obj


def write_report(obj: bpy.types.Object, report: Report) -> None:
    """Store the report with the object, as JSON in its custom property "voxel_carve_report".

    Beside the warnings, it has what they are translated from.
    """
    warnings = [said_at("window", warning) for warning in report.warnings]
    kept = {"warnings": warnings, "warnings_kept": [as_json(warning) for warning in warnings]}
    obj[REPORT_PROPERTY] = json.dumps(report.to_dict() | kept)


def drop_report(obj: bpy.types.Object) -> None:
    """Remove the report of an object, if it has one."""
    obj.pop(REPORT_PROPERTY, None)


def hide(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Hide an object in the viewports and, if it belongs to this file, in renders."""
    for layer in scene.view_layers:
        if obj in layer.objects.values():
            obj.hide_set(True, view_layer=layer)
    if obj.library is None:
        obj.hide_render = True


def refuse_replace(stock: bpy.types.Object) -> None:
    """Raise InputError if the mesh of a stock cannot be replaced: it has none, is linked, or is in Sculpt Mode."""
    if stock.type == "VOLUME":
        raise InputError("'{name}' is a volume, which no mesh can replace: switch Replace Stock off", name=stock.name)
    if stock.type != "MESH":
        raise InputError(
            "'{name}' has no mesh of its own to replace: use Object > Apply > Make Instances Real, "
            "or switch Replace Stock off",
            name=stock.name,
        )
    if stock.mode == "SCULPT":
        raise InputError(
            "'{name}' is in Sculpt Mode: switch to Object Mode, or switch Replace Stock off", name=stock.name
        )
    if stock.library or stock.override_library or (stock.data and stock.data.library):
        raise InputError(
            "'{name}' is linked from another file: make it local, or switch Replace Stock off", name=stock.name
        )


def _put_mesh(stock: bpy.types.Object, mesh: bpy.types.Mesh) -> bpy.types.Object:
    """Give a stock a mesh in its own space, which already includes the stock's modifiers."""
    old = cast(bpy.types.Mesh, stock.data)
    stock.data = mesh
    stock.modifiers.clear()
    if old.users == 0:
        name = old.name
        bpy.data.meshes.remove(old)
        mesh.name = name
    return stock


def collections_for(scene: bpy.types.Scene, stock: bpy.types.Object) -> list[bpy.types.Collection]:
    """The stock's collections in the scene that belong to this file, else the scene's own."""
    ours = {scene.collection, *scene.collection.children_recursive}
    found = [collection for collection in stock.users_collection if collection in ours and not collection.library]
    return found or [scene.collection]


def _new_object(name: str, arrays: MeshArrays, stock: bpy.types.Object) -> bpy.types.Object:
    """An object in no scene yet. In a scene, it would be evaluated by each operator that fills it."""
    mesh = bpy.data.meshes.new(name)
    obj = bpy.data.objects.new(name, mesh)
    try:
        fill_mesh(obj, arrays, stock)
    except BaseException:
        bpy.data.batch_remove([obj, mesh])
        raise
    return obj


def fill_mesh(obj: bpy.types.Object, arrays: MeshArrays, stock: bpy.types.Object) -> None:
    """Fill the empty mesh of an object without vertex groups with the faces of a surface made from a stock."""
    mesh, provenance = cast(bpy.types.Mesh, obj.data), arrays.table.provenance
    _fill(mesh, arrays)
    _add_attribute(mesh, SOURCE_ATTRIBUTE, "INT", "FACE", arrays.sources)
    _add_attribute(mesh, SEGMENT_ATTRIBUTE, "INT", "FACE", arrays.segments)
    _add_looks(mesh, arrays, stock)
    if provenance and provenance.stock.layers:
        add_layers(obj, provenance.stock.layers, arrays.layers)
    if arrays.normals is not None:
        add_normals(mesh, arrays.normals)
    if provenance and provenance.stock.layers.groups:
        add_groups(obj, provenance.stock.layers.groups, arrays.weights)


def _fill(mesh: bpy.types.Mesh, arrays: MeshArrays) -> None:
    """Give an empty mesh its elements. Attributes copy arrays of their own type at once; Blender sets other
    collections, such as the faces, one by one. If no edges are given, Blender finds them."""
    mesh.vertices.add(len(arrays.points))
    _set_values(mesh, "position", "vector", arrays.points)
    mesh.loops.add(len(arrays.vertices))
    _set_values(mesh, ".corner_vert", "value", arrays.vertices)
    mesh.polygons.add(len(arrays.start))
    mesh.polygons.foreach_set("loop_start", arrays.start)
    edges = arrays.edges
    if edges is None:
        mesh.update(calc_edges=True)
        mesh.set_sharp_from_angle(angle=SHARP_ANGLE)
        _sharpen_border(mesh, np.repeat(arrays.cut, np.diff(arrays.start, append=len(arrays.vertices))))
        return
    mesh.edges.add(len(edges.vertices))
    _set_values(mesh, ".edge_verts", "value", edges.vertices)
    _set_values(mesh, ".corner_edge", "value", edges.of_corner)
    _add_attribute(mesh, "sharp_edge", "BOOLEAN", "EDGE", edges.sharp)
    mesh.update()


def _sharpen_border(mesh: bpy.types.Mesh, cut: npt.NDArray[np.bool_]) -> None:
    """Also mark the edges between cut faces and others as sharp; `cut` is (C,), for the corners of faces."""
    if cut.all() or not cut.any():
        return
    edge = np.empty(len(cut), dtype=np.int32)
    cast(Any, mesh.attributes[".corner_edge"]).data.foreach_get("value", edge)
    on_cut, beside = np.zeros(len(mesh.edges), dtype=np.bool_), np.zeros(len(mesh.edges), dtype=np.bool_)
    on_cut[edge[np.flatnonzero(cut)]] = True
    beside[edge[np.flatnonzero(~cut)]] = True
    sharp = on_cut & beside
    if "sharp_edge" in mesh.attributes:
        by_angle = np.empty(len(sharp), dtype=np.bool_)
        cast(Any, mesh.attributes["sharp_edge"]).data.foreach_get("value", by_angle)
        _set_values(mesh, "sharp_edge", "value", sharp | by_angle)
    else:
        _add_attribute(mesh, "sharp_edge", "BOOLEAN", "EDGE", sharp)


def _add_looks(mesh: bpy.types.Mesh, arrays: MeshArrays, stock: bpy.types.Object) -> None:
    """Add the materials of the faces, and flat shading."""
    provenance = arrays.table.provenance
    slots_of_stock = () if stock.type == "VOLUME" else stock.material_slots  # its materials are for no faces
    materials = list(provenance.stock.materials if provenance else (slot.material for slot in slots_of_stock))
    slots = arrays.table.slots(materials, cut_material)
    set_materials(mesh, materials)
    if slots is not None:
        _add_attribute(mesh, "material_index", "INT", "FACE", slots)
    if arrays.flat is not None:
        _add_attribute(mesh, "sharp_face", "BOOLEAN", "FACE", arrays.flat)


def set_materials(mesh: bpy.types.Mesh, materials: Sequence[bpy.types.Material | None]) -> None:
    """Give a mesh these material slots, if it has others."""
    if list(mesh.materials) != list(materials):
        mesh.materials.clear()
        for material in materials:
            mesh.materials.append(material)


def cut_material() -> bpy.types.Material:
    """The material of cut faces, made if the file has none."""
    found = cast(Any, bpy.data.materials).get((CUT_MATERIAL, None))
    if found is not None:
        return cast(bpy.types.Material, found)
    material = bpy.data.materials.new(CUT_MATERIAL)
    cast(Any, material).diffuse_color = CUT_COLOUR
    if material.node_tree is None:
        material.use_nodes = True
    for node in cast(bpy.types.NodeTree, material.node_tree).nodes:
        if node.type == "BSDF_PRINCIPLED":
            cast(Any, node.inputs["Base Color"]).default_value = CUT_COLOUR
    return material


def _add_attribute(mesh: bpy.types.Mesh, name: str, kind: Any, domain: Any, values: npt.NDArray[Any]) -> None:
    mesh.attributes.new(name, kind, domain)
    _set_values(mesh, name, "value", values)


def _set_values(mesh: bpy.types.Mesh, name: str, field: str, values: npt.NDArray[Any]) -> None:
    cast(Any, mesh.attributes[name]).data.foreach_set(field, values.ravel())
