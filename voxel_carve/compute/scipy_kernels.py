"""Distances to segments on bricks in numpy.

The Warp and numba kernels do the same float32 operations in the same order. Lists are pruned for each
eighth of a brick first: what is dropped is never the nearest, so that nothing changes but the time.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .binning import ON_AXIS, PRUNING_SLACK, blocks_of_pairs
from .bricks import BRICK_VOXELS, NO_PRIMITIVE, REACH, Bins, BrickTable
from .eighths import (
    CENTRES,
    EIGHTH_SIZE,
    HALF,
    HALF_DIAGONAL,
    SIDES,
    STEPS,
    EighthLists,
    Evaluate,
    joined,
    least_of_lists,
)
from .segments import Segments, anchored
from .threads import map_blocks

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

# Distances (B, 512) in voxels, and the numbers (B, 512) of the primitives that they are of.
Nearest = tuple[Floats, npt.NDArray[np.int32]]

PAIRS_PER_BLOCK = 4096  # worked on at once by one thread
BRICKS_PER_BLOCK = 512

ZERO, CLAMP = np.float32(0), np.float32(REACH)
TINY = np.float32(1e-30)
RADIUS_SLACK = np.float32(2e-6)  # of the pruning bounds, for the rounding of distances to a large body


def nearest_segment(segments: Segments, bins: Bins, table: BrickTable) -> Nearest:
    """(B, 512) signed distance to the nearest segment in each brick, in voxels, clamped to REACH; and which it is."""

    def fill(part: Bins) -> Nearest:
        centres = np.repeat(table.centres(part.bricks).T, np.diff(part.first), axis=1)
        distance, pair = _segment_rows(anchored(segments, part.primitive, centres), part.first)
        return distance, np.where(pair < 0, np.int32(NO_PRIMITIVE), part.primitive[pair])

    return in_blocks(fill, bins)


def in_blocks(fill: Callable[[Bins], Nearest], bins: Bins) -> Nearest:
    """(B, 512) twice, what `fill` gives for blocks of bricks; REACH and NO_PRIMITIVE where a brick has no list."""
    out = np.full((len(bins.bricks), BRICK_VOXELS), REACH, dtype=np.float32)
    nearest = np.full(out.shape, NO_PRIMITIVE, dtype=np.int32)
    listed = np.diff(bins.first) > 0
    slot = np.flatnonzero(listed)
    if len(slot) < len(listed):
        bins = bins.select(listed)

    def fill_rows(rows: slice) -> None:
        out[slot[rows]], nearest[slot[rows]] = fill(bins.part(rows.start, rows.stop))

    for _ in map_blocks(fill_rows, blocks_of_pairs(bins.first, PAIRS_PER_BLOCK, BRICKS_PER_BLOCK)):
        pass
    return out, nearest


def _segment_rows(pairs: Floats, first: Indices) -> Nearest:
    """(B, 512) distances from `SegmentPairs` as columns (11, P), where brick b has the pairs first[b] to first[b + 1];
    and the nearest pairs, -1 for none."""
    kept, wholly = _nearest_segments(pairs, first)
    lists = EighthLists.of(kept, first)
    out = np.full((*[EIGHTH_SIZE] * 3, wholly.size), np.inf, dtype=np.float32)
    nearest = np.full(out.shape, -1, dtype=np.int32)
    _, slope, tangent = pairs[8:]
    straight = not slope.any() and not tangent.any()
    least_of_lists(lists, _capsule_distances(pairs) if straight else _cone_distances(pairs), out, nearest)
    out[..., wholly.ravel()] = -CLAMP
    nearest[out > CLAMP] = -1
    return joined(np.clip(out, -CLAMP, CLAMP, out=out)), joined(nearest)


def _nearest_segments(pairs: Floats, first: Indices) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which of pairs (11, P) can be nearest in each eighth: (8, P); which eighths lie deep inside of one: (8, B).

    See `binning._settle`.
    """
    start, owner = first[:-1], np.repeat(np.arange(len(first) - 1), np.diff(first))
    offset = pairs[:3, None] + CENTRES[:, :, None]  # (3, 8, P)
    axis, (low, high, radius, slope, tangent) = pairs[3:6], pairs[6:]
    along = axis[0] * offset[0] + axis[1] * offset[1] + axis[2] * offset[2]
    square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]
    across = np.sqrt(np.maximum(square - along * along, ZERO))
    place = np.clip(along - across * tangent, low, high)
    to_centre = np.sqrt(np.maximum(square - place * (along + along - place), ZERO))
    distance = to_centre - (radius - place * slope)

    least = np.minimum.reduceat(distance, start, axis=1)
    # The last of those with the least distance; any one would do.
    nearest = np.zeros(least.shape, dtype=np.int64)
    row, pair = np.nonzero(distance == least[:, owner])
    nearest[row, owner[pair]] = pair
    own = RADIUS_SLACK * radius
    slack = PRUNING_SLACK + own[nearest]
    wholly = least < -(CLAMP + HALF_DIAGONAL + slack)
    rho = np.take_along_axis(to_centre, nearest, axis=1)
    bound = least + np.float32(1.5) * HALF * HALF / np.maximum(rho, TINY) + slack
    bound[wholly] = -np.inf

    scale = np.float32(1) / np.maximum(to_centre, TINY)
    apart = np.zeros_like(distance)
    for i in range(3):
        gradient = (offset[i] - place * axis[i]) * scale
        apart += np.abs(gradient - np.take_along_axis(gradient, nearest, axis=1)[:, owner])
    kept = (distance <= HALF * apart + own + bound[:, owner]) | ((to_centre < ON_AXIS) & ~wholly[:, owner])
    return kept & (distance <= CLAMP + HALF_DIAGONAL + np.float32(PRUNING_SLACK) + own), wholly


