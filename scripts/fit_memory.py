#!/usr/bin/env python3
"""Fit the bytes that making a surface takes: constants of job/estimate.py, see COLUMNS.

Each case is carved in a process of its own, which tells its peak and its counts. The constants are those with which no
estimate is below its peak, and the largest is as little above it as can be. Run it after a change of what the surface
keeps in memory, and write the constants that it prints into the module. Open stocks are only listed, as the module
estimates them now. Where binning takes more, or the finished mesh, the constants decide nothing. A small job, as in
tests/compute/job/test_memory_limit.py, may take more than they say: MAKING_FIXED makes up for that.

usage: fit_memory.py [CASE@RESOLUTION ...]    without cases, those of CASES
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import scipy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voxel_carve.compute.job import estimate
from voxel_carve.compute.job.estimate import Counts, bricks_of_slab, job_bytes

ROOT = Path(__file__).resolve().parent.parent
CASES = (
    "W1-1000@128", "W3-2000@128", "W1-1000@256", "W2-5000@256", "W3-2000@256", "W1-100@512", "W1-1000@512",
    "W1-10000@512", "W2-5000@512", "W3-2000@512", "W3-20000@512", "W3-2000@1024", "R2-60@256", "R4-60@256",
)  # fmt: skip
# What is fitted, and how far above its peak the lowest estimate is.
COLUMNS: dict[str, Callable[[Counts], float]] = {
    "MAKING_SWEEP_BRICK": lambda counts: counts.sweep_bricks,
    "MAKING_SLAB_BRICK": lambda counts: bricks_of_slab(counts.sweep_bricks),
    "MAKING_VERTEX": lambda counts: counts.expected_vertices,
    "MAKING_FIXED": lambda counts: 1,
}
ABOVE = 1.01
SMALL = 16 << 20  # bytes: a job that takes less is only not to take more than its estimate
MUCH = 1 << 50  # bytes: more than anything else takes

MEASURE = """
import json, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from benchmarks import cases, runs
from voxel_carve.compute import Sweep, carve, get_backend

files = runs.make_standard_case(sys.argv[2])
case = cases.read(files.stock, files.path)
get_backend("cpu")
report = carve(case.stock, Sweep.of(case.path), resolution=int(sys.argv[3]), backend="cpu").report
print(json.dumps([report.peak_memory_mb - report.memory_before_mb, report.counts]))
"""


def measured(case: str) -> tuple[float, Counts]:
    """The bytes that a case takes at its peak, and its counts."""
    name, _, resolution = case.partition("@")
    command = [sys.executable, "-c", MEASURE, str(ROOT), name, resolution]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    taken, counts = json.loads(done.stdout)
    return taken * 2**20, Counts(**{field: counts[field] for field in Counts.__dataclass_fields__})


def without_surface(counts: Counts) -> tuple[float, float]:
    """The bytes that are estimated beside those of COLUMNS, and those with anything else in their place."""
    nothing = dict.fromkeys(COLUMNS, 0)
    with mock.patch.dict(vars(estimate), nothing | {"MAKING_FIXED": MUCH}):
        beside = job_bytes(counts, "cpu") - MUCH
    with mock.patch.dict(vars(estimate), nothing):
        return beside, job_bytes(counts, "cpu")


def fitted(taken: Any, beside: Any, binning: Any, rows: Any) -> Any:
    """The least bytes for each column of rows (N, K), and by what factor the highest estimate is above its peak.

    Args:
        taken: (N,) bytes at the peak.    beside, binning: (N,) see `without_surface`.
    """
    count, low = rows.shape[1], binning < ABOVE * taken
    large = low & (taken > SMALL)
    above, zeros = -np.column_stack([rows, np.zeros(len(rows))])[low], np.r_[np.zeros(count), 1.0]
    limits = np.concatenate([above, np.column_stack([rows, -taken])[large]])
    found = scipy.optimize.linprog(zeros, limits, np.concatenate([(beside - ABOVE * taken)[low], -beside[large]]))
    if found.x is None:
        raise SystemExit(f"no constants fit: {found.message}")
    return found.x


def main(arguments: list[str]) -> int:
    """Measure, fit and print; return the exit status."""
    names = arguments or list(CASES)
    peaks, counts = zip(*map(measured, names), strict=True)
    taken, (beside, binning) = np.array(peaks), np.array([without_surface(each) for each in counts]).T
    rows = np.array([[column(each) for column in COLUMNS.values()] for each in counts], dtype=np.float64)
    closed = np.array([each.boundary_edges == 0 for each in counts])
    found = fitted(taken[closed], beside[closed], binning[closed], rows[closed])
    for name, value in zip(COLUMNS, found[:-1], strict=True):
        print(f"{name}: {value:.0f} bytes")
    estimates = np.maximum(beside + rows @ found[:-1], binning)
    estimates[~closed] = [job_bytes(each, "cpu") for each in counts if each.boundary_edges]
    for name, peak, needed in zip(names, taken, estimates, strict=True):
        print(f"{name}: {peak / 2**20:.0f} MiB, estimated {needed / peak:.2f} times as much")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
