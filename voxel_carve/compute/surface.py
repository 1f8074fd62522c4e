"""From the field in bricks to a closed mesh: one vertex per patch of surface in a cell, one quad per crossed edge.

A cell belongs to the brick of its corner with the least coordinates. Its index in the brick is that corner's.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from .active_cells import HERE, WEIGHTS, ActiveCells, active_cells, inside_words, joined_cells
from .bricks import BRICK_SIZE, BRICK_VOXELS, NO_PRIMITIVE, State
from .cells import EDGES, cell_tables, edge_at
from .errors import CarveError
from .fields import Field, places_of
from .grid import Grid
from .hermite import Primitives, Rule, cross_edges, is_known
from .hiding import codes_around
from .mesh import DualMesh, Source, Surface
from .progress import checkpoint, share, steps
from .quads import RING, split_quads
from .sharp_edges import complete_edges
from .threads import map_blocks, slices
from .vertices import EDGE_CORNER, FALLBACK, PARTLY, SHARP, Patches, keep_apart, place

Indices = npt.NDArray[np.int64]
Points = npt.NDArray[np.float64]

BRICKS_PER_BLOCK = 512
CELLS_PER_BLOCK = 1 << 14
VERTICES_PER_BLOCK = 1 << 13

# The words of a brick all outside, and of one all inside: see `active_cells`.
UNIFORM_WORDS = np.array([[0] * BRICK_SIZE, [2**64 - 1] * BRICK_SIZE], dtype=np.uint64)

LEFT_BRICKS = "the surface leaves the bricks where it was looked for: please report this as a bug"


def _step(axis: int, sign: int) -> tuple[Indices, Indices]:
    """Of a step along an axis, 1 or -1, from each of the 512 voxels: how the brick's number changes, and its own."""
    out = (np.arange(BRICK_VOXELS) >> 3 * axis & 7) == (BRICK_SIZE - 1 if sign > 0 else 0)
    return out * (sign * WEIGHTS[axis]), np.where(out, -sign * (BRICK_SIZE - 1), sign) << 3 * axis


STEPS = {(axis, sign): _step(axis, sign) for axis in range(3) for sign in (1, -1)}


@dataclass(frozen=True)
class Placed:
    """How many vertices were put where surfaces meet, and how many could not be, though several are in their cell:
    these lie on one of them."""

    sharp: int
    fallback: int

    @classmethod
    def of(cls, kinds: npt.NDArray[np.uint8]) -> "Placed":
        """Counted, by what became of each vertex (V,): see `vertices`."""
        return cls(int(((kinds == SHARP) | (kinds == PARTLY)).sum()), int((kinds == FALLBACK).sum()))


def extract_surface(field: Field, grid: Grid) -> tuple[Surface, Placed]:
    """The surface between inside and outside.

    Args:
        field: no voxel at the sides of the grid may be inside.
        grid: where the voxels lie.

    Returns:
        A closed, oriented 2-manifold, empty where nothing is inside; and what became of its vertices.

    Raises:
        CarveError: the surface leaves the bricks of the field.
    """
    if len(field.bricks) == 0:
        return Surface.empty(), Placed(0, 0)
    around = _around(field)
    blocks = slices(len(field.bricks), BRICKS_PER_BLOCK)
    with share(0.0, 0.02):
        words = np.concatenate([*map_blocks(lambda rows: inside_words(field.distance[rows]), blocks), UNIFORM_WORDS])
        cells = joined_cells(list(map_blocks(lambda rows: active_cells(words, around, rows), blocks)))
    primitives = Primitives(field.segments, field.triangles, Rule.of(field.operation))
    with share(0.02, 0.1):
        edges = _cross_edges(field, primitives, cells, around)
    with share(0.1, 0.13):
        vertices = _number_vertices(field, cells, _repaired(cells, around))
        rings = _rings(cells, edges, vertices, around)
    with share(0.13, 0.65):
        points, kinds = _place_vertices(field, primitives, cells, edges, vertices, around)
    with share(0.65, 0.7):
        quads = _oriented(rings, edges, _split(rings, edges, points))
    mesh = DualMesh(np.ascontiguousarray(points.T), quads, edges.code, kinds)
    with share(0.7, 1.0):
        complete_edges(primitives, mesh, partial(codes_around, field, places_of(field)))
    return finish_surface(field, grid, mesh)