def _along_and_square(columns: Floats, eighth: Indices, along: Floats, square: Floats) -> None:
    """Of the offsets from the anchor: the part along the axis, and the square; (4, 4, 4, n)."""
    x, y, z = (columns[i] + STEPS[:, SIDES[i, eighth]] for i in range(3))
    ax, ay, az = columns[3:6]
    np.add((ax * x) + (ay * y)[:, None], (az * z)[:, None, None], out=along)
    np.add((x * x) + (y * y)[:, None], (z * z)[:, None, None], out=square)


def _capsule_distances(pairs: Floats) -> Evaluate:
    """Signed distance of capsules: as `_cone_distances`, less what is nothing there."""
    columns = np.ascontiguousarray(pairs[:9])

    def evaluate(which: Indices, eighth: Indices, work: list[Floats]) -> Floats:
        along, square, place = work[:3]
        column = columns.take(which, axis=1)
        _along_and_square(column, eighth, along, square)
        np.minimum(np.maximum(along, column[6], out=place), column[7], out=place)
        along += along
        along -= place
        along *= place
        square -= along
        np.sqrt(np.maximum(square, ZERO, out=square), out=square)
        square -= column[8]
        return square

    return evaluate


def _cone_distances(pairs: Floats) -> Evaluate:
    """Signed distance of round cones: see `segments.nearest_ball`."""

    def evaluate(which: Indices, eighth: Indices, work: list[Floats]) -> Floats:
        along, square, place, across = work[:4]
        column = pairs.take(which, axis=1)
        low, high, radius, slope, tangent = column[6:]
        _along_and_square(column, eighth, along, square)
        np.multiply(along, along, out=across)
        np.subtract(square, across, out=across)
        np.sqrt(np.maximum(across, ZERO, out=across), out=across)
        across *= tangent
        np.subtract(along, across, out=place)
        np.minimum(np.maximum(place, low, out=place), high, out=place)
        along += along
        along -= place
        along *= place
        square -= along
        np.sqrt(np.maximum(square, ZERO, out=square), out=square)
        place *= slope
        np.subtract(radius, place, out=place)
        square -= place
        return square

    return evaluate
