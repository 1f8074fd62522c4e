"""Results with recipes, updated and applied as a user does it, against closed forms."""

import json
import math
from typing import Any

import numpy as np
import pytest

from tests.operators.test_operators import carve, contents, is_closed, rod, volume
from tests.scene_objects import box, link, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.operators.jobs.recarving import read_update_job  # noqa: E402
from voxel_carve.operators.jobs.running import call_directly  # noqa: E402
from voxel_carve.recipes.watching import is_outdated, is_unsure  # noqa: E402
from voxel_carve.updating.comparing import compare  # noqa: E402

ROD = math.pi * 0.5**2 * 2  # volume that a rod of radius 0.5 removes from a box of side 2
CAN = ("object.voxel_carve_update", "object.voxel_carve_apply", "object.voxel_carve_bake")


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.radius_mode = "VALUE"


def carved(**properties):
    """A box, carved by a rod right through it."""
    return carve(box(), rod(), **({"resolution": 32, "radius": 0.1} | properties))


def update(*objs, **properties):
    """Select results and update; return the first of them."""
    select(*objs)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve_update(**properties) == {"FINISHED"}
    bpy.context.view_layer.update()
    return objs[0]


def refuses(message, *objs):
    """Check that Update fails with this message, and changes nothing."""
    select(*objs)
    bpy.context.view_layer.update()
    before = contents()
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.object.voxel_carve_update()
    assert contents() == before


@pytest.mark.compiled
def test_a_result_remembers_how_it_was_carved():
    brass = bpy.data.materials.new("Brass")
    obj = carved(operation="UNION", adaptivity=0.1, radius_factor=0.5, cut_material="Brass", shade_smooth=False)
    recipe = obj.voxel_carve
    assert recipe.is_made and recipe.stock.name == "Box" and [item.path.name for item in recipe.paths] == ["Path"]
    assert (recipe.operation, recipe.resolution, recipe.size_mode) == ("UNION", 32, "RESOLUTION")
    assert (recipe.radius_mode, recipe.cut_material) == ("VALUE", brass) and not recipe.shade_smooth
    assert recipe.radius_factor == 0.5 and recipe.adaptivity == pytest.approx(0.1)
    assert not recipe.live and not recipe.on_frame_change and not recipe.message
    assert not recipe.stock.voxel_carve.is_made


def test_replace_leaves_no_recipe():
    obj = carved(replace=True)
    assert obj.name == "Box" and not obj.voxel_carve.is_made
    for name in CAN:
        assert not getattr(bpy.ops.object, name.split(".")[1]).poll()
    with pytest.raises(RuntimeError, match="make the result of a carve active"):
        bpy.ops.object.voxel_carve_update()


def test_update_follows_paths_stock_and_settings():
    obj = carved()
    stock, path = bpy.data.objects["Box"], bpy.data.objects["Path"]
    path.data.splines[0].points[0].radius = path.data.splines[0].points[1].radius = 2.5
    assert volume(update(obj)) == pytest.approx(8 - ROD / 4, rel=0.005)
    stock.data.transform(bpy.data.objects["Box"].matrix_world.Scale(2, 4))
    assert volume(update(obj)) == pytest.approx(64 - ROD / 2, rel=0.005)
    obj.voxel_carve.operation, obj.voxel_carve.voxel_size, obj.voxel_carve.size_mode = "INTERSECT", 1 / 32, "SIZE"
    assert volume(update(obj)) == pytest.approx(math.pi * 0.25**2 * 4 * 1, rel=0.02)
    assert json.loads(obj["voxel_carve_report"])["operation"] == "intersect"
    assert is_closed(obj)


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_an_update_gives_the_faces_of_a_new_carve(result):
    material = bpy.data.materials.new("Steel")
    obj = carved(result=result)
    stock, path = bpy.data.objects["Box"], bpy.data.objects["Path"]
    stock.data.materials.append(bpy.data.materials.new("Wood"))
    stock.data.uv_layers.new(name="Map")
    stock.data.color_attributes.new("Paint", "FLOAT_COLOR", "POINT")
    stock.vertex_groups.new(name="Half").add([0, 1, 2, 3], 0.5, "REPLACE")
    path.data.materials.append(material)
    path.rotation_euler = (0, 0.1, 0.2)
    update(obj)
    stock.hide_set(False)
    bpy.context.view_layer.update()
    other = carve(stock, path, resolution=32, radius=0.1, result=result)
    for name in ("vertices", "edges", "polygons", "loops"):
        assert len(getattr(obj.data, name)) == len(getattr(other.data, name))
    assert {each.name for each in obj.data.attributes} >= {"Map", "Paint", "voxel_carve_source", "sharp_edge"}
    for attribute in other.data.attributes:
        if attribute.name.startswith("."):
            continue
        own = obj.data.attributes[attribute.name]
        assert (own.data_type, own.domain) == (attribute.data_type, attribute.domain)
        field = {"FLOAT2": "vector", "FLOAT_VECTOR": "vector", "FLOAT_COLOR": "color"}.get(own.data_type, "value")
        for mine, theirs in zip(own.data, attribute.data, strict=True):
            np.testing.assert_array_equal(getattr(mine, field), getattr(theirs, field))
    assert [slot.material for slot in obj.material_slots] == [slot.material for slot in other.material_slots]
    assert material in [slot.material for slot in obj.material_slots]
    assert [group.name for group in obj.vertex_groups] == ["Half"]
    weights = [[entry.weight for entry in vertex.groups] for vertex in obj.data.vertices]
    assert weights == [[entry.weight for entry in vertex.groups] for vertex in other.data.vertices]
    assert obj.data.uv_layers.active.name == "Map" and obj.data.color_attributes.active_color_name == "Paint"
    assert obj.data.uv_layers[0].active_render and not obj.data.validate()


