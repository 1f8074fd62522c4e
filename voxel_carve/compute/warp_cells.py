"""What the Warp kernels of the surface extraction have in common: structs, and where cells and voxels are found.

See `warp_functions` for how they are defined. Bricks are named by their place in the field, as in `surface`.
"""

# What stands in a kernel is Warp's language, of which the types of its Python names know too little.
# mypy: disable-error-code="arg-type,assignment,attr-defined,call-overload,comparison-overlap,index,no-untyped-call"
# mypy: disable-error-code="operator,return-value,type-var,valid-type"

import functools
from dataclasses import dataclass
from typing import Any

from .bricks import BRICK_SIZE, REACH, State

# Cells are numbered by layers of a brick, each by one thread: a brick is too much for one, and a cell too little.
LAYERS = BRICK_SIZE


@dataclass(frozen=True)
class SurfaceStructs:
    """Structs of what the extraction reads.

    Attributes:
        Layout: `brick` (B,) coordinates (z, y, x) of the field's bricks; `places` and `states`, see `surface.places_of`
            and `surface.Field`.
        Cells: (B, 512) each. `configuration` and `joined`, see `cells.CellTables`; `vertex` and `quad`, the first ones
            of a cell among those of its layer, -1 where the surface does not pass. (B * LAYERS,) each: `first_vertex`
            and `first_quad`, those of a layer among all.
        Tables: `patches`, `patch`, `repair_face`, see `cells.CellTables`; `edges` (12,), see `cells.EDGES`; `ring`
            (3, 4): for each axis and each of the cells around an edge along it, the edge of that cell that lies there.
    """

    Layout: Any
    Cells: Any
    Tables: Any


@functools.cache
def surface_structs() -> SurfaceStructs:
    """Define them."""
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
class PlaceFunctions:
    """Warp functions of grid voxels.

    Attributes:
        voxel_at: (Layout, brick, voxel) to the grid voxel (z, y, x).
        locate: (Layout, z, y, x) to the brick, -1 where it is not NEAR, and the voxel of a grid voxel, which may be one
            outside the grid.
        value_at: (Layout, distance, z, y, x) to the distance there: that of its brick's state where it is not NEAR, and
            outside beyond the grid.
    """

    voxel_at: Any
    locate: Any
    value_at: Any


@functools.cache
def place_functions() -> PlaceFunctions:
    """Define them."""
    import warp as wp

    Layout = surface_structs().Layout  # noqa: N806 - a struct
    size = wp.constant(BRICK_SIZE)
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
        # Warp would evaluate both sides of an "and", so what guards an index stands alone.
        if bz < layout.states.shape[0] and by < layout.states.shape[1] and bx < layout.states.shape[2]:  # noqa: SIM102
            if layout.states[bz, by, bx] == solid:
                return -reach
        return reach

    return PlaceFunctions(voxel_at, locate, value_at)
