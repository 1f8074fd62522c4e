"""The list of paths: each with its own radius and operation, in an order; of a scene, of a recipe, in presets."""

import json
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, point_cloud, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve import cli  # noqa: E402
from voxel_carve.compute.forecasts import keep_history  # noqa: E402
from voxel_carve.operators.jobs.history import remember_report  # noqa: E402
from voxel_carve.operators.selection.selected import carve_refusal, selection  # noqa: E402
from voxel_carve.recipes.recipe import recipe_of, shown_fingerprint  # noqa: E402
from voxel_carve.ui.forecast import outlook  # noqa: E402
from voxel_carve.ui.overlay_read import overlay_key, overlay_lines  # noqa: E402
from voxel_carve.ui.path_list import VOXEL_CARVE_UL_paths, own_text  # noqa: E402

HALF_RODS = {radius: math.pi * radius**2 / 2 for radius in (0.25, 0.5)}


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture
def objects():
    """A box of side 2, a groove along the top of it, and a bead that crosses the groove."""
    groove = poly_curve([(-3, 0, 1), (3, 0, 1)], name="Groove")
    bead = poly_curve([(0, -0.75, 1), (0, 0.75, 1)], name="Bead")
    groove.data.bevel_depth = 0.125
    return SimpleNamespace(stock=box(), groove=groove, bead=bead)


def settings():
    return bpy.context.scene.voxel_carve


def listed(*items):
    """Fill the scene's list with (path, operation, radius or None)."""
    for path, operation, radius in items:
        item = settings().paths.add()
        item.path, item.operation = path, operation
        if radius is not None:
            item.use_radius, item.radius = True, radius


def carve(stock, **properties):
    stock.hide_set(False)  # as after an earlier carve
    select(stock)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(**properties) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def report_of(obj):
    return json.loads(obj["voxel_carve_report"])


def numbers(obj, name):
    return np.array([each.value for each in obj.data.attributes[name].data])


def points_of(obj):
    points = np.empty(3 * len(obj.data.vertices), dtype=np.float32)
    obj.data.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_each_path_has_its_own_operation_and_radius(objects, result):
    objects.bead.data.materials.append(bpy.data.materials.new("Seam"))
    uv = objects.stock.data.uv_layers.new(name="Layout")
    assert len(uv.uv) == 24
    listed((objects.groove, "SETTINGS", 0.5), (objects.bead, "UNION", 0.25))
    done = carve(objects.stock, resolution=64, result=result)
    report = report_of(done)
    assert report["operation"] == "subtract, union" and report["result"] == result.lower() and report["closed"]
    # The groove goes; the bead of length 1.5 with half balls fills its middle, and lies on both sides of it.
    assert report["removed_volume"] == pytest.approx(
        2 * HALF_RODS[0.5] - 1.5 * HALF_RODS[0.25] - 2 / 3 * math.pi * 0.25**3 - HALF_RODS[0.25] * 0.93, abs=0.03
    )
    source, segment = numbers(done, "voxel_carve_source"), numbers(done, "voxel_carve_segment")
    assert set(source) == {0, 1, 2}
    assert set(segment[source == 1]) == {0} and set(segment[source == 2]) == {1} and set(segment[source == 0]) == {-1}
    slots = np.array([polygon.material_index for polygon in done.data.polygons])
    assert {done.data.materials[slot].name for slot in set(slots[source == 2])} == {"Seam"}
    assert {done.data.materials[slot].name for slot in set(slots[source == 1])} == {"Voxel Carve Cut"}
    assert "Layout" in done.data.uv_layers
    # Faces of the cut look inward to the axis of the groove, those of the bead away from its own.
    middle = np.array([polygon.center for polygon in done.data.polygons])
    normal = np.array([polygon.normal for polygon in done.data.polygons])
    in_groove, on_bead = source == 1, (source == 2) & (np.abs(middle[:, 1]) < 0.7)
    assert ((middle[in_groove] - [0, 0, 1])[:, 1:] * normal[in_groove][:, 1:]).sum(axis=1).max() < 0.02
    assert ((middle[on_bead] - [0, 0, 1])[:, ::2] * normal[on_bead][:, ::2]).sum(axis=1).min() > -0.02


def test_the_order_of_the_list_counts(objects):
    listed((objects.groove, "SUBTRACT", 0.5), (objects.bead, "UNION", 0.25))
    one = report_of(carve(objects.stock, resolution=48))["volume"]
    assert bpy.ops.scene.voxel_carve_list_move(index=1, direction="UP") == {"FINISHED"}
    assert [item.path for item in settings().paths] == [objects.bead, objects.groove]
    other = report_of(carve(objects.stock, resolution=48))["volume"]
    assert one > other + 0.1


