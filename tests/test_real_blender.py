"""The command line in a full Blender: the script in a checkout, the script and `blender -c` with the installed zip."""

import json
import os
import shutil
import signal
import subprocess
import time
import zipfile

import numpy as np
import pytest
import trimesh

from build_zip import running_platform, wheels_for
from fetch_wheels import WheelError, fetch
from tests.command_line import BOX_VOLUME, CAPSULE_VOLUME, MAKE_SCENE, ROOT, Run, write_input
from tests.real_blender import Place, build_for, empty_place, python_of

pytestmark = [pytest.mark.real_blender, pytest.mark.slow]

ON_OBJECTS = ["--stock", "Box", "--path", "Tool", "--resolution", 48]
REMOVED = pytest.approx(CAPSULE_VOLUME, rel=0.01)
COMPILING = "voxel_carve: compiling the fast kernels, once: "

# Press the button in the open .blend.
CARVE_OPEN = """
import bpy

for name in ("Box", "Tool"):
    bpy.data.objects[name].select_set(True)
bpy.context.view_layer.objects.active = bpy.data.objects["Box"]
bpy.ops.object.voxel_carve(resolution=48)
print("REPORT" + bpy.data.objects["Box Carved"]["voxel_carve_report"])
"""


def complaints(run: Run) -> list[str]:
    """Our lines on stderr, without the progress of compiling; drivers and libraries may print there too."""
    lines = run.err.splitlines()
    return [line for line in lines if line.startswith("voxel_carve: ") and not line.startswith(COMPILING)]


def make_place(command: list[str]) -> Place:
    place = empty_place(command)
    write_input(place.folder)
    (place.folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "carve.py", place.folder / "scripts")
    (place.folder / "make.py").write_text(MAKE_SCENE)
    done = place.blender(
        "-b", "--python-exit-code", 9, "--python", place.inside("make.py"), "--", place.inside("scene.blend")
    )
    assert done.status == 0, done.err
    return place


@pytest.fixture(scope="module")
def python_tag(real_blender):
    return python_of(real_blender)


@pytest.fixture(scope="module")
def bare(real_blender):
    """A checkout, and a Blender without any module that it needs."""
    place = make_place(real_blender)
    shutil.copytree(ROOT / "voxel_carve", place.folder / "voxel_carve", ignore=shutil.ignore_patterns("__pycache__"))
    yield place
    shutil.rmtree(place.folder)


@pytest.fixture(scope="module")
def checkout(real_blender, python_tag):
    """A checkout, and a Blender with the modules that it needs in its user folder."""
    place = make_place(real_blender)
    shutil.copytree(ROOT / "voxel_carve", place.folder / "voxel_carve", ignore=shutil.ignore_patterns("__pycache__"))
    try:
        files = fetch(wheels_for("cpu", running_platform(), python_tag))
    except WheelError as error:
        pytest.skip(str(error))
    for file in files:
        with zipfile.ZipFile(file) as archive:
            archive.extractall(place.folder / "user" / "scripts" / "modules")
    yield place
    shutil.rmtree(place.folder)


@pytest.fixture(scope="module")
def installed(real_blender, python_tag, tmp_path_factory):
    """The extension in a Blender without other modules, and a script without a checkout."""
    file = build_for(python_tag, tmp_path_factory.mktemp("zip"))
    place = make_place(real_blender)
    place.install(file)
    yield place
    shutil.rmtree(place.folder)


def test_missing_modules_are_named_with_a_remedy(bare):
    done = bare.script("--stock", bare.inside("box.stl"), "--path", bare.inside("tool.csv"), "--resolution", 16)
    if done.status == 2 and "no output" in done.err:
        pytest.skip("this Blender's Python has scipy already")
    assert done.status == 2
    (line,) = complaints(done)
    assert "scipy is missing" in line
    assert "install the Voxel Carve extension" in line
    assert f"--target {bare.inside('user')}/scripts/modules" in line


def test_script_on_files_in_a_checkout(checkout):
    arguments = ["--stock", checkout.inside("box.stl"), "--path", checkout.inside("tool.csv"), "--resolution", 48]
    report = checkout.inside("files.json")
    done = checkout.script(*arguments, "--output", checkout.inside("files.glb"), "--report", report)
    assert (done.status, complaints(done)) == (0, [])
    assert checkout.report("files.json")["removed_volume"] == REMOVED
    result = trimesh.load_mesh(checkout.folder / "files.glb")
    assert result.is_watertight
    assert result.volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.01)


def test_script_on_objects_of_the_open_file(checkout):
    outputs = ["--output", checkout.inside("objects.stl"), "--report", checkout.inside("objects.json")]
    done = checkout.script(*ON_OBJECTS, *outputs, before=(checkout.inside("scene.blend"),))
    assert (done.status, complaints(done)) == (0, [])
    assert checkout.report("objects.json")["removed_volume"] == REMOVED


def test_script_reports_the_error_and_exits_with_2(checkout):
    arguments = ["--stock", "Bocks", *ON_OBJECTS[2:], "--output", checkout.inside("wrong.stl")]
    done = checkout.script(*arguments, before=(checkout.inside("scene.blend"),))
    assert done.status == 2
    (line,) = complaints(done)
    assert "'Bocks' is no file, and no object of scene.blend: did you mean 'Box'" in line
    assert not (checkout.folder / "wrong.stl").exists()


def test_frames_in_a_checkout(checkout):
    outputs = ["--output", checkout.inside("at_{frame:02}.ply"), "--report", checkout.inside("at_{frame}.json")]
    done = checkout.script(*ON_OBJECTS, *outputs, "--frames", "2:3", before=(checkout.inside("scene.blend"),))
    assert (done.status, complaints(done)) == (0, [])
    assert checkout.report("at_2.json")["removed_volume"] == REMOVED
    assert checkout.report("at_3.json")["removed_volume"] == pytest.approx(CAPSULE_VOLUME / 2, rel=0.02)
    assert (checkout.folder / "at_02.ply").exists()


