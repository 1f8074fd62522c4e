"""Kernels for fairing. See `contour.fairing`."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.fairing import (
    CREASE,
    LONGEST_STEP,
    LONGEST_WAY,
    OFF_SURFACE,
    RAGGED,
    SETTLED,
    SHORTEST,
    SLIVER,
    STRAIGHT,
)
from ....contour.sharp_edges import SEARCH_WIDTH
from ....formulas import newton, swept_body, triangle
from ....formulas.hermite import ON_SURFACE, ROUNDING
from ....formulas.newton import SAME_SURFACE, STEPS
from ....formulas.vertex_placement import SMOOTH
from ....model.bricks import BRICK_SIZE, LOWEST
from ..compiler.decorators import NONE, force_inlined, inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE
from .edge_snapping import outward
from .occlusion import nearest_at
from .overlaps import Array, Numbers

find_normals, newton_iterate = DOUBLE(newton.find_normals), DOUBLE(newton.newton_iterate)
surface_value = DOUBLE(newton.surface_value)
segment_value, plane_value = DOUBLE(swept_body.value), DOUBLE(triangle.plane_value)
triangle_square = DOUBLE(triangle.squared_distance)

STOCK, PATH, CAP = 0, 1, 2  # what a quad is a part of
MOST_MEMBERS = 32
MOST_CANDIDATES = 64


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


class FairScratch(NamedTuple):
    """Scratch buffers for one vertex, or for one quad.

    Attributes:
        codes, signs: the primitives around it.    group: the surface of each.    normals: outward normal of each.
        middle, p: (3,) where a step begins and ends.    values: (3, 4), see `newton`.
        first: (3,) int64, the first of the voxels around a point.
    """

    codes: Numbers
    signs: Array
    group: npt.NDArray[np.int64]
    normals: Array
    middle: Array
    p: Array
    values: Array
    first: npt.NDArray[np.int64]

    @classmethod
    def of(cls) -> "FairScratch":
        """Buffers for any vertex or quad."""
        most = MOST_CANDIDATES
        return cls(
            np.empty(most, np.int32), np.empty(most), np.empty(most, np.int64), np.empty((most, 3)), np.empty(3),
            np.empty(3), np.empty((3, 4)), np.empty(3, np.int64),
        )  # fmt: skip


@inlined
def part_of(code):  # type: ignore[no-untyped-def]
    """STOCK, PATH or CAP."""
    return CAP if code == NONE or code == LOWEST else (STOCK if code >= 0 else PATH)  # noqa: SIM109


@kernel
def mark_parts(start, stop, quads, codes, parts):  # type: ignore[no-untyped-def]
    """Set parts (3, V), false before, for the vertices of the stock, the paths and the caps."""
    for q in range(start, stop):
        part = part_of(codes[q])
        for k in range(4):
            parts[part, quads[q, k]] = True


@kernel
def find_suspects(start, stop, quads, kinds, parts, suspect):  # type: ignore[no-untyped-def]
    """Set suspect (Q,) for quads with a vertex that is not SMOOTH, or that lies on a border between parts (3, V)."""
    for q in range(start, stop):
        for k in range(4):
            v = quads[q, k]
            count = int(parts[STOCK, v]) + int(parts[PATH, v]) + int(parts[CAP, v])
            suspect[q] |= kinds[v] != SMOOTH or count > 1


@kernel
def spread(start, stop, quads, chosen, reached):  # type: ignore[no-untyped-def]
    """Set reached (V,) for all corners of quads with a corner that is chosen (V,)."""
    for q in range(start, stop):
        if chosen[quads[q, 0]] or chosen[quads[q, 1]] or chosen[quads[q, 2]] or chosen[quads[q, 3]]:
            for k in range(4):
                reached[quads[q, k]] = True


@kernel
def find_touching(start, stop, quads, chosen, touching):  # type: ignore[no-untyped-def]
    """Set touching (Q,) for quads with a corner that is chosen (V,)."""
    for q in range(start, stop):
        touching[q] = chosen[quads[q, 0]] or chosen[quads[q, 1]] or chosen[quads[q, 2]] or chosen[quads[q, 3]]


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


@force_inlined
def is_crease(primitives, one, other, x, y, z):  # type: ignore[no-untyped-def]
    """Whether a side between two quads, given by their primitives and its middle, is a crease."""
    part = part_of(one)
    crease = part != part_of(other)
    if not crease and one != other and part == PATH:
        _, ax, ay, az = segment_value(primitives.segments, -1 - one, x, y, z)
        _, bx, by, bz = segment_value(primitives.segments, -1 - other, x, y, z)
        crease = ax * bx + ay * by + az * bz < SAME_SURFACE
    elif not crease and one != other and part == STOCK:
        a, b = primitives.normal[one], primitives.normal[other]
        if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < CREASE:
            common = 0
            for i in range(3):
                for j in range(3):
                    common += primitives.triangles[one, i] == primitives.triangles[other, j]
            crease = common > 0
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
                is_smooth = is_smooth and (swept == NONE or not is_crease(primitives, code, swept, x, y, z))
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


@kernel
def smooth(start, stop, points, patches, moved):  # type: ignore[no-untyped-def]
    """Set moved (N, 3) to the mean of the neighbours of each vertex."""
    for i in range(start, stop):
        count = patches.first[i + 1] - patches.first[i]
        for axis in range(3):
            total = 0.0
            for e in range(patches.first[i], patches.first[i + 1]):
                total += points[patches.quads[patches.corner[e] >> 2, (patches.corner[e] + 1) & 3], axis]
            moved[i, axis] = total / count


@inlined
def join(codes, signs, count, code, sign, most):  # type: ignore[no-untyped-def]
    """Add a primitive to the first `count`, unless it is among them or there are too many. Return their number."""
    is_new = count < most and code != NONE and code != LOWEST
    for m in range(count):
        is_new = is_new and codes[m] != code
    if is_new:
        codes[count], signs[count] = code, sign
        count += 1
    return count


@kernel
def relabel(start, stop, primitives, rule, points, patches, old, new, stale, scratch):  # type: ignore[no-untyped-def]
    """Give each quad the primitive that the surface follows at its centre, of those around it.

    A quad of a cap joins the stock only if all of its corners lie on the stock: where a gap is thinner than a voxel.
    stale (V,) is set for the corners of quads that change.
    """
    for n in range(start, stop):
        code, sign = old.codes[n], old.signs[n]
        count, at_stock, is_stale = 0, 0, False
        for k in range(4):
            is_stale = is_stale or stale[patches.quads[n, k]]
        for k in range(4 if is_stale else 0):
            i = patches.place[patches.quads[n, k]]
            if i >= 0:
                touches = False
                for e in range(patches.first[i], patches.first[i + 1]):
                    quad = patches.corner[e] >> 2
                    touches = touches or part_of(old.codes[quad]) != CAP
                    count = join(scratch.codes, scratch.signs, count, old.codes[quad], old.signs[quad], MOST_CANDIDATES)
                at_stock += touches
        if count > 0 and (part_of(code) != CAP or at_stock == 4):
            corner = patches.quads[n]
            x, y, z = (
                (points[corner[0], 0] + points[corner[1], 0] + points[corner[2], 0] + points[corner[3], 0]) / 4,
                (points[corner[0], 1] + points[corner[1], 1] + points[corner[2], 1] + points[corner[3], 1]) / 4,
                (points[corner[0], 2] + points[corner[1], 2] + points[corner[2], 2] + points[corner[3], 2]) / 4,
            )
            best = leading(primitives, rule, scratch, count, x, y, z)
            if part_of(code) != CAP or scratch.codes[best] >= 0:
                code, sign = scratch.codes[best], scratch.signs[best]
        if code != old.codes[n]:
            for k in range(4):
                stale[patches.quads[n, k]] = True
        new.codes[n], new.signs[n] = code, sign


@kernel
def outvote(start, stop, patches, old, new):  # type: ignore[no-untyped-def]
    """Give each quad that is foreign to three of its neighbours the primitive of one of them. See `part_of`."""
    for n in range(start, stop):
        foreign, winner = 0, n
        for k in range(4):
            i, there = patches.place[patches.quads[n, k]], patches.quads[n, (k + 1) & 3]
            if i >= 0:
                for e in range(patches.first[i], patches.first[i + 1]):
                    if patches.corner[e] == 4 * n + k:
                        other = beyond(patches, i, e, there)
                        if other >= 0 and part_of(old.codes[other]) != part_of(old.codes[n]):
                            foreign, winner = foreign + 1, other
        if foreign < 3 or part_of(old.codes[n]) == CAP or part_of(old.codes[winner]) == CAP:
            winner = n
        new.codes[n], new.signs[n] = old.codes[winner], old.signs[winner]


@subroutine
def leading(primitives, rule, scratch, count, x, y, z):  # type: ignore[no-untyped-def]
    """The primitive, of the first `count` in `scratch`, that the field's distance at a point belongs to."""
    stock, path, square, deepest = -1, -1, math.inf, math.inf
    for m in range(count):
        if scratch.codes[m] >= 0:
            far = triangle_square(primitives, scratch.codes[m], x, y, z)
            if far < square - ROUNDING:
                stock, square = m, far
        else:
            value, _, _, _ = segment_value(primitives.segments, -1 - scratch.codes[m], x, y, z)
            if value < deepest - ROUNDING:
                path, deepest = m, value
    if stock >= 0 and path >= 0:
        own = math.sqrt(square)
        own = own if scratch.signs[stock] * plane_value(primitives, scratch.codes[stock], x, y, z) >= 0.0 else -own
        swept = scratch.signs[path] * deepest
        return stock if (own >= swept if rule.greatest else own <= swept) else path
    return max(stock, path)


