"""Kernels for the distances between voxels and round cones.

The innermost loops run without branches over adjacent float32 numbers, so that the compiler can vectorise them.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ....formulas import round_cone
from ....formulas.round_cone import ON_AXIS, PRUNING_SLACK
from ....model.bricks import BAND, BRICK_SIZE, VOXEL_OFFSETS
from ..compiler.decorators import CLAMP, NONE, ONE, subroutine
from ..compiler.formulas import DOUBLE, SINGLE

anchor = DOUBLE(round_cone.anchor)
offset_distance = SINGLE(round_cone.offset_distance)

TINY = np.float32(1e-30)

# Octants of a brick: the voxels of each (8, 64), and the offsets of their centres (8, 3, 64) float32. Those of each
# eighth of an octant, 2 x 2 x 2 voxels, are together: (8, 8, 3, 8).
OCTANT_SIZE, EIGHTH_SIZE = BRICK_SIZE // 2, BRICK_SIZE // 4
OCTANT_VOXELS, EIGHTH_VOXELS = OCTANT_SIZE**3, EIGHTH_SIZE**3
_PLACES = (VOXEL_OFFSETS + BRICK_SIZE / 2).astype(int)
_EIGHTH = (_PLACES // OCTANT_SIZE * 8 + _PLACES // EIGHTH_SIZE % 2) @ np.array([1, 2, 4])
OCTANT_INDEX = np.argsort(_EIGHTH, kind="stable").reshape(8, OCTANT_VOXELS)
OCTANT_OFFSETS = np.ascontiguousarray(VOXEL_OFFSETS[OCTANT_INDEX].transpose(0, 2, 1), dtype=np.float32)
EIGHTH_OFFSETS = np.ascontiguousarray(OCTANT_OFFSETS.reshape(8, 3, 8, EIGHTH_VOXELS).transpose(0, 2, 1, 3))
OCTANT_CENTRES, EIGHTH_CENTRES = OCTANT_OFFSETS.mean(axis=2), EIGHTH_OFFSETS.mean(axis=3)
OCTANT_HALF, EIGHTH_HALF = np.float32((OCTANT_SIZE - 1) / 2), np.float32((EIGHTH_SIZE - 1) / 2)
# The slack of the pruning bounds, and the slack per radius for float32 rounding of distances to a large body.
SLACK = np.float32(PRUNING_SLACK)
RADIUS_SLACK = np.float32(2e-6)
AXIS = np.float32(ON_AXIS)
SHORT_LIST = 3  # pruning so few pairs takes longer than it saves
LONG_LIST = 24  # if an octant needs more pairs, those of its eighths are pruned too
ROOT_3 = np.float32(math.sqrt(3))
# Which pair is nearest is asked at the corners of cells that the surface crosses, and these are not deeper than this.
DEEP = np.float32(BAND)


@subroutine
def keep_nearest(pairs, pair_count, x, y, z, half, least, kept):  # type: ignore[no-untyped-def]
    """Find the pairs, of the first in pairs (11, L), that can be nearest in a cube. See `field.binning`.

    (x, y, z) is the offset from the brick's centre to the cube's, and `half` half the extent of its voxel centres.
    least (5, L) float32 is scratch; kept (L,) int64 is set to the pairs found.

    Returns:
        The number of pairs; -1 if the whole cube is deeper than DEEP inside one of them.
    """
    reach = ROOT_3 * half
    for n in range(pair_count):
        ox, oy, oz = pairs[0, n] + x, pairs[1, n] + y, pairs[2, n] + z
        ax, ay, az = pairs[3, n], pairs[4, n], pairs[5, n]
        distance, place, to_centre = offset_distance(
            ox, oy, oz, ax, ay, az, pairs[6, n], pairs[7, n], pairs[8, n], pairs[9, n], pairs[10, n]
        )
        scale = ONE / max(to_centre, TINY)
        least[0, n], least[4, n] = distance, to_centre
        least[1, n] = (ox - place * ax) * scale
        least[2, n] = (oy - place * ay) * scale
        least[3, n] = (oz - place * az) * scale
    j = 0
    for n in range(1, pair_count):
        if least[0, n] < least[0, j]:
            j = n
    slack = SLACK + RADIUS_SLACK * pairs[8, j]
    if least[0, j] < -(DEEP + reach + slack):
        return -1
    bound = np.float32(1.5) * half * half / max(least[4, j], TINY) + slack
    count = 0
    for n in range(pair_count):
        own = RADIUS_SLACK * pairs[8, n]
        if least[0, n] > CLAMP + reach + SLACK + own:
            continue
        bend = abs(least[1, n] - least[1, j]) + abs(least[2, n] - least[2, j]) + abs(least[3, n] - least[3, j])
        if least[0, n] - least[0, j] <= half * bend + bound + own or least[4, n] < AXIS:
            kept[count] = n
            count += 1
    return count


@subroutine
def fill_octant(pairs, kept, count, offsets, out, nearest):  # type: ignore[no-untyped-def]
    """Lower out (V,) to the distances of the first pairs in `kept`, and set nearest (V,) int32 to the pair.

    offsets (3, V) lead from the brick's centre to the voxels.
    """
    for k in range(count):
        n = kept[k]
        here = np.int32(n)
        fx, fy, fz = pairs[0, n], pairs[1, n], pairs[2, n]
        ax, ay, az = pairs[3, n], pairs[4, n], pairs[5, n]
        low, high, radius, slope, tangent = pairs[6, n], pairs[7, n], pairs[8, n], pairs[9, n], pairs[10, n]
        for v in range(len(out)):
            distance, _, _ = offset_distance(
                fx + offsets[0, v], fy + offsets[1, v], fz + offsets[2, v],
                ax, ay, az, low, high, radius, slope, tangent,
            )  # fmt: skip
            closer = distance < out[v]
            nearest[v] = here if closer else nearest[v]
            out[v] = distance if closer else out[v]


def segment_scratch(first: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], ...]:
    """Scratch buffers for the segments of one brick, for lists of at most L that begin at first (B + 1,).

    Returns:
        Numbers (2, 11, L), see `round_cone.anchor`; (5, L) and (2, L), see `keep_nearest`; distances and nearest (64,)
        in an octant. Those of the pairs that an octant needs come second.
    """
    longest = int(np.diff(first).max(initial=0))
    return (
        np.empty((2, round_cone.NUMBERS, longest), np.float32), np.empty((5, longest), np.float32),
        np.empty((2, longest), np.int64), np.empty(OCTANT_VOXELS, np.float32), np.empty(OCTANT_VOXELS, np.int32),
    )  # fmt: skip


@subroutine
def fill_eighths(octant, some, kept, count, least, own_kept, distance, own):  # type: ignore[no-untyped-def]
    """Do `fill_octant` for `count` pairs some (11, L), eighth by eighth. kept (L,) are their numbers."""
    for eighth in range(8):
        centre, begin = EIGHTH_CENTRES[octant, eighth], eighth * EIGHTH_VOXELS
        found = keep_nearest(some, count, centre[0], centre[1], centre[2], EIGHTH_HALF, least, own_kept)
        out, nearest = distance[begin : begin + EIGHTH_VOXELS], own[begin : begin + EIGHTH_VOXELS]
        if found < 0:
            for v in range(EIGHTH_VOXELS):
                out[v] = -CLAMP
            continue
        fill_octant(some, own_kept, found, EIGHTH_OFFSETS[octant, eighth], out, nearest)
        for v in range(EIGHTH_VOXELS):
            nearest[v] = kept[nearest[v]] if nearest[v] != NONE else NONE


@subroutine
def measure_segments(centre, which, cones, scratch, out, nearest):  # type: ignore[no-untyped-def]
    """Set out (512,) to the signed distance to the nearest of cones `which` (L,), clamped to REACH.

    nearest (512,) is set to that cone, the first one of a tie, or to NO_PRIMITIVE beyond REACH.
    """
    numbers, least, found, distance, own = scratch
    pairs, some, kept, count = numbers[0], numbers[1], found[0], len(which)
    for n in range(count):
        anchor(cones, which[n], centre[0], centre[1], centre[2], pairs, n)
        kept[n] = n
    for octant in range(8):
        if len(which) > SHORT_LIST:
            x, y, z = OCTANT_CENTRES[octant, 0], OCTANT_CENTRES[octant, 1], OCTANT_CENTRES[octant, 2]
            count = keep_nearest(pairs, len(which), x, y, z, OCTANT_HALF, least, kept)
        far = CLAMP if count >= 0 else -CLAMP
        for v in range(OCTANT_VOXELS):
            distance[v], own[v] = far, NONE
        if count <= LONG_LIST:
            fill_octant(pairs, kept, count, OCTANT_OFFSETS[octant], distance, own)
        else:
            for k in range(count):
                for i in range(len(some)):
                    some[i, k] = pairs[i, kept[k]]
            fill_eighths(octant, some, kept, count, least, found[1], distance, own)
        for v in range(OCTANT_VOXELS):
            voxel = OCTANT_INDEX[octant, v]
            out[voxel] = max(distance[v], -CLAMP)
            nearest[voxel] = which[own[v]] if own[v] != NONE else NONE
