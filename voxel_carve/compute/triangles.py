"""Triangles in voxel units: the stock made ready for a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .grid import Grid
from .mesh import TriMesh

Array = npt.NDArray[np.float64]
Real = TypeVar("Real", npt.NDArray[np.float32], npt.NDArray[np.float64])


@dataclass(frozen=True)
class Triangles:
    """The triangles of a mesh, in voxel units from the origin of a grid, corners with equal coordinates made one.

    Attributes:
        points: (N, 3) float64, in lexicographic order: the order of two points depends on where they are alone.
        triangles: (M, 3) int64, indices of points; those with two equal corners are left out.
        normal: (M, 3) float64, of length 1; 0 where the corners lie on a line.
    """

    points: Array
    triangles: npt.NDArray[np.int64]
    normal: Array

    def __len__(self) -> int:
        return len(self.triangles)

    @classmethod
    def on_grid(cls, mesh: TriMesh, grid: Grid) -> "Triangles":
        """The same triangles in voxel units, welded."""
        points, triangles = weld(grid.to_voxels(mesh.points), mesh.triangles)
        a, b, c = (points[triangles[:, i]] for i in range(3))
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        longest = np.maximum(np.linalg.norm(b - a, axis=1), np.linalg.norm(c - a, axis=1))[:, None]
        # A cross product this small against the sides is rounding only.
        flat = length <= 1e-12 * longest**2
        return cls(points, triangles, np.where(flat, 0.0, normal / np.where(flat, 1.0, length)))

    def corners(self, which: npt.NDArray[np.integer]) -> tuple[Array, Array, Array]:
        """Three (N, 3) arrays: the corners of triangles `which`."""
        index = self.triangles[which]
        return self.points[index[:, 0]], self.points[index[:, 1]], self.points[index[:, 2]]

    def bounds(self) -> tuple[Array, Array]:
        """(M, 3) least and greatest coordinates of each triangle, in voxels."""
        a, b, c = self.corners(np.arange(len(self)))
        return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)

    def distance(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N,) unsigned distance in voxels of points (N, 3) to triangles `which` (N,), in float64."""
        corners = self.corners(which)
        normal = self.normal[which].T
        relative = [(corner - points).T for corner in corners]
        return point_triangle_distance(relative, normal, dot(normal, relative[0]))


@dataclass(frozen=True)
class TrianglePairs:
    """Numbers of each pair (brick, triangle) from which distances are computed in float32, found in float64.

    Attributes, all float32, in voxels from the brick's centre:
        corners: (3, P, 3).    normal: (P, 3).    plane: (P,) signed distance between the centre and the plane.
    """

    corners: npt.NDArray[np.float32]
    normal: npt.NDArray[np.float32]
    plane: npt.NDArray[np.float32]

    @classmethod
    def at(cls, triangles: Triangles, which: npt.NDArray[np.integer], centres: Array) -> "TrianglePairs":
        """Move triangles `which` (P,) to the brick centres (P, 3), in voxels."""
        corners = np.stack(triangles.corners(which)) - centres
        normal = triangles.normal[which]
        plane = np.einsum("ij,ij->i", normal, corners[0])
        return cls(corners.astype(np.float32), normal.astype(np.float32), plane.astype(np.float32))


def weld(points: Array, triangles: npt.NDArray[np.integer]) -> tuple[Array, npt.NDArray[np.int64]]:
    """Make points with equal coordinates one, sort them, and drop triangles that lost a corner."""
    points = points + 0.0  # -0.0 becomes 0.0
    order = np.lexsort((points[:, 2], points[:, 1], points[:, 0]))
    ordered = points[order]
    new = np.ones(len(points), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(points), dtype=np.int64)
    index[order] = np.cumsum(new) - 1
    welded = index[triangles]
    a, b, c = (welded[:, i] for i in range(3))
    return ordered[new], welded[(a != b) & (b != c) & (c != a)]


def point_triangle_distance(corners: Sequence[Real], normal: Real, plane: Real) -> Real:
    """Unsigned distances from the coordinate origin to triangles.

    The foot of the perpendicular counts where it lies strictly inside all three sides; else the nearest side does.

    Args:
        corners: three arrays (3, ...), x, y and z of each corner.
        normal: (3, ...), of length 1, or 0 for a triangle without area.
        plane: (...) signed distance between the origin and the triangle's plane.

    Returns:
        (...) distances, in the type of the corners.
    """
    inside = np.ones(plane.shape, dtype=bool)
    nearest = np.full(plane.shape, np.inf, dtype=plane.dtype)
    for here, there in ((0, 1), (1, 2), (2, 0)):
        a = corners[here]
        edge = corners[there] - a
        side = dot(cross(normal, edge), a)
        inside &= side < 0
        t = np.clip(-dot(a, edge) / np.maximum(dot(edge, edge), 1e-30), 0, 1)
        foot = a + t * edge
        np.minimum(nearest, dot(foot, foot), out=nearest)
    distance: Real = np.where(inside, np.abs(plane), np.sqrt(nearest))
    return distance


def dot(a: Real, b: Real) -> Real:
    """Scalar products of vectors (3, ...)."""
    product: Real = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def cross(a: Real, b: Real) -> Real:
    """Vector products of vectors (3, ...)."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
