"""From a field to a mesh with a vertex in each cell, brick by brick. See `contour.surface`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....contour.cells import RING, cell_tables
from ....field.fields import Field
from ....formulas import quad_splitting
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS
from ....model.combining import Rule
from ....model.mesh import DualMesh
from ....primitives.primitives import Primitives
from ....runtime.progress import progress_range
from ....runtime.threads import over_rows
from ..compiler.decorators import inlined, kernel
from ..compiler.formulas import DOUBLE
from .overlaps import Array, Mask, Numbers
from .replacing import with_room
from .vertices import (
    CLAMP,
    JOINED,
    JOINED_BIT,
    LOCAL,
    MOST_PATCHES,
    NO_CELL,
    SIDE,
    VertexScratch,
    active_row,
    inside_rows,
    list_active,
    load_block,
    locate,
    make_vertices,
)

choose_split = DOUBLE(quad_splitting.choose_split)

BRICKS_PER_RUN = 64

ALL_INSIDE = (1 << BRICK_SIZE + 1) - 1
NEXT = np.array([1, 2, 0, 1])
STRIDE = np.array([1, BRICK_SIZE, BRICK_SIZE**2])  # from voxel to voxel along x, y and z


@inlined
def locate_from(places, brick, at):  # type: ignore[no-untyped-def]
    """`locate` for a voxel at (x, y, z) from the first voxel of a brick (z, y, x)."""
    return locate(places, brick[0] * BRICK_SIZE + at[2], brick[1] * BRICK_SIZE + at[1], brick[2] * BRICK_SIZE + at[0])


def _scratch() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Scratch buffers for the distances of a block, and for the output of `inside_rows`."""
    return np.empty(SIDE**3, dtype=np.float32), np.empty((SIDE, SIDE), dtype=np.int64)


@kernel
def find_configurations(start, stop, bricks, places, states, distance, out, active, scratch):  # type: ignore[no-untyped-def]
    """Set out (B, 512) uint8 to the configuration of each cell, and active (B,) bool for bricks with an active cell.

    Both are 0 before. bricks (B, 3) are (z, y, x).
    """
    block, inside = scratch
    for b in range(start, stop):
        load_block(bricks[b], places, states, -CLAMP, CLAMP, distance, block)
        inside_rows(block, inside)
        for k in range(BRICK_SIZE):
            for j in range(BRICK_SIZE):
                low, high = inside[k, j], inside[k, j + 1]
                far_low, far_high = inside[k + 1, j], inside[k + 1, j + 1]
                row = (k * BRICK_SIZE + j) * BRICK_SIZE
                if low | high | far_low | far_high == 0:
                    continue
                if low & high & far_low & far_high == ALL_INSIDE:
                    for i in range(BRICK_SIZE):
                        out[b, row + i] = 255
                    continue
                active[b] = True
                for i in range(BRICK_SIZE):
                    near, far = (low >> i & 3) | (high >> i & 3) << 2, (far_low >> i & 3) | (far_high >> i & 3) << 2
                    out[b, row + i] = near | far << 4


