"""Whole jobs on the Warp backend: the same mesh as on the CPU backend, and what stays on the device.

Without a GPU, the kernels for CUDA run on Warp's own CPU device.
"""

import gc
import re
import shutil
import subprocess
import sys
from pathlib import Path as FilePath

import numpy as np
import pytest

from tests.shapes import box, hemisphere, joined, lidless_box, sphere
from voxel_carve.compute import BackendError, CarveCancelled, Path, Sweep, carve, get_backend, prepare
from voxel_carve.compute.engines.warp.backend import JOB_KERNELS, WarpBackend
from voxel_carve.compute.engines.warp.contouring import finishing as warp_finishing
from voxel_carve.compute.engines.warp.contouring import job as warp_job
from voxel_carve.compute.engines.warp.device import device as warp_device
from voxel_carve.compute.engines.warp.field import fields as warp_fields
from voxel_carve.compute.engines.warp.field import pairs as warp_pairs
from voxel_carve.compute.engines.warp.field import winding as warp_winding
from voxel_carve.compute.formulas.combining import JUST_OUTSIDE
from voxel_carve.compute.model.bricks import REACH
from voxel_carve.compute.runtime.progress import reporting_to

ROOT = FilePath(__file__).resolve().parents[3]

RNG = np.random.default_rng(11)
WALK = Sweep.from_paths([Path(np.cumsum(RNG.normal(0, 0.8, (40, 3)), axis=0), RNG.uniform(0.1, 0.7, 40))])
CUT = Sweep.from_paths([Path([[-3, 0.2, -1.5], [3, 0.4, -0.3]], [0.6])])
HELIX = Sweep.from_paths(
    [Path([[2 * np.cos(a), 2 * np.sin(a), 0.25 * a - 2.4] for a in np.linspace(0, 19, 60)], np.linspace(0.7, 0.1, 60))]
)
ROWS = [[x, y, 0.4] for row, y in enumerate(np.linspace(-2.5, 2.5, 6)) for x in ((-3.5, 3.5), (3.5, -3.5))[row % 2]]
JOBS = {
    "box and zigzag": (box([-4, -3, -1], [4, 3, 1]), Sweep.from_paths([Path(ROWS, [0.55])])),
    "sphere and walk": (sphere(3.0, subdivisions=3), WALK),
    "hemisphere": (hemisphere(3.0, 3), CUT),
    "lidless box": (lidless_box(), Sweep.from_paths([Path([[-2, 0, 0.7], [2, 0.1, 0.9]], [0.4, 0.2])])),
    "sphere and helix": (sphere(2.6, subdivisions=3), HELIX),
    "crossing shells": (joined(sphere(2.0, subdivisions=3), sphere(1.8, (1.5, 0.4, 0.2), subdivisions=3)), WALK),
}
VOXEL_SIZE = 0.17
OPERATIONS = ["subtract", "union", "intersect"]


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def warp(request):
    return WarpBackend(request.param)


def mesh_bytes(surface):
    return tuple(getattr(surface, name).tobytes() for name in ("points", "faces", "source", "primitive"))


def with_band(name, backend):
    """A job with a narrow band: for that, both fields are evaluated."""
    return carve(*JOBS[name], VOXEL_SIZE, backend=backend, half_width=3.0)


def all_bytes(result):
    """The bytes of the mesh and of the narrow band."""
    band = result.band
    return *mesh_bytes(result.surface), band.corners.tobytes(), band.distance.tobytes(), band.primitive.tobytes()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", JOBS)
