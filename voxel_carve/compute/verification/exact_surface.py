"""The exact surface that a job approximates, from the stock's triangles and the sweep's segments, in float64.

Each operation keeps the points where the larger of two fields is not positive. The fields are the signed distances of
the stock and the sweep, each with a sign that depends on the operation.

    subtract    max(stock, -sweep)
    union       max(-stock, -sweep), which is positive inside
    intersect   max(stock, sweep)
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..exact.inside import inside
from ..exact.nearest import nearest
from ..model.combining import Operation
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.sweep import Sweep
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..repair.repair import repaired_triangles

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# The sign of stock and sweep in the larger of the two.
SIGNS: dict[Operation, tuple[float, float]] = {"subtract": (1, -1), "union": (-1, -1), "intersect": (1, 1)}

FIRST_REACH, GROWTH = 2.0, 8.0  # voxels: a point in the middle of a ball has all its triangles equally far
BESIDE = 0.01  # voxels: distance to either side of a triangle of the test whether it bounds the stock


@dataclass(frozen=True)
class ExactSurface:
    """Stock and sweep in voxels from `grid.origin`. The grid's shape does not matter.

    Attributes:
        grid: defines the units.
        triangles, segments: the primitives.
        operation: how the two are combined.
    """

    grid: Grid
    triangles: Triangles
    segments: Segments
    operation: Operation

    @classmethod
    def of(cls, stock: TriMesh, sweep: Sweep, voxel_size: float, operation: Operation) -> "ExactSurface":
        """The surface in units of `voxel_size`."""
        grid = Grid(stock.bounds().mean(axis=0), voxel_size, (1, 1, 1))
        triangles, _ = repaired_triangles(stock, grid)
        return cls(grid, triangles, Segments.on_grid(sweep, grid), operation)

    def deviation(self, points: Array) -> Array:
        """(N,) absolute value of the larger field at points (N, 3), in voxels.

        Inside the result, and wherever the nearest point of the binding primitive is part of the surface, this is the
        distance from the surface. Beyond a convex edge it is less: the distance from the edge is larger than that from
        either side. An inner wall of a self-intersecting stock counts as a wall.
        """
        out = np.empty(len(points))
        rows, reach = np.arange(len(points)), FIRST_REACH
        while len(rows):
            value = self._deviation(points[rows], reach)
            settled = value < reach
            out[rows[settled]] = value[settled]
            rows, reach = rows[~settled], reach * GROWTH
        return out

    def _deviation(self, points: Array, reach: float) -> Array:
        """As `deviation` if it is less than the reach; otherwise at least the reach."""
        stock_sign, sweep_sign = SIGNS[self.operation]
        sweep = sweep_sign * np.minimum(nearest(points, self.segments, reach)[0], reach)
        stock = stock_sign * np.minimum(nearest(points, self.triangles, reach)[0], reach)
        if_outside, if_inside = np.abs(np.maximum(stock, sweep)), np.abs(np.maximum(-stock, sweep))
        asked = np.flatnonzero(if_outside != if_inside)
        asked = asked[inside(points[asked], self.triangles)]
        if_outside[asked] = if_inside[asked]
        return if_outside

    def keeps_stock(self, points: Array, slack: float) -> npt.NDArray[np.bool_]:
        """(N,): whether the stock's surface is part of the result's at points (N, 3) on it, within `slack` voxels."""
        sign = SIGNS[self.operation][1]
        distance, _ = nearest(points, self.segments, slack)
        return distance >= -slack if sign < 0 else distance <= slack

    def keeps_sweep(self, points: Array, slack: float) -> npt.NDArray[np.bool_]:
        """(N,): whether the sweep's surface is part of the result's at points (N, 3) of segments, within `slack`."""
        off, _ = nearest(points, self.segments, slack)
        distance, _ = nearest(points, self.triangles, slack)
        within = inside(points, self.triangles) == (SIGNS[self.operation][0] > 0)
        kept: npt.NDArray[np.bool_] = within | (distance <= slack)
        return kept & (off >= -slack)

    def bounds_stock(self, points: Array, normals: Array) -> npt.NDArray[np.bool_]:
        """(N,): whether exactly one side of the stock's triangles at points (N, 3), with normals (N, 3), is outside.

        Inner walls of a self-intersecting stock have the inside on both sides.
        """
        step = BESIDE * normals
        return inside(points + step, self.triangles) != inside(points - step, self.triangles)
