"""Triangles in voxel units: the stock made ready for a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .formulas import triangle
from .formulas.reading import ON_ARRAYS
from .grid import Grid
from .mesh import TriMesh
from .segments import lexicographic_order
from .winding import Boundary

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Real = TypeVar("Real", npt.NDArray[np.float32], npt.NDArray[np.float64])

FAR = 1e6  # voxels

_SQUARE_TO = ON_ARRAYS(triangle.square_to)


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
        return np.sqrt(_SQUARE_TO(self, which, *np.ascontiguousarray(points.T)))


@dataclass(frozen=True)
class TriangleFrames:
    """Numbers of each pair (brick, triangle) from which distances are computed in float32, found in float64.

    From a point p, the triangle's plane is at n.p + h. In the plane, each side has two numbers: m.p + s, the distance
    from its line, positive outside of the triangle, and t.p + a, the place along it, from the place nearest to the
    brick's centre: that keeps them about as small as the brick.

    Attributes, all float32, in voxels from the brick's centre:
        direction: (21, P) n, then m of each side, then t of each side, as (x, y, z).
        offset: (7, P) h, then s of each side, then a of each side.
        limit: (6, P) least a of each side, then the greatest.
    """

    direction: Floats
    offset: Floats
    limit: Floats

    @classmethod
    def of(cls, columns: Array) -> "TriangleFrames":
        """Of triangles given by `Triangles.columns` (12, P), with the corners counted from the brick's centre."""
        corners = [columns[3 * i : 3 * i + 3] for i in range(3)]
        normal = columns[9:]
        pairs = columns.shape[1]
        direction, offset = np.empty((21, pairs), dtype=np.float32), np.empty((7, pairs), dtype=np.float32)
        limit = np.empty((6, pairs), dtype=np.float32)
        direction[:3], offset[0] = normal, -dot(normal, corners[0])
        for i in range(3):
            a, b = corners[i], corners[(i + 1) % 3]
            edge = b - a
            length = np.sqrt(dot(edge, edge))
            along = edge / length
            out = cross(along, normal)
            place = np.clip(-dot(along, a), 0, length)
            direction[3 + 3 * i : 6 + 3 * i], offset[1 + i] = out, -dot(out, a)
            direction[12 + 3 * i : 15 + 3 * i], offset[4 + i] = along, -dot(along, a) - place
            limit[i], limit[3 + i] = -place, length - place
        flat = np.flatnonzero(~normal.any(axis=0))
        frame = _line_frames([corner[:, flat] for corner in corners])
        direction[:, flat], offset[:, flat], limit[:, flat] = frame
        return cls(direction, offset, limit)


def _line_frames(corners: list[Array]) -> tuple[Array, Array, Array]:
    """`TriangleFrames` of triangles (3, 3, F) whose corners lie on a line: only the longest side counts."""
    edges = np.array([corners[(i + 1) % 3] - corners[i] for i in range(3)])
    lengths = np.sqrt((edges * edges).sum(axis=1))
    longest, each = lengths.argmax(axis=0), np.arange(lengths.shape[1])
    start, length = np.array(corners)[longest, :, each].T, lengths[longest, each]
    along = edges[longest, :, each].T / length
    least = np.zeros_like(along)
    least[np.abs(along).argmin(axis=0), each] = 1
    normal = cross(along, least)
    normal /= np.sqrt(dot(normal, normal))
    out = cross(along, normal)
    place = np.clip(-dot(along, start), 0, length)
    direction = np.zeros((21, len(each)))
    direction[:3], direction[3:6], direction[12:15] = normal, out, along
    # The other two sides are far, and every point is on their lines: not inside, and no farther than the first side.
    offset = np.array([-dot(normal, start), -dot(out, start), *[np.zeros_like(length)] * 2, -dot(along, start) - place])
    offset = np.concatenate([offset, np.full((2, len(each)), FAR)])
    limit = np.zeros((6, len(each)))
    limit[0], limit[3] = -place, length - place
    return direction, offset, limit


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
