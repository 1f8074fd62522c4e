"""A surface as the arrays of a Blender mesh, which takes most of the time of writing it.

They are made on any thread: nothing here asks Blender for anything.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...compute import BackendError, Source, Surface
from ...compute.engines.numba.compiler import compiled_fraction, load_kernels
from ...compute.repair import set_apart_where_joined
from ...compute.runtime import progress_range
from ...formats import float32_holds, float32_middle
from ..face_corners import FaceCorners
from ..layers import GroupWeights, Transfer
from ..provenance import FaceTable, Provenance
from ..shading import to_local

if TYPE_CHECKING:
    from ...compute.attributes import FaceEdges

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int32]

KERNELS = ("write",)  # the set that those for edges are in
# Edges bent by more than this are drawn sharp.
SHARP_ANGLE = math.radians(30)


@dataclass(frozen=True)
class Edges:
    """The edges of a mesh: their ends (E, 2), the edge of each corner (C,), and whether they are sharp (E,)."""

    vertices: Indices
    of_corner: Indices
    sharp: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class MeshArrays:
    """The mesh that a surface becomes, of N points, and M faces with C corners, in the numbers that Blender keeps.

    Attributes:
        table: the faces of the surface, and where they come from.
        matrix: (4, 4) the transform of the stock that the points were placed by.
        replaces: whether the mesh is in the space of the stock, instead of around `location`.
        location: (3,) the origin of an object of its own.
        points: (N, 3) in the mesh's own space.
        vertices: (C,) the point of each corner.
        start: (M,) the first corner of each face.
        cut: (M,) bool, whether a path cut the face.
        edges: None if Blender has to find them.
        sources, segments: (M,) the values of the attributes that say where faces come from.
        flat: (M,) bool, whether a face is shaded flat; None if no face is.
        layers: the values of the stock's layers at corners (C, K) or points (N, K).
        weights: for each of the stock's vertex groups; None where a group is empty.
        normals: (C, 3) custom normals; None for Blender's own.
    """

    table: FaceTable
    matrix: npt.NDArray[np.float64]
    replaces: bool
    location: npt.NDArray[np.float64]
    points: Floats
    vertices: Indices
    start: Indices
    cut: npt.NDArray[np.bool_]
    edges: Edges | None
    sources: Indices
    segments: Indices
    flat: npt.NDArray[np.bool_] | None
    layers: Sequence[Floats]
    weights: Sequence[GroupWeights | None]
    normals: Floats | None

    def fits(self, surface: Surface, provenance: Provenance | None, place: "Place") -> bool:
        """Whether these are the arrays that `mesh_arrays` would make."""
        same = self.table.surface is surface and self.table.provenance is provenance
        return same and self.replaces == place.replaces and np.array_equal(self.matrix, place.matrix)


@dataclass(frozen=True)
class Place:
    """Where a surface in world space goes: into the space of a stock, or around an origin of its own.

    Attributes:
        matrix: (4, 4) the transform of the stock to world space.
        replaces: whether the stock gets the surface as its mesh.
        voxel_size: of the grid that the surface was made from: see `_points_around`.
    """

    matrix: npt.NDArray[np.float64]
    replaces: bool = False
    voxel_size: float = math.inf


def mesh_arrays(surface: Surface, provenance: Provenance | None, place: Place) -> MeshArrays:
    """The arrays of a surface's mesh; without a provenance, faces have no materials and layers of their own."""
    matrix, order = place.matrix, list(range(surface.faces.shape[1]))
    if place.replaces:
        location = np.zeros(3)
        inverse = np.linalg.inv(matrix)
        points = (surface.points @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32)
        if np.linalg.det(matrix[:3, :3]) < 0:
            # In a mirrored object, faces that look outward have the reverse corner order. They keep their first corner,
            # so that quads are split along the same diagonal.
            order[1:] = order[:0:-1]
    else:
        location, points = _points_around(matrix[:3, 3], surface, place.voxel_size)
    if provenance:  # without one, faces are the sides of voxels, whose corners lie where they should
        points = set_apart_where_joined(points, surface.faces)
    table, corners = FaceTable(surface, provenance), FaceCorners.of(surface, order)
    cut = surface.source == Source.PATH
    with progress_range(0.0, 0.15):
        edges = _found_edges(points, corners, cut)
    transfer = _transfer(surface, provenance)
    with progress_range(0.15, 0.85):
        layers = transfer.layer_values(corners) if transfer else []
        weights = transfer.group_weights() if transfer else []
    with progress_range(0.85, 1.0):
        normals = provenance.normals(surface) if provenance else None
    if normals is not None:
        normals = corners.reordered(to_local(normals, matrix) if place.replaces else normals)
    _ = table.used  # for the materials, which are given on the main thread
    return MeshArrays(
        table,
        matrix,
        place.replaces,
        location,
        points,
        vertices=corners.points(),
        start=corners.start(),
        cut=cut,
        edges=edges,
        sources=table.sources(),
        segments=table.segments(),
        flat=table.flat(),
        layers=layers,
        weights=weights,
        normals=normals,
    )


def _points_around(
    location: npt.NDArray[np.float64], surface: Surface, voxel_size: float
) -> tuple[npt.NDArray[np.float64], Floats]:
    """An origin for a surface, and its points (N, 3) relative to it.

    The stock's location as the origin keeps local coordinates small, so that float32 suffices far from the world's
    origin. If the surface is too far from the stock's location for its voxel size, its own middle is the origin.
    """
    if len(surface.points):
        # Column by column: numpy takes seven times as long for the bounds of rows.
        bounds = np.array([[column.min(), column.max()] for column in surface.points.T]).T
        if not float32_holds(bounds - location, voxel_size):
            location = np.asarray(float32_middle(bounds), dtype=np.float64)
    points = np.empty(surface.points.shape, dtype=np.float32)
    np.subtract(surface.points, location, out=points, casting="same_kind")
    return location, points


def _transfer(surface: Surface, provenance: Provenance | None) -> Transfer | None:
    """The transfer of the stock's layers; None if it has none."""
    if provenance is None or not provenance.stock.layers:
        return None
    return Transfer(provenance.stock.mesh, provenance.stock.layers, surface)


def _found_edges(points: Floats, corners: FaceCorners, cut: npt.NDArray[np.bool_]) -> Edges | None:
    """The edges found by the compiled kernels, several times as fast as Blender; None where these are not at hand."""
    try:
        if compiled_fraction(KERNELS) < 1:
            return None
        load_kernels(*KERNELS)
    except BackendError:
        return None
    from ...compute.attributes import face_edges

    found: FaceEdges | None = face_edges(points, corners.faces, cut, SHARP_ANGLE)
    return None if found is None else Edges(found.vertices, corners.listed(found.of_corner).ravel(), found.sharp)
