"""Jobs tell how far they are, can be stopped wherever they tell it, and leave nothing behind."""

import importlib
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from tests.shapes import box, hemisphere
from voxel_carve.compute import (
    CarveCancelled,
    Path,
    Sweep,
    carve,
    get_backend,
    keep_stock,
    occupancy_surface,
    plan_grid,
)
from voxel_carve.compute.engines.numba.compiler import load_kernels
from voxel_carve.compute.engines.warp.backend import WarpBackend
from voxel_carve.compute.runtime.cache import compiling_in
from voxel_carve.compute.runtime.progress import (
    checkpoint,
    progress_range,
    remaining_progress,
    report_progress,
    reporting_to,
    with_progress,
)
from voxel_carve.compute.runtime.threads import in_runs
from voxel_carve.compute.verification import with_accuracy

RNG = np.random.default_rng(21)
WALK = Sweep.from_paths([Path(np.cumsum(RNG.normal(0, 0.4, (8, 3)), axis=0), RNG.uniform(0.2, 0.4, 8))])
BOX, OPEN = box((-1.1, -0.9, -1.0), (1.2, 1.0, 0.8)), hemisphere(1.1, subdivisions=2)
VOXEL_SIZE = 1 / 4

# Blocks so small that a small job is worked on as a large one is.
SMALL = {
    "field.fields.BRICKS_PER_CHUNK": 40,
    "field.hole_caps.BRICKS_PER_RUN": 60,
    "verification.verify.POINTS_PER_BLOCK": 300,
    "adaptivity.simplify.VERTICES_PER_CALL": 500,
    "adaptivity.simplify.CORNERS_PER_CALL": 500,
    "engines.numba.field.dense.VOXELS_PER_BLOCK": 1 << 13,
    "engines.scipy.dense.VOXELS_PER_BLOCK": 1 << 13,
    "dense.blocks.VOXELS_PER_BLOCK": 1000,
    "engines.warp.field.dense.VOXELS_PER_LAUNCH": 2000,
    "engines.warp.field.pairs.BRICKS_PER_LAUNCH": 20,
    "engines.warp.field.winding.POINTS_PER_LAUNCH": 5000,
    "engines.numba.field.crossings.BRICKS_PER_RUN": 20,
    "engines.numba.field.crossings.TRIANGLES_PER_RUN": 50,
    "engines.numba.field.fields.BRICKS_PER_RUN": 20,
    "engines.numba.field.tile_hierarchy.PAIRS_PER_STEP": 500,
    "engines.numba.field.tile_hierarchy.PAIRS_PER_RUN": 50,
    "engines.numba.contouring.measuring.FACES_PER_RUN": 1000,
    **{
        f"engines.numba.contouring.{name}.BRICKS_PER_RUN": 20
        for name in ("cells", "contour", "edges", "faces", "overlaps", "sweep")
    },
    "engines.numba.contouring.contour.QUADS_PER_RUN": 200,
    "engines.numba.contouring.finishing.QUADS_PER_RUN": 200,
    "engines.numba.contouring.finishing.VERTICES_PER_RUN": 500,
    "engines.warp.contouring.job.ITEMS_PER_LAUNCH": 500,
    "engines.warp.contouring.finishing.QUADS_PER_LAUNCH": 2000,
    "engines.numba.field.triangle_binning.TILES_PER_RUN": 20,
    "engines.numba.field.triangle_binning.TRIANGLES_PER_RUN": 50,
    "engines.numba.field.winding.PAIRS_PER_RUN": 5000,
}


@pytest.fixture(scope="module", params=["cpu", "warp"])
def backend(request):
    # The cpu merges and measures for every backend. That kernels are loaded is told once: here, and not in a job.
    get_backend("cpu")
    for name in ("merge", "exact"):
        load_kernels(name)
    return WarpBackend("cpu") if request.param == "warp" else get_backend(request.param)


def make_blocks_small(monkeypatch):
    for place, size in SMALL.items():
        module, name = place.rsplit(".", 1)
        # By its path: some packages hold a function with the name of a module.
        monkeypatch.setattr(importlib.import_module(f"voxel_carve.compute.{module}"), name, size)


@pytest.fixture
def small_blocks(monkeypatch):
    make_blocks_small(monkeypatch)


def carved(stock, backend, progress, voxel_size=VOXEL_SIZE, **options):
    return carve(stock, WALK, voxel_size, backend=backend, progress=progress, **options).surface


def kept(stock, backend, progress):
    last = None

    def once(*told):
        # Waiting for the boolean's process is told again and again.
        nonlocal last
        if told != last:
            last = told
            progress(*told)

    return keep_stock(stock, WALK, VOXEL_SIZE, backend=backend, progress=once).surface


def verified(stock, backend, progress):
    result = carve(stock, WALK, VOXEL_SIZE, backend=backend)
    with reporting_to(progress):
        return with_accuracy(result, stock, WALK).surface


