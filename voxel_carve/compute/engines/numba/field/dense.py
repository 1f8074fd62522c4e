"""Dense operations that use compiled kernels where that pays. See `DenseBackend` for each of them."""

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ....arrays import Occupancy
from ....field.fields import Fields
from ....field.occupancies import check_kernel
from ....field.protocol import Backend
from ....field.stock import prepare_on_grid, winding_in_bricks
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, Bins, BrickTable, State
from ....model.grid import Grid
from ....model.mesh import TriMesh
from ....primitives.boundary import INSIDE, BoundarySums
from ....primitives.crossings import Crossings
from ....primitives.segments import Segments
from ....primitives.triangles import Triangles
from ....runtime.progress import checkpoint, progress_range, with_progress
from ....runtime.threads import slices
from ...scipy.dense import VOXELS_PER_BLOCK, overlap


def dilate(occupancy: Occupancy, kernel: Occupancy) -> Occupancy:
    """Dilate by a structuring element.

    The element is split into runs along x. For each distinct run, the layers are widened along x once and packed, eight
    voxels to a byte. Each row of the element with that run then costs one `or` of packed layers.
    """
    check_kernel(occupancy, kernel)
    depth, height, width = occupancy.shape
    packed = np.zeros((depth, height, -(-width // 8)), dtype=np.uint8)
    runs = _runs_along_x(kernel)
    half_width = kernel.shape[2] // 2
    layers = max(1, VOXELS_PER_BLOCK // max(1, height * width))
    for start in with_progress(range(0, depth, layers)):
        block = occupancy[start : start + layers]
        if not block.any():
            continue
        windows = _windows_along_x(block, half_width)
        for (first, last), rows in runs.items():
            widened = np.packbits(_widened(windows, half_width, first, last, width), axis=2)
            checkpoint()
            for z, y in rows:
                here, there = overlap(start + z, len(block), depth)
                row, other_row = overlap(y, height, height)
                packed[there, other_row] |= widened[here, row]
    return np.unpackbits(packed, axis=2, count=width).view(np.bool_)


def _runs_along_x(kernel: Occupancy) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """The runs of set voxels along x: the rows (z, y) of each run (first, last). All are relative to the middle."""
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
    """Arrays (L, Y, X + 2 margin). A voxel of the k-th is set if any of the 2^k voxels ending there is set."""
    windows = [np.pad(block, ((0, 0), (0, 0), (margin, margin)))]
    while 2 << (len(windows) - 1) <= 2 * margin + 1:
        wider, step = windows[-1].copy(), 1 << (len(windows) - 1)
        wider[:, :, step:] |= windows[-1][:, :, :-step]
        windows.append(wider)
    return windows


def _widened(windows: list[Occupancy], margin: int, first: int, last: int, width: int) -> Occupancy:
    """(L, Y, X): set if any voxel from `first` to `last` steps back along x is set. Two overlapping windows give it."""
    level = (last - first + 1).bit_length() - 1
    window = windows[level]
    near, far = margin - first, margin - last + (1 << level) - 1
    return np.logical_or(window[:, :, near : near + width], window[:, :, far : far + width])


def voxelize_mesh(mesh: TriMesh, grid: Grid, fill_holes: bool, backend: Backend) -> Occupancy:
    """The voxels inside a mesh. The winding number is evaluated only in the bricks that the surface can cross."""
    with progress_range(0.0, 0.4):
        stock = prepare_on_grid(mesh, grid, backend)
    whole = np.zeros(tuple(side * BRICK_SIZE for side in stock.table.shape), dtype=np.bool_)
    by_brick = whole.reshape([part for side in stock.table.shape for part in (side, BRICK_SIZE)])
    by_brick = by_brick.transpose(0, 2, 4, 1, 3, 5)
    by_brick[stock.states == State.SOLID] = True
    with progress_range(0.4, 1.0):
        for rows in with_progress(slices(len(stock.bins.bricks), VOXELS_PER_BLOCK // BRICK_VOXELS)):
            bricks = stock.bins.bricks[rows]
            w = winding_in_bricks(stock, bricks, backend)
            z, y, x = stock.table.coordinates(bricks).T
            by_brick[z, y, x] = (np.abs(w) > INSIDE).reshape(-1, *[BRICK_SIZE] * 3)
    occupancy = np.ascontiguousarray(whole[tuple(map(slice, grid.shape))])
    return ndimage.binary_fill_holes(occupancy) if fill_holes else occupancy


def segment_distance(backend: Backend, segments: Segments, table: BrickTable, bins: Bins) -> npt.NDArray[np.float32]:
    """(B, 512) signed distance to the nearest segment, in voxels. It is the field of a job without a stock."""
    count, nothing = len(bins.bricks), np.empty(0, dtype=np.int64)
    fields = Fields(
        table,
        np.full(table.shape, State.EMPTY, dtype=np.uint8),
        bins.bricks,
        np.full(count, State.EMPTY, dtype=np.uint8),
        np.full(count, State.NEAR, dtype=np.uint8),
        Triangles(np.empty((0, 3)), nothing.reshape(0, 3), np.empty((0, 3)), nothing.astype(np.int32)),
        Bins(bins.bricks, np.zeros(count + 1, dtype=np.int64), nothing.astype(np.int32)),
        Crossings((0, 0, 0), nothing.astype(np.int32), nothing.astype(np.int32), nothing),
        BoundarySums.none(count),
        segments,
        bins,
    )
    field = backend.evaluate(fields, "union")
    distance: npt.NDArray[np.float32] = field.distance
    return distance