def check_jobs(place: Place, name: str, call) -> None:
    """A good job, a bad one and a good one, from a jobs file; then the same with --resume, and a new summary."""
    jobs = [
        {"stock": "Box", "path": "Tool", "output": f"{name}_1.blend", "blend": "scene.blend"},
        {"stock": "Box", "path": "Nothing", "output": f"{name}_2.ply", "blend": "scene.blend"},
        {"stock": "box.stl", "path": ["tool.csv"], "output": f"{name}_3.blend"},
    ]
    (place.folder / f"{name}.json").write_text(json.dumps(jobs))
    arguments = [
        "--jobs",
        place.inside(f"{name}.json"),
        "--resolution",
        32,
        "--report",
        place.inside(f"{name}_sum.json"),
    ]
    again = ("--resume", "--overwrite")
    for more, statuses in (((), ["done", "failed", "done"]), (again, ["skipped", "failed", "skipped"])):
        done = call(*arguments, *more)
        assert done.status == 1, done.err
        (line,) = complaints(done)
        assert "job 2 of 3" in line
        assert "'Nothing'" in line
        assert [job["status"] for job in place.report(f"{name}_sum.json")["jobs"]] == statuses
    assert {"Box", "Box Carved", "Lamp"} < set(place.look(f"{name}_1.blend")["objects"])
    assert set(place.look(f"{name}_3.blend")["objects"]) == {"box", "box Carved"}


def test_jobs_in_a_checkout(checkout):
    check_jobs(checkout, "jobs", checkout.script)


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_interrupt_in_blender_is_status_130(checkout):
    rng = np.random.default_rng(1)
    lines = [f"{x},{y},{z},0.05" for x, y, z in rng.uniform([0, 0, 0], [4, 3, 2], (4000, 3))]
    (checkout.folder / "long.csv").write_text("\n".join(["x,y,z,radius", *lines]))
    arguments = ["--stock", checkout.inside("box.stl"), "--path", checkout.inside("long.csv"), "--resolution", "500"]
    command = [*checkout.command, "-b", "--python", checkout.inside("scripts/carve.py"), "--", *arguments]
    process = subprocess.Popen(
        [*command, "--output", checkout.inside("long.ply")],
        env=checkout.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(5)
    assert process.poll() is None, "it ended before it could be interrupted: give it more to do"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "voxel_carve: interrupted" in err
    assert not [file.name for file in checkout.folder.iterdir() if "long.ply" in file.name or file.name.startswith(".")]


def test_script_uses_the_installed_extension(installed):
    outputs = ["--output", installed.inside("script.blend"), "--report", installed.inside("script.json")]
    done = installed.script(*ON_OBJECTS, *outputs, before=(installed.inside("scene.blend"),))
    assert (done.status, complaints(done)) == (0, [])
    assert installed.report("script.json")["removed_volume"] == REMOVED
    assert "Box Carved" in installed.look("script.blend")["objects"]


@pytest.mark.parametrize("opened", [True, False])
def test_blender_command(installed, opened):
    name = "opened" if opened else "named"
    before = [installed.inside("scene.blend")] if opened else []
    after = [] if opened else ["--blend", installed.inside("scene.blend")]
    outputs = ["--output", installed.inside(f"{name}.ply"), "--report", installed.inside(f"{name}.json")]
    done = installed.blender("-b", *before, "-c", "voxel_carve", *after, *ON_OBJECTS, *outputs)
    assert (done.status, complaints(done)) == (0, [])
    assert installed.report(f"{name}.json")["removed_volume"] == REMOVED


def test_blender_command_reports_the_error_and_exits_with_2(installed):
    done = installed.blender("-c", "voxel_carve", "--stock", installed.inside("gone.stl"))
    assert done.status == 2
    assert len(complaints(done)) == 1


def test_a_first_job_waits_for_the_kernels_and_a_second_finds_them(installed):
    (installed.folder / "carve_open.py").write_text(CARVE_OPEN)

    def carve() -> dict:
        script = ["--python-exit-code", 9, "--python", installed.inside("carve_open.py")]
        done = installed.blender("-b", installed.inside("scene.blend"), *script, VOXEL_CARVE_BACKEND="auto")
        assert done.status == 0, done.err
        return json.loads(done.out.rpartition("REPORT")[2].partition("\n")[0])

    def compiled() -> dict[str, int]:
        return {file.name: file.stat().st_mtime_ns for file in kernels.glob("numba-*")}

    kernels = installed.folder / "user/extensions/.user/user_default/voxel_carve/kernels"
    first = carve()
    assert first["warnings"] == []
    assert (kernels / "compile.log").read_text() == ""
    made = compiled()
    assert made
    report = carve()
    assert (report["backend"], report["warnings"]) == (first["backend"], [])
    assert report["removed_volume"] == REMOVED
    outputs = ["--output", installed.inside("numba.ply"), "--report", installed.inside("numba.json")]
    command = ["-c", "voxel_carve", "--backend", "numba", "--blend", installed.inside("scene.blend")]
    done = installed.blender(*command, *ON_OBJECTS, *outputs)
    assert (done.status, complaints(done)) == (0, [])
    assert installed.report("numba.json")["backend"] == first["backend"]
    assert made.items() <= compiled().items()


def test_jobs_by_the_blender_command(installed):
    check_jobs(installed, "command", lambda *arguments: installed.blender("-c", "voxel_carve", *arguments))
