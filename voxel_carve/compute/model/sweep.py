"""Paths, and the sweep: the union of the bodies that a round tool fills along their segments."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue, host_array
from ..runtime.errors import EmptySweepError, InputError
from ..runtime.sentences import Sentence, SentenceByDoor
from ..runtime.threads import slices
from .grid import as_floats, as_points
from .mesh import LARGEST_COORDINATE

# Rounding moves a point off a straight line by a few units in the last place of the largest coordinate.
ROUNDING = 16 * sys.float_info.epsilon
POINTS_AT_ONCE = 1 << 14
NO_PATH = SentenceByDoor(
    "no path: give points with their radii",
    command_line="no path: give one with --path",
    window="no path: select a curve, or give a toolpath",
)
NO_POINTS = SentenceByDoor(
    "path '{name}' has no points: give at least one", window="path '{name}' has no points: draw at least one"
)
NO_RADIUS = Sentence("no point of the paths has a radius: give some a radius of more than 0")


@dataclass(frozen=True, eq=False)
class Path(EqualByValue):
    """A polyline with a radius per point, or many balls.

    Attributes:
        points: (N, 3) float64, (x, y, z) in any unit of length. One point is a ball.
        radii: (N,) float64, in the unit of the points, or one number for all points. Towards a radius of 0, it ends
            in a tip.
        cyclic: whether the last point is joined to the first.
        name: used in messages.
        joined: whether each point is joined to the next; if not, each is a ball of its own, however many there are.

    Raises:
        InputError: wrong shape, no points, coordinates or radii that are not finite, or a negative radius.
    """

    points: npt.NDArray[np.float64]
    radii: npt.NDArray[np.float64]
    cyclic: bool = False
    name: str = "path"
    joined: bool = True

    if TYPE_CHECKING:  # what it takes, and not what it has then

        def __init__(
            self,
            points: npt.ArrayLike,
            radii: npt.ArrayLike,
            cyclic: bool = False,
            name: str = "path",
            joined: bool = True,
        ) -> None: ...

    def __post_init__(self) -> None:
        points = as_points(self.points, f"path '{self.name}'")
        radii = as_floats(self.radii, f"the radii of path '{self.name}'")
        if radii.size not in (1, len(points)):
            raise InputError(
                "the points and radii of path '{name}' differ in number, {count} and {size}: give one for each",
                name=self.name,
                count=len(points),
                size=radii.size,
            )
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "radii", np.array(np.broadcast_to(radii.ravel(), len(points))))
        if len(points) == 0:
            raise InputError(NO_POINTS, name=self.name)
        bad = int((~(np.abs(points) <= LARGEST_COORDINATE)).any(axis=1).sum())
        if bad:
            raise InputError(
                "path '{name}' has {bad} of {count} points whose coordinates are not numbers or are too large",
                name=self.name,
                bad=bad,
                count=len(points),
            )
        bad = int((~((self.radii >= 0) & (self.radii <= LARGEST_COORDINATE))).sum())
        if bad:
            raise InputError(
                "path '{name}' has {bad} of {count} points whose radius is not a positive number: give each a radius",
                name=self.name,
                bad=bad,
                count=len(points),
            )


@dataclass(frozen=True, eq=False)
class Sweep(EqualByValue):
    """The union of segments: each the convex hull of two balls (a capsule, a round cone, or one ball).

    Attributes:
        start, end: (K, 3) float64, centres of the two balls, (x, y, z) in any unit of length.
        start_radius, end_radius: (K,) float64, their radii in the unit of the points, or one number for all segments.
            One of the two may be 0: a cone that ends in a tip.
        path: (K,) int32, the index of each segment's path, from 0, or one number for all segments.
        left_out: how many points of the paths had a radius of 0, and none with a radius beside them.
        path_count: how many paths it is of. The last ones may have no segments.

    For one segment, start and end may be single points (3,). `Sweep.nothing` has none.

    Raises:
        InputError: wrong shape, no segments, or coordinates or radii outside the range that `Path` allows.
    """

    start: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    start_radius: npt.NDArray[np.float64]
    end_radius: npt.NDArray[np.float64]
    path: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(1, dtype=np.int32))
    left_out: int = 0
    path_count: int = 0

    if TYPE_CHECKING:  # what it takes, and not what it has then

        def __init__(
            self,
            start: npt.ArrayLike,
            end: npt.ArrayLike,
            start_radius: npt.ArrayLike,
            end_radius: npt.ArrayLike,
            path: npt.ArrayLike = 0,
            left_out: int = 0,
            path_count: int = 0,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            value = as_floats(getattr(self, name), f"a sweep's {name}")
            value = as_points(value[None] if value.shape == (3,) else value, f"a sweep's {name}")
            object.__setattr__(self, name, value)
        for name in ("start_radius", "end_radius", "path"):
            value = as_floats(getattr(self, name), f"a sweep's {name}")
            if value.size not in (1, len(self.start)):
                raise InputError(
                    "the segments of a sweep and its {name} differ in number, {count} and {size}: give one for each",
                    count=len(self.start),
                    size=value.size,
                    name=name,
                )
            object.__setattr__(self, name, np.array(np.broadcast_to(value.ravel(), len(self.start))))
        object.__setattr__(self, "path", self.path.astype(np.int32))
        if len(self.start) == 0 or len(self.end) != len(self.start):
            raise InputError("a sweep needs at least one segment, and an end for each start")
        # Written so that NaN fails.
        if not all(
            -LARGEST_COORDINATE <= one.min() <= one.max() <= LARGEST_COORDINATE for one in (self.start, self.end)
        ):
            raise InputError("a sweep's points must be finite numbers")
        ends = self.start_radius, self.end_radius
        has_radius = np.maximum(*ends).min() > 0
        if not (has_radius and all(0 <= one.min() <= one.max() <= LARGEST_COORDINATE for one in ends)):
            raise InputError("a sweep's radii must be positive numbers")
        object.__setattr__(self, "path_count", max(self.path_count, int(self.path.max()) + 1))

    def __len__(self) -> int:
        return len(self.start)

    def reach(self) -> npt.NDArray[np.float64]:
        """(K,) half the longest side of each segment's bounding box, in the unit of the points."""
        half = np.abs(self.end - self.start).max(axis=1) / 2
        return np.asarray(half + np.maximum(self.start_radius, self.end_radius))

    @classmethod
    def of(cls, paths: "PathsLike") -> "Sweep":
        """Convert a path or several: a list, a tuple or any other iterable. A `Sweep` stays as it is.

        Each path is a `Path`, or a pair of points (N, 3) and radii, (N,) or one number. A tuple of two paths is none.

        Raises:
            InputError: another type, or as `Path` and `from_paths`.
        """
        if isinstance(paths, cls):
            return paths
        return cls.from_paths(paths_of(paths))

    @classmethod
    def nothing(cls) -> "Sweep":
        """The sweep of one path that has no segments: a stock comes back whole, or nothing of it is shared.

        `carve`, `keep_stock`, `verify` and `forecast` take it, and `exact_distance`, for that from the stock alone.
        """
        sweep = cls(np.zeros(3), np.zeros(3), 1.0, 1.0)
        for name in ("start", "end", "start_radius", "end_radius", "path"):
            object.__setattr__(sweep, name, getattr(sweep, name)[:0])
        return sweep

    @classmethod
    def from_paths(cls, paths: Sequence[Path]) -> "Sweep":
        """The sweep of several paths, at least one. A straight run of points becomes one segment, a ball another. What
        lies between two points of radius 0 is left out.

        Raises:
            EmptySweepError: no paths, or no point has a radius.
        """
        if not paths:
            raise EmptySweepError(NO_PATH)
        starts, ends, left_out = [], [], 0
        for path in paths:
            left_out += _points_without_radius(path)
            line = np.column_stack([path.points, path.radii])
            if len(line) == 1 or not path.joined:
                starts.append(line)
                ends.append(line)
                continue
            if path.cyclic:
                line = np.vstack([line, line[:1]])
            line = without_collinear(line)
            starts.append(line[:-1] if len(line) > 1 else line)
            ends.append(line[1:] if len(line) > 1 else line)
        start, end = (np.concatenate([line[:, :3] for line in lines]) for lines in (starts, ends))
        radius, end_radius = (np.concatenate([line[:, 3] for line in lines]) for lines in (starts, ends))
        path_of_each = np.repeat(np.arange(len(paths), dtype=np.int32), [len(line) for line in starts])
        kept = np.maximum(radius, end_radius) > 0
        if not kept.any():
            raise EmptySweepError(NO_RADIUS)
        if not kept.all():
            start, end, radius, end_radius = start[kept], end[kept], radius[kept], end_radius[kept]
            path_of_each = path_of_each[kept]
        return cls(start, end, radius, end_radius, path_of_each, left_out, len(paths))

    def part(self, which: npt.ArrayLike) -> "Sweep":
        """The sweep of some of its segments, by their indices (N,), at least one.

        Raises:
            InputError: there are none, or no segments of such indices.
        """
        try:
            each = np.arange(len(self))[host_array(which, "the indices of segments")]
        except IndexError as error:
            raise InputError("a sweep has no such segments: {error}", error=error) from error
        ends = (self.start[each], self.end[each], self.start_radius[each], self.end_radius[each])
        return Sweep(*ends, self.path[each], path_count=self.path_count)

    def bounds(self) -> npt.NDArray[np.float64]:
        """(2, 3): minimum and maximum (x, y, z) of the swept body; infinity and minus infinity if nothing is swept."""
        low = np.minimum(self.start - self.start_radius[:, None], self.end - self.end_radius[:, None])
        high = np.maximum(self.start + self.start_radius[:, None], self.end + self.end_radius[:, None])
        return np.stack([low.min(axis=0, initial=np.inf), high.max(axis=0, initial=-np.inf)])


