"""Live Update with a simulated clock, because timers do not run in background mode."""

import math
import time
from typing import Any

import pytest

from tests.operators.test_operators import carve, rod, volume
from tests.scene_objects import box, mesh_object, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

import voxel_carve  # noqa: E402
from voxel_carve.compute import prepare  # noqa: E402
from voxel_carve.operators.jobs import prepared  # noqa: E402
from voxel_carve.operators.jobs.running import RunningJob, running_job  # noqa: E402
from voxel_carve.recipes.watching import is_outdated, is_unsure  # noqa: E402
from voxel_carve.updating import comparing, live, preview  # noqa: E402

ROD = math.pi * 0.5**2 * 2
LONGEST = 120.0  # seconds that a test waits for a thread
FULL, COARSE = 32, 12
LEARN = preview.Preview._learn


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    monkeypatch.setattr(preview.Preview, "_learn", lambda *_: None)
    monkeypatch.setattr(preview.Preview.__init__, "__defaults__", (COARSE, *preview.Preview.__init__.__defaults__[1:]))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.radius_mode = "VALUE"
    yield
    live.forget()


def following(**properties):
    """A live result: a box carved by a rod right through it, fully updated."""
    obj = carve(box(), rod(), **({"resolution": FULL, "radius": 0.1} | properties))
    obj.voxel_carve.live = True
    settle()
    assert len(obj.data.voxel_carve_shows) == 32
    return obj


def soon():
    """Run the timer after the debounce time of all changes so far."""
    bpy.context.view_layer.update()
    return live.tick(time.monotonic() + live.DEBOUNCE)


def settle():
    """Run the timer until nothing is left to do."""
    bpy.context.view_layer.update()
    deadline = time.monotonic() + LONGEST
    while live.tick(time.monotonic() + live.PAUSE) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def widen(radius=0.25):
    """Change the path's radius, as when a user edits a point."""
    path = bpy.data.objects["Path"]
    for point in path.data.splines[0].points:
        point.radius = radius / 0.1
    path.data.update_tag()


def test_a_change_gives_a_preview_and_then_the_full_result():
    obj = following()
    mesh, fine = obj.data, len(obj.data.polygons)
    widen()
    assert soon() is not None
    assert len(mesh.polygons) < fine / 4 and mesh.voxel_carve_shows == ""
    assert volume(obj) == pytest.approx(8 - ROD / 4, rel=0.05)
    settle()
    assert obj.data == mesh and len(mesh.polygons) > fine / 2 and len(mesh.voxel_carve_shows) == 32
    assert volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)
    assert running_job() is None and not obj.voxel_carve.message


@pytest.mark.parametrize("what", ["stock", "moved", "setting", "paths"])
def test_every_part_of_a_recipe_is_followed(what):
    obj = following()
    stock = bpy.data.objects["Box"]
    if what == "stock":
        for vertex in stock.data.vertices:
            vertex.co.z *= 2
        stock.data.update()
    elif what == "moved":
        stock.location.x = 8
    elif what == "setting":
        obj.voxel_carve.operation = "UNION"
    else:
        select(obj, rod(name="Other", radius=0.25))
        bpy.data.objects["Other"].location.y = 0.7
        bpy.ops.object.voxel_carve_recipe_add()
    settle()
    expected = {
        "stock": 16 - ROD,
        "moved": 8,
        "setting": 8 + ROD + 4 / 3 * math.pi * 0.5**3,
        "paths": 8 - ROD - ROD / 4 + 2 * 0.0069,  # the overlap of both rods, per unit of length
    }
    assert volume(obj) == pytest.approx(expected[what], rel=0.005)
    assert obj.location == stock.location


def test_nothing_is_computed_without_a_change(monkeypatch):
    following()
    monkeypatch.setattr(preview, "compute_carve", lambda *_: pytest.fail("a preview was computed"))
    monkeypatch.setattr(live, "RunningJob", lambda *_, **__: pytest.fail("a job was started"))
    bpy.data.objects["Path"].data.update_tag()
    bpy.data.objects["Path"].location.x = 0
    settle()


