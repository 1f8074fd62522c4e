"""Surface extraction compiled by numba: the steps of `surface`, brick by brick, with the same numbers."""

import numba
import numpy as np

from .bricks import BRICK_SIZE, BRICK_VOXELS, REACH, State
from .cells import EDGES, cell_tables, edge_at
from .errors import CarveError
from .grid import Grid
from .mesh import Surface
from .numba_kernels import inlined, parallel
from .surface import LEFT_BRICKS, Field, places_of

SOLID = int(State.SOLID)
CLAMP = np.float32(REACH)
SHIFT_32 = np.uint64(32)

# For each axis and each step back (v, u) along the next two axes: the edge of the cell that lies there.
RING_EDGES = np.array([[edge_at(axis, u, v) for u, v in ((1, 1), (0, 1), (0, 0), (1, 0))] for axis in range(3)])


@inlined
def locate(places, z, y, x):  # type: ignore[no-untyped-def]
    """Place of the brick and voxel of a grid voxel, which may be one outside the grid; -1 where it is not NEAR."""
    place = places[(z >> 3) + 1, (y >> 3) + 1, (x >> 3) + 1]
    return place, (z & 7) << 6 | (y & 7) << 3 | (x & 7)


@inlined
def value_at(places, states, distance, z, y, x):  # type: ignore[no-untyped-def]
    """Distance at a grid voxel: that of its brick's state where it is not NEAR, and outside beyond the grid."""
    place, voxel = locate(places, z, y, x)
    if place >= 0:
        return distance[place, voxel]
    bz, by, bx = z >> 3, y >> 3, x >> 3
    if bz < states.shape[0] and by < states.shape[1] and bx < states.shape[2] and states[bz, by, bx] == SOLID:
        return -CLAMP
    return CLAMP


@parallel
def configurations(bricks, places, states, distance):  # type: ignore[no-untyped-def]
    """(B, 512) uint8 configuration of each cell; bricks (B, 3) coordinates as (z, y, x)."""
    out = np.zeros((len(bricks), BRICK_VOXELS), dtype=np.uint8)
    for b in numba.prange(len(bricks)):
        inside = np.empty((BRICK_SIZE + 1, BRICK_SIZE + 1, BRICK_SIZE + 1), dtype=np.uint8)
        z0, y0, x0 = bricks[b, 0] * BRICK_SIZE, bricks[b, 1] * BRICK_SIZE, bricks[b, 2] * BRICK_SIZE
        for k in range(BRICK_SIZE + 1):
            for j in range(BRICK_SIZE + 1):
                for i in range(BRICK_SIZE + 1):
                    if k < BRICK_SIZE and j < BRICK_SIZE and i < BRICK_SIZE:
                        value = distance[b, (k * BRICK_SIZE + j) * BRICK_SIZE + i]
                    else:
                        value = value_at(places, states, distance, z0 + k, y0 + j, x0 + i)
                    inside[k, j, i] = value <= 0
        voxel = 0
        for k in range(BRICK_SIZE):
            for j in range(BRICK_SIZE):
                for i in range(BRICK_SIZE):
                    out[b, voxel] = (
                        inside[k, j, i] | inside[k, j, i + 1] << 1
                        | inside[k, j + 1, i] << 2 | inside[k, j + 1, i + 1] << 3
                        | inside[k + 1, j, i] << 4 | inside[k + 1, j, i + 1] << 5
                        | inside[k + 1, j + 1, i] << 6 | inside[k + 1, j + 1, i + 1] << 7
                    )  # fmt: skip
                    voxel += 1
    return out


@parallel
def count_cells(bricks, places, configuration, patches, repair_face):  # type: ignore[no-untyped-def]
    """(B, 512) uint8: 1 where the cell's ambiguous face is joined; (B, 2) int64: vertices and quads of each brick."""
    joined = np.zeros(configuration.shape, dtype=np.uint8)
    count = np.zeros((len(bricks), 2), dtype=np.int64)
    for b in numba.prange(len(bricks)):
        for voxel in range(BRICK_VOXELS):
            corners = configuration[b, voxel]
            if corners == 0 or corners == 255:
                continue
            face = repair_face[corners]
            if face >= 0:
                axis, step = face >> 1, 2 * (face & 1) - 1
                z = bricks[b, 0] * BRICK_SIZE + (voxel >> 6) + (step if axis == 2 else 0)
                y = bricks[b, 1] * BRICK_SIZE + (voxel >> 3 & 7) + (step if axis == 1 else 0)
                x = bricks[b, 2] * BRICK_SIZE + (voxel & 7) + (step if axis == 0 else 0)
                place, other = locate(places, z, y, x)
                if place >= 0 and repair_face[configuration[place, other]] == face ^ 1:
                    joined[b, voxel] = 1
            count[b, 0] += patches[joined[b, voxel], corners]
            for axis in range(3):
                count[b, 1] += (corners & 1) != (corners >> (1 << axis) & 1)
    return joined, count


