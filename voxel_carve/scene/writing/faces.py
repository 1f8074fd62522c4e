"""The faces of a Blender mesh as arrays, and those of one mesh put back as they were in another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute.mesh import mix

# What foreach_get and foreach_set call the value of an attribute's element, how many numbers it has and of which type.
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
    """The faces of a mesh as they stand."""
    count, size = len(mesh.polygons), len(mesh.loops)
    if size == 3 * count:  # no face has fewer corners
        start = np.arange(0, size + 1, 3, dtype=np.int32)
    else:
        start = np.full(count + 1, size, dtype=np.int32)
        mesh.polygons.foreach_get("loop_start", start[:-1])
    corners = get_values(mesh, ".corner_vert") if size else np.empty(0, dtype=np.int32)
    return Faces(get_values(mesh, "position").reshape(-1, 3), corners, start)


def read_triangles(mesh: bpy.types.Mesh, faces: Faces) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Triangles (M, 3) by vertex, as Blender splits the faces, and the face of each (M,), in ascending order.

    Blender hands its own out one by one, which is slow: only those of faces with five and more corners are asked for.
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
    """Which quads (M, 4) bend inward at their first or third corner, and so are split between the other two."""
    a, b, c, d = (points.take(corner, axis=0) for corner in quads.T)
    normals = np.cross(b - a, c - a), np.cross(c - a, d - a)
    return np.asarray(np.einsum("ij,ij->i", *normals) < 0)


@dataclass(frozen=True)
class Turns:
    """The faces of a mesh that another one has too, only that they may begin at another corner there.

    Attributes:
        corner: (K,) their corners, as they stand in the mesh.
        turned: (K,) which corner of the mesh should stand there.
        model: (K,) the corner of the other mesh that it is.
    """

    corner: npt.NDArray[np.int64]
    turned: npt.NDArray[np.int64]
    model: npt.NDArray[np.int64]

    @classmethod
    def of(cls, faces: Faces, origin: npt.NDArray[np.int32], model: Faces, flipped: bool = False) -> "Turns":
        """Those of a mesh whose face i was face origin[i] (F,) of the model, -1 where it was none.

        Vertices are compared by 64-bit numbers made of their coordinates. Flipped faces run the other way round.
        """
        here, there = (_place_numbers(each.points).take(each.corners) for each in (faces, model))
        count, whole = np.diff(faces.start), np.flatnonzero(origin >= 0)
        whole = whole[count[whole] == np.diff(model.start)[origin[whole]]]
        found = [(np.empty(0, dtype=np.int64),) * 3]
        for sides in np.unique(count[whole]):
            these, step = whole[count[whole] == sides], np.arange(sides)
            first, model_first = faces.start[these, None], model.start[origin[these], None]
            turn = (here[first + step] == there[model_first]).argmax(axis=1)[:, None]
            corner, turned = first + step, first + (step + turn) % sides
            of_model = model_first + (-step % sides if flipped else step)
            same = (here[turned] == there[of_model]).all(axis=1)
            found.append((corner[same].ravel(), turned[same].ravel(), of_model[same].ravel()))
        return cls(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def undo(self, mesh: bpy.types.Mesh, names: Sequence[str] = _TOPOLOGY) -> None:
        """Let the faces begin where they began."""
        for name in names:
            values = get_values(mesh, name)
            values[self.corner] = values[self.turned]
            set_values(mesh, name, values)

    def copy(self, mesh: bpy.types.Mesh, model: bpy.types.Mesh) -> None:
        """Give the corners the values that they have in the model, whose attributes the mesh has."""
        for attribute in list(model.attributes):
            name = attribute.name
            known = attribute.data_type in _VALUES and name in mesh.attributes and name not in _TOPOLOGY
            if attribute.domain == "CORNER" and known:
                values = get_values(mesh, name)
                values[self.corner] = get_values(model, name)[self.model]
                set_values(mesh, name, values)


def _place_numbers(points: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """A number for each point (N, 3), the same for the same coordinates."""
    x, y, z = (points + np.float32(0)).view(np.uint32).T.astype(np.uint64)  # -0 becomes 0
    return mix(mix(x << np.uint64(32) | y) + z)


def to_place(matrix: npt.NDArray[np.floating[Any]], points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Points (N, 3) through a matrix (4, 4), written out: for three columns a matrix product takes longer."""
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
    """Turn some faces (F,) of a mesh round: each still begins at its first corner, and all that its corners have goes
    with them. Custom normals come to look the other way with their faces."""
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
    """Give each face a whole number (F,) in the attribute `name`, made anew."""
    old = mesh.attributes.get(name)
    if old is not None:
        mesh.attributes.remove(old)
    mesh.attributes.new(name, "INT", "FACE")
    set_values(mesh, name, values)