def test_a_result_without_live_update_becomes_outdated():
    obj = carve(box(), rod(), resolution=16, radius=0.1)
    comparing.compare(obj)
    assert not is_outdated(obj) and not is_unsure(obj)
    obj.voxel_carve.resolution = 15
    assert is_unsure(obj)
    comparing.compare(obj)
    assert is_outdated(obj) and not is_unsure(obj)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    comparing.compare(obj)
    assert not is_outdated(obj)
    before = volume(obj)
    widen()
    settle()
    assert is_unsure(obj)
    comparing.compare(obj)
    assert volume(obj) == before and is_outdated(obj)


@pytest.mark.parametrize("way", ["moved and back", "another object", "hidden", "live on and off", "size by length"])
def test_what_leaves_the_inputs_as_they_were_does_not_make_a_result_outdated(way):
    obj, path = carve(box(), rod(), resolution=16, radius=0.1), bpy.data.objects["Path"]
    if way == "moved and back":
        path.location.z = 1
        bpy.context.view_layer.update()
        path.location.z = 0
    elif way == "another object":
        box("Other").parent = path
    elif way == "hidden":
        path.hide_set(True)
    elif way == "live on and off":
        obj.voxel_carve.live = True
        settle()
        obj.voxel_carve.live = False
    else:
        obj.voxel_carve.size_mode, obj.voxel_carve.voxel_size = "SIZE", 2 / 16
    bpy.context.view_layer.update()
    comparing.compare(obj)
    assert not is_outdated(obj) and not is_unsure(obj) and not obj.voxel_carve.message


def _move(stock):
    stock.location.x = 0.01


def _move_a_vertex(stock):
    stock.data.vertices[0].co.x *= 1.01
    stock.data.update()


def _add_a_modifier(stock):
    stock.modifiers.new("Bevel", "BEVEL").width = 0.01


def _give_a_material(stock):
    stock.data.materials.append(bpy.data.materials.new("New"))


def _move_another(stock):
    """A change of what a modifier of the stock reads."""
    bpy.data.objects["Bend"].location.x = 0.1


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
@pytest.mark.parametrize("change", [_move, _move_a_vertex, _add_a_modifier, _give_a_material, _move_another])
def test_a_change_of_a_stock_is_seen_after_changes_of_paths(change, result):
    stock, path = box(), rod()
    bend = bpy.data.objects.new("Bend", None)
    bpy.context.collection.objects.link(bend)
    modifier = stock.modifiers.new("Bend", "SIMPLE_DEFORM")
    modifier.origin, modifier.deform_method, modifier.angle = bend, "TAPER", 0.1
    obj = carve(stock, path, resolution=16, radius=0.1, result=result)
    before = path.location.z
    for place, outdated in ((1, True), (before, False)):
        path.location.z = place
        comparing.compare(obj)
        assert is_outdated(obj) == outdated
    change(stock)
    comparing.compare(obj)
    assert is_outdated(obj) and not obj.voxel_carve.message


def test_results_of_two_stocks_are_compared_in_turn():
    results = [carve(box(name), rod(name=f"Path {name}"), resolution=16, radius=0.1) for name in ("A", "B")]
    for _ in range(2):
        for obj in results:
            comparing.compare(obj)
            assert not is_outdated(obj)


def test_a_path_that_was_deleted_is_told_and_forgotten_when_it_is_back():
    obj, path = carve(box(), rod(), resolution=16, radius=0.1), bpy.data.objects["Path"]
    bpy.context.scene.collection.objects.unlink(path)
    comparing.compare(obj)
    assert is_outdated(obj) and obj.voxel_carve.message.startswith("All paths of 'Box Carved' were deleted")
    bpy.context.scene.collection.objects.link(path)
    comparing.compare(obj)
    assert not is_outdated(obj) and not obj.voxel_carve.message


def test_a_result_is_not_compared_while_an_input_is_edited():
    obj, path = carve(box(), rod(), resolution=16, radius=0.1), bpy.data.objects["Path"]
    path.location.z = 1
    select(path)
    bpy.ops.object.mode_set(mode="EDIT")
    comparing.compare(obj)
    assert is_unsure(obj)
    bpy.ops.object.mode_set(mode="OBJECT")
    comparing.compare(obj)
    assert is_outdated(obj)


def test_a_change_ends_the_running_job_and_starts_another():
    obj = following()
    widen()
    soon()
    live.tick(time.monotonic() + live.PAUSE)
    first = running_job()
    assert first is not None and first.preemptible
    widen(0.1)
    soon()
    assert first.is_cancelled
    settle()
    assert volume(obj) == pytest.approx(8 - ROD / 25, rel=0.005)


