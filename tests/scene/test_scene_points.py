"""Point clouds and loose vertices as paths: a ball for each point, read, carved, drawn and followed."""

import json
import math
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, link, mesh_object, nodes_modifier, point_cloud, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve import cli  # noqa: E402
from voxel_carve.compute import InputError, Sweep  # noqa: E402
from voxel_carve.recipes.recipe import recipe_of  # noqa: E402
from voxel_carve.scene.reading.read import is_path, is_stock, own_radius, read_paths  # noqa: E402
from voxel_carve.ui.overlay_read import overlay_lines, watched  # noqa: E402

POINTS = [(0, 0, 1), (0.5, 0.5, 1), (-0.5, 0.25, 1)]
RADII = [0.25, 0.375, 0.125]


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def depsgraph():
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


def paths_of(obj, radius=0.1, **more):
    return read_paths(obj, depsgraph(), radius, 1e-3, **more)


def loose(points, radii=None, edges=(), name="Loose"):
    obj = mesh_object(name, points, edges=edges)
    if radii is not None:
        obj.data.attributes.new("radius", "FLOAT", "POINT").data.foreach_set("value", radii)
    return obj


KINDS = pytest.mark.parametrize("make", [point_cloud, loose])


@KINDS
def test_points_are_balls_of_their_radius(make):
    obj = make(POINTS, RADII)
    assert is_path(obj) and not is_stock(obj)
    assert own_radius(obj) == 0.375
    (path,) = paths_of(obj)
    assert not path.joined
    np.testing.assert_array_equal(path.points, POINTS)
    np.testing.assert_allclose(path.radii, RADII, rtol=1e-12)
    sweep = Sweep.from_paths([path])
    np.testing.assert_array_equal(sweep.start, sweep.end)
    assert len(sweep) == 3


@KINDS
def test_points_without_radii_have_the_radius_of_the_carve(make):
    obj = make(POINTS)
    assert own_radius(obj) == 0
    (path,) = paths_of(obj, radius=0.2)
    np.testing.assert_array_equal(path.radii, [0.2] * 3)


@KINDS
def test_a_value_is_the_radius_of_the_largest_ball(make):
    obj = make(POINTS, RADII)
    (path,) = paths_of(obj, radius=3.0, use_own_radius=False)
    np.testing.assert_allclose(path.radii, [2.0, 3.0, 1.0])


@KINDS
def test_radii_scale_with_the_object_and_the_factor(make):
    obj = make(POINTS, RADII)
    obj.scale, obj.location = (2, 2, -2), (0, 0, 5)
    (path,) = paths_of(obj, factor=1.5)
    np.testing.assert_allclose(path.radii, np.array(RADII) * 3)
    np.testing.assert_allclose(path.points, np.array(POINTS) * (2, 2, -2) + (0, 0, 5))


def test_a_mesh_may_have_edges_and_loose_vertices():
    """Along edges the attribute is the point radius, as for curves; for loose vertices it is a length."""
    obj = loose([(0, 0, 0), (1, 0, 0), (3, 0, 0), (4, 0, 0)], [2, 2, 0.5, 0.25], edges=[(0, 1)])
    balls, line = paths_of(obj, radius=0.1)
    assert not balls.joined and line.joined
    np.testing.assert_allclose(balls.radii, [0.5, 0.25])
    np.testing.assert_allclose(line.radii, [0.2, 0.2])
    assert own_radius(obj) == 0  # the edges need one
    assert len(Sweep.from_paths([balls, line])) == 3


@KINDS
def test_a_radius_that_is_not_positive_is_refused(make):
    with pytest.raises(InputError, match=r"has 1 of 3 points whose radius is not a positive number"):
        paths_of(make(POINTS, [0.1, -0.1, 0.2]))


def test_a_cloud_without_points_is_refused():
    with pytest.raises(InputError, match="has no points: draw at least one"):
        paths_of(link("Empty", bpy.data.pointclouds.new("Empty")))