def finish_surface(field: Field, grid: Grid, mesh: DualMesh) -> tuple[Surface, Placed]:
    """Put a mesh into the world, and name its primitives as callers do.

    Args:
        field: which it is the surface of.
        grid: where the voxels lie.
        mesh: with its edges complete.
    """
    source, primitive = _sources(field, mesh.codes)
    return Surface(grid.to_world(mesh.points), mesh.quads, source, primitive), Placed.of(mesh.kinds)


def _around(field: Field) -> npt.NDArray[np.int32]:
    """(27, B): rows of the bricks around each one, in the order of `active_cells`.

    The place in the field, or after its B bricks one for all that are EMPTY or beyond the table, and one for the SOLID.
    """
    bricks, places = len(field.bricks), places_of(field)
    uniform = np.full(places.shape, bricks, dtype=np.int32)
    uniform[1:-1, 1:-1, 1:-1] += field.states == State.SOLID
    rows = np.where(places < 0, uniform, places).ravel()
    z, y, x = field.table.coordinates(field.bricks).T + 1
    here = (z * places.shape[1] + y) * places.shape[2] + x
    dz, dy, dx = (step.ravel() - 1 for step in np.indices((3, 3, 3)))
    steps = (dz * places.shape[1] + dy) * places.shape[2] + dx
    return np.stack([rows[here + step] for step in steps])


class _Steps:
    """Neighbours of voxels (C,), whose bricks have the places `brick` (C,) in the field: see `_around`."""

    def __init__(self, brick: Indices, voxel: Indices, around: npt.NDArray[np.int32]) -> None:
        self._around, self._stride = around.ravel(), around.shape[1]
        self._brick, self._voxel = brick + HERE * self._stride, voxel

    def to(self, *steps: tuple[int, int]) -> tuple[Indices, Indices]:
        """Rows and voxels a step away along each of some axes: pairs (axis, 1 or -1)."""
        brick, voxel = self._brick, self._voxel
        for step in steps:
            brick_step, voxel_step = STEPS[step]
            brick, voxel = brick + (brick_step * self._stride)[self._voxel], voxel + voxel_step[self._voxel]
        return self._around[brick].astype(np.int64), voxel


def _repaired(cells: ActiveCells, around: npt.NDArray[np.int32]) -> Indices:
    """(C,): 1 where the cell's ambiguous face is to be joined, because the cell beyond it needs the same."""
    joined = np.zeros(len(cells.brick), dtype=np.int64)
    repair_face = cell_tables().repair_face[cells.configuration]
    place = cells.brick * BRICK_VOXELS + cells.voxel
    for face in range(6):
        mine = np.flatnonzero(repair_face == face)
        row, voxel = _Steps(cells.brick[mine], cells.voxel[mine], around).to((face >> 1, 2 * (face & 1) - 1))
        wanted = row * BRICK_VOXELS + voxel
        other = np.minimum(np.searchsorted(place, wanted), len(place) - 1)
        joined[mine] = (place[other] == wanted) & (repair_face[other] == (face ^ 1))
    return joined


@dataclass(frozen=True)
class _Edges:
    """The edges that the surface crosses, each with a quad around it, in order of cell, then axis.

    Attributes:
        axis: (Q,) int8, 0 is x.
        start: (Q, 3) float64, the first end, in voxels from the grid's origin.
        start_inside: (Q,) whether that is inside.
        place, code: (Q,) see `hermite.cross_edges`.
        number: (3, B * 512) int32, the edge along each axis from each voxel, -1 where it is not crossed.
    """

    axis: npt.NDArray[np.int8]
    start: Points
    start_inside: npt.NDArray[np.bool_]
    place: Points
    code: npt.NDArray[np.int32]
    number: npt.NDArray[np.int32]


def _cross_edges(field: Field, primitives: Primitives, cells: ActiveCells, around: npt.NDArray[np.int32]) -> _Edges:
    """Find where each crossed edge is crossed."""
    configuration = cells.configuration
    crossed = ((configuration ^ np.stack([configuration >> (1 << axis) for axis in range(3)])) & 1).astype(bool)
    before = np.concatenate([[0], np.cumsum(crossed.sum(axis=0, dtype=np.int64))])
    count = int(before[-1])
    edges = _Edges(
        np.empty(count, dtype=np.int8),
        np.empty((count, 3)),
        np.empty(count, dtype=bool),
        np.empty(count),
        np.empty(count, dtype=np.int32),
        np.empty((3, len(field.bricks) * BRICK_VOXELS), dtype=np.int32),
    )
    for number in edges.number:
        checkpoint()
        number[:] = -1

    def fill(block: slice) -> None:
        for axis in range(3):
            owner = block.start + np.flatnonzero(crossed[axis, block])
            at = before[owner] + crossed[:axis, owner].sum(axis=0, dtype=np.int64)
            brick, voxel = cells.brick[owner], cells.voxel[owner]
            row, place = _Steps(brick, voxel, around).to((axis, 1))
            if (row >= len(field.bricks)).any():
                raise CarveError(LEFT_BRICKS)
            start = _corners(field, brick, voxel)
            distance = np.stack([field.distance[brick, voxel], field.distance[row, place]])
            nearest = np.stack([field.nearest[brick, voxel], field.nearest[row, place]])
            edges.axis[at], edges.start[at], edges.start_inside[at] = axis, start.T, distance[0] <= 0
            edges.place[at], edges.code[at] = cross_edges(primitives, distance, nearest, start, axis)
            edges.number[axis, brick * BRICK_VOXELS + voxel] = at

    for _ in map_blocks(fill, slices(len(cells.brick), CELLS_PER_BLOCK)):
        pass
    return edges


