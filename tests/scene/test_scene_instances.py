"""Instances as stocks and paths, against volumes and against what Blender's depsgraph draws."""

from typing import Any

import numpy as np
import pytest

from tests.scene_objects import (
    box,
    collection_of,
    curves_object,
    grease_pencil,
    instancer,
    link,
    mesh_object,
    nodes_modifier,
    poly_curve,
    select,
)

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute import InputError  # noqa: E402
from voxel_carve.operators.selection.selected import selection  # noqa: E402
from voxel_carve.scene.reading.path_warnings import path_warnings  # noqa: E402
from voxel_carve.scene.reading.read import is_path, is_stock, read_paths, read_stock, read_stock_faces  # noqa: E402
from voxel_carve.scene.writing.keep import refuse_keeping  # noqa: E402
from voxel_carve.scene.writing.write import refuse_replace  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()


def paths_of(obj, radius=0.1):
    return read_paths(obj, depsgraph(), radius, 1e-3)


def drawn_volume(parent):
    """Volume of an object and its instances as Blender draws them, by the divergence theorem."""
    volume = 0.0
    for each in depsgraph().object_instances:
        owner = each.parent if each.is_instance else each.object
        if owner.original != parent or each.object.type != "MESH":
            continue
        mesh = each.object.to_mesh()
        mesh.calc_loop_triangles()
        matrix = np.array(each.matrix_world)
        sign = np.sign(np.linalg.det(matrix[:3, :3]))
        for triangle in mesh.loop_triangles:
            a, b, c = (matrix @ [*mesh.vertices[i].co, 1] for i in triangle.vertices)
            volume += sign * a[:3] @ np.cross(b[:3], c[:3]) / 6
        each.object.to_mesh_clear()
    return volume


def scattered(obj, instance, *, keep=False, rotation=(0.1, 0.2, 0.3), scale=(0.1, 0.2, -0.3)):
    """Add a nodes modifier that puts an instance on each point; `instance` makes the socket that provides it."""
    group, source, sink = nodes_modifier(obj)
    scatter = group.nodes.new("GeometryNodeInstanceOnPoints")
    scatter.inputs["Rotation"].default_value = rotation
    scatter.inputs["Scale"].default_value = scale
    group.links.new(source.outputs[0], scatter.inputs["Points"])
    group.links.new(instance(group), scatter.inputs["Instance"])
    made = scatter.outputs[0]
    if keep:
        join = group.nodes.new("GeometryNodeJoinGeometry")
        group.links.new(source.outputs[0], join.inputs[0])
        group.links.new(made, join.inputs[0])
        made = join.outputs[0]
    group.links.new(made, sink.inputs[0])
    return obj


def cube_node(group):
    return group.nodes.new("GeometryNodeMeshCube").outputs["Mesh"]


def line_node(group):
    return group.nodes.new("GeometryNodeCurvePrimitiveLine").outputs["Curve"]


def object_node(obj, as_instance):
    def make(group):
        info = group.nodes.new("GeometryNodeObjectInfo")
        info.inputs["Object"].default_value = obj
        info.inputs["As Instance"].default_value = as_instance
        return info.outputs["Geometry"]

    return make


def collection_node(collection):
    def make(group):
        info = group.nodes.new("GeometryNodeCollectionInfo")
        info.inputs["Collection"].default_value = collection
        return info.outputs[0]

    return make


# Collections


def test_an_instanced_collection_is_one_stock_of_its_meshes():
    first, second = box("First", size=(1, 2, 3)), box("Second", size=(1, 1, 1), centre=(5, 0, 0))
    first.scale = (-1, 1, 2)
    second.modifiers.new("Array", "ARRAY").count = 3
    obj = instancer(collection_of(first, second))
    obj.location, obj.rotation_euler, obj.scale = (1, 2, 3), (0.3, 0.4, 0.5), (2, 2, -2)
    obj.instance_collection.instance_offset = (0.5, 0, 0)
    assert is_stock(obj) and not is_path(obj)
    mesh = read_stock(obj, depsgraph())
    assert mesh.name == "Instance"
    assert mesh.volume() == pytest.approx(8 * (12 + 3), rel=1e-5)
    drawn = [
        np.array(each.matrix_world) @ [*corner, 1]
        for each in depsgraph().object_instances
        if each.is_instance
        for corner in each.object.bound_box
    ]
    np.testing.assert_allclose(mesh.bounds()[0], np.min(drawn, axis=0)[:3], atol=1e-4)
    np.testing.assert_allclose(mesh.bounds()[1], np.max(drawn, axis=0)[:3], atol=1e-4)


