"""Lists of jobs on workers of Dask: the same results as in one process, whatever becomes of the workers."""

import json
import os
import signal
import time

import numpy as np
import pytest
import trimesh

from tests.command_line import (
    BOX_VOLUME,
    CAPSULE_VOLUME,
    MAKE_SCENE,
    ROOT,
    in_blender,
    job_options,
    run,
    start,
    write_input,
)
from tests.farm.processes import children, is_alive, scheduler, started, wait_for, worker
from voxel_carve import __version__
from voxel_carve.batch import plan
from voxel_carve.distributed.cluster import Cluster
from voxel_carve.farm.order import predecessors
from voxel_carve.farm.scheduling import order_of
from voxel_carve.jobs_file import read_jobs_file

pytest.importorskip("resource", reason="signals and processes of another kind")  # on Windows


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    return tmp_path


def write_jobs(folder, *jobs):
    (folder / "jobs.json").write_text(json.dumps(jobs))


def write_long_path(folder):
    """A path that takes seconds to carve, at the resolution of `long`."""
    rng = np.random.default_rng(1)
    lines = [f"{x},{y},{z},0.05" for x, y, z in rng.uniform([0, 0, 0], [4, 3, 2], (4000, 3))]
    (folder / "long.csv").write_text("\n".join(["x,y,z,radius", *lines]))


def long(output, resolution=140):
    return job_options(path="long.csv", resolution=resolution, output=output)


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def summary_of(folder, name="summary.json"):
    return json.loads((folder / name).read_text())


def without_figures(summary):
    """A summary without the times and the memory, which no two runs share."""
    jobs = [dict(job) for job in summary["jobs"]]
    for job in jobs:
        job.pop("seconds")
        if "report" in job:
            varying = {"seconds", "peak_memory_mb", "memory_before_mb", "estimated_memory_mb"}
            job["report"] = {name: value for name, value in job["report"].items() if name not in varying}
    return {**summary, "seconds": 0, "jobs": jobs}


def places(folder, *jobs):
    write_jobs(folder, *jobs)
    file = folder / "jobs.json"
    return predecessors(plan(read_jobs_file(file), {}, file))


def test_a_job_waits_for_those_whose_files_it_shares(folder):
    found = places(
        folder,
        job_options(output="a.ply"),
        job_options(stock="a.ply", output="b.ply"),
        job_options(output="c.ply", report="c.json"),
        job_options(stock=["later.ply", "b.ply"], output="A.ply"),  # the same as a.ply, for some file systems
        job_options(output="later.ply"),
    )
    assert found == [set(), {0}, set(), {0, 1}, {3}]


def test_each_frame_is_a_job_of_one_frame(folder):
    write_jobs(
        folder, job_options(frames="3:4", output="{frame}.ply", blend="a.blend", path=[{"path": "Tool", "radius": 1}])
    )
    file = folder / "jobs.json"
    tasks = plan(read_jobs_file(file), {}, file)
    asked = [order_of(Cluster(None, "", True), {}, task, folder, None, "run")["options"] for task in tasks]
    assert [options["frames"] for options in asked] == ["3:3", "4:4"]
    assert asked[0]["path"] == [{"path": "Tool", "radius": 1}]
    assert json.loads(json.dumps(asked)) == asked


def test_two_workers_do_what_one_process_does(folder):
    (folder / "inner").mkdir()
    (folder / "nan.csv").write_text("x,y,z,radius\n0,0,nan,1\n")
    jobs = [
        job_options(stock="../box.stl", path="../tool.csv", output="first.ply", report="first.json"),
        job_options(stock="first.ply", path={"path": "../tool.csv", "radius": 0.75}, output="second.ply"),
        job_options(stock="../box.stl", path="../nan.csv", output="bad.ply"),
        job_options(stock="../box.stl", path="../tool.csv", output="third.stl", operation="union", radius=9),
        job_options(stock="../box.stl", path="../tool.csv", output="fourth.ply", resolution=0),
        job_options(stock="missing.ply", path="../tool.csv", output="fifth.ply"),
    ]
    write_jobs(folder / "inner", *jobs)
    arguments = ["--jobs", "inner/jobs.json", "--report", "summary.json"]
    alone = run(arguments, folder)
    expected, files = (
        summary_of(folder),
        {name: (folder / "inner" / name).read_bytes() for name in names(folder / "inner")},
    )
    for name in ("first.ply", "first.json", "second.ply", "third.stl"):
        (folder / "inner" / name).unlink()
    (folder / "summary.json").unlink()
    done = start([*arguments, "--workers", 2], folder)
    assert (done.status, alone.status) == (1, 1)
    assert sorted(done.err.splitlines()) == sorted(alone.err.splitlines())
    assert done.err.count("nan.csv, line 2") == 1
    assert without_figures(summary_of(folder)) == without_figures(expected)
    assert names(folder / "inner") == sorted(files)
    for name in ("first.ply", "second.ply", "third.stl"):
        assert (folder / "inner" / name).read_bytes() == files[name]
    removed = np.pi * 0.75**2 * (2 + 4 / 3 * 0.75)
    assert trimesh.load_mesh(folder / "inner" / "second.ply").volume == pytest.approx(BOX_VOLUME - removed, rel=0.03)
    again = run([*arguments, "--workers", "two"], folder)
    assert (again.status, again.out) == (2, "")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--workers", "two"], "--workers two: it must be a whole number from 1 to 1000"),
        (["--workers", "0"], "--workers 0: it must be a whole number from 1 to 1000"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "give either --workers"),
        (["--scheduler", "host"], "no Dask scheduler answers at host"),
    ],
)
def test_workers_that_make_no_sense_are_refused(folder, more, message):
    write_jobs(folder, job_options())
    done = run(["--jobs", "jobs.json", "--quiet", *more], folder)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err
    assert not (folder / "out.ply").exists()