@force_inlined
def dot_normals(normals, m, n):  # type: ignore[no-untyped-def]
    """The scalar product of two normals."""
    return normals[m, 0] * normals[n, 0] + normals[m, 1] * normals[n, 1] + normals[m, 2] * normals[n, 2]


@subroutine
def group_members(primitives, scratch, count, x, y, z):  # type: ignore[no-untyped-def]
    """Set the surface of each member, and return the number of surfaces: at most two of the stock, or of the sweep."""
    codes, normals = scratch.codes, scratch.normals
    stock, other_stock, path, other_path, least = -1, -1, -1, -1, SAME_SURFACE
    for m in range(count):
        if codes[m] >= 0 and stock < 0:
            stock = m
        elif codes[m] < 0 and path < 0:
            path = m
    for m in range(count):
        for n in range(m + 1, count):
            if codes[m] >= 0 and codes[n] >= 0:
                if other_stock < 0 and is_crease(primitives, codes[m], codes[n], x, y, z):
                    stock, other_stock = m, n
            elif codes[m] < 0 and codes[n] < 0:
                cosine = dot_normals(normals, m, n)
                if cosine < least - ROUNDING:
                    path, other_path, least = m, n, cosine
    if other_stock >= 0:
        other_path = -1
    of_stock = 0 if stock < 0 else (1 if other_stock < 0 else 2)
    for m in range(count):
        one, other, base = (stock, other_stock, 0) if codes[m] >= 0 else (path, other_path, of_stock)
        is_other = other >= 0 and dot_normals(normals, m, other) > dot_normals(normals, m, one)
        scratch.group[m] = base + (1 if is_other else 0)
    return of_stock + (0 if path < 0 else (1 if other_path < 0 else 2))


