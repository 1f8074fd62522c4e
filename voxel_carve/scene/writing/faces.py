"""The faces of a Blender mesh as arrays, and faces restored to what they were in another mesh."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute.model import mix

# By data type of an attribute: the name that foreach_get and foreach_set take, numbers per element, and number type.
_VALUES: dict[str, tuple[str, int, Any]] = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, np.bool_),
    "INT8": ("value", 1, np.int32),
    "INT16_2D": ("value", 2, np.int32),
    "INT32_2D": ("value", 2, np.int32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "QUATERNION": ("value", 4, np.float32),
    "FLOAT4X4": ("value", 16, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color_srgb", 4, np.float32),
}
_TOPOLOGY = (".corner_vert", ".corner_edge")


@dataclass(frozen=True)
class Faces:
    """The faces of a mesh with N vertices, F faces and C corners.

    Attributes:
        points: (N, 3) float32, in the mesh's own space.
        corners: (C,) int32, the vertex of each corner.
        start: (F + 1,) int32: the corners of face i are start[i] to start[i + 1].
    """

    points: npt.NDArray[np.float32]
    corners: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]

    def following(self) -> npt.NDArray[np.int32]:
        """(C,) the vertex of the next corner of the same face."""
        after = np.roll(self.corners, -1)
        after[self.start[1:] - 1] = self.corners[self.start[:-1]]
        return after


def read_faces(mesh: bpy.types.Mesh) -> Faces:
    """The faces of a mesh as stored, not triangulated."""
    count, size = len(mesh.polygons), len(mesh.loops)
    if size == 3 * count:  # no face has fewer corners
        start = np.arange(0, size + 1, 3, dtype=np.int32)
    else:
        start = np.full(count + 1, size, dtype=np.int32)
        mesh.polygons.foreach_get("loop_start", start[:-1])
    corners = get_values(mesh, ".corner_vert") if size else np.empty(0, dtype=np.int32)
    return Faces(get_values(mesh, "position").reshape(-1, 3), corners, start)


def read_triangles(mesh: bpy.types.Mesh, faces: Faces) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The vertices (M, 3) of Blender's triangulation, and the face (M,) of each triangle, in ascending order.

    Reading Blender's own triangles one by one is slow, so only those of faces with five or more corners are read.
    """
    count = np.diff(faces.start)
    first = np.cumsum(count - 2) - (count - 2)
    of_face = np.repeat(np.arange(len(count)), count - 2)
    triangles = np.empty((len(of_face), 3), dtype=np.int32)
    three, four = np.flatnonzero(count == 3), np.flatnonzero(count == 4)
    triangles[first[three]] = faces.corners[faces.start[three, None] + np.arange(3)]
    quads = faces.corners[faces.start[four, None] + np.arange(4)]
    quads = np.where(_splits_across(faces.points, quads)[:, None], np.roll(quads, -1, axis=1), quads)
    triangles[first[four]], triangles[first[four] + 1] = quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]
    more = np.flatnonzero(np.repeat(count > 4, count - 2))
    if len(more):
        mesh.calc_loop_triangles()
        triangles[more] = [mesh.loop_triangles[place].vertices for place in more.tolist()]
    return triangles, of_face


