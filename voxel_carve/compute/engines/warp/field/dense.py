"""Dense operations on a Warp device, slab by slab: see `DenseBackend`.

An occupancy may be an array of Warp on the device itself. It is then neither uploaded nor downloaded, and the result is
such an array too.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import ndimage

from ....arrays import Occupancy
from ....field.binning import BinnedSweep
from ....field.occupancies import BooleanOperation, check_kernel, check_operands, check_shapes
from ....field.sweep_group import BinnedSweeps
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable, State
from ....model.grid import Grid
from ....model.mesh import TriMesh
from ....primitives.boundary import Boundary
from ....primitives.segments import Segments
from ....primitives.triangles import Triangles
from ....repair.repair import repaired_triangles
from ....runtime.progress import with_progress
from ....runtime.threads import slices
from ..device.device import WarpDevice
from . import dense_kernels
from .sweeps import launch_entries
from .winding import boundary_on

VOXELS_PER_LAUNCH = 1 << 26  # bounds the memory of a launch, and how long it blocks the graphics card of a display


def boolean(devices: Sequence[WarpDevice], operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
    """Union, intersection or difference."""
    check_operands(operation, *(each for each in (a, b) if not devices[0].holds(each)))
    check_shapes(a.shape, b.shape)
    out = _new(devices[0], a)

    def start(device: WarpDevice, slab: slice) -> Any:
        one = _on(device, a[slab])
        result = out[slab] if device.holds(out) else one
        inputs = [one, _on(device, b[slab]), dense_kernels.CASES[operation]]
        device.launch(dense_kernels.combine, result.shape, inputs, [result])
        return result

    for slab, device, part in _dealt(devices, _slabs(a.shape), start):
        if not device.holds(out):
            out[slab] = device.download(part)
    return out


def dilate(devices: Sequence[WarpDevice], occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
    """Dilate by a structuring element."""
    if not devices[0].holds(occupancy):
        check_kernel(occupancy, kernel)
    steps, margin = np.argwhere(kernel) - np.array(kernel.shape) // 2, kernel.shape[0] // 2
    out, slabs = _new(devices[0], occupancy), _slabs(occupancy.shape)
    on_each = {device: device.upload(steps, device.wp.vec3i) for device in devices[: len(slabs)]}

    def start(device: WarpDevice, slab: slice) -> Any:
        first = max(0, slab.start - margin)
        source = _on(device, occupancy[first : min(slab.stop + margin, len(occupancy))])
        result = out[slab] if device.holds(out) else device.empty(out[slab].shape, device.wp.bool)
        device.launch(dense_kernels.dilate, result.shape, [source, on_each[device], slab.start - first], [result])
        return result

    for slab, device, part in _dealt(devices, slabs, start):
        if not device.holds(out):
            out[slab] = device.download(part)
    return out


def voxelize_mesh(devices: Sequence[WarpDevice], mesh: TriMesh, grid: Grid, fill_holes: bool) -> Occupancy:
    """The voxels inside a mesh. Columns query a tree of its triangles, slab by slab along y."""
    triangles, _ = repaired_triangles(mesh, grid)
    out = np.zeros(grid.shape, dtype=np.bool_)
    if len(triangles) == 0:
        return out
    depth, height, width = grid.shape
    slabs = slices(height, max(1, VOXELS_PER_LAUNCH // (depth * width * BRICK_SIZE)) * BRICK_SIZE)
    on_each = {device: _on_device(device, triangles) for device in devices[: len(slabs)]}

    def start(device: WarpDevice, slab: slice) -> Any:
        shape, (tree, points, corners) = out[:, slab].shape, on_each[device]
        count = device.filled(shape, 0, device.wp.int32)
        device.launch(dense_kernels.pass_columns, shape[1:], [tree.id, points, corners, slab.start], [count])
        return _inside(device, count, triangles.boundary, slab.start)

    for slab, device, part in _dealt(devices, slabs, start):
        out[:, slab] = device.download(part)
    return ndimage.binary_fill_holes(out) if fill_holes else out


def _dealt(
    devices: Sequence[WarpDevice], slabs: list[slice], start: Callable[[WarpDevice, slice], Any]
) -> Iterator[tuple[slice, WarpDevice, Any]]:
    """Each slab, its device, and what `start` gives for it. All devices get work before the first result is used."""
    count = len(devices)
    for some in with_progress([slabs[first : first + count] for first in range(0, len(slabs), count)]):
        begun = [(slab, device, start(device, slab)) for slab, device in zip(some, devices, strict=False)]
        while begun:
            yield begun.pop(0)


def _on_device(device: WarpDevice, triangles: Triangles) -> tuple[Any, Any, Any]:
    """A tree of triangles, their points in float64 (N, 3), and their corners (M,) vec3i."""
    wp = device.wp
    points = device.upload(triangles.points, wp.float64)
    corners = device.upload(triangles.triangles, wp.vec3i)
    return wp.Mesh(device.upload(triangles.points, wp.vec3), corners.view(wp.int32).flatten()), points, corners


def _inside(device: WarpDevice, count: Any, boundary: Boundary, first_row: int) -> Any:
    """Device array (Z, rows, X): the voxels inside, by signed crossings and boundary sum."""
    wp = device.wp
    edges, listed = boundary_on(device, boundary), device.upload(boundary.all_edges(), wp.int32)
    shape = tuple(-(-side // BRICK_SIZE) for side in count.shape)
    total, decided = device.empty(shape, wp.float64), device.empty(shape, wp.bool)
    inputs = [edges, listed, first_row // BRICK_SIZE]
    device.launch(dense_kernels.decide_bricks, shape, inputs, [total, decided])
    inside = device.empty(count.shape, wp.bool)
    device.launch(dense_kernels.mark_inside, count.shape, [count, edges, listed, first_row, total, decided], [inside])
    return inside


def subtract_segments(
    device: WarpDevice,
    occupancy: Occupancy,
    first_layer: int,
    segments: Segments,
    binned: BinnedSweep,
    table: BrickTable,
) -> int:
    """Clear the voxels of a slab within binned segments. Only the bounding box of their bricks is copied."""
    removed = 0
    for rows in with_progress(_blocks_of_bricks(first_layer, first_layer + len(occupancy), table)):
        entries = _entries_in(binned, rows, table)
        if len(entries.sweep) == 0:
            continue
        touched = table.coordinates(entries.lists.bricks)
        corner, stop = touched.min(axis=0) * BRICK_SIZE, (touched.max(axis=0) + 1) * BRICK_SIZE
        corner[0] = max(corner[0], first_layer)
        stop = np.minimum(stop, (first_layer + len(occupancy), *occupancy.shape[1:]))
        z, y, x = (slice(int(start), int(end)) for start, end in zip(corner, stop, strict=True))
        part = occupancy[z.start - first_layer : z.stop - first_layer, y, x]
        voxels, count = _on(device, part), device.filled(1, 0, device.wp.int64)
        same = np.zeros(len(entries.sweep), dtype=np.int64)
        launch_entries(device, segments, entries, same.astype(np.uint8), same, table, (voxels, tuple(corner), count))
        cleared = int(device.download(count)[0])
        removed += cleared
        if cleared and not device.holds(part):
            # Only cleared voxels are written: the array may be a file, or shared.
            np.copyto(part, False, where=np.greater(part, device.download(voxels)))
        del voxels
    return removed


def _on(device: WarpDevice, occupancy: Any) -> Any:
    """An occupancy on the device: where it lies if that is there, else a copy."""
    return occupancy if device.holds(occupancy) else device.upload(occupancy, device.wp.bool)


def _new(device: WarpDevice, like: Any) -> Any:
    """A new occupancy of the shape of another one, and beside it."""
    return device.empty(like.shape, device.wp.bool) if device.holds(like) else np.empty(like.shape, dtype=np.bool_)


def _slabs(shape: tuple[int, ...]) -> list[slice]:
    """Runs of layers of an occupancy (Z, Y, X), each for one launch."""
    return slices(shape[0], max(1, VOXELS_PER_LAUNCH // max(1, shape[1] * shape[2])))


def _blocks_of_bricks(first_layer: int, stop_layer: int, table: BrickTable) -> Iterator[tuple[slice, slice]]:
    """Blocks (rows z, rows y) of the bricks in some layers, each for one launch."""
    row = table.shape[2] * BRICK_VOXELS
    step_z = max(1, VOXELS_PER_LAUNCH // (row * table.shape[1]))
    step_y = max(1, min(table.shape[1], VOXELS_PER_LAUNCH // row))
    last = (stop_layer - 1) // BRICK_SIZE
    for z in range(first_layer // BRICK_SIZE, last + 1, step_z):
        for y in range(0, table.shape[1], step_y):
            yield slice(z, min(z + step_z, last + 1)), slice(y, min(y + step_y, table.shape[1]))


def _entries_in(binned: BinnedSweep, rows: tuple[slice, slice], table: BrickTable) -> BinnedSweeps:
    """What a sweep, which is subtracted, does in a block of bricks (rows z, rows y)."""
    states = binned.states[rows]
    corner = np.array([rows[0].start, rows[1].start, 0])
    bricks, state = table.ids(np.argwhere(states != State.EMPTY) + corner), states[states != State.EMPTY]
    near = binned.bins.at(np.searchsorted(binned.bins.bricks, bricks[state == State.NEAR]))
    return BinnedSweeps(near.spread(bricks), np.zeros(len(bricks), dtype=np.int64), state)