def voxelized(stock, backend, progress):
    grid = plan_grid(stock.bounds(), VOXEL_SIZE)
    ball = np.ones((3, 3, 3), dtype=np.bool_)
    with reporting_to(progress):
        with progress_range(0.0, 0.5, "Voxelize"):
            occupancy = backend.voxelize_mesh(stock, grid)
        with progress_range(0.5, 0.7, "Offset"):
            occupancy = backend.dilate(occupancy, ball)
        with progress_range(0.7, 1.0, "Surface"):
            surface = occupancy_surface(occupancy, grid)
        with progress_range(1.0, 1.0, "Done"):
            return surface


JOBS = {
    "closed": partial(carved, BOX),
    "open": partial(carved, OPEN),
    "merged": partial(carved, BOX, tolerance=VOXEL_SIZE / 10),
    "kept": partial(kept, BOX),
    "remeshed": partial(kept, OPEN),
    "verified": partial(verified, BOX),
    "voxelized": partial(voxelized, OPEN),
}


def told_by(job, backend):
    """What a job tells, and its bytes."""
    told = []
    surface = job(backend, lambda stage, fraction: told.append((stage, fraction)))
    return told, tuple(array.tobytes() for array in (surface.points, surface.faces, surface.source, surface.primitive))


def stops_at(number):
    """A listener that stops the job when it hears from it for the `number`-th time, and what it has heard."""
    heard = []

    def hear(stage, fraction):
        heard.append(stage)
        if len(heard) == number:
            raise CarveCancelled

    return hear, heard


@pytest.mark.parametrize("name", JOBS)
def test_fractions_run_from_0_to_1(backend, name, small_blocks):
    told, _ = told_by(JOBS[name], backend)
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0.0
    assert fractions[-1] == 1.0
    assert all(stage for stage, _ in told)
    # The work is told of all along.
    assert max(np.diff(fractions)) < 0.5
    assert len(told) > 20


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["sample", "every"])
@pytest.mark.parametrize("name", ["closed", "open", "merged", "voxelized"])
def test_a_job_stopped_at_any_time_leaves_nothing_behind(backend, name, every, monkeypatch):
    """Another thread can do the same job at once, which needs the locks, and gets the same bytes."""
    job, stride = JOBS[name], 1 if every else 19
    if not every:
        make_blocks_small(monkeypatch)
    told, expected = told_by(job, backend)
    with ThreadPoolExecutor(1) as other:
        for number in range(1, len(told) + 1, stride):
            hear, heard = stops_at(number)
            with pytest.raises(CarveCancelled):
                job(backend, hear)
            assert heard == [stage for stage, _ in told[:number]]
            if number // stride % 16 == 8:
                assert other.submit(told_by, job, backend).result(timeout=120) == (told, expected)
        assert other.submit(told_by, job, backend).result(timeout=120) == (told, expected)
    assert told_by(job, backend) == (told, expected)


@pytest.mark.parametrize("name", ["kept", "remeshed", "verified"])
def test_a_stopped_job_around_a_carve_leaves_nothing_behind(name, small_blocks):
    backend = get_backend("cpu")
    told, expected = told_by(JOBS[name], backend)
    for number in np.unique(np.linspace(1, len(told), 9).astype(int)):
        hear, heard = stops_at(number)
        with pytest.raises(CarveCancelled):
            JOBS[name](backend, hear)
        assert heard == [stage for stage, _ in told[:number]]
    assert told_by(JOBS[name], backend) == (told, expected)


@pytest.mark.parametrize("stock", [BOX, OPEN], ids=["closed", "open"])
def test_the_size_of_the_blocks_decides_how_often_and_nothing_else(backend, stock, monkeypatch):
    job = partial(carved, stock, voxel_size=VOXEL_SIZE / 3)
    rare, expected = told_by(job, backend)
    make_blocks_small(monkeypatch)
    often, found = told_by(job, backend)
    assert found == expected
    assert len(often) > 1.1 * len(rare)


@pytest.mark.parametrize("stock", [BOX, OPEN], ids=["closed", "open"])
def test_a_larger_job_tells_more(backend, stock, small_blocks):
    few, _ = told_by(partial(carved, stock, voxel_size=VOXEL_SIZE / 3), backend)
    more, _ = told_by(partial(carved, stock, voxel_size=VOXEL_SIZE / 6), backend)
    assert len(more) > 1.5 * len(few)
    assert [stage for stage, _ in more].count("Surface") >= 2 * [stage for stage, _ in few].count("Surface")


@pytest.mark.parametrize("error", [CarveCancelled("enough"), KeyboardInterrupt(), ZeroDivisionError("a defect")])
def test_whatever_a_listener_raises_comes_out(error):
    def hear(stage, fraction):
        if stage == "Surface":
            raise error

    with pytest.raises(type(error)):
        carved(BOX, "cpu", hear)


