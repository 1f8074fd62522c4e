"""Distances on bricks in numpy. The Warp kernels do the same float32 operations in the same order."""

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, VOXEL_STEPS, Bins, BrickTable, expand_ranges
from .segments import SegmentPairs, Segments
from .triangles import TrianglePairs, Triangles, point_triangle_distance

PAIRS_PER_BLOCK = 1024  # with 512 voxels each, in float32: few enough for the cache, enough to share the calls
ROWS_PER_BLOCK = 1 << 17


def segment_distance(segments: Segments, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
    """(B, 512) signed distance to the nearest segment in each brick, in voxels, clamped to REACH."""
    out = np.full((len(bins.bricks), BRICK_VOXELS), REACH, dtype=np.float32)
    owner, centres = bins.owner(), table.centres(bins.bricks)
    for start in range(0, len(owner), PAIRS_PER_BLOCK):
        block = slice(start, start + PAIRS_PER_BLOCK)
        slot = owner[block]
        pairs = SegmentPairs.at(segments, bins.primitive[block], centres[slot])
        first = np.flatnonzero(np.diff(slot, prepend=-1))
        least = _least_of_runs(_pair_distance(pairs), first)
        np.minimum(out[slot[first]], least, out=least)
        out[slot[first]] = least
    return np.maximum(out, np.float32(-REACH), out=out)


def _least_of_runs(values: npt.NDArray[np.float32], first: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Least row of each run of rows that starts at `first`: the second rows of all runs, then the third, and so on.

    Three times as fast as `np.minimum.reduceat`, which goes down the columns.
    """
    length = np.diff(first, append=len(values))
    least: npt.NDArray[np.float32] = values[first]
    for rank in range(1, int(length.max())):
        longer = np.flatnonzero(length > rank)
        least[longer] = np.minimum(least[longer], values[first[longer] + rank])
    return least


def _pair_distance(pairs: SegmentPairs) -> npt.NDArray[np.float32]:
    """(P, 512) signed distance of each pair's voxels: see `Segments.nearest_ball`.

    What depends on one axis alone is computed along that axis, and spread out by the sums.
    """
    # (P, 1, 1, 8), (P, 1, 8, 1) and (P, 8, 1, 1): the offsets from the anchor along x, y and z.
    axes = ((1, 1, BRICK_SIZE), (1, BRICK_SIZE, 1), (BRICK_SIZE, 1, 1))
    x, y, z = ((pairs.toward[:, i, None] + VOXEL_STEPS).reshape(-1, *axes[i]) for i in range(3))
    ax, ay, az = (pairs.axis[:, i].reshape(-1, 1, 1, 1) for i in range(3))
    low, high, radius, slope, tangent = (
        column.reshape(-1, 1, 1, 1) for column in (pairs.low, pairs.high, pairs.radius, pairs.slope, pairs.tangent)
    )
    along = (ax * x + ay * y) + az * z
    square = (x * x + y * y) + z * z
    across = np.sqrt(np.maximum(square - along * along, np.float32(0)))
    s = np.minimum(np.maximum(along - across * tangent, low), high)
    square = np.maximum(square - s * (along + along - s), np.float32(0))
    distance = np.sqrt(square) - (radius - s * slope)
    return distance.reshape(len(distance), BRICK_VOXELS)


def triangle_distance(triangles: Triangles, bins: Bins, table: BrickTable) -> npt.NDArray[np.float32]:
    """(B, 512) unsigned distance to the nearest triangle in each brick, in voxels, clamped to REACH."""
    out = np.full(len(bins.bricks) * BRICK_VOXELS, REACH, dtype=np.float32)
    owner = bins.owner()
    for start in range(0, len(owner), ROWS_PER_BLOCK // BRICK_SIZE):
        block = slice(start, start + ROWS_PER_BLOCK // BRICK_SIZE)
        slot = owner[block]
        near = TrianglePairs.at(triangles, bins.primitive[block], table.centres(bins.bricks[slot]))
        pair, voxel = _voxels_near(near)
        distance = _voxel_distance(near, pair, voxel)
        np.minimum.at(out, slot[pair] * BRICK_VOXELS + voxel, distance)
    return out.reshape(-1, BRICK_VOXELS)


def _voxels_near(near: TrianglePairs) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs (pair, voxel): the voxels of the brick in the triangle's box and in the slab about its plane."""
    corners, normal = near.corners, near.normal
    reach = REACH + 1e-3  # over the rounding of the distances themselves
    middle = (BRICK_SIZE - 1) / 2
    first = np.clip(np.ceil(corners.min(axis=0) - reach + middle), 0, BRICK_SIZE).astype(np.int64)
    stop = np.clip(np.floor(corners.max(axis=0) + reach + middle) + 1, 0, BRICK_SIZE).astype(np.int64)
    extent = np.maximum(stop - first, 0)
    count = extent[:, 1] * extent[:, 2]
    pair = np.repeat(np.arange(len(count)), count)
    step = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    z, y = np.divmod(step, extent[pair, 1])
    y, z = y + first[pair, 1], z + first[pair, 2]

    # Along a row, the slab cuts out one interval of x.
    nx = np.where(np.abs(normal[:, 0]) < 1e-6, np.float32(1e-6), normal[:, 0])[pair]
    rest = normal[pair, 1] * VOXEL_STEPS[y] + normal[pair, 2] * VOXEL_STEPS[z] - near.plane[pair]
    one, two = (-reach - rest) / nx + middle, (reach - rest) / nx + middle
    low = np.clip(np.ceil(np.minimum(one, two)), first[pair, 0], BRICK_SIZE).astype(np.int64)
    high = np.clip(np.floor(np.maximum(one, two)) + 1, 0, stop[pair, 0]).astype(np.int64)
    length = np.maximum(high - low, 0)
    voxel = expand_ranges((z * BRICK_SIZE + y) * BRICK_SIZE + low, length)
    return np.repeat(pair, length), voxel


def _voxel_distance(
    near: TrianglePairs, pair: npt.NDArray[np.int64], voxel: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    out = np.empty(len(pair), dtype=np.float32)
    for start in range(0, len(pair), ROWS_PER_BLOCK // 8):
        block = slice(start, start + ROWS_PER_BLOCK // 8)
        which, index = pair[block], voxel[block]
        x, y, z = index % BRICK_SIZE, index // BRICK_SIZE % BRICK_SIZE, index // BRICK_SIZE**2
        offset = np.stack([VOXEL_STEPS[x], VOXEL_STEPS[y], VOXEL_STEPS[z]])
        direction = np.ascontiguousarray(near.normal[which].T)
        relative = [np.ascontiguousarray(corner[which].T) - offset for corner in near.corners]
        height = ((direction[0] * offset[0] + direction[1] * offset[1]) + direction[2] * offset[2]) - near.plane[which]
        out[block] = point_triangle_distance(relative, direction, height)
    return out
