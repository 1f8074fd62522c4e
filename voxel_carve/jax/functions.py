"""The functions of `voxel_carve.jax`: checks, and calls of the kernels on the host, one for a whole batch."""

from functools import cache
from types import ModuleType
from typing import Any

from ..compute import Grid, Operation
from ..frameworks.arguments import (
    check_field,
    check_occupancy,
    check_operation,
    check_path,
    check_query,
    not_installed,
)
from ..frameworks.fields import centres, combined
from .foreign_call import foreign_call


def sweep(
    occupancy: Any,
    grid: Grid,
    points: Any,
    radii: Any,
    operation: Operation = "subtract",
    *,
    cyclic: bool = False,
    joined: bool = True,
    first_layer: Any = None,
) -> Any:
    """An occupancy with a sweep taken out of it, added to it, or intersected with it: see `compute.sweep`.

    It can be called under `jit`, `shard_map`, and `vmap`, whose batch is one call. An occupancy changes by leaps, so
    its derivatives are 0. An occupancy on a card is carved there, by the backend `cuda`; the path comes to the host.

    Args:
        occupancy: (Z, Y, X) of bool, of the grid's shape, or (L, Y, X), some of its layers.
        grid: where the voxels lie. It is known when the program is traced: close over it.
        points: (N, 3), the points of a path, in world space.
        radii: (N,), or one number for all points.
        operation: "subtract", "union" or "intersect".
        cyclic, joined: as for `compute.Path`.
        first_layer: the index z, in the grid, of the lowest of some layers. On a shard of equal parts along z, this is
            `jax.lax.axis_index(name) * L`. The voxels are then those of the whole, to the last.

    Returns:
        A new occupancy of the same shape.

    Raises:
        InputError: wrong shapes or types, while the program is traced. Wrong values, such as a radius that is not
            positive, are a `jax.errors.JaxRuntimeError` with our message in it, when it runs.
        BackendError: JAX is not installed. That Warp is not, where a card is to be worked on, is an error when it runs.
    """
    jax = _jax()
    voxels, places, sizes = map(jax.numpy.asarray, (occupancy, points, radii))
    check_occupancy(voxels.shape, voxels.dtype == bool, voxels.dtype, grid, first_layer)
    check_operation(operation)
    check_path(places.shape, sizes.shape)
    first = jax.numpy.asarray(0 if first_layer is None else first_layer, dtype=jax.numpy.int32)
    places, sizes = map(jax.lax.stop_gradient, _as_floats(jax, places, _for_each(jax, sizes, places)))
    return _called(
        jax, "swept", voxels, *_alike(jax, voxels, places, sizes, first), origin=grid.origin.tolist(),
        voxel_size=grid.voxel_size, shape=grid.shape, operation=operation, cyclic=cyclic, joined=joined,
    )  # fmt: skip


def sweep_field(
    distance: Any,
    grid: Grid,
    points: Any,
    radii: Any,
    operation: Operation = "subtract",
    *,
    cyclic: bool = False,
    joined: bool = True,
    first_layer: Any = None,
) -> Any:
    """A distance field with a sweep taken out of it, added to it, or intersected with it: `sweep`, with derivatives.

    It can be called as `sweep_distance`, and has derivatives by the field, the points and the radii. Away from the
    surfaces the result is a bound of the distance, as of every combination of two fields.

    Args:
        distance: (Z, Y, X) of floating-point numbers, in the grid's unit, negative inside; or (L, Y, X), some layers.
        grid, points, radii, operation, cyclic, joined, first_layer: as for `sweep`.

    Returns:
        A new field of the same shape and type.

    Raises:
        InputError, BackendError: as `sweep`.
    """
    jax = _jax()
    field = jax.numpy.asarray(distance)
    check_field(field.shape, jax.numpy.issubdtype(field.dtype, jax.numpy.floating), field.dtype, grid, first_layer)
    check_operation(operation)
    places = centres(jax.numpy, grid, field.shape, 0 if first_layer is None else first_layer, field.dtype)
    swept = sweep_distance(places, points, radii, cyclic=cyclic, joined=joined).astype(field.dtype)
    return combined(jax.numpy, field, swept, operation)


