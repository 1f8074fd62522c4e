"""Where the vertices of the surface lie, on Warp devices: the steps of `vertices`, cell by cell, with the same numbers.

See `warp_placing` for how a point is moved there.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from .bricks import NO_PRIMITIVE
from .hermite import LOWEST, ROUNDING
from .hiding import CLOSE
from .vertices import MARGIN, MOST_HIDDEN, SLOTS, SMOOTH
from .warp_cells import LAYERS, place_functions, surface_structs
from .warp_functions import MODULE_OPTIONS
from .warp_hermite_kernels import primitive_functions
from .warp_placing import place_function, placing_types


@dataclass(frozen=True)
class VertexKernels:
    """The kernels of one Warp module, launched in blocks of 128 threads."""

    make_vertices: Any


@functools.cache
def vertex_kernels() -> VertexKernels:
    """Define the kernels."""
    return VertexKernels(_vertex_kernel(_gather_function(), _patch_function()))


def _patch_function() -> Any:
    """The function `place_patch`: see `vertices.place`."""
    import warp as wp

    functions, types, place_vertex = primitive_functions(), placing_types(), place_function()
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    Numbers, Turns, Crossings = types.Numbers, types.Turns, types.Crossings  # noqa: N806 - types
    Corners = types.Corners  # noqa: N806 - a type
    segment_value = functions.segment_value
    one, close = wp.constant(wp.float64(1.0)), wp.constant(wp.float64(CLOSE))
    rounding = wp.constant(wp.float64(ROUNDING))
    none, lowest, members = wp.constant(NO_PRIMITIVE), wp.constant(LOWEST), wp.constant(SLOTS)
    most_hidden, smooth = wp.constant(MOST_HIDDEN), wp.constant(SMOOTH)

    @wp.func
    def hidden_by(primitives: Primitives, others: Corners, codes: Numbers, members: wp.int32, p: wp.vec3d) -> wp.int32:
        """Which of some segments, numbers as in `Field.nearest`, holds a point deepest inside, if any; not those that
        are members, the first of codes."""
        least = -close
        found = none
        for k in range(8):
            code = others[k]
            is_new = wp.bool(code < 0 and code != lowest)
            for m in range(members):
                if codes[m] == code:
                    is_new = wp.bool(False)
            if is_new:
                value = segment_value(primitives, -1 - code, p)
                if value[0] < least - rounding:
                    least = value[0]
                    found = code
        return found

    @wp.func
    def place_patch(
        primitives: Primitives,
        rule: Rule,
        known_codes: Numbers,
        known_turns: Turns,
        known: wp.int32,
        crossings: Crossings,
        crossed: wp.int32,
        others: Corners,
        corner: wp.vec3d,
    ) -> tuple[wp.int32, wp.vec3d]:
        """SMOOTH, SHARP, PARTLY or FALLBACK, and the vertex of a patch.

        Args:
            known_codes, known_turns: of the primitives at its crossings, each once, `known` in number; 0 where one of
                them is not known.
            crossings: where the surface crosses `crossed` edges of the cell at `corner`.
            others: the nearest primitive of each corner of the cell.
        """
        total = wp.vec3d()
        for n in range(crossed):
            total += wp.vec3d(crossings[n, 0], crossings[n, 1], crossings[n, 2])
        mean = total / wp.float64(crossed)
        if known == 0 or (known == 1 and known_codes[0] >= 0):
            return smooth, mean
        codes = known_codes
        turns = known_turns
        count = known
        kind, p = place_vertex(primitives, rule, codes, turns, count, corner, crossings, crossed, mean)
        for _ in range(most_hidden):
            code = hidden_by(primitives, others, codes, count, p)
            if code == none or count == members:
                break
            codes[count] = code
            turns[count] = wp.where(rule.carves, -one, one)
            count += 1
            kind, p = place_vertex(primitives, rule, codes, turns, count, corner, crossings, crossed, mean)
        return kind, p

    return place_patch


def _gather_function() -> Any:
    """The function `gather_patch`."""
    import warp as wp

    structs, functions, places, types = surface_structs(), primitive_functions(), place_functions(), placing_types()
    Layout, Cells, Tables = structs.Layout, structs.Cells, structs.Tables  # noqa: N806 - structs
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    Numbers, Turns, Crossings = types.Numbers, types.Turns, types.Crossings  # noqa: N806 - types
    quad_at, corner_of = places.quad_at, places.corner_of
    zero, half, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(0.5)), wp.constant(wp.float64(1.0))
    none, lowest = wp.constant(NO_PRIMITIVE), wp.constant(LOWEST)

    @wp.func
    def gather_patch(
        layout: Layout,
        tables: Tables,
        cells: Cells,
        primitives: Primitives,
        rule: Rule,
        quad_place: wp.array[wp.float64],
        quad_code: wp.array[wp.int32],
        brick: wp.int32,
        voxel: wp.int32,
        at: wp.vec3i,
        name: wp.int32,
    ) -> tuple[wp.int32, Crossings, wp.int32, Numbers, Turns]:
        """How often the patch `name` of a cell crosses an edge, and where; how many primitives it is of, 0 where one of
        them is not known, their codes, and their orientation."""
        joined = int(cells.joined[brick, voxel])
        corners = int(cells.configuration[brick, voxel])
        crossings = Crossings()
        codes = Numbers()
        turns = Turns()
        crossed = wp.int32(0)
        members = wp.int32(0)
        all_known = wp.bool(True)
        for edge in range(12):
            if int(tables.patch[joined, corners, edge]) == name:
                a = tables.edges[edge][0]
                axis = edge >> 2
                start = wp.vec3i(at[0] + (a >> 2), at[1] + ((a >> 1) & 1), at[2] + (a & 1))
                quad = quad_at(layout, cells, start, axis)
                place = half
                code = none
                if quad >= 0:
                    place = quad_place[quad]
                    code = quad_code[quad]
                crossing = corner_of(start)
                crossing[axis] = crossing[axis] + place
                crossings[crossed] = crossing
                crossed += 1
                if code == none or code == lowest:  # noqa: SIM109
                    all_known = wp.bool(False)
                is_new = wp.bool(True)
                for m in range(members):
                    if codes[m] == code:
                        is_new = wp.bool(False)
                if all_known and is_new:
                    turn = wp.where(rule.carves, -one, one)
                    if code >= 0:
                        rises = primitives.normal[code, axis] > zero
                        turn = wp.where(rises == (((corners >> a) & 1) == 1), one, -one)
                    codes[members] = code
                    turns[members] = turn
                    members += 1
        return crossed, crossings, wp.where(all_known, members, 0), codes, turns

    return gather_patch


def _vertex_kernel(gather_patch: Any, place_patch: Any) -> Any:
    """The kernel `make_vertices`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    structs, functions, places = surface_structs(), primitive_functions(), place_functions()
    Layout, Cells, Tables = structs.Layout, structs.Cells, structs.Tables  # noqa: N806 - structs
    Primitives, Rule = functions.Primitives, functions.Rule  # noqa: N806 - structs
    Corners = placing_types().Corners  # noqa: N806 - a type
    voxel_at, corner_of, code_at = places.voxel_at, places.corner_of, places.code_at
    layers, margin = wp.constant(LAYERS), wp.constant(wp.float64(MARGIN))
    one = wp.constant(wp.float64(1.0))

    @wp.func
    def keep_apart(corner: wp.vec3d, p: wp.vec3d) -> wp.vec3d:
        """A point moved off the sides of the cell at `corner`."""
        apart = p
        for i in range(3):
            apart[i] = wp.min(wp.max(p[i], corner[i] + margin), corner[i] + one - margin)
        return apart

    @wp.kernel
    def make_vertices(  # type: ignore[misc]
        layout: Layout,
        tables: Tables,
        cells: Cells,
        nearest: wp.array2d[wp.int32],
        primitives: Primitives,
        rule: Rule,
        quad_place: wp.array[wp.float64],
        quad_code: wp.array[wp.int32],
        start: wp.int32,
        points: wp.array[wp.vec3d],
        kinds: wp.array[wp.uint8],
    ) -> None:
        """Place the vertex of each patch.

        Launch with (N, 512), for the bricks start to start + N.

        Args:
            layout, tables, cells: see `warp_cells.SurfaceStructs`.
            nearest: (B, 512), see `fields.Field`.
            primitives, rule: of the field.
            quad_place, quad_code: (Q,) where the edge of each quad is crossed, and whose surface it is there.
            start: the first brick.
            points: (V,) in voxels from the grid's origin.
            kinds: (V,) SMOOTH, SHARP, PARTLY or FALLBACK.
        """
        i, voxel = wp.tid()  # type: ignore[misc]
        brick = start + i
        if cells.vertex[brick, voxel] < wp.int16(0):
            return
        first = int(cells.first_vertex[brick * layers + (voxel >> 6)]) + int(cells.vertex[brick, voxel])
        patches = int(tables.patches[int(cells.joined[brick, voxel]), int(cells.configuration[brick, voxel])])
        at = voxel_at(layout, brick, voxel)
        corner = corner_of(at)
        others = Corners()
        for k in range(8):
            others[k] = code_at(layout, nearest, wp.vec3i(at[0] + (k >> 2), at[1] + ((k >> 1) & 1), at[2] + (k & 1)))
        for name in range(patches):
            crossed, crossings, members, codes, turns = gather_patch(
                layout, tables, cells, primitives, rule, quad_place, quad_code, brick, voxel, at, name
            )
            kind, p = place_patch(primitives, rule, codes, turns, members, crossings, crossed, others, corner)
            points[first + name] = keep_apart(corner, p)
            kinds[first + name] = wp.uint8(kind)

    return make_vertices
