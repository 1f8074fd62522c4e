"""Evaluated meshes to triangles in world space, of one object or of everything it instances."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import InputError, TriMesh
from ..layers import Layers
from ..provenance import Material, StockFaces, mesh_looks, slot_materials
from ..shading import StockNormals, joined_normals, read_normals
from .evaluation import refuse_mode
from .instances import Copies, bodies
from .splines import vertex_points

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

# Below this ratio of least to greatest scale, a float32 matrix cannot be told from a flat one.
_LEAST_SCALE_RATIO = 1e-7


@dataclass(frozen=True)
class _Piece:
    """The triangles of one mesh at one place, with the looks of their faces."""

    points: Floats
    triangles: Indices
    materials: tuple[Material | None, ...]
    slot: Indices
    smooth: npt.NDArray[np.bool_]
    normals: StockNormals | None


@contextmanager
def own_mesh(evaluated: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """The mesh of an evaluated mesh object, for as long as the `with` block lasts."""
    mesh = evaluated.to_mesh()
    try:
        yield mesh
    finally:
        evaluated.to_mesh_clear()


def face_bounds(evaluated: bpy.types.Object) -> Floats | None:
    """(2, 3) the world-space box around the faces of an evaluated mesh object; None if it has none."""
    mesh = cast(bpy.types.Mesh, evaluated.data)
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[corner_vertices(mesh)] = True
    columns = to_world(np.array(evaluated.matrix_world, dtype=np.float64), vertex_points(mesh)[used]).T
    # Each column by itself, which is ten times faster than along the axis.
    return np.array([[each.min() for each in columns], [each.max() for each in columns]]) if used.any() else None


def corner_vertices(mesh: bpy.types.Mesh) -> Indices:
    """The vertex of each loop."""
    vertices = np.empty(len(mesh.loops), dtype=np.int32)
    if len(vertices):
        cast(Any, mesh.attributes[".corner_vert"]).data.foreach_get("value", vertices)
    return vertices


def corners(mesh: bpy.types.Mesh, matrix: Floats) -> tuple[Indices, Indices]:
    """(M, 3) loops and (M, 3) vertices of Blender's triangulation, in reverse order if the matrix mirrors."""
    vertices = corner_vertices(mesh)
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if _is_triangulated(mesh):
        loops = np.arange(3 * count, dtype=np.int32)
    else:
        loops = np.empty(3 * count, dtype=np.int32)
        mesh.loop_triangles.foreach_get("loops", loops)
    mirrored = np.linalg.det(matrix[:3, :3]) < 0
    # Kernels are compiled for contiguous arrays.
    loops = np.ascontiguousarray(loops.reshape(-1, 3)[:, :: -1 if mirrored else 1])
    return loops, vertices[loops]


def polygons(mesh: bpy.types.Mesh) -> Indices:
    """(M,) the polygon of each triangle of `corners`."""
    if _is_triangulated(mesh):
        return np.arange(len(mesh.polygons), dtype=np.int32)
    numbers = np.empty(len(mesh.loop_triangles), dtype=np.int32)
    cast(Any, mesh).loop_triangle_polygons.foreach_get("value", numbers)
    return numbers


def _is_triangulated(mesh: bpy.types.Mesh) -> bool:
    """Whether all faces are triangles, once `calc_loop_triangles` has been called."""
    return len(mesh.loop_triangles) == len(mesh.polygons) and 3 * len(mesh.polygons) == len(mesh.loops)


def world_matrix(evaluated: bpy.types.Object) -> Floats:
    """The transform (4, 4) to world space, refused if it is not finite or flattens the object."""
    return checked_matrix(np.array(evaluated.matrix_world, dtype=np.float64), evaluated.name)


def checked_matrix(matrix: Floats, name: str) -> Floats:
    """The transform (4, 4) of something with this name. Raises InputError if it is not finite, or flat."""
    if not np.isfinite(matrix).all():
        raise InputError("'{name}' has a transform that is not made of numbers: clear it", name=name)
    if scale_ratio(matrix) < _LEAST_SCALE_RATIO:
        raise InputError("'{name}' has a scale of zero: give it another", name=name)
    return matrix


def scale_ratio(matrix: Floats) -> float:
    """The ratio of least to greatest scale of a transform: 1 if uniform, 0 if flat."""
    scales = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    return float(scales[-1] / scales[0]) if scales[0] > 0 else 0.0


