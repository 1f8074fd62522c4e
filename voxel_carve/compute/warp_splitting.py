"""Along which diagonal a quad is split, on Warp devices: the steps of `quads.split_quads`, with the same numbers.

A ring is the four corners of a quad around an edge, counter-clockwise seen from the edge's far end, counted from its
first end, in voxels; u and v are the axes after that of the edge.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from .hermite import ROUNDING
from .quads import SHORTER, SLIVER, TRUER


@dataclass(frozen=True)
class SplittingFunctions:
    """Warp functions of rings.

    Attributes:
        Ring: type, (4, 3) float64.
        choose_split: (ring, u, v, axis, place) to the corner, 0 or 1, from which a quad is split; the surface crosses
            the edge at `place`.
    """

    Ring: Any
    choose_split: Any


@functools.cache
def splitting_functions() -> SplittingFunctions:
    """Define them."""
    import warp as wp

    Ring = wp.types.matrix((4, 3), wp.float64)  # noqa: N806 - a type
    zero = wp.constant(wp.float64(0.0))
    rounding, truer = wp.constant(wp.float64(ROUNDING)), wp.constant(wp.float64(TRUER))
    sliver, two = wp.constant(wp.float64(SLIVER)), wp.constant(wp.float64(2.0))
    shorter, never = wp.constant(wp.float64(SHORTER)), wp.constant(wp.float64(1e300))

    @wp.func
    def turns_in_plane(ring: Ring, a: wp.int32, b: wp.int32, c: wp.int32, u: wp.int32, v: wp.int32) -> wp.float64:
        """Twice the area of the triangle of three corners, seen along the edge."""
        return (ring[b, u] - ring[a, u]) * (ring[c, v] - ring[a, v]) - (ring[b, v] - ring[a, v]) * (
            ring[c, u] - ring[a, u]
        )

    @wp.func
    def miss(ring: Ring, a: wp.int32, u: wp.int32, v: wp.int32, axis: wp.int32, place: wp.float64) -> wp.float64:
        """How far a quad, split from corner a, passes by the point at `place` on the edge; `never` where a half is
        turned over."""
        b = (a + 1) & 3
        c = (a + 2) & 3
        d = (a + 3) & 3
        if turns_in_plane(ring, a, b, c, u, v) < -rounding or turns_in_plane(ring, a, c, d, u, v) < -rounding:
            return never
        over = ring[c, u] * ring[a, v] - ring[c, v] * ring[a, u]
        # The half on whose side of the diagonal the edge passes; its corners from that diagonal on.
        other = wp.where(over >= zero, b, d)
        first = wp.where(over >= zero, c, a)
        last = wp.where(over >= zero, a, c)
        x = ring[other, u] * ring[first, v] - ring[other, v] * ring[first, u]
        y = ring[last, u] * ring[other, v] - ring[last, v] * ring[other, u]
        total = wp.abs(over) + x + y
        if total <= zero:
            return never
        height = (wp.abs(over) * ring[other, axis] + x * ring[last, axis] + y * ring[first, axis]) / total
        return wp.abs(height - place)

    @wp.func
    def lower_half(ring: Ring, a: wp.int32) -> wp.float64:
        """The height of the lower half of a quad split from corner a: over the longest side of that half."""
        least = never
        for half in range(2):
            b = (a + 1 + half) & 3
            c = (a + 2 + half) & 3
            first = wp.vec3d(ring[b, 0] - ring[a, 0], ring[b, 1] - ring[a, 1], ring[b, 2] - ring[a, 2])
            last = wp.vec3d(ring[c, 0] - ring[a, 0], ring[c, 1] - ring[a, 1], ring[c, 2] - ring[a, 2])
            side = last - first
            normal = wp.cross(first, last)
            longest = wp.max(wp.max(wp.dot(first, first), wp.dot(last, last)), wp.dot(side, side))
            least = wp.min(least, wp.sqrt(wp.dot(normal, normal) / wp.max(longest, rounding)))
        return least

    @wp.func
    def choose_split(ring: Ring, u: wp.int32, v: wp.int32, axis: wp.int32, place: wp.float64) -> wp.int32:
        even = miss(ring, 0, u, v, axis, place)
        odd = miss(ring, 1, u, v, axis, place)
        if even == never or odd == never:
            return wp.where(odd < even, 1, 0)
        low = lower_half(ring, 0)
        high = lower_half(ring, 1)
        if wp.min(low, high) < sliver and wp.max(low, high) >= two * wp.min(low, high):
            return wp.where(high > low, 1, 0)
        if wp.abs(even - odd) > truer:
            return wp.where(odd < even, 1, 0)
        even = zero
        odd = zero
        for i in range(3):
            even += (ring[2, i] - ring[0, i]) * (ring[2, i] - ring[0, i])
            odd += (ring[3, i] - ring[1, i]) * (ring[3, i] - ring[1, i])
        return wp.where(odd < even - shorter, 1, 0)

    return SplittingFunctions(Ring, choose_split)