@parallel
def make_vertices(bricks, places, states, distance, configuration, joined, patches, patch, edges, first, origin, size):  # type: ignore[no-untyped-def]
    """(V, 3) points in world space, those of brick b from first[b]; (B, 512) int32 first vertex of each cell."""
    points = np.empty((first[-1], 3))
    vertex_of = np.full(configuration.shape, -1, dtype=np.int32)
    for b in numba.prange(len(bricks)):
        vertex = first[b]
        value = np.empty(8, dtype=np.float32)
        total = np.empty((4, 3), dtype=np.float32)
        crossings = np.empty(4, dtype=np.float32)
        for voxel in range(BRICK_VOXELS):
            corners = configuration[b, voxel]
            if corners == 0 or corners == 255:
                continue
            z = bricks[b, 0] * BRICK_SIZE + (voxel >> 6)
            y = bricks[b, 1] * BRICK_SIZE + (voxel >> 3 & 7)
            x = bricks[b, 2] * BRICK_SIZE + (voxel & 7)
            for k in range(8):
                value[k] = value_at(places, states, distance, z + (k >> 2), y + (k >> 1 & 1), x + (k & 1))
            total[:] = 0
            crossings[:] = 0
            for edge in range(12):
                name = patch[joined[b, voxel], corners, edge]
                if name < 0:
                    continue
                start, end = edges[edge, 0], edges[edge, 1]
                place = value[start] / (value[start] - value[end])
                for axis in range(3):
                    at = np.float32(start >> axis & 1)
                    total[name, axis] += place + at if axis == edge >> 2 else at
                crossings[name] += 1
            vertex_of[b, voxel] = vertex
            for name in range(patches[joined[b, voxel], corners]):
                points[vertex, 0] = ((x + 0.5) + total[name, 0] / crossings[name]) * size + origin[0]
                points[vertex, 1] = ((y + 0.5) + total[name, 1] / crossings[name]) * size + origin[1]
                points[vertex, 2] = ((z + 0.5) + total[name, 2] / crossings[name]) * size + origin[2]
                vertex += 1
    return points, vertex_of


@parallel
def make_quads(bricks, places, configuration, joined, patch, vertex_of, source, by_outside, ring_edges, first):  # type: ignore[no-untyped-def]
    """(Q, 4) int32 vertices, (Q,) uint8 source, those of brick b from first[b]; and how many vertices were missing."""
    quads = np.empty((first[-1], 4), dtype=np.int32)
    sources = np.empty(first[-1], dtype=np.uint8)
    missing = 0
    for b in numba.prange(len(bricks)):
        quad = first[b]
        at = np.empty(3, dtype=np.int64)
        for voxel in range(BRICK_VOXELS):
            corners = configuration[b, voxel]
            if corners == 0 or corners == 255:
                continue
            for axis in range(3):
                start_inside = (corners & 1) == 1
                if start_inside == ((corners >> (1 << axis) & 1) == 1):
                    continue
                for k in range(4):
                    at[0] = bricks[b, 2] * BRICK_SIZE + (voxel & 7)
                    at[1] = bricks[b, 1] * BRICK_SIZE + (voxel >> 3 & 7)
                    at[2] = bricks[b, 0] * BRICK_SIZE + (voxel >> 6)
                    at[(axis + 1) % 3] -= k == 0 or k == 3
                    at[(axis + 2) % 3] -= k < 2
                    place, cell = locate(places, at[2], at[1], at[0])
                    vertex = -1
                    if place >= 0 and vertex_of[place, cell] >= 0:
                        edge = ring_edges[axis, k]
                        vertex = vertex_of[place, cell] + patch[joined[place, cell], configuration[place, cell], edge]
                    else:
                        missing += 1
                    quads[quad, k if start_inside else 3 - k] = vertex
                at[0] = bricks[b, 2] * BRICK_SIZE + (voxel & 7)
                at[1] = bricks[b, 1] * BRICK_SIZE + (voxel >> 3 & 7)
                at[2] = bricks[b, 0] * BRICK_SIZE + (voxel >> 6)
                at[axis] += start_inside == by_outside
                place, cell = locate(places, at[2], at[1], at[0])
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
    centre = surface.points.mean(axis=0) if len(surface.points) else np.zeros(3)
    volume, balance = block_sums(surface.points, surface.quads, centre, 1 << 14)
    return float(volume.sum() / 6), bool(balance.sum(dtype=np.uint64) == 0)


def extract_surface(field: Field, grid: Grid, by_outside: bool) -> Surface:
    """As `surface.extract_surface`."""
    places, tables = places_of(field), cell_tables()
    bricks = field.table.coordinates(field.bricks)
    configuration = configurations(bricks, places, field.states, field.distance)
    joined, count = count_cells(bricks, places, configuration, tables.patches, tables.repair_face)
    first = np.concatenate([np.zeros((1, 2), dtype=np.int64), np.cumsum(count, axis=0)])
    points, vertex_of = make_vertices(
        bricks, places, field.states, field.distance, configuration, joined, tables.patches, tables.patch, EDGES,
        np.ascontiguousarray(first[:, 0]), grid.origin, grid.voxel_size,
    )  # fmt: skip
    quads, source, missing = make_quads(
        bricks, places, configuration, joined, tables.patch, vertex_of, field.source, by_outside, RING_EDGES,
        np.ascontiguousarray(first[:, 1]),
    )  # fmt: skip
    if missing:
        raise CarveError(LEFT_BRICKS)
    return Surface(points, quads, source)