def test_an_update_keeps_the_object():
    obj = carved()
    parent, twin = link("Parent", None), link("Twin", obj.data)
    collection = bpy.data.collections.new("Mine")
    collection.objects.link(obj)
    obj.parent, obj.name, obj["note"] = parent, "Mine", 7
    obj.modifiers.new("Bevel", "BEVEL")
    obj.data.name = "My Mesh"
    mesh, before = obj.data, len(obj.data.vertices)
    bpy.data.objects["Path"].location.z = 0.3
    update(obj)
    assert obj.data == mesh == twin.data and mesh.name == "My Mesh" and len(mesh.vertices) != before
    assert (obj.name, obj["note"], obj.parent) == ("Mine", 7, parent)
    assert [modifier.name for modifier in obj.modifiers] == ["Bevel"]
    assert collection in obj.users_collection
    assert len(bpy.data.meshes) == 2


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_a_result_follows_its_stock_and_keeps_its_offset(result):
    obj = carved(result=result)
    stock, path = bpy.data.objects["Box"], bpy.data.objects["Path"]
    for each in (stock, path):
        each.location = (5, 0, 0)
    update(obj)
    assert tuple(obj.matrix_world.translation) == (5, 0, 0)
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.01)
    obj.location.y += 4
    for each in (stock, path):
        each.location = (6, 0, 1)
    update(obj)
    np.testing.assert_allclose(obj.matrix_world.translation, (6, 4, 1), atol=1e-6)
    low, high = np.array(obj.bound_box).min(axis=0), np.array(obj.bound_box).max(axis=0)
    np.testing.assert_allclose((low + high) / 2, 0, atol=0.01)


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_a_result_parented_to_the_stock_is_not_moved_twice(result):
    obj = carved(result=result)
    stock, path = bpy.data.objects["Box"], bpy.data.objects["Path"]
    obj.parent = stock
    stock.location, path.location = (3, 0, 0), (3, 0, 0)
    stock.rotation_euler = (math.pi / 2, 0, 0)
    update(obj)
    points = np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])
    np.testing.assert_allclose(points.min(axis=0), (2, -1, -1), atol=1e-5)
    np.testing.assert_allclose(points.max(axis=0), (4, 1, 1), atol=1e-5)
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.01)


