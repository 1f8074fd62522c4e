"""Points spread over the surface of a sweep, each for the same share of the area.

The surface of a round cone is its side and a cap around each end. Where a path goes on, a wedge of the ball between the
two segments is all that shows of it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..exact.samples import STEPS
from ..model.grid import Grid
from ..model.sweep import Sweep
from ..primitives.segments import Segments

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SweepSamples:
    """S points on the surfaces of segments, in voxels. Other segments may hide them.

    Attributes:
        points, normals: (S, 3), these outward.
        which: (S,) the segment of each.
        area: that each point stands for.
    """

    points: Array
    normals: Array
    which: Indices
    area: float


@dataclass(frozen=True)
class _Cones:
    """K round cones in voxels, from the balls at `start` to those at `end`. A ball has both in one place.

    Attributes:
        axis: (K, 3) of length 1.
        slope: (K,) the sine of half the cone's angle.
        bend: (K,) radians to the next segment of the path; NaN where the path ends.
        following: (K, 3) the axis of that.
        is_continued: (K,) whether the path comes from another segment.
    """

    start: Array
    end: Array
    start_radius: Array
    end_radius: Array
    axis: Array
    slope: Array
    bend: Array
    following: Array
    is_continued: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, sweep: Sweep, grid: Grid) -> "_Cones":
        """The segments of a sweep, in their order."""
        start, end = grid.to_voxels(sweep.start), grid.to_voxels(sweep.end)
        start_radius, end_radius = sweep.start_radius / grid.voxel_size, sweep.end_radius / grid.voxel_size
        length = np.linalg.norm(end - start, axis=1)
        is_ball = length <= np.abs(start_radius - end_radius)
        radius = np.where(is_ball, np.maximum(start_radius, end_radius), start_radius)
        place = np.where((is_ball & (end_radius > start_radius))[:, None], end, start)
        safe = np.where(is_ball, 1.0, length)
        axis = np.where(is_ball[:, None], [[0.0, 0.0, 1.0]], (end - start) / safe[:, None])
        goes_on = np.zeros(len(sweep), dtype=bool)
        goes_on[:-1] = (sweep.end[:-1] == sweep.start[1:]).all(axis=1) & (sweep.path[:-1] == sweep.path[1:])
        goes_on[:-1] &= (sweep.end_radius[:-1] == sweep.start_radius[1:]) & ~is_ball[:-1] & ~is_ball[1:]
        following = np.roll(axis, -1, axis=0)
        across = np.linalg.norm(np.cross(axis, following), axis=1)
        bend = np.arctan2(across, np.einsum("ij,ij->i", axis, following))
        return cls(
            place,
            np.where(is_ball[:, None], place, end),
            radius,
            np.where(is_ball, radius, end_radius),
            axis,
            np.where(is_ball, 0.0, (start_radius - end_radius) / safe),
            np.where(goes_on, bend, np.nan),
            following,
            np.append(False, goes_on[:-1]),
        )

    def areas(self) -> Array:
        """(4, K) of the sides, the caps at the ends, those at the starts, and the wedges where paths go on."""
        length = np.linalg.norm(self.end - self.start, axis=1)
        side = np.pi * (self.start_radius + self.end_radius) * (1 - self.slope**2) * length
        goes_on = ~np.isnan(self.bend)
        end = 2 * np.pi * self.end_radius**2 * np.where(goes_on, 0.0, 1 - self.slope)
        start = 2 * np.pi * self.start_radius**2 * np.where(self.is_continued, 0.0, 1 + self.slope)
        return np.stack([side, end, start, 2 * self.end_radius**2 * np.where(goes_on, self.bend, 0.0)])

    def at(self, which: Indices) -> "_Cones":
        """Some of them."""
        return _Cones(*(values[which] for values in vars(self).values()))

    def around(self, cosine: Array, turn: Array) -> Array:
        """(K, 3) directions at an angle to the axes, and turned around these by a part of a whole turn."""
        helper = np.where(np.abs(self.axis[:, :1]) < 0.6, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
        side = _unit(np.cross(self.axis, helper))
        angle, sine = 2 * np.pi * turn[:, None], np.sqrt(np.maximum(1 - cosine**2, 0))[:, None]
        return cosine[:, None] * self.axis + sine * (np.cos(angle) * side + np.sin(angle) * np.cross(self.axis, side))


def sweep_samples(sweep: Sweep, grid: Grid, segments: Segments, count: int) -> SweepSamples:
    """Points on the segments of a sweep. They are always the same ones.

    Args:
        segments: those of the sweep on the grid.
        count: of the points.
    """
    cones = _Cones.of(sweep, grid)
    areas = cones.areas()
    # They are sorted, so equal ones follow each other, as of a path that goes there and back.
    repeats = np.flatnonzero((segments.rows[1:] == segments.rows[:-1]).all(axis=1)) + 1
    areas[:, segments.order[repeats]] = 0.0
    total = np.cumsum(areas)
    number = np.arange(count) + 0.5
    place = np.minimum(np.searchsorted(total, total[-1] * number / count), len(total) - 1)
    part, cone = np.divmod(place, len(sweep))
    u, v = (np.asarray(number * step % 1.0, dtype=np.float64) for step in STEPS)
    points, normals = np.empty((2, count, 3))
    for kind, sampled in enumerate((_on_sides, _on_ends, _on_starts, _on_bends)):
        rows = np.flatnonzero(part == kind)
        points[rows], normals[rows] = sampled(cones.at(cone[rows]), u[rows], v[rows])
    row = np.empty(len(segments), dtype=np.int64)
    row[segments.order] = np.arange(len(segments))
    return SweepSamples(points, normals, row[cone], float(total[-1]) / count)


def _on_sides(cones: _Cones, u: Array, v: Array) -> tuple[Array, Array]:
    """Points on the sides and their normals, (K, 3) each: the area along the axis grows with the radius."""
    one, other = cones.start_radius, cones.end_radius
    # The root of a quadratic equation, written so that it holds for cylinders too.
    along = u * (one + other) / (one + np.sqrt(one**2 + u * (other**2 - one**2)))
    normals = cones.around(cones.slope, v)
    middle = cones.start + along[:, None] * (cones.end - cones.start)
    return middle + (one + along * (other - one))[:, None] * normals, normals


def _on_ends(cones: _Cones, u: Array, v: Array) -> tuple[Array, Array]:
    normals = cones.around(cones.slope + u * (1 - cones.slope), v)
    return cones.end + cones.end_radius[:, None] * normals, normals


def _on_starts(cones: _Cones, u: Array, v: Array) -> tuple[Array, Array]:
    normals = cones.around(cones.slope - u * (1 + cones.slope), v)
    return cones.start + cones.start_radius[:, None] * normals, normals


def _on_bends(cones: _Cones, u: Array, v: Array) -> tuple[Array, Array]:
    """The same on the wedges between the planes across two segments."""
    hinge = np.cross(cones.axis, cones.following)
    is_straight = np.linalg.norm(hinge, axis=1) < 1e-9
    hinge = _unit(np.where(is_straight[:, None], cones.around(np.zeros(len(u)), np.zeros(len(u))), hinge))
    angle, sine = u * cones.bend - np.pi / 2, 2 * v - 1
    outward = np.cos(angle)[:, None] * cones.axis + np.sin(angle)[:, None] * np.cross(hinge, cones.axis)
    normals = np.sqrt(1 - sine**2)[:, None] * outward + sine[:, None] * hinge
    return cones.end + cones.end_radius[:, None] * normals, normals


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