def test_carve_gives_the_mesh_of_the_cpu_backend(warp, name, operation):
    stock, sweep = JOBS[name]
    expected = carve(stock, sweep, VOXEL_SIZE, operation=operation, backend="cpu")
    found = carve(stock, sweep, VOXEL_SIZE, operation=operation, backend=warp)
    for part in ("faces", "source", "primitive"):
        assert np.array_equal(getattr(found.surface, part), getattr(expected.surface, part))
    assert np.abs(found.surface.points - expected.surface.points).max() <= 1e-9 * VOXEL_SIZE
    assert (found.surface.points.dtype, found.surface.faces.dtype) == (np.float64, np.int32)
    assert found.report.closed
    assert found.report.backend == warp.name
    assert found.report.device == warp.device
    assert found.report.counts["bricks"] == expected.report.counts["bricks"]
    assert found.report.volume == pytest.approx(expected.report.volume, rel=1e-6)
    assert found.report.removed_volume == pytest.approx(expected.report.removed_volume, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("operation", ["subtract", "intersect"])
def test_balls_too_large_for_float32(warp, operation):
    radius = [5e5, np.sqrt(32) * 1e8 - 0.8]
    giants = Sweep([[0, 4e5 + 0.2, 3e5], [-4e8, 0, 4e8]], [[9, 4e5, 3e5], [-4e8, 0, 4e8]], radius, radius)
    found, expected = (
        carve(box(), giants, VOXEL_SIZE, operation=operation, backend=backend).surface for backend in (warp, "cpu")
    )
    assert all(np.array_equal(getattr(found, part), getattr(expected, part)) for part in ("faces", "primitive"))
    assert np.abs(found.points - expected.points).max() <= 1e-9 * VOXEL_SIZE


class Recorder(WarpBackend):
    """Records each pass, with the result of the CPU backend for the same fields."""

    def evaluate(self, fields, operation):
        field = super().evaluate(fields, operation)
        self.passes.append((field, get_backend("cpu").evaluate(fields, operation)))
        return field


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["box and zigzag", "sphere and walk", "hemisphere"])
def test_fused_pass_is_that_of_the_cpu_backend(name, operation):
    backend = Recorder("cpu")
    backend.passes = []
    carve(*JOBS[name], VOXEL_SIZE, operation=operation, backend=backend, half_width=3.0)
    assert backend.passes
    # The surface is in the first pass. Primitives of both kinds are nearest there.
    first = backend.passes[0][0]
    met = first.nearest.numpy()[np.abs(first.distance.numpy()) < np.float32(REACH)]
    assert (met < 0).any()
    assert (met >= 0).any()
    for field, expected in backend.passes:
        distance, nearest = field.distance.numpy(), field.nearest.numpy()
        assert (distance.dtype, nearest.dtype) == (np.float32, np.int32)
        assert np.array_equal(distance, expected.distance)  # the same operations, bit for bit
        # Beyond REACH, the nearest primitive does not matter.
        near = np.abs(distance) < np.float32(REACH)
        assert np.array_equal(nearest[near], expected.nearest[near])
        assert np.array_equal(nearest < 0, expected.nearest < 0)
        assert (nearest < 0).any()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_voxel_centres_exactly_on_both_surfaces(operation):
    """Voxel centres lie on the faces of the box and on the ends of the capsule: a distance of 0 is inside both."""
    backend = Recorder("cpu")
    backend.passes = []
    stock = box([-1.875] * 3, [1.875] * 3)
    sweep = Sweep.from_paths([Path([[0.125, 0.125, 0.125], [2.125, 0.125, 0.125]], [0.75])])
    found = carve(stock, sweep, 0.25, operation=operation, backend=backend, half_width=3.0)
    field, expected = backend.passes[0]
    on_path = np.float32(JUST_OUTSIDE) if operation == "subtract" else np.float32(0)
    distance = field.distance.numpy()
    assert (distance[field.nearest.numpy() < 0] == on_path).any()
    assert (distance[field.nearest.numpy() >= 0] == 0).any()
    assert np.array_equal(distance, expected.distance)
    assert np.array_equal(
        found.surface.faces, carve(stock, sweep, 0.25, operation=operation, backend="cpu").surface.faces
    )


def test_a_surface_from_elsewhere_is_measured(warp):
    surface = carve(*JOBS["sphere and walk"], 0.4, backend="cpu").surface
    assert warp.measure(surface) == (pytest.approx(surface.volume()), True)
    torn = type(surface)(surface.points, surface.faces[1:], surface.source[1:], surface.primitive[1:])
    assert not warp.measure(torn)[1]


@pytest.fixture(params=[(1 << 16, 80_000), (7, 1 << 29), (64, 40_000)], ids=["bytes", "bricks", "both"])
def small_launches(request, monkeypatch):
    """Every step needs several launches."""
    bricks, size = request.param
    monkeypatch.setattr(warp_pairs, "BRICKS_PER_LAUNCH", bricks)
    monkeypatch.setattr(warp_job, "ITEMS_PER_LAUNCH", 50 * bricks)
    monkeypatch.setattr(warp_finishing, "QUADS_PER_LAUNCH", 100 * bricks)
    monkeypatch.setattr(warp_pairs, "BYTES_PER_LAUNCH", size)
    monkeypatch.setattr(warp_winding, "POINTS_PER_LAUNCH", bricks)


@pytest.fixture(scope="module")
def whole(warp):
    """Each job in as few launches as possible, with its counts."""
    done = {}
    for name in JOBS:
        done[name] = with_band(name, warp), warp.counts()
    return done


@pytest.mark.usefixtures("small_launches")
@pytest.mark.parametrize("name", ["sphere and walk", "hemisphere"])
def test_chunks_of_any_size_give_the_same_bytes(warp, name, whole):
    expected, counts = whole[name]
    found = with_band(name, warp)
    assert warp.counts()["waits"] > counts["waits"] + 1
    assert warp.counts()["launches"] > counts["launches"]
    assert all_bytes(found) == all_bytes(expected)
    assert found.report.removed_volume == expected.report.removed_volume


