"""The points and radii that a caller can move, and the segments between them."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue
from ..model.sweep import NO_PATH, Path, PathsLike, Sweep, paths_of
from ..runtime.errors import InputError

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SweepGradient(EqualByValue):
    """Derivatives of one number by the points and the radii of a sweep: see `SweepPoints`.

    Attributes:
        d_points: (K, 3) float64, per unit of the points.
        d_radii: (K,) float64, likewise.
    """

    d_points: Array
    d_radii: Array

    def __add__(self, other: "SweepGradient") -> "SweepGradient":
        """The derivatives of the sum of two numbers."""
        return SweepGradient(self.d_points + other.d_points, self.d_radii + other.d_radii)


@dataclass(frozen=True)
class SweepPoints:
    """The points of paths in their order; of a `Sweep`, all starts and then all ends.

    Attributes:
        points: (K, 3) float64, in any unit of length.
        radii: (K,) float64.
        ends: (M, 2) int64, the points that each segment joins. Unlike in a sweep, straight runs have all their points.
        path: (M,) int32, the index of each segment's path.
    """

    points: Array
    radii: Array
    ends: Indices
    path: npt.NDArray[np.int32]

    @classmethod
    def of(cls, paths: PathsLike) -> "SweepPoints":
        """The points of what `Sweep.of` takes. Raises InputError as that."""
        if isinstance(paths, Sweep):
            radii = np.concatenate([paths.start_radius, paths.end_radius])
            start_and_end = np.arange(2 * len(paths)).reshape(2, -1).T
            return cls(np.concatenate([paths.start, paths.end]), radii, start_and_end, paths.path)
        return cls.of_paths(paths_of(paths))

    @classmethod
    def of_paths(cls, each: list[Path]) -> "SweepPoints":
        """The points of paths, at least one. Raises InputError if there is none."""
        if not each:
            raise InputError(NO_PATH)
        first = np.cumsum([0, *(len(path.points) for path in each[:-1])])
        ends = [joined_points(path) + before for path, before in zip(each, first, strict=True)]
        return cls(
            np.concatenate([path.points for path in each]),
            np.concatenate([path.radii for path in each]),
            np.concatenate(ends),
            np.repeat(np.arange(len(each), dtype=np.int32), [len(part) for part in ends]),
        )

    def part(self, path: int) -> "SweepPoints":
        """The segments of one path. All points stay."""
        own = self.path == path
        return replace(self, ends=self.ends[own], path=self.path[own])

    def sweep(self) -> Sweep:
        """The sweep of all segments, in their order."""
        start, end = self.ends.T
        return Sweep(self.points[start], self.points[end], self.radii[start], self.radii[end], self.path)


def joined_points(path: Path) -> Indices:
    """(M, 2) the points that each segment of a path joins. A ball joins a point to itself."""
    count = len(path.points)
    start = np.arange(count)
    if count == 1 or not path.joined:
        return np.stack([start, start], axis=1)
    return np.stack([start, (start + 1) % count], axis=1)[: count if path.cyclic else count - 1]
