"""Whether single points are inside a mesh, by the winding number: see `winding` for the formula.

Points and mesh are first turned by a fixed rotation. Then no ray passes exactly through an edge of a mesh with
axis-aligned sides, and ray crossings need no rule for ties.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..primitives.boundary import INSIDE, Boundary, boundary_winding
from ..primitives.triangles import Triangles
from ..runtime.threads import map_blocks, slices
from .nearest import ranges

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

MOST_CELLS = 1024  # along a side of the table of columns
MOST_ENTRIES = 1 << 24
POINTS_PER_BLOCK = 1 << 14

# Rotations about x, y and z by 1, 2 and 3 radians: angles that no drawing has.
_COS, _SIN = np.cos([1.0, 2.0, 3.0]), np.sin([1.0, 2.0, 3.0])
ROTATION = (
    np.array([[1, 0, 0], [0, _COS[0], -_SIN[0]], [0, _SIN[0], _COS[0]]])
    @ np.array([[_COS[1], 0, _SIN[1]], [0, 1, 0], [-_SIN[1], 0, _COS[1]]])
    @ np.array([[_COS[2], -_SIN[2], 0], [_SIN[2], _COS[2], 0], [0, 0, 1]])
)


@dataclass(frozen=True)
class Winding:
    """A rotated mesh, prepared for rays toward +z.

    Attributes:
        points: (N, 3) float64.
        triangles: (M, 3) int64.
        boundary: its open boundary, also rotated.
        low: (2,) minimum x and y.    cell: side of a cell of the table.    cells: number of cells along each axis.
        begin: (cells * cells + 1,) start of each cell's list.
        listed: for each cell, the triangles with a box that overlaps it.
    """

    points: Array
    triangles: Indices
    boundary: Boundary
    low: Array
    cell: float
    cells: int
    begin: Indices
    listed: Indices

    @classmethod
    def of(cls, mesh: Triangles) -> "Winding":
        """Prepare welded triangles."""
        boundary = mesh.boundary
        boundary = Boundary(boundary.low @ ROTATION, boundary.high @ ROTATION, boundary.sign)
        points, triangles = mesh.points @ ROTATION, np.asarray(mesh.triangles, dtype=np.int64)
        corners = points[triangles, :2]
        low, high = corners.min(axis=1), corners.max(axis=1)
        start, extent = low.min(axis=0), float((high.max(axis=0) - low.min(axis=0)).max())
        cells = min(MOST_CELLS, int(np.sqrt(len(triangles))) + 1)
        while True:
            size = extent / cells * (1 + 1e-9)
            first, last = ((low - start) / size).astype(np.int64), ((high - start) / size).astype(np.int64)
            wide, tall = (last - first + 1).T
            if cells == 1 or int((wide * tall).sum()) <= MOST_ENTRIES:
                break
            cells //= 2
        triangle = np.repeat(np.arange(len(triangles)), wide * tall)
        step = ranges(np.zeros(len(triangles), dtype=np.int64), wide * tall)
        x, y = first[triangle, 0] + step % wide[triangle], first[triangle, 1] + step // wide[triangle]
        place = y * cells + x
        order = np.argsort(place, kind="stable")
        begin = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=cells * cells))])
        return cls(points, triangles, boundary, start, size, cells, begin, triangle[order])

    def inside(self, points: Array) -> npt.NDArray[np.bool_]:
        """(N,): whether points (N, 3), in the coordinates of the mesh before the rotation, are inside."""
        if len(points) == 0:
            return np.empty(0, dtype=bool)
        turned = points @ ROTATION
        blocks = slices(len(turned), POINTS_PER_BLOCK)
        return np.concatenate(list(map_blocks(lambda rows: np.abs(self._winding(turned[rows])) > INSIDE, blocks)))

    def _winding(self, points: Array) -> Array:
        """(N,) winding numbers at rotated points."""
        number = self._crossings(points)
        return number + boundary_winding(points, self.boundary) if len(self.boundary) else number

    def _crossings(self, points: Array) -> Array:
        """(N,) signed crossings of the rays from rotated points toward +z."""
        x, y = np.clip(((points[:, :2] - self.low) / self.cell).astype(np.int64), 0, self.cells - 1).T
        place = y * self.cells + x
        count = self.begin[place + 1] - self.begin[place]
        corners = self.triangles[self.listed[ranges(self.begin[place], count)]].T
        owner = np.repeat(np.arange(len(points)), count)
        px, py, pz = points[owner].T
        side = [self._side(corners[i], corners[(i + 1) % 3], px, py) for i in range(3)]
        left = [value > 0 for value in side]
        area = side[0] + side[1] + side[2]
        rows = np.flatnonzero((left[0] == left[1]) & (left[1] == left[2]) & (area != 0))
        # The barycentric weight of a corner comes from the side opposite to it.
        height = sum(side[(i + 1) % 3][rows] * self.points[corners[i][rows], 2] for i in range(3)) / area[rows]
        above = rows[height > pz[rows]]
        number: Array = np.bincount(owner[above], np.where(left[0][above], 1.0, -1.0), len(points)).astype(np.float64)
        return number

    def _side(self, a: Indices, b: Indices, px: Array, py: Array) -> Array:
        """Twice the signed area of (a, b, p). Two triangles with a shared edge get exactly opposite numbers."""
        low, high = np.minimum(a, b), np.maximum(a, b)
        (ax, ay), (bx, by) = self.points[low, :2].T, self.points[high, :2].T
        area = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        return np.where(a < b, area, -area)