def test_without_dask_it_is_named_with_a_remedy(folder):
    write_jobs(folder, job_options())
    blocked = "import sys; sys.modules['distributed'] = None; sys.argv[1:1] = []; "
    blocked += "from voxel_carve.cli import main; sys.exit(main(sys.argv[1:]))"
    from tests.forks.forked import run_python

    done = run_python(["-c", blocked, "--jobs", "jobs.json", "--workers", "2"], folder, dict(os.environ))
    assert done.returncode == 2
    assert b"distributed is missing" in done.stderr and b"voxel-carve[distributed]" in done.stderr


@pytest.mark.distributed
def test_the_job_of_a_lost_worker_is_done_by_another(folder):
    write_long_path(folder)
    write_jobs(folder, *(long(f"long{number}.ply") for number in range(4)))
    with scheduler(folder) as (address, _), worker(address, folder) as first:
        process = started(["--jobs", "jobs.json", "--report", "summary.json", "--scheduler", address], folder)
        assert "of 4: long" in process.stdout.readline()  # now it is at the next
        with worker(address, folder):
            first.kill()
            _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    summary = summary_of(folder)
    assert [job["status"] for job in summary["jobs"]] == ["done"] * 4
    assert [job["job"] for job in summary["jobs"]] == [1, 2, 3, 4]
    assert len({(folder / f"long{number}.ply").read_bytes() for number in range(4)}) == 1
    assert not [name for name in names(folder) if name.startswith(".voxel_carve")]


@pytest.mark.distributed
def test_what_a_lost_worker_wrote_and_could_not_tell_is_no_obstacle(folder):
    """The output of a running job appears, and its worker is lost, as if that had written it in its last moment."""
    write_long_path(folder)
    write_jobs(folder, job_options(output="first.ply"), long("long.ply", 280))
    with scheduler(folder) as (address, _), worker(address, folder) as first:
        process = started(["--jobs", "jobs.json", "--report", "summary.json", "--scheduler", address], folder)
        assert "first.ply" in process.stdout.readline()
        time.sleep(0.5)
        (folder / "long.ply").write_text("by the worker that is lost")
        with worker(address, folder):
            first.kill()
            _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    assert trimesh.load_mesh(folder / "long.ply").is_watertight


@pytest.mark.distributed
def test_a_file_that_appears_meanwhile_stays_where_no_worker_is_lost(folder):
    write_long_path(folder)
    write_jobs(folder, job_options(output="first.ply"), long("long.ply", 280))
    process = started(["--jobs", "jobs.json", "--report", "summary.json", "--workers", 1], folder)
    assert "first.ply" in process.stdout.readline()
    (folder / "long.ply").write_text("mine")
    process.communicate(timeout=300)
    assert process.returncode == 1
    assert (folder / "long.ply").read_text() == "mine"
    assert summary_of(folder)["jobs"][1]["status"] == "failed"


@pytest.mark.distributed
def test_only_the_job_of_a_lost_worker_fails_and_not_those_behind_it(folder, monkeypatch):
    """The scheduler tries nothing again."""
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    write_long_path(folder)
    write_jobs(folder, job_options(output="first.ply"), long("long.ply", 280), job_options(output="third.ply"))
    with scheduler(folder) as (address, _), worker(address, folder) as first:
        process = started(["--jobs", "jobs.json", "--report", "summary.json", "--scheduler", address], folder)
        assert "first.ply" in process.stdout.readline()
        time.sleep(0.5)
        with worker(address, folder):
            first.kill()
            process.communicate(timeout=300)
    assert process.returncode == 1
    assert [job["status"] for job in summary_of(folder)["jobs"]] == ["done", "failed", "done"]
    assert "its worker was lost" in summary_of(folder)["jobs"][1]["error"]


