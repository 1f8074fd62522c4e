"""The command line as a process: output, interrupts, exit, and what its children may run."""

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trimesh

from environment import _ask
from tests.command_line import (
    BOX_VOLUME,
    CAPSULE_VOLUME,
    MAKE_SCENE,
    ROOT,
    SCRIPT,
    environment,
    in_blender,
    write_input,
)
from tests.forks.forked import run_python
from voxel_carve import cli, printing
from voxel_carve.compute.runtime import child_process as child
from voxel_carve.printing import printable

JOB = ["--stock", "box.stl", "--path", "tool.csv", "--resolution", "16"]
LONGEST = 120  # seconds, for something that takes one

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="streams and signals of another kind")


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    return tmp_path


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def run(folder, arguments, redirected="", variables=(), **options):
    """Run the command line, from the start of Python on, with its streams redirected by a shell."""
    command = ["sh", "-c", f'exec "$0" "$@" {redirected}', sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=LONGEST,
        env=environment() | dict(variables),
        **options,
    )


# Handles signals that the shell which runs the tests may have set to be ignored.
HEED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""


def run_with(folder, before, arguments):
    """Run the command line after our own code in the same process, a fork; return its status and stderr."""
    done = run_python(["-c", after(before), *arguments], folder, environment(), LONGEST)
    return done.returncode, done.stderr.decode()


def after(before):
    """The program that runs our own code and then the command line."""
    program = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{HEED}\n{before}\nimport runpy\n"
    program += f"sys.argv = [{str(SCRIPT)!r}, *sys.argv[1:]]\nrunpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    return program


# Output


@pytest.mark.parametrize("redirected", ["<&- >&- 2>&-", "2>&-", ">/dev/full", "2>/dev/full"])
def test_failing_streams_lose_no_job(folder, redirected):
    (folder / "beside.csv").write_text("x,y,z,radius\n50,50,50,1\n")  # gives a warning on stderr too
    job = {"stock": ["box.stl"], "path": ["tool.csv"], "resolution": 16}
    jobs = [job | {"output": "1.ply"}, job | {"path": ["beside.csv"], "output": "2.ply"}, job | {"output": "3.ply"}]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = run(folder, ["--jobs", "jobs.json", "--report", "report.json"], redirected)
    assert done.returncode == 0
    assert b"Traceback" not in done.stdout + done.stderr
    assert (b"2.ply: " in done.stdout) == redirected.startswith("2>")
    assert json.loads((folder / "report.json").read_text())["done"] == 3
    assert trimesh.load_mesh(folder / "3.ply").volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.02)
    refused = run(folder, ["--jobs", "nothing.json"], redirected)
    assert refused.returncode == 2
    assert b"Traceback" not in refused.stdout + refused.stderr


def test_a_full_stdout_is_reported_if_possible(folder):
    done = run(folder, [*JOB, "--output", "out.ply"], ">/dev/full")
    assert done.stderr.count(b"\n") == 1
    assert b"voxel_carve: warning: what is said on standard output is lost (No space left on device)" in done.stderr
    assert run(folder, ["--help"], ">/dev/full").returncode == 0


def test_a_reader_that_went_away_loses_no_job(folder):
    done = run(folder, [*JOB, "--output", "out.ply"], "| true")
    assert (done.stdout, done.stderr) == (b"", b"")
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), *JOB, "--output", "again.ply"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    process.stdout.close()
    process.stderr.close()
    assert process.wait(LONGEST) == 0
    assert (folder / "again.ply").read_bytes() == (folder / "out.ply").read_bytes()


