"""How operators handle instances, Sculpt Mode, and a scene's units."""

import json
import math
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, collection_of, instancer, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def carve(*objs, **properties):
    select(*objs)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(**properties) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def points_of(obj):
    points = np.empty(3 * len(obj.data.vertices), dtype=np.float32)
    obj.data.vertices.foreach_get("co", points)
    return points


def test_the_unit_of_a_scene_changes_neither_lengths_nor_results():
    results = []
    for system, scale, unit in (("NONE", 1, "ADAPTIVE"), ("METRIC", 0.001, "MILLIMETERS"), ("IMPERIAL", 0.3, "INCHES")):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        units = bpy.context.scene.unit_settings
        units.system, units.scale_length = system, scale
        if system != "NONE":
            units.length_unit = unit
        settings = bpy.context.scene.voxel_carve
        settings.radius_mode, settings.radius = "VALUE", 0.5
        settings.size_mode, settings.voxel_size = "SIZE", 0.125
        assert (settings.radius, settings.voxel_size) == (0.5, 0.125)
        done = carve(box(), poly_curve([(-2, 0, 0), (2, 0, 0)]))
        report = json.loads(done["voxel_carve_report"])
        assert report["voxel_size"] == 0.125
        assert report["removed_volume"] == pytest.approx(math.pi * 0.5**2 * 2, rel=0.05)
        results.append(points_of(done))
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_an_instanced_stock_is_carved_along_an_instanced_path():
    obj = instancer(collection_of(box(), poly_curve([(-2, 0, 0), (2, 0, 0)])))
    obj.location = (10, 0, 0)
    done = carve(obj, radius=0.5, resolution=24)
    assert done.name == "Instance Carved" and tuple(done.location) == (10, 0, 0)
    assert done.users_collection == obj.users_collection
    assert obj.hide_get() and obj.hide_render
    report = json.loads(done["voxel_carve_report"])
    assert report["volume"] == pytest.approx(8 - math.pi * 0.5**2 * 2, rel=0.02)
    assert abs(points_of(done)).max() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("properties", "message"), [({"replace": True}, "no mesh of its own"), ({"result": "KEEP"}, "holds instances")]
)
def test_options_that_instanced_stocks_do_not_support_are_refused_with_a_remedy(properties, message):
    obj = instancer(collection_of(box()))
    select(obj, poly_curve([(-2, 0, 0), (2, 0, 0)]))
    with pytest.raises(RuntimeError, match=f"{message}.*Make Instances Real"):
        bpy.ops.object.voxel_carve(radius=0.5, resolution=16, **properties)
    assert not obj.hide_get() and [each.name for each in bpy.data.meshes] == ["Box"]


def test_the_result_of_a_mesh_with_node_instances_includes_the_instances():
    obj = box()
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    cube, to_instance = group.nodes.new("GeometryNodeMeshCube"), group.nodes.new("GeometryNodeGeometryToInstance")
    cube.inputs["Size"].default_value = (4, 2, 2)
    sink = group.nodes.new("NodeGroupOutput")
    group.links.new(cube.outputs["Mesh"], to_instance.inputs[0])
    group.links.new(to_instance.outputs[0], sink.inputs[0])
    obj.modifiers.new("Nodes", "NODES").node_group = group
    assert carve(obj, poly_curve([(-3, 0, 0), (3, 0, 0)]), radius=0.5, resolution=24, replace=True) == obj
    assert not obj.modifiers
    report = json.loads(obj["voxel_carve_report"])
    assert report["volume"] == pytest.approx(16 - math.pi * 0.5**2 * 4, rel=0.02)


def test_a_stock_in_sculpt_mode_is_carved():
    obj = box()
    select(obj, poly_curve([(-2, 0, 0), (2, 0, 0)]))
    bpy.ops.object.mode_set(mode="SCULPT")
    assert bpy.ops.object.voxel_carve(radius=0.5, resolution=24) == {"FINISHED"}
    done = bpy.context.view_layer.objects.active
    assert done.name == "Box Carved" and bpy.context.mode == "OBJECT"
    report = json.loads(done["voxel_carve_report"])
    assert report["volume"] == pytest.approx(8 - math.pi * 0.5**2 * 2, rel=0.02)


def test_missing_annotations_are_refused():
    with pytest.raises(RuntimeError, match="No annotation: draw one"):
        bpy.ops.curve.voxel_carve_from_annotation()
    box()
    bpy.context.view_layer.objects.active = bpy.data.objects["Box"]
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Switch to Object Mode"):
        bpy.ops.curve.voxel_carve_from_annotation()


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="Blender 4.5 lets no script draw annotations")
def test_annotations_become_a_path_that_carves():
    scene = bpy.context.scene
    scene.annotation = bpy.data.annotations.new("Annotations")
    stroke = scene.annotation.layers.new("Layer").frames.new(1).strokes.new()
    stroke.points.add(2)
    stroke.points[0].co, stroke.points[1].co = (-2, 0, 0), (2, 0, 0)
    stock = box()
    select(stock)
    scene.voxel_carve.radius = 0.5
    assert bpy.ops.curve.voxel_carve_from_annotation() == {"FINISHED"}
    path = bpy.context.view_layer.objects.active
    assert path.name == "Annotation Path" and set(bpy.context.selected_objects) == {stock, path}
    assert path.data.bevel_depth == 0.5
    report = json.loads(carve(stock, path, resolution=24)["voxel_carve_report"])
    assert report["volume"] == pytest.approx(8 - math.pi * 0.5**2 * 2, rel=0.02)
