"""The stock or the sweep alone, near a border. See `contour.rims`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....contour.rims import FAR_BEHIND, REACH
from ....field.fields import Field, Fields, places_of
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS
from ....model.combining import Operation, Rule
from ....model.mesh import DualMesh, Source
from ....primitives.half_edges import face_sides, side_keys
from ....primitives.primitives import Primitives
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel, subroutine
from ..contour.connecting import touching
from ..contour.extraction import BRICKS_PER_RUN, dual_mesh
from ..contour.occlusion import POINTS_PER_RUN, NearestLookup
from ..contour.overlaps import QUADS_PER_RUN, Array, Mask, Numbers
from ..contour.sharp_edges import complete_edges
from ..contour.vertices import MOST_PATCHES, locate
from ..field.fields import evaluate

VERTICES_PER_RUN = 1 << 8
PATCHES = BRICK_VOXELS * MOST_PATCHES  # most in a brick

# (8, 8): a row of eight cells, as one number, in which those from one to another are wanted.
BETWEEN = np.array([[sum(1 << 8 * i for i in range(i, j + 1)) for j in range(8)] for i in range(8)], dtype=np.uint64)
NO_CELLS = np.uint64(0)

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sheet:
    """The stock or the sweep alone near the border.

    Attributes:
        mesh: open where it leaves these cells.
        keys: (V,) ascending: `DualMesh.cells` of its vertices, with rows of the field of both.
        lookup: its primitives around a point.
        behind: (V,) the vertices behind the other sheet, which the cut removes.
        at_end: (V,) those at which the mesh ends.
    """

    mesh: DualMesh
    keys: Indices
    behind: Mask
    at_end: Mask
    lookup: NearestLookup

    def find(self, keys: Indices) -> Indices:
        """(N,) the vertices with keys (N,), -1 where there is none."""
        return place_in(self.keys, keys)

    def has_side(self, tail: Indices, head: Indices) -> Mask:
        """(N,) whether half-edges between vertices (N,), (N,) belong to quads; false for vertices -1."""
        known = (tail >= 0) & (head >= 0)
        at_tail = np.zeros(len(self.mesh.points), dtype=np.bool_)
        at_tail[tail[known]] = True
        beside = self.mesh.quads.take(touching(self.mesh.quads, at_tail), axis=0)
        sides = np.sort(side_keys(*face_sides(beside)), kind="stable")
        return np.asarray(known & (place_in(sides, side_keys(tail, head)) >= 0))

    def snap(self, mesh: DualMesh, vertices: Indices) -> Mask:
        """Move the vertices that stand for those of a mesh (N,) there, and return which they are (V,)."""
        there = self.find(mesh.cells[vertices])
        self.mesh.points[there[there >= 0]] = mesh.points[vertices[there >= 0]]
        fixed = np.zeros(len(self.mesh.points), dtype=np.bool_)
        fixed[there[there >= 0]] = True
        return fixed


def place_in(known: Indices, keys: Indices) -> Indices:
    """(N,) the place of each of keys (N,) among known ones (K,), ascending; -1 where there is none."""
    place = np.empty(len(keys), dtype=np.int64)
    over_rows(find_places, len(keys), QUADS_PER_RUN // 4, known, keys, place)
    return place


@dataclass(frozen=True)
class Cells:
    """The cells in which sheets are extracted.

    Attributes:
        wanted: (B, 512) which cells of the field's bricks.    rows: (N,) the bricks of their corners, ascending.
        fields: both fields in these.    places: see `places_of`, of these.
    """

    wanted: Mask
    rows: Indices
    fields: Fields
    places: Numbers

    @classmethod
    def near(cls, field: Field, parts: Fields, points: Array) -> "Cells":
        """The cells near points (N, 3)."""
        wanted, read = cells_near(field, points, REACH)
        return cls._of(parts, wanted, np.flatnonzero(read))

    @classmethod
    def joined(cls, parts: Fields, cells: "Sequence[Cells]") -> "Cells":
        """All of some cells. The others are added to the first ones, in place."""
        wanted = cells[0].wanted
        for each in cells[1:]:
            wanted[each.rows] |= each.wanted[each.rows]
        return cls._of(parts, wanted, np.unique(np.concatenate([each.rows for each in cells])))

    @classmethod
    def _of(cls, parts: Fields, wanted: Mask, rows: Indices) -> "Cells":
        fields = parts.at(rows)
        return cls(wanted, rows, fields, places_of(fields))


def cells_near(field: Field, points: Array, reach: int) -> tuple[Mask, Mask]:
    """The cells (B, 512) of a field up to `reach` from points (N, 3), and the bricks (B,) of their corners."""
    count = len(field.bricks)
    wanted, (marked, read) = np.zeros((count, BRICK_VOXELS), dtype=np.bool_), np.zeros((2, count), dtype=np.bool_)
    rows = wanted.view(np.uint64)
    places, bricks = places_of(field), field.table.coordinates(field.bricks)
    over_rows(mark_near, len(points), VERTICES_PER_RUN, points, places, reach, rows, wanted, marked)
    which = np.flatnonzero(marked)
    over_rows(drop_open_cells, len(which), BRICKS_PER_RUN, which, bricks, places, wanted, read)
    return wanted, read


@dataclass(frozen=True)
class Extract:
    """A sheet before its feature edges are completed. What lies far behind the other sheet is left out.

    Attributes:
        mesh: `DualMesh.cells` has the rows of `field`.    keys: (V,) see `Sheet`.
        depth: (V,) how far each vertex lies behind the other sheet, by the other's distances around it.
        at_end: (V,) the vertices at which the mesh ends.
        field: the stock's or the sweep's alone, in the bricks of the cells, without distances.
    """

    mesh: DualMesh
    keys: Indices
    depth: Array
    at_end: Mask
    field: Field


def extract(cells: Cells, operation: Operation) -> list[Extract]:
    """The stock and the sweep, each alone, in some cells."""
    fields = [evaluate(cells.fields.alone(part, operation), operation)[0] for part in (Source.STOCK, Source.PATH)]
    return [_extracted(cells, own, other) for own, other in zip(fields, fields[::-1], strict=True)]


def _extracted(cells: Cells, own: Field, other: Field) -> Extract:
    mesh = dual_mesh(own, cells.places, cells.wanted.take(cells.rows, axis=0))
    depth, corners = np.empty(len(mesh.points)), own.table.coordinates(own.bricks) * BRICK_SIZE
    sign = 1.0 if Rule.of(own.operation).greatest else -1.0
    over_rows(
        find_depths, len(depth), POINTS_PER_RUN, mesh.points, mesh.cells, corners, cells.places, other.distances(),
        sign, depth,
    )  # fmt: skip
    kept = np.empty(len(mesh.quads), dtype=np.bool_)
    used, at_end = np.zeros((2, len(depth)), dtype=np.bool_)
    over_rows(find_kept, len(kept), QUADS_PER_RUN, mesh.quads, depth, kept, used, at_end)
    index, rows, quads = np.cumsum(used, dtype=np.int32) - 1, np.flatnonzero(used), np.flatnonzero(kept)
    points, faces = mesh.points.take(rows, axis=0), index.take(mesh.quads.take(quads, axis=0))
    mesh = DualMesh(points, faces, mesh.codes[quads], mesh.kinds[rows], mesh.cells[rows])
    keys = cells.rows[mesh.cells // PATCHES] * PATCHES + mesh.cells % PATCHES
    return Extract(mesh, keys, depth[rows], at_end[rows], own.without_distances())


def completed(extracted: Extract, cells: Cells) -> Sheet:
    """The sheet with its feature edges. The mesh of the extract changes."""
    mesh, field = extracted.mesh, extracted.field
    lookup = NearestLookup(cells.places, field.nearest)
    complete_edges(Primitives.of(field.segments, field.triangles), Rule.of(field.operation), lookup, mesh)
    return Sheet(mesh, extracted.keys, extracted.depth > 0.0, extracted.at_end, lookup)


@subroutine
def place_of(known, key, first):  # type: ignore[no-untyped-def]
    """The first place, from `first` on, whose number among the ascending ones known (K,) is not less than the key."""
    high, step = first, 1
    while high < len(known) and known[high] < key:
        first, high, step = high + 1, high + step, 2 * step
    high = min(high, len(known))
    while first < high:
        middle = (first + high) >> 1
        if known[middle] < key:
            first = middle + 1
        else:
            high = middle
    return first


@kernel
def find_places(start, stop, known, keys, place):  # type: ignore[no-untyped-def]
    """Set place (N,) as `place_in` does. Keys that ascend are found sooner."""
    at = 0
    for n in range(start, stop):
        at = place_of(known, keys[n], at if n > start and keys[n] >= keys[n - 1] else 0)
        place[n] = at if at < len(known) and known[at] == keys[n] else -1


@kernel
def find_depths(start, stop, points, cells, corners, places, other, sign, depth):  # type: ignore[no-untyped-def]
    """Set depth (V,) to the other field between the centres of the voxels around each vertex.

    Args:
        points, cells: (V, 3), (V,) of vertices.    corners: (N, 3) first voxels of the bricks as (z, y, x).
        places: see `places_of`, of these bricks.
        other: (N, 512) distances in the field of the other sheet.    sign: by which they are positive behind it.
    """
    for v in range(start, stop):
        brick, voxel = corners[cells[v] // PATCHES], cells[v] % PATCHES // MOST_PATCHES
        z, y, x = brick[0] + (voxel >> 6), brick[1] + (voxel >> 3 & 7), brick[2] + (voxel & 7)
        part_z = min(max(points[v, 2] - z - 0.5, 0.0), 1.0)
        part_y = min(max(points[v, 1] - y - 0.5, 0.0), 1.0)
        part_x = min(max(points[v, 0] - x - 0.5, 0.0), 1.0)
        value = 0.0
        for corner in range(8):
            k, j, i = corner >> 2, corner >> 1 & 1, corner & 1
            place, at = locate(places, z + k, y + j, x + i)
            share = (part_z if k else 1.0 - part_z) * (part_y if j else 1.0 - part_y) * (part_x if i else 1.0 - part_x)
            value += share * other[place, at]
        depth[v] = sign * value


@kernel
def find_kept(start, stop, quads, depth, kept, used, at_end):  # type: ignore[no-untyped-def]
    """Set kept (Q,) for quads with four vertices, of which one is not far behind the other sheet.

    used (V,) is set for the vertices of these, at_end (V,) for those of the others.
    """
    for q in range(start, stop):
        is_whole, least = True, np.inf
        for k in range(4):
            is_whole = is_whole and quads[q, k] >= 0
            least = min(least, depth[quads[q, k]])
        kept[q] = is_whole and least < FAR_BEHIND
        for k in range(4):
            if kept[q]:
                used[quads[q, k]] = True
            elif quads[q, k] >= 0:
                at_end[quads[q, k]] = True


@kernel
def mark_near(start, stop, points, places, reach, rows, wanted, marked):  # type: ignore[no-untyped-def]
    """Mark the cells of known bricks up to `reach` from points (N, 3): wanted (B, 512).

    rows (B, 64) are the same, eight at a time. marked (B,) is set for the bricks.
    """
    for n in range(start, stop):
        x, y, z = (
            int(np.floor(points[n, 0] - 0.5)) - reach,
            int(np.floor(points[n, 1] - 0.5)) - reach,
            int(np.floor(points[n, 2] - 0.5)) - reach,
        )
        to_x, to_y, to_z = x + 2 * reach, y + 2 * reach, z + 2 * reach
        for brick_z in range(z >> 3, (to_z >> 3) + 1):
            for brick_y in range(y >> 3, (to_y >> 3) + 1):
                for brick_x in range(x >> 3, (to_x >> 3) + 1):
                    place = places[brick_z + 1, brick_y + 1, brick_x + 1]
                    if place < 0:
                        continue
                    marked[place] = True
                    i, to_i = max(x - 8 * brick_x, 0), min(to_x - 8 * brick_x, 7)
                    for k in range(max(z - 8 * brick_z, 0), min(to_z - 8 * brick_z, 7) + 1):
                        for j in range(max(y - 8 * brick_y, 0), min(to_y - 8 * brick_y, 7) + 1):
                            row = np.uint64(8 * k + j)
                            # Points lie close together: mostly, all of this is marked already. Threads that wrote
                            # whole rows could undo what others write.
                            if ~rows[place, row] & BETWEEN[i, to_i] != NO_CELLS:
                                for each in range(i, to_i + 1):
                                    wanted[place, 64 * k + 8 * j + each] = True


@kernel
def drop_open_cells(start, stop, which, bricks, places, wanted, read):  # type: ignore[no-untyped-def]
    """Drop those of the cells wanted (B, 512) with a corner in no known brick. Set read (B,) for all corners' bricks.

    which (M,) are the bricks with such cells.    bricks (B, 3) are (z, y, x).
    """
    for n in range(start, stop):
        b = which[n]
        for step in range(2):
            for side in range(8):
                k, j, i = side >> 2, side >> 1 & 1, side & 1
                place, found = places[bricks[b, 0] + 1 + k, bricks[b, 1] + 1 + j, bricks[b, 2] + 1 + i], False
                if step == 0 and place >= 0:
                    continue
                for z in range(7 * k, 8):
                    for y in range(7 * j, 8):
                        for x in range(7 * i, 8):
                            if step == 0:
                                wanted[b, 64 * z + 8 * y + x] = False
                            found |= wanted[b, 64 * z + 8 * y + x]
                if found:
                    read[place] = True
