"""The limit of memory holds for all that a job does: reading, carving, measuring, writing, one stock or several."""

import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from tests import shapes
from tests.command_line import CAPSULE_CSV, ROOT, box, environment, run
from voxel_carve.compute import MemoryLimitError, Path, Sweep, TriMesh, carve, get_backend, keep_stock, prepare, verify
from voxel_carve.compute.boolean import keep as keeping
from voxel_carve.compute.job.estimate import verify_bytes
from voxel_carve.compute.runtime.memory import array_bytes, memory_texts
from voxel_carve.formats import write_meshes
from voxel_carve.headless import run_job
from voxel_carve.jobs import read_options

MIB, GIB = 2**20, 2**30

# Does a job, and says what it took at its peak, over what Python and the libraries took before.
MEASURE = """
import json, sys

sys.path.insert(0, sys.argv[1])
import scipy.spatial
from voxel_carve.compute import get_backend, verify
from voxel_carve.compute.runtime.memory import peak_bytes, resident_bytes
from voxel_carve.headless import run_job
from voxel_carve.jobs import read_options

(job,) = read_options(json.loads(sys.argv[2]))
get_backend("cpu")  # the compiled kernels are a library, too
before = resident_bytes()
report = run_job(job)
print(json.dumps([peak_bytes() - before, report["estimated_memory_mb"] * 2**20]))
"""


def taken(options, folder):
    """Bytes that a job takes at its peak in a process of its own, and its estimate."""
    command = [sys.executable, "-c", MEASURE, str(ROOT), json.dumps(options)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=300, env=environment()
    )
    return json.loads(done.stdout)


@pytest.fixture
def folder(tmp_path):
    write_meshes(tmp_path / "box.ply", [box()])
    (tmp_path / "tool.csv").write_text(CAPSULE_CSV)
    return tmp_path


def options(folder, *stocks, **more):
    named = {"stock": [str(folder / (stock or "box.ply")) for stock in stocks or [""]]}
    return {**named, "path": str(folder / "tool.csv"), "resolution": 40, "output": str(folder / "o.stl"), **more}


