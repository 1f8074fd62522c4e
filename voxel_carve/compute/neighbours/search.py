"""The points within a radius of others.

Trees of points (scipy's) or a hash grid (Warp's) propose pairs that may be a little farther apart. Their squared
distance in float64 decides, the same for both.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import scipy

from ..arrays import EqualByValue
from ..engines.registry import get_dense_backend
from ..field.protocol import DenseBackend
from ..formulas import vector
from ..formulas.binding import ON_ARRAYS
from ..model.grid import as_floats, as_points
from ..runtime.errors import InputError
from ..runtime.limits import allowed_bytes
from ..runtime.progress import Progress, reporting_to, with_progress
from ..runtime.threads import slices

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

QUERIES_PER_BLOCK = 1 << 14
BYTES_PER_PAIR = 64  # while pairs are found and sorted
_dot = ON_ARRAYS(vector.dot)


@runtime_checkable
class Searching(Protocol):
    """A backend with a search of its own."""

    def pairs_within(self, points: Array, queries: Array, radius: float, reach: float) -> tuple[Indices, Indices]:
        """The pairs of a query and a point whose squared distance is at most that of the radius, in any order.

        Args:
            points: (N, 3), at least one; queries: (Q, 3), at least one.
            radius: 0 or more; reach: a little more, so that rounding loses no pair.

        Returns:
            query, index: (P,) each.
        """


@dataclass(frozen=True, eq=False)
class Neighbours(EqualByValue):
    """The points near each query, one list after the other.

    Attributes:
        first: (Q + 1,) int64, query i owns the entries first[i] to first[i + 1].
        index: (P,) int64, the points, in ascending order for each query.
    """

    first: Indices
    index: Indices

    def count(self) -> Indices:
        """(Q,) the number of points near each query."""
        return np.diff(self.first)

    def of(self, query: int) -> Indices:
        """The points near one query."""
        return self.index[self.first[query] : self.first[query + 1]]

    def query(self) -> Indices:
        """(P,) the query of each entry."""
        return np.repeat(np.arange(len(self.first) - 1), self.count())

    def where(self, kept: npt.NDArray[np.bool_]) -> "Neighbours":
        """Only the entries where the mask (P,) is true."""
        return Neighbours(np.concatenate([[0], np.cumsum(kept)])[self.first], self.index[kept])


def neighbours(
    points: npt.ArrayLike,
    queries: npt.ArrayLike,
    radius: float,
    backend: str | DenseBackend | None = None,
    progress: Progress | None = None,
) -> Neighbours:
    """The points within a radius of each query, including those at the very radius.

    A pair counts where its squared distance, in float64, is at most the square of the radius. All backends give the
    same.

    Args:
        points: (N, 3), in any unit of length.
        queries: (Q, 3), in the unit of the points; they may be the points themselves, and then find themselves too.
        radius: 0 or more, in the unit of the points.
        backend: None or "cpu" takes scipy's trees, and compiles nothing. Others are those of `get_dense_backend`: CUDA
            has a search of its own, and one without takes the trees.
        progress: called often; raise CarveCancelled in it to stop.

    Raises:
        InputError: another shape, values that are not finite, a negative radius, or more pairs than fit into memory.
        BackendError: the backend does not work here, or its device has too little memory.
    """
    places, asked = (_finite(each, what) for each, what in ((points, "points"), (queries, "queries")))
    size = as_floats(radius, "a radius")
    if size.shape != () or not 0 <= size < np.inf:
        raise InputError("radius {radius}: it must be a length, or 0", radius=radius)
    if len(places) == 0 or len(asked) == 0:
        return Neighbours(np.zeros(len(asked) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    largest = max(float(np.abs(places).max()), float(np.abs(asked).max()))
    reach = float(size) * (1 + 1e-9) + 16 * float(np.finfo(np.float64).eps) * largest
    chosen = None if backend in (None, "cpu") else get_dense_backend(backend)
    search = chosen.pairs_within if isinstance(chosen, Searching) else pairs_by_trees
    with reporting_to(progress):
        query, index = search(places, asked, float(size), reach)
    both = np.sort(query << 32 | index)
    first = np.searchsorted(both >> 32, np.arange(len(asked) + 1))
    return Neighbours(first.astype(np.int64), both & 0xFFFFFFFF)


def pairs_by_trees(points: Array, queries: Array, radius: float, reach: float) -> tuple[Indices, Indices]:
    """See `Searching.pairs_within`."""
    tree, found = scipy.spatial.cKDTree(points), []
    order = np.asarray(scipy.spatial.cKDTree(queries).indices, dtype=np.int64)  # queries of a block lie side by side
    room = allowed_bytes(None) // BYTES_PER_PAIR
    for rows in with_progress(slices(len(order), QUERIES_PER_BLOCK)):
        own = order[rows]
        block = scipy.spatial.cKDTree(queries[own])
        room -= int(block.count_neighbors(tree, reach))
        if room < 0:
            raise InputError(
                "the pairs within {radius:g} do not fit into memory: choose a smaller radius", radius=radius
            )
        pairs = block.sparse_distance_matrix(tree, reach, output_type="ndarray")
        query, index = own[pairs["i"]], pairs["j"].astype(np.int64)
        off = (queries[query] - points[index]).T
        near = _dot(*off, *off) <= radius * radius
        found.append((query[near], index[near]))
    return np.concatenate([query for query, _ in found]), np.concatenate([index for _, index in found])


def _finite(points: npt.ArrayLike, what: str) -> Array:
    array = as_points(points, f"a search for neighbours, as its {what},")
    if not np.isfinite(array).all():
        raise InputError("the {what} of a search for neighbours are not all finite numbers", what=what)
    return array
