"""The stock or the sweep alone, near a border. See `contour.rims`."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....contour.rims import REACH
from ....field.fields import Field, Fields, places_of
from ....model.bricks import BRICK_VOXELS
from ....model.combining import Rule
from ....model.mesh import DualMesh, Source
from ....primitives.half_edges import face_sides, side_keys
from ....primitives.primitives import Primitives
from ....runtime.threads import in_runs
from ..compiler.decorators import kernel, subroutine
from ..contour.extraction import dual_mesh
from ..contour.occlusion import NearestLookup
from ..contour.overlaps import Array, Mask
from ..contour.sharp_edges import complete_edges
from ..contour.vertices import MOST_PATCHES, locate
from ..field.fields import evaluate

VERTICES_PER_RUN = 1 << 8
PATCHES = BRICK_VOXELS * MOST_PATCHES  # most in a brick

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sheet:
    """The stock or the sweep alone near the border.

    Attributes:
        mesh: open where it leaves these cells.
        keys: (V,) ascending: `DualMesh.cells` of its vertices, with rows of the field of both.
        sides: (4 Q,) ascending: `side_keys` of its quads.    lookup: its primitives around a point.
    """

    mesh: DualMesh
    keys: Indices
    sides: Indices
    lookup: NearestLookup

    def find(self, keys: Indices) -> Indices:
        """(N,) the vertices with keys (N,), -1 where there is none."""
        return place_in(self.keys, keys)

    def has_side(self, tail: Indices, head: Indices) -> Mask:
        """(N,) whether half-edges between vertices (N,), (N,) belong to quads; false for vertices -1."""
        return np.asarray((tail >= 0) & (head >= 0) & (place_in(self.sides, side_keys(tail, head)) >= 0))

    def snap(self, mesh: DualMesh, vertices: Indices) -> Mask:
        """Move the vertices that stand for those of a mesh (N,) there, and return which they are (V,)."""
        there = self.find(mesh.cells[vertices])
        self.mesh.points[there[there >= 0]] = mesh.points[vertices[there >= 0]]
        fixed = np.zeros(len(self.mesh.points), dtype=np.bool_)
        fixed[there[there >= 0]] = True
        return fixed


def place_in(known: Indices, keys: Indices) -> Indices:
    """(N,) the place of each of keys (N,) among known ones (K,), ascending; -1 where there is none."""
    if not len(known):
        return np.full(len(keys), -1)
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[place] == keys, place, -1)


def sheet_near(field: Field, parts: Fields, border: Array, part: Source) -> Sheet:
    """The stock or the sweep alone in the cells near the border's points (N, 3)."""
    primitives, rule = Primitives.of(field.segments, field.triangles), Rule.of(field.operation)
    wanted, read = np.zeros((len(parts), BRICK_VOXELS), dtype=np.bool_), np.zeros(len(parts), dtype=np.bool_)
    in_runs(mark_near, len(border), VERTICES_PER_RUN, border, places_of(field), wanted, read)
    rows = np.flatnonzero(read)
    alone, _ = evaluate(parts.at(rows).alone(part, field.operation), field.operation)
    places = places_of(alone)
    mesh = dual_mesh(alone, places, wanted[rows])
    whole, used = (mesh.quads >= 0).all(axis=1), np.zeros(len(mesh.points), dtype=np.bool_)
    used[mesh.quads[whole]] = True
    index = np.cumsum(used, dtype=np.int32) - 1
    mesh = DualMesh(mesh.points[used], index[mesh.quads[whole]], mesh.codes[whole], mesh.kinds[used], mesh.cells[used])
    lookup = NearestLookup(places, alone.nearest)
    complete_edges(primitives, rule, lookup, mesh)
    keys = rows[mesh.cells // PATCHES] * PATCHES + mesh.cells % PATCHES
    return Sheet(mesh, keys, np.sort(side_keys(*face_sides(mesh.quads))), lookup)


@subroutine
def mark_cell(places, z, y, x, wanted, read):  # type: ignore[no-untyped-def]
    """Do `mark_near` for one cell."""
    place, voxel = locate(places, z, y, x)
    if place < 0 or wanted[place, voxel]:
        return
    for corner in range(8):
        if locate(places, z + (corner >> 2), y + (corner >> 1 & 1), x + (corner & 1))[0] < 0:
            return
    wanted[place, voxel] = True
    for corner in range(8):
        read[locate(places, z + (corner >> 2), y + (corner >> 1 & 1), x + (corner & 1))[0]] = True


@kernel
def mark_near(start, stop, points, places, wanted, read):  # type: ignore[no-untyped-def]
    """Mark the cells near points (N, 3) whose corners all lie in known bricks: wanted (B, 512).

    read (B,) is set for the bricks of their corners.
    """
    for n in range(start, stop):
        x, y, z = (
            int(np.floor(points[n, 0] - 0.5)),
            int(np.floor(points[n, 1] - 0.5)),
            int(np.floor(points[n, 2] - 0.5)),
        )
        for k in range(z - REACH, z + REACH + 1):
            for j in range(y - REACH, y + REACH + 1):
                for i in range(x - REACH, x + REACH + 1):
                    mark_cell(places, k, j, i, wanted, read)