def test_several_results_are_updated_at_once():
    near, far = box("Near"), box("Far", centre=(10, 0, 0))
    path = poly_curve([(-2, 0, 0), (12, 0, 0)])
    carve(near, far, path, radius=0.5, resolution=32)
    first, second = bpy.data.objects["Near Carved"], bpy.data.objects["Far Carved"]
    for obj in (first, second):
        obj.voxel_carve.radius = 0.25
    update(second, first)
    assert volume(first) == pytest.approx(8 - ROD, rel=0.01)
    assert volume(second) == pytest.approx(8 - ROD / 4, rel=0.01)
    update(second, first, all_selected=True)
    assert volume(first) == pytest.approx(8 - ROD / 4, rel=0.01)


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_a_recipe_is_saved_and_survives_renaming(result, tmp_path):
    carved(result=result)
    file = str(tmp_path / "carved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.open_mainfile(filepath=file)
    obj = bpy.data.objects["Box Carved"]
    obj.name, bpy.data.objects["Box"].name, bpy.data.objects["Path"].name = "A", "B", "C"
    recipe = obj.voxel_carve
    assert (recipe.stock.name, recipe.paths[0].path.name, recipe.resolution) == ("B", "C", 32)
    assert (recipe.result, recipe.radius_mode, recipe.radius) == (result, "VALUE", pytest.approx(0.1))
    known = obj.data.voxel_carve_shows
    assert len(known) == 32
    update(obj)
    assert obj.data.voxel_carve_shows == known
    bpy.data.objects["C"].location.z = 0.75
    update(obj)
    assert obj.data.voxel_carve_shows != known and volume(obj) > 8 - ROD


def test_deleted_objects_are_named():
    obj = carved()
    select(bpy.data.objects["Path"])
    bpy.ops.object.delete()
    refuses("[Aa]ll paths of 'Box Carved' were deleted: add one", obj)
    select(obj)
    assert bpy.ops.object.voxel_carve_recipe_remove(index=0) == {"FINISHED"}
    refuses("'Box Carved' has no path: add one", obj)
    path = rod()
    select(obj, path)
    assert bpy.ops.object.voxel_carve_recipe_add() == {"FINISHED"}
    assert not bpy.ops.object.voxel_carve_recipe_add.poll()
    assert volume(update(obj)) == pytest.approx(8 - ROD, rel=0.005)
    bpy.data.objects.remove(bpy.data.objects["Box"])
    refuses("[Tt]he stock of 'Box Carved' was deleted: choose another", obj)
    assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"} and not obj.voxel_carve.is_made


def test_nothing_is_carved_from_itself():
    obj = carved()
    obj.voxel_carve.stock = obj
    refuses("carved from itself", obj)
    other = carve(obj, rod(), resolution=16)
    obj.hide_set(False)
    obj.voxel_carve.stock = other
    refuses("carved from itself", obj)


def test_unwritable_results_are_refused():
    obj = carved()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="is being edited: switch to Object Mode"):
        bpy.ops.object.voxel_carve_update()
    bpy.ops.object.mode_set(mode="OBJECT")
    obj.shape_key_add(name="Basis")
    refuses("has shape keys", obj)


