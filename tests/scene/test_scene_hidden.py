"""A depsgraph for hidden objects, judged by volumes after changes while they were hidden."""

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


def eye(obj):
    obj.hide_set(True)


def monitor(obj):
    obj.hide_viewport = True


def layer_collection():
    return bpy.context.view_layer.layer_collection.children["Own"]


def excluded(obj):
    layer_collection().exclude = True


def eye_of_collection(obj):
    layer_collection().hide_viewport = True


def monitor_of_collection(obj):
    bpy.data.collections["Own"].hide_viewport = True


def not_linked(obj):
    bpy.data.collections["Own"].objects.unlink(obj)


WAYS = [eye, monitor, excluded, eye_of_collection, monitor_of_collection, not_linked]


def in_own_collection(obj):
    bpy.context.scene.collection.children.link(collection_of(obj, name="Own"))
    return obj


def volume_of(obj):
    with evaluated_depsgraph_for(bpy.context, [obj]) as depsgraph:
        return read_stock(obj, depsgraph).volume()


@pytest.mark.parametrize("evaluated_before", [False, True])
@pytest.mark.parametrize("hide", WAYS)
def test_changes_to_a_hidden_object_are_read(hide, evaluated_before):
    obj = in_own_collection(box(size=(1, 1, 1)))
    array = obj.modifiers.new("Array", "ARRAY")
    parent = link("Parent", None)
    obj.parent = parent
    if evaluated_before:
        assert volume_of(obj) == pytest.approx(2)
    hide(obj)
    before = {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in KINDS}
    assert volume_of(obj) == pytest.approx(2)
    array.count = 5
    assert volume_of(obj) == pytest.approx(5)
    parent.scale = (2, 1, -1)
    assert volume_of(obj) == pytest.approx(10)
    for vertex in obj.data.vertices:
        vertex.co.x *= 3
    obj.data.update()
    assert volume_of(obj) == pytest.approx(30)
    obj.driver_add("scale", 0).driver.expression = "frame"
    bpy.context.scene.frame_set(4)
    assert volume_of(obj) == pytest.approx(120)
    obj.constraints.new("LIMIT_SCALE").use_max_y = True
    obj.constraints[0].max_y = 0.5
    assert volume_of(obj) == pytest.approx(60)
    assert before == {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in KINDS}


@pytest.mark.parametrize("hide", [monitor, excluded, monitor_of_collection])
def test_a_disabled_object_that_others_need_does_not_count_as_evaluated(hide):
    obj = in_own_collection(box())
    hide(obj)
    obj.modifiers.new("Array", "ARRAY").count = 2
    box("Child").parent = obj
    with pytest.raises(InputError, match="'Box' is disabled in viewports"):
        read_stock(obj, bpy.context.evaluated_depsgraph_get())
    assert volume_of(obj) == pytest.approx(16)


@pytest.mark.parametrize("hide", [eye, monitor, excluded])
def test_hidden_paths(hide):
    obj = in_own_collection(poly_curve([(0, 0, 0), (1, 0, 0)]))
    hook = obj.modifiers.new("Hook", "HOOK")
    hook.object = link("Empty", None)
    hook.vertex_indices_set([0, 1])
    hide(obj)
    hook.object.location = (0, 0, 3)
    with evaluated_depsgraph_for(bpy.context, [obj]) as depsgraph:
        (path,) = read_paths(obj, depsgraph, 0.1, 1e-3)
    np.testing.assert_allclose(path.points, [(0, 0, 3), (1, 0, 3)], atol=1e-6)


@pytest.mark.parametrize("hide", [eye, monitor, excluded])
def test_hidden_instancers_and_strokes(hide):
    obj = in_own_collection(instancer(collection_of(box(size=(1, 1, 1)))))
    strokes = grease_pencil([[(0, 0, 0), (1, 0, 0)]])
    strokes.hide_viewport = True
    hide(obj)
    obj.location = (0, 0, 9)
    with evaluated_depsgraph_for(bpy.context, [obj, strokes]) as depsgraph:
        mesh = read_stock(obj, depsgraph)
        (path,) = read_paths(strokes, depsgraph, 0.1, 1e-3)
    assert mesh.volume() == pytest.approx(1)
    np.testing.assert_allclose(mesh.bounds().mean(axis=0), (0, 0, 9), atol=1e-6)
    np.testing.assert_allclose(path.points, [(0, 0, 0), (1, 0, 0)])


def test_simplify_settings_and_frame_are_kept():
    obj = box()
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 3
    scene = bpy.context.scene
    scene.render.use_simplify, scene.render.simplify_subdivision = True, 1
    obj.driver_add("location", 0).driver.expression = "frame"
    scene.frame_set(7, subframe=0.5)
    obj.hide_viewport = True
    with evaluated_depsgraph_for(bpy.context, [obj]) as depsgraph:
        mesh = read_stock(obj, depsgraph)
    assert len(mesh.triangles) == 6 * 4 * 2
    assert mesh.bounds().mean(axis=0)[0] == pytest.approx(7.5, abs=1e-5)


def test_visible_objects_cost_nothing():
    obj = box()
    scenes = []
    with evaluated_depsgraph_for(bpy.context, [obj]) as depsgraph:
        scenes = [scene.name for scene in bpy.data.scenes]
        assert depsgraph == bpy.context.evaluated_depsgraph_get()
    assert scenes == ["Scene"]


def test_no_handler_for_frames_is_called():
    called = []
    obj = box()
    obj.hide_viewport = True
    bpy.app.handlers.frame_change_pre.append(called.append)
    try:
        assert volume_of(obj) == pytest.approx(8)
    finally:
        bpy.app.handlers.frame_change_pre.remove(called.append)
    assert called == []


def test_an_error_leaves_nothing_behind():
    obj = box()
    obj.hide_viewport = True
    with pytest.raises(InputError), evaluated_depsgraph_for(bpy.context, [obj]):
        raise InputError("stop")
    assert len(bpy.data.scenes) == 1 and [each.name for each in bpy.data.objects] == ["Box"]
