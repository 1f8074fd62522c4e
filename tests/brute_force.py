"""Fields by brute force, in float64: every primitive at every voxel of a small grid. And what an engine makes of it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.shapes import solid_angle_winding, triangle_distances
from voxel_carve.compute import Backend, Grid, PreparedStock, Sweep, TriMesh
from voxel_carve.compute.field.fields import Fields
from voxel_carve.compute.field.stock import prepare_on_grid
from voxel_carve.compute.model import State
from voxel_carve.compute.model.bricks import (
    BRICK_SIZE,
    BRICK_VOXELS,
    NO_PRIMITIVE,
    REACH,
    VOXEL_OFFSETS,
    Bins,
    BrickTable,
)
from voxel_carve.compute.primitives.boundary import BoundarySums
from voxel_carve.compute.primitives.crossings import Crossings
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles

Array = npt.NDArray[np.float64]

NOTHING = np.empty(0, dtype=np.int64)
NO_TRIANGLES = Triangles(np.empty((0, 3)), NOTHING.reshape(0, 3), np.empty((0, 3)), NOTHING.astype(np.int32))
NO_SEGMENTS = Segments(np.empty((0, 10)), NOTHING.astype(np.int32))
NO_CROSSINGS = Crossings((0, 0, 0), NOTHING.astype(np.int32), NOTHING.astype(np.int32), NOTHING)


@dataclass(frozen=True)
class EngineField:
    """What an engine makes of one field, in every brick of a grid.

    Attributes:
        states: (T,) of each brick.
        bricks: (B,) the NEAR ones.
        distance: (T, 512) float32, in voxels; as far as REACH in bricks that are not NEAR.
        nearest: (T, 512) the primitive that it is of, in the order of the input; NO_PRIMITIVE where it is of none.
    """

    states: npt.NDArray[np.uint8]
    bricks: npt.NDArray[np.int64]
    distance: npt.NDArray[np.float32]
    nearest: npt.NDArray[np.int32]


def brick_centres(table: BrickTable, ids: npt.NDArray[np.integer]) -> Array:
    """(N, 3) centres (x, y, z) of bricks, in voxels from the grid's origin."""
    return (table.coordinates(ids)[:, ::-1] + 0.5) * BRICK_SIZE


def sweep_field(backend: Backend, sweep: Sweep, grid: Grid) -> EngineField:
    """The field of a sweep alone: a union with a stock that is nowhere."""
    segments = Segments.on_grid(sweep, grid)
    binned = backend.bin_segments(segments, grid)
    assert np.array_equal(np.flatnonzero(binned.states == State.NEAR), binned.bins.bricks)
    distance, nearest = segment_rows(backend, segments, binned.bins, BrickTable.over(grid))
    return _everywhere(binned.states, binned.bins.bricks, distance, nearest, segments.order)


def segment_rows(backend, segments, bins, table):
    """(B, 512) distances and segments, from lists of them."""
    count = len(bins.bricks)
    fields = Fields(
        table, np.zeros(table.shape, dtype=np.uint8), bins.bricks, *_states(count, State.EMPTY, State.NEAR),
        NO_TRIANGLES, _no_lists(bins.bricks), NO_CROSSINGS, BoundarySums.none(count), segments, bins,
    )  # fmt: skip
    distance, nearest = _evaluated(backend, fields, "union")
    return distance, np.where(nearest < 0, -1 - nearest, NO_PRIMITIVE)


def stock_field(backend: Backend, mesh: TriMesh, grid: Grid) -> EngineField:
    """The field of a stock alone: a sweep that is nowhere is taken from it."""
    stock = prepare_on_grid(mesh, grid, backend)
    distance, nearest = stock_rows(backend, stock)
    return _everywhere(stock.states, stock.bins.bricks, distance, nearest, stock.triangles.order)


def stock_rows(backend: Backend, stock: PreparedStock, bins: Bins | None = None):
    """(B, 512) distances and triangles, of its lists or of others."""
    bins, stock = stock.bins if bins is None else bins, stock.with_cap_distances(backend)
    fields = Fields(
        stock.table, stock.states, bins.bricks, *_states(len(bins.bricks), State.NEAR, State.EMPTY),
        stock.triangles, bins, stock.crossings, stock.sums_in(bins.bricks, backend), NO_SEGMENTS,
        _no_lists(bins.bricks),
    )  # fmt: skip
    return _evaluated(backend, fields, "subtract")


