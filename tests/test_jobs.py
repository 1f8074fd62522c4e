"""Jobs: options to jobs without running them, and many jobs in one process."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import trimesh

from tests.command_line import BOX_VOLUME, CAPSULE_VOLUME, SCRIPT, box, environment, job_options, run, write_input
from voxel_carve.compute import InputError
from voxel_carve.formats import write_meshes
from voxel_carve.headless import combine
from voxel_carve.jobs import read_options
from voxel_carve.jobs_file import read_jobs_file


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    return tmp_path


def test_options_become_a_job_with_paths_from_its_folder(folder):
    (job,) = read_options(
        job_options(stock=["box.stl", "Cube"], radius="0.5", memory_limit=2, report="out.json", overwrite=True), folder
    )
    assert job.stocks == (folder / "box.stl", "Cube")
    assert job.paths == (folder / "tool.csv",)
    assert (job.output, job.report) == (folder / "out.ply", folder / "out.json")
    assert (job.radius, job.voxel_size, job.resolution) == (0.5, None, 16)
    assert job.memory_limit == 2 * 2**30
    assert job.overwrite
    assert job.adaptivity.tolerance(0.5) == 0
    assert job.needs_blender()
    assert not read_options(job_options(), folder)[0].needs_blender()
    assert read_options(job_options(output="out.blend"), folder)[0].needs_blender()


@pytest.mark.parametrize(
    ("more", "tolerance"), [({"adaptivity": "0.1"}, 0.05), ({"tolerance": 0.2}, 0.2), ({"adaptivity": 0}, 0.0)]
)
def test_adaptivity_is_a_part_of_a_voxel_or_a_length(folder, more, tolerance):
    (job,) = read_options(job_options(**more), folder)
    assert job.adaptivity.tolerance(0.5) == tolerance


def test_frames_become_a_job_each(folder):
    jobs = read_options(
        job_options(frames="-1:2", output="out_{frame:04}.ply", report="{frame}.json", blend="a.blend"), folder
    )
    assert [job.frame for job in jobs] == [-1, 0, 1, 2]
    assert [job.output.name for job in jobs] == ["out_-001.ply", "out_0000.ply", "out_0001.ply", "out_0002.ply"]
    assert [job.report.name for job in jobs] == ["-1.json", "0.json", "1.json", "2.json"]
    assert {job.blend for job in jobs} == {folder / "a.blend"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"raduis": 1}, "unknown option 'raduis': did you mean 'radius'"),
        ({"stock": 5}, "--stock"),
        ({"stock": []}, "no stock"),
        ({"path": ["tool.csv", 5]}, "--path"),
        ({"radius": True}, "--radius True: it must be a number"),
        ({"radius": [1]}, "it must be a number"),
        ({"resolution": 0}, "--resolution 0: it must be a positive number"),
        ({"resolution": 1e999}, "it must be a positive number"),
        ({"adaptivity": 1.5}, "--adaptivity 1.5: it is a part of a voxel, 0 to 1; --tolerance takes a length"),
        ({"adaptivity": -1}, "--adaptivity -1: it must be a number, 0 or more"),
        ({"tolerance": "far"}, "--tolerance far: it must be a number"),
        ({"adaptivity": 0.5, "tolerance": 1}, "give either --adaptivity or --tolerance"),
        ({"output": 5}, "--output 5: it must be text"),
        ({"unit": "furlong"}, "--unit furlong: choose µm, mm, cm"),
        ({"unit": 5}, "--unit 5: it must be text"),
        ({"overwrite": "yes"}, "--overwrite yes: it must be true or false"),
        ({"blend": "scene.ply"}, "--blend scene.ply: it must be a .blend file"),
        ({"report": "out.json", "frames": "1:2", "output": "{frame}.ply"}, "--report"),
        ({"frames": "1:100001", "output": "{frame}.ply"}, "at most 100000 at once"),
    ],
)
def test_invalid_options(folder, more, message):
    with pytest.raises(InputError) as error:
        read_options(job_options(**more), folder)
    assert message in str(error.value)


def test_jobs_file_allows_both_spellings_of_a_name(tmp_path):
    file = tmp_path / "jobs.json"
    file.write_text('[{"voxel-size": 1}, {"voxel_size": 2}]')
    assert read_jobs_file(file) == [{"voxel_size": 1}, {"voxel_size": 2}]


def test_report_of_several_stocks_sums_up():
    def report(voxels, closed, warnings):
        return {
            "grid_shape": (voxels, 8, 8), "voxel_size": 1 / voxels, "closed": closed, "peak_memory_mb": voxels,
            "segments": 3, "stock_triangles": 12, "removed_volume": 1.5, "volume": 2.0, "vertices": 4, "faces": 5,
            "triangles": 10, "triangles_before": 30, "counts": {"bricks": voxels}, "warnings": warnings,
            "estimated_memory_mb": 2 * voxels, "memory_before_mb": 3,
            "seconds": {
                "voxelize": 1.0, "sweep": 2.0, "combine": 1.0, "surface": 3.0, "simplify": 0.5, "compute": 7.0,
                "compile": 0.5,
            },
        }  # fmt: skip

    seconds = {"read": 0.25, "write": 0.5, "total": 20.0}
    one = combine([report(8, True, ("open",))], ["a"], seconds)
    assert "stocks" not in one
    assert one["seconds"] == {
        "read": 0.25, "voxelize": 1.0, "sweep": 2.0, "combine": 1.0, "surface": 3.0, "simplify": 0.5, "write": 0.5,
        "compute": 7.0,
        "compile": 0.5, "total": 20.0,
    }  # fmt: skip
    both = combine([report(8, True, ("open",)), report(16, False, ("open", "far"))], ["a", "b"], seconds)
    assert both["removed_volume"] == 3.0
    assert both["stock_triangles"] == 24
    assert both["triangles_before"] == 60
    assert both["segments"] == 3
    assert both["grid_shape"] == [16, 8, 8]
    assert both["peak_memory_mb"] == 16
    assert both["estimated_memory_mb"] == 32
    assert both["counts"] == {"bricks": 24}
    assert both["closed"] is False
    assert both["warnings"] == ["open", "far"]
    assert both["seconds"]["compute"] == 14.0
    assert both["seconds"]["total"] == 20.0
    assert [stock["name"] for stock in both["stocks"]] == ["a", "b"]


def test_accuracy_of_several_stocks_is_that_of_the_worst():
    def report(largest, verify):
        accuracy = {"voxels": {"vertices": {"largest": largest}}}
        figures = dict.fromkeys(
            ("stock_triangles", "removed_volume", "volume", "vertices", "faces", "triangles", "triangles_before",
             "peak_memory_mb", "estimated_memory_mb", "memory_before_mb"), 1,
        )  # fmt: skip
        return figures | {
            "grid_shape": (8, 8, 8), "closed": True, "counts": {}, "warnings": (), "accuracy": accuracy,
            "seconds": {"verify": verify},
        }  # fmt: skip

    both = combine([report(0.1, 1.0), report(0.4, 2.0), report(0.2, 4.0)], ["a", "b", "c"], {"total": 9.0})
    assert both["accuracy"]["voxels"]["vertices"]["largest"] == 0.4
    assert both["seconds"]["verify"] == 7.0
    assert [stock["accuracy"]["voxels"]["vertices"]["largest"] for stock in both["stocks"]] == [0.1, 0.4, 0.2]


@pytest.mark.parametrize(("value", "asked"), [(True, True), (False, False), (None, False)])
def test_a_jobs_file_can_ask_for_the_accuracy(folder, value, asked):
    options = {"stock": "box.stl", "path": "tool.csv", "resolution": 8, "output": "out.ply", "verify": value}
    assert read_options(options, folder)[0].verify is asked


def write_jobs(folder):
    """Four jobs in a new folder, two of which cannot succeed; and an output that already exists."""
    inner = folder / "inner"
    inner.mkdir()
    write_meshes(inner / "second.stl", [box("second")])
    (inner / "nan.csv").write_text("x,y,z,radius\n0,0,nan,1\n")
    jobs = [
        {"stock": "../box.stl", "path": ["../tool.csv"], "output": "first.ply", "report": "first.json"},
        {"stock": ["second.stl"], "path": ["nan.csv"], "output": "bad.ply"},
        {"stock": "second.stl", "path": "../tool.csv", "output": "third.stl", "operation": "union", "radius": 9},
        {"stock": "second.stl", "path": "../tool.csv", "output": "fourth.ply", "resolution": 0},
    ]
    (inner / "jobs.json").write_text(json.dumps(jobs))
    return inner


def test_batch_goes_on_after_a_failure_and_sums_up(folder):
    inner = write_jobs(folder)
    done = run(["--jobs", "inner/jobs.json", "--resolution", 32, "--report", "summary.json"], folder)
    assert done.status == 1
    assert done.err.count("\n") == 3
    assert "warning: job 3 of 4: the paths lie inside" in done.err
    assert "job 2 of 4: inner/nan.csv, line 2, column 'z'" in done.err
    assert "job 4 of 4: --resolution 0" in done.err
    assert done.out.splitlines()[-1].startswith("2 done, 0 skipped, 2 failed in ")
    assert trimesh.load_mesh(inner / "first.ply").volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.02)
    assert trimesh.load_mesh(inner / "third.stl").volume == pytest.approx(BOX_VOLUME, rel=0.02)
    assert not (inner / "bad.ply").exists()

    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["done"], summary["skipped"], summary["failed"]) == (2, 0, 2)
    assert [job["status"] for job in summary["jobs"]] == ["done", "failed", "done", "failed"]
    assert [job["job"] for job in summary["jobs"]] == [1, 2, 3, 4]
    assert summary["jobs"][0]["report"] == json.loads((inner / "first.json").read_text())
    assert "nan.csv" in summary["jobs"][1]["error"]
    assert summary["jobs"][2]["report"]["operation"] == "union"
    assert summary["seconds"] >= sum(job["seconds"] for job in summary["jobs"]) - 0.01


def test_resume_skips_existing_outputs_and_does_the_rest(folder):
    inner = write_jobs(folder)
    arguments = ["--jobs", "inner/jobs.json", "--resolution", 24, "--report", "summary.json"]
    assert run(arguments, folder).status == 1
    before = (inner / "first.ply").stat().st_mtime_ns
    (inner / "third.stl").unlink()
    (inner / "nan.csv").write_text((folder / "tool.csv").read_text())
    kept = (folder / "summary.json").read_text()
    refused = run([*arguments, "--resume"], folder)
    assert (refused.status, refused.out) == (2, "")
    assert "summary.json exists already" in refused.err
    assert (folder / "summary.json").read_text() == kept
    again = run([*arguments, "--resume", "--overwrite"], folder)
    assert again.status == 1  # the fourth is still wrong
    statuses = [job["status"] for job in json.loads((folder / "summary.json").read_text())["jobs"]]
    assert statuses == ["skipped", "done", "done", "failed"]
    assert (inner / "first.ply").stat().st_mtime_ns == before
    # Without --resume an output that exists is a failure of that job.
    third = run(["--jobs", "inner/jobs.json", "--resolution", 24], folder)
    assert third.status == 1
    assert "first.ply exists already" in third.err


def test_batch_without_a_report_ends_with_the_summary_as_json(folder):
    (folder / "jobs.json").write_text(json.dumps([job_options(), job_options(output="again.ply", operation="union")]))
    done = run(["--jobs", "jobs.json", "--quiet"], folder)
    assert (done.status, done.err) == (0, "")
    summary = json.loads(done.out)
    assert (summary["done"], summary["failed"]) == (2, 0)


def test_existing_report_is_refused_before_any_work(folder):
    (folder / "jobs.json").write_text(json.dumps([job_options()]))
    (folder / "summary.json").write_text("mine")
    done = run(["--jobs", "jobs.json", "--report", "summary.json"], folder)
    assert done.status == 2
    assert "summary.json exists already" in done.err
    assert not Path(folder / "out.ply").exists()
    assert (folder / "summary.json").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_interrupted_batch_reports_finished_jobs(folder):
    rng = np.random.default_rng(1)
    lines = [f"{x},{y},{z},0.05" for x, y, z in rng.uniform([0, 0, 0], [4, 3, 2], (4000, 3))]
    (folder / "long.csv").write_text("\n".join(["x,y,z,radius", *lines]))
    jobs = [
        job_options(),
        job_options(path="long.csv", resolution=500, output="long.ply"),
        job_options(output="never.ply"),
    ]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    command = [sys.executable, str(SCRIPT), "--jobs", "jobs.json", "--report", "summary.json"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment())
    assert "job 1 of 3: out.ply" in process.stdout.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    summary = json.loads((folder / "summary.json").read_text())
    assert [job["output"] for job in summary["jobs"]] == ["out.ply"]
    assert sorted(file.suffix for file in folder.iterdir()) == [".csv", ".csv", ".json", ".json", ".ply", ".stl"]


def own_of_paths(paths):
    (job,) = read_options({"stock": "a.stl", "path": paths, "output": "c.ply", "resolution": 64})
    return job.paths, job.own


@pytest.mark.parametrize(
    ("name", "meters"), [("mm", 1e-3), ("Inches", 0.0254), ("m", 1.0), ("\u00b5m", 1e-6), (None, None)]
)
def test_the_unit_is_a_length_in_meters(name, meters):
    options = {"stock": "box.stl", "path": "tool.csv", "resolution": 8, "output": "out.ply", "unit": name}
    (job,) = read_options(options)
    assert job.unit == meters


def test_a_path_may_have_its_own_radius_and_operation():
    paths, own = own_of_paths(["b.csv", {"path": "Seam", "operation": "union"}, {"path": "c.csv", "radius": 2}])
    assert paths == (Path("b.csv"), "Seam", Path("c.csv"))
    assert [(each.operation, each.radius) for each in own] == [(None, None), ("union", None), (None, 2.0)]
    assert own_of_paths(["b.csv", {"path": "Seam"}])[1] == ()
    assert own_of_paths({"path": "Seam", "radius": 1})[0] == ("Seam",)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ({"path": "b.csv", "operation": "add"}, "--path-operation add: choose subtract, union, intersect"),
        ({"path": "b.csv", "operation": ""}, "--path-operation is empty"),
        ({"path": "b.csv", "operation": 3}, "--path-operation 3: it must be text"),
        ({"path": "b.csv", "radius": "a"}, "--path-radius a: it must be a number"),
        ({"path": "b.csv", "radius": 0}, "--path-radius 0: it must be a positive number"),
        ({"path": "b.csv", "depth": 1}, "unknown option 'depth' of a path: choose operation or radius"),
        ({"operation": "union"}, "--path: a name is empty"),
        ({"path": 3}, "give the name of an object or a file"),
    ],
)
def test_bad_settings_of_a_path_are_refused(path, message):
    with pytest.raises(InputError, match=message):
        own_of_paths([path])
