"""The estimate of a job's memory, and the limit, beside what the job takes in a process of its own."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import runs
from tests.command_line import ROOT, environment
from tests.shapes import box
from voxel_carve.compute.level_set import HALF_WIDTH
from voxel_carve.formats import write_meshes

# Carves a case twice in processes of its own: for its estimate, and under a limit just above it.
MEASURE = """
import json, sys

sys.path.insert(0, sys.argv[1])
from benchmarks import cases
from pathlib import Path
from voxel_carve.compute import Sweep, carve, get_backend

case = cases.read(Path(sys.argv[2]), Path(sys.argv[3]))
limit, options = int(sys.argv[5]) or None, json.loads(sys.argv[6])
get_backend("cpu")
stock, sweep, resolution = case.stock, Sweep.of(case.path), int(sys.argv[4])
report = carve(stock, sweep, resolution=resolution, backend="cpu", memory_limit=limit, **options).report
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
]


def carved(files, resolution, limit, options):
    """The estimate of a case, and what it took, in MiB."""
    arguments = [ROOT, files.stock, files.path, resolution, limit, json.dumps(options)]
    command = [sys.executable, "-c", MEASURE, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900, env=environment())
    return json.loads(done.stdout)


def check_limit(files, resolution, **options):
    """A job under a limit just above its estimate takes no more. Returns how much larger the estimate is."""
    estimate, _ = carved(files, resolution, 0, options)
    again, taken = carved(files, resolution, int((estimate + 1) * 2**20), options)
    assert again == estimate
    assert taken <= estimate + 1
    return estimate / taken


@pytest.mark.parametrize(("name", "resolution"), SMALL)
def test_a_small_job_takes_no_more_than_its_limit(name, resolution):
    check_limit(runs.make_standard_case(name), resolution)


@pytest.mark.parametrize(("name", "resolution"), SMALL)
def test_a_volume_takes_no_more_than_its_limit(name, resolution):
    check_limit(runs.make_standard_case(name), resolution, half_width=HALF_WIDTH)


@pytest.mark.slow
@pytest.mark.parametrize("half_width", [1, 3, 8])
@pytest.mark.parametrize("name", ["W1-1000", "W2-5000", "W3-2000"])
def test_a_large_volume_takes_about_what_was_estimated(name, half_width):
    assert check_limit(runs.make_standard_case(name), 256, half_width=half_width) < 1.5


# A million moves of a ball over a plate: its radius in voxels, and the voxels along the plate.
RASTERS = [(7.5, 512), (15, 512), (30, 512), (7.5, 256), (2, 64)]


def check_moves(moves, resolution, tmp_path):
    """`check_limit` for paths (N, 4), given as one polyline."""
    case = runs.CaseFiles.of("moves", tmp_path)
    write_meshes(case.stock, [box((0, 0, 0), (1, 1, 0.3))])
    np.savetxt(case.path, moves, "%.9g", ",", header="x,y,z,radius", comments="")
    check_limit(case, resolution)


@pytest.mark.slow
@pytest.mark.parametrize(("radius", "resolution"), RASTERS)
def test_a_million_moves_take_no_more_than_their_limit(radius, resolution, tmp_path):
    x, y = np.meshgrid(np.linspace(0.05, 0.95, 1000), np.linspace(0.05, 0.95, 1000))
    x[1::2] = x[1::2, ::-1]
    z = 0.25 + 0.03 * np.sin(9 * x) * np.cos(7 * y)
    check_moves(np.stack([x, y, z, np.full_like(x, radius / resolution)], axis=-1).reshape(-1, 4), resolution, tmp_path)


@pytest.mark.slow
def test_a_clump_takes_no_more_than_its_limit(tmp_path):
    points = np.random.default_rng(0).normal([0.5, 0.5, 0.3], 0.02, (300_000, 3))
    check_moves(np.column_stack([points, np.full(len(points), 0.01)]), 128, tmp_path)


@pytest.mark.slow
def test_the_longest_toolpath_takes_no_more_than_its_limit():
    check_limit(runs.make_standard_case("F1-1000000"), 512)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "resolution"), LARGE)
def test_a_large_job_takes_about_what_was_estimated(name, resolution):
    assert check_limit(runs.make_standard_case(name), resolution) < 1.2
