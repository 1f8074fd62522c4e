"""The triangles of a stock, in voxel units of a grid."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..model.grid import Grid
from ..model.mesh import TriMesh
from .boundary import Boundary
from .box_tree import BoxTree
from .segments import lexicographic_order

Array = npt.NDArray[np.float64]
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
    def boundary(self) -> Boundary:
        """The open boundary, in voxels."""
        return Boundary.of(self.points, self.triangles)

    @classmethod
    def on_grid(cls, mesh: TriMesh, grid: Grid) -> "Triangles":
        """The triangles of a mesh in voxel units, welded."""
        points, triangles, order = weld(grid.to_voxels(mesh.points), mesh.triangles)
        a, b, c = (points.T.take(triangles[:, i], axis=1) for i in range(3))
        normal = cross(b - a, c - a)
        length = np.sqrt(dot(normal, normal))
        longest = np.maximum(dot(b - a, b - a), dot(c - a, c - a))
        # A cross product this small, compared with the sides, is only rounding.
        flat = length <= 1e-12 * longest
        normal = np.where(flat, 0.0, normal / np.where(flat, 1.0, length))
        return cls(points, triangles, np.ascontiguousarray(normal.T), order)

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
    ordered = points[order]
    new = np.ones(len(points), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(points), dtype=np.int64)
    index[order] = np.cumsum(new) - 1
    welded = index[triangles]
    a, b, c = (welded[:, i] for i in range(3))
    kept = np.flatnonzero((a != b) & (b != c) & (c != a))
    return ordered[new], welded[kept], kept.astype(np.int32)


def dot(a: Real, b: Real) -> Real:
    """Scalar products of vectors (3, ...)."""
    product: Real = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def cross(a: Real, b: Real) -> Real:
    """Vector products of vectors (3, ...)."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