@pytest.mark.parametrize(
    ("counts", "texts"),
    [
        ((5 * MIB,), ("5 MiB",)),
        ((int(2.5 * GIB),), ("2.5 GiB",)),
        ((GIB - 1,), ("1.0 GiB",)),
        ((GIB, GIB), ("1.0 GiB", "1.0 GiB")),
        ((int(1.04 * GIB), GIB), ("1.04 GiB", "1.00 GiB")),
        ((GIB, GIB - MIB // 4), ("1.00 GiB", "1023.8 MiB")),
        ((GIB + 1, GIB), ("1.000000001 GiB", "1.000000000 GiB")),
    ],
)
def test_figures_that_differ_read_differently(counts, texts):
    assert memory_texts(*counts) == texts


def test_a_refusal_by_a_hair_shows_it():
    assert "needs about 1.02 GiB and may take 1.00 GiB" in str(MemoryLimitError(int(1.02 * GIB), GIB, 0.1))


@pytest.mark.parametrize("job", ["carve", "prepare"])
def test_a_large_stock_is_refused_before_anything_is_made_of_it(job):
    stock = shapes.sphere(subdivisions=7)
    sweep, backend = Sweep.from_paths([Path([[0, 0, 0]], [0.5])]), get_backend("cpu")
    tracemalloc.start()
    try:
        with pytest.raises(MemoryLimitError, match="no voxel size would fit"):
            if job == "carve":
                carve(stock, sweep, 0.1, backend=backend, memory_limit=20 * MIB)
            else:
                prepare(stock, 0.1, backend=backend, memory_limit=20 * MIB)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < array_bytes(stock) / 2


def test_a_boolean_that_cannot_fit_is_refused_before_the_tool_is_made(monkeypatch):
    stock = shapes.sphere(subdivisions=6)

    def start():
        raise AssertionError("the boolean was started")

    monkeypatch.setattr(keeping, "ManifoldBoolean", start)
    with pytest.raises(MemoryLimitError, match="no voxel size would fit"):
        keep_stock(stock, Sweep.from_paths([Path([[0, 0, 0]], [0.5])]), 0.1, backend="cpu", memory_limit=20 * MIB)


def test_results_of_other_stocks_count(folder):
    """All are held until the file is written."""
    one = options(folder, "box.ply", resolution=64)
    several = options(folder, *["box.ply"] * 4, resolution=64, overwrite=True)
    (job,) = read_options(one)
    needed = run_job(job)["estimated_memory_mb"] * MIB
    size = (folder / "o.stl").stat().st_size / 50 * 25  # 25 bytes for each triangle
    limit = (needed + 2 * size) / GIB
    (job,) = read_options({**one, "memory_limit": limit, "overwrite": True})
    run_job(job)
    (job,) = read_options({**several, "memory_limit": limit})
    with pytest.raises(MemoryLimitError) as caught:
        run_job(job)
    assert caught.value.limit_bytes == int(limit * GIB)
    assert caught.value.estimate_bytes > limit * GIB
    (job,) = read_options({**several, "memory_limit": (needed + 8 * size) / GIB})
    assert len(run_job(job)["stocks"]) == 4


def test_writing_counts(folder):
    """A .glb takes several times as much as an .stl while it is written."""
    more = {"resolution": 8, "overwrite": True}
    (job,) = read_options(options(folder, **more))
    needed = run_job(job)["estimated_memory_mb"] * MIB
    triangles = (folder / "o.stl").stat().st_size / 50
    stocks = ["box.ply"] * 10
    limit = (needed + 60 * len(stocks) * triangles) / GIB
    (job,) = read_options(options(folder, *stocks, memory_limit=limit, **more))
    assert len(run_job(job)["stocks"]) == len(stocks)
    (job,) = read_options(options(folder, *stocks, memory_limit=limit, **{**more, "output": str(folder / "o.glb")}))
    with pytest.raises(MemoryLimitError):
        run_job(job)


def test_measuring_counts(folder):
    (job,) = read_options(options(folder))
    alone = run_job(job)["estimated_memory_mb"]
    (job,) = read_options(options(folder, verify=True, overwrite=True))
    needed = run_job(job)["estimated_memory_mb"]
    assert needed > alone + 10
    (job,) = read_options(options(folder, verify=True, overwrite=True, memory_limit=(alone + needed) / 2 / 1024))
    with pytest.raises(MemoryLimitError):
        run_job(job)


def test_measuring_takes_no_more_than_was_estimated():
    stock = shapes.sphere(subdivisions=5)
    sweep = Sweep.from_paths([Path([[-1, 0.1, 0.8], [1, 0.2, 0.7]], [0.3, 0.2])])
    surface = carve(stock, sweep, 1 / 40, backend="cpu").surface
    tracemalloc.start()
    try:
        verify(surface, stock, sweep, 1 / 40)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.1 * verify_bytes(surface.triangle_count(), len(stock.triangles), len(sweep))


def test_a_huge_segment_is_measured_in_bounded_memory():
    """Its surface is millions of voxels, of which the stock meets a few."""
    sweep = Sweep.from_paths([Path([[0, 0, 41]], [40.0])])
    surface = carve(shapes.box(), sweep, 1 / 16, backend="cpu").surface
    tracemalloc.start()
    try:
        verify(surface, shapes.box(), sweep, 1 / 16)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.1 * verify_bytes(surface.triangle_count(), 12, 1)


def test_a_long_path_is_refused_before_its_segments_are_made(folder):
    points = np.random.default_rng(1).uniform(0, 2, size=(100_000, 3))
    rows = "\n".join(f"{x:.4f},{y:.4f},{z:.4f},0.1" for x, y, z in points)
    (folder / "long.csv").write_text(f"x,y,z,radius\n{rows}\n")
    arguments = ["--stock", "box.ply", "--path", "long.csv", "--resolution", 16, "--output", "o.ply"]
    done = run([*arguments, "--memory-limit", 0.02], folder)
    assert done.status == 2
    assert "and may take 20 MiB" in done.err


@pytest.mark.parametrize("more", [{}, {"verify": True}, {"stock": 3}])
def test_a_job_stays_within_its_estimate(folder, more):
    stocks = ["box.ply"] * more.get("stock", 1)
    wanted = options(folder, *stocks, resolution=96, **{key: more[key] for key in more if key != "stock"})
    peak, needed = taken(wanted, folder)
    assert peak < 1.1 * needed


def test_meshes_are_measured_by_their_arrays():
    mesh = TriMesh(np.zeros((4, 3)), np.array([[0, 1, 2]]))
    assert array_bytes(mesh, mesh) == 2 * (4 * 24 + 12)
