"""The share of a stock's surface that a carve has lost where no path is, measured on its result."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines.numba.compiler.loading import load_kernels
from ..exact.inside import inside
from ..exact.samples import Indices, Points, aside, surface_samples
from ..field.binning import BinnedSweep
from ..field.stock import PreparedStock
from ..model.bricks import BRICK_SIZE, PAIRS_AT_ONCE, State, runs
from ..model.combining import Operation
from ..model.grid import Grid
from ..model.mesh import Surface
from ..model.parts import SurfacePart
from ..primitives.segments import Segments
from ..primitives.triangles import Triangles
from ..runtime.threads import over_rows

SAMPLES = 2048
FEW = 32
TOLD = 0.01  # a loss from which on it is told
POINTS_PER_RUN = 1 << 14
GROUPS = 1 << 16  # of a table of samples, a power of two: it stays in the cache

Flags = npt.NDArray[np.bool_]


def lost_share(
    surface: Surface, stock: PreparedStock, segments: Segments, binned: BinnedSweep, operation: Operation
) -> float:
    """The share of a stock's surface, a voxel and more away from every path, that lies more than a voxel from a result.

    The surface within other shells of the stock does not count. For an intersection, what lies in the sweep by more
    than a voxel counts. The share is that of a sample, and 0 where it is too small to be told.

    Args:
        surface: the result before faces are merged: it has a vertex within a voxel of each of its points.
        binned: the segments by bricks.
    """
    points, triangle = surface_samples(stock.triangles, SAMPLES)
    is_near = near_points(points, surface.points, stock.grid)

    def stays(which: Indices) -> Indices:
        return which[_stay(points[which], stock, segments, binned, operation)]

    return _share(points, triangle, stock, stays(np.flatnonzero(~is_near)), lambda: stays(np.flatnonzero(is_near)))


class Kept(NamedTuple):
    """What a part of a result says of the samples (S,) of its stock: which have a vertex of it within a voxel, and
    which of those in its bricks the operation leaves."""

    near: Flags
    stay: Flags

    @classmethod
    def by(
        cls, part: SurfacePart, stock: PreparedStock, segments: Segments, binned: BinnedSweep, operation: Operation,
        own: Flags,
    ) -> "Kept":  # fmt: skip
        """What a part says whose own bricks are these of (Z, Y, X)."""
        points, _ = surface_samples(stock.triangles, SAMPLES)
        mine, stay = np.flatnonzero(own.ravel()[_bricks_of(points, stock)]), np.zeros(len(points), dtype=bool)
        stay[mine] = _stay(points[mine], stock, segments, binned, operation)
        return cls(near_points(points, part.points, stock.grid), stay)


def lost_share_of_parts(kept: Sequence[Kept], stock: PreparedStock) -> float:
    """As `lost_share`, of a result in parts."""
    points, triangle = surface_samples(stock.triangles, SAMPLES)
    near, stay = (np.logical_or.reduce([getattr(part, name) for part in kept]) for name in Kept._fields)
    return _share(points, triangle, stock, np.flatnonzero(stay & ~near), lambda: np.flatnonzero(stay & near))


def _share(
    points: Points, triangle: Indices, stock: PreparedStock, lost: Indices, kept: Callable[[], Indices]
) -> float:
    """The share of the samples that stay, by those that are not near, and those that are."""
    is_outer = partial(_is_outer, points, triangle, stock.triangles)
    # In a stock of several shells, much of the surface is inside, and the few tell that all of it is.
    if len(lost) <= TOLD / 2 * len(points) or not is_outer(lost[:: len(lost) // FEW + 1]).any():
        return 0.0
    near = kept()
    lost, near = lost[is_outer(lost)], near[is_outer(near)]
    share = len(lost) / (len(lost) + len(near))
    return share if share > TOLD else 0.0


def near_points(samples: Points, points: Points, grid: Grid) -> Flags:
    """(S,) whether samples (S, 3), in voxels, have one of points (N, 3), in Blender units, within a voxel.

    The samples are listed in a table of groups of voxels: their own group, and those of the voxels around them.
    """
    from .kernels import GROUP_BITS, mark_near

    around = np.arange(-1, 2)
    # Along x, the middle one is in the group of a neighbour.
    steps = np.stack(np.meshgrid(around[::2], around, around, indexing="ij"), axis=-1).reshape(-1, 3)
    x, y, z = (np.floor(samples).astype(np.int64)[:, None] + steps).transpose(2, 0, 1)
    group = np.sort(((z * grid.shape[1] + y) * grid.shape[2] + (x >> GROUP_BITS)) & GROUPS - 1, axis=1)
    is_new = np.diff(group, axis=1, prepend=-1) != 0
    listed, group = np.nonzero(is_new)[0].astype(np.int32), group[is_new]
    first = np.zeros(GROUPS + 1, dtype=np.int32)
    np.cumsum(np.bincount(group, minlength=GROUPS), out=first[1:])
    is_near = np.zeros(len(samples), dtype=bool)
    table = (grid.shape, first, listed[np.argsort(group, kind="stable")], samples, is_near)
    over_rows(mark_near, len(points), POINTS_PER_RUN, points, np.array(grid.origin), 1 / grid.voxel_size, *table)
    return is_near


def _bricks_of(points: Points, stock: PreparedStock) -> Indices:
    """(S,) the bricks of points (S, 3), in voxels."""
    return stock.table.ids(np.floor(points[:, ::-1] / BRICK_SIZE).astype(np.int64))


def _stay(points: Points, stock: PreparedStock, segments: Segments, binned: BinnedSweep, operation: Operation) -> Flags:
    """Which points (S, 3) of a stock's surface an operation leaves: those more than a voxel from the sweep's."""
    brick = _bricks_of(points, stock)
    state = binned.states.ravel()[brick]
    stays = state == (State.SOLID if operation == "intersect" else State.EMPTY)
    near = np.flatnonzero(state == State.NEAR)
    distance = _sweep_distance(points[near], brick[near], segments, binned)
    stays[near] = distance < -1 if operation == "intersect" else distance > 1
    return np.asarray(stays)


def _sweep_distance(
    points: Points, brick: npt.NDArray[np.int64], segments: Segments, binned: BinnedSweep
) -> npt.NDArray[np.float64]:
    """(S,) the signed distances of points (S, 3) in NEAR bricks (S,) from the sweep, exact near it."""
    place = np.searchsorted(binned.bins.bricks, brick)
    least = np.empty(len(points))
    for start, stop in runs(np.diff(binned.bins.first)[place], PAIRS_AT_ONCE):
        near = binned.bins.at(place[start:stop])
        distance = segments.distance(near.primitive, points[start:stop][near.owner()])
        least[start:stop] = np.minimum.reduceat(distance, near.first[:-1])  # each of these bricks has a segment
    return least


def _is_outer(points: Points, triangle: Indices, triangles: Triangles, which: Indices) -> Flags:
    """(K,) whether the stock lies on one side alone at some points (S, 3) of its surface, of triangles (S,)."""
    load_kernels("exact")
    sides = [aside(triangles, triangle[which], side, points[which]) for side in (1.0, -1.0)]
    before, behind = inside(np.concatenate(sides), triangles).reshape(2, -1)
    return np.asarray(before != behind)
