"""The estimate of a job's memory, and the limit, beside what the job takes in a process of its own."""

import json
import subprocess
import sys

import pytest

from benchmarks import runs
from tests.command_line import ROOT, environment

# Carves a case twice in processes of its own: for its estimate, and under a limit just above it.
MEASURE = """
import json, sys

sys.path.insert(0, sys.argv[1])
from benchmarks import cases
from pathlib import Path
from voxel_carve.compute import Sweep, carve, get_backend

case = cases.read(Path(sys.argv[2]), Path(sys.argv[3]))
limit = int(sys.argv[5]) or None
get_backend("cpu")
report = carve(case.stock, Sweep.of(case.path), resolution=int(sys.argv[4]), backend="cpu", memory_limit=limit).report
print(json.dumps([report.estimated_memory_mb, report.peak_memory_mb - report.memory_before_mb]))
"""

SMALL = [("W1-1000", 128), ("W3-2000", 128)]
LARGE = [
    ("W1-100", 512),
    ("W1-1000", 256),
    ("W1-1000", 512),
    ("W1-10000", 512),
    ("W2-5000", 256),
    ("W2-5000", 512),
    ("W3-2000", 256),
    ("W3-2000", 512),
    ("W3-20000", 512),
    ("W3-2000", 1024),
    ("F1-1000000", 512),
]


def carved(name, resolution, limit):
    """The estimate of a case, and what it took, in MiB."""
    files = runs.make_standard_case(name)
    command = [sys.executable, "-c", MEASURE, str(ROOT), str(files.stock), str(files.path), str(resolution), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900, env=environment())
    return json.loads(done.stdout)


def check_limit(name, resolution):
    """A job under a limit just above its estimate takes no more. Returns how much larger the estimate is."""
    estimate, _ = carved(name, resolution, 0)
    again, taken = carved(name, resolution, int((estimate + 1) * 2**20))
    assert again == estimate
    assert taken <= estimate + 1
    return estimate / taken


@pytest.mark.parametrize(("name", "resolution"), SMALL)
def test_a_small_job_takes_no_more_than_its_limit(name, resolution):
    check_limit(name, resolution)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "resolution"), LARGE)
def test_a_large_job_takes_about_what_was_estimated(name, resolution):
    assert check_limit(name, resolution) < 1.2