def test_jobs_do_not_wait_for_the_kernels_of_each_other():
    backend, holds, go_on = get_backend("cpu"), threading.Event(), threading.Event()

    told = []

    def hold(stage, fraction):
        told.append(stage)
        # The first time is before the kernels are asked for.
        if told.count("Surface") == 2:
            holds.set()
            assert go_on.wait(120)

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(carved, BOX, backend, hold)
        try:
            assert holds.wait(120)
            second = threads.submit(carved, BOX, backend, None).result(timeout=120)
            assert not first.done()
        finally:
            go_on.set()
        assert first.result(timeout=120).faces.tobytes() == second.faces.tobytes()


# What is told


def heard_of(work):
    told = []
    with reporting_to(lambda stage, fraction: told.append((stage, round(fraction, 6)))):
        work()
    return told


def test_parts_of_parts():
    def work():
        with progress_range(0.0, 0.5, "One"):
            report_progress(0.5)
            with progress_range(0.5, 1.0):
                report_progress(0.5)
        with progress_range(0.5, 1.0, "Two"):
            checkpoint()
        report_progress(1.0)

    one, two = "One", "Two"
    assert heard_of(work) == [(one, 0), (one, 0.25), (one, 0.25), (one, 0.375), (two, 0.5), (two, 0.5), ("", 1)]


def test_the_rest_is_what_is_left_after_what_was_told():
    def work():
        with remaining_progress(0.5, "first"):
            report_progress(1.0)
        with remaining_progress():
            with progress_range(0.0, 0.5, "second"):
                report_progress(1.0)
            with remaining_progress(0.5, "third"):
                report_progress(0.5)

    told = [("first", 0), ("first", 0.5), ("second", 0.5), ("second", 0.75), ("third", 0.75), ("third", 0.8125)]
    assert heard_of(work) == told


def test_steps_are_equal_parts_and_have_parts():
    def work():
        for number in with_progress("abcd"):
            if number == "b":
                for _ in with_progress(range(2)):
                    pass
        with progress_range(1.0, 1.0):
            pass

    assert [fraction for _, fraction in heard_of(work)] == [0, 0.25, 0.25, 0.375, 0.5, 0.75, 1]


def test_steps_of_no_known_number_tell_the_same_again():
    def work():
        report_progress(0.3)
        assert list(with_progress(iter("ab"))) == ["a", "b"]

    assert [fraction for _, fraction in heard_of(work)] == [0.3, 0.3, 0.3]


def test_a_loop_that_ends_early_is_put_right_by_its_part():
    def work():
        with progress_range(0.0, 0.5):
            for _ in with_progress(range(4)):
                break
        with progress_range(0.5, 1.0):
            report_progress(0.5)

    assert [fraction for _, fraction in heard_of(work)] == [0, 0, 0.5, 0.75]


def test_what_is_told_never_runs_back():
    def work():
        for done in (0.2, 0.6, 0.4, 0.7):
            report_progress(done)

    assert [fraction for _, fraction in heard_of(work)] == [0.2, 0.6, 0.6, 0.7]


def test_a_job_in_a_job_is_a_part_of_it_and_one_with_its_own_listener_is_not():
    inner = []

    def work():
        with progress_range(0.0, 0.5, "Outer"):
            with reporting_to(None):
                report_progress(0.5)
            with reporting_to(lambda stage, fraction: inner.append((stage, fraction))):
                report_progress(0.5)
            report_progress(1.0)

    assert heard_of(work) == [("Outer", 0), ("Outer", 0.25), ("Outer", 0.5)]
    assert inner == [("", 0.5)]


def test_nobody_hears_when_nobody_listens_nor_from_other_threads():
    with progress_range(0.0, 1.0, "Alone"):
        report_progress(0.5)

    def work():
        other = threading.Thread(target=report_progress, args=[0.5])
        other.start()
        other.join()

    assert heard_of(work) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_runs_are_told_of_one_by_one_whatever_they_tell(monkeypatch, threads):
    monkeypatch.setattr("voxel_carve.compute.runtime.threads.thread_count", lambda: threads)
    told = heard_of(lambda: in_runs(lambda start, stop: report_progress(0.0), 8, 1))
    fractions = [fraction for _, fraction in told]
    assert sorted(set(fractions)) == [number / 8 for number in range(8)]
    assert fractions == sorted(fractions)


def test_waiting_for_another_process_that_compiles_can_be_stopped(tmp_path):
    hear, heard = stops_at(2)
    with ThreadPoolExecutor(1) as threads, compiling_in(tmp_path):

        def wait():
            with reporting_to(hear), compiling_in(tmp_path):
                raise AssertionError("there are two at once")

        assert isinstance(threads.submit(wait).exception(timeout=60), CarveCancelled)
    assert heard == ["Compile"] * 2
    with compiling_in(tmp_path):
        pass
