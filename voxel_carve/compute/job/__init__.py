"""The job itself: plan, voxelize, sweep, combine, extract; its memory estimate and its report."""

from .estimate import NEAR_BRICKS_PER_AREA, SWEEP_BYTES_PER_POINT, Counts, beside, job_bytes, simplifying

__all__ = [
    "NEAR_BRICKS_PER_AREA",
    "SWEEP_BYTES_PER_POINT",
    "Counts",
    "beside",
    "job_bytes",
    "simplifying",
]
