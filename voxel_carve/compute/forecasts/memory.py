"""The memory and the faces of a carve from the shape of its grid alone: rougher than its plan, and than samples."""

import math
from collections.abc import Sequence

from ..job.estimate import NEAR_BRICKS_PER_AREA, VERTICES_PER_BRICK, Counts, job_bytes
from ..model.bricks import BRICK_SIZE

# Surface of a job, relative to that of its box: the paths cut or add as much again.
SURFACE_SHARE = 2.0


def rough_bytes(grid_shape: Sequence[int], backend: str, merges: bool = False, half_width: float = 0.0) -> int:
    """Roughly the bytes that a job takes. The arguments are those of `job_bytes`, and the shape of its grid."""
    return job_bytes(_counts(grid_shape), backend, merges, half_width=half_width)


def rough_faces(grid_shape: Sequence[int]) -> int:
    """Roughly how many faces the result of a job has, from the shape of its grid, in any order of axes."""
    a, b, c = grid_shape
    return int(SURFACE_SHARE * 2 * (a * b + b * c + c * a))


def _counts(grid_shape: Sequence[int]) -> Counts:
    """The counts of a job, as far as its grid (Z, Y, X) determines them."""
    bricks = int(min(math.prod(grid_shape) / BRICK_SIZE**3, rough_faces(grid_shape) * NEAR_BRICKS_PER_AREA))
    return Counts(
        triangles=0,
        segments=0,
        table_bricks=math.prod(-(-side // BRICK_SIZE) for side in grid_shape),
        table_columns=grid_shape[1] * grid_shape[2],
        bricks=bricks,
        stock_bricks=bricks,
        sweep_bricks=bricks,
        cap_bricks=0,
        expected_vertices=VERTICES_PER_BRICK * bricks,
        triangle_pairs=0,
        segment_pairs=0,
        boundary_edges=0,
    )
