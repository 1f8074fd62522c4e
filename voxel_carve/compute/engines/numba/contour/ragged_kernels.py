"""Kernels that find ragged places, and tell how ragged they are. See `contour.fairing`."""

import math

import numpy as np

from ....contour.fairing import CREASE, RAGGED, SHORTEST, SLIVER, STRAIGHT
from ....formulas.hermite import ROUNDING
from ....formulas.vertex_placement import SMOOTH
from ..compiler.decorators import NONE, inlined, kernel, subroutine
from .edge_snapping import outward
from .patches import CAP, PATH, STOCK, beyond, is_crease_of_path, part_of


@kernel
def mark_parts(start, stop, quads, codes, parts):  # type: ignore[no-untyped-def]
    """Set parts (3, V), false before, for the vertices of the stock, the paths and the caps."""
    for q in range(start, stop):
        part = part_of(codes[q])
        for k in range(4):
            parts[part, np.uint64(quads[q, k])] = True


@kernel
def find_suspects(start, stop, quads, kinds, parts, suspect):  # type: ignore[no-untyped-def]
    """Set suspect (Q,) for quads with a vertex that is not SMOOTH, or that lies on a border between parts (3, V)."""
    for q in range(start, stop):
        for k in range(4):
            v = np.uint64(quads[q, k])
            count = int(parts[STOCK, v]) + int(parts[PATH, v]) + int(parts[CAP, v])
            suspect[q] |= kinds[v] != SMOOTH or count > 1


@inlined
def half_normal(points, a, b, c):  # type: ignore[no-untyped-def]
    """Twice the area of a triangle, and its unit normal; 0 if it has no area."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(x * x + y * y + z * z)
    scale = length if length > ROUNDING else math.inf
    return length, x / scale, y / scale, z / scale


@subroutine
def ragged_area(primitives, points, code, sign, a, b, c, d):  # type: ignore[no-untyped-def]
    """The ragged area of a quad that is split from a to c, the lesser cosine of its halves and their primitive, and
    twice the lesser area of a half.

    A half that faces backward counts up to three times. Quads of caps have no primitive, and are never ragged.
    """
    area, worst, least = 0.0, 1.0, math.inf
    for half in range(2):
        v, w = (b, c) if half == 0 else (c, d)
        length, x, y, z = half_normal(points, a, v, w)
        least = min(least, length)
        if part_of(code) != CAP:
            nx, ny, nz = outward(
                primitives, code, sign,
                (points[a, 0] + points[v, 0] + points[w, 0]) / 3,
                (points[a, 1] + points[v, 1] + points[w, 1]) / 3,
                (points[a, 2] + points[v, 2] + points[w, 2]) / 3,
            )  # fmt: skip
            cosine = x * nx + y * ny + z * nz
            worst = min(worst, cosine)
            if cosine < RAGGED:
                area += length / 2 * (1.0 + 2.0 * max(0.0, -cosine))
    return area, worst, least


@kernel
def mark_ragged(start, stop, primitives, points, quads, which, labels, ragged):  # type: ignore[no-untyped-def]
    """Set ragged (V,) for the corners of ragged quads among those `which` (M,) names."""
    for n in range(start, stop):
        q = which[n]
        a, b, c, d = quads[q, 0], quads[q, 1], quads[q, 2], quads[q, 3]
        _, worst, _ = ragged_area(primitives, points, labels.codes[n], labels.signs[n], a, b, c, d)
        if worst < RAGGED:
            for k in range(4):
                ragged[quads[q, k]] = True


@kernel
def mark_turns(start, stop, primitives, points, patches, labels, ragged):  # type: ignore[no-untyped-def]
    """Set ragged (V,) for vertices at which the border turns sharply, though stock and sweep are smooth there."""
    for i in range(start, stop):
        v = patches.vertex[i]
        x, y, z = points[v, 0], points[v, 1], points[v, 2]
        sides, is_smooth, flat, swept = 0, True, NONE, NONE
        ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for e in range(patches.first[i], patches.first[i + 1]):
            quad = patches.corner[e] >> 2
            code = labels.codes[quad]
            there = patches.quads[quad, (patches.corner[e] + 1) & 3]
            other = beyond(patches, i, e, there)
            if part_of(code) == PATH:
                is_smooth = is_smooth and (swept == NONE or not is_crease_of_path(primitives, code, swept, x, y, z))
                swept = code
            elif part_of(code) == STOCK:
                a, b = primitives.normal[code], primitives.normal[code if flat == NONE else flat]
                is_smooth = is_smooth and a[0] * b[0] + a[1] * b[1] + a[2] * b[2] >= CREASE
                flat = code
            if other >= 0 and part_of(code) != part_of(labels.codes[other]):
                sides += 1
                ax, ay, az = bx, by, bz
                bx, by, bz = points[there, 0] - x, points[there, 1] - y, points[there, 2] - z
        if sides == 2 and is_smooth:
            scale = math.sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
            if -(ax * bx + ay * by + az * bz) < STRAIGHT * scale:
                ragged[v] = True


@inlined
def is_short(points, a, b):  # type: ignore[no-untyped-def]
    """Whether two vertices have come together."""
    x, y, z = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1], points[a, 2] - points[b, 2]
    return x * x + y * y + z * z < SHORTEST * SHORTEST


@kernel
def split_patches(start, stop, primitives, points, patches, which, labels, quads, area, collapsed):  # type: ignore[no-untyped-def]
    """Split those of the patches' M quads that `which` (W,) names along the better diagonal.

    Args:
        labels: of these quads.    quads: (W, 4) set to them.    area: (M,) set to their ragged areas.
        collapsed: (M,) whether they have shrunk to a point, as an island smaller than a voxel does.
    """
    for i in range(start, stop):
        n = which[i]
        a, b = np.uint64(patches.quads[n, 0]), np.uint64(patches.quads[n, 1])
        c, d = np.uint64(patches.quads[n, 2]), np.uint64(patches.quads[n, 3])
        own, worst, least = ragged_area(primitives, points, labels.codes[i], labels.signs[i], a, b, c, d)
        other, other_worst, other_least = ragged_area(primitives, points, labels.codes[i], labels.signs[i], b, c, d, a)
        turned = other_worst > worst + ROUNDING
        if worst >= RAGGED and other_worst >= RAGGED:
            turned = least < SLIVER and least < other_least
        area[n] = other if turned else own
        collapsed[n] = is_short(points, a, c) and is_short(points, b, d)
        for k in range(4):
            quads[i, k] = patches.quads[n, (k + 1) & 3 if turned else k]
