"""Warp kernels of surface extraction, with a thread for each cell or each quad: see `surface`.

`layout`, `tables` and `cells` are those of `cells`, of B bricks. A kernel that is launched with (N, 512) handles the
bricks `start` to `start` + N; one that is launched with (N,), the quads `start` to `start` + N.
"""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from ....formulas.language import Ring
from ....formulas.quad_splitting import choose_split
from ....model.bricks import BRICK_SIZE
from ..device.formulas import double, function, kernel, single
from ..device.functions import voxel_at
from ..device.structs import wp
from .cells import (
    LAYERS,
    Cells,
    Layout,
    Tables,
    centre_of,
    corner_at,
    first_quad,
    first_vertex,
    is_crossed,
    locate,
    part_at,
    place_of,
    value_at,
)

BLOCK_DIM = 256
LAYER_CELLS = BRICK_SIZE * BRICK_SIZE


@kernel(single)
def mark_cells(
    layout: Layout, distance: wp.array2d[wp.float32], start: wp.int32, configuration: wp.array2d[wp.uint8]
) -> None:
    """Set the configuration (B, 512) of each cell, from distances (B, 512). Launch with (N, 512)."""
    i, voxel = wp.tid()
    brick = start + i
    at = voxel_at(layout.corner[brick], voxel)
    inside = wp.int32(0)
    for k in range(8):
        if value_at(layout, distance, corner_at(at, k)) <= 0.0:
            inside = inside | (1 << k)
    configuration[brick, voxel] = wp.uint8(inside)


@kernel(single)
def join_cells(layout: Layout, tables: Tables, cells: Cells, start: wp.int32) -> None:
    """Set `cells.joined` for an ambiguous face: the neighbour across it needs the same. Launch with (N, 512)."""
    i, voxel = wp.tid()
    brick = start + i
    joined = wp.uint8(0)
    face = int(tables.repair_face[int(cells.configuration[brick, voxel])])
    if face >= 0:
        at = voxel_at(layout.corner[brick], voxel)
        at[2 - (face >> 1)] = at[2 - (face >> 1)] + 2 * (face & 1) - 1
        beyond = locate(layout, at)
        if beyond[0] >= 0:  # noqa: SIM102
            if int(tables.repair_face[int(cells.configuration[beyond[0], beyond[1]])]) == (face ^ 1):
                joined = wp.uint8(1)
    cells.joined[brick, voxel] = joined


@kernel(single)
def number_cells(tables: Tables, cells: Cells) -> None:
    """Set `cells.vertex` and `cells.quad` in each layer. Launch with (B, LAYERS).

    `cells.first` becomes its numbers of vertices and quads.
    """
    brick, layer = wp.tid()
    vertices = wp.int32(0)
    quads = wp.int32(0)
    for i in range(LAYER_CELLS):
        voxel = layer * LAYER_CELLS + i
        corners = int(cells.configuration[brick, voxel])
        active = corners != 0 and corners != 255
        cells.vertex[brick, voxel] = wp.int16(wp.where(active, vertices, -1))
        cells.quad[brick, voxel] = wp.int16(wp.where(active, quads, -1))
        if active:
            vertices += int(tables.patches[int(cells.joined[brick, voxel]), corners])
            for axis in range(3):
                if is_crossed(corners, axis):
                    quads += 1
    cells.first[brick * LAYERS + layer] = wp.vec2l(wp.int64(vertices), wp.int64(quads))


@kernel(single)
def list_cells(
    tables: Tables, cells: Cells, start: wp.int32, places: wp.array[wp.int64], edges: wp.array[wp.int64]
) -> None:
    """List the cell of each vertex and each quad, so that a thread for each has work. Launch with (N, 512).

    Args:
        places: (V,) see `DualMesh.cells`.
        edges: (Q,) the same with the axis of the crossed edge (0 is x) in place of the patch.
    """
    i, voxel = wp.tid()
    brick = start + i
    vertex = first_vertex(cells, brick, voxel)
    if vertex < 0:
        return
    corners = int(cells.configuration[brick, voxel])
    for patch in range(int(tables.patches[int(cells.joined[brick, voxel]), corners])):
        places[vertex + patch] = place_of(brick, voxel, patch)
    quad = first_quad(cells, brick, voxel)
    for axis in range(3):
        if is_crossed(corners, axis):
            edges[quad] = place_of(brick, voxel, axis)
            quad += 1


@function(single)
def ring_vertex(layout: Layout, tables: Tables, cells: Cells, at: wp.vec3i, axis: wp.int32, k: wp.int32) -> wp.int32:
    """The vertex of the k-th cell around the edge along `axis` (0 is x) that starts at `at`, or -1."""
    back = at
    if k == 0 or k == 3:
        back[2 - (axis + 1) % 3] = back[2 - (axis + 1) % 3] - 1
    if k < 2:
        back[2 - (axis + 2) % 3] = back[2 - (axis + 2) % 3] - 1
    cell = locate(layout, back)
    if cell[0] < 0:
        return -1
    vertex = first_vertex(cells, cell[0], cell[1])
    if vertex < 0:
        return -1
    corners = int(cells.configuration[cell[0], cell[1]])
    return vertex + int(tables.patch[int(cells.joined[cell[0], cell[1]]), corners, tables.ring[axis, k]])


@kernel(double)
def make_quads(
    layout: Layout,
    tables: Tables,
    cells: Cells,
    edges: wp.array[wp.int64],
    points: wp.array[wp.vec3d],
    quad_place: wp.array[wp.float64],
    start: wp.int32,
    quads: wp.array[wp.vec4i],
    missing: wp.array[wp.int32],
) -> None:
    """Make a quad around each crossed edge, of vertices from the four cells that share it.

    Its diagonal runs from its first to its third corner. Launch with (N,).

    Args:
        edges: (Q,) from `list_cells`.
        points: (V,) in voxels from the grid's origin.
        quad_place: (Q,) where the edges of the quads are crossed.
        quads: (Q,) vertices, counter-clockwise seen from outside.
        missing: (1,) grows by the number of missing vertices.
    """
    quad = start + wp.tid()
    cell, axis = part_at(edges[quad])
    at = voxel_at(layout.corner[cell[0]], cell[1])
    here = centre_of(at)
    own = wp.vec4i()
    ring = Ring()  # type: ignore[misc]
    whole = wp.bool(True)
    for k in range(4):
        vertex = ring_vertex(layout, tables, cells, at, axis, k)
        own[k] = vertex
        if vertex < 0:
            wp.atomic_add(missing, 0, 1)
            whole = wp.bool(False)
        else:
            ring[k] = points[vertex] - here  # type: ignore[index]
    shift = wp.int32(0)
    if whole:
        shift = choose_split(ring, (axis + 1) % 3, (axis + 2) % 3, axis, quad_place[quad])
    starts_inside = (int(cells.configuration[cell[0], cell[1]]) & 1) == 1
    turned_ring = wp.vec4i()
    for k in range(4):
        turned_ring[k] = own[wp.where(starts_inside, shift + k, shift - k) & 3]
    quads[quad] = turned_ring
