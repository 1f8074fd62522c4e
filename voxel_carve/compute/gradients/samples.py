"""Points on the surface of a target, where it lies near a sweep."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from ..arrays import Layers
from ..level_set.sparse_field import SparseField
from ..model.bricks import BRICK_SIZE
from ..model.grid import Grid
from ..model.mesh import TriMesh
from ..runtime.progress import with_progress
from ..runtime.threads import slices
from .distance import distances
from .sweep_points import Array, Indices, SweepPoints

MOST_SAMPLES, MOST_PER_POINT = 1 << 12, 32  # whichever is more
# Triangles are not divided into more, however long the reach is.
MOST_PIECES = 1 << 20
TRIANGLES_PER_BLOCK, BRICKS_PER_BLOCK, VOXELS_PER_BLOCK = 1 << 17, 1 << 11, 1 << 22
# Voxels of a field with a sample: so many voxels from the surface, where the slope is 1 up to this. It is not at edges.
NEAR_SURFACE, UNEVEN = 0.9, 0.1
# In voxels: how far filled ones are smeared for their surface's normals, and how many are read beyond the reach.
SMEARED, MARGIN = 1.0, 6
TINY = 1e-300


@dataclass(frozen=True)
class Voxels:
    """An occupancy as a target.

    Attributes:
        layers: the occupancy.    grid: where its voxels lie, of the same shape.
    """

    layers: Layers
    grid: Grid


@dataclass(frozen=True)
class Samples:
    """Points on a surface.

    Attributes:
        points: (N, 3) float64, in any unit of length.
        normals: (N, 3) float64, outward, of length 1.
        areas: (N,) float64, that each of them stands for.
    """

    points: Array
    normals: Array
    areas: Array

    @classmethod
    def joined(cls, parts: list["Samples"]) -> "Samples":
        """All samples of some parts, at least one."""
        points, normals, areas = zip(*((part.points, part.normals, part.areas) for part in parts), strict=True)
        return cls(np.concatenate(points), np.concatenate(normals), np.concatenate(areas))

    def at(self, rows: slice | npt.NDArray[np.bool_]) -> "Samples":
        """Some of them."""
        return Samples(self.points[rows], self.normals[rows], self.areas[rows])


NO_SAMPLES = Samples(np.empty((0, 3)), np.empty((0, 3)), np.empty(0))


def samples_near(target: TriMesh | SparseField | Voxels, moved: SweepPoints, reach: float, size: float) -> Samples:
    """Samples of a target's surface no farther than `reach` from the surface of a sweep. Not too many are kept.

    Args:
        target: a mesh; a field, whose surface is where its distance is 0; or voxels.
        size: longer sides of triangles are divided.
    """
    if isinstance(target, SparseField):
        samples = _of_field(target, moved, reach)
    elif isinstance(target, Voxels):
        samples = _of_voxels(target, moved, reach)
    else:
        samples = _of_mesh(target, moved, reach, size)
    most = max(MOST_SAMPLES, MOST_PER_POINT * len(moved.points))
    return samples.at(slice(None, None, max(1, -(-len(samples.points) // most))))


def _of_mesh(mesh: TriMesh, moved: SweepPoints, reach: float, size: float) -> Samples:
    """One corner of each triangle: corners lie on a round surface, the triangles' centres beside it."""
    blocks = with_progress(slices(len(mesh.triangles), TRIANGLES_PER_BLOCK))
    large = np.concatenate([_near(mesh.points[mesh.triangles[rows]], moved, reach) for rows in blocks])
    kept = [np.empty((0, 3, 3))]
    while len(large):
        sides = np.linalg.norm(np.roll(large, -1, axis=1) - large, axis=2)
        small = sides.max(axis=1) <= size
        if 2 * np.count_nonzero(~small) > MOST_PIECES:
            small[:] = True
        kept.append(large[small])
        large = _near(_halved(large[~small], sides[~small].argmax(axis=1)), moved, reach)
    corners = np.concatenate(kept)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice = np.linalg.norm(across, axis=1)
    has_area = twice > 0
    return Samples(corners[has_area, 0], across[has_area] / twice[has_area, None], twice[has_area] / 2)


def _near(corners: Array, moved: SweepPoints, reach: float) -> Array:
    """Those of the triangles (T, 3, 3) that may come within reach of the surface of a sweep."""
    middle = corners.mean(axis=1)
    around = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    return corners[np.abs(distances(middle, moved).distance) <= reach + around]


def _halved(corners: Array, side: Indices) -> Array:
    """(2 T, 3, 3) the halves of triangles (T, 3, 3), each divided at the middle of one side (T,)."""
    a, b, c = (np.take_along_axis(corners, ((side + turn) % 3)[:, None, None], axis=1)[:, 0] for turn in range(3))
    middle = (a + b) / 2
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])


