"""Operations on occupancies of any kind: see `compute.arrays`. What they return is of the kind that came in.

Each gives a new occupancy, or writes into `out`, which may be one of the operands: that is the form in place. They work
in slabs of a byte budget, and all backends and budgets give the same voxels.
"""

import logging
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Layers, Occupancy, given_back
from ..engines.registry import get_dense_backend
from ..field.occupancies import check_kernel, check_shapes, first_layer_of
from ..field.protocol import DenseBackend
from ..model.combining import OperationName, operation_of
from ..model.grid import Grid, as_grid
from ..model.mesh import MeshLike, TriMesh
from ..model.sweep import PathsLike, Sweep
from ..repair.repair import repaired_triangles
from ..runtime.progress import with_progress
from .lending import in_order, layers_of
from .session import BYTE_BUDGET, CarveSession, checked_budget, slabs

logger = logging.getLogger(__name__)


def boolean(
    operation: OperationName,
    a: Any,
    b: Any,
    *,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
    stream: Any = None,
) -> Any:
    """Union, intersection or difference (a without b) of two occupancies of the same shape.

    Args:
        operation: "union", "intersect" or "subtract"; "intersection" and "difference" mean the same.
        a, b: (Z, Y, X).
        out: (Z, Y, X) to write to; None for a new occupancy of the kind of a.
        backend: a name for `get_dense_backend`, or a backend.
        byte_budget: bytes of a slab. The work needs less than twice this, beside arrays in memory.
        stream: as for `CarveSession`.

    Returns:
        `out`, or the new occupancy.

    Raises:
        InputError: unknown operation, wrong type, shapes that differ, an `out` that cannot be written to, or a budget
            that is not positive.
    """
    used, wanted = get_dense_backend(backend), operation_of(operation)
    with in_order(used, stream, a, b, out):
        one, other = layers_of(used, a), layers_of(used, b)
        check_shapes(one.shape, other.shape)

        def combine(first: int, stop: int) -> Occupancy:
            return used.boolean(wanted, one.read(first, stop), other.read(first, stop))

        return _filled(combine, one.shape, _budget(one, byte_budget), out, a, used)


def dilate(
    occupancy: Any,
    kernel: Any,
    *,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
    stream: Any = None,
) -> Any:
    """Place a structuring element on every set voxel, centred on its middle voxel, and clip it to the grid.

    Args:
        occupancy: (Z, Y, X).
        kernel: any structuring element with odd sides, in the same order of axes.
        out, backend, byte_budget, stream: as for `boolean`.

    Returns:
        `out`, or a new occupancy of the kind of `occupancy`.

    Raises:
        InputError: an even side, or as `boolean`.
    """
    used = get_dense_backend(backend)
    with in_order(used, stream, occupancy, kernel, out):
        source, element = layers_of(used, occupancy), layers_of(used, kernel).whole()
        element = element if isinstance(element, np.ndarray) else element.numpy()
        check_kernel(element, element)
        seen_by_host = isinstance(source, Layers)
        grow = _growth(used, source, element) if seen_by_host else lambda *_: used.dilate(source.whole(), element)
        return _filled(grow, source.shape, _budget(source, byte_budget), out, occupancy, used)


def _growth(used: DenseBackend, source: Layers, element: Occupancy) -> Callable[[int, int], Occupancy]:
    """The function that dilates some layers. It is to be called for all of them, in order."""
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

    return grow


