"""Points on the surface of a target, where it lies near a sweep."""

from dataclasses import dataclass

import numpy as np

from ..level_set.sparse_field import SparseField
from ..model.bricks import BRICK_SIZE
from ..model.mesh import TriMesh
from ..runtime.progress import checkpoint
from .distance import distances
from .sweep_points import Array, Indices, SweepPoints

MOST_SAMPLES, MOST_PER_POINT = 1 << 12, 32  # whichever is more
# Triangles are not divided into more, however long the reach is.
MOST_PIECES = 1 << 20
# Voxels of a field with a sample: so many voxels from the surface, where the slope is 1 up to this. It is not at edges.
NEAR_SURFACE, UNEVEN = 0.9, 0.1


@dataclass(frozen=True)
class Samples:
    """Points on a surface.

    Attributes:
        points: (N, 3) float64, in Blender units.
        normals: (N, 3) float64, outward, of length 1.
        areas: (N,) float64, that each of them stands for.
    """

    points: Array
    normals: Array
    areas: Array

    def thinned(self, most: int) -> "Samples":
        """At most so many of them, evenly chosen."""
        step = max(1, -(-len(self.points) // most))
        return Samples(self.points[::step], self.normals[::step], self.areas[::step])


def samples_near(target: TriMesh | SparseField, moved: SweepPoints, reach: float, size: float) -> Samples:
    """Samples of a target's surface no farther than `reach` from the surface of a sweep.

    Args:
        target: a mesh, or a field, whose surface is where its distance is 0.
        size: longer sides of triangles are divided.
    """
    if isinstance(target, SparseField):
        samples = _of_field(target, moved, reach)
    else:
        samples = _of_mesh(target.corners(), moved, reach, size)
    return samples.thinned(max(MOST_SAMPLES, MOST_PER_POINT * len(moved.points)))


def _of_mesh(corners: Array, moved: SweepPoints, reach: float, size: float) -> Samples:
    """One corner of each triangle: corners lie on a round surface, the triangles' centres beside it."""
    kept = []
    while len(corners):
        checkpoint()
        middle = corners.mean(axis=1)
        around = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
        corners = corners[np.abs(distances(middle, moved).distance) <= reach + around]
        sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        small = sides.max(axis=1) <= size
        if 2 * np.count_nonzero(~small) > MOST_PIECES:
            small[:] = True
        kept.append(corners[small])
        corners = _halved(corners[~small], sides[~small].argmax(axis=1))
    corners = np.concatenate([np.empty((0, 3, 3)), *kept])
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice = np.linalg.norm(across, axis=1)
    is_flat = twice == 0
    corners, across, twice = corners[~is_flat], across[~is_flat], twice[~is_flat]
    return Samples(corners[:, 0], across / twice[:, None], twice / 2)


def _halved(corners: Array, side: Indices) -> Array:
    """(2 T, 3, 3) the halves of triangles (T, 3, 3), each divided at the middle of one side (T,)."""
    a, b, c = (np.take_along_axis(corners, ((side + turn) % 3)[:, None, None], axis=1)[:, 0] for turn in range(3))
    middle = (a + b) / 2
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])


def _of_field(field: SparseField, moved: SweepPoints, reach: float) -> Samples:
    """The voxel centres beside the surface, moved onto it along the gradient of the distance."""
    bricks = field.distance.reshape(-1, *[BRICK_SIZE] * 3) / np.float64(field.voxel_size)
    slopes = np.stack(np.gradient(bricks, axis=(3, 2, 1)), axis=-1)
    brick, z, y, x = np.nonzero(np.abs(bricks) < NEAR_SURFACE)
    distance, slope = bricks[brick, z, y, x], slopes[brick, z, y, x]
    steepness = np.linalg.norm(slope, axis=1)
    even = np.abs(steepness - 1) < UNEVEN
    normals = slope[even] / steepness[even, None]
    centres = field.corners[brick[even]][:, ::-1] + np.stack([x, y, z], axis=1)[even] + 0.5
    points = field.origin + (centres - distance[even, None] * normals) * field.voxel_size
    near = np.abs(distances(points, moved).distance) <= reach
    return Samples(points[near], normals[near], np.full(int(near.sum()), field.voxel_size**2))
