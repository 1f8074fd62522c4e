"""The command line on a .blend, in Blender as a module: objects by name, frames, and a .blend as output."""

import json
import shutil

import numpy as np
import pytest
import trimesh

from tests.command_line import (
    BOX_VOLUME,
    CAPSULE_VOLUME,
    MAKE_SCENE,
    ROOT,
    box,
    environment,
    in_blender,
    look,
    run,
    run_each,
    start,
    write_input,
)
from tests.forks.forked import run_python
from voxel_carve.formats import write_meshes
from voxel_carve.formats.blend import is_whole

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scene")
    in_blender(MAKE_SCENE, folder / "scene.blend")
    return folder / "scene.blend"


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path)
    return tmp_path


def test_objects_of_a_blend_by_name(folder, scene):
    arguments = ["--blend", scene, "--stock", "Box", "--path", "Tool", "--resolution", 64]
    done = start([*arguments, "--output", "out.ply", "--report", "out.json"], folder)
    assert (done.status, done.err) == (0, "")
    report = json.loads((folder / "out.json").read_text())
    assert report["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=0.005)
    assert report["segments"] == 1
    result = trimesh.load_mesh(folder / "out.ply")
    assert result.is_watertight
    assert result.volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.01)


def test_objects_and_files_together(folder, scene):
    arguments = ["--blend", scene, "--stock", "Box", "--stock", "Box Copy", "--path", "tool.csv", "--path", "Thin"]
    done = run([*arguments, "--radius", 0.25, "--voxel-size", 0.05, "--output", "o.ply", "--report", "o.json"], folder)
    assert done.status == 0
    assert done.err.count("\n") == 1  # the paths do not touch the copy
    report = json.loads((folder / "o.json").read_text())
    box, copy = report["stocks"]
    assert box["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=0.01)  # the thin one is inside the other
    assert copy["removed_volume"] == 0
    assert copy["volume"] == pytest.approx(BOX_VOLUME / 8, rel=0.02)
    np.testing.assert_allclose(trimesh.load_mesh(folder / "o.ply").bounds, [[0, 0, 0], [10, 3, 2]], atol=0.03)


# Prints the world-space points, computed in float64, and the triangles of each mesh of a .blend.
LOOK_CLOSELY = """
import json, sys
import bpy, numpy

bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
found = {}
for obj in bpy.data.objects:
    points = numpy.empty((len(obj.data.vertices), 3), dtype=numpy.float32)
    obj.data.vertices.foreach_get("co", points.ravel())
    obj.data.calc_loop_triangles()
    matrix = numpy.array(obj.matrix_world, dtype=numpy.float64)
    points = points @ matrix[:3, :3].T + matrix[:3, 3]
    triangles = [tuple(triangle.vertices) for triangle in obj.data.loop_triangles]
    found[obj.name] = {"points": points.tolist(), "triangles": triangles}
print(json.dumps(found))
"""


@pytest.mark.parametrize("result", ["remesh", "keep"])
def test_a_blend_far_from_the_origin(folder, result):
    offset = np.array([1e7, -1e6 - 1 / 3, 5e6])
    write_meshes(folder / "far.ply", [box("far", offset)], voxel_size=0.0625)
    ends = np.add(offset, [[1, 1.5, 1], [3, 1.5, 1]]).tolist()
    (folder / "far.csv").write_text("x,y,z\n" + "".join(f"{x!r},{y!r},{z!r}\n" for x, y, z in ends))
    arguments = ["--stock", "far.ply", "--path", "far.csv", "--radius", 0.5, "--voxel-size", 0.0625]
    done = run([*arguments, "--result", result, "--output", "out.blend", "--report", "out.json"], folder)
    assert (done.status, done.err) == (0, "")
    found = json.loads(in_blender(LOOK_CLOSELY, folder / "out.blend").splitlines()[-1])
    assert sorted(found) == ["far", "far Carved"]
    stock, carved = (
        trimesh.Trimesh(np.array(found[name]["points"]) - offset, found[name]["triangles"], process=False)
        for name in ("far", "far Carved")
    )
    report = json.loads((folder / "out.json").read_text())
    assert report["result"] == result
    np.testing.assert_allclose(stock.bounds, [[0, 0, 0], [4, 3, 2]], atol=1e-4 * 0.0625)
    assert carved.is_watertight
    assert carved.volume == pytest.approx(BOX_VOLUME - CAPSULE_VOLUME, rel=0.005)
    assert carved.volume == pytest.approx(report["volume"], rel=1e-5)
    assert (carved.area_faces > 0).all()


def test_keep_stock_in_a_blend(folder, scene):
    """The box and its mirrored, scaled copy each keep their sides; the stock from a file has no object to keep."""
    (folder / "copy.csv").write_text("x,y,z,radius\n9,-1,0.5,0.25\n9,3,0.5,0.25\n")
    arguments = ["--blend", scene, "--stock", "Box", "--stock", "Box Copy", "--stock", "box.stl", "--path", "Tool"]
    arguments += ["--path", "copy.csv", "--voxel-size", 0.04, "--result", "keep"]
    done = run([*arguments, "--output", "out.blend", "--report", "out.json"], folder)
    assert (done.status, done.err) == (0, "")
    report = json.loads((folder / "out.json").read_text())
    box, copy, file = report["stocks"]
    assert [stock["result"] for stock in report["stocks"]] == ["keep"] * 3
    assert box["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=0.005)
    assert file["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=0.005)
    assert copy["removed_volume"] == pytest.approx(np.pi * 0.25**2 * 1.5, rel=0.01)
    objects = look(folder / "out.blend")["objects"]
    assert objects["Box Carved"]["materials"] == objects["Box Copy Carved"]["materials"] == ["steel", "Voxel Carve Cut"]
    assert objects["box Carved"]["materials"] == [None, "Voxel Carve Cut"]
    assert objects["Box"]["hidden"] and objects["Box Copy"]["hidden"]
    assert objects["Box Copy Carved"]["location"] == [10, 0, 0]
    # The same as a mesh file, with the .blend unchanged.
    done = run([*arguments, "--output", "out.ply"], folder)
    result = trimesh.load_mesh(folder / "out.ply", process=False)  # two of the boxes are at the same place
    assert done.status == 0 and result.is_watertight
    assert result.volume == pytest.approx(report["volume"], rel=1e-4)
    assert set(look(scene)["objects"]) == {"Box", "Box Copy", "Tool", "Thin", "Lamp", "Points"}


def test_each_frame_has_its_own_result(folder, scene):
    arguments = ["--blend", scene, "--stock", "Box", "--path", "Tool", "--resolution", 48, "--frames", "1:3"]
    done = run([*arguments, "--output", "out_{frame:03}.ply", "--report", "out_{frame}.json"], folder)
    assert (done.status, done.err) == (0, "")
    removed = [json.loads((folder / f"out_{frame}.json").read_text())["removed_volume"] for frame in (1, 2, 3)]
    assert removed[0] == pytest.approx(CAPSULE_VOLUME, rel=0.01)
    assert removed[1] == pytest.approx(CAPSULE_VOLUME, rel=0.01)  # at z = 1.5 it just fits
    assert removed[2] == pytest.approx(CAPSULE_VOLUME / 2, rel=0.02)
    assert all((folder / f"out_{frame:03}.ply").exists() for frame in (1, 2, 3))
    # Existing outputs are not made again.
    before = (folder / "out_001.ply").stat().st_mtime_ns
    (folder / "out_002.ply").unlink()
    (folder / "out_2.json").unlink()
    done = run([*arguments, "--output", "out_{frame:03}.ply", "--report", "out_{frame}.json", "--resume"], folder)
    assert done.status == 0
    assert [line.split(":")[0] for line in done.out.splitlines() if "out_" in line] == ["frame 2"]
    assert (folder / "out_001.ply").stat().st_mtime_ns == before


APPEARS = """
import sys
import bpy

bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
tool = bpy.data.objects["Tool"]
for frame, scale in ((1, 0), (2, 1)):
    tool.scale = [scale] * 3
    tool.keyframe_insert("scale", frame=frame)
bpy.ops.wm.save_mainfile()
"""


def test_a_path_may_appear_at_a_later_frame(folder, scene):
    animated = shutil.copy(scene, folder / "animated.blend")
    in_blender(APPEARS, animated)
    arguments = ["--blend", animated, "--stock", "Box", "--path", "Tool", "--resolution", 48]
    outputs = ["--output", "out_{frame}.ply", "--report", "out_{frame}.json"]
    done = run([*arguments, "--frames", "1:2", *outputs], folder)
    said = "nothing was carved along a path: 'Tool' has a scale of zero: give it another"
    assert done.status == 0 and done.err == f"voxel_carve: warning: frame 1: {said}\n"
    first, second = (json.loads((folder / f"out_{frame}.json").read_text()) for frame in (1, 2))
    assert first["removed_volume"] == 0 and first["warnings"] == [said]
    assert second["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=0.01)
    done = run([*arguments, "--frames", "1:1", "--dry-run", "--output", "dry_{frame}.ply"], folder)
    assert (done.status, done.err) == (0, "")
    # Without frames it is refused.
    done = run([*arguments, "--output", "out.ply"], folder)
    assert done.status == 2 and "'Tool' has a scale of zero: give it another" in done.err


VANISHES = """
import sys
import bpy

bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
curve = bpy.data.objects["Tool"].data
for frame, depth in ((1, 0.2), (2, 10), (3, 0.2)):
    curve.bevel_depth = depth
    curve.keyframe_insert("bevel_depth", frame=frame)
bpy.ops.wm.save_mainfile()
"""


def test_frames_that_leave_nothing_are_told_and_the_others_go_on(folder, scene):
    animated = shutil.copy(scene, folder / "animated.blend")
    in_blender(VANISHES, animated)
    (folder / "out_2.ply").touch()
    arguments = ["--blend", animated, "--stock", "Box", "--path", "Tool", "--resolution", 32, "--overwrite"]
    outputs = ["--output", "out_{frame}.ply", "--report", "out_{frame}.json"]
    done = run([*arguments, "--frames", "1:3", *outputs], folder)
    said = "nothing is left of 'Box': the paths carve all of it away; check the radius, or carve less"
    no_file = "no out_2.ply is written, and the one that is there is of an earlier run"
    assert (done.status, done.err) == (0, f"voxel_carve: warning: frame 2: {said}; {no_file}\n")
    assert [(folder / f"out_{frame}.json").exists() for frame in (1, 2, 3)] == [True, False, True]
    # A list is told the same.
    entry = {"stock": "Box", "path": "Tool", "resolution": 32, "frames": "1:2", "output": "list_{frame}.ply"}
    (folder / "jobs.json").write_text(json.dumps([entry]))
    done = run(["--jobs", "jobs.json", "--blend", animated, "--report", "summary.json"], folder)
    assert (done.status, done.err) == (0, f"voxel_carve: warning: job 1 of 1: {said}; no list_2.ply is written\n")
    assert done.out.splitlines()[-1].startswith("1 done, 0 skipped, 0 failed, 1 empty in ")
    summary = json.loads((folder / "summary.json").read_text())
    assert [job["status"] for job in summary["jobs"]] == ["done", "empty"] and summary["empty"] == 1
    # Where no frame leaves anything, that is an error.
    done = run([*arguments, "--frames", "2:2", *outputs], folder)
    assert done.status == 2 and done.err.splitlines()[-1] == f"voxel_carve: {said}"


def test_nothing_is_written_if_a_later_frame_would_spoil_an_input(folder, scene):
    stock = (folder / "box.stl").rename(folder / "f_3.stl").read_bytes()
    before = sorted(file.name for file in folder.iterdir())
    arguments = ["--blend", scene, "--stock", "f_3.stl", "--path", "Tool", "--resolution", 12, "--overwrite"]
    arguments += ["--output", "f_{frame}.stl"]
    done = run([*arguments, "--frames", "2:3"], folder)
    assert done.status == 2
    assert done.err.startswith("voxel_carve: frame 3: --output f_3.stl is an input, f_3.stl: ")
    assert sorted(file.name for file in folder.iterdir()) == before
    # Existing files are not written to.
    done = run([*arguments, "--frames", "2:3", "--resume"], folder)
    assert (done.status, done.err) == (0, "")
    assert (folder / "f_2.stl").exists() and (folder / "f_3.stl").read_bytes() == stock


def test_a_frame_that_fails_is_named(folder, scene):
    (folder / "out_2.ply").touch()
    arguments = ["--blend", scene, "--stock", "Box", "--path", "Tool", "--resolution", 16, "--frames", "1:3"]
    done = run([*arguments, "--output", "out_{frame}.ply"], folder)
    assert done.status == 2
    assert done.err.startswith("voxel_carve: frame 2: out_2.ply exists already")
    assert done.err.count("\n") == 1


def test_blend_as_output_has_the_scene_and_an_object_for_each_stock(folder, scene):
    before = scene.read_bytes()
    arguments = ["--blend", scene, "--stock", "Box", "--stock", "Box Copy", "--path", "Tool", "--resolution", 32]
    done = run([*arguments, "--output", "out.blend"], folder)
    assert done.status == 0
    assert scene.read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["box.stl", "out.blend", "tool.csv"]
    objects = look(folder / "out.blend")["objects"]
    assert set(objects) == {"Box", "Box Copy", "Tool", "Thin", "Lamp", "Points", "Box Carved", "Box Copy Carved"}
    assert objects["Box"]["hidden"]
    assert objects["Box"]["render"]
    assert not objects["Box Carved"]["hidden"]
    assert objects["Box Carved"]["materials"][0] == "steel"
    assert len(objects["Box Carved"]["materials"]) == 2
    assert objects["Box Carved"]["faces"] > 1000
    np.testing.assert_allclose(objects["Box Copy Carved"]["low"], [8, 0, 0], atol=0.04)


def test_files_into_a_new_blend(folder):
    done = start(["--stock", "box.stl", "--path", "tool.csv", "--resolution", 32, "--output", "out.blend"], folder)
    assert (done.status, done.err) == (0, "")
    objects = look(folder / "out.blend")["objects"]
    assert set(objects) == {"box", "box Carved"}
    assert objects["box"]["hidden"]
    assert objects["box"]["faces"] == 12


def test_blend_of_each_frame_holds_that_frame_alone(folder, scene):
    arguments = ["--blend", scene, "--stock", "Box", "--path", "Tool", "--resolution", 16, "--frames", "1:3"]
    done = run([*arguments, "--output", "out_{frame}.blend"], folder)
    assert (done.status, done.err) == (0, "")
    for frame in (1, 2, 3):
        found = look(folder / f"out_{frame}.blend")
        assert found["frame"] == frame
        assert set(found["objects"]) == {"Box", "Box Copy", "Tool", "Thin", "Lamp", "Points", "Box Carved"}
        assert found["objects"]["Tool"]["location"][2] == pytest.approx((frame + 1) / 2)


def test_jobs_on_several_blends_in_one_process(folder, scene):
    (folder / "other.blend").write_bytes(scene.read_bytes())
    common = {"stock": "Box", "path": "Tool", "resolution": 16}
    jobs = [
        {**common, "blend": "other.blend", "output": "first.blend"},
        {**common, "blend": "other.blend", "output": "second_{frame}.ply", "frames": "2:3"},
        {**common, "blend": "other.blend", "output": "third.ply", "stock": "Box Carved"},
        {**common, "blend": str(scene), "output": "fourth.blend"},
        {**common, "output": "fifth.ply"},
    ]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = run(["--jobs", "jobs.json", "--report", "summary.json"], folder)
    assert done.status == 1
    summary = json.loads((folder / "summary.json").read_text())
    assert [job["job"] for job in summary["jobs"]] == [1, 2, 2, 3, 4, 5]
    assert [job["status"] for job in summary["jobs"]] == ["done", "done", "done", "failed", "done", "failed"]
    assert "'Box Carved' is no file, and no object of other.blend" in summary["jobs"][3]["error"]
    assert "--blend" in summary["jobs"][5]["error"]
    assert "Box Carved" in look(folder / "fourth.blend")["objects"]


BAD_SCENE_INPUT = {
    "unknown stock": ("--stock Bocks --path Tool", ["'Bocks'", "no object of scene.blend", "'Box'"]),
    "unknown path": ("--stock Box --path Tol", ["'Tol'", "no object of scene.blend", "'Tool'"]),
    "nothing like it": ("--stock Quixotic --path Tool", ["'Quixotic'", "'Box', 'Box Copy'"]),
    "stock that is a lamp": ("--stock Lamp --path Tool", ["'Lamp'", "mesh"]),
    "stock without faces": ("--stock Points --path Tool", ["'Points'", "no faces"]),
    "stock that is a curve": ("--stock Tool --path Tool", ["'Tool'", "mesh"]),
    "path that is a lamp": ("--stock Box --path Lamp", ["'Lamp'", "no path"]),
    "path that is a box": ("--stock Box --path Box", ["'Box'", "no path"]),
    "path without any radius": ("--stock Box --path Thin", ["'Thin'", "no radius of its own", "--radius"]),
}


@pytest.fixture(scope="module")
def refusals(scene, tmp_path_factory):
    """The result of each case, and the files afterwards."""
    folder = tmp_path_factory.mktemp("refused")
    more = ["--blend", scene, "--resolution", 16, "--output", "out.ply"]
    jobs = [[*arguments.split(), *more] for arguments, _ in BAD_SCENE_INPUT.values()]
    answers = run_each(jobs, folder)
    return dict(zip(BAD_SCENE_INPUT, answers, strict=True)), list(folder.iterdir())


@pytest.mark.parametrize("case", BAD_SCENE_INPUT)
def test_bad_input_in_a_scene_is_status_2_and_one_line(refusals, case):
    done, messages = refusals[0][case], BAD_SCENE_INPUT[case][1]
    assert done.status == 2
    assert done.err.startswith("voxel_carve: ")
    assert done.err.count("\n") == 1, done.err
    for message in messages:
        assert message in done.err


def test_bad_input_in_a_scene_leaves_nothing(refusals):
    assert refusals[1] == []


CALL_IN_OPEN_SCENE = """
import sys
import bpy

sys.path.insert(0, sys.argv[1])
bpy.ops.wm.open_mainfile(filepath=sys.argv[2])
bpy.data.objects["Box"].scale = (2, 2, 2)
from voxel_carve.cli import main

status = main(["--stock", "Box", "--path", "Tool", "--resolution", "32", "--output", "o.blend", "--report", "o.json"])
assert status == 0, status
names = sorted(obj.name for obj in bpy.data.objects)
assert names == ["Box", "Box Copy", "Lamp", "Points", "Thin", "Tool"], names
assert not bpy.data.objects["Box"].hide_get() and not bpy.data.objects["Box"].hide_render
assert len(bpy.data.materials) == 1, list(bpy.data.materials)
assert [mesh.name for mesh in bpy.data.meshes] == ["Box", "Points"], list(bpy.data.meshes)
"""


def test_in_blender_the_open_scene_is_used_and_not_changed(folder, scene):
    done = run_python(["-c", CALL_IN_OPEN_SCENE, ROOT, scene], folder, environment())
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads((folder / "o.json").read_text())
    assert report["volume"] == pytest.approx(8 * BOX_VOLUME - CAPSULE_VOLUME, rel=0.02)


# The first driver lifts the tool to 1, and Blender always runs it. The second moves the tool sideways by 1.5, and the
# third opens a file; Blender runs these only in trusted files.
ADD_DRIVERS = """
import sys
import bpy

bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
tool = bpy.data.objects["Tool"]
tool.animation_data_clear()
tool.location = (0, 0, 1)
for obj, axis, expression in (
    (tool, 2, "1.0 + 0 * frame"),
    (tool, 1, "-1.5 * __import__('math').cos(0)"),
    (bpy.data.objects["Lamp"], 0, "open('gone')"),
)[: int(sys.argv[3])]:
    driver = obj.driver_add("location", axis).driver
    driver.type = "SCRIPTED"
    driver.expression = expression
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2], copy=True)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)  # or Blender 4.5 does not end
"""
CALL_WITH_SCRIPTS = """
import sys
import bpy

sys.path.insert(0, sys.argv[1])
bpy.ops.wm.open_mainfile(filepath=sys.argv[2], use_scripts=True)
from voxel_carve.cli import main

status = main(sys.argv[3:])
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
sys.exit(status)
"""


def test_disabled_drivers_give_a_warning(folder, scene):
    for count in (1, 3):
        in_blender(ADD_DRIVERS, scene, folder / f"{count}.blend", count)
    always = ["--stock", "Box", "--path", "Tool", "--resolution", 32, "--overwrite", "--report", "o.json"]
    always += ["--output", "o.ply"]
    done = run([*always, "--blend", "1.blend"], folder)
    assert (done.status, done.err) == (0, "")
    done = run([*always, "--blend", "3.blend"], folder)
    assert done.status == 0
    report = json.loads((folder / "o.json").read_text())
    (line,) = [line for line in done.err.splitlines() if line.startswith("voxel_carve: ")]
    assert report["warnings"] == [line.removeprefix("voxel_carve: warning: ")]
    assert report["warnings"][0].startswith("3.blend: 2 drivers were left off")
    assert "--enable-autoexec" in line
    assert report["removed_volume"] == pytest.approx(CAPSULE_VOLUME, rel=0.02)  # the tool was not moved sideways
    # Opened as trusted, all drivers run: the tool runs along the box's side.
    done = run_python(["-c", CALL_WITH_SCRIPTS, ROOT, folder / "3.blend", *always], folder, environment())
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads((folder / "o.json").read_text())
    assert report["removed_volume"] == pytest.approx(CAPSULE_VOLUME / 2, rel=0.03)
    assert b"left off" not in done.stderr


SAVE_TWICE = """
import sys
import bpy

for name in ("plain", "packed"):
    bpy.ops.wm.save_as_mainfile(filepath=f"{sys.argv[1]}/{name}.blend", compress=name == "packed", copy=True)
"""


def test_a_truncated_blend_is_detected(folder):
    in_blender(SAVE_TWICE, folder)
    for name in ("plain", "packed"):
        whole = (folder / f"{name}.blend").read_bytes()
        assert is_whole(folder / f"{name}.blend") is True
        for length in (20, len(whole) // 2, len(whole) - 33, len(whole) - 1):
            (folder / "cut.blend").write_bytes(whole[:length])
            assert is_whole(folder / "cut.blend") in ([False] if name == "plain" else [False, None])
        (folder / "cut.blend").write_bytes(whole[: len(whole) // 2] + whole[len(whole) // 2 + 1 :])
        assert is_whole(folder / "cut.blend") is False
    with pytest.raises(ValueError):
        is_whole(folder / "box.stl")
    whole = (folder / "plain.blend").read_bytes()
    (folder / "cut.blend").write_bytes(whole[: len(whole) // 2])
    arguments = ["--stock", "Cube", "--path", "tool.csv", "--resolution", 16, "--output", "o.ply"]
    done = run([*arguments, "--blend", "cut.blend"], folder)
    assert done.status == 2
    assert done.err == "voxel_carve: cut.blend is cut short: save it from Blender again\n"


def test_a_file_that_the_scene_uses_is_not_written_to(folder, scene):
    """A library that it links from."""
    (folder / "library.blend").write_bytes(scene.read_bytes())
    link = "with bpy.data.libraries.load(sys.argv[1], link=True) as (_, to): to.objects = ['Box', 'Tool']"
    add = "[bpy.context.scene.collection.objects.link(obj) for obj in to.objects]"
    save = "bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2])"
    code = f"import bpy, sys\n{link}\n{add}\n{save}"
    in_blender(code, folder / "library.blend", folder / "linking.blend")
    arguments = ["--blend", "linking.blend", "--stock", "Box", "--path", "Tool", "--resolution", 16, "--overwrite"]
    done = run([*arguments, "--output", "library.blend"], folder)
    assert done.status == 2
    (line,) = [line for line in done.err.splitlines() if line.startswith("voxel_carve: ")]
    assert "library.blend is a part of the scene" in line
    assert (folder / "library.blend").read_bytes() == scene.read_bytes()
    done = run([*arguments, "--output", "o.ply"], folder)
    assert done.status == 0
