"""The triangles of a stock, in voxel units of a grid."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..runtime.threads import slices
from .boundary import Boundary
from .box_tree import BoxTree
from .half_edges import border
from .segments import lexicographic_order

Array = npt.NDArray[np.float64]

TRIANGLES_PER_BLOCK = 1 << 13  # temporaries stay in the cache

Real = TypeVar("Real", npt.NDArray[np.float32], npt.NDArray[np.float64])


@dataclass(frozen=True)
class Triangles:
    """The triangles of a mesh, in voxel units from the origin of a grid. Points with equal coordinates are welded.

    Attributes:
        points: (N, 3) float64, in lexicographic order: their coordinates alone decide it.
        triangles: (M, 3) int64, indices of points; without triangles that have two equal corners.
        normal: (M, 3) float64, of length 1; 0 if the corners are collinear.
        order: (M,) int32, index in the mesh.
    """

    points: Array
    triangles: npt.NDArray[np.int64]
    normal: Array
    order: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.triangles)

    @cached_property
    def rim(self) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
        """Tail and head (E,) of the half-edges of the open boundary."""
        return border(self.triangles)

    @cached_property
    def boundary(self) -> Boundary:
        """The open boundary, in voxels."""
        return Boundary.between(self.points, *self.rim)

    @classmethod
    def on_grid(cls, mesh: TriMesh, grid: Grid) -> "Triangles":
        """The triangles of a mesh in voxel units, welded."""
        points, triangles, order = weld(grid.to_voxels(mesh.points), mesh.triangles)
        return cls(points, triangles, unit_normals(points, triangles), order)

    def at(self, which: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> "Triangles":
        """Some of them, with the points of all."""
        return Triangles(self.points, self.triangles[which], self.normal[which], self.order[which])

    def bounds(self) -> tuple[Array, Array]:
        """(M, 3) least and greatest coordinates of each triangle, in voxels."""
        # Reducing an axis of three takes numpy ten times as long.
        a, b, c = (self.points.take(self.triangles[:, i], axis=0) for i in range(3))
        return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)

    @cached_property
    def tree(self) -> BoxTree:
        """The tree of the triangles; there is at least one."""
        return BoxTree.of(*self.bounds())


def weld(
    points: Array, triangles: npt.NDArray[np.integer]
) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Weld points with equal coordinates, sort them, and drop triangles that lost a corner.

    Returns:
        points: (N, 3) in lexicographic order.
        triangles: (M, 3) indices of points.
        order: (M,) int32, index among the given triangles.
    """
    points = points + 0.0  # -0.0 becomes 0.0
    order = lexicographic_order([*points.T])
    # To take rows is several times as fast as to index by them.
    ordered = points.take(order, axis=0)
    x, y, z = (column[1:] != column[:-1] for column in ordered.T)
    new = np.append(True, x | y | z)[: len(points)]
    index = np.empty(len(points), dtype=np.int64)
    index[order] = np.cumsum(new) - 1
    welded = index[triangles]
    a, b, c = welded.T
    kept = np.flatnonzero((a != b) & (b != c) & (c != a))
    return ordered.take(np.flatnonzero(new), axis=0), welded.take(kept, axis=0), kept.astype(np.int32)


def unit_normals(points: Array, triangles: npt.NDArray[np.integer]) -> Array:
    """(M, 3) normals of triangles (M, 3), of length 1; 0 if the corners are collinear."""
    normals = np.empty((len(triangles), 3))
    for rows in slices(len(triangles), TRIANGLES_PER_BLOCK):
        a, b, c = (points.take(corner, axis=0).T for corner in triangles[rows].T)
        normal = cross(b - a, c - a)
        length = np.sqrt(dot(normal, normal))
        longest = np.maximum(dot(b - a, b - a), dot(c - a, c - a))
        # A cross product this small, compared with the sides, is only rounding.
        flat = length <= 1e-12 * longest
        normals[rows] = np.where(flat, 0.0, normal / np.where(flat, 1.0, length)).T
    return normals


def dot(a: Real, b: Real) -> Real:
    """Scalar products of vectors (3, ...)."""
    product: Real = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def cross(a: Real, b: Real) -> Real:
    """Vector products of vectors (3, ...)."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
