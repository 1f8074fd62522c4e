"""Moving a point onto the surfaces of the primitives in a cell, on Warp devices: the steps of `vertices`.

The order of operations is that of `numba_placing`, in float64. Warp has no arrays of a thread's own: what belongs to
one cell stands in vectors of fixed length. Points are (x, y, z) in voxels from the grid's origin.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from .hermite import ON_SURFACE, ROUNDING
from .vertices import (
    CORNER,
    FALLBACK,
    INSIDE_CELL,
    NOT_PARALLEL,
    ON_PLANE,
    PARTLY,
    SAME_SURFACE,
    SHARP,
    SLOTS,
    SMOOTH,
    STEPS,
    TRIES,
)
from .warp_hermite_kernels import primitive_functions


@dataclass(frozen=True)
class PlacingTypes:
    """Warp's types of what belongs to a cell.

    Attributes:
        Numbers: (SLOTS,) int32.    Turns: (SLOTS,) float64.    Normals: (SLOTS, 3) float64.
        Crossings: (12, 3) float64.    Corners: (8,) int32.
    """

    Numbers: Any
    Turns: Any
    Normals: Any
    Crossings: Any
    Corners: Any


@functools.cache
def placing_types() -> PlacingTypes:
    """Define them."""
    import warp as wp

    return PlacingTypes(
        wp.types.vector(SLOTS, wp.int32),
        wp.types.vector(SLOTS, wp.float64),
        wp.types.matrix((SLOTS, 3), wp.float64),
        wp.types.matrix((12, 3), wp.float64),
        wp.types.vector(8, wp.int32),
    )


def _group_functions() -> tuple[Any, Any, Any]:
    """The functions `group_value`, `find_normals` and `find_groups`: see `vertices`."""
    import warp as wp

    functions, types = primitive_functions(), placing_types()
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    Numbers, Turns, Normals = types.Numbers, types.Turns, types.Normals  # noqa: N806 - types
    plane_value, segment_value = functions.plane_value, functions.segment_value
    square_to_triangle, dot = functions.square_to_triangle, functions.dot
    zero, huge = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1e300))
    rounding, corner = wp.constant(wp.float64(ROUNDING)), wp.constant(wp.float64(CORNER))
    same_surface, not_parallel = wp.constant(wp.float64(SAME_SURFACE)), wp.constant(wp.float64(NOT_PARALLEL))

    @wp.func
    def plane_of(primitives: Primitives, k: wp.int32, turn: wp.float64, p: wp.vec3d) -> wp.vec4d:
        """Signed distance of a point from the plane of triangle k, and its gradient."""
        x, y, z = primitives.normal[k, 0], primitives.normal[k, 1], primitives.normal[k, 2]
        return wp.vec4d(turn * plane_value(primitives, k, p), turn * x, turn * y, turn * z)

    @wp.func
    def group_value(
        primitives: Primitives,
        rule: Rule,
        codes: Numbers,
        turns: Turns,
        group: Numbers,
        which: wp.int32,
        count: wp.int32,
        p: wp.vec3d,
    ) -> wp.vec4d:
        """Value of the surface that the members of group `which` make, positive outside, and its gradient; of all
        members where `which` is -1."""
        out = wp.vec4d()
        least = huge
        decided = wp.bool(False)
        closest = huge
        nearest = wp.int32(-1)
        alone = wp.int32(0)
        for m in range(count):
            if (which < 0 or group[m] == which) and codes[m] >= 0:
                alone += 1
                nearest = m
        for m in range(count):
            if which < 0 or group[m] == which:
                if codes[m] < 0:
                    found = segment_value(primitives, -1 - codes[m], p)
                    if found[0] < least:
                        least = found[0]
                        out = turns[m] * found
                        decided = wp.bool(True)
                elif alone > 1:
                    square = square_to_triangle(primitives, codes[m], p)
                    if square < closest - rounding:
                        closest = square
                        nearest = m
        if nearest >= 0:
            found = plane_of(primitives, codes[nearest], turns[nearest], p)
            if not decided or wp.where(rule.greatest, found[0] > out[0], found[0] < out[0]):
                out = found
        return out

    @wp.func
    def find_normals(
        primitives: Primitives, codes: Numbers, turns: Turns, count: wp.int32, p: wp.vec3d
    ) -> tuple[wp.float64, Normals]:
        """The greatest distance of a point from any of the members, and their normals there."""
        normals = Normals()
        most = zero
        for m in range(count):
            found = wp.vec4d()
            if codes[m] >= 0:
                found = plane_of(primitives, codes[m], turns[m], p)
            else:
                found = turns[m] * segment_value(primitives, -1 - codes[m], p)
            normals[m] = wp.vec3d(found[1], found[2], found[3])
            most = wp.max(most, wp.abs(found[0]))
        return most, normals

    @wp.func
    def find_groups(normals: Normals, count: wp.int32, most_groups: wp.int32) -> tuple[wp.int32, Numbers]:
        """How many surfaces the members make, and which of them, 0 to 2, each belongs to."""
        group = Numbers()
        a = wp.int32(0)
        b = wp.int32(0)
        c = wp.int32(0)
        for m in range(1, count):
            if dot(normals[0], normals[m]) < dot(normals[0], normals[b]) - rounding:
                b = m
        for m in range(1, count):
            if dot(normals[b], normals[m]) < dot(normals[b], normals[a]) - rounding:
                a = m
        cosine = dot(normals[a], normals[b])
        if cosine > same_surface or cosine < -not_parallel:
            return 1, group
        most = zero
        for m in range(count):
            volume = wp.abs(dot(normals[a], wp.cross(normals[b], normals[m])))
            if volume > most + rounding:
                most = volume
                c = m
        groups = wp.where(most > corner and most_groups > 2, 3, 2)
        for m in range(count):
            best = dot(normals[a], normals[m])
            if dot(normals[b], normals[m]) > best + rounding:
                best = dot(normals[b], normals[m])
                group[m] = 1
            if groups == 3 and dot(normals[c], normals[m]) > best + rounding:
                group[m] = 2
        return groups, group

    return group_value, find_normals, find_groups


def _step_functions(group_value: Any) -> tuple[Any, Any, Any]:
    """The functions `settle`, `clamp_to_cell` and `meet`: see `vertices`."""
    import warp as wp

    functions, types = primitive_functions(), placing_types()
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    Numbers, Turns, dot = types.Numbers, types.Turns, functions.dot  # noqa: N806 - types
    zero, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))
    huge, rounding = wp.constant(wp.float64(1e300)), wp.constant(wp.float64(ROUNDING))
    on_surface, inside_cell = wp.constant(wp.float64(ON_SURFACE)), wp.constant(wp.float64(INSIDE_CELL))
    steps, tries = wp.constant(STEPS), wp.constant(TRIES)

    @wp.func
    def gradient(value: wp.vec4d) -> wp.vec3d:
        return wp.vec3d(value[1], value[2], value[3])

    @wp.func
    def step_onto(first: wp.vec4d, second: wp.vec4d, third: wp.vec4d, groups: wp.int32, p: wp.vec3d) -> wp.vec3d:
        """A point moved by the least step onto the planes of one to three groups."""
        a = gradient(first)
        if groups == 1:
            return p - first[0] * a
        b = gradient(second)
        if groups == 2:
            cosine = dot(a, b)
            scale = one / wp.max(one - cosine * cosine, rounding)
            u = (first[0] - cosine * second[0]) * scale
            v = (second[0] - cosine * first[0]) * scale
            return p - (u * a + v * b)
        c = gradient(third)
        volume = dot(a, wp.cross(b, c))
        inverse = zero
        if wp.abs(volume) > rounding:
            inverse = one / volume
        return p - (first[0] * wp.cross(b, c) + second[0] * wp.cross(c, a) + third[0] * wp.cross(a, b)) * inverse

    @wp.func
    def settle(
        primitives: Primitives,
        rule: Rule,
        codes: Numbers,
        turns: Turns,
        group: Numbers,
        groups: wp.int32,
        count: wp.int32,
        start: wp.vec3d,
    ) -> tuple[wp.float64, wp.vec3d]:
        """A point moved by steps onto the surfaces of all groups; first how far the last of them was before its last
        step."""
        p = start
        most = huge
        for _ in range(steps):
            first = group_value(primitives, rule, codes, turns, group, wp.where(groups > 1, 0, -1), count, p)
            second = wp.vec4d()
            third = wp.vec4d()
            most = wp.abs(first[0])
            if groups > 1:
                second = group_value(primitives, rule, codes, turns, group, 1, count, p)
                most = wp.max(most, wp.abs(second[0]))
            if groups > 2:
                third = group_value(primitives, rule, codes, turns, group, 2, count, p)
                most = wp.max(most, wp.abs(third[0]))
            p = step_onto(first, second, third, groups, p)
            if most < on_surface:
                break
        return most, p

    @wp.func
    def clamp_to_cell(corner: wp.vec3d, p: wp.vec3d) -> tuple[wp.float64, wp.vec3d]:
        """A point moved into the cell at `corner`; first how far it was out of it along some axis."""
        out = zero
        inner = p
        for i in range(3):
            inner[i] = wp.min(wp.max(p[i], corner[i]), corner[i] + one)
            out = wp.max(out, wp.abs(inner[i] - p[i]))
        return out, inner

    @wp.func
    def meet(
        primitives: Primitives,
        rule: Rule,
        codes: Numbers,
        turns: Turns,
        group: Numbers,
        groups: wp.int32,
        count: wp.int32,
        corner: wp.vec3d,
        start: wp.vec3d,
    ) -> tuple[wp.bool, wp.vec3d]:
        """Whether the surfaces of all groups meet in the cell at `corner`, and where."""
        p = start
        for _ in range(tries):
            far, p = settle(primitives, rule, codes, turns, group, groups, count, p)
            out, p = clamp_to_cell(corner, p)
            if out <= inside_cell:
                return far < on_surface, p
        return False, p

    return settle, clamp_to_cell, meet


@functools.cache
def place_function() -> Any:
    """The function `place_vertex`: see `vertices.place`."""
    import warp as wp

    functions, types = primitive_functions(), placing_types()
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    Numbers, Turns, Crossings = types.Numbers, types.Turns, types.Crossings  # noqa: N806 - types
    group_value, find_normals, find_groups = _group_functions()
    settle, clamp_to_cell, meet = _step_functions(group_value)
    zero, huge = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1e300))
    rounding, on_plane = wp.constant(wp.float64(ROUNDING)), wp.constant(wp.float64(ON_PLANE))
    on_surface, inside_cell = wp.constant(wp.float64(ON_SURFACE)), wp.constant(wp.float64(INSIDE_CELL))
    tries = wp.constant(TRIES)
    smooth, sharp = wp.constant(SMOOTH), wp.constant(SHARP)
    partly, fallback = wp.constant(PARTLY), wp.constant(FALLBACK)

    @wp.func
    def land(
        primitives: Primitives,
        rule: Rule,
        codes: Numbers,
        turns: Turns,
        count: wp.int32,
        corner: wp.vec3d,
        crossings: Crossings,
        crossed: wp.int32,
        mean: wp.vec3d,
    ) -> wp.vec3d:
        """A point on the surface within the cell at `corner`: by steps from the mean, else the nearest of the crossings
        to it."""
        p = mean
        all_one = Numbers()
        for _ in range(tries):
            far, p = settle(primitives, rule, codes, turns, all_one, 1, count, p)
            out, p = clamp_to_cell(corner, p)
            if out <= inside_cell and far < on_surface:
                return p
        nearest = wp.int32(0)
        least = huge
        for n in range(crossed):
            square = zero
            for i in range(3):
                square += (crossings[n, i] - mean[i]) * (crossings[n, i] - mean[i])
            if square < least - rounding:
                nearest = n
                least = square
        return wp.vec3d(crossings[nearest, 0], crossings[nearest, 1], crossings[nearest, 2])

    @wp.func
    def place_vertex(
        primitives: Primitives,
        rule: Rule,
        codes: Numbers,
        turns: Turns,
        count: wp.int32,
        corner: wp.vec3d,
        crossings: Crossings,
        crossed: wp.int32,
        mean: wp.vec3d,
    ) -> tuple[wp.int32, wp.vec3d]:
        """SMOOTH, SHARP, PARTLY or FALLBACK, and the vertex of a patch, from the mean of its crossings."""
        off, normals = find_normals(primitives, codes, turns, count, mean)
        groups = wp.int32(1)
        group = Numbers()
        if count > 1:
            groups, group = find_groups(normals, count, 3)
        if groups == 1 and off < on_plane:
            return smooth, mean
        found = groups
        while groups > 1:
            met, p = meet(primitives, rule, codes, turns, group, groups, count, corner, mean)
            if met:
                return wp.where(groups == found, sharp, partly), p
            groups -= 1
            if groups == 2:
                _, group = find_groups(normals, count, 2)
        landed = land(primitives, rule, codes, turns, count, corner, crossings, crossed, mean)
        return wp.where(found > 1, fallback, smooth), landed

    return place_vertex