@pytest.mark.distributed
def test_a_scheduler_that_goes_away_is_told(folder):
    write_long_path(folder)
    write_jobs(folder, job_options(output="first.ply"), long("long.ply", 280), job_options(output="third.ply"))
    with scheduler(folder) as (address, scheduling), worker(address, folder):
        process = started(["--jobs", "jobs.json", "--report", "summary.json", "--scheduler", address], folder)
        assert "first.ply" in process.stdout.readline()
        scheduling.kill()
        _, err = process.communicate(timeout=300)
    assert process.returncode == 2
    remedy = "start it again, and repeat with --resume for the jobs that are left"
    assert err == f"voxel_carve: the scheduler at {address} went away: {remedy}\n"
    assert [job["output"] for job in summary_of(folder)["jobs"]] == ["first.ply"]


@pytest.mark.distributed
def test_a_scheduler_that_is_not_there_is_told(folder):
    write_jobs(folder, job_options())
    done = run(["--jobs", "jobs.json", "--scheduler", "tcp://127.0.0.1:1"], folder)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in done.err


@pytest.mark.distributed
@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("0.0.9", f"has voxel_carve 0.0.9, and this is {__version__}: install the same version"),
        (None, "cannot use voxel_carve"),
    ],
)
def test_a_worker_with_another_version_is_refused(folder, version, message):
    other = folder / "other"
    other.mkdir()
    if version:
        (other / "voxel_carve").mkdir()
        for file in (ROOT / "voxel_carve").iterdir():
            if file.name != "__init__.py":
                (other / "voxel_carve" / file.name).symlink_to(file)
        text = (ROOT / "voxel_carve" / "__init__.py").read_text()
        (other / "voxel_carve" / "__init__.py").write_text(text.replace(f'"{__version__}"', f'"{version}"'))
    write_jobs(folder, job_options())
    with scheduler(folder) as (address, _), worker(address, folder, other):
        done = run(["--jobs", "jobs.json", "--scheduler", address], folder)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err
    assert not (folder / "out.ply").exists()


@pytest.mark.distributed
@pytest.mark.parametrize("whole_group", [True, False])
def test_ctrl_c_cancels_and_leaves_nothing_half_written(folder, whole_group):
    write_long_path(folder)
    write_jobs(folder, job_options(), long("a.ply", 280), long("b.ply", 280), job_options(output="never.ply"))
    before = names(folder)
    process = started(["--jobs", "jobs.json", "--report", "summary.json", "--workers", 2], folder)
    assert "job 1 of 4: out.ply" in process.stdout.readline()
    beside = children(process.pid)
    time.sleep(0.5)
    if whole_group:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "voxel_carve: interrupted: no half output was left behind\n")
    found = {job["output"] for job in summary_of(folder)["jobs"]}
    assert "out.ply" in found and "b.ply" not in found
    assert names(folder) == sorted([*before, *found, "summary.json"])
    assert len(beside) >= 2
    wait_for(lambda: not any(is_alive(number) for number in beside))


@pytest.mark.distributed
@pytest.mark.blender
def test_workers_read_and_write_blend_files(folder):
    in_blender(MAKE_SCENE, folder / "scene.blend")
    common = {"blend": "scene.blend", "stock": "Box", "resolution": 24}
    write_jobs(
        folder,
        {**common, "path": "Tool", "output": "frame{frame}.ply", "frames": "1:3"},
        {**common, "path": "Tool", "output": "out.blend"},
        {**common, "path": "Lamp", "output": "bad.ply"},
    )
    done = run(["--jobs", "jobs.json", "--report", "summary.json", "--workers", 2], folder)
    assert done.status == 1
    assert [job["status"] for job in summary_of(folder)["jobs"]] == ["done"] * 4 + ["failed"]
    assert [job["job"] for job in summary_of(folder)["jobs"]] == [1, 1, 1, 2, 3]
    assert "Lamp" in summary_of(folder)["jobs"][4]["error"]
    volumes = [trimesh.load_mesh(folder / f"frame{frame}.ply").volume for frame in (1, 3)]
    assert volumes[0] == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.02)
    assert volumes[1] == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME / 2, rel=0.02)
    assert (folder / "out.blend").exists()