@pytest.mark.blender
def test_output_of_libraries_goes_into_no_file_of_ours(folder):
    """If stdout is closed, the next file opened gets its descriptor, and Blender prints to that descriptor."""
    pytest.importorskip("bpy")
    for output, redirected in (("told.blend", ""), ("untold.blend", "<&- >&- 2>&-")):
        assert run(folder, [*JOB, "--output", output], redirected).returncode == 0
    look = "import bpy, sys; bpy.ops.wm.open_mainfile(filepath=sys.argv[1]); print(len(bpy.data.objects))"
    found = [in_blender(look, folder / name).split() for name in ("told.blend", "untold.blend")]
    assert found[0][-1] == found[1][-1] == "2"


NAMES = {
    "gr\xfcn \u7dd1.ply": "gr\xfcn \u7dd1.ply",
    os.fsdecode(b"o\xff.ply"): "o\\udcff.ply",
    "\x1b[31mred\x9b\u202e.ply": "\\x1b[31mred\\x9b\\u202e.ply",
    "two\nlines.ply": "two\\nlines.ply",
}


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_name_can_be_printed(folder, encoding):
    job = {"stock": ["box.stl"], "path": ["tool.csv"], "resolution": 16}
    (folder / "jobs.json").write_text(json.dumps([job | {"output": name} for name in NAMES]))
    streams = {"PYTHONIOENCODING": encoding}
    done = run(folder, ["--jobs", "jobs.json", "--report", "report.json"], variables=streams)
    assert (done.returncode, done.stderr) == (0, b"")
    refused = run(folder, ["--jobs", "jobs.json", "--quiet", "--report", "again.json"], variables=streams)
    assert (refused.returncode, refused.stdout) == (1, b"")
    printed, complaints = (text.decode(encoding).splitlines() for text in (done.stdout, refused.stderr))
    assert len(printed) == len(NAMES) + 1 and len(complaints) == len(NAMES)
    assert set(NAMES) <= set(names(folder))
    for shown, line, complaint in zip(NAMES.values(), printed, complaints, strict=False):
        seen = shown.encode(encoding, "backslashreplace").decode(encoding)
        assert f": {seen}: " in line
        assert f": {seen} exists already" in complaint


def test_printable_text():
    letters = "Größe, Ελλάδα, Київ, 日本語, עברית, فارسی\u200cها, हिन्दी, ก็, 👩\u200d🚀 e\u0301 \\x1b \u00a0"
    assert printable(letters) == letters
    assert printable("a\x00\x07\x1b[2J\x7f\x85\x9b") == r"a\x00\x07\x1b[2J\x7f\x85\x9b"
    assert printable("\u202aa\u202eb\u2066c\u2069\u2028\ud800") == r"\u202aa\u202eb\u2066c\u2069\u2028\ud800"


def test_operators_report_only_printable_text():
    """Each text that they report is a literal, or made printable."""
    calls = [
        (file.name, node.args[1])
        for file in (ROOT / "voxel_carve" / "operators").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "report"
    ]
    assert len(calls) > 10
    for file, text in calls:
        is_printable = isinstance(text, ast.Call) and ast.unparse(text.func) == "printable"
        assert is_printable or isinstance(text, ast.Constant), (file, ast.unparse(text))


# Running out of memory. A limit for the whole process would fail anywhere, so single steps are made to fail instead.

OUT_OF_MEMORY = """
import sys
import numpy as np
import voxel_carve.compute.job.carve, voxel_carve.formats.paths.table
import voxel_carve.formats.mesh_files as files
def refuse(*args, **kwargs):
    np.empty(2**50)
"""


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("files.READERS['.stl'] = refuse", "box.stl is too large for the memory that is free"),
        ("voxel_carve.formats.paths.table.csv.reader = refuse", "tool.csv is too large for the memory that is free"),
        ("sys.modules['voxel_carve.compute.job.carve'].plan_grid = refuse", "while carving: choose larger voxels"),
        ("voxel_carve.headless.write_meshes = refuse", "memory ran out outside of the carve itself"),
    ],
)
def test_running_out_of_memory_is_reported_with_its_cause(folder, what, message):
    program = OUT_OF_MEMORY + f"import voxel_carve.headless\n{what}"
    ended, said = run_with(folder, program, [*JOB, "--output", "out.ply"])
    assert ended == 2
    assert message in said and said.count("\n") == 1
    assert "out.ply" not in names(folder)


