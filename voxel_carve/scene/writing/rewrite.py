"""Writing a new surface into an existing result, whose mesh stays the same data-block.

Only pointers to materials change. A result may be written without an undo step, as when it follows its paths. Blender's
undo leaves an object alone if two steps do not differ in it, and removes data-blocks that no step knows. If the mesh
had been exchanged in between, the object would point to a removed mesh.
"""

from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix

from ...compute import CarveResult
from ..provenance import CutFaces, Provenance
from .arrays import MeshArrays, mesh_arrays
from .keep import KeptStock
from .write import SHEAR_TOLERANCE, fill_mesh, place_of, set_materials


def rewrite_result(
    obj: bpy.types.Object,
    result: CarveResult,
    stock: bpy.types.Object,
    provenance: Provenance | None,
    arrays: MeshArrays | None = None,
) -> Matrix:
    """Fill an object's mesh with a carved surface, as `write_surface` does for a new object.

    Returns the transform (4, 4) from the mesh to world space, a translation only: see `MeshArrays`.
    """
    place = place_of(stock, False, result.report.voxel_size)
    if arrays is None or not arrays.fits(result.surface, provenance, place):
        arrays = mesh_arrays(result.surface, provenance, place)
    clear(obj)
    fill_mesh(obj, arrays, stock)
    return cast(Matrix, cast(Any, Matrix).Translation(arrays.location.tolist()))


def rewrite_kept(obj: bpy.types.Object, kept: KeptStock, stock: bpy.types.Object, cut: CutFaces) -> Matrix:
    """Fill an object's mesh with a kept result, as `write_kept` does for a new object.

    Returns the transform (4, 4) from the mesh to world space: the stock's, without its shear.
    """
    mesh = cast(bpy.types.Mesh, obj.data)
    place = cast(Matrix, cast(Any, Matrix).LocRotScale(*stock.matrix_world.decompose()))
    clear(obj)
    set_materials(mesh, kept.materials())
    kept.fill(mesh, cut)
    rest = place.inverted() @ stock.matrix_world
    if not np.allclose(np.array(rest), np.eye(4), rtol=0, atol=SHEAR_TOLERANCE):
        mesh.transform(rest)
    kept.write_groups(obj)
    return place


def put(obj: bpy.types.Object, stock: bpy.types.Object, old: Matrix, new: Matrix) -> None:
    """Move an object along as the transform (4, 4) of its mesh changes; an offset made by the user is kept.

    An object parented to the stock moves with it already, so it gets the new transform itself.
    """
    if descends(obj, stock):
        if not _equal(obj.matrix_world, new):
            obj.matrix_world = new
    elif not _equal(old, new):
        obj.matrix_basis = obj.matrix_basis @ old.inverted() @ new


def clear(obj: bpy.types.Object) -> None:
    """Leave an object without vertices, faces and vertex groups."""
    cast(bpy.types.Mesh, obj.data).clear_geometry()
    if obj.vertex_groups:
        obj.vertex_groups.clear()


def descends(obj: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Whether an object is a descendant of another."""
    parent = obj.parent
    while parent is not None and parent != other:
        parent = parent.parent
    return parent is not None


def _equal(matrix: Matrix, other: Matrix) -> bool:
    return np.array_equal(np.array(matrix), np.array(other))
