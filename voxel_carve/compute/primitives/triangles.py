"""The triangles of a stock, in voxel units of a grid."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..runtime.threads import in_runs
from .boundary import Boundary
from .box_tree import BoxTree
from .segments import lexicographic_order

Array = npt.NDArray[np.float64]
TRIANGLES_PER_RUN = 1 << 15
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
        return cls(points, triangles, unit_normals(points, triangles), order)

    def bounds(self) -> tuple[Array, Array]:
        """(M, 3) least and greatest coordinates of each triangle, in voxels."""
        # Reducing an axis of three takes numpy ten times as long.
        a, b, c = (self.points.take(self.triangles[:, i], axis=0) for i in range(3))
        return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)

    @cached_property
    def tree(self) -> BoxTree:
        """The tree of the triangles; there is at least one."""
        return BoxTree.of(*self.bounds())


def unit_normals(points: Array, triangles: npt.NDArray[np.int64]) -> Array:
    """The normals (M, 3) of triangles (M, 3) of points (N, 3); 0 where the corners are collinear."""
    normal = np.empty((len(triangles), 3))

    def fill(start: int, stop: int) -> None:
        a, b, c = (points.take(triangles[start:stop, i], axis=0).T for i in range(3))
        across = cross(b - a, c - a)
        length = np.sqrt(dot(across, across))
        longest = np.maximum(dot(b - a, b - a), dot(c - a, c - a))
        # A cross product this small, compared with the sides, is only rounding.
        flat = length <= 1e-12 * longest
        normal[start:stop] = np.where(flat, 0.0, across / np.where(flat, 1.0, length)).T

    in_runs(fill, len(triangles), TRIANGLES_PER_RUN)
    return normal


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
    # By column: numpy is slow along an axis of three.
    new = np.ones(len(points), dtype=bool)
    x, y, z = (column[1:] != column[:-1] for column in ordered.T)
    new[1:] = x | y | z
    index = np.empty(len(points), dtype=np.int64)
    index[order] = np.cumsum(new) - 1
    welded = index.take(triangles)
    a, b, c = (welded[:, i] for i in range(3))
    is_kept = (a != b) & (b != c) & (c != a)
    kept = np.flatnonzero(is_kept)
    if not new.all():
        ordered = ordered[new]
    return ordered, welded if len(kept) == len(welded) else welded[kept], kept.astype(np.int32)


def dot(a: Real, b: Real) -> Real:
    """Scalar products of vectors (3, ...)."""
    product: Real = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def cross(a: Real, b: Real) -> Real:
    """Vector products of vectors (3, ...)."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
