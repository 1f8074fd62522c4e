"""Triangles in voxel units: the stock made ready for a grid.

A *frame* holds the numbers of a pair (brick, triangle) from which distances are computed in float32. They are found in
float64, and counted from the brick's centre. From a point p, the triangle's plane is at n.p + h. In the plane, each
side has two numbers: m.p + s, the distance from its line, positive outside of the triangle, and t.p + a, the place
along it, counted from the place nearest to the brick's centre: that keeps them about as small as the brick. So a frame
has

- directions n, then m of each side, then t of each side;
- offsets h, then s of each side, then a of each side;
- limits, the least a of each side, then the greatest.

Of a triangle whose corners lie on a line, only the longest side counts. The other two are far away, and every point is
on their lines: not inside, and no farther than the first side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..formulas import triangle
from ..formulas.binding import ON_ARRAYS
from ..model.grid import Grid
from ..model.mesh import TriMesh
from .boundary import Boundary
from .segments import lexicographic_order

Array = npt.NDArray[np.float64]
Real = TypeVar("Real", npt.NDArray[np.float32], npt.NDArray[np.float64])

_SQUARED_DISTANCE = ON_ARRAYS(triangle.squared_distance)


@dataclass(frozen=True)
class Triangles:
    """The triangles of a mesh, in voxel units from the origin of a grid, corners with equal coordinates made one.

    Attributes:
        points: (N, 3) float64, in lexicographic order: the order of two points depends on where they are alone.
        triangles: (M, 3) int64, indices of points; those with two equal corners are left out.
        normal: (M, 3) float64, of length 1; 0 where the corners lie on a line.
        order: (M,) int32, which triangle of the mesh each is.
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
        """The same triangles in voxel units, welded."""
        points, triangles, order = weld(grid.to_voxels(mesh.points), mesh.triangles)
        a, b, c = (points.T.take(triangles[:, i], axis=1) for i in range(3))
        normal = cross(b - a, c - a)
        length = np.sqrt(dot(normal, normal))
        longest = np.maximum(dot(b - a, b - a), dot(c - a, c - a))
        # A cross product this small against the sides is rounding only.
        flat = length <= 1e-12 * longest
        normal = np.where(flat, 0.0, normal / np.where(flat, 1.0, length))
        return cls(points, triangles, np.ascontiguousarray(normal.T), order)

    def bounds(self) -> tuple[Array, Array]:
        """(M, 3) least and greatest coordinates of each triangle, in voxels."""
        a, b, c = (self.columns[3 * i : 3 * i + 3] for i in range(3))
        low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
        return np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)

    @cached_property
    def columns(self) -> Array:
        """(12, M): the three corners and the normal, each (x, y, z)."""
        out = np.empty((12, len(self)))
        for i in range(3):
            self.points.T.take(self.triangles[:, i], axis=1, out=out[3 * i : 3 * i + 3])
        out[9:] = self.normal.T
        return out

    def distance(self, which: npt.NDArray[np.integer], points: Array) -> Array:
        """(N,) unsigned distance in voxels of points (N, 3) to triangles `which` (N,), in float64."""
        return np.sqrt(_SQUARED_DISTANCE(self, which, *np.ascontiguousarray(points.T)))


def weld(
    points: Array, triangles: npt.NDArray[np.integer]
) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Make points with equal coordinates one, sort them, and drop triangles that lost a corner.

    Returns:
        points: (N, 3) in lexicographic order.
        triangles: (M, 3) indices of points.
        order: (M,) int32, which of the triangles given each is.
    """
    points = points + 0.0  # -0.0 becomes 0.0
    order = lexicographic_order(points)
    ordered = points[order]
    new = np.ones(len(points), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(points), dtype=np.int64)
    index[order] = np.cumsum(new) - 1
    welded = index[triangles]
    a, b, c = (welded[:, i] for i in range(3))
    kept = np.flatnonzero((a != b) & (b != c) & (c != a))
    return ordered[new], welded[kept], kept.astype(np.int32)


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
