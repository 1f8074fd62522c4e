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
from ..compiler.decorators import kernel
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

RUNS_AT_ONCE = 1 << 10

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
    of_quads = _kept(of_quads, source != EMPTIED)
    drop_rows(quads, source, codes)
    if (source == INCOMPLETE).any():
        raise CarveError(LEFT_BRICKS)
    halves = _kept(of_quads, source & SPLIT != 0)
    of_faces = of_quads.tallies(is_own, SECOND) + halves.tallies(is_own, FACE_SERIES - SECOND)
    return _part(points, vertices, used, *with_quads_split(quads, source, codes), of_faces, bricks[own], grid.origin)


@kernel
def count_kept(start, stop, first, kept, count):  # type: ignore[no-untyped-def]
    """Set count (N,) to how many of each run are kept (M,). Run n goes from first[n] to first[n + 1]."""
    for n in range(start, stop):
        own = np.int64(0)
        for row in range(first[n], first[n + 1]):
            own += np.int64(kept[row])
        count[n] = own


@kernel
def name_vertices(start, stop, first, used, key, names):  # type: ignore[no-untyped-def]
    """Set names (V,) of the vertices that are used (V,): the key (N,) of a run, plus their number in it."""
    for n in range(start, stop):
        name = key[n]
        for v in range(first[n], first[n + 1]):
            names[v] = name
            if used[v]:
                name += np.uint64(1)


@kernel
def move_own(start, stop, first, used, begin, points, moved, number):  # type: ignore[no-untyped-def]
    """Move the used points (V, 3) of some runs together, to moved (K, 3), and set their number (V,) there.

    Args:
        begin: (N,) where the points of each run begin; -1 for runs that stay.
    """
    for n in range(start, stop):
        to = begin[n]
        if to < 0:
            continue
        for v in range(first[n], first[n + 1]):
            if used[v]:
                moved[to, 0], moved[to, 1], moved[to, 2] = points[v, 0], points[v, 1], points[v, 2]
                number[v] = to
                to += 1


def _kept(owned: Owned, kept: npt.NDArray[np.bool_]) -> Owned:
    """Who owns only what a mask (M,) keeps."""
    count = np.zeros(len(owned.brick), dtype=np.int64)
    over_rows(count_kept, len(count), RUNS_AT_ONCE, owned.first, kept, count)
    return owned._replace(first=np.concatenate([[0], np.cumsum(count)]))


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
    named, is_own = _kept(vertices, used), np.isin(vertices.brick, own)
    names = np.empty(len(points), dtype=np.uint64)
    over_rows(name_vertices, len(is_own), RUNS_AT_ONCE, vertices.first, used, named.keys(), names)
    volume, balance = measure_part(points, faces, centre, names)
    del names
    is_lent = np.zeros(len(points), dtype=np.bool_)
    over_rows(mark_used, len(faces), QUADS_PER_RUN, faces, is_lent)
    is_lent &= vertices.each(~is_own)
    lent = np.flatnonzero(is_lent)
    borrowed = vertices.names(lent)
    borrowed[:, 2] = [np.count_nonzero(used[v - place : v]) for v, place in zip(lent, borrowed[:, 2], strict=True)]
    count = np.where(is_own, np.diff(named.first), 0)
    begin = np.where(is_own, np.cumsum(count) - count, -1)
    mine, number = np.empty((int(count.sum()), 3)), np.empty(len(points), dtype=np.int32)
    over_rows(move_own, len(is_own), RUNS_AT_ONCE, vertices.first, used, begin, points, mine, number)
    number[lent] = len(mine) + np.arange(len(lent))
    over_rows(renumber, len(faces), QUADS_PER_RUN, faces, number)
    of_points = named.tallies(is_own, VERTEX_SERIES)
    return SurfacePart(mine, of_points, borrowed, faces, source, primitive, of_faces, volume, balance)


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
