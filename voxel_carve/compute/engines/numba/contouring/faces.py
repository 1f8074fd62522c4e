"""The pairs of crossings on faces, and border points, brick by brick: see `contouring.faces`."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import bends, borders, pairing
from ....contouring.cells import JOINED
from ....contouring.faces import MOST_AROUND
from ....model.bricks import BRICK_SIZE
from ....runtime.threads import in_runs
from ..compiler.calling import Prepared
from ..compiler.decorators import kernel, subroutine
from ..compiler.formulas import DOUBLE
from .blocks import (
    ROWS,
    SIDE,
    Crossings,
    EdgeBlock,
    Layout,
    Pairs,
    is_inside,
    load_edges,
    most_loops,
    number_at,
    octant_bits,
)

are_joined, place_borders = DOUBLE(pairing.are_joined), DOUBLE(borders.place_borders)
separate_pairs = DOUBLE(borders.separate_pairs)
orientation, are_alike = DOUBLE(bends.orientation), DOUBLE(bends.are_alike)

BRICKS_PER_RUN = 64
MOST_FACES = 3 * BRICK_SIZE**3 * BRICKS_PER_RUN
MOST_BORDERS = 8  # of a face
STRIDE = np.array([1, SIDE, SIDE**2], dtype=np.uint64)  # from voxel to voxel of a block along x, y and z


class FaceCrossings(NamedTuple):
    """See `formulas.language.Face`; and (8,) the `index` of each crossing among all."""

    point: npt.NDArray[np.float64]
    code: npt.NDArray[np.int32]
    sign: npt.NDArray[np.float64]
    leaves: npt.NDArray[np.int64]
    index: npt.NDArray[np.int64]  # type: ignore[assignment]


class FaceScratch(NamedTuple):
    """Scratch buffers for the faces of a run of bricks.

    Attributes:
        block: the edges of a block.    face: the crossings of a face.
        low: (3,) the least corner of the face.
        known, before: (64, 192) of the bricks with such a face: see `Pairs`.
        record, borders: (F,) what is found of each face: see `Pairs`, and the number of its border points.
        point, middle, codes, is_first, ends: (N, 3), (N, 3), (N, 2), (N,), (N, 2) the border points.
    """

    block: EdgeBlock
    face: FaceCrossings
    low: npt.NDArray[np.float64]
    known: npt.NDArray[np.uint8]
    before: npt.NDArray[np.uint16]
    record: npt.NDArray[np.uint16]
    borders: npt.NDArray[np.uint8]
    point: npt.NDArray[np.float64]
    middle: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int32]
    is_first: npt.NDArray[np.bool_]
    ends: npt.NDArray[np.int32]

    @classmethod
    def of(cls) -> "FaceScratch":
        """Buffers for any run."""
        face = FaceCrossings(
            np.empty((MOST_AROUND, 3)), np.empty(MOST_AROUND, np.int32), np.empty(MOST_AROUND),
            np.empty(MOST_AROUND, np.int64), np.empty(MOST_AROUND, np.int64),
        )  # fmt: skip
        return cls(
            EdgeBlock.of(), face, np.empty(3), np.empty((BRICKS_PER_RUN, 3 * ROWS), np.uint8),
            np.empty((BRICKS_PER_RUN, 3 * ROWS), np.uint16), np.empty(MOST_FACES, np.uint16),
            np.empty(MOST_FACES, np.uint8),
            np.empty((MOST_BORDERS * MOST_FACES, 3)), np.empty((MOST_BORDERS * MOST_FACES, 3)),
            np.empty((MOST_BORDERS * MOST_FACES, 2), np.int32),
            np.empty(MOST_BORDERS * MOST_FACES, np.bool_), np.empty((MOST_BORDERS * MOST_FACES, 2), np.int32),
        )  # fmt: skip


@subroutine
def gather_face(primitives, carves, crossings, block, axis, x, y, z, low, face):  # type: ignore[no-untyped-def]
    """Set `face` to the crossings around the face across an axis from voxel (x, y, z) of the block, in order.

    `low` is the voxel's centre. Return their number.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    count = 0
    for k in range(4):
        along = u if k == 0 or k == 2 else v
        far_u, far_v = (1 if k == 1 else 0), (1 if k == 2 else 0)
        fx = x + (far_u if u == 0 else 0) + (far_v if v == 0 else 0)
        fy = y + (far_u if u == 1 else 0) + (far_v if v == 1 else 0)
        fz = z + (far_u if u == 2 else 0) + (far_v if v == 2 else 0)
        number = number_at(block, along, fx, fy, fz)
        inside = is_inside(block, fx, fy, fz) == 1
        for m in range(number):
            n = m if k < 2 else number - 1 - m
            index = block.index[along, (fz * SIDE + fy) * SIDE + fx] + n
            forward_leaves = inside == (n % 2 == 0)
            for c in range(3):
                face.point[count, c] = low[c]
            face.point[count, u] += far_u
            face.point[count, v] += far_v
            face.point[count, along] += crossings.place[index]
            face.code[count] = crossings.code[index]
            face.sign[count] = orientation(primitives, carves, crossings.code[index], along, forward_leaves)
            face.leaves[count] = 1 if forward_leaves == (k < 2) else 0
            face.index[count] = index
            count += 1
    return count


