"""Where the surface crosses the edges of cells, and whose surface it is there, on Warp devices: see `hermite`.

The steps, and the order of operations, are those of `numba_hermite`, in float64.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from .bricks import NO_PRIMITIVE
from .formulas import round_cone, triangle
from .hermite import CROSSING_STEPS, LOWEST, ON_SURFACE, ROUNDING, ROUNDING_32
from .warp_cells import place_functions, surface_structs
from .warp_formulas import double, primitives_struct
from .warp_functions import MODULE_OPTIONS


@dataclass(frozen=True)
class PrimitiveFunctions:
    """Structs and Warp functions of exact primitives; points are (x, y, z) in voxels from the grid's origin.

    Attributes:
        Primitives: struct, see `formulas.words.Primitives`.
        Rule: struct, see `hermite.Rule`.
        dot: of two vectors, added up in the order of their axes.
        plane_value: (Primitives, k, point) to the signed distance from the plane of triangle k.
        segment_value: (Primitives, j, point) to the signed distance from segment j, and its gradient, 0 on the axis.
        square_to_triangle: (Primitives, k, point) to the square of the distance from triangle k.
    """

    Primitives: Any
    Rule: Any
    dot: Any
    plane_value: Any
    segment_value: Any
    square_to_triangle: Any


@dataclass(frozen=True)
class HermiteKernels:
    """The kernels of one Warp module, launched in blocks of 256 threads."""

    cross_edges: Any


@functools.cache
def primitive_functions() -> PrimitiveFunctions:
    """Define them."""
    import warp as wp

    Primitives = primitives_struct()  # noqa: N806 - a struct

    @wp.struct
    class Rule:
        carves: wp.bool
        greatest: wp.bool

    @wp.func
    def dot(a: wp.vec3d, b: wp.vec3d) -> wp.float64:
        return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]

    read = double()
    plane_of, cone_of, square_of = read(triangle.plane_value), read(round_cone.value), read(triangle.square_to)

    @wp.func
    def plane_value(primitives: Primitives, k: wp.int32, p: wp.vec3d) -> wp.float64:
        return plane_of(primitives, k, p[0], p[1], p[2])

    @wp.func
    def segment_value(primitives: Primitives, j: wp.int32, p: wp.vec3d) -> wp.vec4d:
        value, x, y, z = cone_of(primitives.segments, j, p[0], p[1], p[2])
        return wp.vec4d(value, x, y, z)

    @wp.func
    def square_to_triangle(primitives: Primitives, k: wp.int32, p: wp.vec3d) -> wp.float64:
        return square_of(primitives, k, p[0], p[1], p[2])

    return PrimitiveFunctions(Primitives, Rule, dot, plane_value, segment_value, square_to_triangle)


@functools.cache
def hermite_kernels() -> HermiteKernels:
    """Define the kernels."""
    return HermiteKernels(_cross_kernel(_edge_function()))


def _edge_function() -> Any:
    """The function `cross_edge`: (Primitives, Rule, distances and codes of both ends, the first end, axis) to where the
    surface crosses the edge of length 1 from a point along an axis, and whose surface it is: see `hermite`."""
    import warp as wp

    functions = primitive_functions()
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    plane_value, segment_value = functions.plane_value, functions.segment_value
    square_to_triangle = functions.square_to_triangle
    zero, one, two = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0)), wp.constant(wp.float64(2.0))
    nowhere = wp.constant(wp.float64(-1.0))
    rounding, rounding_32 = wp.constant(wp.float64(ROUNDING)), wp.constant(wp.float64(ROUNDING_32))
    on_surface = wp.constant(wp.float64(ON_SURFACE))
    steps = wp.constant(CROSSING_STEPS)
    none, lowest = wp.constant(NO_PRIMITIVE), wp.constant(LOWEST)

    @wp.func
    def along_axis(p: wp.vec3d, axis: wp.int32, t: wp.float64) -> wp.vec3d:
        moved = p
        moved[axis] = moved[axis] + t
        return moved

    @wp.func
    def plane_crossing(primitives: Primitives, k: wp.int32, p: wp.vec3d, axis: wp.int32) -> wp.float64:
        """Where the edge meets the plane of triangle k; -1 where it does not."""
        steepness = primitives.normal[k, axis]
        if wp.abs(steepness) < rounding:
            return nowhere
        t = -plane_value(primitives, k, p) / steepness
        if t < -rounding_32 or t > one + rounding_32:
            return nowhere
        return wp.min(wp.max(t, zero), one)

    @wp.func
    def segment_crossing(
        primitives: Primitives, j: wp.int32, p: wp.vec3d, axis: wp.int32, first_is_low: wp.bool, guess: wp.float64
    ) -> wp.float64:
        """Where the edge passes through the surface of segment j; -1 where both its ends lie on one side.

        `first_is_low`: the first end is the one nearer to the axis of the segment. `guess` is where to begin, or less
        than 0 where nothing is known.
        """
        low = zero
        high = one
        turn = wp.where(first_is_low, one, -one)
        t = guess
        if guess < zero:
            first = turn * segment_value(primitives, j, p)[0]
            last = turn * segment_value(primitives, j, along_axis(p, axis, one))[0]
            if first > rounding_32 or last < -rounding_32:
                return nowhere
            t = -first / wp.max(last - first, rounding)
        t = wp.min(wp.max(t, zero), one)
        for _ in range(steps):
            found = segment_value(primitives, j, along_axis(p, axis, t))
            value = turn * found[0]
            if value > zero:
                high = t
            else:
                low = t
            steepness = turn * found[axis + 1]
            step = nowhere
            if steepness > rounding:
                step = t - value / steepness
            if wp.abs(value) < on_surface:
                return wp.where(steepness > rounding, wp.min(wp.max(step, zero), one), t)
            t = wp.where(low < step and step < high, step, (low + high) / two)
        return t

    @wp.func
    def crossing_of(
        primitives: Primitives,
        code: wp.int32,
        p: wp.vec3d,
        axis: wp.int32,
        first_is_low: wp.bool,
        guess: wp.float64,
    ) -> wp.float64:
        """Where the edge meets the primitive of a code; -1 where it does not."""
        if code == none or code == lowest:  # noqa: SIM109
            return nowhere
        if code >= 0:
            return plane_crossing(primitives, code, p, axis)
        return segment_crossing(primitives, -1 - code, p, axis, first_is_low, guess)

    @wp.func
    def cross_edge(
        primitives: Primitives,
        rule: Rule,
        first: wp.float32,
        last: wp.float32,
        first_code: wp.int32,
        last_code: wp.int32,
        p: wp.vec3d,
        axis: wp.int32,
    ) -> tuple[wp.float64, wp.int32]:
        first_inside = first <= 0.0
        inner = wp.where(first_inside, first_code, last_code)
        outer = wp.where(first_inside, last_code, first_code)
        straight = wp.float64(first) / (wp.float64(first) - wp.float64(last))
        first_is_low = first_inside != rule.carves
        if inner == outer:
            place = crossing_of(primitives, inner, p, axis, first_is_low, straight)
            return wp.where(place < zero, straight, place), inner
        inner_place = crossing_of(primitives, inner, p, axis, first_is_low, nowhere)
        outer_place = crossing_of(primitives, outer, p, axis, first_is_low, nowhere)
        if inner_place < zero and outer_place < zero:
            return straight, wp.where(rule.greatest, outer, inner)
        by_inner = outer_place < zero
        if inner_place >= zero and outer_place >= zero:
            if inner >= 0 and outer >= 0:
                own = square_to_triangle(primitives, inner, along_axis(p, axis, inner_place))
                other = square_to_triangle(primitives, outer, along_axis(p, axis, outer_place))
                by_inner = own < other - rounding
            else:
                both_paths = inner < 0 and outer < 0
                nearer_inside = rule.carves or (rule.greatest and not both_paths)
                by_inner = (inner_place < outer_place) == (first_inside == nearer_inside)
        return wp.where(by_inner, inner_place, outer_place), wp.where(by_inner, inner, outer)

    return cross_edge


def _cross_kernel(cross_edge: Any) -> Any:
    """The kernel `cross_edges`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    structs, functions, places = surface_structs(), primitive_functions(), place_functions()
    Layout, Cells = structs.Layout, structs.Cells  # noqa: N806 - structs
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    voxel_at, corner_of, first_quad = places.voxel_at, places.corner_of, places.first_quad
    value_at, code_at = places.value_at, places.code_at

    @wp.kernel
    def cross_edges(  # type: ignore[misc]
        layout: Layout,
        cells: Cells,
        distance: wp.array2d[wp.float32],
        nearest: wp.array2d[wp.int32],
        primitives: Primitives,
        rule: Rule,
        start: wp.int32,
        quad_place: wp.array[wp.float64],
        quad_code: wp.array[wp.int32],
    ) -> None:
        """Where the crossed edges that start at each cell are crossed, and whose surface it is there.

        Launch with (N, 512), for the bricks start to start + N.

        Args:
            layout, cells: see `warp_cells.SurfaceStructs`.
            distance, nearest: (B, 512) each, see `fields.Field`.
            primitives, rule: of the field.
            start: the first brick.
            quad_place: (Q,) from 0 to 1, for the quad around each edge.
            quad_code: (Q,) numbers as in `nearest`.
        """
        i, voxel = wp.tid()  # type: ignore[misc]
        brick = start + i
        quad = first_quad(cells, brick, voxel)
        if quad < 0:
            return
        corners = int(cells.configuration[brick, voxel])
        at = voxel_at(layout, brick, voxel)
        for axis in range(3):
            if (corners & 1) != ((corners >> (1 << axis)) & 1):
                end = at
                end[2 - axis] = end[2 - axis] + 1
                place, code = cross_edge(
                    primitives,
                    rule,
                    distance[brick, voxel],
                    value_at(layout, distance, end[0], end[1], end[2]),
                    nearest[brick, voxel],
                    code_at(layout, nearest, end),
                    corner_of(at),
                    axis,
                )
                quad_place[quad] = place
                quad_code[quad] = code
                quad += 1

    return cross_edges
