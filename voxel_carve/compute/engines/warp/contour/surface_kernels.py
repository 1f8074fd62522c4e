"""Warp kernels of surface extraction, with a thread for each cell: see `surface`.

They are defined when first requested: see `device.functions`. A brick is identified by its index in the field.
"""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from ....formulas import quad_splitting
from ....model.bricks import BRICK_SIZE
from ..device.formulas import cell_types, double
from ..device.functions import MODULE_OPTIONS
from .cells import LAYERS, surface_structs, voxel_functions


@dataclass(frozen=True)
class SurfaceKernels:
    """The kernels of one Warp module, all launched in blocks of 256 threads."""

    place_bricks: Any
    mark_cells: Any
    join_cells: Any
    number_cells: Any
    make_quads: Any


@functools.cache
def surface_kernels() -> SurfaceKernels:
    """Define the kernels."""
    place, mark = _mark_kernels()
    return SurfaceKernels(place, mark, *_count_kernels(), _quad_kernel(_ring_function()))


def _mark_kernels() -> tuple[Any, Any]:
    """The kernels `place_bricks` and `mark_cells`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    Layout = surface_structs().Layout  # noqa: N806 - a struct
    voxel_at, value_at = voxel_functions().voxel_at, voxel_functions().value_at

    @wp.kernel
    def place_bricks(  # type: ignore[misc]
        brick: wp.array[wp.vec3i],
        places: wp.array3d[wp.int32],
    ) -> None:
        """Write the index of each brick into the table, which has a margin of one brick: see `places_of`.

        Launch with (B,).

        Args:
            brick: (B,) coordinates (z, y, x).
            places: (Z + 2, Y + 2, X + 2).
        """
        b = wp.tid()
        places[brick[b][0] + 1, brick[b][1] + 1, brick[b][2] + 1] = b

    @wp.kernel
    def mark_cells(  # type: ignore[misc]
        layout: Layout,
        distance: wp.array2d[wp.float32],
        start: wp.int32,
        configuration: wp.array2d[wp.uint8],
    ) -> None:
        """Set the configuration of each cell: bit k means that corner k is inside.

        Launch with (N, 512), for the bricks start to start + N.

        Args:
            layout: of B bricks.
            distance: (B, 512) in voxels.
            start: the first brick.
            configuration: (B, 512).
        """
        i, voxel = wp.tid()  # type: ignore[misc]
        brick = start + i
        at = voxel_at(layout, brick, voxel)
        inside = wp.int32(0)
        for k in range(8):
            if value_at(layout, distance, at[0] + (k >> 2), at[1] + ((k >> 1) & 1), at[2] + (k & 1)) <= 0.0:
                inside = inside | (1 << k)
        configuration[brick, voxel] = wp.uint8(inside)

    return place_bricks, mark_cells


def _count_kernels() -> tuple[Any, Any]:
    """The kernels `join_cells` and `number_cells`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    structs = surface_structs()
    Layout, Cells, Tables = structs.Layout, structs.Cells, structs.Tables  # noqa: N806 - structs
    voxel_at, locate = voxel_functions().voxel_at, voxel_functions().locate
    layers = wp.constant(LAYERS)
    layer_cells = wp.constant(BRICK_SIZE * BRICK_SIZE)

    @wp.kernel
    def join_cells(  # type: ignore[misc]
        layout: Layout,
        tables: Tables,
        cells: Cells,
        start: wp.int32,
    ) -> None:
        """Mark the cells with a joined ambiguous face: the neighbour across that face needs the same.

        Launch with (N, 512), for the bricks start to start + N.

        Args:
            layout: of B bricks.
            tables: see `cells.SurfaceStructs`.
            cells: `configuration` is read, `joined` is written.
            start: the first brick.
        """
        i, voxel = wp.tid()  # type: ignore[misc]
        brick = start + i
        joined = wp.uint8(0)
        face = int(tables.repair_face[int(cells.configuration[brick, voxel])])
        if face >= 0:
            at = voxel_at(layout, brick, voxel)
            at[2 - (face >> 1)] = at[2 - (face >> 1)] + 2 * (face & 1) - 1
            beyond = locate(layout, at[0], at[1], at[2])
            if beyond[0] >= 0:  # noqa: SIM102
                if int(tables.repair_face[int(cells.configuration[beyond[0], beyond[1]])]) == (face ^ 1):
                    joined = wp.uint8(1)
        cells.joined[brick, voxel] = joined

    @wp.kernel
    def number_cells(  # type: ignore[misc]
        tables: Tables,
        cells: Cells,
    ) -> None:
        """Number and count the vertices and quads of each layer.

        Launch with (B, LAYERS).

        Args:
            tables: see `cells.SurfaceStructs`.
            cells: `configuration` and `joined` are read, `vertex` and `quad` are written; `first_vertex` and
                `first_quad` become the counts.
        """
        brick, layer = wp.tid()  # type: ignore[misc]
        vertices = wp.int32(0)
        quads = wp.int32(0)
        for i in range(layer_cells):
            voxel = layer * layer_cells + i
            corners = int(cells.configuration[brick, voxel])
            active = corners != 0 and corners != 255
            cells.vertex[brick, voxel] = wp.int16(wp.where(active, vertices, -1))
            cells.quad[brick, voxel] = wp.int16(wp.where(active, quads, -1))
            if active:
                vertices += int(tables.patches[int(cells.joined[brick, voxel]), corners])
                for axis in range(3):
                    if (corners & 1) != ((corners >> (1 << axis)) & 1):
                        quads += 1
        cells.first_vertex[brick * layers + layer] = wp.int64(vertices)
        cells.first_quad[brick * layers + layer] = wp.int64(quads)

    return join_cells, number_cells


