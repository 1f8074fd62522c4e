"""Which of a few triangles pass through each other: what `quads` and `overlaps` say, for many at once, on the host; and
what may be near them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .overlaps import BESIDE, CLEAR, CLOSE
from .quads import FIRST, NOT_EVEN, NOT_ODD, SECOND

TINY = 1e-12
CELL_BITS = 18  # of a cell's number, which tell most cells apart
INSET = 1e-6  # voxels: triangles that only touch a cell's side are not in the cell beyond it

Numbers = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]
Reals = npt.NDArray[np.float64]


def triangles_of(points: Reals, quads: Numbers, marks: Numbers, which: Numbers) -> Numbers:
    """(T, 3) the triangles of quads which (K,), in no order and turned in any way."""
    rings = quads[which]
    second = _are_split_at_second(points, quads, marks, which)[:, None]
    made = np.concatenate(
        [
            np.where(second, rings[:, [1, 2, 3]], rings[:, :3]),
            np.where(second, rings[:, [1, 3, 0]], rings[:, [0, 2, 3]]),
        ]
    )
    folded = (rings[:, 0] == rings[:, 2]) | (rings[:, 1] == rings[:, 3])
    a, b, c = made.T
    return made[(a != b) & (b != c) & (c != a) & ~np.concatenate([folded, folded])]


def _are_split_at_second(points: Reals, quads: Numbers, marks: Numbers, which: Numbers) -> Flags:
    """(K,) see `quads.is_split_at_second`."""
    mark, rings = marks[which], quads[which]
    twin = np.where(mark & FIRST != 0, which + 1, np.where(mark & SECOND != 0, which - 1, which))
    quality = [
        np.minimum(
            _split_quality(points, np.roll(rings, -k, axis=1)), _split_quality(points, np.roll(other, -k, axis=1))
        )
        for k, other in ((0, quads[twin]), (1, quads[twin]))
    ]
    (fold, shape), (other_fold, other_shape) = quality
    better = np.where((fold < 0) != (other_fold < 0), fold < other_fold, other_shape > shape + TINY)
    is_whole = (rings != np.roll(rings, 1, axis=1)).all(axis=1)
    return np.where(is_whole & (mark & (NOT_EVEN | NOT_ODD) == 0), better, mark & NOT_EVEN != 0)


def _split_quality(points: Reals, rings: Numbers) -> Reals:
    """(2, K) see `quads.split_quality`."""
    a, b, c, d = (points[rings[:, k]] for k in range(4))
    one, other = np.cross(b - a, c - a), np.cross(c - a, d - a)
    first, last = np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)
    sides = [np.square(p - q).sum(axis=1) for p, q in ((a, b), (b, c), (c, d), (d, a), (a, c))]
    fold = (one * other).sum(axis=1) / np.maximum(first * last, TINY)
    whole, beyond = sides[0] + sides[1] + sides[4], sides[2] + sides[3] + sides[4]
    return np.stack([fold, np.minimum(first / np.maximum(whole, TINY), last / np.maximum(beyond, TINY))])


def crossing_pairs(points: Reals, triangles: Numbers, first: int) -> Numbers:
    """(N, 2) the pairs of triangles (T, 3) that pass through each other, or touch. One of each pair is of the first
    `first` triangles."""
    corners = points[triangles]
    pairs = _pairs_in_cells(corners, first)
    one, other = triangles[pairs[:, 0]], triangles[pairs[:, 1]]
    common = (one[:, :, None] == other[:, None, :]).sum(axis=(1, 2))
    pairs = pairs[common < 2]
    one, other = triangles[pairs[:, 0]], triangles[pairs[:, 1]]
    is_common = one[:, :, None] == other[:, None, :]
    a, b = corners[pairs[:, 0]], corners[pairs[:, 1]]
    # Heights of the corners of the second above the first, and of the first above the second.
    above, over = _volumes(a, b), _volumes(b, a)
    may = ~_is_beside(above, is_common.any(axis=1)) & ~_is_beside(over, is_common.any(axis=2))
    pairs, a, b, is_common = pairs[may], a[may], b[may], is_common[may]
    cross = _is_pierced(a, b, above[may], is_common.any(axis=1)) | _is_pierced(b, a, over[may], is_common.any(axis=2))
    return pairs[cross]


def _pairs_in_cells(corners: Reals, first: int) -> Numbers:
    """(N, 2) the pairs of triangles (T, 3, 3) of which one is of the first `first`, and whose boxes meet in a cell."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    start = np.floor(low - 0.5 + INSET).astype(np.int64)
    shape = np.maximum(np.floor(high - 0.5 - INSET).astype(np.int64) - start, 0) + 1
    # One row for each cell of each triangle.
    number = shape.prod(axis=1)
    own = np.repeat(np.arange(len(corners)), number)
    place = np.arange(len(own)) - np.repeat(np.cumsum(number) - number, number)
    wide, deep = shape[own, 0], shape[own, 1]
    cell = start[own] + np.stack([place % wide, place // wide % deep, place // (wide * deep)], axis=1)
    cell -= cell.min(axis=0, initial=0)
    key = (cell[:, 2] * (cell[:, 1].max(initial=0) + 1) + cell[:, 1]) * (cell[:, 0].max(initial=0) + 1) + cell[:, 0]
    order = np.lexsort((own, key))
    key, own = key[order], own[order]
    # Each of the first triangles with all after it in its cell.
    begins = np.flatnonzero(own < first)
    many = np.searchsorted(key, key[begins], side="right") - begins - 1
    one = np.repeat(begins, many)
    other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(many) - many, many)
    one, other = own[one], own[other]
    for i in range(3):
        meet = (low[one, i] <= high[other, i]) & (low[other, i] <= high[one, i])
        one, other = one[meet], other[meet]
    found = np.unique(one * len(corners) + other)
    return np.stack([found // len(corners), found % len(corners)], axis=1)


def _volumes(triangle: Reals, points: Reals) -> Reals:
    """(N, K) see `overlaps.volume_of`, of triangles (N, 3, 3) and each of points (N, K, 3)."""
    x, y, z = ([triangle[:, None, k, i] - points[:, :, i] for k in range(3)] for i in range(3))
    return x[0] * (y[1] * z[2] - z[1] * y[2]) + y[0] * (z[1] * x[2] - x[1] * z[2]) + z[0] * (x[1] * y[2] - y[1] * x[2])


def _is_beside(volume: Reals, is_common: Flags) -> Flags:
    """(N,) see `overlaps.is_beside`, by the volumes (N, 3) of corners, of which some are common."""
    above, below = (volume > CLOSE) & ~is_common, (volume < -CLOSE) & ~is_common
    others = (~is_common).sum(axis=1)
    return (above.sum(axis=1) == others) | (below.sum(axis=1) == others) | ~(above | below).any(axis=1)


def _is_pierced(a: Reals, b: Reals, volume: Reals, is_common: Flags) -> Flags:
    """(N,) whether a side of triangles b (N, 3, 3) pierces a, by the volumes (N, 3) of its corners: see
    `overlaps.pierces`."""
    found = np.zeros(len(a), dtype=np.bool_)
    for k in range(3):
        m = (k + 1) % 3
        p, q = volume[:, k], volume[:, m]
        least, most = np.minimum(np.abs(p), np.abs(q)), np.maximum(np.abs(p), np.abs(q))
        is_split = (np.minimum(p, q) < -CLOSE) & (np.maximum(p, q) > CLOSE) | (least <= CLOSE) & (most > CLEAR)
        which = np.flatnonzero(is_split & ~is_common[:, k] & ~is_common[:, m] & ~found)
        sides = np.stack([a[which], np.roll(a[which], -1, axis=1)], axis=2)
        start, stop = b[which, k], b[which, m]
        inside = np.stack(
            [_volumes(np.stack([start, stop, sides[:, n, 0]], axis=1), sides[:, n, 1:])[:, 0] for n in range(3)], axis=1
        )
        inside *= np.where((p > CLOSE) | (q < -CLOSE), -1.0, 1.0)[which, None]
        share = np.where(least[which] <= CLOSE, BESIDE, -BESIDE)
        found[which] = inside.min(axis=1) >= share * inside.sum(axis=1)
    return found


class CellsNear(NamedTuple):
    """The cells of a grid with some points, and those beside them. A table of the whole grid might not fit into memory.

    Attributes:
        numbers: (N,) of these cells, ascending.    may_be: (2^CELL_BITS,) whether one of them has these lowest bits.
    """

    numbers: Numbers
    may_be: npt.NDArray[np.bool_]

    @classmethod
    def to(cls, points: Reals) -> "CellsNear":
        """The cells near points (N, 3)."""
        around = np.array(list(np.ndindex(3, 3, 3))) - 1
        numbers = np.unique(_cell_numbers(np.unique(np.floor(points), axis=0)[:, None] + around))
        may_be = np.zeros(1 << CELL_BITS, dtype=np.bool_)
        may_be[_low_bits(numbers)] = True
        return cls(numbers, may_be)

    def has(self, points: Reals) -> npt.NDArray[np.bool_]:
        """Which points (N, 3) are in one of these cells."""
        numbers = _cell_numbers(np.floor(points))
        found: npt.NDArray[np.bool_] = self.may_be.take(_low_bits(numbers))
        # Hardly any others are left to be looked up among all.
        rows = np.flatnonzero(found)
        found[rows] = np.isin(numbers[rows], self.numbers)
        return found


def _cell_numbers(cells: Reals) -> Numbers:
    """(...,) a number for each of some cells (..., 3)."""
    x, y, z = (cells[..., axis].astype(np.int64) for axis in range(3))
    return (z << 42) + (y << 21) + x


def _low_bits(numbers: Numbers) -> Numbers:
    """(N,) CELL_BITS bits for numbers of cells: those of neighbours differ."""
    return (numbers ^ numbers >> 14 ^ numbers >> 28) & ((1 << CELL_BITS) - 1)