# What `Sweep.of` takes.
PathLike = Path | tuple[npt.ArrayLike, npt.ArrayLike]
PathsLike = Sweep | PathLike | Iterable[PathLike]


def paths_of(paths: object) -> list[Path]:
    """A path or several, as `Sweep.of` takes them.

    Raises:
        InputError: another type, or as `Path`.
    """
    return [_path(one, number) for number, one in enumerate(_each(paths))]


def _each(paths: object) -> Iterable[object]:
    """The paths, whether one or several are given. What has a shape, or is text, is no collection of paths."""
    if isinstance(paths, Path | str | bytes) or _is_pair(paths) or hasattr(paths, "shape"):
        return [paths]
    return paths if isinstance(paths, Iterable) else [paths]


def _is_pair(given: object) -> bool:
    """Whether it is one path, of points and radii, and not two paths."""
    if not (isinstance(given, tuple) and len(given) == 2):
        return False
    first = given[0]
    if isinstance(first, Path):
        return False
    # Points in a tuple of two are numbers one level further down; another path has its points there.
    return not (isinstance(first, tuple) and len(first) == 2 and _has_rows(first[0]))


def _has_rows(values: object) -> bool:
    """Whether an array or sequences have two axes or more, by their first elements."""
    shape = getattr(values, "shape", None)
    if shape is not None:
        return len(shape) > 1
    first = values[0] if isinstance(values, list | tuple) and len(values) else None
    return isinstance(first, list | tuple) or len(getattr(first, "shape", ())) > 0


