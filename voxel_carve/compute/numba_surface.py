"""Surface extraction compiled by numba: the steps of `surface`, brick by brick, with the same numbers."""

import numba
import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, State
from .cells import EDGES, cell_tables, edge_at
from .errors import CarveError
from .grid import Grid
from .mesh import Surface
from .numba_kernels import inlined, parallel, serial
from .surface import LEFT_BRICKS, Field, places_of

SOLID = int(State.SOLID)
CLAMP = np.float32(REACH)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
SHIFT_32 = np.uint64(32)
ALL_INSIDE = (1 << BRICK_SIZE + 1) - 1
ALL_ROW = np.uint64(2**64 - 1)
NEXT = np.array([1, 2, 0, 1])
STRIDE = np.array([1, BRICK_SIZE, BRICK_SIZE**2])  # from voxel to voxel along x, y and z

# A brick with the first voxels of the bricks after it; the ends of a cell's edges there, from its first corner.
SIDE = BRICK_SIZE + 1
EDGE_CORNER = (EDGES[:, :1] >> np.arange(3) & 1).astype(np.float32)
EDGE_STEP = np.eye(3, dtype=np.float32)[np.arange(12) // 4]
EDGE_START = (EDGES[:, 0, None] >> np.arange(3) & 1) @ np.array([1, SIDE, SIDE**2])
EDGE_END = (EDGES[:, 1, None] >> np.arange(3) & 1) @ np.array([1, SIDE, SIDE**2])


def _crossed_edges() -> npt.NDArray[np.int64]:
    """(256, 13): the edges that each configuration crosses, in order, and last how many."""
    table = np.zeros((256, 13), dtype=np.int64)
    for configuration in range(256):
        crossed = np.flatnonzero((configuration >> EDGES[:, 0] & 1) != (configuration >> EDGES[:, 1] & 1))
        table[configuration, : len(crossed)], table[configuration, 12] = crossed, len(crossed)
    return table


CROSSED = _crossed_edges()

# A brick has at most 2048 vertices: four to a cell.
JOINED = 1 << 15
LOCAL = JOINED - 1
NO_CELL = (1 << 16) - 1

# For each axis and each step back (v, u) along the next two axes: the edge of the cell that lies there.
RING_EDGES = np.array([[edge_at(axis, u, v) for u, v in ((1, 1), (0, 1), (0, 0), (1, 0))] for axis in range(3)])


@inlined
def locate(places, z, y, x):  # type: ignore[no-untyped-def]
    """Place of the brick and voxel of a grid voxel, which may be one outside the grid; -1 where it is not NEAR."""
    place = places[(z >> 3) + 1, (y >> 3) + 1, (x >> 3) + 1]
    return place, (z & 7) << 6 | (y & 7) << 3 | (x & 7)


@serial
def load_block(brick, places, states, distance, block):  # type: ignore[no-untyped-def]
    """Set block (9, 9, 9) to the distances in a brick (z, y, x) and in the first voxels of the bricks after it.

    A brick that is not NEAR has that of its state; beyond the grid all is outside.
    """
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        z, y, x = brick[0] + dz, brick[1] + dy, brick[2] + dx
        depth, height, width = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE, 1 if dx else BRICK_SIZE
        place = places[z + 1, y + 1, x + 1]
        side = CLAMP
        if place < 0 and z < states.shape[0] and y < states.shape[1] and x < states.shape[2]:
            side = -CLAMP if states[z, y, x] == SOLID else CLAMP
        for k in range(depth):
            for j in range(height):
                row = block[dz * BRICK_SIZE + k, dy * BRICK_SIZE + j]
                for i in range(width):
                    value = side
                    if place >= 0:
                        value = distance[place, (k * BRICK_SIZE + j) * BRICK_SIZE + i]
                    row[dx * BRICK_SIZE + i] = value


@inlined
def locate_from(places, brick, at):  # type: ignore[no-untyped-def]
    """The same of a voxel at (x, y, z) from the first one of a brick (z, y, x)."""
    return locate(places, brick[0] * BRICK_SIZE + at[2], brick[1] * BRICK_SIZE + at[1], brick[2] * BRICK_SIZE + at[0])


@inlined
def active_row(row):  # type: ignore[no-untyped-def]
    """Whether any of eight configurations in a row, as one number, is active."""
    return row != np.uint64(0) and row != ALL_ROW


@parallel
def configurations(bricks, places, states, distance):  # type: ignore[no-untyped-def]
    """(B, 512) uint8 configuration of each cell; (B,) bool whether any is active; bricks (B, 3) as (z, y, x)."""
    out = np.zeros((len(bricks), BRICK_VOXELS), dtype=np.uint8)
    active = np.zeros(len(bricks), dtype=np.bool_)
    for b in numba.prange(len(bricks)):
        block = np.empty((SIDE, SIDE, SIDE), dtype=np.float32)
        inside = np.empty((BRICK_SIZE + 1, BRICK_SIZE + 1), dtype=np.int64)  # a bit for each voxel of a row
        load_block(bricks[b], places, states, distance, block)
        for k in range(BRICK_SIZE + 1):
            for j in range(BRICK_SIZE + 1):
                bits = 0
                for i in range(BRICK_SIZE + 1):
                    bits |= (block[k, j, i] <= ZERO) << i
                inside[k, j] = bits
        for k in range(BRICK_SIZE):
            for j in range(BRICK_SIZE):
                low, high = inside[k, j], inside[k, j + 1]
                far_low, far_high = inside[k + 1, j], inside[k + 1, j + 1]
                row = out[b, (k * BRICK_SIZE + j) * BRICK_SIZE : (k * BRICK_SIZE + j + 1) * BRICK_SIZE]
                if low | high | far_low | far_high == 0:
                    continue
                if low & high & far_low & far_high == ALL_INSIDE:
                    row[:] = 255
                    continue
                active[b] = True
                for i in range(BRICK_SIZE):
                    row[i] = (low >> i & 3) | (high >> i & 3) << 2 | (far_low >> i & 3) << 4 | (far_high >> i & 3) << 6
    return out, active


@parallel
def count_cells(bricks, active, places, configuration, rows, patches, repair_face):  # type: ignore[no-untyped-def]
    """(B, 512) uint16 cells: the number of the first vertex within the brick, with the bit JOINED where the cell's
    ambiguous face is joined, NO_CELL where it is not active; (B, 2) int64: vertices and quads of each brick."""
    cells = np.empty(configuration.shape, dtype=np.uint16)
    count = np.zeros((len(bricks), 2), dtype=np.int64)
    for b in numba.prange(len(bricks)):
        cells[b] = NO_CELL
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
    return cells, count


@serial
def place_vertices(block, voxel, corners, names, count, out):  # type: ignore[no-untyped-def]
    """Set out (count, 3) float32 to the vertices of a cell, from its corner: the means of its edges' crossings.

    names (12,): the patch of each edge, or -1; block (729,): the distances in the brick and beyond.
    """
    corner = ((voxel >> 6) * SIDE + (voxel >> 3 & 7)) * SIDE + (voxel & 7)
    for name in range(count):
        x, y, z, crossings = ZERO, ZERO, ZERO, ZERO
        for n in range(CROSSED[corners, 12]):
            edge = CROSSED[corners, n]
            if names[edge] != name:
                continue
            here, there = block[corner + EDGE_START[edge]], block[corner + EDGE_END[edge]]
            place = here / (here - there)
            x += EDGE_CORNER[edge, 0] + place * EDGE_STEP[edge, 0]
            y += EDGE_CORNER[edge, 1] + place * EDGE_STEP[edge, 1]
            z += EDGE_CORNER[edge, 2] + place * EDGE_STEP[edge, 2]
            crossings += ONE
        out[name, 0], out[name, 1], out[name, 2] = x / crossings, y / crossings, z / crossings


@parallel
def make_vertices(bricks, places, states, distance, configuration, rows, cells, patches, patch, first, origin, size):  # type: ignore[no-untyped-def]
    """(V, 3) points in world space, those of brick b from first[b]; rows (B, 64): see `active_row`."""
    points = np.empty((first[-1], 3))
    for b in numba.prange(len(bricks)):
        vertex = first[b]
        if first[b + 1] == vertex:
            continue
        block = np.empty((SIDE, SIDE, SIDE), dtype=np.float32)
        load_block(bricks[b], places, states, distance, block)
        flat = block.reshape(SIDE * SIDE * SIDE)
        own = np.empty((4, 3), dtype=np.float32)
        for row in range(BRICK_VOXELS // BRICK_SIZE):
            if not active_row(rows[b, row]):
                continue
            y = bricks[b, 1] * BRICK_SIZE + (row & 7) + 0.5
            z = bricks[b, 0] * BRICK_SIZE + (row >> 3) + 0.5
            for i in range(BRICK_SIZE):
                voxel = row * BRICK_SIZE + i
                corners = configuration[b, voxel]
                if corners == 0 or corners == 255:
                    continue
                joined = 1 if cells[b, voxel] & JOINED else 0
                count = patches[joined, corners]
                place_vertices(flat, voxel, corners, patch[joined, corners], count, own)
                x = bricks[b, 2] * BRICK_SIZE + i + 0.5
                for name in range(count):
                    points[vertex, 0] = (x + own[name, 0]) * size + origin[0]
                    points[vertex, 1] = (y + own[name, 1]) * size + origin[1]
                    points[vertex, 2] = (z + own[name, 2]) * size + origin[2]
                    vertex += 1
    return points


@inlined
def vertex_at(place, cell, edge, configuration, cells, patch, first_vertex):  # type: ignore[no-untyped-def]
    """The vertex of a cell on the patch that crosses one of its edges, -1 where it is not active."""
    vertex = -1
    if place >= 0 and cells[place, cell] != NO_CELL:
        joined = 1 if cells[place, cell] & JOINED else 0
        vertex = first_vertex[place] + (cells[place, cell] & LOCAL) + patch[joined, configuration[place, cell], edge]
    return vertex


@parallel
def make_quads(bricks, places, configuration, rows, cells, patch, first_vertex, source, by_outside, first):  # type: ignore[no-untyped-def]
    """(Q, 4) int32 vertices, (Q,) uint8 source, those of brick b from first[b]; and how many vertices were missing."""
    quads = np.empty((first[-1], 4), dtype=np.int32)
    sources = np.empty(first[-1], dtype=np.uint8)
    missing = 0
    for b in numba.prange(len(bricks)):
        quad = first[b]
        if first[b + 1] == quad:
            continue
        at = np.empty(3, dtype=np.int64)
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
                        edge = RING_EDGES[axis, k]
                        vertex = vertex_at(place, cell, edge, configuration, cells, patch, first_vertex)
                        missing += vertex < 0
                        quads[quad, k if start_inside else 3 - k] = vertex
                    place, cell = np.int64(b), voxel
                    if start_inside == by_outside:
                        cell += STRIDE[axis]
                        if at[axis] == BRICK_SIZE - 1:
                            at[axis] += 1
                            place, cell = locate_from(places, bricks[b], at)
                            at[axis] -= 1
                    missing += 1 if place < 0 else 0
                    sources[quad] = source[place, cell]
                    quad += 1
    return quads, sources, missing


@inlined
def determinant(a, b, c):  # type: ignore[no-untyped-def]
    """Six times the volume of the tetrahedron of the origin and three points."""
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@inlined
def mix(key):  # type: ignore[no-untyped-def]
    """See `mesh.mix`."""
    key = (key ^ key >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ key >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return key ^ key >> np.uint64(31)


@parallel
def block_sums(points, quads, centre, block):  # type: ignore[no-untyped-def]
    """For each block of quads: six times their volume to the centre, and the sum of their directed edges' numbers."""
    blocks = (len(quads) + block - 1) // block
    volume = np.zeros(blocks)
    balance = np.zeros(blocks, dtype=np.uint64)
    for k in numba.prange(blocks):
        corner = np.empty((4, 3))
        for q in range(k * block, min((k + 1) * block, len(quads))):
            for i in range(4):
                here, there = quads[q, i], quads[q, (i + 1) & 3]
                for axis in range(3):
                    corner[i, axis] = points[here, axis] - centre[axis]
                number = mix(np.uint64(min(here, there)) << SHIFT_32 | np.uint64(max(here, there)))
                if here < there:
                    balance[k] += number
                else:
                    balance[k] -= number
            a, b, c, d = corner[0], corner[1], corner[2], corner[3]
            ac = (a[0] - c[0]) ** 2 + (a[1] - c[1]) ** 2 + (a[2] - c[2]) ** 2
            bd = (b[0] - d[0]) ** 2 + (b[1] - d[1]) ** 2 + (b[2] - d[2]) ** 2
            if ac <= bd:
                volume[k] += determinant(a, b, c) + determinant(a, c, d)
            else:
                volume[k] += determinant(a, b, d) + determinant(b, c, d)
    return volume, balance


def measure(surface: Surface) -> tuple[float, bool]:
    """Volume of a surface, and whether it is closed: see `Surface.volume` and `Surface.is_closed`."""
    centre = surface.points[len(surface.points) // 2] if len(surface.points) else np.zeros(3)
    volume, balance = block_sums(surface.points, surface.faces, centre, 1 << 14)
    return float(volume.sum() / 6), bool(balance.sum(dtype=np.uint64) == 0)


def extract_surface(field: Field, grid: Grid, by_outside: bool) -> Surface:
    """As `surface.extract_surface`."""
    places, tables = places_of(field), cell_tables()
    bricks = field.table.coordinates(field.bricks)
    configuration, active = configurations(bricks, places, field.states, field.distance)
    rows = configuration.view(np.uint64)
    cells, count = count_cells(bricks, active, places, configuration, rows, tables.patches, tables.repair_face)
    first = np.concatenate([np.zeros((1, 2), dtype=np.int64), np.cumsum(count, axis=0)])
    first_vertex, first_quad = np.ascontiguousarray(first[:, 0]), np.ascontiguousarray(first[:, 1])
    points = make_vertices(
        bricks, places, field.states, field.distance, configuration, rows, cells, tables.patches, tables.patch,
        first_vertex, grid.origin, grid.voxel_size,
    )  # fmt: skip
    quads, source, missing = make_quads(
        bricks, places, configuration, rows, cells, tables.patch, first_vertex, field.source, by_outside, first_quad
    )
    if missing:
        raise CarveError(LEFT_BRICKS)
    return Surface(points, quads, source)
