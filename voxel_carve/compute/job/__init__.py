"""The job itself: plan, voxelize, sweep, combine, extract; its memory estimate and its report."""

from .chain import bounds_of_steps
from .estimate import (
    NEAR_BRICKS_PER_AREA,
    SWEEP_BYTES_PER_PATH,
    SWEEP_BYTES_PER_POINT,
    VERTICES_PER_BRICK,
    Counts,
    beside,
    check_limit,
    job_bytes,
)

__all__ = [
    "NEAR_BRICKS_PER_AREA",
    "SWEEP_BYTES_PER_PATH",
    "SWEEP_BYTES_PER_POINT",
    "VERTICES_PER_BRICK",
    "Counts",
    "beside",
    "bounds_of_steps",
    "check_limit",
    "job_bytes",
]