def test_a_full_update_is_preempted_by_the_users_job_and_resumed():
    obj = following()
    widen()
    soon()
    live.tick(time.monotonic() + live.PAUSE)
    assert running_job() is not None
    stock = bpy.data.objects["Box"]
    stock.hide_set(False)
    select(stock, bpy.data.objects["Path"])
    assert bpy.ops.object.voxel_carve.poll()
    assert bpy.ops.object.voxel_carve(resolution=16, radius=0.1) == {"FINISHED"}
    settle()
    assert len(obj.data.voxel_carve_shows) == 32 and volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)


def test_a_users_job_is_not_disturbed():
    obj = following()
    users = RunningJob(lambda progress, ask: time.sleep(0.2), lambda: None)
    shows = obj.data.voxel_carve_shows
    widen()
    assert soon() == live.LATER and obj.data.voxel_carve_shows == shows
    users.wait(LONGEST)
    users.end()
    settle()
    assert volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)


def test_an_error_is_shown_and_the_mesh_stays():
    obj = following()
    before = volume(obj)
    bpy.data.objects.remove(bpy.data.objects["Path"])
    obj.voxel_carve.resolution = FULL - 1
    settle()
    assert "were deleted" in obj.voxel_carve.message and volume(obj) == before
    obj.voxel_carve.paths[0].path = rod(0.25)
    settle()
    assert obj.voxel_carve.message == "" and volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)
    widen(9)
    settle()
    assert "Nothing is left of 'Box'" in obj.voxel_carve.message
    assert volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)


def test_an_edited_result_is_left_alone():
    obj = following()
    select(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    widen()
    settle()
    assert "switch to Object Mode" in obj.voxel_carve.message
    bpy.ops.object.mode_set(mode="OBJECT")
    settle()
    assert not obj.voxel_carve.message and volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)


def test_a_path_in_edit_mode_is_followed_and_stays_in_it():
    obj, path = following(), bpy.data.objects["Path"]
    select(path)
    bpy.ops.object.mode_set(mode="EDIT")
    for point in path.data.splines[0].points:
        point.radius = 2.5
    path.data.update_tag()
    settle()
    assert path.mode == "EDIT" and bpy.context.active_object == path and bpy.context.selected_objects == [path]
    assert volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_bug_switches_live_update_off_with_a_message(monkeypatch, caplog):
    obj = following()

    def broken(*_):
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr(preview, "compute_carve", broken)
    widen()
    settle()
    assert not obj.voxel_carve.live and "by accident" in obj.voxel_carve.message
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("steps", [1, 3])
def test_undo_and_redo_revert_updates_written_between_steps(steps):
    following()
    bpy.ops.ed.undo_push(message="Wide")
    for number in range(steps):
        bpy.data.objects["Path"].location.x = 1e-3 * (number + 1)
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message="Moved")
    widen()
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Narrow")
    bpy.data.objects["Path"].data.materials.append(bpy.data.materials.new("Steel"))
    bpy.context.view_layer.update()
    settle()
    assert volume(bpy.data.objects["Box Carved"]) == pytest.approx(8 - ROD / 4, rel=0.005)
    for _ in range(steps):
        bpy.ops.ed.undo()
        settle()
        obj = bpy.data.objects["Box Carved"]
        assert volume(obj) == pytest.approx(8 - ROD, rel=0.005) and len(obj.data.voxel_carve_shows) == 32
        assert all(slot.material is None or slot.material.name for slot in obj.material_slots)
    for _ in range(steps):
        bpy.ops.ed.redo()
        settle()
    assert volume(bpy.data.objects["Box Carved"]) == pytest.approx(8 - ROD / 4, rel=0.005)


