"""Arrays to Blender objects, through attribute arrays: nothing here loops over vertices or faces."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ...compute import BackendError, CarveResult, InputError, Report, Source, Surface
from ...compute.engines.numba.compiler import compiled_fraction, load_kernels
from ...formats import float32_holds, float32_middle
from ..face_corners import FaceCorners
from ..layers import Transfer
from ..provenance import FaceTable, Provenance
from ..shading import add_normals, to_local

if TYPE_CHECKING:
    from ...compute.attributes import FaceEdges

CUT_MATERIAL = "Voxel Carve Cut"
CUT_COLOUR = (0.32, 0.45, 0.55, 1.0)
SOURCE_ATTRIBUTE = "voxel_carve_source"
SEGMENT_ATTRIBUTE = "voxel_carve_segment"
REPORT_PROPERTY = "voxel_carve_report"
EDGE_KERNELS = ("write",)  # the set that they are in
# Edges bent by more than this are drawn sharp.
SHARP_ANGLE = math.radians(30)
# Greatest deviation of a transform from location, rotation and scale: more than float32 rounding.
SHEAR_TOLERANCE = 1e-5


def write_result(
    scene: bpy.types.Scene,
    result: CarveResult,
    stock: bpy.types.Object,
    replace: bool = False,
    provenance: Provenance | None = None,
) -> bpy.types.Object:
    """The carved mesh as an object "<stock> Carved" with its report; arguments and errors as for `write_surface`."""
    name, voxel_size = f"{stock.name} Carved", result.report.voxel_size
    obj = write_surface(scene, result.surface, stock, name, replace, provenance, voxel_size)
    write_report(obj, result.report)
    return obj


def write_surface(
    scene: bpy.types.Scene,
    surface: Surface,
    stock: bpy.types.Object,
    name: str,
    replace: bool = False,
    provenance: Provenance | None = None,
    voxel_size: float = math.inf,
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
        provenance: the origin of triangles and segments. Without it, faces of the stock get its first material, and no
            attributes are transferred.
        voxel_size: of the grid the surface was made from: see `points_around`.

    Raises:
        InputError: the stock is to be replaced, but belongs to another file.
    """
    if replace:
        return _replace_mesh(stock, surface, provenance)
    location, points = points_around(stock, surface, voxel_size)
    order = range(surface.faces.shape[1])
    transfer = transfer_to(surface, provenance)
    mesh = _new_mesh(name, points, order, FaceTable(surface, provenance), transfer, stock)
    obj = bpy.data.objects.new(name, mesh)
    obj.location = location
    for collection in _collections_for(scene, stock):
        collection.objects.link(obj)
    if transfer:
        transfer.write_groups(obj)
    hide(scene, stock)
    return obj


def points_around(
    stock: bpy.types.Object, surface: Surface, voxel_size: float
) -> tuple[Vector, npt.NDArray[np.float32]]:
    """An origin for a surface, and its points (N, 3) relative to it.

    The stock's location as the origin keeps local coordinates small, so that float32 suffices far from the world's
    origin. If the surface is too far from the stock's location for its voxel size, its own middle is the origin.
    """
    location = stock.matrix_world.translation.copy()
    if len(surface.points):
        bounds = np.stack([surface.points.min(axis=0), surface.points.max(axis=0)])
        if not float32_holds(bounds - np.array(location, dtype=np.float64), voxel_size):
            location = Vector(float32_middle(bounds).tolist())
    points = np.empty(surface.points.shape, dtype=np.float32)
    np.subtract(surface.points, np.array(location, dtype=np.float64), out=points, casting="same_kind")
    return location, points


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
    for collection in _collections_for(scene, stock):
        collection.objects.link(obj)
    hide(scene, stock)
    return obj


def write_report(obj: bpy.types.Object, report: Report) -> None:
    """Store the report with the object, as JSON in its custom property "voxel_carve_report"."""
    obj[REPORT_PROPERTY] = json.dumps(report.to_dict())


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


def _replace_mesh(stock: bpy.types.Object, surface: Surface, provenance: Provenance | None) -> bpy.types.Object:
    refuse_replace(stock)
    matrix = np.array(stock.matrix_world, dtype=np.float64)
    inverse = np.linalg.inv(matrix)
    points = (surface.points @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32)
    order = list(range(surface.faces.shape[1]))
    if np.linalg.det(matrix[:3, :3]) < 0:
        # In a mirrored object, faces that look outward have the reverse corner order. They keep their first corner, so
        # that quads are split along the same diagonal.
        order[1:] = order[:0:-1]
    old = cast(bpy.types.Mesh, stock.data)
    transfer = transfer_to(surface, provenance)
    mesh = _new_mesh(old.name, points, order, FaceTable(surface, provenance), transfer, stock, matrix)
    _put_mesh(stock, mesh)
    if transfer:
        transfer.write_groups(stock)
    return stock


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


