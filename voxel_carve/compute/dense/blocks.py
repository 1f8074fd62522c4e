"""An occupancy as blocks: one quad per voxel face between inside and outside.

The eight voxels around a lattice corner form a cell of the dual surface (see `contouring.tables`). Its crossed edges
are the faces that meet at the corner, and its patches are their fans. One vertex per fan makes the blocks a closed
2-manifold, even where voxels touch only along an edge or at a corner.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Layers, Occupancy
from ..contouring.tables import cell_tables, edge_at
from ..field.occupancies import check_fits
from ..model.grid import Grid
from ..model.mesh import Source, Surface
from ..runtime.errors import EmptyResultError
from ..runtime.progress import progress_range, with_progress

Indices = npt.NDArray[np.int64]

VOXELS_PER_BLOCK = 1 << 21


def occupancy_surface(occupancy: Any, grid: Grid) -> Surface:
    """The faces between set voxels and others, including those on the sides of the grid.

    Args:
        occupancy: (Z, Y, X), of the grid's shape, of any kind that `compute.arrays` can read.
        grid: where the voxels lie.

    Returns:
        A closed, oriented 2-manifold of squares that face outward, all from the stock.

    Raises:
        InputError: wrong type, or a shape other than the grid's.
        EmptyResultError: no voxel is set.
    """
    layers = Layers.of(occupancy)
    check_fits(layers.shape, grid)
    x, y = grid.shape[2] + 1, grid.shape[1] + 1
    strides = (1, x, x * y)  # of the corners of the lattice, by axis x, y, z
    with progress_range(0.0, 0.4):
        corner, configuration = _active_corners(layers.whole())
    if len(corner) == 0:
        raise EmptyResultError("no voxel is set, so there is no surface: choose a smaller voxel size")
    tables = cell_tables()
    with progress_range(0.4, 0.5):
        joined = _repaired(corner, configuration, strides)
    count = tables.patches[joined, configuration].astype(np.int64)
    vertex = (np.cumsum(count) - count)[:, None] + tables.patch[joined, configuration]
    with progress_range(0.5, 1.0):
        quads = np.concatenate(
            [_quads(corner, configuration, vertex, axis, strides) for axis in with_progress(range(3))]
        )
    owner = np.repeat(corner, count)
    points = np.stack([owner % x, owner // x % y, owner // (x * y)], axis=1)
    source, primitive = np.full(len(quads), Source.STOCK, dtype=np.uint8), np.full(len(quads), -1, dtype=np.int32)
    return Surface(grid.to_world(points), quads, source, primitive)


def _active_corners(occupancy: Occupancy) -> tuple[Indices, npt.NDArray[np.uint8]]:
    """The corners of the lattice (Z + 1, Y + 1, X + 1) between voxels that differ.

    Returns:
        corner: (C,) ascending flat indices; configuration: (C,) a bit for each of the eight voxels that is set.
    """
    depth, height, width = occupancy.shape
    layers = max(1, VOXELS_PER_BLOCK // (height * width))
    corners, configurations = [], []
    for start in with_progress(range(0, depth + 1, layers)):
        stop = min(start + layers, depth + 1)
        around = np.zeros((stop - start + 1, height + 2, width + 2), dtype=np.uint8)
        low, high = max(start - 1, 0), min(stop, depth)
        around[low - start + 1 : high - start + 1, 1:-1, 1:-1] = occupancy[low:high]
        configuration = np.zeros((stop - start, height + 1, width + 1), dtype=np.uint8)
        for bit in range(8):
            x, y, z = (bit >> axis & 1 for axis in range(3))
            voxel = around[z : z + stop - start, y : y + height + 1, x : x + width + 1]
            configuration |= voxel << np.uint8(bit)
        active = np.flatnonzero((configuration != 0) & (configuration != 255))
        corners.append(active + start * (height + 1) * (width + 1))
        configurations.append(configuration.ravel()[active])
    return np.concatenate(corners), np.concatenate(configurations)


def _repaired(
    corner: Indices, configuration: npt.NDArray[np.uint8], strides: tuple[int, int, int]
) -> npt.NDArray[np.int8]:
    """(C,): 1 where two voxels that touch along an edge stay joined there.

    Other voxels join them at both ends of the edge. If they were split, their four faces would share both vertices.
    """
    joined = np.zeros(len(corner), dtype=np.int8)
    repair_face = cell_tables().repair_face[configuration]
    for face in with_progress(range(6)):
        axis, side = divmod(face, 2)
        mine = np.flatnonzero(repair_face == face)
        beyond = np.searchsorted(corner, corner[mine] + (strides[axis] if side else -strides[axis]))
        joined[mine] = repair_face[beyond] == (face ^ 1)
    return joined


def _quads(
    corner: Indices,
    configuration: npt.NDArray[np.uint8],
    vertex: Indices,
    axis: int,
    strides: tuple[int, int, int],
) -> npt.NDArray[np.int32]:
    """(F, 4): the faces with normals along an axis."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    lowest = configuration & 1 != configuration >> (1 << axis) & 1
    owner = np.flatnonzero(lowest)
    ring = []
    # Counter-clockwise seen from the far end of the axis.
    for back_u, back_v in ((1, 1), (0, 1), (0, 0), (1, 0)):
        place = np.searchsorted(corner, corner[owner] - back_u * strides[u] - back_v * strides[v])
        ring.append(vertex[place, edge_at(axis, back_u, back_v)])
    quad = np.stack(ring, axis=1).astype(np.int32)
    looks_up = (configuration[owner] & 1).astype(bool)
    return np.where(looks_up[:, None], quad, quad[:, ::-1])
