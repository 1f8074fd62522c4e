"""Arrays to Blender objects. Through attribute arrays: nothing here walks over vertices or faces."""

import json
import math
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ..compute import CarveResult, InputError, Report, Source, Surface

CUT_MATERIAL = "Voxel Carve Cut"
CUT_COLOUR = (0.32, 0.45, 0.55, 1.0)
SOURCE_ATTRIBUTE = "voxel_carve_source"
REPORT_PROPERTY = "voxel_carve_report"
# Edges bent by more than this are drawn sharp.
SHARP_ANGLE = math.radians(30)


def write_result(
    scene: bpy.types.Scene, result: CarveResult, stock: bpy.types.Object, replace: bool = False
) -> bpy.types.Object:
    """The carved mesh as an object "<stock> Carved" with its report; arguments and errors as for `write_surface`."""
    thing = write_surface(scene, result.surface, stock, f"{stock.name} Carved", replace)
    write_report(thing, result.report)
    return thing


def write_surface(
    scene: bpy.types.Scene, surface: Surface, stock: bpy.types.Object, name: str, replace: bool = False
) -> bpy.types.Object:
    """A surface in world space as a mesh object, in the collections of the stock it was made from.

    The materials of the stock come first, in their order; faces that a path cut have one more. Each face says in the
    attribute "voxel_carve_source" where it comes from. The stock is hidden and not changed, unless it is replaced: then
    it has the surface as its mesh, and no modifiers, which the surface has in it already.

    Raises:
        InputError: the stock is to be replaced, and belongs to another file.
    """
    if replace:
        return _replace_mesh(stock, surface)
    # The stock's place as the origin keeps local coordinates small, so that float32 does far from the world's origin.
    location = stock.matrix_world.translation.copy()
    mesh = _new_mesh(name, surface.points - np.array(location, dtype=np.float64), surface, stock)
    thing = bpy.data.objects.new(name, mesh)
    thing.location = location
    for collection in _collections_for(scene, stock):
        collection.objects.link(thing)
    _hide(scene, stock)
    return thing


def write_report(thing: bpy.types.Object, report: Report) -> None:
    """Keep the figures with the object, as JSON in its custom property "voxel_carve_report"."""
    thing[REPORT_PROPERTY] = json.dumps(report.to_dict())


def _hide(scene: bpy.types.Scene, thing: bpy.types.Object) -> None:
    """Hide an object in the viewports and, where it belongs to this file, in renders."""
    for layer in scene.view_layers:
        if thing in layer.objects.values():
            thing.hide_set(True, view_layer=layer)
    if thing.library is None:
        thing.hide_render = True


def refuse_replace(stock: bpy.types.Object) -> None:
    """Raise InputError where the mesh of a stock belongs to another file, and so cannot be replaced."""
    if stock.library or stock.override_library or (stock.data and stock.data.library):
        raise InputError(f"'{stock.name}' is linked from another file: make it local, or switch Replace off")


def _replace_mesh(stock: bpy.types.Object, surface: Surface) -> bpy.types.Object:
    refuse_replace(stock)
    matrix = np.array(stock.matrix_world, dtype=np.float64)
    inverse = np.linalg.inv(matrix)
    points = surface.points @ inverse[:3, :3].T + inverse[:3, 3]
    old = cast(bpy.types.Mesh, stock.data)
    mesh = _new_mesh(old.name, points, surface, stock, mirrored=bool(np.linalg.det(matrix[:3, :3]) < 0))
    stock.data = mesh
    stock.modifiers.clear()
    if old.users == 0:
        name = old.name
        bpy.data.meshes.remove(old)
        mesh.name = name
    return stock


def _collections_for(scene: bpy.types.Scene, stock: bpy.types.Object) -> list[bpy.types.Collection]:
    """The stock's collections in the scene that belong to this file, else the scene's own."""
    ours = {scene.collection, *scene.collection.children_recursive}
    found = [collection for collection in stock.users_collection if collection in ours and not collection.library]
    return found or [scene.collection]


def _new_mesh(
    name: str,
    points: npt.NDArray[np.float64],
    surface: Surface,
    stock: bpy.types.Object,
    mirrored: bool = False,
) -> bpy.types.Mesh:
    """A mesh of the surface's faces over points (N, 3) in the object's own space; a mirrored space turns the faces."""
    mesh = bpy.data.meshes.new(name)
    try:
        quads = surface.quads[:, ::-1] if mirrored else surface.quads
        _fill(mesh, points, quads)
        _add_face_attribute(mesh, SOURCE_ATTRIBUTE, surface.source)
        _add_materials(mesh, surface.source, stock)
    except BaseException:
        bpy.data.meshes.remove(mesh)
        raise
    return mesh


def _fill(mesh: bpy.types.Mesh, points: npt.NDArray[np.float64], quads: npt.NDArray[np.int32]) -> None:
    mesh.vertices.add(len(points))
    _set_values(mesh, "position", "vector", points.astype(np.float32))
    mesh.loops.add(quads.size)
    _set_values(mesh, ".corner_vert", "value", np.ascontiguousarray(quads, dtype=np.int32))
    mesh.polygons.add(len(quads))
    mesh.polygons.foreach_set("loop_start", np.arange(0, quads.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    mesh.set_sharp_from_angle(angle=SHARP_ANGLE)


def _add_materials(mesh: bpy.types.Mesh, source: npt.NDArray[np.uint8], stock: bpy.types.Object) -> None:
    """The stock's materials, and one for the faces that a path cut, unless the stock has it already."""
    for slot in stock.material_slots:
        mesh.materials.append(slot.material)
    cut = source == Source.PATH
    if not cut.any():
        return
    if not mesh.materials:
        mesh.materials.append(None)  # the stock's faces keep the default look
    material = _cut_material()
    index = mesh.materials.find(material.name)
    if index < 0:
        index = len(mesh.materials)
        mesh.materials.append(material)
    _add_face_attribute(mesh, "material_index", np.where(cut, index, 0))


def _cut_material() -> bpy.types.Material:
    """The material of cut faces, made where the file has none."""
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


def _add_face_attribute(mesh: bpy.types.Mesh, name: str, values: npt.NDArray[Any]) -> None:
    mesh.attributes.new(name, "INT", "FACE")
    _set_values(mesh, name, "value", values.astype(np.int32))


def _set_values(mesh: bpy.types.Mesh, name: str, field: str, values: npt.NDArray[Any]) -> None:
    cast(Any, mesh.attributes[name]).data.foreach_set(field, values.ravel())