def test_a_saved_preview_is_completed_after_loading(tmp_path):
    following()
    widen()
    soon()
    file = str(tmp_path / "preview.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.open_mainfile(filepath=file)
    obj = bpy.data.objects["Box Carved"]
    assert obj.voxel_carve.live and obj.data.voxel_carve_shows == ""
    settle()
    assert volume(obj) == pytest.approx(8 - ROD / 4, rel=0.005)


def test_renamed_duplicated_and_deleted_results(monkeypatch):
    obj = following()
    obj.name, bpy.data.objects["Box"].name = "Renamed", "Also"
    select(obj)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    widen()
    settle()
    for each in (obj, twin):
        assert volume(each) == pytest.approx(8 - ROD / 4, rel=0.005)
    widen(0.1)
    bpy.context.view_layer.update()
    bpy.data.objects.remove(twin)
    settle()
    assert volume(obj) == pytest.approx(8 - ROD / 25, rel=0.005)


def test_a_chain_of_results_follows():
    obj = following()
    second = carve(obj, poly_curve([(0, -2, 0), (0, 2, 0)], [2.5, 2.5], name="Across"), resolution=FULL, radius=0.1)
    second.voxel_carve.live = True
    settle()
    one = volume(second)
    widen(0.1)
    settle()
    assert volume(second) > one + 0.9 * (ROD - ROD / 25) - 0.4


def test_the_stock_is_prepared_once_while_only_the_path_changes(monkeypatch):
    following()
    made = []
    monkeypatch.setattr(prepared, "prepare", lambda *given: made.append(given) or prepare(*given))
    for radius in (0.2, 0.25, 0.3):
        widen(radius)
        soon()
    assert len(made) == 1
    bpy.data.objects["Box"].data.vertices[0].co.x = -1.01
    bpy.data.objects["Box"].data.update()
    soon()
    assert len(made) == 2


def test_the_preview_resolution_adapts_to_the_machine():
    shown = preview.Preview()
    for _ in range(4):
        LEARN(shown, 10.0)
    assert shown.resolution == preview.LEAST_RESOLUTION
    for _ in range(20):
        LEARN(shown, 0.001)
    assert shown.resolution == preview.MOST_RESOLUTION
    for seconds in (preview.WISHED_SECONDS * 1.3, preview.WISHED_SECONDS / 1.3):
        LEARN(shown, seconds)
    assert shown.resolution == preview.MOST_RESOLUTION


def test_slow_previews_are_skipped(monkeypatch):
    obj = following()
    fine = len(obj.data.polygons)
    monkeypatch.setattr(preview.Preview, "_learn", LEARN)
    monkeypatch.setattr(preview, "MOST_SECONDS", 0.0)
    widen()
    soon()
    assert obj.data.voxel_carve_shows == ""
    settle()
    widen(0.3)
    soon()
    assert len(obj.data.polygons) > fine / 2 and len(obj.data.voxel_carve_shows) == 32
    settle()
    assert volume(obj) == pytest.approx(8 - ROD * 0.36, rel=0.005)


def test_register_and_unregister_leave_nothing():
    names = ("depsgraph_update_post", "undo_pre", "undo_post", "redo_pre", "redo_post", "load_pre", "load_post")
    handlers = (*names, "frame_change_post")
    with_extension = {name: len(getattr(bpy.app.handlers, name)) for name in handlers}
    widen_something = following()
    widen_something.voxel_carve.radius = 0.2
    voxel_carve.unregister()
    try:
        without = {name: len(getattr(bpy.app.handlers, name)) for name in handlers}
        assert all(without[name] < with_extension[name] for name in handlers)
        assert not bpy.app.timers.is_registered(live._timer) and not live._followers
        assert not hasattr(bpy.types.Object, "voxel_carve") and not hasattr(bpy.types.Mesh, "voxel_carve_shows")
    finally:
        voxel_carve.register()
    assert {name: len(getattr(bpy.app.handlers, name)) for name in handlers} == with_extension


def test_the_panel_shows_the_recipe_and_errors():
    from tests.ui.test_panel import drawn

    obj = following()
    panel = bpy.types.VIEW3D_PT_voxel_carve_recipe
    select(bpy.data.objects["Box"])
    assert not panel.poll(bpy.context)
    for each in (bpy.data.objects["Path"], obj):
        select(each)
        assert panel.poll(bpy.context)
    assert {"live", "on_frame_change"} == set(drawn(panel).props)
    shown = drawn()
    assert {"stock", "resolution", "radius"} <= set(shown.props) and shown.owners[0] == obj.voxel_carve
    assert shown.operators == ["object.voxel_carve_update"] and not shown.red
    obj.voxel_carve.message = "Nothing is left: carve less"
    assert drawn().red == ["Nothing is left", "Carve less"]


def test_meshes_without_a_recipe_cost_nothing():
    mesh_object("Plain", [(0, 0, 0)])
    bpy.context.view_layer.update()
    assert live.tick(time.monotonic()) is None and not live._followers
