"""The panel after a carve: Update instead of Carve, the recipe as the settings, paths as wire."""

import json
from typing import Any

import pytest

from tests.scene_objects import box, link, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from tests.ui.test_panel import drawn  # noqa: E402
from voxel_carve.operators.selection.target import target  # noqa: E402
from voxel_carve.recipes.path_display import settle_displays  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402
from voxel_carve.ui import panel  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    monkeypatch.setattr(panel, "compiling_part", lambda: None)
    scene_settings(bpy.context).resolution = 32


def bevelled(name="Tool", y=0.0):
    path = poly_curve([(-2, y, 0), (2, y, 0)], name=name)
    path.data.bevel_depth = 0.3
    return path


def carved(*paths, **properties):
    """A box, carved along paths as a click on Carve leaves it."""
    select(box("Block"), *(paths or (bevelled(),)))
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(**properties) == {"FINISHED"}
    return bpy.context.object


def press():
    """Press the big button."""
    shown = drawn()
    (name,) = shown.operators[:1]
    return getattr(bpy.ops.object, name.removeprefix("object."))()


def grid_of(obj):
    return json.loads(obj["voxel_carve_report"])["grid_shape"]


def test_a_second_click_updates_the_result():
    obj = carved()
    assert drawn().operators == ["object.voxel_carve_update"] and drawn().texts == ["Update"]
    before, names = grid_of(obj), set(bpy.data.objects.keys())
    obj.voxel_carve.resolution = 64
    assert press() == {"FINISHED"}
    assert set(bpy.data.objects.keys()) == names == {"Block", "Tool", "Block Carved"}
    assert grid_of(obj) != before and bpy.context.object == obj
    assert target(bpy.context).result == obj


def test_the_panel_edits_the_recipe_of_a_result_and_else_the_next_carve():
    obj = carved()
    for cls in ("", "_surface", "_options", "_advanced"):
        shown = drawn(getattr(bpy.types, f"VIEW3D_PT_voxel_carve{cls}"))
        own = [name for name, owner in zip(shown.props, shown.owners, strict=True) if owner == obj.voxel_carve]
        assert own == [name for name in shown.props if name in obj.voxel_carve.bl_rna.properties and own]
        assert own
    select(box("Other"), bpy.data.objects["Tool"])
    assert scene_settings(bpy.context) in drawn().owners and obj.voxel_carve not in drawn().owners


def test_the_recipe_stays_reachable_while_its_path_is_active():
    obj = carved()
    select(bpy.data.objects["Tool"])
    assert target(bpy.context).result == obj and drawn().texts == ["Update"]
    bpy.data.objects["Tool"].location.z = 0.9
    assert press() == {"FINISHED"} and bpy.context.object.name == "Tool"
    assert obj.data.vertices and min(vertex.co.z for vertex in obj.data.vertices) < -0.99
    assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"} and not obj.voxel_carve.is_made


def test_a_path_with_its_stock_asks_for_a_new_carve():
    carved()
    stock = bpy.data.objects["Block"]
    stock.hide_set(False)
    select(stock, bpy.data.objects["Tool"])
    assert target(bpy.context).result is None and drawn().texts == ["Carve"]
    select(bpy.data.objects["Tool"])
    scene_settings(bpy.context).stock = box("Picked")
    assert target(bpy.context).result is None


def test_a_result_is_carved_on_purpose_along_other_paths_and_says_so(capfd):
    obj, other = carved(), bevelled("Other", y=0.7)
    select(obj, other)
    shown = drawn()
    assert shown.operators == ["object.voxel_carve", "object.voxel_carve_recipe_add"]
    assert "Carves the result 'Block Carved' itself" in " ".join(shown.labels)
    assert press() == {"FINISHED"}
    assert bpy.context.object.name == "Block Carved.001"
    assert "'Block Carved' is itself the result of a carve" in capfd.readouterr().out


def test_the_menu_carves_a_result_along_its_own_paths_and_says_so(capfd):
    path = bevelled()
    select(carved(path), path)
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    assert "'Block Carved' is itself the result of a carve" in capfd.readouterr().out


