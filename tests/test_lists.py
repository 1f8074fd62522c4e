"""Lists of jobs that continue after bad jobs, and jobs that would spoil each other's files."""

import compileall
import json
import os
from pathlib import Path

import pytest
import trimesh

from tests.command_line import (
    BOX_VOLUME,
    CAPSULE_VOLUME,
    ROOT,
    SCRIPT,
    Run,
    environment,
    in_blender,
    run,
    run_each,
    write_input,
)
from tests.forks.forked import run_python
from voxel_carve.cli import main
from voxel_carve.compute import InputError
from voxel_carve.jobs import OUTPUT_SUFFIXES
from voxel_carve.jobs_file import read_jobs_file

pytest.importorskip("resource", reason="files of another kind")  # on Windows


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    return tmp_path


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def options(**more):
    return {"stock": "box.stl", "path": ["tool.csv"], "resolution": 12, "output": "out.ply", **more}


def strict(text):
    """Parse JSON strictly: no NaN, and no text that cannot be encoded."""

    def refused(name):
        raise ValueError(name)

    value = json.loads(text, parse_constant=refused)
    text.encode("utf-8")
    return value


GOOD = json.dumps(options())
LONG = "n" * 300
# Jobs of a list, each with its message.
ODD_JOBS = {
    "NUL in the output": (json.dumps(options(output="a\0b.ply")), "a\\x00b.ply"),
    "NUL in a stock's file": (json.dumps(options(stock="a\0b.stl")), "a\\x00b.stl"),
    "NUL in an object's name": (json.dumps(options(stock="a\0b")), "a\\x00b"),
    "half a character in the output": (json.dumps(options(output="\ud800.ply")), "\\ud800.ply"),
    "half a character in the report": (json.dumps(options(report="\ud800.json")), "\\ud800.json"),
    "half a character in a path": (json.dumps(options(path="\udfff.csv")), "\\udfff.csv"),
    "half a character in an option": (json.dumps(options(**{"\ud800": 1})), "unknown option '\\ud800'"),
    "half a character in a backend": (json.dumps(options(backend="\ud800")), "unknown backend"),
    "output too long": (json.dumps(options(output=f"{LONG}.ply")), "File name too long"),
    "report too long": (json.dumps(options(report=f"{LONG}.json")), "File name too long"),
    "stock too long": (json.dumps(options(stock=f"{LONG}.stl")), "File name too long"),
    "path too long": (json.dumps(options(path=f"{LONG}.csv")), "File name too long"),
    ".blend too long": (json.dumps(options(blend=f"{LONG}.blend", stock="Box")), "File name too long"),
    "object's name too long": (json.dumps(options(stock=LONG)), "is no file, and no .blend is open"),
    "stock in a circle": (json.dumps(options(stock="circle.stl")), "symbolic links"),
    "output in a circle": (json.dumps(options(output="circle.stl", overwrite=True)), "symbolic links"),
    "stock that is a pipe": (json.dumps(options(stock="pipe.stl")), "pipe.stl is a pipe"),
    "path that is a folder": (json.dumps(options(path="folder.csv")), "folder.csv is a folder"),
    "path that is a device": (json.dumps(options(path="device.csv")), "device.csv is a device"),
    "empty stock": (json.dumps(options(stock="")), "a name is empty"),
    "empty output": (json.dumps(options(output="")), "--output is empty"),
    "empty report": (json.dumps(options(report="")), "--report is empty"),
    "output -": (json.dumps(options(output="-")), "--output -: '' is not a format"),
    "output C:": (json.dumps(options(output="C:")), "--output C:: '' is not a format"),
    "output ..": (json.dumps(options(output="..")), "not a format"),
    "output a list": (json.dumps(options(output=["out.ply"])), "--output [...]: it must be text"),
    "output NaN": (GOOD.replace('"out.ply"', "NaN"), "--output nan: it must be text"),
    "memory without end": (GOOD[:-1] + ', "memory_limit": 1e300}', "--memory-limit 1e+300"),
    "memory infinite": (GOOD[:-1] + ', "memory_limit": 1e400}', "--memory-limit inf"),
    "radius NaN": (GOOD[:-1] + ', "radius": NaN}', "--radius nan"),
    "radius infinite": (GOOD[:-1] + ', "radius": Infinity}', "--radius inf"),
    "radius true": (GOOD[:-1] + ', "radius": true}', "--radius True: it must be a number"),
    "radius of many digits": (GOOD[:-1] + f', "radius": 1{400 * "0"}}}', "it must be a number"),
    "resolution 1e300": (GOOD.replace("12", "1e300"), ""),
    "voxels of no size": (json.dumps({**options(), "resolution": None, "voxel_size": 5e-324}), ""),
    "both spellings": (GOOD[:-1] + ', "voxel-size": 1, "voxel_size": 1}', "'voxel_size' is given twice"),
    "output twice": (GOOD[:-1] + ', "output": "other.ply"}', "'output' is given twice"),
    "an object as a list": (GOOD.replace('"box.stl"', '{"a": "b"}'), "--stock: give the name"),
    "brackets": (GOOD.replace('"box.stl"', 300 * "[" + 300 * "]"), "--stock: give the name"),
    "frame past the last": (json.dumps(options(frames="1:9999999", output="{frame}.ply")), "1048574"),
    "frames in other digits": (json.dumps(options(frames="1:1", output="{frame:٠٤}.ply")), "a place for the number"),
    "itself": (json.dumps(options(output="box.stl", overwrite=True)), "an input, "),
    "its own report": (json.dumps(options(report="tool.csv", overwrite=True)), "an input, "),
    "the jobs file": (json.dumps(options(report="jobs.json", overwrite=True)), "the jobs file"),
    "another's input": (json.dumps(options(output="other.stl", overwrite=True)), "an input of job "),
}


