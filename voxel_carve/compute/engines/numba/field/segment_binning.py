"""Kernels for binning segments. See `field.binning` for the method, and for when a pair may be dropped."""

import numpy as np
import numpy.typing as npt

from ....field.binning import BinnedSweep, half_diagonal, widened
from ....field.sweep_group import BinnedSweeps, SweepGroup
from ....formulas import round_cone
from ....formulas.round_cone import PRUNING_SLACK
from ....formulas.vector import length
from ....model.bricks import BAND, BRICK_SIZE, Bins, BrickTable, State
from ....model.grid import Grid
from ....primitives.segments import Segments
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel
from ..compiler.formulas import DOUBLE
from .tile_hierarchy import Part, coarsest_pairs, descend, joined, meets, tiles_per_run

LEAST_RHO = 1e-12

nearest_ball, distance_to, contains_cube, can_be_nearest, length_of = (
    DOUBLE(formula)
    for formula in (
        round_cone.nearest_ball,
        round_cone.distance,
        round_cone.contains_cube,
        round_cone.can_be_nearest,
        length,
    )
)


@kernel
def segment_distances(run, stop, tiles, first, primitive, size, low, high, cones, out):  # type: ignore[no-untyped-def]
    """Set out (P, 8) to the signed distances between each pair's segment and the centres of its tile's eight children.

    The distance is inf if the segment's box (low, high) does not meet the child's voxel centres. tiles (T, 3), first
    (T + 1,) and primitive (P,) are `Pairs`. `size` is the side of a child in voxels.
    """
    for t in range(run, stop):
        for pair in range(first[t], first[t + 1]):
            j = primitive[pair]
            for child in range(8):
                x = (2 * tiles[t, 2] + (child & 1) + 0.5) * size
                y = (2 * tiles[t, 1] + (child >> 1 & 1) + 0.5) * size
                z = (2 * tiles[t, 0] + (child >> 2) + 0.5) * size
                near = meets(low, high, j, x, y, z, (size - 1) / 2)
                out[pair, child] = distance_to(cones, j, x, y, z) if near else np.inf


@kernel
def prune_bricks(run, stop, centres, first, primitive, distance, half, cones, keep, solid):  # type: ignore[no-untyped-def]
    """Set keep (P,), all false before, for the pairs that are needed. See `field.binning`.

    Pairs with a surface that cannot come near are dropped too. centres (B, 3) are those of the bricks; `half` is half
    the extent of a brick's voxel centres. A brick deep inside one segment loses all its pairs, and is set in solid
    (B,), all false before.
    """
    for b in range(run, stop):
        x, y, z = centres[b, 0], centres[b, 1], centres[b, 2]
        nearest = first[b]
        for pair in range(first[b], first[b + 1]):
            if distance[pair] < distance[nearest]:
                nearest = pair
            if distance[pair] < -(BAND + half):
                solid[b] = solid[b] or contains_cube(cones, primitive[pair], x, y, z, half, BAND)
        if solid[b]:
            continue
        _, jx, jy, jz = nearest_ball(cones, primitive[nearest], x, y, z)
        rho = max(length_of(jx, jy, jz), LEAST_RHO)
        for pair in range(first[b], first[b + 1]):
            _, ix, iy, iz = nearest_ball(cones, primitive[pair], x, y, z)
            keep[pair] = can_be_nearest(
                distance[pair], ix, iy, iz, distance[nearest], jx / rho, jy / rho, jz / rho, rho, half, BAND
            )


def bin_segments(segments: Segments, grid: Grid) -> BinnedSweep:
    """See `Backend.bin_segments`."""
    table = BrickTable.over(grid)
    bins, solid = _lists(segments, np.zeros(len(segments), dtype=np.int64), 1, table)
    states = np.full(table.shape, State.EMPTY, dtype=np.uint8)
    states.ravel()[solid] = State.SOLID
    states.ravel()[bins.bricks] = State.NEAR
    return BinnedSweep(states, bins)


def bin_sweeps(group: SweepGroup, grid: Grid, layers: slice) -> BinnedSweeps:
    """The bricks in some layers of a grid that the sweeps of a group may change, in terms of the whole grid."""
    segments, alone, rows = group.in_layers(grid, layers)
    table = BrickTable.over(alone)
    lists = _lists(segments, group.sweep, len(group.operations), table)
    return BinnedSweeps.of(group, *lists, rows, table.shape[1] * table.shape[2])


def _lists(
    segments: Segments, sweep: npt.NDArray[np.int64], count: int, table: BrickTable
) -> tuple[Bins, npt.NDArray[np.int64]]:
    """The lists of the NEAR bricks of `count` sweeps, and the SOLID bricks, by key: brick * count + sweep.

    Args:
        sweep: (K,) the sweep of each segment.
    """
    boxes = widened(segments.bounds())
    parts = descend(
        coarsest_pairs(*boxes, sweep, table), segment_distances, (*boxes, segments.rows), table,
        lambda tile: 2 * half_diagonal(tile) + PRUNING_SLACK,
    )  # fmt: skip
    (tiles, first, primitive), inside = joined(_pruned(part, segments) for part in parts)
    del boxes, parts  # before the lists are copied

    def key_of(tiles: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return table.ids(tiles) * count + tiles[:, 3]

    # Each list is in order by now. So only the bricks need sorting.
    kept = Bins(key_of(tiles), first, primitive)
    return kept.at(np.argsort(kept.bricks, kind="stable")), key_of(inside)


def _pruned(part: Part, segments: Segments) -> Part:
    """Bricks without the pairs that they do not need, and without those whose lists are empty then."""
    (tiles, first, primitive), distance, inside = part
    centres, half = (tiles[:, 2::-1] + 0.5) * float(BRICK_SIZE), (BRICK_SIZE - 1) / 2
    keep, solid = np.zeros(len(primitive), dtype=np.bool_), np.zeros(len(tiles), dtype=np.bool_)
    arguments = (centres, first, primitive, distance, half, segments.rows, keep, solid)
    over_rows(prune_bricks, len(tiles), tiles_per_run(part.pairs), *arguments)
    # No list is empty before.
    count = np.add.reduceat(keep, first[:-1], dtype=np.int64)
    left = np.concatenate([[0], np.cumsum(count[count > 0])])
    return Part((tiles[count > 0], left, primitive[keep]), distance, np.concatenate([inside, tiles[solid]]))
