"""One fault, told at three doors: each speaks of what its user has, such as a parameter, an option or a button."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from tests.command_line import run  # noqa: E402
from tests.scene_objects import poly_curve, select  # noqa: E402
from tests.shapes import box, joined  # noqa: E402
from voxel_carve.compute import InputError, TriMesh, carve  # noqa: E402
from voxel_carve.compute.runtime import Sentence, SentenceByDoor, said_at  # noqa: E402
from voxel_carve.formats import write_meshes  # noqa: E402

# Most of its surface is that of bars thinner than a voxel, away from the path.
BARS = [box((x, y, -1), (x + 0.04, y + 0.04, 1)) for x in (1.5, 2.0, 2.5) for y in (-0.5, 0.0, 0.5)]
FRAME = joined(box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), *BARS, name="Frame")
LINE, RADIUS, VOXEL_SIZE = [[-2.0, 0, 0], [0.0, 0, 0]], 0.3, 0.1
# A shell in another, which looks the same way.
NESTED = joined(box((-1, -1, -1), (1, 1, 1)), box((0.3, 0.3, 0.3), (0.7, 0.7, 0.7)), name="Nested")


@pytest.fixture(autouse=True)
def empty_scene(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)


def at_the_command_line(stock: TriMesh, tmp_path) -> tuple[list[str], str]:
    """The warnings in the report, and what is said on stderr."""
    write_meshes(tmp_path / f"{stock.name}.ply", [stock])
    points = "\n".join(",".join(map(str, [*point, RADIUS])) for point in LINE)
    (tmp_path / "tool.csv").write_text(f"x,y,z,radius\n{points}\n")
    sizes = ["--voxel-size", VOXEL_SIZE, "--output", "out.ply", "--report", "out.json"]
    done = run(["--stock", f"{stock.name}.ply", "--path", "tool.csv", *sizes], tmp_path)
    assert done.status == 0, done.err
    return json.loads((tmp_path / "out.json").read_text())["warnings"], done.err


def in_a_window(stock: TriMesh) -> list[str]:
    """The warnings that the result keeps."""
    data = bpy.data.meshes.new(stock.name)
    data.from_pydata(stock.points.tolist(), [], stock.triangles.tolist())
    obj = bpy.data.objects.new(stock.name, data)
    bpy.context.collection.objects.link(obj)
    path = poly_curve([tuple(point) for point in LINE])
    path.data.bevel_depth = RADIUS
    select(obj, path)
    bpy.ops.object.voxel_carve(size_mode="SIZE", voxel_size=VOXEL_SIZE, backend="CPU", adaptivity=0)
    return json.loads(bpy.context.object["voxel_carve_report"])["warnings"]


@pytest.mark.parametrize(
    ("stock", "python", "command_line", "window"),
    [
        (FRAME, "or keep_stock instead of carve", "or --result keep", "or keep the stock"),
        (NESTED, "turn its faces round if", "turn its faces round if", "flip its normals if"),
    ],
    ids=["option", "button"],
)
def test_a_warning_names_what_its_door_has(tmp_path, stock, python, command_line, window):
    (warning,) = carve(stock, (LINE, RADIUS), VOXEL_SIZE, backend="cpu").report.warnings
    assert python in warning
    (warning,), said = at_the_command_line(stock, tmp_path)
    assert command_line in warning
    assert warning in said
    (warning,) = in_a_window(stock)
    assert window in warning


def test_a_refusal_names_what_its_door_has(tmp_path):
    result = carve(box(), (LINE, RADIUS), VOXEL_SIZE, backend="cpu")
    result.save(tmp_path / "out.ply")
    with pytest.raises(InputError, match="allow it with overwrite=True"):
        result.save(tmp_path / "out.ply")
    with pytest.raises(InputError, match="no path: give points with their radii"):
        carve(box(), [], VOXEL_SIZE)
    write_meshes(tmp_path / "box.ply", [box()])
    (tmp_path / "tool.csv").write_text("x,y,z\n0,0,0\n")
    job = ["--stock", "box.ply", "--path", "tool.csv", "--voxel-size", 0.1, "--output", "out.ply"]
    assert "allow it with --overwrite" in run(job, tmp_path).err
    assert "give the radius with --radius" in run([*job, "--overwrite"], tmp_path).err
    (tmp_path / "jobs.json").write_text(json.dumps([{"stock": "box.ply", "path": "tool.csv", "output": "out.ply"}]))
    done = run(["--jobs", "jobs.json", "--voxel-size", 0.1, "--overwrite"], tmp_path)
    assert "give the radius with --radius" in done.err
    assert "give the radius with --radius" in json.loads(done.out.splitlines()[-1])["jobs"][0]["error"]


def test_what_each_door_says_crosses_processes_and_goes_with_what_is_told_around_it():
    kept = SentenceByDoor("give {name}=1", command_line="give --{name}", window="set {name}")
    error = pickle.loads(pickle.dumps(InputError("frame {frame}: {error}", frame=3, error=InputError(kept, name="x"))))
    assert str(error) == said_at("python", error) == "frame 3: give x=1"
    assert said_at("command_line", error) == "frame 3: give --x"
    assert said_at("window", error) == "frame 3: set x"
    assert said_at("window", "any {text}") == said_at("window", ValueError("any {text}")) == "any {text}"
    assert said_at("window", Sentence("{a} to {b}", a=1, b=np.int64(2))) == "1 to 2"
