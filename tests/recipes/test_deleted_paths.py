"""What becomes of a result when some of its paths are deleted."""

import json
import math
from typing import Any

import pytest

from tests.operators.test_operators import carve, volume
from tests.scene_objects import box, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from tests.ui.test_panel import drawn, joined  # noqa: E402
from tests.updating.test_live import settle  # noqa: E402
from voxel_carve.recipes.watching import is_outdated  # noqa: E402
from voxel_carve.updating import comparing, live  # noqa: E402

ROD = math.pi * 0.1**2 * 2  # volume that a rod of radius 0.1 removes from a box of side 2


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def rod(name, height):
    """A path right through the box, at some height."""
    path = poly_curve([(-2, 0, height), (2, 0, height)], name=name)
    path.data.bevel_depth = 0.1
    return path


def carved_along_three():
    paths = [rod(name, height) for name, height in (("Low", -0.5), ("Spiral", 0), ("High", 0.5))]
    return carve(box(), *paths, resolution=96)


def delete(*objs):
    select(*objs)
    assert bpy.ops.object.delete() == {"FINISHED"}
    bpy.context.view_layer.update()


def update(obj):
    select(obj)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    bpy.context.view_layer.update()


def test_the_panel_names_a_deleted_path_and_update_carves_without_it():
    obj = carved_along_three()
    obj.voxel_carve.paths[2].use_radius, obj.voxel_carve.paths[2].radius = True, 0.2
    update(obj)
    assert volume(obj) == pytest.approx(8 - (2 + 4) * ROD, rel=1e-3)
    delete(bpy.data.objects["Spiral"])
    select(obj)
    labels = drawn().labels
    assert "2 of 3" in labels and "Deleted: 'Spiral'" in labels and "Out of Date" in labels
    assert any("Voxels" in label for label in labels) and drawn().red == []
    comparing.compare(obj)
    assert is_outdated(obj)
    update(obj)
    # What is left of the list keeps what it has of its own.
    assert volume(obj) == pytest.approx(8 - (1 + 4) * ROD, rel=1e-3)
    assert json.loads(obj["voxel_carve_report"])["warnings"] == ["path 'Spiral' was deleted: carved without it"]
    assert [item.path.name for item in obj.voxel_carve.paths] == ["Low", "High"]
    comparing.compare(obj)
    assert not is_outdated(obj) and "Out of Date" not in drawn().labels
    assert "2" in drawn().labels and "Low, …" in drawn().labels


def test_a_path_that_a_script_removes_has_no_name_any_more():
    obj = carved_along_three()
    bpy.data.objects.remove(bpy.data.objects["High"])
    select(obj)
    assert "2 of 3" in drawn().labels and "Some Deleted" in drawn().labels
    update(obj)
    assert json.loads(obj["voxel_carve_report"])["warnings"] == ["a path was deleted: carved without it"]


def test_undo_brings_the_path_back():
    obj = carved_along_three()
    bpy.ops.ed.undo_push(message="carved")
    delete(bpy.data.objects["Spiral"])
    bpy.ops.ed.undo_push(message="deleted")
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Box Carved"]
    select(obj)
    assert "3" in drawn().labels and "Low, …" in drawn().labels
    comparing.compare(obj)
    assert not is_outdated(obj)


def test_a_live_result_follows_when_a_path_is_deleted():
    obj = carved_along_three()
    obj.voxel_carve.live = True
    settle()
    delete(bpy.data.objects["Spiral"])
    assert live._followers
    settle()
    assert volume(obj) == pytest.approx(8 - 2 * ROD, rel=1e-3)
    assert len(obj.voxel_carve.paths) == 2


def test_when_all_are_deleted_update_is_refused():
    obj = carved_along_three()
    delete(*(bpy.data.objects[name] for name in ("Low", "Spiral", "High")))
    select(obj)
    with pytest.raises(RuntimeError, match="All paths of 'Box Carved' were deleted"):
        bpy.ops.object.voxel_carve_update()
    assert len(obj.voxel_carve.paths) == 3
    comparing.compare(obj)
    assert "were deleted" in joined(drawn().red)
