"""File > Import > Toolpath: what it makes carves as the command line does with the file."""

import json
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve import cli  # noqa: E402
from voxel_carve.compute import TriMesh  # noqa: E402
from voxel_carve.formats import PATH_SUFFIXES, read_mesh, write_meshes  # noqa: E402
from voxel_carve.operators.paths.import_toolpath import VIEW3D_FH_voxel_carve_toolpath  # noqa: E402

# Two crossing paths of varying radius, and a ball. Float32 holds the coordinates, and not 0.3 as a part of 0.7.
VARYING = """path,x,y,z,radius
a,-1.5,0,0.5,0.25
a,0.25,0.125,0.75,0.375
a,1.5,-0.25,0.5,0.125
b,0,-1.5,0.75,0.25
b,0.125,1.5,0.75,0.3125
c,0.5,0.5,-1,0.6875
"""
# Balls before, between and after two lines, each a path of its own.
BALLS = """path,x,y,z,radius
1,0.5,0.5,-1,0.6875
2,-0.5,0.5,-1,0.375
three,-1.5,0,0.5,0.25
three,0.25,0.125,0.75,0.375
4,-0.5,-0.5,-1,0.1875
5,0,-1.5,0.75,0.25
5,0.125,1.5,0.75,0.3125
6,0.5,-0.75,-1,0.25
7,0.5,-0.75,1,0.25
"""
ALIKE = "x,y,z,radius\n-1.5,0,1,0.25\n0,0.5,1,0.25\n1.5,0,1,0.25\n"
BARE = "x,y,z\n-1.5,0,1\n0,0.5,1\n1.5,0,1\n"


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def load(folder, text, name="tool.csv", **properties):
    """Import a file with this content; return the new curve."""
    file = folder / name
    file.write_text(text)
    assert bpy.ops.import_curve.voxel_carve_toolpath(filepath=str(file), **properties) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def world_points(obj):
    points = np.empty(3 * len(obj.data.vertices), dtype=np.float32)
    obj.data.vertices.foreach_get("co", points)
    return points.reshape(-1, 3) + np.array(obj.location, dtype=np.float32)


def file_points(folder, stock, *options):
    """The vertices that the command line makes of the stock and tool.csv."""
    mesh = stock.data
    points = np.array([vertex.co for vertex in mesh.vertices], dtype=np.float64)
    mesh.calc_loop_triangles()
    triangles = np.array([triangle.vertices for triangle in mesh.loop_triangles], dtype=np.int32)
    write_meshes(folder / "stock.ply", [TriMesh(points, triangles)])
    words = ["--stock", str(folder / "stock.ply"), "--path", str(folder / "tool.csv"), "--resolution", "40"]
    assert cli.main([*words, "--output", str(folder / "out.ply"), "--quiet", *options]) == 0
    return read_mesh(folder / "out.ply").points


@pytest.mark.parametrize(
    ("text", "lines", "balls"), [(VARYING, 2, 1), (ALIKE, 1, 0), (BALLS, 2, 5)], ids=["varying", "alike", "balls"]
)
def test_a_carve_along_an_imported_file_is_that_of_the_command_line(tmp_path, text, lines, balls):
    stock = box()
    path = load(tmp_path, text)
    assert path.type == "CURVE" and path.name == "tool" and path.select_get()
    assert len(path.data.splines) == lines
    made = [obj for obj in bpy.context.selected_objects if obj != path]
    assert [(obj.name, len(obj.data.vertices)) for obj in made] == ([("tool Balls", balls)] if balls else [])
    select(stock, path, *made)
    assert bpy.ops.object.voxel_carve(resolution=40) == {"FINISHED"}
    made = world_points(bpy.context.view_layer.objects.active)
    assert len(made) > 3000
    assert np.array_equal(made, file_points(tmp_path, stock).astype(np.float32))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (VARYING, ["'tool Balls' made of one ball", "'tool' made of 2 paths"]),
        (BALLS, ["'tool Balls' made of 5 balls", "'tool' made of 2 paths"]),
        (ALIKE, ["'tool' made of one path"]),
    ],
    ids=["varying", "balls", "alike"],
)
def test_what_was_made_is_told(tmp_path, capfd, text, told):
    load(tmp_path, text)
    assert re.findall("'.*", capfd.readouterr().out) == told