def _splits_across(points: npt.NDArray[np.float32], quads: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which quads (M, 4) are concave at their first or third corner, and so are split between the other two."""
    a, b, c, d = (points.take(corner, axis=0) for corner in quads.T)
    normals = np.cross(b - a, c - a), np.cross(c - a, d - a)
    return np.asarray(np.einsum("ij,ij->i", *normals) < 0)


@dataclass(frozen=True)
class SharedFaces:
    """The faces that a mesh shares with a model, where they may begin at another corner.

    Attributes:
        corner: (K,) corners of these faces in the mesh.
        wanted: (K,) the corner of the mesh whose values belong there.
        model: (K,) the corner of the model that it corresponds to.
    """

    corner: npt.NDArray[np.int64]
    wanted: npt.NDArray[np.int64]
    model: npt.NDArray[np.int64]

    @classmethod
    def of(cls, faces: Faces, origin: npt.NDArray[np.int32], model: Faces, flipped: bool = False) -> "SharedFaces":
        """Match the faces of a mesh to a model. Face i was face origin[i] (F,) of the model, -1 for none.

        Vertices are compared by 64-bit hashes of their coordinates. Flipped faces have the reverse corner order.
        """
        here, there = (_point_hashes(each.points).take(each.corners) for each in (faces, model))
        count, whole = np.diff(faces.start), np.flatnonzero(origin >= 0)
        whole = whole[count[whole] == np.diff(model.start)[origin[whole]]]
        found = [(np.empty(0, dtype=np.int64),) * 3]
        for sides in np.unique(count[whole]):
            these, step = whole[count[whole] == sides], np.arange(sides)
            first, model_first = faces.start[these, None], model.start[origin[these], None]
            shift = (here[first + step] == there[model_first]).argmax(axis=1)[:, None]
            corner, wanted = first + step, first + (step + shift) % sides
            of_model = model_first + (-step % sides if flipped else step)
            same = (here[wanted] == there[of_model]).all(axis=1)
            found.append((corner[same].ravel(), wanted[same].ravel(), of_model[same].ravel()))
        return cls(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def restore_first_corners(self, mesh: bpy.types.Mesh, names: Sequence[str] = _TOPOLOGY) -> None:
        """Let the faces begin at the same corner as in the model."""
        for name in names:
            values = get_values(mesh, name)
            values[self.corner] = values[self.wanted]
            set_values(mesh, name, values)

    def copy_values(self, mesh: bpy.types.Mesh, model: bpy.types.Mesh) -> None:
        """Copy the corner attributes of the model, which the mesh has too."""
        for attribute in list(model.attributes):
            name = attribute.name
            known = attribute.data_type in _VALUES and name in mesh.attributes and name not in _TOPOLOGY
            if attribute.domain == "CORNER" and known:
                values = get_values(mesh, name)
                values[self.corner] = get_values(model, name)[self.model]
                set_values(mesh, name, values)


def _point_hashes(points: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """A hash (N,) of the coordinates of each point (N, 3)."""
    x, y, z = (points + np.float32(0)).view(np.uint32).T.astype(np.uint64)  # -0 becomes 0
    return mix(mix(x << np.uint64(32) | y) + z)


def transform_points(matrix: npt.NDArray[np.floating[Any]], points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Transform points (N, 3) by a matrix (4, 4). Written out, because a matrix product is slower for three columns."""
    x, y, z = (column.astype(np.float64) for column in points.T)
    placed = np.empty((len(points), 3))
    for axis in range(3):
        placed[:, axis] = x * matrix[axis, 0] + y * matrix[axis, 1] + z * matrix[axis, 2] + matrix[axis, 3]
    return placed


def get_values(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[Any]:
    """The values of an attribute: (N,), or (N, k) where an element has k numbers."""
    attribute = cast(Any, mesh.attributes[name])
    field, size, kind = _VALUES[attribute.data_type]
    values = np.empty(len(attribute.data) * size, dtype=kind)
    attribute.data.foreach_get(field, values)
    return values if size == 1 else values.reshape(-1, size)


def set_values(mesh: bpy.types.Mesh, name: str, values: npt.NDArray[Any]) -> None:
    """The inverse of `get_values`."""
    attribute = cast(Any, mesh.attributes[name])
    attribute.data.foreach_set(_VALUES[attribute.data_type][0], values.ravel())


def flip_faces(mesh: bpy.types.Mesh, faces: Faces, which: npt.NDArray[np.bool_]) -> None:
    """Flip some faces (F,) of a mesh, with their custom normals. Each still begins at its first corner, and corner
    attributes stay with their corners."""
    custom = np.empty(3 * len(faces.corners), dtype=np.float32)
    if mesh.has_custom_normals:
        mesh.corner_normals.foreach_get("vector", custom)
    face = np.repeat(np.arange(len(which)), np.diff(faces.start))
    place, first, stop = np.arange(len(face)), faces.start[face], faces.start[face + 1]
    turns = which[face]
    corner = np.where(turns & (place > first), first + stop - place, place)
    edge = np.where(turns, first + stop - 1 - place, place)
    for attribute in list(mesh.attributes):
        name = attribute.name
        if attribute.domain == "CORNER" and attribute.data_type in _VALUES:
            set_values(mesh, name, get_values(mesh, name)[edge if name == ".corner_edge" else corner])
    mesh.update()
    if mesh.has_custom_normals:
        normals = np.where(turns[:, None], -1, 1) * custom.reshape(-1, 3)[corner]
        mesh.normals_split_custom_set(normals.tolist())


def set_face_numbers(mesh: bpy.types.Mesh, name: str, values: npt.NDArray[np.int32]) -> None:
    """Give each face an integer (F,) in a new attribute `name`, which replaces an old one."""
    old = mesh.attributes.get(name)
    if old is not None:
        mesh.attributes.remove(old)
    mesh.attributes.new(name, "INT", "FACE")
    set_values(mesh, name, values)