def _corners(field: Field, brick: Indices, voxel: Indices) -> Points:
    """(3, C) the first corners of cells, in voxels from the grid's origin."""
    corner = field.table.coordinates(field.bricks[brick]).T[::-1].astype(np.float64)
    corner *= BRICK_SIZE
    corner += np.stack([voxel & 7, voxel >> 3 & 7, voxel >> 6]) + 0.5
    return corner


@dataclass(frozen=True)
class _Vertices:
    """Which vertices a cell has.

    Attributes:
        count: how many there are.
        of_voxel: (B * 512,) int32, one more than the only vertex of the cell; minus one more than its place among the
            cells, where it has several; 0 where there is none.
        first: (C,) int64, the first vertex of each cell.
        shape: (C,) int64, the configuration of each cell, and 256 more where its ambiguous face is joined.
    """

    count: int
    of_voxel: npt.NDArray[np.int32]
    first: Indices
    shape: Indices

    def at(self, place: Indices, edge: int) -> Indices:
        """(N,) vertices of the edges `edge` of the cells at `place` (N,).

        Raises:
            CarveError: a cell has no vertex.
        """
        if len(place) and place.max() >= len(self.of_voxel):
            raise CarveError(LEFT_BRICKS)
        vertex = self.of_voxel[place].astype(np.int64) - 1
        several = np.flatnonzero(vertex < 0)
        if (vertex[several] == -1).any():
            raise CarveError(LEFT_BRICKS)
        cell = -2 - vertex[several]
        vertex[several] = self.first[cell] + cell_tables().patch.reshape(-1, 12)[self.shape[cell], edge]
        return vertex


def _number_vertices(field: Field, cells: ActiveCells, joined: Indices) -> _Vertices:
    """Number the patches of the cells; `joined` (C,) is 1 where the cell's ambiguous face is joined."""
    shape = cells.configuration + 256 * joined
    count = cell_tables().patches.reshape(-1)[shape]
    total = np.cumsum(count, dtype=np.int64)
    first = total - count
    of_voxel = np.zeros(len(field.bricks) * BRICK_VOXELS, dtype=np.int32)
    for block in steps(slices(len(shape), CELLS_PER_BLOCK)):
        several = -1 - np.arange(block.start, block.stop)
        at = cells.brick[block] * BRICK_VOXELS + cells.voxel[block]
        of_voxel[at] = np.where(count[block] == 1, first[block] + 1, several)
    return _Vertices(int(total[-1]) if len(total) else 0, of_voxel, first, shape)


def _place_vertices(
    field: Field,
    primitives: Primitives,
    cells: ActiveCells,
    edges: _Edges,
    vertices: _Vertices,
    around: npt.NDArray[np.int32],
) -> tuple[Points, npt.NDArray[np.uint8]]:
    """Where each vertex lies, (3, V) in voxels from the grid's origin, and what became of it (V,)."""
    points, kinds = np.empty((3, vertices.count)), np.empty(vertices.count, dtype=np.uint8)
    names = np.ascontiguousarray(cell_tables().patch.reshape(-1, 12).T)
    patches = cell_tables().patches.reshape(-1)

    def fill(block: slice) -> None:
        which = np.arange(block.start, block.stop)
        name, most = names.take(vertices.shape[block], axis=1), patches[vertices.shape[block]]
        whole = _patches_of(field, cells, edges, around, which, name >= 0)
        for number in range(int(most.max())):
            has = np.flatnonzero(most > number)
            vertex = vertices.first[which[has]] + number
            patch = replace(whole.at(has), crossed=name[:, has] == number)
            placed, kinds[vertex] = place(primitives, patch)
            keep_apart(placed, patch.corner)
            points[:, vertex] = placed

    for _ in map_blocks(fill, slices(len(cells.brick), VERTICES_PER_BLOCK)):
        pass
    return points, kinds


