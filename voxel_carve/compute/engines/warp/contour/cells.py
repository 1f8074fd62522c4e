"""Structs and voxel look-ups for the Warp kernels of surface extraction.

They are defined when first requested: see `device.functions`. A brick is identified by its index in the field.
"""

# mypy cannot check the code of kernels, which Warp translates.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from ....model.bricks import BRICK_SIZE, NO_PRIMITIVE, REACH, State

# Each thread numbers the cells of one layer of a brick: a whole brick is too much for it, and a cell too little.
LAYERS = BRICK_SIZE


@dataclass(frozen=True)
class SurfaceStructs:
    """The structs that the extraction reads.

    Attributes:
        Layout: `brick` (B,) coordinates (z, y, x) of the field's bricks; `places` and `states`, see `fields.places_of`
            and `fields.Field`.
        Cells: (B, 512) each: `configuration` and `joined`, see `cells.CellTables`; `vertex` and `quad`, index of a
            cell's first one in its layer, -1 if the cell is not active. (B * LAYERS,) each: `first_vertex` and
            `first_quad`, index of a layer's first one among all.
        Tables: `patches`, `patch`, `repair_face`, see `cells.CellTables`; `edges` (12,), see `cells.EDGES`; `ring`
            (3, 4): for each axis, the number of the shared edge in each of the four cells around it.
    """

    Layout: Any
    Cells: Any
    Tables: Any


@functools.cache
def surface_structs() -> SurfaceStructs:
    """Define the structs."""
    import warp as wp

    @wp.struct
    class Layout:
        brick: wp.array[wp.vec3i]
        places: wp.array3d[wp.int32]
        states: wp.array3d[wp.uint8]

    @wp.struct
    class Cells:
        configuration: wp.array2d[wp.uint8]
        joined: wp.array2d[wp.uint8]
        vertex: wp.array2d[wp.int16]
        quad: wp.array2d[wp.int16]
        first_vertex: wp.array[wp.int64]
        first_quad: wp.array[wp.int64]

    @wp.struct
    class Tables:
        patches: wp.array2d[wp.int8]
        patch: wp.array3d[wp.int8]
        repair_face: wp.array[wp.int8]
        edges: wp.array[wp.vec2i]
        ring: wp.array2d[wp.int32]

    return SurfaceStructs(Layout, Cells, Tables)


@dataclass(frozen=True)
class VoxelFunctions:
    """Warp functions that look up grid voxels.

    Attributes:
        voxel_at: (Layout, brick, voxel) to the grid voxel (z, y, x).
        locate: (Layout, z, y, x) to the brick, -1 if it is not NEAR, and the voxel in it. The grid voxel may lie one
            outside the grid.
        value_at: (Layout, distance, z, y, x) to the distance there. If the brick is not NEAR, its state decides; beyond
            the grid, all is outside.
        code_at: (Layout, nearest, grid voxel) to the nearest primitive, NO_PRIMITIVE if the brick is not NEAR.
        corner_of: (grid voxel) to its centre (x, y, z), the first corner of its cell, in voxels from the grid's origin.
        first_quad: (Cells, brick, voxel) to the first quad of a cell, -1 if it is not active.
        quad_at: (Layout, Cells, grid voxel, axis) to the quad around the edge along `axis` (0 is x) that starts there,
            -1 if there is no cell.
    """

    voxel_at: Any
    locate: Any
    value_at: Any
    code_at: Any
    corner_of: Any
    first_quad: Any
    quad_at: Any


@functools.cache
def voxel_functions() -> VoxelFunctions:
    """Define the functions."""
    import warp as wp

    Layout, Cells = surface_structs().Layout, surface_structs().Cells  # noqa: N806 - structs
    size = wp.constant(BRICK_SIZE)
    layers = wp.constant(LAYERS)
    none = wp.constant(NO_PRIMITIVE)
    half = wp.constant(wp.float64(0.5))
    reach = wp.constant(float(REACH))
    solid = wp.constant(wp.uint8(int(State.SOLID)))

    @wp.func
    def voxel_at(layout: Layout, brick: wp.int32, voxel: wp.int32) -> wp.vec3i:
        corner = layout.brick[brick]
        return wp.vec3i(
            corner[0] * size + (voxel >> 6), corner[1] * size + ((voxel >> 3) & 7), corner[2] * size + (voxel & 7)
        )

    @wp.func
    def locate(layout: Layout, z: wp.int32, y: wp.int32, x: wp.int32) -> wp.vec2i:
        place = layout.places[(z >> 3) + 1, (y >> 3) + 1, (x >> 3) + 1]
        return wp.vec2i(place, ((z & 7) << 6) | ((y & 7) << 3) | (x & 7))

    @wp.func
    def value_at(layout: Layout, distance: wp.array2d[wp.float32], z: wp.int32, y: wp.int32, x: wp.int32) -> wp.float32:
        at = locate(layout, z, y, x)
        if at[0] >= 0:
            return distance[at[0], at[1]]
        bz = z >> 3
        by = y >> 3
        bx = x >> 3
        # Warp evaluates both sides of an "and", so the bounds check needs an "if" of its own.
        if bz < layout.states.shape[0] and by < layout.states.shape[1] and bx < layout.states.shape[2]:  # noqa: SIM102
            if layout.states[bz, by, bx] == solid:
                return -reach
        return reach

    @wp.func
    def code_at(layout: Layout, nearest: wp.array2d[wp.int32], at: wp.vec3i) -> wp.int32:
        place = locate(layout, at[0], at[1], at[2])
        if place[0] < 0:
            return none
        return nearest[place[0], place[1]]

    @wp.func
    def corner_of(at: wp.vec3i) -> wp.vec3d:
        return wp.vec3d(wp.float64(at[2]) + half, wp.float64(at[1]) + half, wp.float64(at[0]) + half)

    @wp.func
    def first_quad(cells: Cells, brick: wp.int32, voxel: wp.int32) -> wp.int32:
        quad = int(cells.quad[brick, voxel])
        if quad < 0:
            return -1
        return int(cells.first_quad[brick * layers + (voxel >> 6)]) + quad

    @wp.func
    def quad_at(layout: Layout, cells: Cells, at: wp.vec3i, axis: wp.int32) -> wp.int32:
        place = locate(layout, at[0], at[1], at[2])
        if place[0] < 0:
            return -1
        quad = first_quad(cells, place[0], place[1])
        if quad < 0:
            return -1
        corners = int(cells.configuration[place[0], place[1]])
        for before in range(axis):
            if (corners & 1) != ((corners >> (1 << before)) & 1):
                quad += 1
        return quad

    return VoxelFunctions(voxel_at, locate, value_at, code_at, corner_of, first_quad, quad_at)
