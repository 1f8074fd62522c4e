"""Operations on occupancies of any kind: see `compute.arrays`. What they return is of the kind that came in.

Each gives a new occupancy, or writes into `out`, which may be one of the operands: that is the form in place. They work
in slabs of a byte budget, and all backends and budgets give the same voxels.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Layers, Occupancy, given_back
from ..engines.registry import get_dense_backend
from ..field.occupancies import BooleanOperation, check_kernel, check_shapes, first_layer_of
from ..field.protocol import DenseBackend
from ..model.combining import Operation
from ..model.grid import Grid
from ..model.mesh import MeshLike, TriMesh
from ..model.sweep import PathsLike, Sweep
from ..runtime.errors import InputError
from ..runtime.progress import with_progress
from .session import BYTE_BUDGET, CarveSession, slabs


def boolean(
    operation: BooleanOperation,
    a: Any,
    b: Any,
    *,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
) -> Any:
    """Union, intersection or difference (a without b) of two occupancies of the same shape.

    Args:
        operation: "union", "intersect" or "subtract".
        a, b: (Z, Y, X).
        out: (Z, Y, X) to write to; None for a new occupancy of the kind of a.
        backend: a name for `get_dense_backend`, or a backend.
        byte_budget: bytes of a slab. The work needs less than twice this, beside arrays in memory.

    Returns:
        `out`, or the new occupancy.

    Raises:
        InputError: unknown operation, wrong type, shapes that differ, an `out` that cannot be written to, or a budget
            that is not positive.
    """
    one, other, used = Layers.of(a), Layers.of(b), get_dense_backend(backend)
    check_shapes(one.shape, other.shape)

    def combine(first: int, stop: int) -> Occupancy:
        return used.boolean(operation, one.read(first, stop), other.read(first, stop))

    return _filled(combine, one.shape, byte_budget, out, like=a)


def dilate(
    occupancy: Any,
    kernel: Any,
    *,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
) -> Any:
    """Place a structuring element on every set voxel, centred on its middle voxel, and clip it to the grid.

    Args:
        occupancy: (Z, Y, X).
        kernel: any structuring element with odd sides, in the same order of axes.
        out, backend, byte_budget: as for `boolean`.

    Returns:
        `out`, or a new occupancy of the kind of `occupancy`.

    Raises:
        InputError: an even side, or as `boolean`.
    """
    source, used = Layers.of(occupancy), get_dense_backend(backend)
    element = Layers.of(kernel).whole()
    check_kernel(source.read(0, 0), element)
    margin, depth = element.shape[0] // 2, source.shape[0]
    # The layers below a slab as they were, because `out` may be the occupancy.
    below = source.read(0, 0).copy()

    def grow(first: int, stop: int) -> Occupancy:
        nonlocal below
        block = source.read(first, min(stop + margin, depth))
        under = len(below)
        if under or stop < depth:
            block = np.concatenate([below, block])
        below = block[max(0, under + stop - first - margin) : under + stop - first].copy()
        return used.dilate(block, element)[under : under + stop - first]

    return _filled(grow, source.shape, byte_budget, out, like=occupancy)


def voxelize(
    mesh: MeshLike,
    grid: Grid,
    *,
    fill_holes: bool = False,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
) -> Any:
    """The voxels where the generalised winding number of the centre is above 0.5 in absolute value.

    Any mesh is accepted: closed, open, self-intersecting, non-manifold, and partly or wholly outside the grid.

    Args:
        mesh: as for `TriMesh.of`, in world space.
        grid: of any shape.
        fill_holes: also set the voxels that cannot be reached from the grid's sides, face to face. All voxels are then
            made at once, whatever the budget.
        out, backend, byte_budget: as for `boolean`.

    Returns:
        `out`, or a new occupancy, of the kind of the mesh's points if they are an array.

    Raises:
        InputError: as `TriMesh.of` and `boolean`.
    """
    whole, used = TriMesh.of(mesh), get_dense_backend(backend)
    # In voxels, slabs differ by a whole number, which rounds nothing.
    placed = TriMesh(grid.to_voxels(whole.points), whole.triangles, whole.name)

    def fill(first: int, stop: int) -> Occupancy:
        slab = Grid(np.array([0.0, 0.0, first]), 1.0, (stop - first, *grid.shape[1:]))
        return used.voxelize_mesh(placed, slab, fill_holes)

    budget = 2 * math.prod(grid.shape) if fill_holes else byte_budget
    return _filled(fill, grid.shape, budget, out, like=mesh[0] if isinstance(mesh, tuple) else whole.points)


def sweep(
    occupancy: Any,
    grid: Grid,
    paths: PathsLike,
    operation: Operation = "subtract",
    *,
    first_layer: int | None = None,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
) -> Any:
    """An occupancy with a sweep taken out of it, added to it, or intersected with it.

    Args:
        occupancy: (Z, Y, X), of the grid's shape.
        grid: where the voxels lie.
        paths: as for `Sweep.of`, in world space.
        operation: "subtract", "union" or "intersect".
        first_layer: as for `CarveSession`.
        out, backend, byte_budget: as for `boolean`. `CarveSession` counts the voxels that change.

    Returns:
        `out`, or a new occupancy of the kind of `occupancy`.

    Raises:
        InputError: as `Sweep.of` and `CarveSession`.
    """
    source, swept = Layers.of(occupancy), Sweep.of(paths)
    first_layer_of(source.shape, grid, first_layer)
    found = np.array(source.whole()) if out is None else out
    if out is not None and out is not occupancy:
        _filled(source.read, source.shape, byte_budget, out, like=occupancy)
    with CarveSession(found, grid, backend, byte_budget, first_layer=first_layer) as session:
        session.queue(operation, swept)
    return given_back(_as(found, occupancy), occupancy) if out is None else out


def _filled(
    make: Callable[[int, int], Occupancy], shape: tuple[int, int, int], byte_budget: int, out: Any, like: Any
) -> Any:
    """`out`, or a new occupancy in the kind of `like`, filled with what `make` gives for layers first to stop."""
    if byte_budget <= 0:
        raise InputError("a budget of {byte_budget} bytes: it must be positive", byte_budget=byte_budget)
    # Up to three occupancies of a slab are there at a time: two that are read, and a new one.
    parts = list(slabs(shape, byte_budget // 2))
    if out is not None:
        target = Layers.written(out)
        check_shapes(shape, target.shape)
    elif len(parts) == 1:
        return given_back(_as(make(0, shape[0]), like), like)
    else:
        found = np.empty(shape, dtype=np.bool_)
        target = Layers.of(found)
    for first, stop in with_progress(parts):
        target.write(first, make(first, stop))
    return given_back(_as(found, like), like) if out is None else out


def _as(occupancy: Occupancy, like: Any) -> Any:
    """Bool as uint8 if another occupancy is of that."""
    is_bytes = str(getattr(like, "dtype", "")).rpartition(".")[2] == "uint8"
    return occupancy.view(np.uint8) if is_bytes else occupancy
