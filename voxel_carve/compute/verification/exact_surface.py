"""The exact surface that a job approximates, from the stock's triangles and the sweep's segments, in float64.

The fields are the signed distances of the stock and of each step's sweep. A job keeps the points where the last of its
values is not positive. The first value is the field of the stock, and each step makes another of it:

    subtract    max(value, -sweep)
    union       min(value, sweep)
    intersect   max(value, sweep)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..exact.inside import inside
from ..exact.nearest import covered, nearest
from ..model.combining import Operation
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..model.steps import Operations, steps_of
from ..model.sweep import Sweep
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..repair.repair import repaired_triangles

Array = npt.NDArray[np.float64]

COMBINED: dict[Operation, Callable[[Array, Array], Array]] = {
    "subtract": lambda value, sweep: np.maximum(value, -sweep),
    "union": np.minimum,
    "intersect": np.maximum,
}

FIRST_REACH, GROWTH = 2.0, 8.0  # voxels: a point in the middle of a ball has all its triangles equally far
BESIDE = 0.01  # voxels: distance to either side of a triangle of the test whether it bounds the stock


@dataclass(frozen=True)
class ExactStep:
    """The segments of a step in voxels, and how they are combined with what the step before has left."""

    segments: Segments
    operation: Operation

    def survivors(self, points: Array, slack: float) -> npt.NDArray[np.bool_]:
        """(N,): whether a surface from before this step is still there after it, at points (N, 3), within the slack."""
        distance, _ = nearest(points, self.segments, slack)
        return distance <= slack if self.operation == "intersect" else distance >= -slack


@dataclass(frozen=True)
class ExactSurface:
    """Stock and sweeps in voxels from `grid.origin`. The grid's shape does not matter.

    Attributes:
        grid: defines the units.
        triangles: of the stock.
        steps: in their order; one, if all paths have the same operation.
    """

    grid: Grid
    triangles: Triangles
    steps: tuple[ExactStep, ...]

    @classmethod
    def of(cls, stock: TriMesh, sweep: Sweep, voxel_size: float, operation: Operations) -> "ExactSurface":
        """The surface in units of `voxel_size`. Raises InputError as `steps_of`."""
        grid = Grid(stock.bounds().mean(axis=0), voxel_size, (1, 1, 1))
        triangles, _ = repaired_triangles(stock, grid)
        steps = [ExactStep(Segments.on_grid(step.sweep, grid), step.operation) for step in steps_of(sweep, operation)]
        return cls(grid, triangles, tuple(steps))

    def deviation(self, points: Array) -> Array:
        """(N,) absolute value of the last value at points (N, 3), in voxels.

        Inside the result, and wherever the nearest point of the binding primitive is part of the surface, this is the
        distance from the surface. Beyond a convex edge it is less: the distance from the edge is larger than that from
        either side. An inner wall of a self-intersecting stock counts as a wall.
        """
        return self._settled(points, np.abs)

    def distance(self, points: Array) -> Array:
        """(N,) the last value at points (N, 3), in voxels: `deviation` with its sign."""
        return self._settled(points, np.positive)

    def _settled(self, points: Array, measured: Callable[[Array], Array]) -> Array:
        """(N,) what is measured of the last value at points (N, 3), searched as far as is needed."""
        out = np.empty(len(points))
        rows, reach = np.arange(len(points)), FIRST_REACH
        while len(rows):
            value = self._within(points[rows], reach, measured)
            settled = np.abs(value) < reach
            out[rows[settled]] = value[settled]
            rows, reach = rows[~settled], reach * GROWTH
        return out

    def _within(self, points: Array, reach: float, measured: Callable[[Array], Array]) -> Array:
        """As `_settled` if the value is less than the reach on either side; otherwise at least the reach."""
        stock = np.minimum(nearest(points, self.triangles, reach)[0], reach)
        if_outside, if_inside = stock, -stock
        for step in self.steps:
            sweep = np.minimum(nearest(points, step.segments, reach)[0], reach)
            if_outside, if_inside = (COMBINED[step.operation](value, sweep) for value in (if_outside, if_inside))
        if_outside, if_inside = measured(if_outside), measured(if_inside)
        asked = np.flatnonzero(if_outside != if_inside)
        asked = asked[inside(points[asked], self.triangles)]
        if_outside[asked] = if_inside[asked]
        return if_outside

    def keeps_stock(self, points: Array, slack: float) -> npt.NDArray[np.bool_]:
        """(N,): whether the stock's surface is part of the result's at points (N, 3) on it, within `slack` voxels."""
        return self._survivors(points, 0, slack)

    def keeps_sweep(self, points: Array, number: int, slack: float) -> npt.NDArray[np.bool_]:
        """(N,): whether a step's surface is part of the result's at points (N, 3) of its segments, within `slack`.

        `number` is that of the step, from 0.
        """
        # Values beyond the slack only need their sign.
        beyond = 2 * slack
        value = np.minimum(nearest(points, self.triangles, slack)[0], beyond)
        value = np.where(inside(points, self.triangles), -value, value)
        for step in self.steps[:number]:
            value = COMBINED[step.operation](value, np.minimum(nearest(points, step.segments, slack)[0], beyond))
        step = self.steps[number]
        kept = value >= -slack if step.operation == "union" else value <= slack
        kept &= ~covered(points, step.segments, slack)
        kept[kept] = self._survivors(points[kept], number + 1, slack)
        return kept

    def _survivors(self, points: Array, first: int, slack: float) -> npt.NDArray[np.bool_]:
        """(N,): whether a surface at points (N, 3) is still there after the steps from the first one on."""
        kept = np.ones(len(points), dtype=bool)
        for step in self.steps[first:]:
            kept[kept] = step.survivors(points[kept], slack)
        return kept

    def bounds_stock(self, points: Array, normals: Array) -> npt.NDArray[np.bool_]:
        """(N,): whether exactly one side of the stock's triangles at points (N, 3), with normals (N, 3), is outside.

        Inner walls of a self-intersecting stock have the inside on both sides.
        """
        step = BESIDE * normals
        return inside(points + step, self.triangles) != inside(points - step, self.triangles)