@subroutine
def pair_face(primitives, carves, near, b, axis, count, scratch, border):  # type: ignore[no-untyped-def]
    """Set the border points of a face with `count` crossings, from `border` on. Return its record, and how many."""
    face = scratch.face
    u, v = (axis + 1) % 3, (axis + 2) % 3
    is_joined = count > 2 and are_joined(
        primitives, near.triangle, near.first_triangle[b], near.first_triangle[b + 1], face, count, u, v, scratch.low,
        scratch.point[border],
    )  # fmt: skip
    record = JOINED if is_joined else 0
    step = 1 if record else count - 1
    pair, borders = 0, 0
    for n in range(count):
        if face.leaves[n] == 0:
            continue
        m = (n + step) % count
        own = border + borders
        number = place_borders(
            primitives, carves, near.primitive, near.first[b], near.first[b + 1], near.thin[b], near.triangle,
            near.first_triangle[b], near.first_triangle[b + 1], axis, n, m, face, scratch.low, scratch, own,
        )  # fmt: skip
        scratch.is_first[own], scratch.is_first[own + 1] = number == 2, False
        for k in range(number):
            scratch.ends[own + k, 0], scratch.ends[own + k, 1] = face.index[n], face.index[m]
        record |= number << (2 * pair)
        borders += number
        pair += 1
    if borders > 1 or (borders == 1 and count > 2):
        separate_pairs(face, count, np.int64(step), np.int64(record & ~JOINED), axis, scratch, border)
    return record, borders


@kernel
def pair_faces(  # type: ignore[no-untyped-def]
    start, stop, layout, crossings, near, primitives, carves, count, scratch
):
    """Find the pairs of the faces of some bricks: see `Pairs`. They are set in `scratch`.

    count (B, 4) is set to each brick's faces, its border points, and the numbers of `most_loops`.
    """
    found, border, own = np.int64(0), np.int64(0), np.int64(0)
    block, low, face = scratch.block, scratch.low, scratch.face
    for b in range(start, stop):
        brick = layout.bricks[b]
        load_edges(brick, layout, crossings, block)
        faces_before, borders_before = found, border
        for axis in range(3):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            for k in range(BRICK_SIZE):
                for j in range(BRICK_SIZE):
                    row = (axis * BRICK_SIZE + k) * BRICK_SIZE + j
                    scratch.before[own, row], scratch.known[own, row] = found - faces_before, 0
                    uz, uy, vz, vy = k + (u == 2), j + (u == 1), k + (v == 2), j + (v == 1)
                    m0, m1 = block.crossed[u, k, j], block.crossed[v, uz, uy] >> (u == 0)
                    m2, m3 = block.crossed[u, vz, vy] >> (v == 0), block.crossed[v, k, j]
                    bits = (m0 | m1 | m2 | m3) & octant_bits(np.int64(layout.octants[b, 1]), k, j)
                    if bits == 0:
                        continue
                    # Faces with two edges that are crossed once.
                    simple = ~(m0 ^ m1 ^ m2 ^ m3) & ~(m0 & m1 & m2 & m3)
                    simple &= ~(block.twice[u, k, j] | block.twice[v, uz, uy] >> (u == 0))
                    simple &= ~(block.twice[u, vz, vy] >> (v == 0) | block.twice[v, k, j])
                    if near.thin[b]:
                        simple = 0
                    for i in range(BRICK_SIZE):
                        if bits >> i & 1 == 0:
                            continue
                        if simple >> i & 1:
                            at = np.uint64((k * SIDE + j) * SIDE + i)
                            beside_u, beside_v = at + STRIDE[u], at + STRIDE[v]
                            one = block.index[v, beside_u] if m1 >> i & 1 else block.index[u, beside_v]
                            one = block.index[u, at] if m0 >> i & 1 else one
                            other = block.index[u, beside_v] if m2 >> i & 1 else block.index[v, beside_u]
                            other = block.index[v, at] if m3 >> i & 1 else other
                            first, last = np.uint64(one), np.uint64(other)
                            s, t = np.float64(crossings.place[first]), np.float64(crossings.place[last])
                            # The first lies on the least of these edges, the other on the greatest.
                            su, sv = (s, 0.0) if m0 >> i & 1 else ((1.0, s) if m1 >> i & 1 else (s, 1.0))
                            tu, tv = (0.0, t) if m3 >> i & 1 else ((t, 1.0) if m2 >> i & 1 else (1.0, t))
                            if are_alike(
                                primitives, crossings.code[first], crossings.code[last], u, v, tu - su, tv - sv
                            ):
                                continue
                        low[0] = brick[2] * BRICK_SIZE + i + 0.5
                        low[1] = brick[1] * BRICK_SIZE + j + 0.5
                        low[2] = brick[0] * BRICK_SIZE + k + 0.5
                        number = gather_face(primitives, carves, crossings, block, axis, i, j, k, low, face)
                        record, borders = pair_face(
                            primitives, carves, near, b, np.int64(axis), np.int64(number), scratch, border
                        )
                        if number > 2 or borders > 0:
                            scratch.known[own, row] |= np.uint8(1 << i)
                            scratch.record[found], scratch.borders[found] = record, borders
                            found += 1
                            border += borders
        count[b, 0], count[b, 1] = found - faces_before, border - borders_before
        own += count[b, 0] > 0
        count[b, 2], count[b, 3] = most_loops(block)