def left_out_notes(sweep: Sweep) -> tuple[Sentence, ...]:
    """A note on points that a sweep leaves out."""
    if sweep.left_out == 0:
        return ()
    if sweep.left_out == 1:
        return (Sentence("a point of the paths has a radius of 0: it was left out"),)
    return (Sentence("{count} points of the paths have a radius of 0: they were left out", count=sweep.left_out),)


def _points_without_radius(path: Path) -> int:
    """How many points of a path have a radius of 0, and none with a radius beside them."""
    is_empty = path.radii == 0
    if not is_empty.any():
        return 0
    alone = is_empty.copy()
    if path.joined:
        alone[1:] &= is_empty[:-1]
        alone[:-1] &= is_empty[1:]
        if path.cyclic:
            alone[0] &= is_empty[-1]
            alone[-1] &= is_empty[0]
    return int(alone.sum())


def _path(path: object, number: int) -> Path:
    """A `Path` as it is, or one made from points and radii."""
    if isinstance(path, Path):
        return path
    if not (isinstance(path, tuple) and len(path) == 2):
        kind = type(path).__name__
        raise InputError(
            "a path is a Path or a pair (points, radii), and path {number} is a {kind}", number=number, kind=kind
        )
    return Path(path[0], path[1], name=str(number))


def without_collinear(line: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A polyline without the points that lie on the straight line between the kept ones, in order along it.

    Args:
        line: (N, D) float64: three coordinates, and anything else that must vary linearly, such as the radius.

    Returns:
        (M, D) float64, a subset of the rows, with the first and the last row.
    """
    rounding = ROUNDING * float(max(-line.min(), line.max()))
    new = _where(line, lambda before, here, after: (np.abs(here - before) > rounding).any(axis=1))
    line = line if new.all() else line[new]
    kept = _where(line, lambda before, here, after: ~_between(here, before, after, rounding))
    # The points of a long, fine arc each lie between their neighbours, and not all on its chord.
    ends = np.flatnonzero(kept)
    for run in np.flatnonzero(np.diff(ends) > 2):
        first, last = ends[run], ends[run + 1]
        kept[first + 1 : last] = not _is_straight(line[first : last + 1], rounding)
    return line if kept.all() else line[kept]


def _where(line: npt.NDArray[np.float64], test: Callable[..., npt.NDArray[np.bool_]]) -> npt.NDArray[np.bool_]:
    """(N,) for which points of a line (N, D) a test holds, given those before, those points and those after; also true
    at both ends. Tested are some points at a time, because a long line takes memory."""
    found = np.ones(len(line), dtype=np.bool_)
    for rows in slices(len(line) - 2, POINTS_AT_ONCE):
        before, after = line[rows], line[rows.start + 2 : rows.stop + 2]
        found[rows.start + 1 : rows.stop + 1] = test(before, line[rows.start + 1 : rows.stop + 1], after)
    return found


def _between(
    points: npt.NDArray[np.float64], start: npt.NDArray[np.float64], end: npt.NDArray[np.float64], rounding: float
) -> npt.NDArray[np.bool_]:
    """(N,): whether points (N, D) lie on the lines from start to end, each (N, D) or (D,), up to rounding."""
    chord, off = end - start, points - start
    length = np.linalg.norm(chord[..., :3], axis=-1)
    along = (off[..., :3] * chord[..., :3]).sum(axis=-1) / np.where(length > 0, length, 1.0) ** 2
    near = np.linalg.norm(off - along[..., None] * chord, axis=-1) <= rounding
    return np.asarray(near & (along * length >= -rounding) & ((along - 1) * length <= rounding))


def _is_straight(run: npt.NDArray[np.float64], rounding: float) -> bool:
    """Whether the inner points of a run (N, D) lie on the chord between its ends, in order along it."""
    chord = run[-1, :3] - run[0, :3]
    goes_on = np.diff(run[:, :3], axis=0) @ chord >= -rounding * float(np.linalg.norm(chord))
    return bool(goes_on.all() and _between(run[1:-1], run[0], run[-1], rounding).all())
