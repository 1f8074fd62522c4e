"""A list of jobs as a bundle of Open Job Description: checked and run by the programs that others read it with."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import trimesh

from tests.command_line import BOX_VOLUME, CAPSULE_VOLUME, SCRIPT, environment, job_options, run, write_input
from voxel_carve.compute import InputError
from voxel_carve.farm.places import places_text, read_places

OPENJD = Path(sys.executable).with_name("openjd")


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    command = tmp_path / "voxel-carve"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{SCRIPT}" "$@"\n')
    command.chmod(0o755)
    return tmp_path


def bundle(folder, *jobs):
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = run(["farm", "jobs.json", "--openjd", "bundle"], folder)
    assert (done.status, done.err) == (0, "")
    return json.loads((folder / "bundle" / "template.json").read_text())


def openjd(folder, *words):
    return subprocess.run(
        [str(OPENJD), *map(str, words)], cwd=folder, capture_output=True, text=True, check=False, env=environment()
    )


def run_step(folder, step, *words):
    values = json.loads((folder / "bundle" / "parameter_values.json").read_text())["parameterValues"]
    given = [f"{value['name']}={value['value']}" for value in values]
    given += [f"Command={folder / 'voxel-carve'}", "ChunkSize=2"]
    parameters = [word for value in given for word in ("-p", value)]
    return openjd(folder, "run", "bundle/template.json", "--step", step, *parameters, *words)


def test_places_are_read_and_written():
    assert read_places("3, 5-8,7", 9) == [3, 5, 6, 7, 8]
    assert places_text([8, 3, 5, 6, 7]) == "3,5-8"
    for wrong in ("", "0", "3-2", "1-10", "a", "-1", "1,,2"):
        with pytest.raises(InputError, match="--only"):
            read_places(wrong, 9)


def test_some_jobs_of_a_list(folder):
    (folder / "jobs.json").write_text(json.dumps([job_options(output=f"{number}.ply") for number in range(4)]))
    done = run(["--jobs", "jobs.json", "--only", "2,4", "--report", "part.json"], folder)
    assert (done.status, done.err) == (0, "")
    assert sorted(file.name for file in folder.glob("*.ply")) == ["1.ply", "3.ply"]
    part = json.loads((folder / "part.json").read_text())
    assert (part["only"], [job["job"] for job in part["jobs"]]) == ("2,4", [2, 4])
    wrong = run(["--jobs", "jobs.json", "--only", "5"], folder)
    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert "--only 5: give places in the list from 1 to 4" in wrong.err


@pytest.mark.skipif(sys.platform == "win32", reason="the command is a script of a shell")
def test_a_bundle_is_valid_and_runs_to_a_summary(folder):
    jobs = [job_options(output=f"{number}.ply") for number in range(3)]
    jobs += [job_options(stock="0.ply", path={"path": "tool.csv", "radius": 0.75}, output="chained.ply")]
    steps = bundle(folder, *jobs)["steps"]
    assert [step["name"] for step in steps] == ["Prepare", "Carve 1", "Carve 2", "Collect"]
    checked = openjd(folder, "check", "bundle/template.json", "--extensions", "TASK_CHUNKING")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    done = run_step(folder, "Collect", "--run-dependencies")
    assert done.returncode == 0, done.stdout
    assert trimesh.load_mesh(folder / "2.ply").volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.05)
    assert trimesh.load_mesh(folder / "chained.ply").volume < BOX_VOLUME - 1.5 * CAPSULE_VOLUME
    reports = folder / "bundle" / "reports"
    assert sorted(file.name for file in reports.iterdir()) == ["1-2.json", "3-3.json", "4-4.json", "summary.json"]
    summary = json.loads((reports / "summary.json").read_text())
    assert (summary["done"], summary["failed"], [job["job"] for job in summary["jobs"]]) == (4, 0, [1, 2, 3, 4])
    again = run_step(folder, "Collect", "--run-dependencies")
    assert again.returncode == 0, again.stdout
    assert "1.ply exists: skipped" in again.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="the command is a script of a shell")
def test_the_task_of_a_bad_job_fails_and_names_it(folder):
    bundle(
        folder,
        *(job_options(output=f"{number}.ply") for number in range(4)),
        job_options(path="none.csv", output="b.ply"),
    )
    done = run_step(folder, "Carve", "--no-run-dependencies")
    assert done.returncode != 0
    assert "job 5 of 5: " in done.stdout and "none.csv: there is no such file" in done.stdout
    assert "Jobs': '5-5'" in done.stdout or "Jobs(CHUNK[INT]) = 5-5" in done.stdout
    collected = run(["farm", "jobs.json", "--collect", "bundle/reports", "--report", "all.json"], folder)
    assert collected.status == 1
    assert collected.err.count("\n") == 1
    assert f"job 5: {folder / 'b.ply'}: {folder / 'none.csv'}: there is no such file" in collected.err
    assert json.loads((folder / "all.json").read_text())["done"] == 4


def test_the_bundle_lists_the_files_that_are_read_and_written(folder):
    bundle(
        folder,
        job_options(output="made/out.ply"),
        job_options(output="made/frame{frame}.ply", frames="1:5", blend="a.blend"),
    )
    template = json.loads((folder / "bundle" / "template.json").read_text())
    (part,) = template["steps"][1]["parameterSpace"]["taskParameterDefinitions"]
    assert (part["type"], part["range"]) == ("CHUNK[INT]", "1-6")
    files = json.loads((folder / "bundle" / "asset_references.json").read_text())["assetReferences"]
    assert files["inputs"]["filenames"] == sorted(str(folder / name) for name in ("box.stl", "jobs.json", "tool.csv"))
    assert files["outputs"]["directories"] == sorted([str(folder / "bundle" / "reports"), str(folder / "made")])
    assert run(["farm", "jobs.json", "--openjd", "bundle"], folder).status == 2
    assert run(["farm", "jobs.json", "--openjd", "bundle", "--overwrite"], folder).status == 0


def test_collecting_names_what_is_not_there(folder):
    (folder / "jobs.json").write_text(json.dumps([job_options(output=f"{number}.ply") for number in range(3)]))
    (folder / "reports").mkdir()
    assert run(["--jobs", "jobs.json", "--only", "1-2", "--report", "reports/a.json"], folder).status == 0
    done = run(["farm", "jobs.json", "--collect", "reports"], folder)
    assert (done.status, done.out) == (1, "2 done, 0 skipped, 1 failed\n")
    assert done.err == "voxel_carve: job 3: 2.ply: its report is not there: run it again\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["jobs.json"], "give one of --openjd"),
        (["--check"], "name the list of jobs that --check is for"),
        (["jobs.json", "--flamenco", "."], "--flamenco takes no list of jobs"),
        (["jobs.json", "--check", "--report", "a.json"], "--report goes with --collect"),
        (["none.json", "--openjd", "bundle"], "none.json"),
        (["jobs.json", "--collect", ".", "--report", "jobs.json", "--overwrite"], "the jobs file"),
        (["jobs.json", "--collect", ".", "--report", "box.stl", "--overwrite"], "an input of"),
        (["jobs.json", "--collect", "none"], "none cannot be read"),
    ],
)
def test_a_command_for_farms_that_makes_no_sense_is_refused(folder, words, message):
    (folder / "jobs.json").write_text(json.dumps([job_options()]))
    done = run(["farm", *words], folder)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err


def test_a_list_is_checked(folder):
    (folder / "jobs.json").write_text(json.dumps([job_options(), job_options(resolution=0, output="b.ply")]))
    done = run(["farm", "jobs.json", "--check"], folder)
    assert (done.status, done.out) == (0, "2 jobs, kernels ready\n")
    assert "warning: job 2: --resolution 0" in done.err


def test_a_bundle_does_not_replace_its_list(folder):
    text = json.dumps([job_options()])
    (folder / "template.json").write_text(text)
    done = run(["farm", "template.json", "--openjd", ".", "--overwrite"], folder)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert (folder / "template.json").read_text() == text


def test_a_list_may_have_any_name(folder):
    (folder / "a{{b}}\n\N{SNOWMAN}.json").write_text(json.dumps([job_options()]))
    assert run(["farm", "a{{b}}\n\N{SNOWMAN}.json", "--openjd", "bundle"], folder).status == 0
    assert openjd(folder, "check", "bundle/template.json").returncode == 0
    assert json.loads((folder / "bundle" / "template.json").read_text())["name"] == "Voxel Carve a__b____"


def test_reports_tell_which_jobs_they_are_of(folder):
    """Of those that ended; and a report of another list is refused, with its name."""
    (folder / "jobs.json").write_text(json.dumps([job_options(output=f"{number}.ply") for number in range(3)]))
    (folder / "reports").mkdir()
    run(["--jobs", "jobs.json", "--only", "1,3", "--report", "reports/a.json"], folder)
    part = json.loads((folder / "reports" / "a.json").read_text())
    assert part["only"] == "1,3"
    (folder / "reports" / "a.json").write_text(json.dumps({**part, "only": "3", "jobs": part["jobs"][1:]}))
    done = run(["farm", "jobs.json", "--collect", "reports", "--report", "all.json"], folder)
    assert [job["status"] for job in json.loads((folder / "all.json").read_text())["jobs"]] == ["failed"] * 2 + ["done"]
    (folder / "reports" / "b.json").write_text(json.dumps({**part, "only": "7-8"}))
    done = run(["farm", "jobs.json", "--collect", "reports"], folder)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "b.json is the report of another list: remove it" in done.err
