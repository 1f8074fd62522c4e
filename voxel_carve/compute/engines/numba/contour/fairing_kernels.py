"""Kernels that move the vertices of patches. See `contour.fairing`."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contour.fairing import BESIDE, LONGEST_STEP, LONGEST_WAY, OFF_SURFACE, SETTLED
from ....contour.sharp_edges import SEARCH_WIDTH
from ....formulas import newton, swept_body, triangle
from ....formulas.hermite import ON_SURFACE, ROUNDING
from ....formulas.newton import SAME_SURFACE, STEPS
from ....model.bricks import BRICK_SIZE, LOWEST
from ..compiler.decorators import NONE, force_inlined, inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE
from .occlusion import nearest_at
from .overlaps import Array, Numbers
from .patches import CAP, STOCK, beyond, is_crease, part_of

find_normals, newton_iterate = DOUBLE(newton.find_normals), DOUBLE(newton.newton_iterate)
surface_value = DOUBLE(newton.surface_value)
segment_value, plane_value = DOUBLE(swept_body.value), DOUBLE(triangle.plane_value)
triangle_square = DOUBLE(triangle.squared_distance)

MOST_MEMBERS = 32
MOST_CANDIDATES = 64


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


@kernel
def put_points(start, stop, moved, vertex, points):  # type: ignore[no-untyped-def]
    """Set the vertices (N,) of points (V, 3) to where they moved (N, 3)."""
    for i in range(start, stop):
        for axis in range(3):
            points[vertex[i], axis] = moved[i, axis]


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


@subroutine
def between_bodies(bodies, codes, count):  # type: ignore[no-untyped-def]
    """Whether the first `count` of some primitives are triangles of two bodies at least."""
    first, found = -1, False
    for m in range(count):
        if part_of(codes[m]) == STOCK:
            first = bodies[codes[m]] if first < 0 else first
            found = found or bodies[codes[m]] != first
    return found


@kernel
def relabel(start, stop, primitives, bodies, rule, points, patches, old, new, stale, scratch):  # type: ignore[no-untyped-def]
    """Give each quad the primitive that the surface follows at its centre, of those around it.

    A quad of a cap joins the stock only if all of its corners lie on the stock, or three between two bodies: where a
    gap is thin.
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
        if part_of(code) == CAP and at_stock == 3 and not between_bodies(bodies, scratch.codes, count):
            count = 0
        if count > 0 and (part_of(code) != CAP or at_stock >= 3):
            corner = patches.quads[n]
            x, y, z = (
                (points[corner[0], 0] + points[corner[1], 0] + points[corner[2], 0] + points[corner[3], 0]) / 4,
                (points[corner[0], 1] + points[corner[1], 1] + points[corner[2], 1] + points[corner[3], 1]) / 4,
                (points[corner[0], 2] + points[corner[1], 2] + points[corner[2], 2] + points[corner[3], 2]) / 4,
            )
            best = leading(primitives, bodies, rule, scratch, count, x, y, z)
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
def leading(primitives, bodies, rule, scratch, count, x, y, z):  # type: ignore[no-untyped-def]
    """The primitive, of the first `count` in `scratch`, that the field's distance at a point belongs to.

    Beyond the rim of a body, its plane goes on up to the next body.
    """
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
    if stock >= 0 and square > BESIDE * BESIDE:
        next_body, next_square = -1, math.inf
        for m in range(count):
            if scratch.codes[m] >= 0 and bodies[scratch.codes[m]] != bodies[scratch.codes[stock]]:
                far = triangle_square(primitives, scratch.codes[m], x, y, z)
                if far < next_square - ROUNDING:
                    next_body, next_square = m, far
        if next_body >= 0:
            height = abs(plane_value(primitives, scratch.codes[stock], x, y, z))
            if abs(plane_value(primitives, scratch.codes[next_body], x, y, z)) < height - ROUNDING:
                stock, square = next_body, next_square
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
def group_members(primitives, bodies, scratch, count, x, y, z):  # type: ignore[no-untyped-def]
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
                if other_stock < 0 and is_crease(primitives, bodies, codes[m], codes[n], x, y, z):
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
def find_middle(primitives, bodies, points, patches, labels, i, middle):  # type: ignore[no-untyped-def]
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
                    counts = other >= 0 and is_crease(
                        primitives, bodies, labels.codes[quad], labels.codes[other], x, y, z
                    )
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
def fair(  # type: ignore[no-untyped-def]
    start, stop, primitives, bodies, rule, points, patches, labels, home, stale, moved, surfaces, restless, scratch
):
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
        creases = find_middle(primitives, bodies, points, patches, labels, i, middle)
        for axis in range(3):
            moved[i, axis] = middle[axis]
        find_normals(primitives, scratch.codes, scratch.signs, count, middle, scratch.normals)
        groups = group_members(primitives, bodies, scratch, count, middle[0], middle[1], middle[2])
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
def settle(start, stop, primitives, bodies, rule, lookup, patches, labels, home, moved, off, scratch):  # type: ignore[no-untyped-def]
    """Move points (N, 3) onto the surface of all primitives around them, if off (N,), and unset it where that succeeds.

    Points of caps stay. It has not failed where the point is no farther from the surface than `home` (N, 3).
    """
    for i in range(start, stop):
        if not off[i]:
            continue
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
            code = scratch.codes[leading(primitives, bodies, rule, scratch, count, p[0], p[1], p[2])]
            value, nx, ny, nz = surface_value(primitives, code, p[0], p[1], p[2])
            if abs(value) < ON_SURFACE:
                break
            p[0], p[1], p[2] = p[0] - value * nx, p[1] - value * ny, p[2] - value * nz
        off[i] = abs(value) > OFF_SURFACE
        if off[i]:
            x, y, z = home[i, 0], home[i, 1], home[i, 2]
            code = scratch.codes[leading(primitives, bodies, rule, scratch, count, x, y, z)]
            before, _, _, _ = surface_value(primitives, code, x, y, z)
            off[i] = abs(value) > abs(before)
