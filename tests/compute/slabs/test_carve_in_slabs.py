"""A carve in slabs gives the same surface as one in one piece, byte for byte, whatever the slabs."""

from itertools import pairwise

import numpy as np
import pytest
import trimesh

from benchmarks import cases
from tests.shapes import box, joined, keep_triangles
from voxel_carve.compute import (
    CarveCancelled,
    CarveError,
    EmptyResultError,
    InputError,
    MemoryLimitError,
    Path,
    carve,
    carve_in_slabs,
)
from voxel_carve.compute.contouring import dividing
from voxel_carve.compute.slabs.making import AFTER, MARGIN, Slab
from voxel_carve.compute.slabs.planning import cut

# Long enough for slabs that do not know of each other's far sides.
BAR = box((-20, -3, -3), (20, 3, 3))
RESOLUTION = 360
ARRAYS = ("points", "faces", "source", "primitive")


def tangle(count=60, radius=0.4, seed=1):
    points = np.random.default_rng(seed).uniform(-1, 1, (count, 3)) * (21, 3.5, 3.5)
    return Path(points, np.full(count, radius))


def same(surface, other):
    return all(np.array_equal(getattr(surface, name), getattr(other, name)) for name in ARRAYS)


@pytest.fixture
def divided(monkeypatch):
    """What has replaced quads so far."""
    found, divide = [], dividing.divide
    monkeypatch.setattr(
        "voxel_carve.compute.engines.numba.contouring.contour.divide",
        lambda *arguments: found.append(divide(*arguments)) or found[-1],
    )
    return found


@pytest.mark.parametrize("operation", ["subtract", "union", "intersect"])
def test_the_surface_is_the_same_to_the_bit(tmp_path, operation, divided):
    whole = carve(BAR, tangle(), resolution=RESOLUTION, operation=operation)
    assert operation == "union" or (len(divided[0].points) and divided[0].sizes[0])
    for slabs in (1, 2, 3, 7):
        folder = tmp_path / str(slabs)
        result = carve_in_slabs(BAR, tangle(), resolution=RESOLUTION, operation=operation, folder=folder, slabs=slabs)
        assert len(result.files) == slabs
        assert same(result.surface(), whole.surface)
        assert result.report.volume == pytest.approx(whole.report.volume, rel=1e-12)
        assert result.report.removed_volume == pytest.approx(whole.report.removed_volume, abs=1e-8)
        for name in ("vertices", "faces", "triangles", "closed", "grid_shape", "warnings"):
            assert getattr(result.report, name) == getattr(whole.report, name)


