"""The part of a surface that some bricks make, while others around them are known for their sake."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import LEFT_BRICKS
from ....contouring.dividing import Divided, with_quads_split
from ....contouring.quads import SPLIT
from ....field.fields import Fields
from ....model.grid import Grid
from ....model.parts import FACE_SERIES, SECOND, VERTEX_SERIES, Owned, SurfacePart, Tally
from ....runtime.errors import CarveError
from ....runtime.threads import over_rows
from .blocks import Crossings, Pairs
from .cells import Vertices
from .finishing import (
    EMPTIED,
    INCOMPLETE,
    QUADS_PER_RUN,
    Unfinished,
    drop_rows,
    finish_quads,
    mark_used,
    put_in_world,
    renumber,
)
from .measuring import measure_part

Indices = npt.NDArray[np.int64]


class Owners(NamedTuple):
    """How many vertices of cells, quads of crossings, and quads of border points, each brick (B,) owns. A quad belongs
    to the brick of its crossing, or of the face of its border point."""

    vertices: Indices
    crossings: Indices
    borders: Indices

    @classmethod
    def of(cls, crossings: Crossings, pairs: Pairs, vertices: Vertices) -> "Owners":
        """Those of all bricks."""
        borders = np.append(pairs.first_border, len(pairs.point))[pairs.first]
        return cls(np.diff(vertices.first[:, 0]), np.diff(crossings.first), 2 * np.diff(borders))


def finish_part(
    fields: Fields, grid: Grid, mesh: Unfinished, owners: Owners, own: npt.NDArray[np.bool_]
) -> SurfacePart:
    """What some bricks own (B,) of a surface, in the world. The arrays of `mesh` become its own.

    Raises:
        CarveError: a quad of theirs lacks a corner.
    """
    quads, codes, divided, bricks = mesh.quads, mesh.codes, mesh.divided, fields.bricks
    points = np.concatenate([mesh.points, divided.points])
    used = np.zeros(len(points), dtype=np.bool_)
    over_rows(mark_used, len(quads), QUADS_PER_RUN, quads, used)
    used[len(mesh.points) :] = True
    source = np.empty(len(quads), dtype=np.uint8)
    over_rows(
        finish_quads, len(quads), QUADS_PER_RUN, quads, mesh.marks, codes, points, fields.triangles.order,
        fields.segments.order, source,
    )  # fmt: skip
    put_in_world(points, grid)
    vertices, of_quads = _owned(owners, mesh.crossed, divided, bricks)
    is_own = np.isin(of_quads.brick, bricks[own])
    source[~of_quads.each(is_own)] = EMPTIED
    of_quads = of_quads.where(source != EMPTIED)
    drop_rows(quads, source, codes)
    if (source == INCOMPLETE).any():
        raise CarveError(LEFT_BRICKS)
    halves = of_quads.where(source & SPLIT != 0)
    of_faces = of_quads.tallies(is_own, SECOND) + halves.tallies(is_own, FACE_SERIES - SECOND)
    return _part(points, vertices, used, *with_quads_split(quads, source, codes), of_faces, bricks[own], grid.origin)


def _part(
    points: npt.NDArray[np.float64],
    vertices: Owned,
    used: npt.NDArray[np.bool_],
    faces: npt.NDArray[np.int32],
    source: npt.NDArray[np.uint8],
    primitive: npt.NDArray[np.int32],
    of_faces: tuple[Tally, ...],
    own: Indices,
    centre: npt.NDArray[np.float64],
) -> SurfacePart:
    """The part that bricks `own` (B,) own, whose faces these are; their indices are replaced.

    Args:
        points: (V, 3) all vertices.    vertices: who owns them.    used: (V,) which are used.
        centre: (3,) see `SurfacePart.volume`.
    """
    named, is_own = vertices.where(used), np.isin(vertices.brick, own)
    mine = used & vertices.each(is_own)
    # The name of a vertex is its number among those that are used.
    number = np.zeros(len(points), dtype=np.int32)
    np.cumsum(used[:-1], out=number[1:])
    volume, balance = measure_part(points, faces, centre, named.keys(), number)
    others = used & ~mine
    is_lent = np.zeros(len(points), dtype=np.bool_)
    over_rows(mark_used, len(faces), QUADS_PER_RUN, faces, is_lent)
    lent = np.flatnonzero(is_lent & others)
    borrowed = named.names(number[lent].astype(np.int64))
    np.cumsum(mine[:-1], out=number[1:])
    number[lent] = np.count_nonzero(mine) + np.arange(len(lent))
    over_rows(renumber, len(faces), QUADS_PER_RUN, faces, number)
    of_points = named.tallies(is_own, VERTEX_SERIES)
    return SurfacePart(points[mine], of_points, borrowed, faces, source, primitive, of_faces, volume, balance)


def _owned(owners: Owners, crossed: int, divided: Divided, bricks: Indices) -> tuple[Owned, Owned]:
    """Who owns the vertices, and the quads: see `parts.VERTEX_SERIES` and `parts.FACE_SERIES`."""
    of_cells = np.cumsum(owners.vertices)
    of_quads = np.cumsum(np.concatenate([owners.crossings, owners.borders]))

    def runs(rows: npt.NDArray[np.integer]) -> tuple[Indices, Indices]:
        found, length = np.unique(rows % len(bricks), return_counts=True)
        return bricks[found], length

    def row_of_quad(which: npt.NDArray[np.integer]) -> Indices:
        return np.asarray(np.searchsorted(of_quads, which, side="right"))

    first, second, _ = np.cumsum(divided.sizes)
    of_vertex: Indices = np.searchsorted(of_cells, divided.owner[:second], side="right")
    vertices = Owned.of(
        [
            (bricks, owners.vertices),
            runs(of_vertex[:first]),
            runs(of_vertex[first:]),
            runs(row_of_quad(divided.owner[second:])),
        ]
    )
    of_crossing = divided.of_quad < crossed
    quads = Owned.of(
        [
            (bricks, owners.crossings),
            (bricks, owners.borders),
            runs(row_of_quad(divided.of_quad[of_crossing])),
            runs(row_of_quad(divided.of_quad[~of_crossing])),
        ]
    )
    return vertices, quads
