"""Dense operations on a Warp device, slab by slab: see `DenseBackend`.

An occupancy may be an array of Warp on the device itself. It is then neither uploaded nor downloaded, and the result is
such an array too.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ....arrays import Occupancy
from ....field.binning import BinnedSweep
from ....field.occupancies import BooleanOperation, check_kernel, check_operands, check_shapes
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, Bins, BrickTable, State
from ....model.grid import Grid
from ....model.mesh import TriMesh
from ....primitives.boundary import Boundary
from ....primitives.segments import Segments
from ....repair.repair import repaired_triangles
from ....runtime.progress import with_progress
from ....runtime.threads import slices
from ..device.device import WarpDevice
from . import dense_kernels
from .brick_kernels import clear_bricks, subtract_near
from .pairs import BRICKS_PER_LAUNCH, BYTES_PER_PAIR, corners_on, launches, segment_pairs
from .winding import boundary_on

VOXELS_PER_LAUNCH = 1 << 26  # bounds the memory of a launch, and how long it blocks the graphics card of a display


def boolean(device: WarpDevice, operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
    """Union, intersection or difference."""
    check_operands(operation, *(each for each in (a, b) if not device.holds(each)))
    check_shapes(a.shape, b.shape)
    out = _new(device, a)
    for slab in with_progress(_slabs(a.shape)):
        one = _on(device, a[slab])
        result = out[slab] if device.holds(out) else one
        inputs = [one, _on(device, b[slab]), dense_kernels.CASES[operation]]
        device.launch(dense_kernels.combine, result.shape, inputs, [result])
        if not device.holds(out):
            out[slab] = device.download(result)
        del one, result, inputs
    return out


def dilate(device: WarpDevice, occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
    """Dilate by a structuring element."""
    if not device.holds(occupancy):
        check_kernel(occupancy, kernel)
    wp = device.wp
    offsets = device.upload(np.argwhere(kernel) - np.array(kernel.shape) // 2, wp.vec3i)
    margin = kernel.shape[0] // 2
    out = _new(device, occupancy)
    for slab in with_progress(_slabs(occupancy.shape)):
        first = max(0, slab.start - margin)
        source = _on(device, occupancy[first : min(slab.stop + margin, len(occupancy))])
        result = out[slab] if device.holds(out) else device.empty(out[slab].shape, wp.bool)
        device.launch(dense_kernels.dilate, result.shape, [source, offsets, slab.start - first], [result])
        if not device.holds(out):
            out[slab] = device.download(result)
        del source, result
    return out


def voxelize_mesh(device: WarpDevice, mesh: TriMesh, grid: Grid, fill_holes: bool) -> Occupancy:
    """The voxels inside a mesh. Columns query a tree of its triangles, slab by slab along y."""
    wp = device.wp
    triangles, _ = repaired_triangles(mesh, grid)
    out = np.zeros(grid.shape, dtype=np.bool_)
    if len(triangles) == 0:
        return out
    boundary = triangles.boundary
    points = device.upload(triangles.points, wp.float64)
    corners = device.upload(triangles.triangles, wp.vec3i)
    tree = wp.Mesh(device.upload(triangles.points, wp.vec3), corners.view(wp.int32).flatten())
    depth, height, width = grid.shape
    rows = max(1, VOXELS_PER_LAUNCH // (depth * width * BRICK_SIZE)) * BRICK_SIZE
    for first in with_progress(range(0, height, rows)):
        slab = out[:, first : first + rows]
        count = device.filled(slab.shape, 0, wp.int32)
        device.launch(dense_kernels.pass_columns, slab.shape[1:], [tree.id, points, corners, first], [count])
        slab[:] = device.download(_inside(device, count, boundary, first))
        del count
    return ndimage.binary_fill_holes(out) if fill_holes else out


def _inside(device: WarpDevice, count: Any, boundary: Boundary, first_row: int) -> Any:
    """Device array (Z, rows, X): the voxels inside, by signed crossings and boundary sum."""
    wp = device.wp
    edges, pieces = boundary_on(device, boundary)
    shape = tuple(-(-side // BRICK_SIZE) for side in count.shape)
    total, decided = device.empty(shape, wp.float64), device.empty(shape, wp.bool)
    inputs = [edges, pieces, first_row // BRICK_SIZE]
    device.launch(dense_kernels.decide_bricks, shape, inputs, [total, decided])
    inside = device.empty(count.shape, wp.bool)
    device.launch(dense_kernels.mark_inside, count.shape, [count, edges, first_row, total, decided], [inside])
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
        states = binned.states[rows]
        touched = np.argwhere(states != State.EMPTY) + np.array([rows[0].start, rows[1].start, 0])
        if len(touched) == 0:
            continue
        corner, stop = touched.min(axis=0) * BRICK_SIZE, (touched.max(axis=0) + 1) * BRICK_SIZE
        corner[0] = max(corner[0], first_layer)
        stop = np.minimum(stop, (first_layer + len(occupancy), *occupancy.shape[1:]))
        z, y, x = (slice(int(start), int(end)) for start, end in zip(corner, stop, strict=True))
        part = occupancy[z.start - first_layer : z.stop - first_layer, y, x]
        solid = touched[states[states != State.EMPTY] == State.SOLID] * BRICK_SIZE
        removed += _clear(device, part, corner, solid, segments, _bins_in(binned.bins, rows, table), table)
    return removed


def _clear(
    device: WarpDevice,
    part: Occupancy,
    origin: npt.NDArray[np.int64],
    solid: npt.NDArray[np.int64],
    segments: Segments,
    bins: Bins,
    table: BrickTable,
) -> int:
    """Clear the SOLID bricks with corners `solid` (N, 3) and the bricks of `bins` in a part of a grid at `origin`."""
    wp = device.wp
    occupancy = _on(device, part)
    removed = device.filled(1, 0, wp.int64)
    place = wp.vec3i(*(int(index) for index in origin))
    for start in range(0, len(solid), BRICKS_PER_LAUNCH):
        corner = device.upload(solid[start : start + BRICKS_PER_LAUNCH], wp.vec3i)
        device.launch(clear_bricks, (len(corner), BRICK_VOXELS), [corner, place], [occupancy, removed])
    for start, stop in launches(device, np.diff(bins.first) * BYTES_PER_PAIR + 4 * BRICK_VOXELS):
        near = bins.at(np.arange(start, stop))
        corner = corners_on(device, table, near.bricks)
        inputs = [segment_pairs(device, segments, near, corner), corner, place]
        device.launch(subtract_near, (len(corner), BRICK_VOXELS), inputs, [occupancy, removed])
        del inputs
    count = int(device.download(removed)[0])
    if count and not device.holds(part):
        # Only cleared voxels are written: the array may be a file, or shared.
        np.copyto(part, False, where=np.greater(part, device.download(occupancy)))
    del occupancy
    return count


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


def _bins_in(bins: Bins, rows: tuple[slice, slice], table: BrickTable) -> Bins:
    """The bricks in a block (rows z, rows y)."""
    layer = table.shape[1] * table.shape[2]
    part = bins.at(np.arange(*np.searchsorted(bins.bricks, [rows[0].start * layer, rows[0].stop * layer])))
    y = table.coordinates(part.bricks)[:, 1]
    return part.where(((y >= rows[1].start) & (y < rows[1].stop))[part.owner()])