def test_a_list_of_one_operation_carves_what_the_selection_does(objects):
    select(objects.stock, objects.groove, objects.bead)
    bpy.context.view_layer.update()
    bpy.ops.object.voxel_carve(resolution=48)
    selected = bpy.context.view_layer.objects.active
    listed((objects.groove, "SETTINGS", None), (objects.bead, "SUBTRACT", None))
    assert np.array_equal(points_of(carve(objects.stock, resolution=48)), points_of(selected))


def test_an_own_radius_takes_the_place_of_the_bevel_and_of_the_value(objects):
    for mode in ("CURVE", "VALUE"):
        settings().paths.clear()
        listed((objects.groove, "SETTINGS", 0.5))
        done = carve(objects.stock, resolution=48, radius_mode=mode, radius=0.01)
        assert report_of(done)["removed_volume"] == pytest.approx(2 * HALF_RODS[0.5], rel=0.02)


def test_own_radius_of_points_is_that_of_the_largest():
    stock, cloud = box(), point_cloud([(-0.5, 0, 1), (0.5, 0, 1)], [0.1, 0.2])
    listed((cloud, "SETTINGS", 0.5))
    done = carve(stock, resolution=64)
    balls = sum(2 / 3 * math.pi * radius**3 for radius in (0.25, 0.5))
    assert report_of(done)["removed_volume"] == pytest.approx(balls, rel=0.02)


def test_a_recipe_keeps_the_list_and_follows_it(objects):
    listed((objects.groove, "SETTINGS", 0.5), (objects.bead, "UNION", 0.25))
    done = carve(objects.stock, resolution=32)
    items = recipe_of(done).paths
    assert [(item.path.name, item.operation, item.use_radius) for item in items] == [
        ("Groove", "SETTINGS", True),
        ("Bead", "UNION", True),
    ]
    before, fingerprint = report_of(done)["volume"], shown_fingerprint(done)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert shown_fingerprint(done) == fingerprint and report_of(done)["volume"] == before
    for change in ({"operation": "SUBTRACT"}, {"radius": 0.375}, {"use_radius": False}):
        for name, value in change.items():
            setattr(items[1], name, value)
        assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
        assert shown_fingerprint(done) != fingerprint, change
        fingerprint = shown_fingerprint(done)
    assert report_of(done)["operation"] == "subtract"
    assert bpy.ops.object.voxel_carve_recipe_move(index=0, direction="DOWN") == {"FINISHED"}
    assert [item.path.name for item in items] == ["Bead", "Groove"] and recipe_of(done).path_index == 1
    assert bpy.ops.object.voxel_carve_recipe_remove() == {"FINISHED"}
    assert [item.path.name for item in items] == ["Bead"]
    assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"}
    assert not recipe_of(done).paths


def test_the_list_of_a_scene_is_filled_and_emptied(objects):
    select(objects.groove, objects.bead, objects.stock)
    assert bpy.ops.scene.voxel_carve_list_add() == {"FINISHED"}
    assert {item.path.name for item in settings().paths} == {"Groove", "Bead"}
    assert settings().path_index == 1
    assert not bpy.ops.scene.voxel_carve_list_add.poll()
    with pytest.raises(RuntimeError, match="The list has no path number 6: its last is 2"):
        bpy.ops.scene.voxel_carve_list_remove(index=5)
    bpy.ops.scene.voxel_carve_list_move(direction="DOWN")  # at the end it stays
    assert settings().path_index == 1
    bpy.ops.scene.voxel_carve_list_remove()
    bpy.ops.scene.voxel_carve_list_remove()
    assert not settings().paths
    assert not bpy.ops.scene.voxel_carve_list_remove.poll()


def test_a_deleted_path_of_the_list_is_named(objects):
    listed((objects.groove, "SETTINGS", None), (objects.bead, "SETTINGS", None))
    select(objects.stock)
    assert carve_refusal(bpy.context) is None
    bpy.data.objects.remove(objects.bead)
    expected = "No path: choose another for line 2 of the list, or remove it"
    assert str(carve_refusal(bpy.context)) == expected
    assert not bpy.ops.object.voxel_carve.poll()


def test_verify_measures_several_operations(objects):
    listed((objects.groove, "SETTINGS", 0.5), (objects.bead, "UNION", 0.25))
    report = report_of(carve(objects.stock, resolution=32, verify=True))
    assert report["operation"] == "subtract, union"
    assert 0 < report["accuracy"]["voxels"]["vertices"]["largest"] < 1