def test_a_file_of_many_balls_is_one_object_of_loose_vertices(tmp_path):
    """A spline for each would take minutes for a million."""
    points = np.random.default_rng(7).uniform(-1, 1, (20_000, 3)).astype(np.float32)
    rows = [f"{x:.9g},{y:.9g},{z:.9g},{number}" for number, (x, y, z) in enumerate(points)]
    found = load(tmp_path, "\n".join(["x,y,z,path", *rows]), radius=0.25)
    assert found.type == "MESH" and found.name == "tool Balls" and bpy.context.selected_objects == [found]
    places = np.empty(3 * len(points), dtype=np.float32)
    found.data.vertices.foreach_get("co", places)
    assert np.array_equal(places.reshape(-1, 3) + np.array(found.location, dtype=np.float32), points)
    assert {each.value for each in found.data.attributes["radius"].data} == {0.25}
    bare = load(tmp_path, "\n".join(["x,y,z,path", *rows]))
    assert "radius" not in bare.data.attributes


def test_a_file_in_inches_carves_a_stock_in_inches_as_one_in_meters_a_stock_in_meters(tmp_path):
    volumes = []
    for unit, length in (("METERS", 1.0), ("INCHES", 0.0254)):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        load(tmp_path, BALLS, unit=unit)
        select(box(size=(2 * length,) * 3), *bpy.context.selected_objects)
        assert bpy.ops.object.voxel_carve(resolution=40) == {"FINISHED"}
        report = json.loads(bpy.context.view_layer.objects.active["voxel_carve_report"])
        volumes.append(report["removed_volume"] / length**3)
    assert 1 < volumes[0] < 2 and volumes[1] == pytest.approx(volumes[0], rel=1e-4)


def test_alike_radii_are_the_bevel(tmp_path):
    path = load(tmp_path, ALIKE)
    assert path.data.bevel_depth == 0.25
    assert [point.radius for point in path.data.splines[0].points] == [1, 1, 1]


def test_a_file_without_radii_leaves_the_radius_to_the_carve(tmp_path):
    path = load(tmp_path, BARE)
    assert path.data.bevel_depth == 0
    select(box(), path)
    assert bpy.ops.object.voxel_carve(resolution=40, radius=0.25) == {"FINISHED"}
    made = world_points(bpy.context.view_layer.objects.active)
    assert np.array_equal(made, file_points(tmp_path, box(), "--radius", "0.25").astype(np.float32))


def test_a_radius_can_be_given_for_a_file_without_radii(tmp_path):
    path = load(tmp_path, BARE, unit="MILLIMETERS", radius=0.25)
    assert path.data.bevel_depth == 0.25
    assert path.data.splines[0].points[0].co.x == pytest.approx(-0.0015)


@pytest.mark.parametrize(
    ("system", "shown", "scale", "unit", "expected"),
    [
        ("METRIC", "METERS", 1.0, "SCENE", 1.0),
        ("METRIC", "MILLIMETERS", 0.001, "SCENE", 1.0),
        ("METRIC", "MILLIMETERS", 1.0, "SCENE", 0.001),
        ("METRIC", "ADAPTIVE", 0.01, "SCENE", 100.0),
        ("METRIC", "METERS", 1.0, "MILLIMETERS", 0.001),
        ("METRIC", "MILLIMETERS", 0.001, "MILLIMETERS", 1.0),
        ("METRIC", "MILLIMETERS", 0.001, "INCHES", 25.4),
        ("IMPERIAL", "ADAPTIVE", 1.0, "SCENE", 0.3048),
        ("NONE", None, 0.5, "SCENE", 1.0),
        ("NONE", None, 0.5, "CENTIMETERS", 0.01),
    ],
)
def test_units(tmp_path, system, shown, scale, unit, expected):
    settings = bpy.context.scene.unit_settings
    settings.system, settings.scale_length = system, scale
    if shown:
        settings.length_unit = shown
    path = load(tmp_path, ALIKE, unit=unit)
    assert path.data.bevel_depth == pytest.approx(0.25 * expected)
    assert path.data.splines[0].points[1].co.y == pytest.approx(0.5 * expected)