def test_progress_comes_between_chunks_and_stops_the_job(warp, monkeypatch):
    monkeypatch.setattr(warp_pairs, "BRICKS_PER_LAUNCH", 16)
    seen = []

    def note(stage, part):
        seen.append((stage, part))
        if len({done for before, done in seen if before == "Surface"}) > 3:
            raise CarveCancelled("enough")

    with pytest.raises(CarveCancelled):
        carve(*JOBS["sphere and walk"], VOXEL_SIZE, backend=warp, progress=note)
    parts = [part for stage, part in seen if stage == "Surface"]
    assert parts == sorted(parts) and seen[-1][0] == "Surface"


# Several devices


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("name", ["sphere and walk", "hemisphere"])
def test_several_devices_give_the_same_bytes(warp, name, count, whole):
    backend = WarpBackend(*["cuda:0" if warp.name == "cuda" else "cpu"] * count)
    assert backend.device.startswith(f"{count} x ")
    found = with_band(name, backend)
    expected, _ = whole[name]
    assert all_bytes(found) == all_bytes(expected)
    assert found.report.removed_volume == expected.report.removed_volume
    assert backend.counts()["copies"] >= 2 * (count - 1)


def test_more_devices_than_bricks():
    ball = sphere(0.4, subdivisions=2), Sweep.from_paths([Path([[0.3, 0, 0]], [0.2])])
    expected = carve(*ball, 0.1, backend="cpu")
    found = carve(*ball, 0.1, backend=WarpBackend(*["cpu"] * 40))
    assert 0 < expected.report.counts["bricks"] < 40
    assert np.array_equal(found.surface.faces, expected.surface.faces)


def test_devices_share_bricks_by_their_cost():
    cost = np.array([1, 1, 1, 1, 1, 1, 100, 1, 1, 1])
    assert warp_fields.split_by_cost(cost, 2) == [0, 6, 10]
    assert warp_fields.split_by_cost(np.ones(9, int), 3) == [0, 3, 6, 9]
    assert warp_fields.split_by_cost(np.ones(2, int), 4) == [0, 0, 1, 1, 2]
    assert warp_fields.split_by_cost(np.ones(0, int), 2) == [0, 0, 0]


def test_cuda_takes_all_devices(monkeypatch):
    import warp

    monkeypatch.setattr(warp_device, "usable_cards", lambda: [0, 1, 2])
    monkeypatch.setattr(warp, "get_cuda_device_count", lambda: 3)
    assert warp_device.cuda_devices("cuda") == ("cuda:0", "cuda:1", "cuda:2")
    assert warp_device.cuda_devices("cuda:1") == ("cuda:1",)
    monkeypatch.setattr(warp_device, "cuda_devices", lambda name: ("cpu",) * 3)
    assert get_backend("cuda").device.startswith("3 x ")


# Uploads, launches and downloads


def test_the_report_has_the_counts():
    """How many there are is in `contouring/test_warp_contouring.py`."""
    backend = WarpBackend("cpu")
    counts = carve(*JOBS["box and zigzag"], VOXEL_SIZE, backend=backend).report.counts
    assert backend.counts()["launches"] > 0
    assert backend.counts().items() <= counts.items()


def test_an_open_boundary_is_uploaded_once(monkeypatch):
    struct, made = warp_device.WarpDevice.struct, []

    def record(device, kind, **arrays):
        made.append(kind)
        return struct(device, kind, **arrays)

    monkeypatch.setattr(warp_device.WarpDevice, "struct", record)
    carve(*JOBS["hemisphere"], VOXEL_SIZE, backend=WarpBackend("cpu"))
    assert made.count(warp_winding.Edges) == 2  # the boundary, and its small loops


def test_arrays_of_a_job_on_the_device_are_freed_with_it():
    backend = WarpBackend("cpu")
    stock, sweep = JOBS["hemisphere"]
    prepared = prepare(stock, VOXEL_SIZE, backend)
    carve(prepared, sweep, VOXEL_SIZE, backend=backend)
    cached = backend._first._cached
    assert len(cached) > 1
    del prepared
    gc.collect()
    assert len(cached) == 1  # the tables, for the next job


def test_a_device_without_room_is_named(warp, monkeypatch):
    monkeypatch.setattr(warp_device.WarpDevice, "free_bytes", lambda device: 1 << 20)
    with pytest.raises(BackendError, match=r"has 1 MiB of memory free, and the job needs about \d+ MiB: use larger"):
        carve(*JOBS["sphere and walk"], VOXEL_SIZE, backend=warp)


def test_an_allocation_that_fails_is_named(monkeypatch):
    backend = WarpBackend("cpu")

    def fail(*args, **kwargs):
        raise RuntimeError("Failed to allocate 8 bytes")

    monkeypatch.setattr(backend._wp, "empty", fail)
    with pytest.raises(BackendError, match=r"has no room left \(Failed to allocate 8 bytes\): use larger voxels"):
        carve(*JOBS["sphere and walk"], VOXEL_SIZE, backend=backend)


