"""Operations on dense occupancies: voxelize a mesh, change the voxels, and extract their surface."""

import math
from collections.abc import Sequence
from functools import partial, reduce
from typing import cast

import numpy as np
import numpy.typing as npt

from ...compute import (
    EmptyResultError,
    Grid,
    InputError,
    MemoryLimitError,
    Progress,
    Surface,
    TriMesh,
    get_dense_backend,
    occupancy_surface,
    plan_grid,
)
from ...compute.field import BooleanOperation
from ...compute.model import signed_volume
from ...compute.repair import inverted_note, open_note, repaired_triangles
from ...compute.runtime import Length, Sentence, allowed_bytes, progress_range, reporting_to, with_progress
from ...preferences import Limits

Occupancy = npt.NDArray[np.bool_]

# In voxels. Blender stores lengths as float32, and their quotients miss whole numbers by this much.
ROUNDING = 1e-4
# At the peak of an operation, measured.
BYTES_PER_VOXEL = 8


def voxelized(mesh: TriMesh, voxel_size: float, limits: Limits, progress: Progress) -> Surface:
    """The blocks of the voxels inside a mesh.

    Raises:
        InputError: no voxel is inside, too little memory, or a backend that does not work.
    """
    grid = _planned(mesh.bounds(), voxel_size, limits)
    with reporting_to(progress):
        with progress_range(0.0, 0.8, "Voxelize"):
            occupancy = get_dense_backend(limits.backend).voxelize_mesh(mesh, grid)
        return _surface(occupancy, grid, mesh.name, Sentence("no voxel's centre is inside: make the voxels smaller"))


def offset(distance: float, mesh: TriMesh, voxel_size: float, limits: Limits, progress: Progress) -> Surface:
    """The blocks of a mesh dilated by a ball of radius `distance`, or eroded if it is negative.

    Raises:
        InputError: as `voxelized`, a distance that is less than a voxel, or nothing left.
    """
    if abs(distance) < voxel_size * (1 - ROUNDING):
        raise InputError(
            "an offset of {distance} is less than a voxel ({voxel_size}): offset by more, or make the voxels smaller",
            distance=Length(distance),
            voxel_size=Length(voxel_size),
        )
    margin = max(distance, 0.0)
    grid = _planned(mesh.bounds() + np.array([[-margin], [margin]]), voxel_size, limits)
    with reporting_to(progress):
        with progress_range(0.0, 0.4, "Voxelize"):
            backend = get_dense_backend(limits.backend)
            occupancy = backend.voxelize_mesh(mesh, grid)
        with progress_range(0.4, 0.8, "Offset"):
            kernel = ball(abs(distance) / voxel_size)
            # Erosion dilates the outside. The grid is larger than the mesh, so that its border is outside.
            occupancy = backend.dilate(occupancy, kernel) if distance > 0 else ~backend.dilate(~occupancy, kernel)
        return _surface(occupancy, grid, mesh.name, Sentence("it is thinner than twice the offset"))


def combined(
    others: Sequence[TriMesh], operation: str, mesh: TriMesh, voxel_size: float, limits: Limits, progress: Progress
) -> Surface:
    """The blocks of a mesh combined with others, in their order: "union", "intersect" or "subtract".

    Raises:
        InputError: as `voxelized`, or nothing left.
    """
    bounds = mesh.bounds()
    if operation == "union":
        every = np.stack([bounds, *(other.bounds() for other in others)])
        bounds = np.stack([every[:, 0].min(axis=0), every[:, 1].max(axis=0)])
    grid = _planned(bounds, voxel_size, limits)
    with reporting_to(progress):
        with progress_range(0.0, 0.8, "Voxelize"):
            backend = get_dense_backend(limits.backend)
            each = (backend.voxelize_mesh(one, grid) for one in with_progress((mesh, *others)))
            occupancy = reduce(partial(backend.boolean, cast(BooleanOperation, operation)), each)
        return _surface(occupancy, grid, mesh.name, Sentence("the others leave nothing of it"))


def stock_warnings(mesh: TriMesh) -> tuple[str, ...]:
    """Warnings about a mesh with an ambiguous inside: it is open, or some or all of its faces look inward."""
    triangles, notes = repaired_triangles(mesh, Grid(np.zeros(3), 1.0, (1, 1, 1)))
    if open_edges := len(triangles.boundary):
        return *notes, open_note(mesh.name, open_edges)
    if signed_volume(triangles.points, triangles.triangles) < 0:
        return *notes, inverted_note(mesh.name)
    return notes


def ball(radius: float) -> Occupancy:
    """Structuring element (2 n + 1,) * 3: the voxels whose centre is within `radius` voxels of the middle one."""
    radius += ROUNDING
    reach = int(radius)
    steps = np.arange(-reach, reach + 1) ** 2
    square = steps[:, None, None] + steps[:, None] + steps
    return np.asarray(square <= radius**2)


def _planned(bounds: npt.NDArray[np.float64], voxel_size: float, limits: Limits) -> Grid:
    """The grid over bounds, refused if its occupancy would take too much memory."""
    grid = plan_grid(bounds, voxel_size)
    limit = allowed_bytes(limits.memory_limit)
    estimate = _estimate(grid)
    if estimate <= limit:
        return grid
    fitting, longest = voxel_size, float((bounds[1] - bounds[0]).max())
    while _estimate(plan_grid(bounds, fitting)) > limit and fitting < longest:
        fitting *= 1.05
    raise MemoryLimitError(estimate, limit, fitting)


def _estimate(grid: Grid) -> int:
    """Bytes at the peak of an operation."""
    return BYTES_PER_VOXEL * math.prod(grid.shape)


def _surface(occupancy: Occupancy, grid: Grid, name: str, hint: str) -> Surface:
    if not occupancy.any():
        raise EmptyResultError("nothing is left of '{name}': {hint}", name=name, hint=hint)
    with progress_range(0.8, 1.0, "Surface"):
        return occupancy_surface(occupancy, grid)
