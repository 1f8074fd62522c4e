"""What a forecast has to know of a surface, read from an evaluated mesh without triangulating it."""

from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import TriMesh
from ...compute.sheets import Openings, openings_at_hand
from .meshes import corner_vertices, to_world, world_matrix
from .splines import vertex_points


@dataclass(frozen=True)
class SurfaceArrays:
    """A surface as Blender keeps it. Any thread may work on it.

    Attributes:
        points: (N, 3) in the object's own space.
        matrix: (4, 4) to world space.
        vertex, edge: (C,) of each corner of a polygon.
        start: (P,) the first corner of each polygon.
        edges: their number.
        name: of the object.
    """

    points: npt.NDArray[np.float32]
    matrix: npt.NDArray[np.float64]
    vertex: npt.NDArray[np.int32]
    edge: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    edges: int
    name: str

    def mesh(self) -> TriMesh:
        """The surface in world space. Its polygons need not be divided well."""
        return TriMesh(to_world(self.matrix, self.points), fans(self.vertex, self.start), self.name)

    def is_closed(self) -> bool:
        """Whether each edge has two faces."""
        return bool((np.bincount(self.edge, minlength=self.edges) == 2).all())

    def openings(self) -> Openings | None:
        """What is open in it; None if that is not known yet."""
        return Openings(0, False) if self.is_closed() else openings_at_hand(self.mesh())


def read_surface(evaluated: bpy.types.Object) -> SurfaceArrays:
    """The surface of an evaluated mesh object with faces.

    Raises:
        InputError: as `world_matrix`.
    """
    mesh = cast(bpy.types.Mesh, evaluated.data)
    edge = np.empty(len(mesh.loops), dtype=np.int32)
    cast(Any, mesh.attributes[".corner_edge"]).data.foreach_get("value", edge)
    start = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", start)
    matrix, points = world_matrix(evaluated), vertex_points(mesh)
    return SurfaceArrays(points, matrix, corner_vertices(mesh), edge, start, len(mesh.edges), evaluated.name)


def fans(vertex: npt.NDArray[np.int32], start: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """(T, 3) triangles from the first corner of each polygon.

    Args:
        vertex: (C,) of each corner.
        start: (P,) the first corner of each polygon, ascending.
    """
    count = np.diff(start, append=len(vertex)) - 2
    first = np.repeat(start, count)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    return np.stack([vertex[first], vertex[second], vertex[second + 1]], axis=1)