# Compiling


def test_a_wait_for_the_compiler_is_announced(monkeypatch, tmp_path):
    backend = WarpBackend("cpu")

    def stages():
        """The stages of a job with kernels that are not loaded yet, each once."""
        seen = []
        monkeypatch.setattr(warp_device, "_loaded", set())
        found = carve(
            *JOBS["hemisphere"], 0.4, backend=backend, progress=lambda stage, part: seen.append((part, stage))
        )
        assert found.report.seconds["compile"] > 0
        assert seen == sorted(seen)
        return list(dict.fromkeys(stage for _, stage in seen))

    stages()
    known = stages()
    assert known == ["Voxelize", "Sweep", "Combine", "Surface", "Done"]
    monkeypatch.setattr(warp_device, "_kernel_folder", lambda: tmp_path)
    assert stages() == ["Compile", *known]
    assert stages() == known


def test_compiling_after_a_changed_source_is_announced(monkeypatch, tmp_path):
    backend, copied = WarpBackend("cpu"), tmp_path / "compute"
    monkeypatch.setattr(warp_device, "_loaded", set())
    monkeypatch.setattr(warp_device, "_kernel_folder", lambda: tmp_path)
    backend.begin_job()
    shutil.copytree(warp_device.SOURCES, copied, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(warp_device, "SOURCES", copied)
    for source in ("formulas/newton.py", "engines/warp/field/field_kernels.py"):
        assert waits_announced(backend) == []
        with (copied / source).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        assert waits_announced(backend) == ["Compile"]


def waits_announced(backend):
    """What `begin_job` announces when no kernel is loaded yet, each once."""
    warp_device._loaded.clear()
    said = []
    with reporting_to(lambda stage, _: said.append(stage)):
        backend.begin_job()
    return list(dict.fromkeys(said))


def stop_at_the_compiler(stage, part):
    if stage == "Compile":
        raise CarveCancelled(stage)


def test_a_job_can_be_stopped_before_the_compiler_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(warp_device, "_loaded", set())
    monkeypatch.setattr(warp_device, "_kernel_folder", lambda: tmp_path)
    with pytest.raises(CarveCancelled, match="Compile"):
        carve(*JOBS["hemisphere"], 0.4, backend=WarpBackend("cpu"), progress=stop_at_the_compiler)
    assert not list(tmp_path.iterdir())


def test_a_dense_operation_can_be_stopped_before_the_compiler_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(warp_device, "_loaded", set())
    monkeypatch.setattr(warp_device, "_kernel_folder", lambda: tmp_path)
    full = np.ones((4, 5, 6), dtype=np.bool_)
    with pytest.raises(CarveCancelled, match="Compile"), reporting_to(stop_at_the_compiler):
        WarpBackend("cpu").boolean("union", full, full)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "darwin", reason="Warp has no CUDA compiler there")
def test_kernels_compile_for_cuda_without_contractions_and_copies(tmp_path):
    """That needs no graphics card. A contracted multiply and add would round differently from the CPU. Copies of whole
    matrices, to read one element, would take some kilobytes of a thread's own memory. The crossings of a cell are
    there, and Warp makes them twice: it sets a struct to 0 by a copy of another."""
    program = f"""
import ctypes
import warp
warp.config.kernel_cache_dir = {str(tmp_path)!r}
from voxel_carve.compute.engines.warp.backend import JOB_KERNELS
from voxel_carve.compute.engines.warp.contouring.structs import CellLoops
from voxel_carve.compute.engines.warp.device.formulas import kernels_of, warp_type
from voxel_carve.compute.engines.warp.field import dense_kernels
for kernels in (*JOB_KERNELS, dense_kernels):
    kernels_of(kernels)
    module = warp.get_module(kernels.__name__)
    module.options["block_dim"] = kernels.BLOCK_DIM
    warp.compile_aot_module(module, arch=90, module_dir={str(tmp_path)!r}, use_ptx=True)
print(ctypes.sizeof(warp_type(CellLoops).ctype))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    bytes_of_cell = int(done.stdout.splitlines()[-1])
    code = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in tmp_path.glob("*.ptx")}
    assert len(code) == len(JOB_KERNELS) + 1
    for name, text in code.items():
        assert "mul.rn.f" in text
        assert "fma.rn.f32" not in text, name
        assert ".ftz" not in text, name
        assert ".approx" not in text, name
        needed = 2 * bytes_of_cell if ".cell_kernels_" in name else 0
        assert max(map(int, re.findall(r"__local_depot\d+\[(\d+)\]", text)), default=0) < needed + 2000, name
