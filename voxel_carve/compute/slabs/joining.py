"""Parts of a surface, joined to the whole, some bricks at a time."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..model.bricks import runs
from ..model.mesh import Surface
from ..model.parts import VERTEX_SERIES, SurfacePart, Tally

ROWS_AT_ONCE = 1 << 18  # vertices or faces

Indices = npt.NDArray[np.int64]


class Series(NamedTuple):
    """One series of all parts.

    Attributes:
        bricks, count: (N,), (N,) the bricks that own any of it, ids in ascending order, and how many.
        part, row: (N,), (N,) which part each brick is in, and its first row there.
    """

    bricks: Indices
    count: Indices  # type: ignore[assignment]
    part: Indices
    row: Indices

    @classmethod
    def all_of(cls, tallies: Sequence[tuple[Tally, ...]]) -> list["Series"]:
        """Those of all parts, from the tallies of each."""
        found, before = [], np.zeros(len(tallies), dtype=np.int64)
        for number in range(len(tallies[0])):
            own = [tally[number] for tally in tallies]
            rows = [start + np.cumsum(tally.count) - tally.count for tally, start in zip(own, before, strict=True)]
            before += [tally.count.sum() for tally in own]
            bricks = np.concatenate([tally.bricks for tally in own])
            order = np.argsort(bricks, kind="stable")
            part = np.repeat(np.arange(len(own)), [len(tally.bricks) for tally in own])
            found.append(
                cls(
                    bricks[order],
                    np.concatenate([tally.count for tally in own])[order],
                    part[order],
                    np.concatenate(rows)[order],
                )
            )
        return found

    def blocks(self) -> Iterator["Series"]:
        """Some of the bricks at a time."""
        for start, stop in runs(self.count, ROWS_AT_ONCE):
            yield Series(*(array[start:stop] for array in self))

    def rows(self) -> Iterator[tuple[int, slice, Indices]]:
        """For each part: its number, its rows, and the places of these among the rows of all."""
        first = np.cumsum(self.count) - self.count
        for number in np.unique(self.part).tolist():
            own = np.flatnonzero(self.part == number)
            count, start = self.count[own], int(self.row[own[0]])
            shift = np.repeat(first[own] - np.cumsum(count) + count, count)
            yield number, slice(start, start + len(shift)), shift + np.arange(len(shift))


class Joined:
    """The surface of several parts, as it is read: vertices, then faces.

    Args:
        parts: all of them. They may be read from files as they are used.
    """

    def __init__(self, parts: Sequence[SurfacePart]) -> None:
        self._parts = parts
        self._vertices = Series.all_of([part.of_points for part in parts])
        self._faces = Series.all_of([part.of_faces for part in parts])
        before = np.cumsum([0, *(series.count.sum() for series in self._vertices)])
        self._first = [
            start + np.cumsum(series.count) - series.count
            for series, start in zip(self._vertices, before.tolist(), strict=False)
        ]
        self.vertex_count, self.face_count = int(before[-1]), int(sum(series.count.sum() for series in self._faces))

    @cached_property
    def triangle_count(self) -> int:
        """How many triangles the faces are."""
        single = (np.count_nonzero(part.faces[:, 2] == part.faces[:, 3]) for part in self._parts)
        return 2 * self.face_count - sum(int(count) for count in single)

    def points(self) -> Iterator[npt.NDArray[np.float64]]:
        """(N, 3) the vertices, some at a time."""
        for series in self._vertices:
            for block in series.blocks():
                points = np.empty((int(block.count.sum()), 3))
                for number, rows, places in block.rows():
                    points[places] = self._parts[number].points[rows]
                yield points

    def faces(self) -> Iterator[Surface]:
        """The faces, some at a time, as surfaces without points."""
        index = [self._index(part) for part in self._parts]
        for series in self._faces:
            for block in series.blocks():
                count = int(block.count.sum())
                faces, source = np.empty((count, 4), dtype=np.int32), np.empty(count, dtype=np.uint8)
                primitive = np.empty(count, dtype=np.int32)
                for number, rows, places in block.rows():
                    part = self._parts[number]
                    faces[places] = index[number].take(part.faces[rows])
                    source[places], primitive[places] = part.source[rows], part.primitive[rows]
                yield Surface(np.empty((0, 3)), faces, source, primitive)

    def surface(self) -> Surface:
        """All of it, in memory."""
        points = np.concatenate([np.empty((0, 3)), *self.points()])
        parts = [Surface.empty(), *self.faces()]
        faces, source, primitive = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("faces", "source", "primitive")
        )
        return Surface(points, faces, source, primitive)

    def _index(self, part: SurfacePart) -> npt.NDArray[np.int32]:
        """The index in the whole of each vertex of a part, and of those that it borrows."""
        own = [self._first_of(number, tally.bricks).repeat(tally.count) for number, tally in enumerate(part.of_points)]
        steps = [
            np.arange(tally.count.sum()) - np.repeat(np.cumsum(tally.count) - tally.count, tally.count)
            for tally in part.of_points
        ]
        lent = np.empty(len(part.borrowed), dtype=np.int64)
        for number in range(VERTEX_SERIES):
            rows = np.flatnonzero(part.borrowed[:, 0] == number)
            lent[rows] = self._first_of(number, part.borrowed[rows, 1]) + part.borrowed[rows, 2]
        return np.concatenate([*(first + step for first, step in zip(own, steps, strict=True)), lent]).astype(np.int32)

    def _first_of(self, number: int, bricks: Indices) -> Indices:
        """The index of the first vertex that each of some bricks (N,) owns of a series; it owns one."""
        place: Indices = np.searchsorted(self._vertices[number].bricks, bricks)
        return np.asarray(self._first[number][place])