def transfer_to(surface: Surface, provenance: Provenance | None) -> Transfer | None:
    """The transfer of the stock's layers; None if it has none."""
    if provenance is None or not provenance.stock.layers:
        return None
    return Transfer(provenance.stock.mesh, provenance.stock.layers, surface)


def _collections_for(scene: bpy.types.Scene, stock: bpy.types.Object) -> list[bpy.types.Collection]:
    """The stock's collections in the scene that belong to this file, else the scene's own."""
    ours = {scene.collection, *scene.collection.children_recursive}
    found = [collection for collection in stock.users_collection if collection in ours and not collection.library]
    return found or [scene.collection]


def _new_mesh(
    name: str,
    points: npt.NDArray[np.float32],
    order: Sequence[int],
    table: FaceTable,
    transfer: Transfer | None,
    stock: bpy.types.Object,
    matrix: npt.NDArray[np.float64] | None = None,
) -> bpy.types.Mesh:
    """A mesh of a surface's faces, with points (N, 3) in the object's own space and corners in the given order.

    The linear part of `matrix` (4, 4) is that of the transform from that space to world space, where it is not 1.
    """
    mesh = bpy.data.meshes.new(name)
    try:
        fill_mesh(mesh, points, order, table, transfer, stock, matrix)
    except BaseException:
        bpy.data.meshes.remove(mesh)
        raise
    return mesh


def fill_mesh(
    mesh: bpy.types.Mesh,
    points: npt.NDArray[np.float32],
    order: Sequence[int],
    table: FaceTable,
    transfer: Transfer | None,
    stock: bpy.types.Object,
    matrix: npt.NDArray[np.float64] | None = None,
) -> None:
    """Fill an empty mesh with the faces of a surface; arguments as for `_new_mesh`."""
    surface = table.surface
    corners, cut = FaceCorners.of(surface, order), surface.source == Source.PATH
    _fill(mesh, points, corners, cut, _found_edges(points, corners.faces, cut))
    _add_attribute(mesh, SOURCE_ATTRIBUTE, "INT", "FACE", table.sources())
    _add_attribute(mesh, SEGMENT_ATTRIBUTE, "INT", "FACE", table.segments())
    _add_looks(mesh, table, stock)
    if transfer:
        transfer.write_layers(mesh, corners)
    normals = table.provenance.normals(surface) if table.provenance else None
    if normals is not None:
        normals = normals if matrix is None else to_local(normals, matrix)
        add_normals(mesh, corners.reordered(normals))


def _found_edges(
    points: npt.NDArray[np.float32], faces: npt.NDArray[np.int32], cut: npt.NDArray[np.bool_]
) -> "FaceEdges | None":
    """The edges found by the compiled kernels, several times as fast as Blender; None where these are not at hand."""
    try:
        if compiled_fraction(EDGE_KERNELS) < 1:
            return None
        load_kernels(*EDGE_KERNELS)
    except BackendError:
        return None
    from ...compute.attributes import face_edges

    return face_edges(points, faces, cut, SHARP_ANGLE)


def _fill(
    mesh: bpy.types.Mesh,
    points: npt.NDArray[np.float32],
    corners: FaceCorners,
    cut: npt.NDArray[np.bool_],
    edges: "FaceEdges | None",
) -> None:
    """Give an empty mesh its elements. Attributes copy arrays of their own type at once; Blender sets other
    collections, such as the faces, one by one. If no edges are given, Blender finds them."""
    mesh.vertices.add(len(points))
    _set_values(mesh, "position", "vector", points)
    vertices, start = corners.listed(corners.faces), corners.start()
    mesh.loops.add(vertices.size)
    _set_values(mesh, ".corner_vert", "value", vertices)
    mesh.polygons.add(len(start))
    mesh.polygons.foreach_set("loop_start", start)
    if edges is None:
        mesh.update(calc_edges=True)
        mesh.set_sharp_from_angle(angle=SHARP_ANGLE)
        _sharpen_border(mesh, np.repeat(cut, np.diff(start, append=vertices.size)))
        return
    mesh.edges.add(len(edges.vertices))
    _set_values(mesh, ".edge_verts", "value", edges.vertices)
    _set_values(mesh, ".corner_edge", "value", corners.listed(edges.of_corner))
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


def _add_looks(mesh: bpy.types.Mesh, table: FaceTable, stock: bpy.types.Object) -> None:
    """Add the materials of the faces, and flat shading."""
    provenance = table.provenance
    materials = list(provenance.stock.materials if provenance else (slot.material for slot in stock.material_slots))
    slots = table.slots(materials, cut_material)
    set_materials(mesh, materials)
    if slots is not None:
        _add_attribute(mesh, "material_index", "INT", "FACE", slots)
    flat = table.flat()
    if flat is not None:
        _add_attribute(mesh, "sharp_face", "BOOLEAN", "FACE", flat)


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