@force_inlined
def find_middle(primitives, points, patches, labels, i, middle):  # type: ignore[no-untyped-def]
    """Set middle (3,) half way to the mean of the neighbours, along creases if there are two. Return their number."""
    v, creases = patches.vertex[i], 0
    middle[0], middle[1], middle[2] = 0.0, 0.0, 0.0
    for only_creases in (True, False):
        if only_creases or creases < 2:
            middle[0], middle[1], middle[2] = 0.0, 0.0, 0.0
            count = 0
            for e in range(patches.first[i], patches.first[i + 1]):
                quad = patches.corner[e] >> 2
                there = patches.quads[quad, (patches.corner[e] + 1) & 3]
                counts = not only_creases
                if only_creases:
                    other = beyond(patches, i, e, there)
                    x, y = (points[v, 0] + points[there, 0]) / 2, (points[v, 1] + points[there, 1]) / 2
                    z = (points[v, 2] + points[there, 2]) / 2
                    counts = other >= 0 and is_crease(primitives, labels.codes[quad], labels.codes[other], x, y, z)
                if counts:
                    count += 1
                    for axis in range(3):
                        middle[axis] += points[there, axis]
            if only_creases:
                creases = count
            if count > 0:
                for axis in range(3):
                    middle[axis] = (middle[axis] / count + points[v, axis]) / 2
    return creases


@kernel
def fair(start, stop, primitives, rule, points, patches, labels, home, stale, moved, surfaces, restless, scratch):  # type: ignore[no-untyped-def]
    """Do one fairing.

    Args:
        home: (N, 3) where the vertices were.    stale: (V,) those that moved last time.
        moved: (N, 3) set to their new places.    surfaces: (N,) set to the number of surfaces that they lie on.
        restless: (N,) set for those that move.
    """
    for i in range(start, stop):
        v = patches.vertex[i]
        is_stale, count = stale[v], 0
        for e in range(patches.first[i], patches.first[i + 1]):
            quad = patches.corner[e] >> 2
            is_stale = is_stale or stale[patches.quads[quad, (patches.corner[e] + 1) & 3]]
            count = join(scratch.codes, scratch.signs, count, labels.codes[quad], labels.signs[quad], MOST_MEMBERS)
        for axis in range(3):
            moved[i, axis] = points[v, axis]
        restless[i] = False
        if not is_stale:
            continue
        middle, p = scratch.middle, scratch.p
        creases = find_middle(primitives, points, patches, labels, i, middle)
        for axis in range(3):
            moved[i, axis] = middle[axis]
        find_normals(primitives, scratch.codes, scratch.signs, count, middle, scratch.normals)
        groups = group_members(primitives, scratch, count, middle[0], middle[1], middle[2])
        surfaces[i] = 0
        # Only where three creases end is a corner: else several vertices would go there.
        for wanted in range(min(groups, max(creases, 1)), 0, -1):
            if wanted == 2 and groups == 3:
                for m in range(count):
                    scratch.group[m] = 0 if scratch.codes[m] >= 0 else 1
            p[0], p[1], p[2] = middle[0], middle[1], middle[2]
            far = newton_iterate(
                primitives, rule, scratch.codes, scratch.signs, scratch.group, wanted, count, scratch.values, p
            )
            step, way = 0.0, 0.0
            for axis in range(3):
                step += (p[axis] - middle[axis]) * (p[axis] - middle[axis])
                way += (p[axis] - home[i, axis]) * (p[axis] - home[i, axis])
            if far < ON_SURFACE and step < LONGEST_STEP * LONGEST_STEP and way < LONGEST_WAY * LONGEST_WAY:
                surfaces[i] = wanted
                for axis in range(3):
                    moved[i, axis] = p[axis]
                break
        for axis in range(3):
            restless[i] |= abs(moved[i, axis] - points[v, axis]) > SETTLED


