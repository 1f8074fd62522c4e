"""The voxel grid, and checks of the arrays that callers pass in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue, host_array
from ..runtime.errors import InputError
from ..runtime.sentences import SentenceByDoor

NOT_FINITE = SentenceByDoor(
    "grid origin is not finite: give three finite numbers",
    command_line="grid origin is not finite: move the stock nearer to the origin",
    window="grid origin is not finite: move the object nearer to the world's origin",
)

# What numpy would make numbers of, by the kinds of its arrays, and by the classes of Python's objects.
_NO_NUMBERS = {"c": "complex numbers", "U": "text", "S": "text", "M": "dates", "m": "durations"}
_NO_NUMBER = (str, bytes, type(None))


@dataclass(frozen=True, eq=False)
class Grid(EqualByValue):
    """A regular grid of cubic voxels.

    The centre of the voxel with index (z, y, x) is `origin + (index + 0.5) * voxel_size`, as a point (x, y, z).

    Attributes:
        origin: (3,) float64, the corner with the smallest coordinates, as (x, y, z), in the unit of the points.
        voxel_size: edge length of a voxel, in the unit of the points.
        shape: number of voxels as (Z, Y, X).

    Raises:
        InputError: the voxel size is not positive and finite, the origin is not three finite numbers, or a side is not
            a whole number of voxels, at least one.
    """

    origin: npt.NDArray[np.float64]
    voxel_size: float
    shape: tuple[int, int, int]

    if TYPE_CHECKING:  # what it takes, and not what it has then

        def __init__(self, origin: npt.ArrayLike, voxel_size: float, shape: Sequence[int]) -> None: ...

    def __post_init__(self) -> None:
        origin = np.array(as_floats(self.origin, "a grid's origin"))
        if origin.shape != (3,):
            raise InputError("a grid's origin has the shape {shape}: give (x, y, z)", shape=origin.shape)
        if not np.isfinite(origin).all():
            raise InputError(NOT_FINITE)
        origin.flags.writeable = False
        object.__setattr__(self, "origin", origin)
        object.__setattr__(self, "voxel_size", as_length(self.voxel_size, "voxel size"))
        sides = as_floats(self.shape, "a grid's shape")
        if sides.shape != (3,) or not ((sides >= 1) & (sides == np.floor(sides)) & np.isfinite(sides)).all():
            raise InputError(
                "grid shape {shape}: give (Z, Y, X), whole numbers of voxels, at least one of each", shape=self.shape
            )
        object.__setattr__(self, "shape", tuple(int(side) for side in sides))

    def to_voxels(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """World points (N, 3) as (x, y, z) in voxel units from the origin: voxel centres lie at i + 0.5."""
        return (np.asarray(points, dtype=np.float64) - self.origin) / self.voxel_size

    def to_world(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The inverse of `to_voxels`."""
        return np.asarray(points, dtype=np.float64) * self.voxel_size + self.origin

    def centres(self, indices: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """World points (N, 3) as (x, y, z) of the voxels with indices (N, 3) as (z, y, x)."""
        return self.to_world(np.asarray(indices)[..., ::-1] + 0.5)


def as_grid(grid: object) -> Grid:
    """A grid as it is. Raises InputError if it is something else, such as the size of a voxel."""
    if not isinstance(grid, Grid):
        raise InputError("a grid is a Grid, and this is a {kind}: plan_grid makes one", kind=type(grid).__name__)
    return grid


def as_length(value: object, what: str) -> float:
    """A positive, finite number. The message calls it `what`.

    Raises:
        InputError: the value is not such a number.
    """
    number = as_floats(value, what)  # type: ignore[arg-type]
    if number.shape == () and np.isfinite(number) and number > 0:
        return float(number)
    shown = f"{float(number):g}" if number.shape == () else value
    raise InputError("{what} {shown}: it must be a positive length", what=what, shown=shown)


def as_length_or_zero(value: object, what: str) -> float:
    """As `as_length`, or 0."""
    number = as_floats(value, what)  # type: ignore[arg-type]
    return 0.0 if number.shape == () and number == 0 else as_length(value, what)


def as_floats(values: npt.ArrayLike, owner: str) -> npt.NDArray[np.float64]:
    """`values` as C-contiguous float64 of the same shape. The message calls them `owner`.

    Raises:
        InputError: rows of unequal length, or values that are no real numbers: text and dates are none.
    """
    try:
        array = host_array(values, owner)
        if array.dtype.kind in _NO_NUMBERS:
            raise TypeError(f"it holds {_NO_NUMBERS[array.dtype.kind]}")
        if any(isinstance(each, _NO_NUMBER) for each in _objects(array)):
            raise TypeError("it holds text or None")
        return np.asarray(array, dtype=np.float64, order="C")
    except InputError:
        raise
    except (ValueError, TypeError) as error:
        raise InputError(
            "{owner} is not an array of numbers with rows of one length: {error}", owner=owner, error=error
        ) from error


def _objects(array: npt.NDArray[Any]) -> Iterable[object]:
    """The elements of an array of Python's objects; none of others."""
    return array.flat if array.dtype.kind == "O" else ()


def as_points(points: npt.ArrayLike, owner: str) -> npt.NDArray[np.float64]:
    """`points` (N, 3) as C-contiguous float64; an empty list stands for no points.

    Raises:
        InputError: another shape, or values that are not numbers.
    """
    array = as_floats(points, owner)
    if array.shape == (0,):
        return array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(
            "{owner} has points of shape {shape}: give (N, 3), a row (x, y, z) for each point",
            owner=owner,
            shape=array.shape,
        )
    return array


def as_triangles(triangles: npt.ArrayLike, point_count: int, owner: str) -> npt.NDArray[np.int32]:
    """`triangles` (M, 3), indices of `point_count` points, as C-contiguous int32; an empty list stands for none.

    Raises:
        InputError: another shape, or indices that are not whole numbers or are out of range.
    """
    try:
        array = host_array(triangles, f"the faces of {owner}")
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            "{owner} has faces of unequal size: give (M, 3), three indices for each triangle", owner=owner
        ) from error
    if array.shape == (0,):
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(
            "{owner} has faces of shape {shape}: give (M, 3), three indices for each triangle",
            owner=owner,
            shape=array.shape,
        )
    whole = array.dtype.kind in "iu" or (array.dtype.kind == "f" and bool((array == np.floor(array)).all()))
    if not whole:
        raise InputError("{owner} has faces whose indices are not whole numbers: give integers", owner=owner)
    # Before the cast, which would wrap large indices.
    if array.size and (array.min() < 0 or array.max() >= point_count):
        raise InputError("{owner} has faces that refer to missing vertices: the data is damaged", owner=owner)
    return np.ascontiguousarray(array, dtype=np.int32)