def test_several_files_are_several_curves(tmp_path):
    for name in ("one.csv", "two.CSV"):
        (tmp_path / name).write_text(ALIKE)
    files = [{"name": "one.csv"}, {"name": "two.CSV"}]
    done = bpy.ops.import_curve.voxel_carve_toolpath(directory=str(tmp_path), files=files)
    assert done == {"FINISHED"}
    assert sorted(obj.name for obj in bpy.context.selected_objects) == ["one", "two"]


def test_a_bad_file_is_refused_and_nothing_made(tmp_path):
    (tmp_path / "good.csv").write_text(ALIKE)
    (tmp_path / "bad.csv").write_text("x,y,z\n0,0,zero\n")
    files = [{"name": "good.csv"}, {"name": "bad.csv"}]
    with pytest.raises(RuntimeError, match="line 2, column 'z': 'zero' is not a number"):
        bpy.ops.import_curve.voxel_carve_toolpath(directory=str(tmp_path), files=files)
    with pytest.raises(RuntimeError, match=r"part\.stl is not a toolpath that we read: export it as \.csv"):
        bpy.ops.import_curve.voxel_carve_toolpath(filepath=str(tmp_path / "part.stl"))
    assert not bpy.data.objects and not bpy.data.curves


def test_a_toolpath_far_away_keeps_its_precision(tmp_path):
    path = load(tmp_path, "x,y,z,radius\n1000000.03125,0,0,1\n1000004.0625,0,0,1\n")
    bpy.context.view_layer.update()
    ends = [path.matrix_world @ point.co.to_3d() for point in path.data.splines[0].points]
    assert np.ptp([end.x for end in ends]) == pytest.approx(4.03125, abs=0.07)  # Blender's own vectors are float32
    assert max(abs(point.co.x) for point in path.data.splines[0].points) < 10


def test_undo_removes_it(tmp_path):
    bpy.ops.ed.undo_push()
    load(tmp_path, VARYING)
    bpy.ops.ed.undo_push()
    bpy.ops.ed.undo()
    assert not bpy.data.objects


def test_a_drop_on_a_view_starts_the_import():
    handler = VIEW3D_FH_voxel_carve_toolpath
    assert handler.is_registered
    # Blender's own importers take the others.
    assert set(PATH_SUFFIXES) - set(handler.bl_file_extensions.split(";")) == {".obj", ".svg"}
    module, name = handler.bl_import_operator.split(".")
    properties = getattr(getattr(bpy.ops, module), name).get_rna_type().properties.keys()
    # What Blender fills in when one or several files are dropped.
    assert {"filepath", "directory", "files"} <= set(properties)
    for kind, mode, taken in (
        ("VIEW_3D", None, True),
        ("OUTLINER", "VIEW_LAYER", True),
        ("OUTLINER", "DATA_API", False),
        ("TEXT_EDITOR", None, False),
    ):
        area = SimpleNamespace(type=kind, spaces=SimpleNamespace(active=SimpleNamespace(display_mode=mode)))
        assert handler.poll_drop(SimpleNamespace(area=area)) == taken
    assert not handler.poll_drop(SimpleNamespace(area=None))


def test_files_that_are_dropped_are_each_imported_once(tmp_path):
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(VARYING)
    files = [{"name": "one.csv"}, {"name": "two.csv"}]
    first = str(tmp_path / "one.csv")  # Blender names it too
    done = bpy.ops.import_curve.voxel_carve_toolpath(filepath=first, directory=str(tmp_path), files=files)
    assert done == {"FINISHED"}
    assert sorted(obj.name for obj in bpy.data.objects) == ["one", "one Balls", "two", "two Balls"]


def test_it_starts_in_object_mode_only():
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.import_curve.voxel_carve_toolpath.poll()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.import_curve.voxel_carve_toolpath.poll()
