"""A sparse field: the distances near a surface, as bricks of voxels; from arrays and other programs, and back."""

import os
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import EqualByValue, host_array
from ..model.bricks import BRICK_SIZE, BRICK_VOXELS
from ..model.grid import Grid, as_grid, as_length, as_points
from ..runtime.errors import InputError
from ..runtime.progress import with_progress
from ..runtime.threads import slices
from .brick_lookup import BrickLookup, ends_inside
from .nanovdb import read_nanovdb, write_nanovdb
from .openvdb_grid import grid_of, leaves_of
from .openvdb_module import openvdb

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

# The half width of OpenVDB's level sets, in voxels.
HALF_WIDTH = 3.0
POINTS_PER_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class SparseField(EqualByValue):
    """The signed distances of a closed surface in all voxels near it, its narrow band.

    Voxel (z, y, x) of a brick with the first voxel (k, j, i) has its centre (x, y, z) at
    `origin + (i + x + 0.5, j + y + 0.5, k + z + 0.5) * voxel_size`.

    Attributes:
        origin: (3,) float64, in the unit of the points.
        voxel_size: in the unit of the points.
        half_width: in voxels. Distances are clamped to it, on both sides; those below are *active*.
        corners: (B, 3) int64, the first voxel of each brick as (z, y, x): multiples of BRICK_SIZE, which may be
            negative, in ascending order. All bricks with active voxels are there.
        distance: (B, 512) float32 in the unit of the points, negative inside, voxels in (Z, Y, X) order.
        primitive: (B, 512) int32, what the distance comes from: triangle k of the stock as k, segment j of the sweep as
            -1 - j, NO_PRIMITIVE where that is not known: on caps, and farther than a voxel from the surface. None if
            the field was made from distances alone.

    Raises:
        InputError: arrays of other shapes, or corners that are not such multiples in ascending order.
    """

    origin: npt.NDArray[np.float64]
    voxel_size: float
    half_width: float
    corners: Indices
    distance: Floats
    primitive: npt.NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        count = len(self.corners)
        shapes = {self.distance.shape} | (set() if self.primitive is None else {self.primitive.shape})
        if self.corners.shape != (count, 3) or shapes != {(count, BRICK_VOXELS)}:
            raise InputError("a sparse field needs a corner (z, y, x) and 512 values for each brick")
        step = np.diff(self.corners, axis=0)
        rises = np.where(step[:, 0] != 0, step[:, 0], np.where(step[:, 1] != 0, step[:, 1], step[:, 2])) > 0
        if (self.corners % BRICK_SIZE).any() or not rises.all():
            raise InputError("the corners of a sparse field must be multiples of 8, each once, in ascending order")

    @property
    def background(self) -> np.float32:
        """The distance where a voxel is not active, in the unit of the points."""
        return np.float32(self.half_width * self.voxel_size)

    def active(self) -> npt.NDArray[np.bool_]:
        """(B, 512): the voxels whose distance is less than `background`."""
        return np.asarray(np.abs(self.distance) < self.background)

    def grid(self) -> Grid:
        """The smallest grid that holds all bricks.

        Raises:
            InputError: there are none.
        """
        if len(self.corners) == 0:
            raise InputError("a sparse field without bricks has no grid: give one")
        low, high = self.corners.min(axis=0), self.corners.max(axis=0) + BRICK_SIZE
        z, y, x = (high - low).tolist()
        return Grid(self.origin + low[::-1] * self.voxel_size, self.voxel_size, (z, y, x))

    @classmethod
    def from_dense(cls, distance: Any, grid: Grid, half_width: float = HALF_WIDTH) -> "SparseField":
        """The voxels of an array that are near its surface.

        Args:
            distance: (Z, Y, X), of the grid's shape, in the unit of the points, negative inside, of any kind that
                `compute.arrays` can read.
            grid: where the voxels lie.
            half_width: of the band, in voxels, at least 1.

        Raises:
            InputError: another shape, or a grid of another type; values that are not numbers; no surface, or one
                that leaves the grid.
        """
        values = host_array(distance, "a distance field")
        if values.shape != as_grid(grid).shape or values.dtype.kind not in "fiu":
            raise InputError(
                "a distance field of the shape {shape} and of {kind}: give numbers of the grid's shape {sides}",
                shape=values.shape,
                kind=values.dtype,
                sides=grid.shape,
            )
        background = np.float32(_checked_width(half_width) * grid.voxel_size)
        corners, kept = [], []
        for layer in with_progress(range(0, grid.shape[0], BRICK_SIZE)):
            place, bricks = _bricks_of_layer(values[layer : layer + BRICK_SIZE], background)
            corners.append(np.insert(place, 0, layer, axis=1))
            kept.append(bricks)
        sides = (side for axis in range(3) for side in (values.take(0, axis), values.take(-1, axis)))
        if any((side <= 0).any() for side in sides):
            raise InputError("the surface of a distance field leaves its grid: leave a voxel outside all around")
        found = cls(grid.origin, grid.voxel_size, half_width, np.concatenate(corners), np.concatenate(kept))
        if not len(found.corners):
            raise InputError("a distance field has no surface: no voxel is within {width:g} of it", width=half_width)
        return found

    def to_dense(self, grid: Grid | None = None) -> Floats:
        """The distances in all voxels of a grid, as float32 (Z, Y, X): those that are not active have the background,
        negative inside.

        Args:
            grid: whose voxels are those of the field; None is `grid()`.

        Raises:
            InputError: the voxels of the grid are others, or it is of another type.
        """
        grid = self.grid() if grid is None else as_grid(grid)
        offset = (grid.origin - self.origin) / self.voxel_size
        first = np.rint(offset).astype(np.int64)[::-1]
        if abs(grid.voxel_size / self.voxel_size - 1) > 1e-9 or np.abs(offset - first[::-1]).max() > 1e-3:
            raise InputError("the voxels of the grid are not those of the sparse field: give them size and place of it")
        low, high = first // BRICK_SIZE, -(-(first + grid.shape) // BRICK_SIZE)
        y, x = np.meshgrid(*(np.arange(low[axis], high[axis]) for axis in (1, 2)), indexing="ij")
        begins = (first - low * BRICK_SIZE).tolist()
        rows = tuple(slice(start, start + side) for start, side in zip(begins, grid.shape, strict=True))
        out = np.empty(grid.shape, dtype=np.float32)
        for z in with_progress(range(int(low[0]), int(high[0]))):
            row, inside = self._lookup.find(np.stack([np.full(y.size, z), y.ravel(), x.ravel()], axis=1))
            bricks = np.where(inside, -self.background, self.background)[:, None].repeat(BRICK_VOXELS, axis=1)
            bricks[row >= 0] = self.distance[row[row >= 0]]
            layer = _layer_of_bricks(bricks, *y.shape)[:, rows[1], rows[2]]
            start = (z - int(low[0])) * BRICK_SIZE - begins[0]
            out[max(start, 0) : start + BRICK_SIZE] = layer[max(-start, 0) : len(out) - start]
        return out

    def sample(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """(N,) distances at points (N, 3), in the unit of the points, trilinear between the centres of voxels.

        Where no voxel is active they are those of `background`, negative inside. `exact_distance` gives the distance
        from stock and sweep themselves.

        Raises:
            InputError: another shape, or values that are not finite.
        """
        asked = as_points(points, "a sparse field's sample")
        if not np.isfinite(asked).all():
            raise InputError("a sparse field is sampled at points that are not finite numbers")
        out = np.empty(len(asked))
        for rows in with_progress(slices(len(asked), POINTS_PER_BLOCK)):
            out[rows] = self._sampled((asked[rows] - self.origin)[:, ::-1] / self.voxel_size - 0.5)
        return out

    def _sampled(self, place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """As `sample`, at (N, 3) places (z, y, x) in voxels from the centre of voxel (0, 0, 0)."""
        low = self._lookup.low * BRICK_SIZE
        # All is outside beyond the bricks, so a place there may move up to them.
        place = place.clip(low - 2, low + np.multiply(self._lookup.table.shape, BRICK_SIZE) + 1)
        first = np.floor(place).astype(np.int64)
        part = place - first
        total = np.zeros(len(place))
        for step in product((0, 1), repeat=3):
            weight = np.where(step, part, 1 - part).prod(axis=1)
            total += weight * self._values(first + step)
        return total

    def _values(self, voxels: Indices) -> Floats:
        """(N,) distances of voxels (N, 3), as (z, y, x)."""
        brick, inner = np.divmod(voxels, BRICK_SIZE)
        row, inside = self._lookup.find(brick)
        value = np.where(inside, -self.background, self.background)
        there, voxel = row >= 0, (inner[:, 0] * BRICK_SIZE + inner[:, 1]) * BRICK_SIZE + inner[:, 2]
        value[there] = self.distance[row[there], voxel[there]]
        return value

    @cached_property
    def _lookup(self) -> BrickLookup:
        return BrickLookup.of(self.corners, self.distance)

    def to_vdb(self) -> Any:
        """The field as a grid of OpenVDB, a level set, whose values are in the unit of the points.

        Raises:
            InputError: there is no openvdb module.
        """
        return grid_of(openvdb(), self.corners, self.distance, self.voxel_size, self.half_width, self._place())

    @classmethod
    def from_vdb(cls, grid: Any) -> "SparseField":
        """A level set of OpenVDB, a FloatGrid or a DoubleGrid.

        Raises:
            InputError: it is none, or its voxels are not cubes along the axes.
        """
        corners, distance, voxel_size, background, place = leaves_of(grid)
        return cls(place - voxel_size / 2, voxel_size, background / voxel_size, corners, distance)

    def to_nanovdb(self) -> bytes:
        """The field as a level set in a file of NanoVDB, which Warp's `Volume.load_from_nvdb` takes as it is.

        Raises:
            InputError: it lies too far out for NanoVDB's coordinates.
        """
        return write_nanovdb(
            self.corners, self.distance, self.background, self.voxel_size, self._place(), self._lookup.find
        )

    @classmethod
    def from_nanovdb(cls, data: Any) -> "SparseField":
        """The first level set of a file of NanoVDB, or of the memory of a grid, as of Warp's `Volume.array()`.

        Args:
            data: bytes, or an array of them, of any kind that `compute.arrays` can read.

        Raises:
            InputError: it is no bytes, damaged, no level set of floats, or its voxels are not cubes along the axes.
        """
        corners, distance, voxel_size, background, place = read_nanovdb(_held_bytes(data))
        return cls(place - voxel_size / 2, voxel_size, background / voxel_size, corners, distance)

    def _place(self) -> npt.NDArray[np.float64]:
        """(3,) the centre of voxel (0, 0, 0)."""
        return np.asarray(self.origin + self.voxel_size / 2)


def _held_bytes(data: Any) -> bytes:
    """Bytes, or those of an array. Raises InputError if it is something else, such as the name of a file."""
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    array = None if isinstance(data, str | os.PathLike) else host_array(data, "NanoVDB data")
    if array is None or array.ndim == 0 or array.dtype.kind not in "iuV":
        kind = type(data).__name__
        raise InputError("NanoVDB data is the bytes of a file, and this is a {kind}: read the file first", kind=kind)
    return array.tobytes()


def _checked_width(half_width: float) -> float:
    width = as_length(half_width, "half width")
    if width < 1:
        raise InputError("half width {width:g}: it is in voxels, at least 1", width=width)
    return width


def _bricks_of_layer(values: npt.NDArray[Any], background: np.float32) -> tuple[Indices, Floats]:
    """The bricks (N, 512) of a layer of voxels (8 or less, Y, X) that a field needs, and their corners (N, 2)."""
    pads = [(0, -side % BRICK_SIZE) for side in values.shape]
    layer = np.pad(values.astype(np.float32), pads, mode="edge")
    if np.isnan(layer).any():
        raise InputError("a distance field has values that are not numbers")
    rows, columns = (side // BRICK_SIZE for side in layer.shape[1:])
    sides = (BRICK_SIZE, rows, BRICK_SIZE, columns, BRICK_SIZE)
    bricks = layer.reshape(sides).transpose(1, 3, 0, 2, 4).reshape(-1, BRICK_VOXELS)
    bricks = bricks.clip(-background, background)
    # A brick is left out where it is all that the lookup would take it to be.
    ends = ends_inside(bricks).reshape(rows, columns)
    begins = np.pad(ends, ((0, 0), (1, 0)))[:, :-1].ravel()
    kept = np.flatnonzero((bricks != np.where(begins, -background, background)[:, None]).any(axis=1))
    return np.stack(np.divmod(kept, columns), axis=1) * BRICK_SIZE, bricks[kept]


def _layer_of_bricks(bricks: Floats, rows: int, columns: int) -> Floats:
    """The voxels (8, 8 rows, 8 columns) of a layer of bricks (rows * columns, 512)."""
    apart = bricks.reshape(rows, columns, *[BRICK_SIZE] * 3).transpose(2, 0, 3, 1, 4)
    return apart.reshape(BRICK_SIZE, rows * BRICK_SIZE, columns * BRICK_SIZE)
