"""Paths and the sweep: the union of the bodies that a round tool takes along their segments."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .errors import InputError
from .mesh import LARGEST_COORDINATE


@dataclass(frozen=True)
class Path:
    """A polyline with a radius per point.

    Attributes:
        points: (N, 3) float64, (x, y, z) in Blender units. One point is a ball.
        radii: (N,) float64, in Blender units; one number serves all points.
        cyclic: whether the last point is joined to the first.
        name: what messages call it.

    Raises:
        InputError: no points, or coordinates or radii that are not finite, or a radius that is not positive.
    """

    points: npt.NDArray[np.float64]
    radii: npt.NDArray[np.float64]
    cyclic: bool = False
    name: str = "path"

    def __post_init__(self) -> None:
        points = np.ascontiguousarray(self.points, dtype=np.float64).reshape(-1, 3)
        radii = np.asarray(self.radii, dtype=np.float64)
        if radii.size not in (1, len(points)):
            raise InputError(f"path '{self.name}' has {len(points)} points and {radii.size} radii: give one for each")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "radii", np.array(np.broadcast_to(radii.ravel(), len(points))))
        if len(points) == 0:
            raise InputError(f"path '{self.name}' has no points: draw at least one")
        bad = int((~(np.abs(points) <= LARGEST_COORDINATE)).any(axis=1).sum())
        if bad:
            raise InputError(
                f"path '{self.name}' has {bad} of {len(points)} points whose coordinates are not numbers "
                "or are too large"
            )
        bad = int((~((self.radii > 0) & (self.radii <= LARGEST_COORDINATE))).sum())
        if bad:
            raise InputError(
                f"path '{self.name}' has {bad} of {len(points)} points whose radius is not a positive number: "
                "give each a radius"
            )


@dataclass(frozen=True)
class Sweep:
    """The union of segments: each the convex hull of two balls (a capsule, a round cone, or one ball).

    Attributes:
        start, end: (K, 3) float64, centres of the two balls, (x, y, z) in Blender units.
        start_radius, end_radius: (K,) float64, their radii in Blender units.
    """

    start: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    start_radius: npt.NDArray[np.float64]
    end_radius: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            value = np.ascontiguousarray(getattr(self, name), dtype=np.float64).reshape(-1, 3)
            object.__setattr__(self, name, value)
        for name in ("start_radius", "end_radius"):
            value = np.array(
                np.broadcast_to(np.asarray(getattr(self, name), dtype=np.float64).ravel(), len(self.start))
            )
            object.__setattr__(self, name, value)
        if len(self.start) == 0 or len(self.end) != len(self.start):
            raise InputError("a sweep needs at least one segment, and an end for each start")
        ends = np.column_stack([self.start, self.end])
        if not (np.abs(ends) <= LARGEST_COORDINATE).all():
            raise InputError("a sweep's points must be finite numbers")
        radii = np.column_stack([self.start_radius, self.end_radius])
        if not ((radii > 0) & (radii <= LARGEST_COORDINATE)).all():
            raise InputError("a sweep's radii must be positive numbers")

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def from_paths(cls, paths: Sequence[Path], merge_tolerance: float = 0.0) -> "Sweep":
        """The sweep of several paths.

        Args:
            paths: at least one.
            merge_tolerance: a run of points is replaced by its ends where no point in between is farther than this
                from the straight line (with the radius as a fourth coordinate), in Blender units. 0 merges exact
                runs only.

        Raises:
            InputError: no paths.
        """
        if not paths:
            raise InputError("no path: select a curve, or give a toolpath")
        starts, ends = [], []
        for path in paths:
            line = np.column_stack([path.points, path.radii])
            if path.cyclic and len(line) > 1:
                line = np.vstack([line, line[:1]])
            line = merge_collinear(line, merge_tolerance)
            starts.append(line[:-1] if len(line) > 1 else line)
            ends.append(line[1:] if len(line) > 1 else line)
        start, end = np.concatenate(starts), np.concatenate(ends)
        return cls(start[:, :3], end[:, :3], start[:, 3], end[:, 3])

    def bounds(self) -> npt.NDArray[np.float64]:
        """(2, 3): least and greatest (x, y, z) of the swept body."""
        low = np.minimum(self.start - self.start_radius[:, None], self.end - self.end_radius[:, None])
        high = np.maximum(self.start + self.start_radius[:, None], self.end + self.end_radius[:, None])
        return np.stack([low.min(axis=0), high.max(axis=0)])


def merge_collinear(line: npt.NDArray[np.float64], tolerance: float) -> npt.NDArray[np.float64]:
    """Drop the points of a polyline that lie on the straight line between the kept ones, and in order along it.

    Args:
        line: (N, D) float64: three coordinates, and anything else that must run linearly, such as the radius.
        tolerance: greatest distance of a dropped point from the line between its kept neighbours.

    Returns:
        (M, D) float64, a subset of the rows; the first and the last row are kept.
    """
    if len(line) < 3:
        return line
    # Where a run may be dropped, a point is at most twice the tolerance from the chord of its two neighbours. That
    # finds nearly all corners at once; the loop looks at the straight stretches between them.
    corner = np.concatenate([[True], _chord_distance(line) > 2 * tolerance, [True]])
    if corner.all():
        return line
    kept: list[int] = []
    corners = np.flatnonzero(corner)
    for first, last in pairwise(corners):
        kept.append(first)
        for stop in range(first + 2, last + 1):
            if not _is_straight(line[kept[-1] : stop + 1], tolerance):
                kept.append(stop - 1)
    return line[[*kept, len(line) - 1]]


def _chord_distance(line: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(N - 2,): how far each inner point is from the straight line between its neighbours, less rounding."""
    chord = line[2:] - line[:-2]
    length = np.linalg.norm(chord[:, :3], axis=1)
    off = line[1:-1] - line[:-2]
    along = np.einsum("ij,ij->i", off[:, :3], chord[:, :3]) / np.where(length > 0, length, 1.0) ** 2
    return np.linalg.norm(off - along[:, None] * chord, axis=1) - _rounding(length)


def _rounding(length: npt.NDArray[np.float64] | float) -> npt.NDArray[np.float64] | float:
    return 1e-14 * length


def _is_straight(run: npt.NDArray[np.float64], tolerance: float) -> bool:
    chord = run[-1] - run[0]
    length = float(np.linalg.norm(chord[:3]))
    if length == 0.0:
        return bool((run == run[0]).all())
    along = (run[1:-1, :3] - run[0, :3]) @ chord[:3] / length**2
    if (np.diff(along, prepend=0.0, append=1.0) < 0).any():
        return False
    off = np.linalg.norm(run[1:-1] - run[0] - along[:, None] * chord, axis=1)
    return bool((off <= tolerance + _rounding(length)).all())
