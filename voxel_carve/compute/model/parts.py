"""Parts of a surface, as some bricks make them; and how they are joined.

The vertices and faces of a surface come in *series*: first all of one kind, then all of the next. In each series they
are in the order of the bricks that own them. So the surface is the same, whatever its parts.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .mesh import FACES_PER_BLOCK, balance_of, six_volumes

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

    @classmethod
    def of(cls, owner: Indices) -> "Tally":
        """From the bricks (M,) that own each, in ascending order."""
        return cls(*np.unique(owner, return_counts=True))


class Owned(NamedTuple):
    """Vertices or faces that some bricks own, in the order of a surface: the series (M,) and the brick (M,) of each."""

    series: npt.NDArray[np.integer]
    brick: Indices

    def tallies(self, count: int) -> tuple[Tally, ...]:
        """That of each of `count` series."""
        return tuple(Tally.of(self.brick[self.series == number]) for number in range(count))

    def ranks(self) -> Indices:
        """(M,) the number of each among those of its series and brick."""
        begins = np.ones(len(self.brick), dtype=np.bool_)
        begins[1:] = (np.diff(self.series) != 0) | (np.diff(self.brick) != 0)
        start = np.flatnonzero(begins)
        return np.arange(len(begins)) - np.repeat(start, np.diff(np.append(start, len(begins))))

    def keys(self) -> npt.NDArray[np.uint64]:
        """(M,) a number for each that no other of the surface has, whatever the part."""
        brick = self.brick.astype(np.uint64) << np.uint64(RANK_BITS) | self.ranks().astype(np.uint64)
        return self.series.astype(np.uint64) << np.uint64(64 - SERIES_BITS) | brick

    def at(self, which: npt.NDArray[np.generic]) -> "Owned":
        """Some of them."""
        return Owned(self.series[which], self.brick[which])


class SurfacePart(NamedTuple):
    """The part of a surface that some bricks own.

    Attributes:
        points: (V, 3) in world space.    of_points: a tally for each of VERTEX_SERIES.
        borrowed: (W, 3) vertices of other bricks: the series, the brick, and the number there.
        faces: (F, 4) int32, `Surface.faces`; indices from V on are those of `borrowed`.
        source, primitive: (F,), see `Surface`.    of_faces: a tally for each of FACE_SERIES.
        volume: between the faces and a point that all parts share. That of a surface is the sum of theirs.
        balance: see `balance_of`. The sum of those of all parts of a closed surface is 0, modulo 2^64.
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

    @classmethod
    def of(
        cls,
        points: npt.NDArray[np.float64],
        vertices: Owned,
        used: npt.NDArray[np.bool_],
        faces: npt.NDArray[np.int32],
        source: npt.NDArray[np.uint8],
        primitive: npt.NDArray[np.int32],
        owned: Owned,
        own: Indices,
        centre: npt.NDArray[np.float64],
    ) -> "SurfacePart":
        """What bricks `own` (B,), ids in ascending order, own of vertices and faces.

        Args:
            centre: (3,) near the surface: see `volume`.
            points: (V, 3) all vertices, in world space.    vertices: who owns them.    used: (V,) those that are.
            faces, source, primitive: (F, 4), (F,), (F,) the faces of these bricks.    owned: who owns those.
        """
        named = np.flatnonzero(used)
        names = vertices.at(named)
        is_own = np.isin(names.brick, own)
        index: npt.NDArray[np.int32] = np.full(len(points), -1, dtype=np.int32)
        index[named[is_own]] = np.arange(is_own.sum())
        is_lent = np.zeros(len(points), dtype=np.bool_)
        is_lent[faces] = True
        is_lent = is_lent[named] & ~is_own
        index[named[is_lent]] = is_own.sum() + np.arange(is_lent.sum())
        lent = names.at(is_lent)
        return cls(
            points[named[is_own]],
            names.at(is_own).tallies(VERTEX_SERIES),
            np.column_stack([lent.series, lent.brick, names.ranks()[is_lent]]).astype(np.int64),
            index[faces],
            source,
            primitive,
            owned.tallies(FACE_SERIES),
            _volume(points, faces, centre),
            balance_of(faces, _spread(names.keys(), named, len(points))),
        )


def _table(tallies: tuple[Tally, ...]) -> npt.NDArray[np.int64]:
    """(N, 3) tallies of all series: the series, the brick and the count."""
    rows = [np.column_stack([np.full(len(tally.bricks), number), *tally]) for number, tally in enumerate(tallies)]
    return np.concatenate(rows).astype(np.int64)


def _tallies(table: npt.NDArray[np.int64], count: int) -> tuple[Tally, ...]:
    """The tallies of `count` series, from such a table."""
    own = (np.asarray(table[table[:, 0] == number]) for number in range(count))
    return tuple(Tally(rows[:, 1].copy(), rows[:, 2].copy()) for rows in own)


def _spread(values: npt.NDArray[np.uint64], where: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.uint64]:
    """(count,) values (N,) at some places (N,), and 0 at others."""
    spread = np.zeros(count, dtype=np.uint64)
    spread[where] = values
    return spread


def _volume(points: npt.NDArray[np.float64], faces: npt.NDArray[np.int32], centre: npt.NDArray[np.float64]) -> float:
    """The volume between faces (F, 4) and a point (3,)."""
    total = 0.0
    for start in range(0, len(faces), FACES_PER_BLOCK):
        corners = [(points.take(corner, axis=0) - centre).T for corner in faces[start : start + FACES_PER_BLOCK].T]
        total += float((six_volumes(*corners[:3]) + six_volumes(corners[0], *corners[2:])).sum())
    return total / 6