def test_a_slab_knows_nothing_of_what_lies_far_away():
    side = RESOLUTION // 8
    known = Slab(2, 0, side // 3).known(side)
    assert known.stop - side // 3 == MARGIN + AFTER < side // 2


def test_vertices_hear_of_what_lies_in_other_slabs(tmp_path, divided, monkeypatch):
    rng = np.random.default_rng(2)
    starts = rng.uniform(-1, 1, (120, 3)) * (5.2, 0.8, 0.8)
    ends = starts + rng.normal(size=(120, 3)) * 2
    thin = [Path(np.stack(pair), np.full(2, 0.06)) for pair in zip(starts, ends, strict=True)]
    job = box((-5, -0.75, -0.75), (5, 0.75, 0.75)), thin
    whole = carve(*job, resolution=100)
    result = carve_in_slabs(*job, resolution=100, folder=tmp_path / "parts", slabs=5)
    assert same(result.surface(), whole.surface)
    assert len(divided) == 6 and all(each.quads.min() >= 0 for each in divided)
    monkeypatch.setattr("voxel_carve.compute.slabs.making.MARGIN", 1)
    with pytest.raises(CarveError, match="not closed"):
        carve_in_slabs(*job, resolution=100, folder=tmp_path / "deaf", slabs=5)


def without_lid(mesh):
    return keep_triangles(mesh, ~(mesh.corners()[:, :, 0] > 19.9).all(axis=1))


@pytest.mark.parametrize("stock", [without_lid(BAR), joined(BAR, box((-5, -2, -2), (25, 2, 2)))], ids=["open", "twice"])
def test_stocks_without_a_volume_of_their_own(tmp_path, stock):
    whole = carve(stock, tangle(40), resolution=RESOLUTION)
    result = carve_in_slabs(stock, tangle(40), resolution=RESOLUTION, folder=tmp_path / "parts", slabs=3)
    assert same(result.surface(), whole.surface)
    assert result.report.removed_volume == pytest.approx(whole.report.removed_volume, abs=1e-8)
    assert result.report.warnings == whole.report.warnings


@pytest.mark.slow
@pytest.mark.parametrize("name", ["W1-1000", "W2-2000", "W3-2000", "W3-20000"])
def test_the_standard_cases(tmp_path, name):
    case = cases.make(name)
    whole = carve(case.stock, case.path, resolution=256)
    for slabs in (2, 3, 7):
        result = carve_in_slabs(case.stock, case.path, resolution=256, folder=tmp_path / str(slabs), slabs=slabs)
        assert same(result.surface(), whole.surface)


@pytest.mark.parametrize("backend", ["warp:cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("stock", [BAR, without_lid(BAR)], ids=["closed", "open"])
def test_a_warp_device_makes_the_same_slabs(tmp_path, stock, backend):
    whole = carve(stock, tangle(40), resolution=RESOLUTION)
    result = carve_in_slabs(
        stock, tangle(40), resolution=RESOLUTION, folder=tmp_path / "parts", slabs=3, backend=backend
    )
    assert result.report.backend == backend.split(":")[0]
    assert same(result.surface(), whole.surface)
    assert result.report.removed_volume == pytest.approx(whole.report.removed_volume, abs=1e-8)


def test_a_long_slot_is_cut_across_any_axis(tmp_path):
    for axis in range(3):
        turned = [(number + axis) % 3 for number in range(3)]
        stock = box(*np.array([[-20, -3, -3], [20, 3, 3]], dtype=float)[:, np.argsort(turned)])
        path = Path(tangle(30).points[:, np.argsort(turned)], tangle(30).radii)
        whole = carve(stock, path, resolution=240)
        result = carve_in_slabs(stock, path, resolution=240, folder=tmp_path / str(axis), slabs=2)
        assert same(result.surface(), whole.surface)


def test_too_little_memory_makes_thinner_slabs(tmp_path):
    roomy = carve_in_slabs(BAR, tangle(150), resolution=RESOLUTION, folder=tmp_path / "roomy")
    assert len(roomy.files) == 1
    limit = int(0.7 * roomy.report.estimated_memory_mb * 2**20)
    result = carve_in_slabs(BAR, tangle(150), resolution=RESOLUTION, folder=tmp_path / "tight", memory_limit=limit)
    assert len(result.files) > 1
    assert result.report.estimated_memory_mb * 2**20 <= limit
    assert same(result.surface(), roomy.surface())
    with pytest.raises(MemoryLimitError, match="even the thinnest slab needs about 19 MiB"):
        carve_in_slabs(BAR, tangle(150), resolution=RESOLUTION, folder=tmp_path / "none", memory_limit=12 << 20)


def test_the_file_is_the_whole_mesh(tmp_path):
    result = carve_in_slabs(BAR, tangle(30), resolution=200, folder=tmp_path / "parts", slabs=2)
    result.save(tmp_path / "out.ply")
    whole = carve(BAR, tangle(30), resolution=200)
    read = trimesh.load(tmp_path / "out.ply", process=False)
    assert read.is_watertight
    assert np.array_equal(read.vertices, whole.surface.points)
    assert len(read.faces) == whole.report.triangles == result.report.triangles
    assert read.volume == pytest.approx(whole.report.volume, rel=1e-9)
    with pytest.raises(InputError, match=r"written as \.ply"):
        result.save(tmp_path / "out.stl")
    with pytest.raises(InputError, match="exists"):
        result.save(tmp_path / "out.ply")


def test_a_path_that_misses_and_one_that_leaves_nothing(tmp_path):
    far = Path(np.array([[0.0, 50, 0], [1, 50, 0]]), np.ones(2))
    result = carve_in_slabs(BAR, far, resolution=100, folder=tmp_path / "far", slabs=2)
    whole = carve(BAR, far, resolution=100)
    assert result.report.removed_volume == pytest.approx(0, abs=1e-9)
    assert result.report.warnings == whole.report.warnings
    everything = Path(np.array([[-30.0, 0, 0], [30, 0, 0]]), np.full(2, 10.0))
    with pytest.raises(EmptyResultError, match="nothing is left"):
        carve_in_slabs(BAR, everything, resolution=100, folder=tmp_path / "none", slabs=2)


def test_what_is_refused(tmp_path):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(InputError, match="is not empty"):
        carve_in_slabs(BAR, tangle(5), resolution=50, folder=tmp_path)
    with pytest.raises(InputError, match="cannot hold the parts"):
        carve_in_slabs(BAR, tangle(5), resolution=50, folder=tmp_path / "file")
    x, y = np.meshgrid(np.linspace(-3, 3, 20), np.linspace(-3, 3, 20))
    points = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    rows = np.arange(19)[:, None] * 20 + np.arange(19)
    quads = np.stack([rows, rows + 1, rows + 21, rows + 20], axis=-1).reshape(-1, 4)
    sheet = points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    with pytest.raises(InputError, match="is a sheet"):
        carve_in_slabs(sheet, tangle(5), resolution=50, folder=tmp_path / "sheet")


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("voxel_carve.compute.slabs.folder.np.savez", full)
    with pytest.raises(InputError, match=r"bricks_.*could not be written \(No space left on device\)"):
        carve_in_slabs(BAR, tangle(5), resolution=60, folder=tmp_path / "parts")
    assert not list((tmp_path / "parts").iterdir())


def test_a_cancelled_job_leaves_whole_parts_alone(tmp_path):
    seen = []

    def progress(stage, fraction):
        seen.append(fraction)
        if fraction > 0.7:
            raise CarveCancelled

    with pytest.raises(CarveCancelled):
        carve_in_slabs(BAR, tangle(), resolution=RESOLUTION, folder=tmp_path / "parts", slabs=3, progress=progress)
    assert seen == sorted(seen)
    files = sorted(file.name for file in (tmp_path / "parts").iterdir())
    assert files and all(name.endswith(".npz") for name in files)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40, 100])
def test_slabs_of_even_cost(count):
    cost = np.random.default_rng(0).uniform(0, 1, 40) ** 4
    slabs = cut(cost, 1, count)
    assert len(slabs) == min(count, 40)
    assert slabs[0].first == 0 and slabs[-1].stop == 40
    assert all(slab.stop > slab.first for slab in slabs)
    assert all(one.stop == other.first for one, other in pairwise(slabs))
    if count < 7:
        assert max(cost[slab.first : slab.stop].sum() for slab in slabs) < cost.sum() / count + 1
