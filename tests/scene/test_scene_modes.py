"""Reading objects in Edit Mode and Sculpt Mode: their edited state, or a refusal."""

from typing import Any

import numpy as np
import pytest

from tests.scene_objects import bezier_curve, box, curves_object, link, mesh_object, nodes_modifier, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute import InputError  # noqa: E402
from voxel_carve.operators.selection.selected import carve_refusal  # noqa: E402
from voxel_carve.scene.reading.read import read_paths, read_stock  # noqa: E402
from voxel_carve.scene.writing.write import refuse_replace  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)


def enter(mode, *objs):
    select(*objs)
    assert bpy.ops.object.mode_set(mode=mode) == {"FINISHED"}


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()


def paths_of(obj, radius=0.1):
    return read_paths(obj, depsgraph(), radius, 1e-3)


def line():
    return poly_curve([(0, 0, 0), (1, 0, 0)], [1, 2])


def bevelled():
    obj = line()
    obj.data.bevel_depth = 0.1
    return obj


def bezier():
    return bezier_curve([(0, 0, 0), (1, 0, 0)], [(-0.3, 0, 0), (0.7, 0, 0)], [(0.3, 0, 0), (1.3, 0, 0)], radii=[1, 2])


def with_nodes():
    obj = line()
    group, source, sink = nodes_modifier(obj)
    group.links.new(source.outputs[0], sink.inputs[0])
    return obj


@pytest.mark.parametrize("make", [line, bevelled, bezier, with_nodes])
def test_a_curve_is_read_as_it_is_being_edited(make):
    obj = make()
    obj.location = (0, 10, 0)
    enter("EDIT", obj)
    bpy.ops.curve.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 2))
    (path,) = paths_of(obj)
    np.testing.assert_allclose(path.points[[0, -1]], [(0, 10, 2), (1, 10, 2)], atol=1e-6)
    bpy.ops.transform.transform(mode="CURVE_SHRINKFATTEN", value=(3, 0, 0, 0))
    bpy.ops.curve.select_all(action="DESELECT")
    bpy.ops.curve.de_select_last()
    bpy.ops.curve.extrude_move(TRANSFORM_OT_translate={"value": (0, 5, 0)})
    (path,) = paths_of(obj)
    np.testing.assert_allclose(path.points[[0, -1]], [(0, 10, 2), (1, 15, 2)], atol=1e-6)
    np.testing.assert_allclose(path.radii[[0, -1]], [0.3, 0.6], rtol=1e-6)
    # and the same afterwards, as Blender returns it in Object Mode
    bpy.ops.object.mode_set(mode="OBJECT")
    (after,) = paths_of(obj)
    np.testing.assert_allclose(after.points, path.points, atol=1e-6)
    np.testing.assert_allclose(after.radii, path.radii, rtol=1e-6)


def test_a_curve_sharing_its_data_with_an_edited_one_is_read_too():
    obj = line()
    other = link("Other", obj.data)
    other.location = (0, 0, 7)
    enter("EDIT", obj)
    bpy.ops.curve.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 1, 0))
    np.testing.assert_allclose(paths_of(other)[0].points, [(0, 1, 7), (1, 1, 7)], atol=1e-6)


def test_added_and_deleted_points_are_read():
    obj = line()
    enter("EDIT", obj)
    bpy.ops.curve.select_all(action="SELECT")
    bpy.ops.curve.subdivide(number_cuts=3)
    assert len(paths_of(obj)[0].points) == 5
    bpy.ops.curve.delete(type="VERT")
    with pytest.raises(InputError, match="'Path' has no points"):
        paths_of(obj)


def test_a_text_is_read_as_it_is_being_written():
    text = bpy.data.curves.new("Text", "FONT")
    text.body = "o"
    obj = link("Text", text)
    assert len(paths_of(obj)) == 2
    enter("EDIT", obj)
    bpy.ops.font.text_insert(text="i")
    assert len(paths_of(obj)) == 4


def hooked():
    obj = line()
    hook = obj.modifiers.new("Hook", "HOOK")
    hook.object = link("Empty", None)
    return obj


def keyed():
    obj = line()
    obj.shape_key_add()
    return obj


def hidden_while_edited():
    obj = with_nodes()
    obj.modifiers[0].show_in_editmode = False
    return obj


def edges():
    return mesh_object("Path", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)])


@pytest.mark.parametrize(
    "make", [hooked, keyed, hidden_while_edited, edges, lambda: curves_object(np.eye(3), name="Path")]
)
def test_objects_that_cannot_be_read_while_edited_are_named(make):
    obj = make()
    enter("EDIT", obj)
    with pytest.raises(InputError, match="'Path' is in Edit Mode: switch to Object Mode"):
        paths_of(obj)


def test_operators_still_require_object_mode():
    stock, path = box(), line()
    enter("EDIT", path, stock)
    assert carve_refusal(bpy.context) == "'Path' is in Edit Mode: switch to Object Mode"


# Sculpt Mode


def test_a_sculpted_mesh_is_read_with_its_modifiers():
    obj = box(size=(1, 1, 1))
    obj.modifiers.new("Array", "ARRAY").count = 3
    path = line()
    enter("SCULPT", obj, path)
    assert carve_refusal(bpy.context) is None
    points = np.empty(24, dtype=np.float32)
    obj.data.vertices.foreach_get("co", points)
    obj.data.vertices.foreach_set("co", 2 * points)
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(24)
    assert obj.mode == "SCULPT"
    with pytest.raises(InputError, match=r"'Box' is in Sculpt Mode.*switch Replace Stock off"):
        refuse_replace(obj)


def test_a_sculpted_shape_key_is_read():
    obj = box(size=(1, 1, 1))
    obj.shape_key_add()
    key = obj.shape_key_add()
    for point in key.data:
        point.co *= 3
    key.value = 0.5
    enter("SCULPT", obj)
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(8)


def test_dynamic_topology_and_multires_are_refused():
    obj, path = box(), line()
    enter("SCULPT", obj, path)
    bpy.ops.sculpt.dynamic_topology_toggle()
    message = "'Box' is sculpted with dynamic topology: switch to Object Mode"
    assert carve_refusal(bpy.context) == message
    with pytest.raises(InputError, match=message):
        read_stock(obj, depsgraph())
    bpy.ops.object.mode_set(mode="OBJECT")
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(8)
    obj.modifiers.new("Multires", "MULTIRES")
    bpy.ops.object.multires_subdivide(modifier="Multires", mode="SIMPLE")
    enter("SCULPT", obj, path)
    message = "'Box' is sculpted with Multires: switch to Object Mode"
    assert carve_refusal(bpy.context) == message
    with pytest.raises(InputError, match=message):
        read_stock(obj, depsgraph())
    bpy.ops.object.mode_set(mode="OBJECT")
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(8)


@pytest.mark.parametrize(
    ("mode", "name"),
    [("VERTEX_PAINT", "Vertex Paint"), ("WEIGHT_PAINT", "Weight Paint"), ("TEXTURE_PAINT", "Texture Paint")],
)
def test_other_modes_are_refused(mode, name):
    obj, path = box(), line()
    enter(mode, obj, path)
    assert carve_refusal(bpy.context) == f"'Box' is in {name}: switch to Object Mode"
    assert read_stock(obj, depsgraph()).volume() == pytest.approx(8)
