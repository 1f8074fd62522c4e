"""Another surface for an object that has one: its mesh stays the same data-block, and the object where it is put.

No pointer to a data-block changes but those to materials. A result may be written while no undo step is pushed, as when
it follows its paths; Blender's undo keeps an object as it finds it where the steps do not tell it apart, and takes away
what they do not know of. A mesh exchanged in between would be pointed at when it is gone.
"""

from typing import Any, cast

import bmesh
import bpy
import numpy as np
from mathutils import Matrix

from ...compute import CarveResult
from ..provenance import CutFaces, FaceTable, Provenance
from .keep import BlenderBoolean, kept_mesh
from .write import SHEAR_TOLERANCE, fill_mesh, points_around, set_materials, transfer_to


def rewrite_result(
    obj: bpy.types.Object, result: CarveResult, stock: bpy.types.Object, provenance: Provenance
) -> Matrix:
    """Give an object a carved surface as its mesh: what `write_surface` gives a new one.

    Returns the place (4, 4) in the world of the space that the mesh is in, not turned and not scaled: see
    `points_around`.
    """
    mesh, compiled = cast(bpy.types.Mesh, obj.data), result.report.backend == "numba"
    surface = result.surface
    location, points = points_around(stock, surface, result.report.voxel_size)
    order = range(surface.faces.shape[1])
    transfer = transfer_to(surface, provenance)
    _clear(obj)
    fill_mesh(mesh, points, order, FaceTable(surface, provenance), transfer, stock, compiled)
    if transfer:
        transfer.write_groups(obj)
    return cast(Matrix, cast(Any, Matrix).Translation(location))


def rewrite_kept(obj: bpy.types.Object, boolean: BlenderBoolean, stock: bpy.types.Object, cut: CutFaces) -> Matrix:
    """Give an object the last result of a stock's boolean as its mesh: what `write_kept` gives a new one.

    Returns the place (4, 4) in the world of the space that the mesh is in: the stock's, but for shear.
    """
    mesh = kept_mesh(boolean, cut)
    try:
        place = cast(Matrix, cast(Any, Matrix).LocRotScale(*stock.matrix_world.decompose()))
        rest = place.inverted() @ stock.matrix_world
        if not np.allclose(np.array(rest), np.eye(4), rtol=0, atol=SHEAR_TOLERANCE):
            mesh.transform(rest)
        _clear(obj)
        _copy(mesh, cast(bpy.types.Mesh, obj.data))
        for group in _group_names(mesh):
            obj.vertex_groups.new(name=group)
    finally:
        bpy.data.meshes.remove(mesh)
    return place


def put(obj: bpy.types.Object, stock: bpy.types.Object, old: Matrix, new: Matrix) -> None:
    """Let an object follow the place (4, 4) that its mesh is made for: moved aside by a user, it stays as far aside.

    What is parented to the stock goes with it already, and is put to the new place itself.
    """
    if descends(obj, stock):
        if not _equal(obj.matrix_world, new):
            obj.matrix_world = new
    elif not _equal(old, new):
        obj.matrix_basis = obj.matrix_basis @ old.inverted() @ new


def _clear(obj: bpy.types.Object) -> None:
    cast(bpy.types.Mesh, obj.data).clear_geometry()
    if obj.vertex_groups:
        obj.vertex_groups.clear()


def _copy(mesh: bpy.types.Mesh, other: bpy.types.Mesh) -> None:
    """All elements, attributes and weights of a mesh into another that has none."""
    set_materials(other, list(mesh.materials))  # first: that clears which face has which
    copied = bmesh.new()
    try:
        copied.from_mesh(mesh)
        copied.to_mesh(other)
    finally:
        copied.free()
    uvs, colors = other.uv_layers, other.color_attributes
    if mesh.uv_layers.active:
        uvs.active = uvs[mesh.uv_layers.active.name]
    for each in mesh.uv_layers:
        if each.active_render:
            uvs[each.name].active_render = True
    colors.active_color_name = mesh.color_attributes.active_color_name
    colors.default_color_name = mesh.color_attributes.default_color_name
    other.update()


def _group_names(mesh: bpy.types.Mesh) -> list[str]:
    """The vertex groups of a mesh, which only an object with it can tell."""
    holder = bpy.data.objects.new(mesh.name, mesh)
    names = [group.name for group in holder.vertex_groups]
    bpy.data.objects.remove(holder)
    return names


def descends(obj: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Whether an object hangs on another, by its parents."""
    parent = obj.parent
    while parent is not None and parent != other:
        parent = parent.parent
    return parent is not None


def _equal(matrix: Matrix, other: Matrix) -> bool:
    return np.array_equal(np.array(matrix), np.array(other))
