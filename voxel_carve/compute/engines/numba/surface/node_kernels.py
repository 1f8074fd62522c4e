"""Kernels that place the nodes of a cut, and move them onto both surfaces. See `contour.rims`."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.rims import LONGEST_SHIFT
from ....formulas import newton, swept_body, triangle
from ....formulas.hermite import ON_SURFACE
from ..compiler.decorators import kernel, subroutine
from ..compiler.formulas import DOUBLE
from ..contour.fairing_kernels import join
from ..contour.occlusion import nearest_at
from ..contour.overlaps import Array, Numbers
from .cutting_kernels import take_half, volume

newton_iterate = DOUBLE(newton.newton_iterate)
segment_value, plane_value = DOUBLE(swept_body.value), DOUBLE(triangle.plane_value)
triangle_square = DOUBLE(triangle.squared_distance)

MOST_MEMBERS = 18  # two, and those of the eight voxels around, of each mesh
NEAR_ENOUGH = 0.002  # a node that is farther from the stock, or from the sweep, is tried again

Indices = npt.NDArray[np.int64]


class NodeScratch(NamedTuple):
    """Scratch buffers for a node: corners (3,), a point (3,), and the primitives around it. See `newton`."""

    corner: Indices
    p: Array
    codes: Numbers
    signs: Array
    group: Indices
    values: Array

    @classmethod
    def of(cls) -> "NodeScratch":
        """Buffers for any node."""
        most = MOST_MEMBERS
        return cls(
            np.empty(3, np.int64), np.empty(3), np.empty(most, np.int32), np.empty(most), np.empty(most, np.int64),
            np.empty((3, 4)),
        )  # fmt: skip


@subroutine
def add_primitive(scratch, count, code, sign, group):  # type: ignore[no-untyped-def]
    """Add a primitive to a group of the first `count`. Return their number."""
    added = join(scratch.codes, scratch.signs, count, code, sign, MOST_MEMBERS)
    if added > count:
        scratch.group[count] = group
    return added


@subroutine
def off_surfaces(primitives, scratch, count, p):  # type: ignore[no-untyped-def]
    """The distance of p (3,) from the triangles, or from the segments, whichever is farther; and the member whose plane
    p lies farthest outside of, -1 for none.
    """
    outside, most, square, deepest = -1, 0.0, math.inf, math.inf
    for m in range(count):
        code = scratch.codes[m]
        if code >= 0:
            square = min(square, triangle_square(primitives, code, p[0], p[1], p[2]))
            plane = scratch.signs[m] * plane_value(primitives, code, p[0], p[1], p[2])
            if plane > most:
                outside, most = m, plane
        else:
            value, _, _, _ = segment_value(primitives.segments, -1 - code, p[0], p[1], p[2])
            deepest = min(deepest, value)
    return max(math.sqrt(square), abs(deepest)), outside


@kernel
def place_nodes(start, stop, primitives, rule, lookups, points, quads, first, codes, signs, nodes, at, place, scratch):  # type: ignore[no-untyped-def]
    """Place nodes, where an edge goes through a half of a quad, and then move them onto both surfaces.

    Args:
        lookups: the primitives around a point, of each mesh.    first: the number of quads of the first one.
        nodes: (N, 4): the edge, as its lesser and greater vertex; the half that it goes through; a half of its own.
        at: (N, 4) set to where the edge goes through the half, and how far along the edge that is, from 0 to 1.
        place: (N, 3) set to the point on both surfaces nearby, or to `at` if there is none.
    """
    corner, p, group = scratch.corner, scratch.p, scratch.group
    for n in range(start, stop):
        low, high, half = nodes[n, 0], nodes[n, 1], nodes[n, 2]
        take_half(quads, half >> 1, half & 1, corner)
        below = volume(points, corner[0], corner[1], corner[2], low)
        above = volume(points, corner[0], corner[1], corner[2], high)
        t = below / (below - above) if below != above else 0.5
        t = min(max(t, 0.0), 1.0)
        for i in range(3):
            at[n, i] = points[low, i] + t * (points[high, i] - points[low, i])
            place[n, i] = at[n, i]
        at[n, 3] = t
        count, x, y, z = 0, int(np.floor(at[n, 0] - 0.5)), int(np.floor(at[n, 1] - 0.5)), int(np.floor(at[n, 2] - 0.5))
        for m in range(2):
            quad = nodes[n, 2 + m] >> 1
            of = 0 if quad < first else 1
            count = add_primitive(scratch, count, codes[quad], signs[quad], of)
        if count < 2 or group[0] == group[1]:
            continue
        for m in range(2):
            for v in range(8):
                code = nearest_at(lookups[group[m]], z + (v >> 2), y + (v >> 1 & 1), x + (v & 1))
                count = add_primitive(scratch, count, code, scratch.signs[m], group[m])
        least, outside = off_surfaces(primitives, scratch, count, at[n])
        # Where both surfaces are met beyond an edge of the stock, the node belongs onto that edge. Where they are not
        # met at all, it belongs onto the surface that the result has there.
        for groups in (2, 3, 1):
            if groups != 2 and least < NEAR_ENOUGH:
                break
            if groups == 3 and outside < 0:
                continue
            if groups == 3:
                group[outside] = 2
            for i in range(3):
                p[i] = at[n, i]
            far = newton_iterate(
                primitives, rule, scratch.codes, scratch.signs, group, groups, count, scratch.values, p
            )
            step = 0.0
            for i in range(3):
                step += (p[i] - at[n, i]) * (p[i] - at[n, i])
            off, outside = off_surfaces(primitives, scratch, count, p)
            if (off < least or (groups == 1 and far < ON_SURFACE)) and step < LONGEST_SHIFT * LONGEST_SHIFT:
                least = off
                for i in range(3):
                    place[n, i] = p[i]
