"""Dense operations in numpy and scipy: see `Backend` for what each of them does."""

from collections.abc import Iterator

import numpy as np
from scipy import ndimage

from .backend import Backend, BooleanOperation, Occupancy
from .binning import BinnedSweep
from .bricks import BRICK_SIZE, BRICK_VOXELS, BrickTable, State
from .dense import check_kernel, check_operands
from .grid import Grid
from .mesh import TriMesh
from .progress import checkpoint, share, steps
from .scipy_kernels import nearest_segment
from .segments import Segments
from .stock import prepare_on_grid, winding_in_bricks
from .threads import slices
from .winding import INSIDE

VOXELS_PER_BLOCK = 1 << 21  # temporaries of an operation stay near this many bytes, times a few


def boolean(operation: BooleanOperation, a: Occupancy, b: Occupancy) -> Occupancy:
    """Union, intersection or difference."""
    check_operands(operation, a, b)
    if operation == "union":
        return np.logical_or(a, b)
    if operation == "intersect":
        return np.logical_and(a, b)
    return np.greater(a, b)


def dilate(occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
    """Dilate by a structuring element.

    The element is taken apart into runs along x. For each different run the layers are widened along x once and packed,
    eight voxels to a byte; every row of the element that has the run then costs one `or` of packed layers.
    """
    check_kernel(occupancy, kernel)
    depth, height, width = occupancy.shape
    packed = np.zeros((depth, height, -(-width // 8)), dtype=np.uint8)
    runs = _runs_along_x(kernel)
    half_width = kernel.shape[2] // 2
    layers = max(1, VOXELS_PER_BLOCK // max(1, height * width))
    for start in steps(range(0, depth, layers)):
        block = occupancy[start : start + layers]
        if not block.any():
            continue
        windows = _windows_along_x(block, half_width)
        for (first, last), rows in runs.items():
            widened = np.packbits(_widened(windows, half_width, first, last, width), axis=2)
            checkpoint()
            for z, y in rows:
                here, there = _overlap(start + z, len(block), depth)
                row, other_row = _overlap(y, height, height)
                packed[there, other_row] |= widened[here, row]
    return np.unpackbits(packed, axis=2, count=width).view(np.bool_)


def _runs_along_x(kernel: Occupancy) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """The runs of set voxels along x: for each (first, last) x, the rows (z, y) that have it, all from the middle."""
    middle = np.array(kernel.shape) // 2
    edges = np.diff(np.pad(kernel, ((0, 0), (0, 0), (1, 1))).astype(np.int8), axis=2)
    z, y, first = np.nonzero(edges == 1)
    last = np.nonzero(edges == -1)[2] - 1
    runs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for run, row in zip(
        np.stack([first, last], axis=1) - middle[2], np.stack([z, y], axis=1) - middle[:2], strict=True
    ):
        runs.setdefault((int(run[0]), int(run[1])), []).append((int(row[0]), int(row[1])))
    return runs


def _windows_along_x(block: Occupancy, margin: int) -> list[Occupancy]:
    """Arrays (L, Y, X + 2 margin): the k-th has a voxel set where one of the 2^k voxels that end there is."""
    windows = [np.pad(block, ((0, 0), (0, 0), (margin, margin)))]
    while 2 << (len(windows) - 1) <= 2 * margin + 1:
        wider, step = windows[-1].copy(), 1 << (len(windows) - 1)
        wider[:, :, step:] |= windows[-1][:, :, :-step]
        windows.append(wider)
    return windows


def _widened(windows: list[Occupancy], margin: int, first: int, last: int, width: int) -> Occupancy:
    """(L, Y, X): set where a voxel is set between `first` and `last` steps back along x: two windows that overlap."""
    level = (last - first + 1).bit_length() - 1
    window = windows[level]
    near, far = margin - first, margin - last + (1 << level) - 1
    return np.logical_or(window[:, :, near : near + width], window[:, :, far : far + width])


def _overlap(shift: int, length: int, other_length: int) -> tuple[slice, slice]:
    """Which of `length` items, moved by `shift`, fall on which of `other_length`."""
    start, stop = max(0, -shift), min(length, other_length - shift)
    stop = max(start, stop)
    return slice(start, stop), slice(max(0, start + shift), max(0, stop + shift))


def voxelize_mesh(mesh: TriMesh, grid: Grid, fill_holes: bool, backend: Backend) -> Occupancy:
    """The voxels inside a mesh. The winding number is evaluated only in the bricks that the surface can cross."""
    with share(0.0, 0.4):
        stock = prepare_on_grid(mesh, grid, backend)
    whole = np.zeros(tuple(side * BRICK_SIZE for side in stock.table.shape), dtype=np.bool_)
    by_brick = whole.reshape([part for side in stock.table.shape for part in (side, BRICK_SIZE)])
    by_brick = by_brick.transpose(0, 2, 4, 1, 3, 5)
    by_brick[stock.states == State.SOLID] = True
    with share(0.4, 1.0):
        for rows in steps(slices(len(stock.bins.bricks), VOXELS_PER_BLOCK // BRICK_VOXELS)):
            bricks = stock.bins.bricks[rows]
            w = winding_in_bricks(stock, bricks, backend)
            z, y, x = stock.table.coordinates(bricks).T
            by_brick[z, y, x] = (np.abs(w) > INSIDE).reshape(-1, *[BRICK_SIZE] * 3)
    occupancy = np.ascontiguousarray(whole[tuple(map(slice, grid.shape))])
    return ndimage.binary_fill_holes(occupancy) if fill_holes else occupancy


def subtract_segments(
    occupancy: Occupancy, first_layer: int, segments: Segments, binned: BinnedSweep, table: BrickTable
) -> int:
    """Clear the voxels of a slab within the segments, some rows of bricks at a time."""
    removed = 0
    for z, rows in steps(_rows_of_bricks(occupancy, first_layer, table)):
        states = binned.states[z, rows]
        touched = np.flatnonzero((states != State.EMPTY).any(axis=0))
        if len(touched) == 0:
            continue
        columns = slice(int(touched[0]), int(touched[-1]) + 1)
        inside = _inside_segments(segments, binned, table, z, rows, columns)
        corner = [z * BRICK_SIZE - first_layer, rows.start * BRICK_SIZE, columns.start * BRICK_SIZE]
        overlaps = [_overlap(corner[axis], inside.shape[axis], occupancy.shape[axis]) for axis in range(3)]
        here, there = zip(*overlaps, strict=True)
        inside, part = inside[here], occupancy[there]
        removed += int(np.count_nonzero(np.logical_and(inside, part)))
        np.copyto(part, False, where=inside)
    return removed


def _rows_of_bricks(occupancy: Occupancy, first_layer: int, table: BrickTable) -> Iterator[tuple[int, slice]]:
    """Blocks of the slab: (z, rows y) of bricks."""
    step = max(1, VOXELS_PER_BLOCK // (table.shape[2] * BRICK_VOXELS))
    last_layer = first_layer + len(occupancy) - 1
    for z in range(first_layer // BRICK_SIZE, last_layer // BRICK_SIZE + 1):
        for y in range(0, table.shape[1], step):
            yield z, slice(y, min(y + step, table.shape[1]))


def _inside_segments(
    segments: Segments, binned: BinnedSweep, table: BrickTable, z: int, rows: slice, columns: slice
) -> Occupancy:
    """(8, 8 rows, 8 columns): the voxels of a block of bricks whose distance is 0 or less."""
    height, width = rows.stop - rows.start, columns.stop - columns.start
    inside = np.zeros((BRICK_SIZE, height, BRICK_SIZE, width, BRICK_SIZE), dtype=np.bool_)
    by_brick = inside.transpose(1, 3, 0, 2, 4)
    by_brick[binned.states[z, rows, columns] == State.SOLID] = True
    ids = (z * table.shape[1] + np.array([rows.start, rows.stop])) * table.shape[2]
    bins = binned.bins.part(*np.searchsorted(binned.bins.bricks, ids))
    distance, _ = nearest_segment(segments, bins, table)
    _, y, x = table.coordinates(bins.bricks).T
    by_brick[y - rows.start, x - columns.start] = (distance <= 0).reshape(-1, *[BRICK_SIZE] * 3)
    return inside.reshape(BRICK_SIZE, height * BRICK_SIZE, width * BRICK_SIZE)