def test_a_linked_result_is_refused(tmp_path):
    carved()
    file = str(tmp_path / "carved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(file, link=True) as (_, loaded):
        loaded.objects = ["Box Carved"]
    obj = loaded.objects[0]
    bpy.context.scene.collection.objects.link(obj)
    refuses("is linked from another file", obj)
    with pytest.raises(RuntimeError, match="is linked from another file"):
        bpy.ops.object.voxel_carve_apply()


def test_update_and_apply_are_one_undo_step_each():
    carved()
    bpy.ops.ed.undo_push(message="Carved")
    bpy.data.objects["Path"].location.z = 0.75
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Moved")
    before = volume(bpy.data.objects["Box Carved"])
    assert bpy.ops.object.voxel_carve_update("EXEC_DEFAULT", True) == {"FINISHED"}
    after = volume(bpy.data.objects["Box Carved"])
    assert bpy.ops.object.voxel_carve_apply("EXEC_DEFAULT", True) == {"FINISHED"}
    assert not bpy.data.objects["Box Carved"].voxel_carve.is_made
    bpy.ops.ed.undo()
    assert bpy.data.objects["Box Carved"].voxel_carve.stock.name == "Box"
    assert volume(bpy.data.objects["Box Carved"]) == after != before
    bpy.ops.ed.undo()
    assert volume(bpy.data.objects["Box Carved"]) == before
    assert bpy.data.objects["Path"].location.z == 0.75
    bpy.ops.ed.redo()
    assert volume(bpy.data.objects["Box Carved"]) == after


def test_apply_removes_the_recipe_and_keeps_the_mesh():
    obj = carved(operation="UNION")
    before = volume(obj)
    obj.voxel_carve.live = True
    select(obj)
    assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"}
    recipe = obj.voxel_carve
    assert not recipe.is_made and recipe.stock is None and not recipe.paths and not recipe.live
    assert recipe.operation == "SUBTRACT" and obj.data.voxel_carve_shows == ""
    assert volume(obj) == before and not bpy.ops.object.voxel_carve_apply.poll()


def test_results_that_share_a_mesh_are_not_written():
    obj = carved()
    twin = obj.copy()
    bpy.context.collection.objects.link(twin)
    refuses("shares its mesh with another result", obj)
    select(twin)
    assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"}
    assert obj.data != twin.data and obj.data.voxel_carve_shows and not twin.data.voxel_carve_shows
    before = volume(twin)
    bpy.data.objects["Path"].location.z = 0.75
    assert volume(update(obj)) != before == volume(twin)


def test_applying_a_preview_gives_a_warning(capfd):
    obj = carved()
    obj.data.voxel_carve_shows = ""  # as Live Update leaves it with a preview
    select(obj)
    assert bpy.ops.object.voxel_carve_apply() == {"FINISHED"}
    assert "'Box Carved' keeps the coarse preview" in capfd.readouterr().out


def test_changes_while_a_result_is_made_leave_it_outdated():
    obj = carved()
    job = read_update_job(bpy.context, [obj])
    bpy.data.objects["Path"].location.z = 0.75
    job.write(bpy.context, job.compute(lambda *_: None, call_directly))
    job.close()
    compare(obj)
    assert is_outdated(obj)
    update(obj)
    compare(obj)
    assert not is_outdated(obj)


# Results of results


def chain():
    """A result of a box, and a result of that, each with its own rod."""
    first = carved()
    path = poly_curve([(-2, -0.7, -0.7), (2, -0.7, -0.7)], [2.0, 2.0], name="Second")
    second = carve(first, path, resolution=64, radius=0.1)
    bpy.context.view_layer.update()
    for obj in (first, second):
        compare(obj)
        assert not is_outdated(obj)
    return first, second


def is_told(obj):
    """Whether a result is out of date, as the panel finds it."""
    bpy.context.view_layer.update()
    assert is_unsure(obj)
    compare(obj)
    return is_outdated(obj)


def test_a_result_of_a_result_is_out_of_date_with_that():
    first, second = chain()
    assert (first.name, second.name) == ("Box Carved", "Box Carved.001")
    bpy.data.objects["Path"].location.z = 0.75
    assert is_told(second)
    update(first)
    assert is_told(second)
    update(second)
    assert not is_told(second)


def test_update_carves_first_what_a_result_is_carved_from():
    first, second = chain()
    before = volume(first)
    bpy.data.objects["Path"].location.z = 0.75
    update(second)
    assert volume(first) > before + 0.1
    assert volume(second) == pytest.approx(volume(first) - math.pi * 0.2**2 * 2, rel=1e-3)
    assert not is_told(second) and not is_outdated(first)
    # What is up to date is left alone.
    shown = first.data.voxel_carve_shows
    bpy.data.objects["Second"].location.z = 0.2
    faces = [tuple(vertex.co) for vertex in first.data.vertices]
    update(second)
    assert first.data.voxel_carve_shows == shown and [tuple(vertex.co) for vertex in first.data.vertices] == faces
    assert volume(second) == pytest.approx(volume(first) - math.pi * 0.2**2 * 2, rel=1e-3)


def test_updating_both_of_a_chain_takes_each_once_in_order():
    first, second = chain()
    bpy.data.objects["Path"].location.z = 0.75
    update(second, first, all_selected=True)
    assert volume(second) == pytest.approx(volume(first) - math.pi * 0.2**2 * 2, rel=1e-3)
    assert not is_told(second) and not is_outdated(first)


@pytest.mark.compiled
def test_equal_inputs_have_equal_fingerprints_and_different_ones_differ():
    obj, seen = carved(), set()
    stock, path = bpy.data.objects["Box"], bpy.data.objects["Path"]
    first = obj.data.voxel_carve_shows
    assert update(obj).data.voxel_carve_shows == first
    changes = (
        lambda: setattr(path, "location", (0, 0, 0.1)),
        lambda: setattr(stock.data.vertices[0], "co", (-1.1, -1, -1)),
        lambda: setattr(obj.voxel_carve, "operation", "INTERSECT"),
        lambda: setattr(obj.voxel_carve, "radius_factor", 0.9),
        lambda: setattr(obj.voxel_carve, "adaptivity", 0.1),
        lambda: setattr(obj.voxel_carve, "cut_material", bpy.data.materials.new("Brass")),
        lambda: stock.data.uv_layers.new(name="Map"),
        lambda: setattr(stock.data.polygons[0], "use_smooth", True),
    )
    for change in changes:
        change()
        stock.data.update()
        seen.add(update(obj).data.voxel_carve_shows)
    assert len(seen | {first}) == len(changes) + 1