@kernel
def count_cells(  # type: ignore[no-untyped-def]
    start, stop, bricks, active, places, configuration, rows, patches, repair_face, cells, count
):
    """Number the vertices of each brick, and count its vertices and quads.

    cells (B, 512) uint16 is set to the number of the cell's first vertex, plus the bit JOINED if its ambiguous face is
    joined; NO_CELL if it is not active. count (B, 2) int64, 0 before, is set to the vertices and quads of each brick.
    """
    for b in range(start, stop):
        for voxel in range(BRICK_VOXELS):
            cells[b, voxel] = NO_CELL
        if not active[b]:
            continue
        vertices, quads = 0, 0
        for row in range(BRICK_VOXELS // BRICK_SIZE):
            if not active_row(rows[b, row]):
                continue
            for voxel in range(row * BRICK_SIZE, (row + 1) * BRICK_SIZE):
                corners = configuration[b, voxel]
                if corners == 0 or corners == 255:
                    continue
                joined = 0
                face = repair_face[corners]
                if face >= 0:
                    axis, step = face >> 1, 2 * (face & 1) - 1
                    z = bricks[b, 0] * BRICK_SIZE + (voxel >> 6) + (step if axis == 2 else 0)
                    y = bricks[b, 1] * BRICK_SIZE + (voxel >> 3 & 7) + (step if axis == 1 else 0)
                    x = bricks[b, 2] * BRICK_SIZE + (voxel & 7) + (step if axis == 0 else 0)
                    place, other = locate(places, z, y, x)
                    if place >= 0 and repair_face[configuration[place, other]] == face ^ 1:
                        joined = 1
                cells[b, voxel] = vertices | (JOINED if joined else 0)
                vertices += patches[joined, corners]
                quads += (corners & 1) != (corners >> 1 & 1)
                quads += (corners & 1) != (corners >> 2 & 1)
                quads += (corners & 1) != (corners >> 4 & 1)
        count[b, 0], count[b, 1] = vertices, quads


@inlined
def vertex_at(place, cell, edge, configuration, cells, patch, first_vertex):  # type: ignore[no-untyped-def]
    """The vertex of a cell for the patch that crosses one of its edges; -1 if the cell is not active."""
    vertex = np.int64(-1)
    if place >= 0:
        # An index without a sign is not tested for counting from the end.
        brick, at = np.uint64(place), np.uint64(cell)
        number = cells[brick, at]
        if number != NO_CELL:
            joined, corners = np.uint64(number >> JOINED_BIT), np.uint64(configuration[brick, at])
            vertex = first_vertex[brick] + (number & LOCAL) + patch[joined, corners, np.uint64(edge)]
    return vertex


def _quad_scratch() -> tuple[npt.NDArray[Any], ...]:
    """The cell, from the first voxel of its brick (3,); its least corner (3,); from there, the corners of the quad
    (4, 3); and their vertices (4,)."""
    return np.empty(3, dtype=np.int64), np.empty(3), np.empty((4, 3)), np.empty(4, dtype=np.int32)


@kernel
def make_quads(  # type: ignore[no-untyped-def]
    run, stop, bricks, places, configuration, rows, cells, patch, first_vertex, first, points, place_on_edge, quads,
    scratch,
):  # fmt: skip
    """Set quads (Q, 4) int32 of some bricks to their vertices, -1 where one is missing.

    Those of brick b begin at first[b].

    Args:
        points: (V, 3) in voxels from the grid's origin.
        place_on_edge: (Q,) the crossing on the edge of each quad, from 0 to 1.
    """
    at, origin, ring, own = scratch
    for b in range(run, stop):
        quad = first[b]
        if first[b + 1] == quad:
            continue
        for row in range(BRICK_VOXELS // BRICK_SIZE):
            if not active_row(rows[b, row]):
                continue
            at[1], at[2] = row & 7, row >> 3
            for i in range(BRICK_SIZE):
                voxel = row * BRICK_SIZE + i
                corners = configuration[b, voxel]
                if corners == 0 or corners == 255:
                    continue
                at[0] = i
                for c in range(3):
                    origin[c] = bricks[b, 2 - c] * BRICK_SIZE + at[c] + 0.5
                start_inside = (corners & 1) == 1
                for axis in range(3):
                    if start_inside == ((corners >> (1 << axis) & 1) == 1):
                        continue
                    u, v = NEXT[axis], NEXT[axis + 1]
                    for k in range(4):
                        back_u, back_v = (1 if k == 0 or k == 3 else 0), (1 if k < 2 else 0)
                        place, cell = np.int64(b), voxel - back_u * STRIDE[u] - back_v * STRIDE[v]
                        if at[u] < back_u or at[v] < back_v:
                            at[u], at[v] = at[u] - back_u, at[v] - back_v
                            place, cell = locate_from(places, bricks[b], at)
                            at[u], at[v] = at[u] + back_u, at[v] + back_v
                        edge = RING[axis, k]
                        vertex = vertex_at(place, cell, edge, configuration, cells, patch, first_vertex)
                        own[k] = vertex
                        known = np.uint64(max(vertex, 0))
                        for c in range(3):
                            ring[k, c] = points[known, c] - origin[c]
                    shift = choose_split(ring, np.uint64(u), np.uint64(v), np.uint64(axis), place_on_edge[quad])
                    for k in range(4):
                        quads[quad, k] = own[(shift + k) & 3 if start_inside else (shift - k) & 3]
                    quad += 1


@kernel
def name_cells(start, stop, configuration, rows, cells, patches, first_vertex, names, active):  # type: ignore[no-untyped-def]
    """Set names (V,) to the cells of vertices, as in `DualMesh.cells`. Those of brick b begin at first_vertex[b]."""
    for b in range(start, stop):
        vertex = first_vertex[b]
        if first_vertex[b + 1] == vertex:
            continue
        for n in range(list_active(configuration[b], rows[b], active)):
            voxel = active[n]
            joined = np.uint64(cells[b, voxel] >> JOINED_BIT)
            for patch_number in range(patches[joined, configuration[b, voxel]]):
                names[vertex] = (b * BRICK_VOXELS + np.int64(voxel)) * MOST_PATCHES + patch_number
                vertex += 1


def _active_scratch() -> npt.NDArray[np.uint64]:
    return np.empty(BRICK_VOXELS + 1, dtype=np.uint64)  # one more: see `list_active`


@dataclass(frozen=True)
class Vertices:
    """The vertices of a field's mesh, and what its quads are made from.

    Attributes:
        bricks: (B, 3) of the field, as (z, y, x).
        configuration: (B, 512) of each cell.    cells: (B, 512) see `count_cells`.
        first_vertex, first_quad: (B + 1,) where the vertices, and the quads, of each brick begin.
        points, kinds: (V, 3), (V,) as in `DualMesh`.
        place: (Q,) the crossing on the edge of each quad, from 0 to 1.    codes: (Q,) as in `DualMesh`.
    """

    bricks: npt.NDArray[np.int64]
    configuration: npt.NDArray[np.uint8]
    cells: npt.NDArray[np.uint16]
    first_vertex: npt.NDArray[np.int64]
    first_quad: npt.NDArray[np.int64]
    points: Array
    kinds: npt.NDArray[np.uint8]
    place: Array
    codes: Numbers


def dual_mesh(field: Field, places: Numbers, wanted: Mask | None = None) -> DualMesh:
    """The mesh of a field, before its feature edges are completed. See `place_vertices` and `connect`."""
    with progress_range(0.0, 0.8):
        vertices = place_vertices(field, places, wanted)
    with progress_range(0.8, 1.0):
        return connect(vertices, places)


def place_vertices(field: Field, places: Numbers, wanted: Mask | None = None) -> Vertices:
    """A vertex for each patch of a field's surface.

    Args:
        field: the field.    places: see `places_of`.
        wanted: (B, 512) the cells that may have vertices; all of them, if it is not given.
    """
    tables, bricks = cell_tables(), field.table.coordinates(field.bricks)
    configuration = np.zeros((len(bricks), BRICK_VOXELS), dtype=np.uint8)
    active = np.zeros(len(bricks), dtype=np.bool_)
    with progress_range(0.0, 0.08):
        _in_bricks(
            find_configurations, bricks, places, field.states, field.distance, configuration, active, scratch=_scratch
        )
    if wanted is not None:
        configuration *= wanted
    rows = configuration.view(np.uint64)
    cells = np.empty(configuration.shape, dtype=np.uint16)
    first = np.zeros((len(bricks) + 1, 2), dtype=np.int64)
    with progress_range(0.08, 0.16):
        _in_bricks(
            count_cells, bricks, active, places, configuration, rows, tables.patches, tables.repair_face, cells,
            first[1:],
        )  # fmt: skip
    first = np.cumsum(first, axis=0)
    first_vertex, first_quad = np.ascontiguousarray(first[:, 0]), np.ascontiguousarray(first[:, 1])
    vertices, quads = int(first_vertex[-1]), int(first_quad[-1])
    points, kinds = with_room((vertices, 3), np.float64), with_room((vertices,), np.uint8)
    place, codes = np.empty(quads), with_room((quads,), np.int32)
    primitives, rule = Primitives.of(field.segments, field.triangles), Rule.of(field.operation)
    with progress_range(0.16, 1.0):
        _in_bricks(
            make_vertices, bricks, places, field.states, field.distance, field.nearest, configuration, rows, cells,
            tables.patches, tables.patch, first_vertex, first_quad, primitives, rule, points, place, codes, kinds,
            scratch=VertexScratch.of,
        )  # fmt: skip
    return Vertices(bricks, configuration, cells, first_vertex, first_quad, points, kinds, place, codes)


def connect(vertices: Vertices, places: Numbers) -> DualMesh:
    """The mesh with all quads at the least corners of their edges. A corner without a vertex is -1.

    places: see `places_of`.
    """
    tables, points, codes = cell_tables(), vertices.points, vertices.codes
    configuration, cells, first_vertex = vertices.configuration, vertices.cells, vertices.first_vertex
    rows = configuration.view(np.uint64)
    quads, names = with_room((len(codes), 4), np.int32), with_room((len(points),), np.int64)
    over_rows(
        name_cells, len(rows), BRICKS_PER_RUN, configuration, rows, cells, tables.patches, first_vertex, names,
        scratch=_active_scratch,
    )  # fmt: skip
    _in_bricks(
        make_quads, vertices.bricks, places, configuration, rows, cells, tables.patch, first_vertex,
        vertices.first_quad, points, vertices.place, quads, scratch=_quad_scratch,
    )  # fmt: skip
    return DualMesh(points, quads, codes, vertices.kinds, names)


def _in_bricks(
    kernel: Callable[..., None],
    bricks: npt.NDArray[np.int64],
    *arguments: Any,
    scratch: Callable[[], Any] | None = None,
) -> None:
    over_rows(kernel, len(bricks), BRICKS_PER_RUN, bricks, *arguments, scratch=scratch)