def test_collections_in_collections_and_instances_of_instances():
    inner = instancer(collection_of(box("Part", size=(1, 1, 1)), name="Inner"), name="Inner Instance")
    inner.location = (4, 0, 0)
    outer = collection_of(inner, box("Own", size=(2, 2, 2)), name="Outer")
    outer.children.link(collection_of(box("Child", size=(3, 3, 3)), name="Child Parts"))
    obj = instancer(outer)
    obj.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(8 * (1 + 8 + 27), rel=1e-5)
    assert drawn_volume(obj) == pytest.approx(8 * (1 + 8 + 27), rel=1e-5)


def test_hidden_objects_of_a_collection_are_not_read():
    shown, hidden, eye = box("Shown"), box("Hidden"), box("Eye")
    hidden.hide_viewport = True
    eye.hide_set(True)
    child = collection_of(box("In Hidden Collection"), name="Hidden Parts")
    child.hide_viewport = True
    parts = collection_of(shown, hidden, eye)
    parts.children.link(child)
    obj = instancer(parts)
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(16)  # the eye icon does not affect instances
    assert drawn_volume(obj) == pytest.approx(16)
    parts.hide_viewport = True
    assert not is_stock(obj) and drawn_volume(obj) == 0


def test_an_instanced_collection_is_the_paths_of_its_curves():
    rod, wire = poly_curve([(0, 0, 0), (1, 0, 0)], [1, 2]), mesh_object("Wire", [(0, 0, 0), (0, 1, 0)], edges=[(0, 1)])
    rod.data.bevel_depth = 0.25
    strokes = grease_pencil([[(0, 0, 0), (0, 0, 1)]], [[0.5, 0.25]])
    hair = curves_object([(0, 0, 0), (1, 1, 1)])
    obj = instancer(collection_of(rod, wire, strokes, hair))
    obj.location, obj.scale = (0, 0, 7), (2, 2, 2)
    assert is_path(obj) and not is_stock(obj)
    paths = paths_of(obj, radius=0.1)
    assert {path.name for path in paths} == {"Instance"}
    ends = {tuple(path.points[-1].round(5)): tuple(path.radii.round(5)) for path in paths}
    assert ends == {
        (2, 0, 7): (0.5, 1),  # the bevel, scaled
        (0, 2, 7): (0.1, 0.1),
        (0, 0, 9): (1, 0.5),  # the drawn radii, scaled
        (2, 2, 9): (0.1, 0.1),
    }


def test_an_empty_with_both_is_both():
    obj = instancer(collection_of(box(), poly_curve([(-2, 0, 0), (2, 0, 0)])))
    other = box("Other")
    assert is_stock(obj) and is_path(obj)
    select(other, obj)
    found = selection(bpy.context)
    assert found.stocks == (other, obj) and found.paths == (obj,)
    assert len(paths_of(obj)) == 1
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(8)


def test_an_empty_with_neither_is_neither():
    for obj in (link("Empty", None), instancer(collection_of(link("Light", bpy.data.lights.new("Light", "POINT"))))):
        assert not is_stock(obj) and not is_path(obj)
        with pytest.raises(InputError, match=f"'{obj.name}'"):
            read_stock(obj, depsgraph())


def test_a_cycle_of_collection_instances_terminates():
    parts = collection_of(box())
    obj = instancer(parts)
    nested = instancer(collection_of(obj, name="Outer"), name="Nested")
    for level in range(12):
        nested = instancer(collection_of(nested, name=f"Level {level}"), name=f"Nested {level}")
    assert is_stock(nested) in (True, False)  # no deeper than Blender
    assert drawn_volume(nested) == (pytest.approx(8) if is_stock(nested) else 0)


def test_materials_of_instances_are_kept():
    red, blue = bpy.data.materials.new("Red"), bpy.data.materials.new("Blue")
    first, second, third = box("First"), box("Second"), box("Third")
    for obj, materials in ((first, [red, blue]), (second, [blue]), (third, [])):
        for material in materials:
            obj.data.materials.append(material)
    first.data.polygons[0].material_index = 1
    faces = read_stock_faces(instancer(collection_of(first, second, third)), depsgraph())
    slots = faces.slot.reshape(3, 12)
    names = [[faces.materials[i].name if faces.materials[i] else None for i in row] for row in slots]
    assert names[0] == ["Blue"] * 2 + ["Red"] * 10
    assert set(names[1]) == {"Blue"} and set(names[2]) == {None}
    assert not faces.smooth.any() and not faces.layers


def test_a_flat_object_in_a_collection_is_named():
    part = box("Part")
    part.scale = (1, 0, 1)
    with pytest.raises(InputError, match="'Part' has a scale of zero"):
        read_stock(instancer(collection_of(part)), depsgraph())