@pytest.mark.parametrize("instanced", [False, True])
def test_points_that_nodes_make(instanced):
    """Mesh to Points, on the points of a box, itself or as an instance."""
    obj = box()
    group, start, end = nodes_modifier(obj)
    points = group.nodes.new("GeometryNodeMeshToPoints")
    points.inputs["Radius"].default_value = 0.25
    group.links.new(start.outputs[0], points.inputs["Mesh"])
    last = points
    if instanced:
        last = group.nodes.new("GeometryNodeGeometryToInstance")
        group.links.new(points.outputs[0], last.inputs[0])
    group.links.new(last.outputs[0], end.inputs[0])
    bpy.context.view_layer.update()
    assert is_path(obj) and not is_stock(obj)
    (path,) = paths_of(obj)
    assert len(path.points) == 8 and not path.joined
    np.testing.assert_array_equal(path.radii, [0.25] * 8)


def report_of(obj):
    return json.loads(obj["voxel_carve_report"])


HALF_BALLS = sum(2 / 3 * math.pi * radius**3 for radius in (0.25, 0.375, 0.125))


@KINDS
@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_a_carve_removes_the_balls(make, result):
    path, stock = make(POINTS, RADII), box()
    path.data.materials.append(bpy.data.materials.new("Dimple"))
    select(stock, path)
    # From the curve: the balls bring their radii along.
    assert bpy.ops.object.voxel_carve(resolution=128, result=result, radius_mode="CURVE") == {"FINISHED"}
    done = bpy.context.view_layer.objects.active
    assert report_of(done)["segments"] == 3
    assert report_of(done)["removed_volume"] == pytest.approx(HALF_BALLS, rel=0.02)
    source = [each.value for each in done.data.attributes["voxel_carve_source"].data]
    segment = [each.value for each in done.data.attributes["voxel_carve_segment"].data]
    assert set(source) == {0, 1} and set(segment) == {-1, 0, 1, 2}
    cut = [face.material_index for face, number in zip(done.data.polygons, source, strict=True) if number]
    assert {done.data.materials[index].name for index in cut} == {"Dimple"}


def test_the_sweep_in_the_overlay_has_the_balls():
    stock, path = box(), point_cloud(POINTS, RADII)
    select(stock, path)
    from voxel_carve.operators.selection.selected import selection

    found = selection(bpy.context)
    lines = overlay_lines(found, depsgraph(), bpy.context.scene.voxel_carve)
    assert len(lines.tubes) == 3 and (lines.tubes.length == 0).all()
    np.testing.assert_allclose(sorted(lines.tubes.radius[0]), sorted(RADII))
    assert path.session_uid in watched(found)
    circles = lines.rings.reshape(-1, 3).astype(float)
    off = np.abs(np.linalg.norm(circles[:, None] - np.array(POINTS), axis=2) - RADII).min(axis=1)
    assert off.max() < 1e-5


def test_a_recipe_follows_a_cloud_that_moves():
    stock, path = box(), point_cloud(POINTS, RADII)
    select(stock, path)
    assert bpy.ops.object.voxel_carve(resolution=64, radius_mode="CURVE") == {"FINISHED"}
    done = bpy.context.view_layer.objects.active
    assert [item.path for item in recipe_of(done).paths] == [path]
    before = report_of(done)["removed_volume"]
    path.location.z = -0.0625
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert report_of(done)["removed_volume"] > 1.1 * before


def test_a_headless_job_takes_a_cloud_by_its_name(tmp_path):
    box("Part")
    point_cloud(POINTS, RADII, name="Points")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    words = ["--blend", str(tmp_path / "scene.blend"), "--stock", "Part", "--path", "Points", "--resolution", "128"]
    words += ["--output", str(tmp_path / "out.ply"), "--report", str(tmp_path / "out.json"), "--quiet"]
    assert cli.main(words) == 0
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["segments"] == 3
    assert report["removed_volume"] == pytest.approx(HALF_BALLS, rel=0.02)


def test_a_headless_job_asks_for_the_radius_of_a_cloud_without_one(tmp_path, capsys):
    box("Part")
    point_cloud(POINTS, name="Points")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    words = ["--blend", str(tmp_path / "scene.blend"), "--stock", "Part", "--path", "Points", "--resolution", "32"]
    assert cli.main([*words, "--output", str(tmp_path / "out.ply")]) == 2
    assert "path 'Points' has no radius of its own: give it with --radius" in capsys.readouterr().err
