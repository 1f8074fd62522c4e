"""What programs of frameworks call on the host: numpy's arrays in, new ones out, with any axes of a batch in front.

The axes in front are broadcast against each other, as by numpy. A whole batch is one call, and its items use all
threads, one item after the other.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compute import DenseBackend, Grid, Operation, Path, SweepDistance, get_dense_backend, sweep, sweep_distance

Array = npt.NDArray[Any]


def swept(
    occupancy: Array,
    points: Array,
    radii: Array,
    first_layer: Array,
    **options: Any,
) -> Array:
    """What `compute.sweep` leaves of layers of a grid.

    Args:
        occupancy: (..., L, Y, X) bool.
        points, radii, first_layer: as for `sweep_each`.
        options: its named arguments.

    Returns:
        (..., L, Y, X).

    Raises:
        InputError: as `compute.sweep`.
    """
    batch = np.broadcast_shapes(occupancy.shape[:-3], points.shape[:-2], radii.shape[:-1], np.shape(first_layer))
    found = np.array(_spread(occupancy, batch, 3), order="C")
    sweep_each(as_items(found), batch, points, radii, first_layer, **options)
    return found


def as_items(array: Any) -> Any:
    """(B, L, Y, X): the items of a batch (..., L, Y, X) in their order, one after the other, where they lie."""
    return array.reshape((math.prod(array.shape[:-3]), *array.shape[-3:]))


def sweep_each(
    items: Any,
    batch: tuple[int, ...],
    points: Array,
    radii: Array,
    first_layer: npt.ArrayLike,
    *,
    origin: npt.ArrayLike,
    voxel_size: float,
    shape: tuple[int, int, int],
    operation: Operation,
    cyclic: bool,
    joined: bool,
    backend: str | DenseBackend | None = None,
) -> None:
    """Combine each item of a batch, in place, with the sweep of its path.

    Args:
        items: (B, L, Y, X), layers of a grid: an array that `compute.sweep` writes to, on a card for one. Its items are
            those of the batch, in their order.
        batch: the sides of the batch.
        points: (..., N, 3), in world space. What is in front of the last axes is broadcast to the batch.
        radii: (..., N).
        first_layer: (...) the index z of the lowest of the layers.
        origin, voxel_size, shape: of the `Grid`.
        cyclic, joined: as for `Path`.
        operation, backend: as for `compute.sweep`.

    Raises:
        InputError, BackendError: as `compute.sweep`.
    """
    grid, used = Grid(np.asarray(origin), voxel_size, shape), get_dense_backend(backend)
    places, sizes = _spread(points, batch, 2), _spread(radii, batch, 1)
    lowest = np.broadcast_to(first_layer, batch)
    for number, item in enumerate(np.ndindex(batch)):
        path, occupancy = Path(places[item], sizes[item], cyclic, joined=joined), items[number]
        sweep(occupancy, grid, path, operation, first_layer=int(lowest[item]), out=occupancy, backend=used)


def distances(
    query: Array, points: Array, radii: Array, *, cyclic: bool, joined: bool, backend: str | DenseBackend = "cpu"
) -> Array:
    """The distances of points from a sweep: see `compute.sweep_distance`.

    Args:
        query: (..., Q, 3), in world space.
        points, radii, cyclic, joined: as for `sweep_each`.
        backend: as for `compute.sweep_distance`.

    Returns:
        (..., Q) of the type of `query`.

    Raises:
        InputError: as `compute.sweep_distance`.
    """
    found = _measured(query, points, radii, cyclic, joined, backend)
    out = np.empty((*found.shape, query.shape[-2]), query.dtype)
    for item, measured in np.ndenumerate(found):
        out[item] = measured.distance
    return out


def distance_derivatives(
    weights: Array,
    query: Array,
    points: Array,
    radii: Array,
    *,
    cyclic: bool,
    joined: bool,
    backend: str | DenseBackend = "cpu",
) -> tuple[Array, Array, Array]:
    """The derivatives of the sum of weights (..., Q) times the `distances`.

    Returns:
        By the query points (..., Q, 3), by the path's points (..., N, 3), and by its radii (..., N), of the type of
        `query`.
    """
    found = _measured(query, points, radii, cyclic, joined, backend)
    batch = np.broadcast_shapes(found.shape, weights.shape[:-1])
    factors = _spread(np.asarray(weights), batch, 1)
    sides = (query.shape[-2:], points.shape[-2:], radii.shape[-1:])
    d_query, d_points, d_radii = (np.empty((*batch, *side), query.dtype) for side in sides)
    for item, measured in np.ndenumerate(np.broadcast_to(found, batch)):
        by_path = measured.vector_jacobian_product(factors[item])
        d_query[item] = factors[item][:, None] * measured.d_query
        d_points[item], d_radii[item] = by_path.d_points, by_path.d_radii
    return d_query, d_points, d_radii


def _spread(array: Array, batch: tuple[int, ...], own: int) -> Array:
    """An array whose last `own` axes are those of one item, broadcast to a batch."""
    return np.broadcast_to(array, (*batch, *array.shape[array.ndim - own :]))


def _measured(
    query: Array, points: Array, radii: Array, cyclic: bool, joined: bool, backend: str | DenseBackend
) -> Any:
    """An array with the `SweepDistance` of each item of a batch. Items that share one path are measured at once."""
    where, places, sizes = map(np.asarray, (query, points, radii))
    paths = np.broadcast_shapes(places.shape[:-2], sizes.shape[:-1])
    batch = np.broadcast_shapes(where.shape[:-2], paths)
    where, found = _spread(where, batch, 2), np.empty(batch, dtype=np.object_)
    if math.prod(paths) == 1:
        path = Path(places.reshape(-1, 3), sizes.ravel(), cyclic, joined=joined)
        whole, count = sweep_distance(where.reshape(-1, 3), path, backend=backend), where.shape[-2]
        for number, item in enumerate(np.ndindex(batch)):
            found[item] = _part(whole, slice(number * count, (number + 1) * count))
        return found
    places, sizes = _spread(places, batch, 2), _spread(sizes, batch, 1)
    for item in np.ndindex(batch):
        path = Path(places[item], sizes[item], cyclic, joined=joined)
        found[item] = sweep_distance(where[item], path, backend=backend)
    return found


def _part(whole: SweepDistance, rows: slice) -> SweepDistance:
    """Some rows of the distances of a sweep."""
    kept = {name: getattr(whole, name)[rows] for name in ("distance", "segment", "fraction", "d_query", "ends")}
    return replace(whole, **kept)
