"""Parts of a surface, as some bricks make them; and how they are joined.

The vertices and faces of a surface come in *series*: first all of one kind, then all of the next. In each series they
are in the order of the bricks that own them. So the surface is the same, whatever its parts.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# Vertices of cells; of divided quads, on faces where two sides meet, on others, and at crossings.
VERTEX_SERIES = 4
# Quads of crossings and of border points, what replaces those that are divided, and the second triangles of others.
FACE_SERIES = 6
SERIES_BITS, RANK_BITS = 3, 17  # a brick owns less than 2^17 vertices: 24 for each of its cells at most
SECOND = 4  # the series of the second triangles of the quads of the first two

Indices = npt.NDArray[np.int64]


class Tally(NamedTuple):
    """How many of a series some bricks own: bricks (N,), ids in ascending order, and count (N,)."""

    bricks: Indices
    count: Indices  # type: ignore[assignment]


class Owned(NamedTuple):
    """Vertices or faces that bricks own, in the order of a surface. All that one brick owns of a series is a *run*.

    Attributes:
        series, brick: (N,), (N,) of each run.    first: (N + 1,) where it begins, and where the last ends.
    """

    series: npt.NDArray[np.integer]
    brick: Indices
    first: Indices

    @classmethod
    def of(cls, runs: Sequence[tuple[Indices, npt.NDArray[np.integer]]]) -> "Owned":
        """From each series: the bricks of its runs, and their lengths."""
        series = np.repeat(np.arange(len(runs)), [len(brick) for brick, _ in runs])
        length = np.concatenate([length for _, length in runs])
        return cls(series, np.concatenate([brick for brick, _ in runs]), np.concatenate([[0], np.cumsum(length)]))

    def each(self, of_run: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """(M,) what is given of each run (N,), for each vertex or face."""
        return np.repeat(of_run, np.diff(self.first))

    def tallies(self, own: npt.NDArray[np.bool_], count: int) -> tuple[Tally, ...]:
        """That of each of `count` series, of the runs (N,) that are marked, and not empty."""
        length = np.diff(self.first)
        marked = [np.flatnonzero(own & (length > 0) & (self.series == number)) for number in range(count)]
        return tuple(Tally(self.brick[runs], length[runs]) for runs in marked)

    def names(self, which: Indices) -> tuple[Indices, Indices]:
        """Of some (K,): the series, the brick and the number there (K, 3), and the run (K,)."""
        run = np.searchsorted(self.first, which, side="right") - 1
        return np.column_stack([self.series[run], self.brick[run], which - self.first[run]]).astype(np.int64), run

    def keys(self) -> npt.NDArray[np.uint64]:
        """(N,) a number for the first of each run. With that in the run added, no other of the surface has it, whatever
        the part."""
        series = self.series.astype(np.uint64) << np.uint64(64 - SERIES_BITS)
        return series | self.brick.astype(np.uint64) << np.uint64(RANK_BITS)


class SurfacePart(NamedTuple):
    """The part of a surface that some bricks own.

    Attributes:
        points: (V, 3) in world space.    of_points: a tally for each of VERTEX_SERIES.
        borrowed: (W, 3) vertices of other bricks: the series, the brick, and the number there.
        faces: (F, 4) int32, `Surface.faces`; indices from V on are those of `borrowed`.
        source, primitive: (F,), see `Surface`.    of_faces: a tally for each of FACE_SERIES.
        volume: between the faces and a point that all parts share. That of a surface is the sum of theirs.
        balance: see `are_closed`. The sum of those of all parts of a closed surface is 0, modulo 2^64.
    """

    points: npt.NDArray[np.float64]
    of_points: tuple[Tally, ...]
    borrowed: Indices
    faces: npt.NDArray[np.int32]
    source: npt.NDArray[np.uint8]
    primitive: npt.NDArray[np.int32]
    of_faces: tuple[Tally, ...]
    volume: float
    balance: int

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """The same as arrays alone, by name."""
        return {
            "points": self.points,
            "borrowed": self.borrowed,
            "faces": self.faces,
            "source": self.source,
            "primitive": self.primitive,
            "of_points": _table(self.of_points),
            "of_faces": _table(self.of_faces),
            "volume": np.array(self.volume),
            "balance": np.array(self.balance, dtype=np.uint64),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> "SurfacePart":
        """From what `arrays` gives."""
        return cls(
            arrays["points"],
            _tallies(arrays["of_points"], VERTEX_SERIES),
            arrays["borrowed"],
            arrays["faces"],
            arrays["source"],
            arrays["primitive"],
            _tallies(arrays["of_faces"], FACE_SERIES),
            float(arrays["volume"]),
            int(arrays["balance"]),
        )


def _table(tallies: tuple[Tally, ...]) -> npt.NDArray[np.int64]:
    """(N, 3) tallies of all series: the series, the brick and the count."""
    rows = [np.column_stack([np.full(len(tally.bricks), number), *tally]) for number, tally in enumerate(tallies)]
    return np.concatenate(rows).astype(np.int64)


def _tallies(table: npt.NDArray[np.int64], count: int) -> tuple[Tally, ...]:
    """The tallies of `count` series, from such a table."""
    own = (np.asarray(table[table[:, 0] == number]) for number in range(count))
    return tuple(Tally(rows[:, 1].copy(), rows[:, 2].copy()) for rows in own)