def mean_scale(matrix: Floats) -> float:
    """The scale of the uniform transform that changes volumes as this one does."""
    return float(abs(np.linalg.det(matrix[:3, :3])) ** (1 / 3))


def to_world(matrix: Floats, points: npt.ArrayLike) -> Floats:
    """(N, 3) points of an object in world space. Written out, because a matrix product is slower for three columns."""
    x, y, z = (column.astype(np.float64) for column in np.asarray(points).reshape(-1, 3).T)
    world = np.empty((len(x), 3))
    with np.errstate(invalid="ignore"):  # a later check counts and reports coordinates that are not finite
        for axis in range(3):
            world[:, axis] = x * matrix[axis, 0] + y * matrix[axis, 1] + z * matrix[axis, 2] + matrix[axis, 3]
    return world


def solid_places(copies: Copies, name: str) -> list[Floats]:
    """The transforms (4, 4) of copies. Flat instances made by nodes are skipped; a flat object is refused."""
    if len(copies.matrices) == 1 and copies.obj is not None:
        return [checked_matrix(copies.matrices[0], copies.obj.name)]
    finite = np.isfinite(copies.matrices).all(axis=(1, 2))
    if not finite.all():
        raise InputError(
            "'{name}' has {bad} of {count} instances whose transform is not made of numbers",
            name=name,
            bad=int((~finite).sum()),
            count=len(copies.matrices),
        )
    scales = np.linalg.svd(copies.matrices[:, :3, :3], compute_uv=False)
    return list(copies.matrices[scales[:, 2] > _LEAST_SCALE_RATIO * scales[:, 0]])


def instanced_faces(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, custom_normals: bool = False) -> StockFaces:
    """All meshes with faces that an object holds and instances, as one; UV maps and other layers are not read.

    Overlapping meshes unite, by the rule of the winding number.
    """
    parts = [part for body in bodies(obj, depsgraph) for part in body.parts]
    pieces = [piece for part in parts for piece in _pieces(part, obj.name, custom_normals)]
    if not pieces:
        raise InputError("'{name}' instances no mesh with faces: choose another stock", name=obj.name)
    first_point = np.cumsum([0, *(len(piece.points) for piece in pieces)])
    materials = list(dict.fromkeys(material for piece in pieces for material in piece.materials or (None,)))
    return StockFaces(
        TriMesh(
            np.concatenate([piece.points for piece in pieces]),
            np.concatenate([piece.triangles + first for piece, first in zip(pieces, first_point, strict=False)]),
            obj.name,
        ),
        tuple(materials),
        np.concatenate([_common_slots(piece, materials) for piece in pieces]),
        np.concatenate([piece.smooth for piece in pieces]),
        Layers(),
        joined_normals([(piece.normals, len(piece.triangles)) for piece in pieces]),
    )


def _common_slots(piece: _Piece, materials: Sequence[Material | None]) -> Indices:
    table = np.array([materials.index(material) for material in piece.materials or (None,)], dtype=np.int32)
    return table[piece.slot]


def _pieces(copies: Copies, name: str, custom_normals: bool) -> Iterator[_Piece]:
    """A mesh with faces at each of its places."""
    if copies.obj is not None:
        if copies.obj.type == "MESH":
            refuse_mode(copies.obj)
            with own_mesh(copies.obj) as mesh:
                yield from _placed(mesh, slot_materials(copies.obj), solid_places(copies, name), custom_normals)
    elif copies.geometry.mesh:
        mesh = copies.geometry.mesh
        materials = tuple(material.original if material else None for material in mesh.materials)
        yield from _placed(mesh, materials, solid_places(copies, name), custom_normals)


def _placed(
    mesh: bpy.types.Mesh, materials: tuple[Material | None, ...], places: list[Floats], custom_normals: bool
) -> Iterator[_Piece]:
    if len(mesh.polygons) == 0 or not places:
        return
    points = vertex_points(mesh)
    loops, outward = corners(mesh, np.eye(4))
    slot, smooth = mesh_looks(materials, mesh, polygons(mesh))
    for matrix in places:
        step = -1 if np.linalg.det(matrix[:3, :3]) < 0 else 1
        triangles, own = (np.ascontiguousarray(each[:, ::step]) for each in (outward, loops))
        normals = read_normals(mesh, matrix, own, triangles, smooth) if custom_normals else None
        yield _Piece(to_world(matrix, points), triangles, materials, slot, smooth, normals)
