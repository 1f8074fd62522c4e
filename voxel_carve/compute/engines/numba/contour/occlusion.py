"""Kernels for occlusion: which segment a point of the surface lies in, and which triangle it lies beyond.

See `contour.sharp_edges`.
"""

import math
from typing import NamedTuple

import numpy as np

from ....contour.sharp_edges import OFF_PLANE, SEARCH_WIDTH, TIE
from ....formulas import swept_body, triangle
from ....formulas.hermite import ROUNDING
from ....formulas.vertex_placement import OCCLUDED_DEPTH
from ....model.bricks import LOWEST, NO_PRIMITIVE
from ....primitives.primitives import Primitives
from ....runtime.threads import over_rows
from ..compiler.decorators import NONE, force_inlined, inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE
from .overlaps import Array, Mask, Numbers
from .vertices import locate

segment_value, plane_value = DOUBLE(swept_body.value), DOUBLE(triangle.plane_value)
triangle_square = DOUBLE(triangle.squared_distance)

POINTS_PER_RUN = 1 << 13


class NearestLookup(NamedTuple):
    """The primitive nearest to each voxel: `Field.nearest` (B, 512), and the places of bricks in it."""

    places: Numbers
    nearest: Numbers


@inlined
def nearest_at(lookup, z, y, x):  # type: ignore[no-untyped-def]
    """The primitive nearest to a voxel, NO_PRIMITIVE in a brick that is not NEAR. See `locate`."""
    place, voxel = locate(lookup.places, z, y, x)
    return lookup.nearest[place, voxel] if place >= 0 else NONE


@force_inlined
def occluder_at(primitives, lookup, x, y, z):  # type: ignore[no-untyped-def]
    """The segment that a point lies deepest in, of those nearest to the voxels around it. See `contour.sharp_edges`."""
    fx, fy, fz = int(np.floor(x - 0.5)) - 1, int(np.floor(y - 0.5)) - 1, int(np.floor(z - 0.5)) - 1
    least, found, last = -OCCLUDED_DEPTH, NONE, NONE
    for k in range(fz, fz + SEARCH_WIDTH):
        for j in range(fy, fy + SEARCH_WIDTH):
            for i in range(fx, fx + SEARCH_WIDTH):
                code = nearest_at(lookup, k, j, i)
                if code < 0 and code != LOWEST and code != last:
                    last = code
                    value, _, _, _ = segment_value(primitives.segments, -1 - code, x, y, z)
                    if value < least - ROUNDING:
                        least, found = value, code
    return found


@subroutine
def is_off_triangle(primitives, lookup, x, y, z):  # type: ignore[no-untyped-def]
    """Whether a point lies in the plane of a triangle but past its border. See `contour.sharp_edges`."""
    fx, fy, fz = int(np.floor(x - 0.5)) - 1, int(np.floor(y - 0.5)) - 1, int(np.floor(z - 0.5)) - 1
    least, is_off = np.inf, False
    for pass_number in range(2):
        last = NONE
        for n in range(SEARCH_WIDTH**3):
            k, j, i = fz + n // SEARCH_WIDTH**2, fy + n // SEARCH_WIDTH % SEARCH_WIDTH, fx + n % SEARCH_WIDTH
            code = nearest_at(lookup, k, j, i)
            if code >= 0 and code != NONE and code != last:
                last = code
                far = math.sqrt(triangle_square(primitives, code, x, y, z))
                if pass_number == 0:
                    least = min(least, far)
                elif far <= least + TIE:
                    is_off = is_off or abs(plane_value(primitives, code, x, y, z)) > OFF_PLANE
    return is_off


@kernel
def mark_occluders(start, stop, primitives, lookup, points, wanted, occluder):  # type: ignore[no-untyped-def]
    """Set occluder (N,) as `find_occluders` does."""
    for i in range(start, stop):
        if wanted[i]:
            occluder[i] = occluder_at(primitives, lookup, points[i, 0], points[i, 1], points[i, 2])


def find_occluders(primitives: Primitives, lookup: NearestLookup, points: Array, wanted: Mask) -> Numbers:
    """(N,) int32, the segments that occlude points (N, 3); NO_PRIMITIVE for none, or if it is not `wanted` (N,)."""
    occluder = np.full(len(points), NO_PRIMITIVE, dtype=np.int32)
    over_rows(mark_occluders, len(points), POINTS_PER_RUN, primitives, lookup, points, wanted, occluder)
    return occluder


@kernel
def drop_off_triangle(start, stop, primitives, lookup, points, codes, used, met):  # type: ignore[no-untyped-def]
    """Unset met (N,) for points (N, 3) with a triangle among their members that lie past its border."""
    for i in range(start, stop):
        is_flat = False
        for m in range(used[i]):
            is_flat = is_flat or codes[i, m] >= 0
        if met[i] and is_flat:
            met[i] = not is_off_triangle(primitives, lookup, points[i, 0], points[i, 1], points[i, 2])