# Interrupts

STATUSES = [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)]
# A signal comes while the output is being written.
SIGNAL_AT_WRITING = """
import signal
import voxel_carve.formats.mesh_files as files
def half(out, *mesh):
    out.write(b"half")
    out.flush()
    signal.raise_signal(signal.{0})
    signal.raise_signal(signal.{0})  # as `timeout` does
    out.write(b"whole")
files.write_ply = half
"""


@pytest.mark.parametrize(("name", "status"), STATUSES)
def test_signals_remove_files_being_written(folder, name, status):
    before = names(folder)
    ended, said = run_with(folder, SIGNAL_AT_WRITING.format(name), [*JOB, "--output", "out.ply"])
    assert (ended, said) == (status, "voxel_carve: interrupted: no half output was left behind\n")
    assert names(folder) == before


def test_a_signal_ends_all_jobs(folder):
    before = names(folder)
    job = {"stock": ["box.stl"], "path": ["tool.csv"], "resolution": 16}
    jobs = [job | {"output": "first.obj"}, job | {"output": "second.ply"}, job | {"output": "third.obj"}]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    ended, said = run_with(
        folder, SIGNAL_AT_WRITING.format("SIGTERM"), ["--jobs", "jobs.json", "--report", "report.json"]
    )
    assert (ended, said.count("\n")) == (143, 1)
    assert names(folder) == sorted([*before, "first.obj", "jobs.json", "report.json"])
    assert json.loads((folder / "report.json").read_text())["done"] == 1


@pytest.mark.parametrize("name", [name for name, _ in STATUSES])
def test_an_ignored_signal_ends_nothing(folder, name):
    """As `nohup` sets it for a closed terminal, and a shell sets it for Ctrl-C in background commands."""
    program = f"import signal; signal.signal(signal.{name}, signal.SIG_IGN)" + SIGNAL_AT_WRITING.format(name)
    assert run_with(folder, program, [*JOB, "--output", "out.ply"]) == (0, "")
    assert (folder / "out.ply").read_bytes() == b"halfwhole"


LOST = {
    "in a destructor": """
class Loud:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
def broken(name):
    Loud()
    while True:
        pass
""",
    "by an except": """
def broken(name):
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        return get_backend(name)
""",
    "by another error": """
def broken(name):
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException as error:
        raise h.InputError("numba is not installed") from error
""",
    "by a fault": """
def broken(name):
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        1 / 0
""",
}


@pytest.mark.parametrize(
    ("how", "many"), [*((how, False) for how in LOST), ("by another error", True), ("by a fault", True)]
)
def test_a_lost_interrupt_is_still_handled(folder, how, many):
    program = f"import signal\nimport voxel_carve.headless as h\nget_backend = h.get_backend\n{LOST[how]}"
    program += "h.get_backend = broken"
    job = {"stock": ["box.stl"], "path": ["tool.csv"], "resolution": 16}
    (folder / "jobs.json").write_text(json.dumps([job | {"output": "1.ply"}, job | {"output": "2.ply"}]))
    before = names(folder)
    arguments = ["--jobs", "jobs.json", "--quiet"] if many else [*JOB, "--output", "out.ply"]
    ended, said = run_with(folder, program, arguments)
    assert (ended, said) == (130, "voxel_carve: interrupted: no half output was left behind\n")
    assert names(folder) == before