@pytest.fixture(scope="module")
def odd_list(tmp_path_factory):
    """A list of all odd jobs and a good one."""
    folder = tmp_path_factory.mktemp("odd")
    write_input(folder)
    (folder / "other.stl").write_bytes((folder / "box.stl").read_bytes())
    (folder / "circle.stl").symlink_to("circle.stl")
    (folder / "folder.csv").mkdir()
    (folder / "device.csv").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.stl")
    texts = [odd.replace('"out.ply"', f'"out {number}.ply"') for number, (odd, _) in enumerate(ODD_JOBS.values())]
    jobs = [*texts, json.dumps(options(stock="other.stl", output="good.ply"))]
    (folder / "jobs.json").write_text(f"[{', '.join(jobs)}]")
    before = names(folder)
    done = run(["--jobs", "jobs.json", "--report", "summary.json"], folder)
    return folder, before, done


def test_a_list_goes_on_after_every_odd_job(odd_list):
    folder, before, done = odd_list
    assert done.status == 1
    summary = strict((folder / "summary.json").read_text())
    assert (summary["done"], summary["failed"]) == (1, len(ODD_JOBS))
    assert [job["job"] for job in summary["jobs"]] == list(range(1, len(ODD_JOBS) + 2))
    assert summary["jobs"][-1]["status"] == "done"
    assert set(names(folder)) - set(before) == {"good.ply", "summary.json"}
    assert len(done.err.splitlines()) == len(ODD_JOBS)


@pytest.mark.parametrize("case", ODD_JOBS)
def test_an_odd_job_is_reported_in_one_line(odd_list, case):
    folder, _, done = odd_list
    number = list(ODD_JOBS).index(case) + 1
    (line,) = [line for line in done.err.splitlines() if line.startswith(f"voxel_carve: job {number} of")]
    job = strict((folder / "summary.json").read_text())["jobs"][number - 1]
    assert job["status"] == "failed"
    assert ODD_JOBS[case][1] in job["error"]
    assert "fault of voxel_carve" not in line
    assert len(line) < 600