def voxelize(
    mesh: MeshLike,
    grid: Grid,
    *,
    fill_holes: bool = False,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
    stream: Any = None,
) -> Any:
    """The voxels where the generalised winding number of the centre is above 0.5 in absolute value.

    Any mesh is accepted: closed, open, self-intersecting, non-manifold, and partly or wholly outside the grid. Faces
    that look the other way are turned round, and faces that are there twice count once, as in a carve: a warning in the
    log says so.

    Args:
        mesh: as for `TriMesh.of`, in world space.
        grid: of any shape.
        fill_holes: also set the voxels that cannot be reached from the grid's sides, face to face. All voxels are then
            made at once, whatever the budget.
        out, backend, byte_budget, stream: as for `boolean`.

    Returns:
        `out`, or a new occupancy, of the kind of the mesh's points if they are an array.

    Raises:
        InputError: a grid of another type, or as `TriMesh.of` and `boolean`.
    """
    whole, used = TriMesh.of(mesh), get_dense_backend(backend)
    as_grid(grid)
    # In voxels, slabs differ by a whole number, which rounds nothing.
    placed = TriMesh(grid.to_voxels(whole.points), whole.triangles, whole.name)
    for note in repaired_triangles(placed, Grid(np.zeros(3), 1.0, grid.shape))[1]:
        logger.warning(note)

    def fill(first: int, stop: int) -> Occupancy:
        slab = Grid(np.array([0.0, 0.0, first]), 1.0, (stop - first, *grid.shape[1:]))
        return used.voxelize_mesh(placed, slab, fill_holes)

    like = mesh[0] if isinstance(mesh, tuple) else whole.points
    with in_order(used, stream, out):
        return _filled(fill, grid.shape, _all(grid.shape) if fill_holes else byte_budget, out, like, used)


def sweep(
    occupancy: Any,
    grid: Grid,
    paths: PathsLike,
    operation: OperationName = "subtract",
    *,
    first_layer: int | None = None,
    out: Any = None,
    backend: str | DenseBackend | None = None,
    byte_budget: int = BYTE_BUDGET,
    stream: Any = None,
) -> Any:
    """An occupancy with a sweep taken out of it, added to it, or intersected with it.

    Args:
        occupancy: (Z, Y, X), of the grid's shape.
        grid: where the voxels lie.
        paths: as for `Sweep.of`, in world space.
        operation: as for `boolean`.
        first_layer: as for `CarveSession`.
        out, backend, byte_budget, stream: as for `boolean`. `CarveSession` counts the voxels that change.

    Returns:
        `out`, or a new occupancy of the kind of `occupancy`.

    Raises:
        InputError: as `Sweep.of` and `CarveSession`.
    """
    used, swept = get_dense_backend(backend), Sweep.of(paths)
    with in_order(used, stream, occupancy, out):
        source = layers_of(used, occupancy)
        first_layer_of(source.shape, grid, first_layer)
        found = source.copied(source.whole()) if out is None else out
        if out is not None and out is not occupancy:
            _filled(source.read, source.shape, byte_budget, out, occupancy, used)
        with CarveSession(found, grid, used, byte_budget, first_layer=first_layer) as session:
            session.queue(operation, swept)
        return given_back(_as(found, occupancy), occupancy) if out is None else out


def _filled(
    make: Callable[[int, int], Occupancy],
    shape: tuple[int, int, int],
    byte_budget: int,
    out: Any,
    like: Any,
    used: DenseBackend,
) -> Any:
    """`out`, or a new occupancy in the kind of `like`, filled with what `make` gives for layers first to stop."""
    byte_budget = checked_budget(byte_budget)
    # Up to three occupancies of a slab are there at a time: two that are read, and a new one.
    parts = list(slabs(shape, byte_budget // 2))
    if out is not None:
        target = layers_of(used, out, writes=True)
        check_shapes(shape, target.shape)
    elif len(parts) == 1:
        return given_back(_as(make(0, shape[0]), like), like)
    else:
        found = np.empty(shape, dtype=np.bool_)
        target = Layers.of(found)
    for first, stop in with_progress(parts):
        target.write(first, make(first, stop))
    return given_back(_as(found, like), like) if out is None else out


def _budget(layers: Any, byte_budget: int) -> int:
    """The budget, or one for all at once where voxels lie on a device, because nothing is copied there."""
    byte_budget = checked_budget(byte_budget)
    return byte_budget if isinstance(layers, Layers) else _all(layers.shape)


def _all(shape: tuple[int, int, int]) -> int:
    """The budget for which an occupancy of this shape is a single slab."""
    return 2 * max(1, math.prod(shape))


def _as(occupancy: Any, like: Any) -> Any:
    """Bool as uint8 if another occupancy is of that."""
    if str(getattr(like, "dtype", "")).rpartition(".")[2].rstrip("'>") != "uint8":
        return occupancy
    return occupancy.view(np.uint8 if isinstance(occupancy, np.ndarray) else sys.modules["warp"].uint8)