def _patches_of(
    field: Field,
    cells: ActiveCells,
    edges: _Edges,
    around: npt.NDArray[np.int32],
    which: Indices,
    crossed: npt.NDArray[np.bool_],
) -> Patches:
    """The cells `which` (N,) with all of their edges that are `crossed` (12, N), as if they had one patch each."""
    brick, voxel = cells.brick[which], cells.voxel[which]
    steps, corner, bricks = _Steps(brick, voxel, around), _corners(field, brick, voxel), len(field.bricks)
    nearest = np.full((8, len(which)), NO_PRIMITIVE, dtype=np.int32)
    places = []
    for k in range(8):
        row, there = steps.to(*((axis, 1) for axis in range(3) if k >> axis & 1))
        near = np.flatnonzero(row < bricks)
        nearest[k, near] = field.nearest[row[near], there[near]]
        places.append(np.minimum(row, bricks - 1) * BRICK_VOXELS + there)
    crossing = np.empty((12, 3, len(which)))
    code = np.full((12, len(which)), NO_PRIMITIVE, dtype=np.int32)
    for edge, (a, _) in enumerate(EDGES):
        axis = edge // 4
        used = np.flatnonzero(crossed[edge])
        number = edges.number[axis, places[a][used]]
        crossing[edge] = corner + EDGE_CORNER[edge][:, None]
        crossing[edge, axis, used] += edges.place[number]
        code[edge, used] = edges.code[number]
    first_inside = (cells.configuration[which] >> EDGES[:, :1] & 1).astype(bool)
    return Patches(corner, crossing, crossed, code, first_inside, nearest)


def _rings(
    cells: ActiveCells, edges: _Edges, vertices: _Vertices, around: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """(Q, 4) the vertices of the four cells around each crossed edge, counter-clockwise seen from its far end."""
    rings = np.empty((len(edges.axis), 4), dtype=np.int32)

    def fill(block: slice) -> None:
        brick, voxel = cells.brick[block], cells.voxel[block]
        for axis in range(3):
            number = edges.number[axis, brick * BRICK_VOXELS + voxel]
            owner = np.flatnonzero(number >= 0)
            steps = _Steps(brick[owner], voxel[owner], around)
            for k, back in enumerate(RING):
                sides = [((axis + 1 + i) % 3, -1) for i in range(2) if back[i]]
                row, there = steps.to(*sides)
                edge = edge_at(axis, -back[0], -back[1])
                rings[number[owner], k] = vertices.at(row * BRICK_VOXELS + there, edge)

    for _ in map_blocks(fill, slices(len(cells.brick), CELLS_PER_BLOCK)):
        pass
    return rings


def _split(rings: npt.NDArray[np.int32], edges: _Edges, points: Points) -> Indices:
    """From which corner (Q,) each quad is split."""
    split = np.empty(len(rings), dtype=np.int64)

    def fill(block: slice) -> None:
        ring = points[:, rings[block].T] - edges.start[block].T[:, None]  # (3, 4, N)
        axes = (edges.axis[block] + np.array([[1], [2], [0]])) % 3
        ring = np.take_along_axis(ring, axes[:, None], axis=0).transpose(1, 0, 2)
        split[block] = split_quads(ring, edges.place[block])

    for _ in map_blocks(fill, slices(len(rings), CELLS_PER_BLOCK)):
        pass
    return split


def _oriented(rings: npt.NDArray[np.int32], edges: _Edges, split: Indices) -> npt.NDArray[np.int32]:
    """(Q, 4) faces, counter-clockwise seen from outside, from the corner where they are split."""
    turn = np.where(edges.start_inside, 1, -1)[:, None] * np.arange(4)
    return np.take_along_axis(rings, (split[:, None] + turn) & 3, axis=1)


def _sources(field: Field, code: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """The `Source` (Q,) of each quad, and its triangle or segment in the order of the input."""
    source = np.where(code < 0, np.uint8(Source.PATH), np.uint8(Source.STOCK))
    source[~is_known(code)] = Source.CLOSURE
    primitive = np.full(len(code), -1, dtype=np.int32)
    for kind, order, own in (
        (Source.STOCK, field.triangles.order, code),
        (Source.PATH, field.segments.order, -1 - code),
    ):
        of_kind = np.flatnonzero(source == kind)
        primitive[of_kind] = order[own[of_kind]]
    return source, primitive
