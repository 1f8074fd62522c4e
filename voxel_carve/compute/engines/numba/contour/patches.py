"""Patches of a mesh that are faired, and the creases in them. See `contour.fairing`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.fairing import CREASE
from ....formulas import swept_body
from ....formulas.newton import SAME_SURFACE
from ....model.bricks import LOWEST
from ..compiler.decorators import NONE, force_inlined, inlined
from ..compiler.formulas import DOUBLE
from .overlaps import Array, Numbers

segment_value = DOUBLE(swept_body.value)

STOCK, PATH, CAP = 0, 1, 2  # what a quad is a part of


class Patches(NamedTuple):
    """The vertices to be faired, and the quads around them.

    Attributes:
        vertex: (N,) ascending.    place: (V,) of each vertex of the mesh among these, -1 for none.
        first, corner: the corners of quads at each vertex: see `LocalQuads.at`.
        quads: (M, 4) their vertices in the mesh.
    """

    vertex: Numbers
    place: Numbers
    first: npt.NDArray[np.int64]
    corner: Numbers
    quads: Numbers


class Labels(NamedTuple):
    """Which primitive each of M quads belongs to, and 1 where its gradient points out of the mesh, else -1."""

    codes: Numbers
    signs: Array


@inlined
def part_of(code):  # type: ignore[no-untyped-def]
    """STOCK, PATH or CAP."""
    return CAP if code == NONE or code == LOWEST else (STOCK if code >= 0 else PATH)  # noqa: SIM109


@inlined
def is_crease_of_path(primitives, one, other, x, y, z):  # type: ignore[no-untyped-def]
    """Whether two segments meet at a crease."""
    _, ax, ay, az = segment_value(primitives.segments, -1 - one, x, y, z)
    _, bx, by, bz = segment_value(primitives.segments, -1 - other, x, y, z)
    return ax * bx + ay * by + az * bz < SAME_SURFACE


@force_inlined
def is_crease(primitives, bodies, one, other, x, y, z):  # type: ignore[no-untyped-def]
    """Whether a side between two quads, given by their primitives and its middle, is a crease.

    bodies: (T,) see `bodies_of`.
    """
    part = part_of(one)
    crease = part != part_of(other)
    if not crease and one != other and part == PATH:
        crease = is_crease_of_path(primitives, one, other, x, y, z)
    elif not crease and one != other and part == STOCK:
        a, b = primitives.normal[one], primitives.normal[other]
        if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < CREASE:
            crease = bodies[one] != bodies[other]
            for i in range(3):
                for j in range(3):
                    crease = crease or primitives.triangles[one, i] == primitives.triangles[other, j]
    return crease


@force_inlined
def beyond(patches, i, e, there):  # type: ignore[no-untyped-def]
    """The quad on the other side of the side from vertex i to `there`, seen from its corner e; -1 if there is none."""
    found = -1
    for other in range(patches.first[i], patches.first[i + 1]):
        quad = patches.corner[other] >> 2
        if other != e and patches.quads[quad, (patches.corner[other] + 3) & 3] == there:
            found = quad
    return found