class Near(NamedTuple):
    """The primitives near each of the B bricks.

    Attributes:
        first, primitive: (B + 1,), (P,) segments, see `Bins`.    first_triangle, triangle: triangles, likewise.
        thin: (B,) whether one of the segments is thin.
    """

    first: npt.NDArray[np.int64]
    primitive: npt.NDArray[np.int32]
    first_triangle: npt.NDArray[np.int64]
    triangle: npt.NDArray[np.int32]
    thin: npt.NDArray[np.bool_]


def find_pairs(
    layout: Layout, crossings: Crossings, near: Near, primitives: Any, carves: bool, bricks: int
) -> tuple[Pairs, npt.NDArray[np.int64]]:
    """The pairs on the faces of the first `bricks`, and the most vertices that each may have: see `most_vertices`."""
    number = np.zeros((len(layout.bricks), 4), dtype=np.int64)

    def bound() -> tuple[FaceScratch, Prepared]:
        own = FaceScratch.of()
        return own, pair_faces.prepared(0, 0, layout, crossings, near, primitives, carves, number, own)

    def run(start: int, stop: int, own: tuple[FaceScratch, Prepared]) -> tuple[npt.NDArray[Any], ...]:
        scratch, pair = own
        pair(start, stop)
        found, border = (int(total) for total in number[start:stop, :2].sum(axis=0))
        bricks = int(np.count_nonzero(number[start:stop, 0]))
        return (
            scratch.known[:bricks].copy(),
            scratch.before[:bricks].copy(),
            scratch.record[:found].copy(),
            scratch.borders[:found].copy(),
            scratch.point[:border].copy(),
            scratch.middle[:border].copy(),
            scratch.codes[:border].copy(),
            scratch.is_first[:border].copy(),
            scratch.ends[:border].copy(),
        )

    parts = in_runs(run, bricks, BRICKS_PER_RUN, scratch=bound)
    first = np.concatenate([[0], np.cumsum(number[:, 0])])
    known, before, record, borders, point, middle, codes, is_first, ends = (
        np.concatenate([part[i] for part in parts]) for i in range(9)
    )
    has_faces = number[:, 0] > 0
    row = np.where(has_faces, np.cumsum(has_faces) - 1, -1).astype(np.int32)
    first_border = np.cumsum(borders, dtype=np.int64) - borders
    pairs = Pairs(row, known, before, first, record, first_border, point, middle, codes, is_first, ends)
    return pairs, most_vertices(layout, number)


def most_vertices(layout: Layout, count: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The most vertices that bricks may have (B, 2): all, and those of cells that are not plain.

    There is one for each loop, and one for each border point in both cells beside it, of which one may be in the brick
    before. The same is true of faces, which make cells general.

    Args:
        count: (B, 4) see `pair_faces`.
    """
    faces = 2 * count[:, :2]
    of_bricks = np.vstack([count[:, :2], [0, 0]])  # and of one that is not there
    places = layout.places_of(slice(None))
    for step in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        faces += of_bricks.take(layout.beside(places, step), axis=0)
    every = count[:, 2] + faces[:, 1]
    return np.column_stack([every, np.minimum(every, count[:, 3] + faces.sum(axis=1))])