@kernel
def settle(start, stop, primitives, rule, lookup, patches, labels, home, moved, off, scratch):  # type: ignore[no-untyped-def]
    """Move points (N, 3) onto the surface of all primitives around them, and set off (N,) where that fails.

    Points of caps stay. It has not failed where the point is no farther from the surface than `home` (N, 3).
    """
    for i in range(start, stop):
        p, count, flat, at_cap = moved[i], 0, 1.0, False
        for e in range(patches.first[i], patches.first[i + 1]):
            quad = patches.corner[e] >> 2
            count = join(scratch.codes, scratch.signs, count, labels.codes[quad], labels.signs[quad], MOST_MEMBERS)
            at_cap = at_cap or part_of(labels.codes[quad]) == CAP
            if part_of(labels.codes[quad]) == STOCK:
                flat = labels.signs[quad]
        first, shape = scratch.first, lookup.places.shape
        for axis in range(3):
            far = BRICK_SIZE * (shape[2 - axis] - 1) - SEARCH_WIDTH
            first[axis] = min(max(int(np.floor(p[axis] - 0.5)) - 1, -BRICK_SIZE), far)
        for n in range(0 if at_cap else SEARCH_WIDTH**3):
            code = nearest_at(
                lookup, first[2] + n // SEARCH_WIDTH**2, first[1] + n // SEARCH_WIDTH % SEARCH_WIDTH,
                first[0] + n % SEARCH_WIDTH,
            )  # fmt: skip
            sign = flat if code >= 0 else (-1.0 if rule.carves else 1.0)
            count = join(scratch.codes, scratch.signs, count, code, sign, MOST_CANDIDATES)
        value = 0.0
        for _ in range(0 if at_cap or count == 0 else STEPS):
            code = scratch.codes[leading(primitives, rule, scratch, count, p[0], p[1], p[2])]
            value, nx, ny, nz = surface_value(primitives, code, p[0], p[1], p[2])
            if abs(value) < ON_SURFACE:
                break
            p[0], p[1], p[2] = p[0] - value * nx, p[1] - value * ny, p[2] - value * nz
        off[i] = abs(value) > OFF_SURFACE
        if off[i]:
            x, y, z = home[i, 0], home[i, 1], home[i, 2]
            code = scratch.codes[leading(primitives, rule, scratch, count, x, y, z)]
            before, _, _, _ = surface_value(primitives, code, x, y, z)
            off[i] = abs(value) > abs(before)


@inlined
def is_short(points, a, b):  # type: ignore[no-untyped-def]
    """Whether two vertices have come together."""
    x, y, z = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1], points[a, 2] - points[b, 2]
    return x * x + y * y + z * z < SHORTEST * SHORTEST


@kernel
def split_patches(start, stop, primitives, points, patches, labels, quads, area, collapsed):  # type: ignore[no-untyped-def]
    """Set quads (M, 4) to the patches' quads, split along the better diagonal, and area (M,) to their ragged areas.

    collapsed (M,) is set for quads that have shrunk to a point, as an island smaller than a voxel does.
    """
    for n in range(start, stop):
        a, b, c, d = patches.quads[n, 0], patches.quads[n, 1], patches.quads[n, 2], patches.quads[n, 3]
        own, worst, least = ragged_area(primitives, points, labels.codes[n], labels.signs[n], a, b, c, d)
        other, other_worst, other_least = ragged_area(primitives, points, labels.codes[n], labels.signs[n], b, c, d, a)
        turned = other_worst > worst + ROUNDING
        if worst >= RAGGED and other_worst >= RAGGED:
            turned = least < SLIVER and least < other_least
        area[n] = other if turned else own
        collapsed[n] = is_short(points, a, c) and is_short(points, b, d)
        for k in range(4):
            quads[n, k] = patches.quads[n, (k + 1) & 3 if turned else k]
