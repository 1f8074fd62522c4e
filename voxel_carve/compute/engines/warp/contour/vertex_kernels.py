"""Warp kernels for the crossings of cell edges and for the vertices, with a thread for each cell.

See `formulas.hermite` and `formulas.vertex_placement`.
"""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-arg,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from ....formulas import hermite, vertex_placement
from ....model.bricks import NO_PRIMITIVE
from ..device.formulas import cell_types, double, primitives_struct
from ..device.functions import MODULE_OPTIONS
from .cells import LAYERS, surface_structs, voxel_functions


@dataclass(frozen=True)
class VertexKernels:
    """The kernels of one Warp module, launched in blocks of 128 threads."""

    cross_edges: Any
    make_vertices: Any


@functools.cache
def vertex_kernels() -> VertexKernels:
    """Define the kernels."""
    return VertexKernels(_cross_kernel(), _vertex_kernel(_gather_function()))


def _cross_kernel() -> Any:
    """The kernel `cross_edges`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    structs, places, cross_edge = surface_structs(), voxel_functions(), double()(hermite.cross_edge)
    Layout, Cells = structs.Layout, structs.Cells  # noqa: N806 - structs
    Primitives, Rule = primitives_struct(), cell_types().Rule  # noqa: N806 - structs
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
        """Find the crossing of each crossed edge that starts at a cell, and the primitive there.

        Launch with (N, 512), for the bricks start to start + N.

        Args:
            layout, cells: see `cells.SurfaceStructs`.
            distance, nearest: (B, 512) each, see `fields.Field`.
            primitives, rule: of the field.
            start: the first brick.
            quad_place: (Q,) from 0 to 1, for the quad around each edge.
            quad_code: (Q,) primitives, numbered as in `nearest`.
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
                corner = corner_of(at)
                place, code = cross_edge(
                    primitives,
                    rule,
                    wp.float64(distance[brick, voxel]),
                    wp.float64(value_at(layout, distance, end[0], end[1], end[2])),
                    nearest[brick, voxel],
                    code_at(layout, nearest, end),
                    corner[0],
                    corner[1],
                    corner[2],
                    axis,
                )
                quad_place[quad] = place
                quad_code[quad] = code
                quad += 1

    return cross_edges


def _gather_function() -> Any:
    """The function `gather_patch`."""
    import warp as wp

    structs, places, join_crossing = surface_structs(), voxel_functions(), double()(vertex_placement.join_crossing)
    Layout, Cells, Tables = structs.Layout, structs.Cells, structs.Tables  # noqa: N806 - structs
    Primitives, Rule, Cell = primitives_struct(), cell_types().Rule, cell_types().Cell  # noqa: N806 - structs
    quad_at = places.quad_at
    half, none = wp.constant(wp.float64(0.5)), wp.constant(NO_PRIMITIVE)

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
        patch: wp.int32,
        cell: wp.ref[Cell],
        p: wp.ref[wp.vec3d],
    ) -> tuple[wp.int32, wp.int32]:
        """Add the crossings of one patch of a cell to p, and to `cell` by `join_crossing`.

        Returns:
            The numbers of crossings and of members.
        """
        joined = int(cells.joined[brick, voxel])
        corners = int(cells.configuration[brick, voxel])
        crossed = wp.int32(0)
        members = wp.int32(0)
        for edge in range(12):
            if int(tables.patch[joined, corners, edge]) == patch:
                a = tables.edges[edge][0]
                axis = edge >> 2
                start = wp.vec3i(at[0] + (a >> 2), at[1] + ((a >> 1) & 1), at[2] + (a & 1))
                quad = quad_at(layout, cells, start, axis)
                place = half
                code = none
                if quad >= 0:
                    place = quad_place[quad]
                    code = quad_code[quad]
                inside = ((corners >> a) & 1) == 1
                members = join_crossing(primitives, rule, cell, crossed, members, a, axis, place, code, inside, p)
                crossed += 1
        return crossed, members

    return gather_patch


def _vertex_kernel(gather_patch: Any) -> Any:
    """The kernel `make_vertices`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    structs, places, place_patch = surface_structs(), voxel_functions(), double()(vertex_placement.place_patch)
    Layout, Cells, Tables = structs.Layout, structs.Cells, structs.Tables  # noqa: N806 - structs
    Primitives, Rule, Cell = primitives_struct(), cell_types().Rule, cell_types().Cell  # noqa: N806 - structs
    voxel_at, corner_of, code_at = places.voxel_at, places.corner_of, places.code_at
    layers = wp.constant(LAYERS)

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
            layout, tables, cells: see `cells.SurfaceStructs`.
            nearest: (B, 512), see `fields.Field`.
            primitives, rule: of the field.
            quad_place, quad_code: (Q,) where the edge of each quad is crossed, and the primitive there.
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
        cell = Cell()
        cell.corner = corner_of(at)
        for k in range(8):
            there = wp.vec3i(at[0] + (k >> 2), at[1] + ((k >> 1) & 1), at[2] + (k & 1))
            cell.around[k] = code_at(layout, nearest, there)
        for patch in range(patches):
            p = wp.vec3d()
            crossed, members = gather_patch(
                layout, tables, cells, primitives, rule, quad_place, quad_code, brick, voxel, at, patch, cell, p
            )
            kinds[first + patch] = wp.uint8(place_patch(primitives, rule, crossed, members, cell, p))
            points[first + patch] = p

    return make_vertices
