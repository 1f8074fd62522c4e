"""A depsgraph for objects that are hidden: by volumes after something was changed while they were."""

from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, collection_of, grease_pencil, instancer, link, poly_curve

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from voxel_carve.compute import InputError  # noqa: E402
from voxel_carve.scene.reading.evaluation import evaluated_depsgraph_for  # noqa: E402
from voxel_carve.scene.reading.read import read_paths, read_stock  # noqa: E402

KINDS = ("scenes", "collections", "objects", "meshes", "worlds", "node_groups")


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def eye(thing):
    thing.hide_set(True)


def monitor(thing):
    thing.hide_viewport = True


def layer_collection():
    return bpy.context.view_layer.layer_collection.children["Own"]


def excluded(thing):
    layer_collection().exclude = True


def eye_of_collection(thing):
    layer_collection().hide_viewport = True


def monitor_of_collection(thing):
    bpy.data.collections["Own"].hide_viewport = True


def not_linked(thing):
    bpy.data.collections["Own"].objects.unlink(thing)


WAYS = [eye, monitor, excluded, eye_of_collection, monitor_of_collection, not_linked]


def in_own_collection(thing):
    bpy.context.scene.collection.children.link(collection_of(thing, name="Own"))
    return thing


def volume_of(thing):
    with evaluated_depsgraph_for(bpy.context, [thing]) as depsgraph:
        return read_stock(thing, depsgraph).volume()


@pytest.mark.parametrize("evaluated_before", [False, True])
@pytest.mark.parametrize("hide", WAYS)
def test_what_changes_while_an_object_is_hidden_is_read(hide, evaluated_before):
    thing = in_own_collection(box(size=(1, 1, 1)))
    array = thing.modifiers.new("Array", "ARRAY")
    parent = link("Parent", None)
    thing.parent = parent
    if evaluated_before:
        assert volume_of(thing) == pytest.approx(2)
    hide(thing)
    before = {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in KINDS}
    assert volume_of(thing) == pytest.approx(2)
    array.count = 5
    assert volume_of(thing) == pytest.approx(5)
    parent.scale = (2, 1, -1)
    assert volume_of(thing) == pytest.approx(10)
    for vertex in thing.data.vertices:
        vertex.co.x *= 3
    thing.data.update()
    assert volume_of(thing) == pytest.approx(30)
    thing.driver_add("scale", 0).driver.expression = "frame"
    bpy.context.scene.frame_set(4)
    assert volume_of(thing) == pytest.approx(120)
    thing.constraints.new("LIMIT_SCALE").use_max_y = True
    thing.constraints[0].max_y = 0.5
    assert volume_of(thing) == pytest.approx(60)
    assert before == {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in KINDS}


@pytest.mark.parametrize("hide", [monitor, excluded, monitor_of_collection])
def test_a_disabled_object_that_others_need_is_not_taken_for_evaluated(hide):
    thing = in_own_collection(box())
    hide(thing)
    thing.modifiers.new("Array", "ARRAY").count = 2
    box("Child").parent = thing
    with pytest.raises(InputError, match="'Box' is disabled in viewports"):
        read_stock(thing, bpy.context.evaluated_depsgraph_get())
    assert volume_of(thing) == pytest.approx(16)


@pytest.mark.parametrize("hide", [eye, monitor, excluded])
def test_hidden_paths(hide):
    thing = in_own_collection(poly_curve([(0, 0, 0), (1, 0, 0)]))
    hook = thing.modifiers.new("Hook", "HOOK")
    hook.object = link("Empty", None)
    hook.vertex_indices_set([0, 1])
    hide(thing)
    hook.object.location = (0, 0, 3)
    with evaluated_depsgraph_for(bpy.context, [thing]) as depsgraph:
        (path,) = read_paths(thing, depsgraph, 0.1, 1e-3)
    np.testing.assert_allclose(path.points, [(0, 0, 3), (1, 0, 3)], atol=1e-6)


@pytest.mark.parametrize("hide", [eye, monitor, excluded])
def test_hidden_instancers_and_strokes(hide):
    thing = in_own_collection(instancer(collection_of(box(size=(1, 1, 1)))))
    strokes = grease_pencil([[(0, 0, 0), (1, 0, 0)]])
    strokes.hide_viewport = True
    hide(thing)
    thing.location = (0, 0, 9)
    with evaluated_depsgraph_for(bpy.context, [thing, strokes]) as depsgraph:
        mesh = read_stock(thing, depsgraph)
        (path,) = read_paths(strokes, depsgraph, 0.1, 1e-3)
    assert mesh.volume() == pytest.approx(1)
    np.testing.assert_allclose(mesh.bounds().mean(axis=0), (0, 0, 9), atol=1e-6)
    np.testing.assert_allclose(path.points, [(0, 0, 0), (1, 0, 0)])


def test_the_scene_s_detail_and_frame_are_kept():
    thing = box()
    thing.modifiers.new("Subdivision", "SUBSURF").levels = 3
    scene = bpy.context.scene
    scene.render.use_simplify, scene.render.simplify_subdivision = True, 1
    thing.driver_add("location", 0).driver.expression = "frame"
    scene.frame_set(7, subframe=0.5)
    thing.hide_viewport = True
    with evaluated_depsgraph_for(bpy.context, [thing]) as depsgraph:
        mesh = read_stock(thing, depsgraph)
    assert len(mesh.triangles) == 6 * 4 * 2
    assert mesh.bounds().mean(axis=0)[0] == pytest.approx(7.5, abs=1e-5)


def test_visible_objects_cost_nothing():
    thing = box()
    scenes = []
    with evaluated_depsgraph_for(bpy.context, [thing]) as depsgraph:
        scenes = [scene.name for scene in bpy.data.scenes]
        assert depsgraph == bpy.context.evaluated_depsgraph_get()
    assert scenes == ["Scene"]


def test_no_handler_for_frames_is_called():
    called = []
    thing = box()
    thing.hide_viewport = True
    bpy.app.handlers.frame_change_pre.append(called.append)
    try:
        assert volume_of(thing) == pytest.approx(8)
    finally:
        bpy.app.handlers.frame_change_pre.remove(called.append)
    assert called == []


def test_an_error_leaves_nothing_behind():
    thing = box()
    thing.hide_viewport = True
    with pytest.raises(InputError), evaluated_depsgraph_for(bpy.context, [thing]):
        raise InputError("stop")
    assert len(bpy.data.scenes) == 1 and [each.name for each in bpy.data.objects] == ["Box"]
