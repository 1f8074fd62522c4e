"""The part of a surface that some bricks make, while others around them are known for their sake."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import LEFT_BRICKS
from ....contouring.dividing import Divided, with_quads_split
from ....contouring.quads import SPLIT
from ....field.fields import Fields
from ....model.grid import Grid
from ....model.parts import SECOND, VERTEX_SERIES, Owned, SurfacePart
from ....runtime.errors import CarveError
from ....runtime.threads import over_rows
from .blocks import Crossings, Pairs
from .cells import Vertices
from .finishing import EMPTIED, INCOMPLETE, QUADS_PER_RUN, Unfinished, finish_quads, mark_used, put_in_world

Indices = npt.NDArray[np.int64]


class Rows(NamedTuple):
    """The rows of the bricks that own vertices of cells (V,), and quads (Q,)."""

    vertices: Indices
    quads: Indices

    @classmethod
    def of(cls, crossings: Crossings, pairs: Pairs, vertices: Vertices) -> "Rows":
        """A quad belongs to the brick of its crossing, or of the face of its border point."""
        bricks = np.arange(len(crossings.inside))
        borders = np.diff(pairs.first_border, append=len(pairs.point))
        of_face = np.repeat(bricks, np.diff(pairs.first))
        of_quads = np.concatenate([np.repeat(bricks, np.diff(crossings.first)), np.repeat(of_face, 2 * borders)])
        return cls(np.repeat(bricks, np.diff(vertices.first[:, 0])), of_quads)


def finish_part(fields: Fields, grid: Grid, mesh: Unfinished, rows: Rows, own: npt.NDArray[np.bool_]) -> SurfacePart:
    """What some bricks own (B,) of a surface, in the world. The arrays of `mesh` become its own.

    Raises:
        CarveError: a quad of theirs lacks a corner.
    """
    quads, codes, divided = mesh.quads, mesh.codes, mesh.divided
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
    of_quads = _owners_of_quads(rows.quads, mesh.crossed, divided, fields.bricks)
    kept = np.flatnonzero(np.isin(of_quads.brick, fields.bricks[own]) & (source != EMPTIED))
    quads, source, codes, of_quads = quads[kept], source[kept], codes[kept], of_quads.at(kept)
    if (source == INCOMPLETE).any():
        raise CarveError(LEFT_BRICKS)
    split = of_quads.at(np.flatnonzero(source & SPLIT))
    of_faces = Owned(
        np.concatenate([of_quads.series, split.series + SECOND]), np.concatenate([of_quads.brick, split.brick])
    )
    of_vertices = _owners_of_vertices(rows, divided, fields.bricks)
    return SurfacePart.of(
        points, of_vertices, used, *with_quads_split(quads, source, codes), of_faces, fields.bricks[own], grid.origin
    )


def _owners_of_quads(rows: Indices, crossed: int, divided: Divided, bricks: Indices) -> Owned:
    """Who owns quads, and then what replaces those that are divided: see `parts.FACE_SERIES`."""
    of_border = np.arange(len(rows)) >= crossed
    series = np.concatenate([of_border, 2 + of_border[divided.of_quad]])
    return Owned(series, bricks[np.concatenate([rows, rows[divided.of_quad]])])


def _owners_of_vertices(rows: Rows, divided: Divided, bricks: Indices) -> Owned:
    """Who owns the vertices of cells, and those of divided quads: see `parts.VERTEX_SERIES`."""
    on_faces = divided.sizes[0] + divided.sizes[1]
    of_divided = [rows.vertices[divided.owner[:on_faces]], rows.quads[divided.owner[on_faces:]]]
    series = np.repeat(np.arange(VERTEX_SERIES), [len(rows.vertices), *divided.sizes])
    return Owned(series, bricks[np.concatenate([rows.vertices, *of_divided])])