@pytest.mark.parametrize("name", ["voxel_carve.cli", "argparse", "numpy", "scipy.ndimage", "voxel_carve.formats"])
def test_an_interrupt_during_imports(folder, name):
    program = f"""
import signal
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.modules.pop("argparse", None)
"""
    done = subprocess.run(
        [sys.executable, "-c", after(program), *JOB, "--output", "out.ply"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=LONGEST, env=environment(),
    )  # fmt: skip
    assert done.returncode == 130
    assert done.stderr in ("", "voxel_carve: interrupted: no half output was left behind\n")
    assert "out.ply" not in names(folder)


def test_signal_handlers_are_restored(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    kinds = [getattr(signal, name) for name, _ in STATUSES] + [signal.SIGPIPE]
    before, hook = [signal.getsignal(kind) for kind in kinds], sys.unraisablehook
    assert cli.main([*JOB, "--output", "out.ply"]) == 0
    assert cli.main([*JOB, "--output", "out.xyz"]) == 2
    assert [signal.getsignal(kind) for kind in kinds] == before
    assert sys.unraisablehook is hook


# Children


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """The working folder with planted modules, each of which records in a file `ran` that it ran."""
    (tmp_path / "ran").mkdir()
    for name in ("json", "importlib", "types", "pickle", "random", "venv", "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran' / name)!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def test_children_run_no_code_of_the_working_folder(planted):
    command = child.child_command("voxel_carve.compute.engines.registry", "get_backend")
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST, env=environment())
    assert (done.returncode, done.stderr) == (0, "")
    assert names(planted / "ran") == []


def test_making_an_environment_runs_no_code_of_the_working_folder(planted):
    assert _ask(Path(sys.executable), "import venv, json, random").returncode == 0
    assert names(planted / "ran") == []


# Exit

DRIVEN = MAKE_SCENE.replace(
    "scene.frame_set(1)",
    'box.driver_add("location", 0).driver.expression = "max((0, frame)) * 0"\nscene.frame_set(1)',
)
assert DRIVEN != MAKE_SCENE


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """A .blend whose box has a Python driver."""
    pytest.importorskip("bpy")
    file = tmp_path_factory.mktemp("driven") / "scene.blend"
    # It may hang at its exit, like everything that has run a driver.
    program = DRIVEN + "\nimport os; os._exit(0)"
    subprocess.run([sys.executable, "-c", program, str(file)], check=True, capture_output=True, timeout=LONGEST)
    return file


@pytest.mark.blender
def test_a_blend_with_a_driver_does_not_block_the_exit(folder, driven):
    arguments = ["--blend", driven, "--stock", "Box", "--path", "Tool", "--resolution", 16]
    for output in ("1.blend", "2.ply"):
        done = run(folder, [*arguments, "--output", output])
        assert (done.returncode, done.stderr) == (0, b"")
        assert output.encode() in done.stdout
    refused = run(folder, [*arguments, "--stock", "Nobody", "--output", "3.ply"])
    assert refused.returncode == 2


ENDING = """
import atexit, logging, sys, tempfile, threading
sys.path.insert(0, {root!r})
from voxel_carve.process import skip_destructors
skip_destructors()
import bpy
bpy.ops.wm.open_mainfile(filepath={scene!r}, use_scripts=False)
bpy.context.scene.frame_set(2)
scratch = tempfile.TemporaryDirectory(dir=".", prefix="scratch")
open("blender", "w").write(bpy.app.tempdir)
atexit.register(lambda: open("last words", "w").write("said"))
threading.Timer(0.3, lambda: open("thread", "w").close()).start()
print("written")
{end}
"""


@pytest.mark.blender
@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("", 0, ""),
        ("sys.exit(3)", 3, ""),
        ("sys.exit('words')", 1, "words\n"),
        ("raise ValueError('why')", 1, "ValueError: why\n"),
    ],
)
def test_the_exit_is_the_usual_one(driven, tmp_path, end, status, said):
    program = ENDING.format(root=str(ROOT), scene=str(driven), end=end)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert done.returncode == status
    assert done.stdout.endswith("written\n")
    assert done.stderr.endswith(said) and ("Traceback" in done.stderr) == ("ValueError" in said)
    assert names(tmp_path) == ["blender", "last words", "thread"]
    assert not Path((tmp_path / "blender").read_text()).exists()