@pytest.mark.blender
def test_a_list_that_imports_blender_has_no_open_scene(folder):
    """Blender's startup scene has a Cube, which jobs must not find."""
    jobs = [options(output="out.blend"), options(stock="Cube", output="cube.ply")]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = run(["--jobs", "jobs.json", "--report", "summary.json"], folder)
    assert done.status == 1
    summary = strict((folder / "summary.json").read_text())
    assert [job["status"] for job in summary["jobs"]] == ["done", "failed"]
    assert "no .blend is open" in summary["jobs"][1]["error"]


def test_null_in_a_list_means_the_common_option(folder):
    (folder / "jobs.json").write_text(json.dumps([options(resolution=None), options(resolution=14, output="b.ply")]))
    done = run(["--jobs", "jobs.json", "--resolution", 12, "--quiet"], folder)
    assert (done.status, done.err) == (0, "")
    steps = [job["report"]["voxel_size"] for job in strict(done.out)["jobs"]]
    assert steps == [4 / 12, 4 / 14]


@pytest.mark.blender
def test_a_file_name_that_is_not_valid_text_works(folder):
    """On Linux the byte 0xff alone is a valid name, but not a character."""
    stock = os.fsdecode(b"b\xffx.stl")
    try:
        (folder / stock).write_bytes((folder / "box.stl").read_bytes())
    except OSError:
        pytest.skip("a file system that knows better")
    outputs = ["out.obj", "out.glb", "out.blend", os.fsdecode(b"o\xff.ply")]
    (folder / "jobs.json").write_text(json.dumps([options(stock=stock, output=output) for output in outputs]))
    done = run(["--jobs", "jobs.json", "--report", "summary.json", "--quiet"], folder)
    assert (done.status, done.err) == (0, "")
    assert strict((folder / "summary.json").read_text())["done"] == 4
    assert set(outputs) < set(names(folder))


NO_MEMORY = """
import sys
sys.path.insert(0, sys.argv[1])
import voxel_carve.headless as headless
given = headless.get_backend

def once(name):
    headless.get_backend = given
    raise MemoryError

headless.get_backend = once
from voxel_carve.cli import main
sys.exit(main(sys.argv[2:]))
"""


def test_a_job_that_runs_out_of_memory_fails_and_the_next_runs(folder):
    (folder / "jobs.json").write_text(json.dumps([options(), options(output="b.ply")]))
    words = ["-c", NO_MEMORY, ROOT, "--jobs", "jobs.json", "--report", "summary.json"]
    done = run_python(words, folder, environment())
    assert done.returncode == 1
    assert done.stderr == b"voxel_carve: job 1 of 2: memory ran out: choose larger voxels, or a lower memory_limit\n"
    assert [job["status"] for job in strict((folder / "summary.json").read_text())["jobs"]] == ["failed", "done"]


