"""Where the tips of thin rims are, which the grid cannot hold. See `contour.rims`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....contour.rims import TIP_STEPS
from ....field.fields import Field, Fields
from ....model.bricks import BRICK_SIZE
from ....model.mesh import DualMesh
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel, subroutine
from ..contour.overlaps import QUADS_PER_RUN, Array, Mask, Numbers
from ..contour.vertices import MOST_PATCHES, locate
from .cutting import Indices
from .sheets import PATCHES, Cells, Extract, extract, place_of


@dataclass(frozen=True)
class Tips:
    """Where the mesh lacks vertices of the sheets.

    Attributes:
        points: (N, 3) these vertices.    is_end: (N,) those at which a sheet ends, though it has to go on.
    """

    points: Array
    is_end: Mask

    @property
    def ends(self) -> Array:
        """(E, 3) the points at which a sheet ends."""
        return self.points[self.is_end]


class Around(NamedTuple):
    """What `find_missing` reads for any vertex of a sheet.

    Attributes:
        known: (V,) ascending, `DualMesh.cells` of the mesh.
        is_on: (V,) whether this vertex of the mesh is on the sheet's surface.
        corners: (N, 3) first voxels of the bricks as (z, y, x).    places: see `places_of`, of these bricks.
        wanted: (N, 512) cells in which the sheet was extracted.
    """

    known: Indices
    is_on: Mask
    corners: Indices
    places: Numbers
    wanted: Mask


def find_tips(
    field: Field, parts: Fields, mesh: DualMesh, of_parts: Mask, cells: Cells, sheets: Sequence[Extract], doubt: float
) -> tuple[Tips, list[Cells]]:
    """The tips of the rims of a mesh, from where sheets end to where they meet; and the cells of all steps.

    Args:
        field, parts: of the mesh.    of_parts: (2, V) its vertices of the stock and of the sweep.
        cells, sheets: the stock and the sweep alone, near its border.
        doubt: the depth behind the other sheet at which a vertex still counts as part of the result.
    """
    steps = [cells]
    found = [_missing(mesh, of_parts, steps, sheets, doubt)]
    while len(found[-1].ends) and len(steps) <= TIP_STEPS:
        steps.append(Cells.near(field, parts, found[-1].ends))
        sheets = extract(steps[-1], field.operation)
        found.append(_missing(mesh, of_parts, steps, sheets, doubt))
    tips = Tips(np.concatenate([each.points for each in found]), np.concatenate([each.is_end for each in found]))
    return tips, steps


def _missing(mesh: DualMesh, of_parts: Mask, steps: Sequence[Cells], sheets: Sequence[Extract], doubt: float) -> Tips:
    """The vertices of the sheets that the mesh lacks, and that the other sheet does not cut off.

    The sheets lie in the cells of the last step. Vertices in those of the steps before do not count.
    """
    *before, cells = steps
    points, is_end = [], []
    for sheet, is_on in zip(sheets, of_parts, strict=True):
        corners = sheet.field.table.coordinates(sheet.field.bricks) * BRICK_SIZE
        around = Around(mesh.cells, is_on, corners, cells.places, cells.wanted.take(cells.rows, axis=0))
        count = len(sheet.keys)
        missing, ends = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        over_rows(
            find_missing, count, QUADS_PER_RUN // 4, sheet.mesh.cells, sheet.keys, sheet.depth, around, doubt, missing,
            ends,
        )  # fmt: skip
        found = np.flatnonzero(missing)
        for step in before:
            found = found[~step.wanted.ravel()[sheet.keys[found] // MOST_PATCHES]]
        points.append(sheet.mesh.points.take(found, axis=0))
        is_end.append(ends[found])
    return Tips(np.concatenate(points), np.concatenate(is_end))


@subroutine
def is_known(around, key):  # type: ignore[no-untyped-def]
    """Whether the mesh has the vertex with this key on the sheet's surface."""
    place = place_of(around.known, key, np.int64(0))
    return place < len(around.known) and around.known[place] == key and around.is_on[place]


@subroutine
def is_at_end(around, z, y, x):  # type: ignore[no-untyped-def]
    """Whether the sheet was not extracted in a cell beside this one."""
    found = False
    for side in range(6):
        step, axis = (side & 1) * 2 - 1, side >> 1
        place, voxel = locate(
            around.places,
            z + (step if axis == 0 else 0),
            y + (step if axis == 1 else 0),
            x + (step if axis == 2 else 0),
        )
        found = found or place < 0 or not around.wanted[place, voxel]
    return found


@kernel
def find_missing(start, stop, cells, keys, depth, around, doubt, missing, ends):  # type: ignore[no-untyped-def]
    """Set missing (V,) for vertices of a sheet that the mesh lacks, and ends (V,) for those where the sheet ends.

    A vertex that lies more than `doubt` behind the other sheet is not missing.

    Args:
        cells, keys, depth: (V,) see `Extract`.
    """
    for v in range(start, stop):
        if depth[v] < doubt and not is_known(around, keys[v]):
            brick, voxel = around.corners[cells[v] // PATCHES], cells[v] % PATCHES // MOST_PATCHES
            missing[v] = True
            ends[v] = is_at_end(around, brick[0] + (voxel >> 6), brick[1] + (voxel >> 3 & 7), brick[2] + (voxel & 7))
