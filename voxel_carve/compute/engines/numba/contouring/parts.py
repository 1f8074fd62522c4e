"""The part of a surface that some bricks make, while others around them are known for their sake."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import LEFT_BRICKS
from ....contouring.dividing import Divided, split_quads
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
    close_gaps,
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
    vertices, of_quads = _owned(owners, mesh.crossed, divided, bricks)
    points, slots = mesh.points, len(mesh.points)
    points.resize((slots + len(divided.points), 3), refcheck=False)
    points[slots:] = divided.points
    used = np.zeros(len(points), dtype=np.bool_)
    over_rows(mark_used, len(quads), QUADS_PER_RUN, quads, used)
    used[slots:] = True
    source = np.empty(len(quads), dtype=np.uint8)
    over_rows(
        finish_quads, len(quads), QUADS_PER_RUN, quads, mesh.marks, codes, points, fields.triangles.order,
        fields.segments.order, source,
    )  # fmt: skip
    is_own = np.isin(of_quads.brick, bricks[own])
    over_rows(empty_others, len(is_own), RUNS_AT_ONCE, of_quads.first, is_own, source)
    of_quads = _kept(of_quads, source != EMPTIED)
    drop_rows(quads, source, codes)
    if (source == INCOMPLETE).any():
        raise CarveError(LEFT_BRICKS)
    halves = _kept(of_quads, source & SPLIT != 0)
    of_faces = of_quads.tallies(is_own, SECOND) + halves.tallies(is_own, FACE_SERIES - SECOND)
    split_quads(quads, source, codes)
    names, of_points, borrowed = _move_own(points, vertices, used, quads, np.isin(vertices.brick, bricks[own]))
    put_in_world(points, grid)
    volume, balance = measure_part(points, quads, grid.origin, names)
    points.resize((len(points) - len(borrowed), 3), refcheck=False)
    return SurfacePart(points, of_points, borrowed, quads, source, codes, of_faces, volume, balance)


@kernel
def empty_others(start, stop, first, is_own, source):  # type: ignore[no-untyped-def]
    """Set source (Q,) to EMPTIED in the runs that are not own (N,): n goes from first[n] to before first[n + 1]."""
    for n in range(start, stop):
        if not is_own[n]:
            source[first[n] : first[n + 1]] = EMPTIED


@kernel
def count_kept(start, stop, first, kept, count):  # type: ignore[no-untyped-def]
    """Set count (N,) to how many of each run are kept (M,). Run n goes from first[n] to first[n + 1]."""
    for n in range(start, stop):
        own = np.int64(0)
        for row in range(first[n], first[n + 1]):
            own += np.int64(kept[row])
        count[n] = own


@kernel
def name_vertices(start, stop, first, key, names):  # type: ignore[no-untyped-def]
    """Set names (V,) of the vertices of some runs: the key (N,) of the run, plus the number in it."""
    for n in range(start, stop):
        for number in range(first[n + 1] - first[n]):
            names[first[n] + number] = key[n] + np.uint64(number)


def _kept(owned: Owned, kept: npt.NDArray[np.bool_]) -> Owned:
    """Who owns only what a mask (M,) keeps."""
    count = np.zeros(len(owned.brick), dtype=np.int64)
    over_rows(count_kept, len(count), RUNS_AT_ONCE, owned.first, kept, count)
    return owned._replace(first=np.concatenate([[0], np.cumsum(count)]))


def _move_own(
    points: npt.NDArray[np.float64],
    vertices: Owned,
    used: npt.NDArray[np.bool_],
    faces: npt.NDArray[np.int32],
    is_own: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.uint64], tuple[Tally, ...], Indices]:
    """Move the used vertices of own runs together, and those that faces (F, 4) borrow of others after them, in place.

    Args:
        points: (V, 3) all vertices.    vertices: who owns them.    used: (V,) which are used.

    Returns:
        The names of the vertices, see `measure_part`; those of own runs, and those that are borrowed: see
        `SurfacePart`.
    """
    named = _kept(vertices, used)
    is_lent = np.zeros(len(points), dtype=np.bool_)
    over_rows(mark_used, len(faces), QUADS_PER_RUN, faces, is_lent)
    is_lent &= vertices.each(~is_own)
    lent = np.flatnonzero(is_lent)
    borrowed, run = vertices.names(lent)
    borrowed[:, 2] = [np.count_nonzero(used[v - place : v]) for v, place in zip(lent, borrowed[:, 2], strict=True)]
    places, key, count = points[lent], named.keys(), np.diff(named.first)[is_own]

    number = np.empty(len(points), dtype=np.int32)
    own = close_gaps(0, len(count), vertices.first[:-1][is_own], vertices.first[1:][is_own], used, points, number)
    number[lent] = np.arange(own, own + len(lent))
    points.resize((own + len(lent), 3), refcheck=False)
    points[own:] = places
    over_rows(renumber, len(faces), QUADS_PER_RUN, faces, number)
    names = np.empty(len(points), dtype=np.uint64)
    first = np.concatenate([[0], np.cumsum(count)])
    over_rows(name_vertices, len(count), RUNS_AT_ONCE, first, key[is_own], names)
    names[own:] = key[run] + borrowed[:, 2].astype(np.uint64)
    return names, named.tallies(is_own, VERTEX_SERIES), borrowed


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