def test_warnings_of_instanced_paths_are_included():
    part = poly_curve([(0, 0, 0), (1, 0, 0)])
    part.data.bevel_depth = 0.1
    part.modifiers.new("Twist", "SIMPLE_DEFORM")
    assert any("'Twist'" in warning for warning in path_warnings(instancer(collection_of(part))))


# Geometry Nodes


@pytest.mark.parametrize("keep", [False, True])
def test_instances_of_nodes_are_part_of_the_stock(keep):
    obj = scattered(box(), cube_node, keep=keep)
    obj.location, obj.scale = (1, 2, 3), (1, -2, 1)
    assert is_stock(obj) and not is_path(obj)
    expected = 2 * (8 * 0.006 + (8 if keep else 0))
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(expected, rel=1e-5)
    assert drawn_volume(obj) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("as_instance", [False, True])
def test_instances_of_an_object(as_instance):
    source = box("Source", size=(1, 1, 1))
    source.modifiers.new("Array", "ARRAY").count = 2
    source.hide_set(True)
    obj = scattered(mesh_object("Points", [(0, 0, 0), (3, 0, 0)]), object_node(source, as_instance))
    assert is_stock(obj) and not is_path(obj)
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(2 * 2 * 0.006, rel=1e-5)
    assert drawn_volume(obj) == pytest.approx(2 * 2 * 0.006, rel=1e-4)


def test_instances_of_a_collection():
    parts = collection_of(box("First", size=(1, 1, 1)), box("Second", size=(2, 1, 1), centre=(5, 0, 0)))
    obj = scattered(mesh_object("Points", [(0, 0, 0), (3, 0, 0)]), collection_node(parts))
    assert is_stock(obj)
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(2 * 3 * 0.006, rel=1e-5)
    assert drawn_volume(obj) == pytest.approx(2 * 3 * 0.006, rel=1e-4)


def test_a_curve_converted_to_instances_of_meshes_is_a_stock():
    obj = scattered(poly_curve([(0, 0, 0), (1, 0, 0)]), cube_node)
    assert is_stock(obj) and not is_path(obj)
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(2 * 0.006, rel=1e-5)


def test_instances_of_curves_are_paths():
    obj = scattered(mesh_object("Points", [(0, 0, 0), (3, 0, 0)]), line_node, rotation=(0, 0, 0), scale=(1, 1, 2))
    obj.location = (0, 5, 0)
    assert is_path(obj) and not is_stock(obj)
    lines = sorted(path.points.round(5).tolist() for path in paths_of(obj))
    assert lines == [[[0, 5, 0], [0, 5, 2]], [[3, 5, 0], [3, 5, 2]]]
    assert all((path.radii == 0.1).all() for path in paths_of(obj))


def test_instances_of_a_bevelled_curve_have_its_radius():
    source = poly_curve([(0, 0, 0), (0, 0, 1)], name="Source")
    source.data.bevel_depth = 0.2
    points = mesh_object("Points", [(3, 0, 0)])
    obj = scattered(points, object_node(source, True), rotation=(0, 0, 0), scale=(2, 2, 2))
    (path,) = paths_of(obj)
    np.testing.assert_allclose(path.points, [(3, 0, 0), (3, 0, 2)], atol=1e-6)
    np.testing.assert_allclose(path.radii, 0.4, rtol=1e-6)


def test_node_instances_with_zero_scale_are_left_out():
    obj = scattered(mesh_object("Points", [(0, 0, 0), (3, 0, 0)]), cube_node, keep=True, scale=(0, 0, 0))
    assert is_stock(obj)
    with pytest.raises(InputError, match="'Points' instances no mesh with faces"):
        read_stock(obj, depsgraph())


# Unsupported


def test_replace_and_keep_stock_say_what_to_do():
    obj = instancer(collection_of(box()))
    with pytest.raises(InputError, match=r"'Instance' has no mesh of its own.*Make Instances Real"):
        refuse_replace(obj)
    for stock in (obj, scattered(box("Host"), cube_node, keep=True)):
        with pytest.raises(InputError, match=f"'{stock.name}' holds instances.*Make Instances Real"):
            refuse_keeping(stock, depsgraph())


def test_an_instanced_mesh_in_edit_mode_is_named():
    part = box("Part")
    obj = instancer(collection_of(part))
    bpy.context.scene.collection.objects.link(part)
    bpy.context.view_layer.objects.active = part
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(InputError, match="'Part' is in Edit Mode"):
        read_stock(obj, depsgraph())