LITTLE_SPACE = """
import resource, runpy, sys
most = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_in_little_space(arguments, folder, most):
    """Run the command line with a limit on the size of files, which looks like a full disk to a process.

    Python would keep the part of a module's bytecode that is within the limit: so all is there before.
    """
    compileall.compile_dir(ROOT / "voxel_carve", quiet=2)
    done = run_python(["-c", LITTLE_SPACE, most, SCRIPT, *arguments], folder, environment())
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.blender
@pytest.mark.parametrize("compressed", [False, True])
def test_a_full_disk_is_reported_as_such(folder, compressed):
    """Blender reports half a file as saved, or a file as missing."""
    make = "import bpy, sys; bpy.context.preferences.filepaths.use_file_compression = sys.argv[1] == 'True'"
    save = "bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2])"
    in_blender(f"{make}; {save}", compressed, folder / "scene.blend")
    outputs = [f"out{suffix}" for suffix in OUTPUT_SUFFIXES]
    jobs = [options(output=output, resolution=24) for output in outputs]
    jobs.append(options(output="scene out.blend", stock="Cube", blend="scene.blend"))
    (folder / "jobs.json").write_text(json.dumps(jobs))
    before = names(folder)
    done = run_in_little_space(["--jobs", "jobs.json", "--quiet"], folder, 8192)
    assert done.status == 1
    lines = [line for line in done.err.splitlines() if line.startswith("voxel_carve: ")]
    assert len(lines) == len(jobs)
    for line, job in zip(lines, jobs, strict=True):
        assert line.endswith(f"{job['output']} could not be written (File too large): nothing was changed")
    assert names(folder) == before


def test_a_full_disk_for_a_summary(folder):
    (folder / "jobs.json").write_text(json.dumps([options(radius=-1, output=f"{n}.ply") for n in range(100)]))
    done = run_in_little_space(["--jobs", "jobs.json", "--report", "summary.json", "--quiet"], folder, 4096)
    assert done.status == 2
    assert done.err.splitlines()[-1] == (
        "voxel_carve: summary.json could not be written (File too large): nothing was changed"
    )
    assert names(folder) == ["box.stl", "jobs.json", "tool.csv"]


# Command lines that would write one file twice, or over their input, each with its message.
CLASHES = {
    "report and output": ("--output out.ply --report out.ply", ["--output out.ply and --report out.ply", "same file"]),
    "by another way": ("--output out.ply --report inner/../out.ply", ["same file"]),
    "by a link": ("--output out.ply --report linked/out.ply", ["same file"]),
    "by a hard link": ("--output old.ply --report hard.json", ["same file"]),
    "the stock": ("--output box.stl", ["--output box.stl is an input, box.stl"]),
    "a link to the stock": ("--output link.stl", ["--output link.stl is an input, box.stl"]),
    "a hard link to the stock": ("--output hard.stl", ["--output hard.stl is an input, box.stl"]),
    "the toolpath": ("--output out.ply --report tool.csv", ["--report tool.csv is an input"]),
    "the .blend": ("--output old.blend --blend old.blend", ["--output old.blend is an input"]),
    "frames": ("--output 1{frame}.ply --report {frame}1.ply --frames 1:11 --blend old.blend", ["frame 1: ", "11.ply"]),
    "linked frames": ("--output f{frame}.ply --frames 1:3 --blend old.blend", ["frame 2: ", "frame 3: ", "f3.ply"]),
}


@pytest.fixture(scope="module")
def clashes(tmp_path_factory):
    """The result of each, and the files before and after all of them."""
    folder = tmp_path_factory.mktemp("clashes")
    write_input(folder)
    (folder / "inner").mkdir()
    (folder / "linked").symlink_to(".")
    for name in ("old.ply", "old.blend", "f2.ply"):
        (folder / name).write_text("old")
    os.link(folder / "old.ply", folder / "hard.json")
    os.link(folder / "box.stl", folder / "hard.stl")
    (folder / "link.stl").symlink_to("box.stl")
    (folder / "f3.ply").symlink_to("f2.ply")
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    always = ["--stock", "box.stl", "--path", "tool.csv", "--resolution", 12, "--overwrite"]
    arguments = [[*always, *more.split()] for more, _ in CLASHES.values()]
    answers = run_each(arguments, folder)
    after = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    return dict(zip(CLASHES, answers, strict=True)), before, after


@pytest.mark.parametrize("case", CLASHES)
def test_outputs_that_would_spoil_a_file_are_refused(clashes, case):
    done = clashes[0][case]
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    for message in CLASHES[case][1]:
        assert message in done.err


def test_refused_outputs_change_nothing(clashes):
    assert clashes[2] == clashes[1]


# Lists that are refused as a whole, with the summary's file, each with its message.
LIST_CLASHES = {
    "two outputs": ([options(), options()], "summary.json", ["job 1: --output out.ply", "job 2: --output out.ply"]),
    "two by a link": ([options(), options(output="linked/out.ply")], "summary.json", ["job 1:", "job 2:"]),
    "a report and an output": (
        [options(), options(output="b.ply", report="out.ply")], "summary.json", ["job 1: --output", "job 2: --report"],
    ),
    "two links": ([options(output="old.ply"), options(output="link.ply")], "summary.json", ["job 1:", "link.ply"]),
    "the summary": ([options(), options(output="b.ply", report="s.json")], "s.json", ["the summary", "job 2: --re"]),
    "the summary and a stock": ([options()], "box.stl", ["--report box.stl is an input of job 1"]),
    "the summary and the jobs": ([options()], "jobs.json", ["--report jobs.json is the jobs file"]),
    "frames": (
        [options(frames="1:2", output="{frame}.ply", blend="a.blend"), options(output="2.ply")], "summary.json",
        ["job 1, frame 2: --output 2.ply", "job 2: --output 2.ply"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("more", [[], ["--overwrite"], ["--resume", "--overwrite"]], ids=" ".join)
@pytest.mark.parametrize("case", LIST_CLASHES)
def test_a_list_with_one_file_as_two_outputs_is_refused_before_any_work(folder, capfd, monkeypatch, case, more):
    jobs, summary, messages = LIST_CLASHES[case]
    (folder / "linked").symlink_to(".")
    (folder / "old.ply").write_text("old")
    (folder / "link.ply").symlink_to("old.ply")
    (folder / "jobs.json").write_text(json.dumps(jobs))
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    monkeypatch.chdir(folder)
    assert main(["--jobs", "jobs.json", "--report", summary, *more]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for message in messages:
        assert message in err
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before


def test_a_job_can_read_the_output_of_an_earlier_one(folder):
    (folder / "beside.csv").write_text("x,y,z,radius\n1,0.6,1,0.3\n3,0.6,1,0.3\n")
    jobs = [options(output="first.stl", resolution=24), options(stock="first.stl", path="beside.csv", resolution=24)]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = run(["--jobs", "jobs.json", "--quiet"], folder)
    assert (done.status, done.err) == (0, "")
    first, both = (trimesh.load_mesh(folder / name).volume for name in ("first.stl", "out.ply"))
    assert first == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.02)
    assert both < first - 0.3
    # Once it exists it is an input: another run must not write to it, but can skip it.
    again = run(["--jobs", "jobs.json", "--overwrite", "--quiet"], folder)
    assert again.status == 1
    assert "job 1 of 2: --output first.stl is an input of job 2" in again.err
    (folder / "out.ply").unlink()
    again = run(["--jobs", "jobs.json", "--resume", "--quiet"], folder)
    assert (again.status, again.err) == (0, "")
    assert trimesh.load_mesh(folder / "out.ply").volume == pytest.approx(both)


def test_resume_overwrites_nothing(folder):
    (folder / "out.json").write_text("mine")
    (folder / "jobs.json").write_text(json.dumps([options(report="out.json")]))
    done = run(["--jobs", "jobs.json", "--resume"], folder)
    assert done.status == 1
    assert "out.json exists already" in done.err
    assert (folder / "out.json").read_text() == "mine"
    assert "out.ply" not in names(folder)


JOBS_FILES = {
    "deep": ('[{"stock": ' + 100_000 * "[" + 100_000 * "]" + "}]", "not a JSON file"),
    "many digits": ('[{"radius": ' + 5000 * "9" + "}]", "not a JSON file"),
    "no text": (b"\xff\xfe[\x00]\x00", "not a JSON file"),
    "a number": ("7", "is a list of objects"),
    "lists": ("[[]]", "is a list of objects"),
}


@pytest.mark.parametrize("case", JOBS_FILES)
def test_an_invalid_jobs_file(tmp_path, case):
    content, message = JOBS_FILES[case]
    (tmp_path / "jobs.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message) as error:
        read_jobs_file(tmp_path / "jobs.json")
    assert len(str(error.value)) < 300


def test_a_jobs_file_that_is_not_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "huge", "wb") as huge:
        huge.truncate(2**40)
    for place, message in {
        tmp_path: "is a folder",
        tmp_path / "pipe": "is a pipe",
        Path("/dev/zero"): "is a device",
        tmp_path / "huge": "has 1,048,576 MiB",
        tmp_path / f"{LONG}.json": "File name too long",
        tmp_path / "gone": "no such file",
    }.items():
        with pytest.raises(InputError, match=message):
            read_jobs_file(place)