def _ring_function() -> Any:
    """The function `ring_vertex`."""
    import warp as wp

    Layout, Cells, Tables = surface_structs().Layout, surface_structs().Cells, surface_structs().Tables  # noqa: N806
    locate, layers = voxel_functions().locate, wp.constant(LAYERS)

    @wp.func
    def ring_vertex(
        layout: Layout, tables: Tables, cells: Cells, at: wp.vec3i, axis: wp.int32, k: wp.int32
    ) -> wp.int32:
        """The vertex of the k-th cell around the edge along `axis` (0 is x) that starts at `at`, or -1."""
        back = at
        if k == 0 or k == 3:
            back[2 - (axis + 1) % 3] = back[2 - (axis + 1) % 3] - 1
        if k < 2:
            back[2 - (axis + 2) % 3] = back[2 - (axis + 2) % 3] - 1
        cell = locate(layout, back[0], back[1], back[2])
        if cell[0] < 0:
            return -1
        local = int(cells.vertex[cell[0], cell[1]])
        if local < 0:
            return -1
        corners = int(cells.configuration[cell[0], cell[1]])
        patch = int(tables.patch[int(cells.joined[cell[0], cell[1]]), corners, tables.ring[axis, k]])
        return int(cells.first_vertex[cell[0] * layers + (cell[1] >> 6)]) + local + patch

    return ring_vertex


def _quad_kernel(ring_vertex: Any) -> Any:
    """The kernel `make_quads`."""
    import warp as wp

    wp.set_module_options(MODULE_OPTIONS)
    structs, places, choose_split = surface_structs(), voxel_functions(), double()(quad_splitting.choose_split)
    Layout, Cells, Tables = structs.Layout, structs.Cells, structs.Tables  # noqa: N806 - structs
    Ring = cell_types().Ring  # noqa: N806 - a type
    voxel_at, corner_of, first_quad = places.voxel_at, places.corner_of, places.first_quad

    @wp.kernel
    def make_quads(  # type: ignore[misc]
        layout: Layout,
        tables: Tables,
        cells: Cells,
        points: wp.array[wp.vec3d],
        quad_place: wp.array[wp.float64],
        start: wp.int32,
        quads: wp.array[wp.vec4i],
        missing: wp.array[wp.int32],
    ) -> None:
        """Make a quad around each crossed edge, of vertices from the four cells that share it.

        Its diagonal runs from its first to its third corner.

        Launch with (N, 512), for the bricks start to start + N.

        Args:
            layout, tables, cells: see `cells.SurfaceStructs`.
            points: (V,) in voxels from the grid's origin.
            quad_place: (Q,) where the edges of the quads are crossed.
            start: the first brick.
            quads: (Q,) vertices, counter-clockwise seen from outside.
            missing: (1,) grows by the number of missing vertices.
        """
        i, voxel = wp.tid()  # type: ignore[misc]
        brick = start + i
        quad = first_quad(cells, brick, voxel)
        if quad < 0:
            return
        corners = int(cells.configuration[brick, voxel])
        at = voxel_at(layout, brick, voxel)
        here = corner_of(at)
        start_inside = (corners & 1) == 1
        for axis in range(3):
            if start_inside != (((corners >> (1 << axis)) & 1) == 1):
                own = wp.vec4i()
                ring = Ring()
                whole = wp.bool(True)
                for k in range(4):
                    vertex = ring_vertex(layout, tables, cells, at, axis, k)
                    own[k] = vertex
                    if vertex < 0:
                        wp.atomic_add(missing, 0, 1)
                        whole = wp.bool(False)
                    else:
                        ring[k] = points[vertex] - here
                shift = wp.int32(0)
                if whole:
                    shift = choose_split(ring, (axis + 1) % 3, (axis + 2) % 3, axis, quad_place[quad])
                turned_ring = wp.vec4i()
                for k in range(4):
                    turned_ring[k] = own[wp.where(start_inside, shift + k, shift - k) & 3]
                quads[quad] = turned_ring
                quad += 1

    return make_quads