# A stand-in for a Blender with a session folder, or with the folder for temporary files as a fallback.
STAND_IN = """
import os, sys, types
sys.path.insert(0, {root!r})
from voxel_carve.process import skip_destructors
skip_destructors()
sys.modules["bpy"] = types.SimpleNamespace(app=types.SimpleNamespace(module=True, tempdir={folder!r} + os.sep))
"""


@pytest.mark.parametrize(
    ("temporary", "session", "stays"),
    [
        (".", "blender_a1B2c3", False),
        ("blender_mine42", "blender_mine42", True),
        ("blender_mine42", "blender_mine42/blender_a1B2c3", False),
        ("linked", "blender_mine42", True),
        (".", "blender_of_mine", True),
        ("blender_mine42", "blender_a1B2c3", True),
    ],
)
def test_only_the_folder_that_blender_made_is_deleted(tmp_path, temporary, session, stays):
    (tmp_path / "blender_mine42").mkdir()
    (tmp_path / "linked").symlink_to("blender_mine42")
    folder = tmp_path / session
    folder.mkdir(exist_ok=True)
    (folder / "work").write_text("mine")
    program = STAND_IN.format(root=str(ROOT), folder=str(folder))
    variables = {name: value for name, value in os.environ.items() if name not in ("TEMP", "TMP")}
    variables["TMPDIR"] = str(tmp_path / temporary)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=LONGEST, env=variables)
    assert (folder / "work").exists() == folder.exists() == stays


@pytest.mark.blender
def test_a_blend_with_an_unknown_layout_counts_as_saved(folder):
    pytest.importorskip("bpy")
    program = "import voxel_carve.blend_file as file\nfile.is_whole = lambda blend: None\n"
    program += "file.bpy.context.preferences.filepaths.use_file_compression = False"
    assert run_with(folder, program, [*JOB, "--output", "out.blend"]) == (0, "")
    assert (folder / "out.blend").stat().st_size > 10_000


PYTHONS = [ROOT / ".venv" / version / "bin" / "python" for version in ("3.11", "3.13")]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.blender
@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.parents[1].name)
def test_everything_exits_with_loaded_kernels(folder, python):
    """Run each twice, because the first may have compiled the kernels."""
    if not python.exists():
        pytest.skip("this environment is not made")
    job = {"stock": ["box.stl"], "path": ["tool.csv"], "resolution": 32, "backend": "cpu", "overwrite": True}
    (folder / "jobs.json").write_text(json.dumps([job | {"output": "1.blend"}, job | {"output": "2.ply"}]))
    carve = [SCRIPT, *JOB, "--backend", "cpu", "--overwrite", "--output", "out.blend"]
    commands = {
        "carve": carve,
        "jobs": [SCRIPT, "--jobs", "jobs.json"],
        "demo": [ROOT / "scripts" / "demo.py", "--backend", "CPU", "--resolution", "64", "--output", folder / "demo"],
    }
    subprocess.run([python, *carve], cwd=folder, check=True, capture_output=True, timeout=1200)
    for arguments in commands.values():
        for _ in range(2):
            subprocess.run([python, *arguments], cwd=folder, check=True, capture_output=True, timeout=600)
    assert (folder / "demo" / "carved.stl").stat().st_size > 10_000


def test_without_a_terminal_waiting_for_the_compiler_is_reported_repeatedly(monkeypatch, capsys):
    """A line after a second, and one every five seconds from then on; nothing of the stages that follow."""
    now = 0.0
    monkeypatch.setattr(printing.time, "monotonic", lambda: now)
    bar = printing.ProgressBar(wanted=True)
    for quarter in range(60):
        now = quarter / 4
        bar.draw("Compile" if now < 12.0 else "Surface", now / 15.0)
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == [
        "8% of the job is done", "43% of the job is done", "78% of the job is done"
    ]  # fmt: skip