def sweep_distance(query_points: Any, points: Any, radii: Any, *, cyclic: bool = False, joined: bool = True) -> Any:
    """The signed distances of points from a sweep: see `compute.sweep_distance`.

    It can be called under `jit`, `shard_map`, `vmap` and `grad`. The derivatives by query points, points and radii are
    in closed form; there are no second ones. Points on a card are copied to the CPU, and distances back; the nearest
    segments are found on the card, by the backend `cuda`.

    Args:
        query_points: (..., 3), in world space.
        points, radii, cyclic, joined: as for `sweep`.

    Returns:
        (...) distances, negative inside, in the type that the arguments have in common. They are computed in float64.

    Raises:
        InputError, BackendError: as `sweep`.
    """
    jax = _jax()
    places, path, sizes = map(jax.numpy.asarray, (query_points, points, radii))
    check_query(places.shape)
    check_path(path.shape, sizes.shape)
    kind = jax.numpy.result_type(float, places, path, sizes)
    arrays = _as_floats(jax, places.reshape(-1, 3), path, _for_each(jax, sizes, path))
    return _distances(cyclic, joined)(*_alike(jax, *arrays)).reshape(places.shape[:-1]).astype(kind)


@cache
def _distances(cyclic: bool, joined: bool) -> Any:
    """The distances (Q,) of points (Q, 3) from a path (N, 3) with radii (N,), as a function that JAX differentiates."""
    jax = _jax()

    def distances(query: Any, points: Any, radii: Any) -> Any:
        result = jax.ShapeDtypeStruct(query.shape[:1], query.dtype)
        return _called(jax, "distances", result, query, points, radii, cyclic=cyclic, joined=joined)

    def forward(*arrays: Any) -> Any:
        return distances(*arrays), arrays

    def backward(arrays: Any, weights: Any) -> Any:
        return _called(jax, "distance_derivatives", arrays, weights, *arrays, cyclic=cyclic, joined=joined)

    differentiable = jax.custom_vjp(distances)
    differentiable.defvjp(forward, backward)
    return differentiable


def _called(jax: ModuleType, function: str, results: Any, *arrays: Any, **options: Any) -> Any:
    """As `foreign_call`. Under `shard_map`, the arrays must be `_alike`."""
    shapes = jax.tree.map(lambda result: jax.ShapeDtypeStruct(result.shape, result.dtype), results)
    found = foreign_call(jax, function, shapes, *arrays, **options)
    return jax.tree.map(lambda array: _varied(jax, array, _axes(jax, arrays[0])), found)


def _alike(jax: ModuleType, *arrays: Any) -> list[Any]:
    """Arrays that all vary over the axes of a `shard_map` over which one of them does."""
    axes = frozenset[str]().union(*(_axes(jax, array) for array in arrays))
    return [_varied(jax, array, axes) for array in arrays]


def _varied(jax: ModuleType, array: Any, axes: frozenset[str]) -> Any:
    """An array that varies over axes of a `shard_map`, if only in name."""
    missing = tuple(sorted(axes - _axes(jax, array)))
    if not missing:
        return array
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, missing, to="varying")
    return jax.lax.pvary(array, missing)  # before JAX 0.8


def _axes(jax: ModuleType, array: Any) -> frozenset[str]:
    """The axes of a `shard_map` over which an array varies."""
    kind = jax.typeof(array)
    found: frozenset[str] = kind.vma if hasattr(kind, "vma") else kind.mat.varying  # before and since JAX 0.10
    return found


def _as_floats(jax: ModuleType, *arrays: Any) -> list[Any]:
    """Arrays of one type, float64 if one of them is of that, else float32."""
    kind = jax.numpy.result_type(jax.numpy.float32, *arrays)
    return [array.astype(kind) for array in arrays]


def _for_each(jax: ModuleType, radii: Any, points: Any) -> Any:
    """Radii (N,) of points (N, 3)."""
    return jax.numpy.broadcast_to(radii, points.shape[:1])


def _jax() -> ModuleType:
    """JAX, or our error with the line that installs it."""
    try:
        import jax
    except ImportError as error:
        raise not_installed("JAX", "jax", error) from error
    return jax