def test_a_path_is_added_to_a_result_from_the_panel():
    obj, other = carved(), bevelled("Other", y=0.7)
    select(obj, other)
    assert bpy.ops.object.voxel_carve_recipe_add() == {"FINISHED"}
    assert drawn().texts == ["Update"] and len(obj.voxel_carve.paths) == 2


def test_several_results_are_updated_at_once():
    select(box("One"), box("Two", centre=(0, 1, 0)), bevelled())
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    shown = drawn()
    assert shown.texts == ["Update 2 Results"]


def test_what_is_wrong_does_not_move_the_button():
    obj = carved()
    before = drawn()
    obj.voxel_carve.message = "Nothing is left: carve less"
    after = drawn()
    assert after.red == ["Nothing is left", "Carve less"]
    assert after.above == before.above and after.above[-1] == "object.voxel_carve_update"


# Paths as wire or bounds


def shown_as(path):
    return path.display_type, path.hide_render


def test_a_path_with_a_bevel_is_bounds_while_there_is_a_result_of_it():
    path = bevelled()
    path.display_type = "SOLID"
    obj = carved(path)
    assert shown_as(path) == ("BOUNDS", True)
    bpy.data.objects.remove(obj)
    settle_displays()
    assert shown_as(path) == ("SOLID", False)


def test_a_path_without_faces_is_wire_while_there_is_a_result_of_it():
    path = bevelled()
    path.data.bevel_depth = 0
    obj = carved(path)
    assert shown_as(path) == ("WIRE", True)
    bpy.data.objects.remove(obj)
    settle_displays()
    assert shown_as(path) == ("TEXTURED", False)


def test_a_path_is_shown_again_when_its_last_result_is_applied():
    path = bevelled()
    first = carved(path)
    select(box("Second"), path)
    bpy.ops.object.voxel_carve()
    second = bpy.context.object
    for obj, expected in ((first, ("BOUNDS", True)), (second, ("TEXTURED", False))):
        select(obj)
        assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"}
        assert shown_as(path) == expected


def test_paths_stay_as_they_are_if_that_is_switched_off():
    path = bevelled()
    obj = carved(path, wire_paths=False)
    assert shown_as(path) == ("TEXTURED", False)
    obj.voxel_carve.wire_paths = True
    assert shown_as(path) == ("BOUNDS", True)
    obj.voxel_carve.wire_paths = False
    assert shown_as(path) == ("TEXTURED", False)


@pytest.mark.parametrize("chosen", ["SOLID", "WIRE"])
def test_what_the_user_changes_meanwhile_stays(chosen):
    path = bevelled()
    obj = carved(path)
    path.display_type, path.hide_render = chosen, False
    settle_displays()
    assert shown_as(path) == (chosen, False)
    bpy.data.objects.remove(obj)
    settle_displays()
    assert shown_as(path) == (chosen, False)


@pytest.mark.parametrize("display", ["BOUNDS", "WIRE"])
def test_a_path_that_was_bounds_or_wire_is_so_again(display):
    """Bounds are what a user chooses for paths that are slow to draw; wire is how we add a path."""
    path = bevelled()
    path.display_type = display
    obj = carved(path)
    assert shown_as(path) == ("BOUNDS", True)
    bpy.data.objects.remove(obj)
    settle_displays()
    assert shown_as(path) == (display, False)


def test_an_empty_that_is_stock_and_path_is_left_alone():
    empty = link("Both", None)
    obj = carved()
    obj.voxel_carve.paths[0].path = empty
    obj.voxel_carve.stock = empty
    settle_displays()
    assert not empty.hide_render


def test_undo_and_redo_bring_wire_and_solid_back():
    path = bevelled()
    select(box("Block"), path)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.object.voxel_carve("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.ops.ed.undo()
    assert shown_as(bpy.data.objects["Tool"]) == ("TEXTURED", False)
    bpy.ops.ed.redo()
    assert shown_as(bpy.data.objects["Tool"]) == ("BOUNDS", True)