def _of_field(field: SparseField, moved: SweepPoints, reach: float) -> Samples:
    """The voxel centres beside the surface, moved onto it along the gradient of the distance."""
    centres = field.origin + (field.corners[:, ::-1] + BRICK_SIZE / 2) * field.voxel_size
    around = 3**0.5 / 2 * BRICK_SIZE * field.voxel_size
    near = np.flatnonzero(np.abs(distances(centres, moved).distance) <= reach + around)
    parts = [NO_SAMPLES]
    for rows in with_progress(slices(len(near), BRICKS_PER_BLOCK)):
        found = _of_bricks(field, near[rows])
        parts.append(found.at(np.abs(distances(found.points, moved).distance) <= reach))
    return Samples.joined(parts)


def _of_bricks(field: SparseField, rows: Indices) -> Samples:
    """As `_of_field`, of some bricks, wherever they lie."""
    bricks = field.distance[rows].reshape(-1, *[BRICK_SIZE] * 3) / np.float64(field.voxel_size)
    slopes = np.stack(np.gradient(bricks, axis=(3, 2, 1)), axis=-1)
    brick, z, y, x = np.nonzero(np.abs(bricks) < NEAR_SURFACE)
    distance, slope = bricks[brick, z, y, x, None], slopes[brick, z, y, x]
    steepness = np.linalg.norm(slope, axis=1, keepdims=True)
    normals = slope / np.maximum(steepness, TINY)
    centres = field.corners[rows[brick]][:, ::-1] + np.stack([x, y, z], axis=1) + 0.5
    points = field.origin + (centres - distance * normals) * field.voxel_size
    found = Samples(points, normals, np.full(len(points), field.voxel_size**2))
    return found.at(np.abs(steepness[:, 0] - 1) < UNEVEN)


def _of_voxels(voxels: Voxels, moved: SweepPoints, reach: float) -> Samples:
    """The middles of the faces between filled and empty voxels. On average they lie on the surface."""
    bounds = voxels.grid.to_voxels(moved.sweep().bounds() + np.array([[-reach], [reach]]))[:, ::-1]
    ends = np.clip(bounds + np.array([[-MARGIN], [MARGIN]]), 0, voxels.grid.shape).astype(int)
    depth = max(1, VOXELS_PER_BLOCK // max(1, int(np.diff(ends[:, 1:], axis=0).prod())))
    parts = [NO_SAMPLES]
    for first in with_progress(range(int(ends[0, 0]) - 1, int(ends[1, 0]), depth)):
        found = Samples.joined(_of_layers(voxels, ends, first, first + depth))
        parts.append(found.at(np.abs(distances(found.points, moved).distance) <= reach))
    return Samples.joined(parts)


def _of_layers(voxels: Voxels, ends: Indices, first: int, stop: int) -> list[Samples]:
    """As `_of_voxels`, of the faces at the upper side of voxels in some layers, or at their sides, along each axis.

    `ends` (2, 3) are the first voxel (z, y, x), and the one after the last, of those that are read.
    """
    grid, low = voxels.grid, np.array([max(first - MARGIN, ends[0, 0]), *ends[0, 1:]])
    read = voxels.layers.read(low[0], min(stop + MARGIN, ends[1, 0]))
    # So the voxels on both sides of a face have neighbours.
    inside = np.pad(read[:, ends[0, 1] : ends[1, 1], ends[0, 2] : ends[1, 2]], 2)
    smeared = scipy.ndimage.gaussian_filter(inside.astype(np.float32), SMEARED)
    parts = []
    for axis in range(3):
        lower = np.argwhere(np.diff(inside, axis=axis))
        layer = lower[:, 0] - 2 + low[0]
        lower = lower[(layer >= first) & (layer < stop)]
        upper = lower + np.eye(3, dtype=int)[axis]
        slope = _slope(smeared, lower) + _slope(smeared, upper)
        normals = -slope[:, ::-1] / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), TINY)
        centres = (lower + upper)[:, ::-1] / 2 + low[::-1] - 1.5
        # So much of the surface's area projects onto the face.
        areas = np.abs(normals[:, 2 - axis]) * grid.voxel_size**2
        parts.append(Samples(grid.to_world(centres), normals, areas))
    return parts


def _slope(values: npt.NDArray[np.float32], voxels: Indices) -> Array:
    """(N, 3) central differences of values (Z, Y, X) at voxels (N, 3), along z, y and x."""
    steps = np.eye(3, dtype=int)
    sides = [values[tuple((voxels + step).T)] - values[tuple((voxels - step).T)] for step in steps]
    return np.stack(sides, axis=1).astype(np.float64)
