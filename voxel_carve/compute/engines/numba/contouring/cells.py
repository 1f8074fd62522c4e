"""The vertices of cells, and the quads that they are corners of, brick by brick: see `contouring.vertices`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import bends, cells, overlaps, projection, vertices
from ....contouring.cells import CROSSING_SLOTS
from ....contouring.projection import MOST_FACETS, MOST_MEMBERS
from ....contouring.tables import CROSSED, EDGE_AXIS, EDGE_FIRST, FACE_EDGES, RING_PLACE, SLOTS, cell_tables
from ....model.bricks import BRICK_SIZE, Bins
from ....runtime.progress import with_progress
from ....runtime.threads import over_rows
from ..compiler.decorators import NONE, inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE
from .blocks import (
    BLOCK,
    SIDE,
    Crossings,
    EdgeBlock,
    Layout,
    Pairs,
    active_cells,
    corners_of,
    is_inside,
    load_edges,
    number_at,
    octant_bits,
)  # fmt: skip
from .sweep import NearestSegments, load_nearest

link_face, walk_face, orientation = DOUBLE(cells.link_face), DOUBLE(cells.walk_face), DOUBLE(bends.orientation)
middle_sign = DOUBLE(cells.middle_sign)
place_cell, place_patch = DOUBLE(vertices.place_cell), DOUBLE(vertices.place_patch)
cell_visited = DOUBLE(overlaps.cell_visited)
find_around, find_facets = DOUBLE(projection.find_around), DOUBLE(projection.find_facets)

BRICKS_PER_RUN = 64

# From the place of a cell in its block to that of the voxel that each edge starts at.
EDGE_START = (EDGE_FIRST[:, None] >> np.arange(3) & 1) @ np.array([1, SIDE, SIDE**2])


class PatchScratch(NamedTuple):
    """What a plain cell needs of `CellScratch`: each array more makes calls slower."""

    corner: npt.NDArray[np.float64]
    point: npt.NDArray[np.float64]
    code: npt.NDArray[np.int32]
    loop: npt.NDArray[np.int64]
    at_corners: npt.NDArray[np.int32]
    codes: npt.NDArray[np.int32]
    signs: npt.NDArray[np.float64]
    group: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]


class CellScratch(NamedTuple):
    """See `formulas.language.CellLoops`; and what a brick needs.

    Attributes:
        block: the edges of a block.
        face: (3, 729) int32, the face across each axis from each voxel, as a row of `Pairs`; -1 for none.
        faces: (3, 9, 9) int64, a bit for each voxel of a row with such a face.
        index: (24,) of the crossing in each slot.
        nearest: (729,) the segments nearest to the voxels of a block.
    """

    corner: npt.NDArray[np.float64]
    face_edges: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]
    starts_inside: npt.NDArray[np.int64]
    point: npt.NDArray[np.float64]
    code: npt.NDArray[np.int32]
    sign: npt.NDArray[np.float64]
    next: npt.NDArray[np.int64]
    border: npt.NDArray[np.int64]
    border_point: npt.NDArray[np.float64]
    border_code: npt.NDArray[np.int32]
    border_side: npt.NDArray[np.int64]
    taken: npt.NDArray[np.int64]
    vertex: npt.NDArray[np.int64]
    hub: npt.NDArray[np.int64]
    around: npt.NDArray[np.int64]
    leaves: npt.NDArray[np.int64]
    loop: npt.NDArray[np.int64]
    run_end: npt.NDArray[np.int64]
    remaining: npt.NDArray[np.int64]
    remaining_end: npt.NDArray[np.int64]
    one_with: npt.NDArray[np.int64]
    hub_run: npt.NDArray[np.int64]
    hub_end: npt.NDArray[np.int64]
    surface: npt.NDArray[np.int64]
    at_corners: npt.NDArray[np.int32]
    far: npt.NDArray[np.float64]
    facets: npt.NDArray[np.int32]
    facet_count: npt.NDArray[np.int64]
    near: npt.NDArray[np.int32]
    near_sign: npt.NDArray[np.float64]
    near_count: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    signs: npt.NDArray[np.float64]
    group: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]
    block: EdgeBlock
    face: npt.NDArray[np.int32]
    faces: npt.NDArray[np.int64]
    index: npt.NDArray[np.int64]  # type: ignore[assignment]
    nearest: npt.NDArray[np.int32]
    patch: PatchScratch

    @classmethod
    def of(cls) -> "CellScratch":
        """Buffers for any brick."""
        whole = [np.empty(size, np.int64) for size in (12, 12, *[SLOTS] * 5, 8, 8, *[SLOTS] * 7, 3)]
        made = cls(
            np.empty(3), FACE_EDGES.astype(np.int64), whole[0], whole[1], np.empty((SLOTS, 3)),
            np.empty(SLOTS, np.int32), np.empty(SLOTS), whole[2], whole[3], np.empty((SLOTS, 3)),
            np.empty((SLOTS, 2), np.int32), np.empty(SLOTS, np.int64), whole[4], whole[5],
            whole[6], whole[7], whole[8], whole[9], whole[10], whole[11], whole[12], whole[13], whole[14], whole[15],
            whole[16],
            np.empty(8, np.int32), np.empty(8), np.empty(MOST_FACETS, np.int32), np.empty(1, np.int64),
            np.empty(SLOTS, np.int32), np.empty(SLOTS), np.empty(1, np.int64),
            np.empty(MOST_MEMBERS, np.int32),
            np.empty(MOST_MEMBERS), np.empty(MOST_MEMBERS, np.int64), np.empty((3, 4)), np.empty(3), EdgeBlock.of(),
            np.empty((3, BLOCK), np.int32), np.empty((3, SIDE, SIDE), np.int64), np.empty(SLOTS, np.int64),
            np.empty(BLOCK, np.int32), None,  # type: ignore[arg-type]
        )  # fmt: skip
        return made._replace(patch=PatchScratch(*(getattr(made, name) for name in PatchScratch._fields)))


@subroutine
def load_faces(brick, layout, pairs, face, faces):  # type: ignore[no-untyped-def]
    """Set face (3, 729) and faces (3, 9, 9) for the block of a brick (z, y, x): see `CellScratch`."""
    for axis in range(3):
        for k in range(SIDE):
            for j in range(SIDE):
                faces[axis, k, j] = 0
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        place = layout.places[brick[0] + dz + 1, brick[1] + dy + 1, brick[2] + dx + 1]
        if place < 0:
            continue
        depth, height = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE
        own = pairs.row[place]
        if own < 0:
            continue
        first = pairs.first[place]
        for axis in range(3):
            for k in range(depth):
                for j in range(height):
                    row = (axis * BRICK_SIZE + k) * BRICK_SIZE + j
                    mask = np.int64(pairs.known[own, row])
                    if dx:
                        mask &= 1
                    if mask == 0:
                        continue
                    z, y = dz * BRICK_SIZE + k, dy * BRICK_SIZE + j
                    faces[axis, z, y] |= mask << (dx * BRICK_SIZE)
                    index = first + pairs.before[own, row]
                    at = (z * SIDE + y) * SIDE + dx * BRICK_SIZE
                    for i in range(BRICK_SIZE):
                        if mask >> i & 1:
                            face[axis, at + i] = index
                            index += 1


@subroutine
def general_cells(block, faces, k, j):  # type: ignore[no-untyped-def]
    """The cells of a row that are not plain: a bit for each."""
    _, general = active_cells(block, k, j)
    general |= faces[0, k, j] | faces[0, k, j] >> 1
    general |= faces[1, k, j] | faces[1, k, j + 1]
    general |= faces[2, k, j] | faces[2, k + 1, j]
    return general & 255


@subroutine
def gather_cell(primitives, carves, crossings, x, y, z, scratch):  # type: ignore[no-untyped-def]
    """Set the crossings of the cell at voxel (x, y, z) of the block in `scratch`."""
    block, at = scratch.block, (z * SIDE + y) * SIDE + x
    scratch.near_count[0] = 0
    for edge in range(12):
        axis, first = EDGE_AXIS[edge], EDGE_FIRST[edge]
        fx, fy, fz = x + (first & 1), y + (first >> 1 & 1), z + (first >> 2)
        number, inside = number_at(block, axis, fx, fy, fz), is_inside(block, fx, fy, fz)
        scratch.number[edge], scratch.starts_inside[edge] = number, inside
        scratch.taken[2 * edge], scratch.taken[2 * edge + 1] = 1, 1
        for n in range(number):
            slot, index = 2 * edge + n, block.index[axis, at + EDGE_START[edge]] + n
            for c in range(3):
                scratch.point[slot, c] = scratch.corner[c] + (first >> c & 1)
            scratch.point[slot, axis] += crossings.place[index]
            code = crossings.code[index]
            sign = orientation(primitives, carves, code, axis, (inside == 1) == (n == 0))
            scratch.code[slot], scratch.sign[slot] = code, sign
            count, is_new = scratch.near_count[0], code != NONE
            for m in range(count):
                is_new = is_new and scratch.near[m] != code
            if is_new:
                scratch.near[count], scratch.near_sign[count] = code, sign
                scratch.near_count[0] = count + 1
            scratch.index[slot] = index
            scratch.taken[slot] = 0
            scratch.border[slot] = -1


@inlined
def name_corners(x, y, z, near, scratch):  # type: ignore[no-untyped-def]
    """Set scratch.at_corners for the cell at voxel (x, y, z) of the block. `near` says whether the sweep is near."""
    at = (z * SIDE + y) * SIDE + x
    for c in range(8):
        scratch.at_corners[c] = NONE
        if near:
            segment = scratch.nearest[at + (c & 1) + (c >> 1 & 1) * SIDE + (c >> 2) * SIDE * SIDE]
            scratch.at_corners[c] = -1 - segment if segment != NONE else NONE


@inlined
def place_plain(  # type: ignore[no-untyped-def]
    primitives, rule, crossings, patches, patch, x, y, z, vertex, points, quads, block, scratch
):
    """Place the vertices of a plain cell: one for each of its patches. Return the next free one."""
    at, corners = (z * SIDE + y) * SIDE + x, corners_of(block, x, y, z)
    for number in range(patches[0, corners]):
        count = 0
        for n in range(CROSSED[corners, 12]):
            edge = np.uint64(CROSSED[corners, n])
            if patch[0, corners, edge] != number:
                continue
            axis, first = np.uint64(EDGE_AXIS[edge]), EDGE_FIRST[edge]
            index = np.uint64(block.index[axis, np.uint64(at + EDGE_START[edge])])
            scratch.point[edge, 0] = scratch.corner[0] + (first & 1)
            scratch.point[edge, 1] = scratch.corner[1] + (first >> 1 & 1)
            scratch.point[edge, 2] = scratch.corner[2] + (first >> 2)
            scratch.point[edge, axis] += crossings.place[index]
            scratch.code[edge] = crossings.code[index]
            scratch.loop[count] = np.int64(edge)
            quads[index, np.uint64(RING_PLACE[edge])] = vertex
            count += 1
        place_patch(primitives, rule, scratch, np.int64(count), points[vertex])
        vertex += 1
    return vertex


@subroutine
def place_general(primitives, rule, pairs, x, y, z, vertex, points, origins, quads, first_quad, scratch):  # type: ignore[no-untyped-def]
    """Place the vertices of a cell by its loops: points and origins (V, 3). Return their number.

    Args:
        vertex: the index of the first among all.    first_quad: that of the first quad of a border point.
    """
    # False alone is a type of its own, and all below would be compiled for it too.
    is_crowded, at = bool(0), (z * SIDE + y) * SIDE + x
    for side in range(6):
        axis, far = side >> 1, side & 1
        place = at + far * (1 if axis == 0 else (SIDE if axis == 1 else SIDE * SIDE))
        record, border = np.int64(0), np.int64(0)
        if scratch.faces[axis, place // (SIDE * SIDE), place // SIDE % SIDE] >> (place % SIDE) & 1:
            face = scratch.face[axis, place]
            record, border = np.int64(pairs.record[face]), np.int64(pairs.first_border[face])
        is_crowded |= link_face(scratch, np.int64(side), record, border)
    for slot in range(CROSSING_SLOTS):
        if scratch.taken[slot] == 0 and scratch.border[slot] >= 0:
            border, middle = scratch.border[slot], CROSSING_SLOTS + slot
            side = scratch.border_side[slot]
            for c in range(3):
                scratch.border_point[slot, c] = pairs.point[border, c]
            for c in range(2):
                scratch.border_code[slot, c] = pairs.codes[border, c ^ side]
            if scratch.next[slot] == middle:
                after = scratch.border[middle]
                for c in range(3):
                    scratch.border_point[middle, c] = pairs.point[after, c]
                    scratch.point[middle, c] = pairs.middle[border, c]
                for c in range(2):
                    scratch.border_code[middle, c] = pairs.codes[after, c ^ side]
                scratch.code[middle] = scratch.border_code[slot, 1]
                scratch.sign[middle] = middle_sign(scratch, np.int64(slot), rule.carves)
    count = place_cell(primitives, rule, scratch, is_crowded, np.int64(0), points, origins)
    for edge in range(12):
        for n in range(scratch.number[edge]):
            slot = 2 * edge + n
            quads[scratch.index[slot], RING_PLACE[edge]] = vertex + scratch.vertex[slot]
    for side in range(6):
        axis, far = side >> 1, side & 1
        place = at + far * (1 if axis == 0 else (SIDE if axis == 1 else SIDE * SIDE))
        if scratch.faces[axis, place // (SIDE * SIDE), place // SIDE % SIDE] >> (place % SIDE) & 1 == 0:
            continue
        face = scratch.face[axis, place]
        record, border = np.int64(pairs.record[face]), np.int64(pairs.first_border[face])
        around = walk_face(scratch, np.int64(side))
        step = 1 if record & cells.JOINED else around - 1
        pair = 0
        for n in range(around):
            if scratch.leaves[n] == 0:
                continue
            borders = record >> (2 * pair) & 3
            leaving, entering = scratch.around[n], scratch.around[(n + step) % around]
            start = leaving if far == 1 else entering
            for m in range(borders):
                # The slots on both sides of the border point, from the one that leaves to the one that enters.
                one = leaving if m == 0 else CROSSING_SLOTS + start
                other = entering if m == borders - 1 else CROSSING_SLOTS + start
                hub = vertex + scratch.hub[one if far == 1 else other]
                quad = first_quad + 2 * (border + m)
                if far == 1:
                    quads[quad, 0], quads[quad, 1] = vertex + scratch.vertex[one], hub
                    quads[quad + 1, 0], quads[quad + 1, 1] = hub, vertex + scratch.vertex[other]
                else:
                    quads[quad, 2], quads[quad, 3] = hub, vertex + scratch.vertex[one]
                    quads[quad + 1, 2], quads[quad + 1, 3] = vertex + scratch.vertex[other], hub
            border += borders
            pair += 1
    return count


@kernel
def make_cells(  # type: ignore[no-untyped-def]
    start, stop, begin, layout, crossings, pairs, bins, sweep, primitives, rule, patches, patch, vertices, first_quad,
    scratch,
):  # fmt: skip
    """Place the vertices of some bricks, and enter them in their quads.

    Args:
        begin: the first brick that start and stop count from.    bins: the triangles near each brick.
        vertices: see `Vertices`. All but `first` is output.
        first_quad: the first quad of a border point.
    """
    block, first, count = scratch.block, vertices.first, vertices.count
    points, origins, quads = vertices.points, vertices.origins, vertices.quads
    for b in range(begin + start, begin + stop):
        count[b, 0], count[b, 1] = 0, 0
        if first[b + 1, 0] == first[b, 0]:
            continue
        brick = layout.bricks[b]
        load_edges(brick, layout, crossings, block)
        load_faces(brick, layout, pairs, scratch.face, scratch.faces)
        near = sweep.row[b] >= 0
        if near:
            load_nearest(brick, layout, sweep, scratch.nearest)
        vertex, row = first[b, 0], first[b, 1]
        for k in range(BRICK_SIZE):
            for j in range(BRICK_SIZE):
                active, _ = active_cells(block, k, j)
                active &= octant_bits(np.int64(layout.octants[b, 2]), k, j)
                if active == 0:
                    continue
                general = general_cells(block, scratch.faces, k, j)
                for i in range(BRICK_SIZE):
                    if active >> i & 1 == 0:
                        continue
                    scratch.corner[0] = brick[2] * BRICK_SIZE + i + 0.5
                    scratch.corner[1] = brick[1] * BRICK_SIZE + j + 0.5
                    scratch.corner[2] = brick[0] * BRICK_SIZE + k + 0.5
                    if general >> i & 1 == 0:
                        name_corners(i, j, k, near, scratch)
                        vertex = place_plain(
                            primitives,
                            rule,
                            crossings,
                            patches,
                            patch,
                            i,
                            j,
                            k,
                            vertex,
                            points,
                            quads,
                            block,
                            scratch.patch,
                        )
                    else:
                        find_around(primitives, sweep.segment, sweep.first[b], sweep.first[b + 1], scratch)
                        find_facets(primitives, bins.primitive, bins.first[b], bins.first[b + 1], scratch)
                        gather_cell(primitives, rule.carves, crossings, i, j, k, scratch)
                        own = place_general(
                            primitives, rule, pairs, i, j, k, vertex, points[vertex:], origins[row:], quads,
                            first_quad, scratch,
                        )  # fmt: skip
                        for _ in range(own):
                            vertices.is_general[vertex] = True
                            vertices.vertex[row] = vertex
                            vertices.cell[row] = (k * BRICK_SIZE + j) * BRICK_SIZE + i
                            vertices.visited[row] = cell_visited(scratch, points, vertex)
                            vertex += 1
                            row += 1
        count[b, 0], count[b, 1] = vertex - first[b, 0], row - first[b, 1]


class Vertices(NamedTuple):
    """The vertices of all bricks, with gaps between those of two bricks, and the quads.

    Attributes:
        first, count: (B + 1, 2), (B, 2) the first vertex of each brick, and how many it has; then likewise of its
            vertices in cells that are not plain.
        points, is_general: (V, 3) in voxels from the grid's origin, (V,) which are in cells that are not plain.
        vertex, cell: (G,) these, in the order of `first`, and the cell of each in its brick, 0 to 511.
        origins, visited: (G, 3) where each of these came from, (G,) which cell it visits: see `overlaps.cell_visited`.
        quads: (Q, 4) int32: one for each crossing, then two for each border point. -1 where a cell is missing.
    """

    first: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]  # type: ignore[assignment]
    points: npt.NDArray[np.float64]
    is_general: npt.NDArray[np.bool_]
    vertex: npt.NDArray[np.int32]
    cell: npt.NDArray[np.int16]
    origins: npt.NDArray[np.float64]
    visited: npt.NDArray[np.int8]
    quads: npt.NDArray[np.int32]


def place_vertices(
    layout: Layout,
    crossings: Crossings,
    pairs: Pairs,
    bins: Bins,
    most: npt.NDArray[np.int64],
    nearest_in: Callable[[slice], NearestSegments],
    slabs: list[slice],
    primitives: Any,
    rule: Any,
) -> Vertices:
    """The vertices and quads of all bricks.

    Args:
        bins: the triangles near each brick.    most: (B, 2) see `most_vertices`.
        nearest_in: gives the segments that are nearest in a slab of bricks.    slabs: all of them; other bricks get no
            vertices.
    """
    tables = cell_tables()
    first = np.vstack([[[0, 0]], np.cumsum(most, axis=0)])
    slots, of_general = first[-1].tolist()
    crossed, borders = len(crossings.place), len(pairs.point)
    vertices = Vertices(
        first, np.zeros_like(most), np.empty((slots, 3)), np.zeros(slots, dtype=np.bool_),
        np.empty(of_general, dtype=np.int32), np.empty(of_general, dtype=np.int16), np.empty((of_general, 3)),
        np.empty(of_general, dtype=np.int8), np.full((crossed + 2 * borders, 4), -1, dtype=np.int32),
    )  # fmt: skip
    for rows in with_progress(slabs):
        over_rows(
            make_cells, rows.stop - rows.start, BRICKS_PER_RUN, rows.start, layout, crossings, pairs, bins,
            nearest_in(rows), primitives, rule, tables.patches, tables.patch, vertices, crossed,
            scratch=CellScratch.of,
        )  # fmt: skip
    return vertices