def test_forecast_and_overlay_know_the_list(objects):
    select(objects.stock)
    objects.bead.location.z = 2
    bpy.context.view_layer.update()
    listed((objects.groove, "SETTINGS", None), (objects.bead, "SETTINGS", None))

    def seen():
        found = selection(bpy.context)
        lines = overlay_lines(found, bpy.context.evaluated_depsgraph_get(), settings())
        return outlook(bpy.context, found, settings()), lines, overlay_key(bpy.context, found, settings())

    plain, lines, key = seen()
    assert len(lines.tubes) == 2 and plain.radii == pytest.approx((0.1, 0.125))
    settings().paths[1].operation, settings().paths[1].use_radius = "UNION", True
    settings().paths[1].radius = 0.25
    own, with_bead, other_key = seen()
    assert other_key != key
    assert own.radii == pytest.approx((0.125, 0.25))
    assert own.voxels[2] > plain.voxels[2]  # the grid reaches up to the bead
    assert with_bead.grid.shape[0] > lines.grid.shape[0]
    assert sorted(with_bead.tubes.radius[0].tolist()) == pytest.approx([0.125, 0.25])


def test_the_forecast_counts_the_steps(objects):
    """Each takes the time of a carve, and none more memory than the others."""
    settings().resolution = 32
    listed((objects.groove, "SUBTRACT", 0.5), (objects.bead, "UNION", 0.25), (objects.bead, "SUBTRACT", 0.125))
    done = carve(objects.stock, resolution=32)
    assert report_of(done)["operation"] == "subtract, union, subtract"
    keep_history(False)
    for _ in range(5):
        remember_report(report_of(done) | {"seconds": {"compute": 90.0}})
    objects.stock.hide_set(False)
    select(objects.stock)

    def foreseen():
        return outlook(bpy.context, selection(bpy.context), settings())

    three = foreseen()
    settings().paths[2].operation = "UNION"
    two = foreseen()
    assert two.memory == three.memory
    assert [0.6 * each for each in three.seconds] < list(two.seconds) < [0.8 * each for each in three.seconds]
    keep_history(False)


def test_a_preset_holds_what_listed_paths_have_by_their_place(objects, tmp_path):
    listed((objects.groove, "SETTINGS", 0.5), (objects.bead, "UNION", None))
    text = settings().path_settings
    settings().paths.clear()
    settings().path_settings = text  # an empty list stays empty
    assert not settings().paths
    listed((objects.bead, "INTERSECT", 0.125), (objects.groove, "SETTINGS", 0.25), (objects.stock, "UNION", None))
    settings().path_settings = text
    assert [(item.operation, item.use_radius) for item in settings().paths] == [
        ("SETTINGS", True),
        ("UNION", False),
        ("UNION", False),
    ]
    assert settings().paths[0].radius == 0.5


def test_the_row_of_a_path_says_what_it_has(objects):
    listed((objects.groove, "SETTINGS", None), (objects.bead, "UNION", 0.25))
    assert [own_text(bpy.context, item) for item in settings().paths] == ["", "Union, 25 cm"]
    assert VOXEL_CARVE_UL_paths.is_registered


GROOVE = ["--path", "Groove", "--path-radius", "0.5"]
BEAD = ["--path", "Bead", "--path-operation", "union", "--path-radius", "0.25"]
IN_A_FILE = [{"path": "Groove", "radius": 0.5}, {"path": "Bead", "operation": "union", "radius": 0.25}]


def test_the_command_line_and_a_jobs_file_carve_as_the_operator_does(objects, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    listed((objects.groove, "SETTINGS", 0.5), (objects.bead, "UNION", 0.25))
    expected = report_of(carve(objects.stock, resolution=48))
    common = ["--blend", str(tmp_path / "scene.blend"), "--resolution", "48", "--quiet"]
    out = ["--output", str(tmp_path / "one.blend"), "--report", str(tmp_path / "one.json")]
    assert cli.main([*common, "--stock", "Box", *GROOVE, *BEAD, *out]) == 0
    job = {"stock": "Box", "path": IN_A_FILE, "output": "two.ply", "report": "two.json"}
    (tmp_path / "jobs.json").write_text(json.dumps([job]))
    assert cli.main([*common, "--jobs", str(tmp_path / "jobs.json")]) == 0
    for name in ("one.json", "two.json"):
        report = json.loads((tmp_path / name).read_text())
        for key in ("operation", "volume", "removed_volume", "faces", "segments"):
            assert report[key] == expected[key], (name, key)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "one.blend"))
    assert set(numbers(bpy.data.objects["Box Carved"], "voxel_carve_source")) == {0, 1, 2}