def _states(count, *states):
    return (np.full(count, state, dtype=np.uint8) for state in states)


def _no_lists(bricks):
    return Bins(bricks, np.zeros(len(bricks) + 1, dtype=np.int64), NOTHING.astype(np.int32))


def _evaluated(backend, fields, operation):
    field = backend.evaluate(fields, operation)
    return tuple(part if isinstance(part, np.ndarray) else part.numpy() for part in (field.distance, field.nearest))


def _everywhere(states, bricks, distance, nearest, order):
    """Over all bricks; primitives by their numbers in the input."""
    states = states.ravel()
    everywhere = np.where(states == State.SOLID, -REACH, REACH).astype(np.float32)[:, None].repeat(BRICK_VOXELS, axis=1)
    names = np.full(everywhere.shape, NO_PRIMITIVE, dtype=np.int32)
    everywhere[bricks] = distance
    names[bricks] = np.where(nearest == NO_PRIMITIVE, NO_PRIMITIVE, order[np.minimum(nearest, len(order) - 1)])
    return EngineField(states, bricks, everywhere, names)


def voxel_centres(grid: Grid) -> Array:
    """(T, 512, 3) the voxel centres of all bricks that cover a grid."""
    table = BrickTable.over(grid)
    offsets = brick_centres(table, np.arange(len(table)))[:, None] + VOXEL_OFFSETS
    return grid.origin + offsets * grid.voxel_size


def segment_distances(points: Array, sweep: Sweep) -> Array:
    """(K, ...) signed distances of points (..., 3) to each segment: the nearest ball, by a search along it.

    The distance to a ball is convex in the place of its centre, so thirds of an interval can be cut off. A place is a
    part t of the segment's length; a point is given by the place beneath it, and by its height over the line.
    """
    found = []
    for a, b, ra, rb in zip(sweep.start, sweep.end, sweep.start_radius, sweep.end_radius, strict=True):
        length = np.linalg.norm(b - a)
        offset = points - a
        beneath = offset @ (b - a) / length**2 if length else np.zeros(points.shape[:-1])
        height = ((offset - (b - a) * beneath[..., None]) ** 2).sum(axis=-1)

        def distance(t, ra=ra, rb=rb, length=length, beneath=beneath, height=height):
            return np.sqrt(height + ((beneath - t) * length) ** 2) - (ra + (rb - ra) * t)

        low, high = np.zeros(points.shape[:-1]), np.ones(points.shape[:-1])
        for _ in range(70):
            third = (high - low) / 3
            one, two = low + third, high - third
            go_up = distance(one) > distance(two)
            low, high = np.where(go_up, one, low), np.where(go_up, high, two)
        ends = np.minimum(distance(np.zeros_like(low)), distance(np.ones_like(low)))
        found.append(np.minimum(ends, distance(low)))
    return np.stack(found)


@dataclass(frozen=True)
class TrueField:
    """Of all voxel centres of a grid's bricks (T, 512): distances in voxels to each primitive, and which are inside.

    Attributes:
        each: (N, T, 512) distances.
        inside: (T, 512).
        doubtful: (T, 512) so near to the border between inside and outside that rounding decides.
    """

    each: Array
    inside: npt.NDArray[np.bool_]
    doubtful: npt.NDArray[np.bool_]


def true_field(thing: Sweep | TriMesh, grid: Grid) -> TrueField:
    """That of a sweep or of a mesh."""
    points = voxel_centres(grid)
    if isinstance(thing, Sweep):
        each = segment_distances(points, thing) / grid.voxel_size
        return TrueField(each, each.min(axis=0) <= 0, np.abs(each.min(axis=0)) < 1e-3)
    each = triangle_distances(points, thing) / grid.voxel_size
    winding = np.abs(solid_angle_winding(thing, points.reshape(-1, 3))).reshape(points.shape[:-1])
    return TrueField(each, winding > 0.5, (each.min(axis=0) < 1e-3) | (np.abs(winding - 0.5) < 1e-9))
