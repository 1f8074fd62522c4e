"""Grease Pencil and annotations as paths, against the points given and what Blender draws."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import draw_strokes, grease_pencil, link

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from voxel_carve.compute import InputError  # noqa: E402
from voxel_carve.scene.provenance import line_materials  # noqa: E402
from voxel_carve.scene.reading.read import is_path, is_stock, own_radius, read_paths  # noqa: E402
from voxel_carve.scene.reading.strokes import annotation_paths, has_annotations  # noqa: E402

LINE = [(0, 0, 0), (1, 0, 0)]


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def paths_of(obj, radius=7.0, tolerance=1e-3):
    return read_paths(obj, bpy.context.evaluated_depsgraph_get(), radius, tolerance)


def points_of(obj):
    return [path.points.round(5).tolist() for path in paths_of(obj)]


# Grease Pencil


@pytest.mark.parametrize("cyclic", [False, True])
def test_strokes_are_paths_with_their_own_radii(cyclic):
    obj = grease_pencil([[(0, 0, 0), (1, 0, 0), (1, 1, 0)], LINE], [[0.1, 0.2, 0.3], [0.05, 0.5]], cyclic)
    assert is_path(obj) and not is_stock(obj)
    first, second = paths_of(obj)
    np.testing.assert_allclose(first.points, [(0, 0, 0), (1, 0, 0), (1, 1, 0)])
    np.testing.assert_allclose(first.radii, [0.1, 0.2, 0.3], rtol=1e-6)
    np.testing.assert_allclose(second.radii, [0.05, 0.5], rtol=1e-6)
    assert first.cyclic is second.cyclic is cyclic
    assert own_radius(obj) == pytest.approx(0.5)


def test_an_object_and_its_layers_place_strokes():
    obj = grease_pencil([LINE], [[0.1, 0.2]])
    obj.location, obj.scale = (0, 0, 10), (2, 2, -2)
    layer = obj.data.layers[0]
    layer.translation, layer.scale = (0, 1, 0), (3, 3, 3)
    (path,) = paths_of(obj)
    np.testing.assert_allclose(path.points, [(0, 2, 10), (6, 2, 10)], atol=1e-5)
    np.testing.assert_allclose(path.radii, [0.6, 1.2], rtol=1e-5)


def test_the_parent_of_a_layer_moves_its_strokes_in_world_space():
    obj = grease_pencil([LINE])
    obj.location = (100, 0, 0)
    parent = link("Parent", None)
    parent.location, parent.rotation_euler = (0, 0, 5), (0, 0, np.pi / 2)
    layer = obj.data.layers[0]
    layer.parent, layer.translation = parent, (0, 1, 0)
    np.testing.assert_allclose(points_of(obj)[0], [(-1, 0, 5), (-1, 1, 5)], atol=1e-4)


def test_the_bone_of_a_layer_moves_its_strokes():
    armature = bpy.data.armatures.new("Armature")
    rig = link("Rig", armature)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.edit_bones.new("Bone")
    bone.head, bone.tail = (0, 0, 0), (0, 1, 0)
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["Bone"].location = (0, 0, 3)
    obj = grease_pencil([LINE])
    obj.data.layers[0].parent, obj.data.layers[0].parent_bone = rig, "Bone"
    np.testing.assert_allclose(points_of(obj)[0], [(0, 0, 3), (1, 0, 3)], atol=1e-5)


def test_hidden_strokes_are_not_read():
    obj = grease_pencil([LINE, [(5, 5, 5)]])
    hidden = bpy.data.materials.new("Hidden")
    bpy.data.materials.create_gpencil_data(hidden)
    hidden.grease_pencil.hide = True
    for material in (bpy.data.materials.new("Plain"), hidden):
        obj.data.materials.append(material)
    obj.data.layers[0].current_frame().drawing.strokes[1].material_index = 1
    other = obj.data.layers.new("Other")
    draw_strokes(other, [[(2, 2, 2), (3, 3, 3)]], [[9, 9]])
    assert len(points_of(obj)) == 2 and own_radius(obj) == pytest.approx(9)
    other.hide = True
    assert points_of(obj) == [[[0, 0, 0], [1, 0, 0]]]
    assert own_radius(obj) == pytest.approx(0.01)
    other.hide = False
    group = obj.data.layer_groups.new("Group")
    obj.data.layers.move_to_layer_group(other, group)
    assert len(points_of(obj)) == 2
    group.hide = True
    assert len(points_of(obj)) == 1
    obj.data.layers[0].hide = True
    with pytest.raises(InputError, match="'Strokes' has no points"):
        points_of(obj)


def test_strokes_are_those_of_the_current_frame():
    obj = grease_pencil([LINE])
    draw_strokes(obj.data.layers[0], [[(0, 0, 1), (1, 0, 1)], [(0, 0, 2), (1, 0, 2)]], frame=10)
    counts = []
    for frame in (1, 9, 10, 20):
        bpy.context.scene.frame_set(frame)
        counts.append(len(points_of(obj)))
    assert counts == [1, 1, 2, 2]
    bpy.context.scene.frame_set(0)
    with pytest.raises(InputError, match="'Strokes' has no points"):
        points_of(obj)


def test_modifiers_of_strokes_are_applied():
    obj = grease_pencil([LINE])
    obj.modifiers.new("Offset", "GREASE_PENCIL_OFFSET").location = (0, 0, 4)
    thickness = obj.modifiers.new("Thickness", "GREASE_PENCIL_THICKNESS")
    thickness.use_uniform_thickness, thickness.thickness = True, 0.7
    (path,) = paths_of(obj)
    np.testing.assert_allclose(path.points, [(0, 0, 4), (1, 0, 4)], atol=1e-6)
    np.testing.assert_allclose(path.radii, 0.7, rtol=1e-6)


def test_a_bezier_stroke_follows_its_handles():
    obj = grease_pencil([LINE])
    drawing = obj.data.layers[0].current_frame().drawing
    drawing.attributes["curve_type"].data[0].value = 2
    for name, values in (("handle_left", [0, -1, 0, 1, 1, 0]), ("handle_right", [0, 1, 0, 1, -1, 0])):
        attribute = drawing.attributes.get(name) or drawing.attributes.new(name, "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", values)
    obj.data.layers[0].scale = (1, 2, 1)
    (path,) = paths_of(obj)
    t = np.linspace(0, 1, 20_001)
    exact = np.column_stack([3 * (1 - t) * t**2 + t**3, 6 * (1 - t) * t])
    assert len(path.points) > 8
    assert max(np.linalg.norm(exact - point[:2], axis=1).min() for point in path.points) < 1e-3


def test_strokes_are_read_in_edit_mode_as_they_are_edited():
    obj = grease_pencil([LINE])
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.grease_pencil.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 2))
    assert points_of(obj) == [[[0, 0, 2], [1, 0, 2]]]


def test_materials_of_strokes_are_not_used_for_faces():
    obj = grease_pencil([LINE])
    obj.data.materials.append(bpy.data.materials.new("Ink"))
    assert line_materials(obj, 1) == [None]


# Annotations


def layer_of(frames, **properties):
    """A mock annotation layer as in Blender 4.5, where scripts cannot draw one."""

    class Points(list):
        def foreach_get(self, name, values):
            values[:] = np.ravel(self)

    layer = SimpleNamespace(annotation_hide=False, is_ruler=False, lock_frame=False, active_frame=None, info="Note")
    layer.frames = [
        SimpleNamespace(frame_number=number, strokes=[SimpleNamespace(points=Points(points)) for points in strokes])
        for number, strokes in frames.items()
    ]
    vars(layer).update(properties)
    return layer


def scene_with(*layers, frame=1):
    return SimpleNamespace(annotation=SimpleNamespace(layers=layers), frame_current=frame)


def test_annotations_of_a_frame():
    layer = layer_of({1: [LINE], 5: [[(0, 0, 5)], LINE]})
    assert [len(annotation_paths(scene_with(layer, frame=frame), 0.3)) for frame in (0, 1, 4, 5, 9)] == [0, 1, 1, 2, 2]
    assert len(annotation_paths(scene_with(layer), 0.3, frame=7)) == 2
    (path,) = annotation_paths(scene_with(layer), 0.3)
    np.testing.assert_allclose(path.points, LINE)
    np.testing.assert_allclose(path.radii, 0.3)
    assert path.name == "Note" and not path.cyclic
    locked = layer_of({1: [LINE], 5: [LINE, LINE]}, lock_frame=True)
    locked.active_frame = locked.frames[1]
    assert len(annotation_paths(scene_with(locked), 0.3)) == 2


@pytest.mark.parametrize("properties", [{"annotation_hide": True}, {"is_ruler": True}])
def test_hidden_annotations_and_rulers_are_ignored(properties):
    scene = scene_with(layer_of({1: [LINE]}, **properties))
    assert annotation_paths(scene, 0.3) == () and not has_annotations(scene)


def test_a_scene_without_annotations():
    assert annotation_paths(bpy.context.scene, 0.3) == () and not has_annotations(bpy.context.scene)


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="Blender 4.5 lets no script draw annotations")
def test_annotations_in_blenders_data():
    scene = bpy.context.scene
    scene.annotation = bpy.data.annotations.new("Annotations")
    strokes = scene.annotation.layers.new("Layer").frames.new(1).strokes
    for mode in ("3DSPACE", "2DSPACE"):
        stroke = strokes.new()
        stroke.display_mode = mode
        stroke.points.add(2)
        stroke.points[1].co = (1, 2, 3)
    (path,) = annotation_paths(scene, 0.3)
    assert has_annotations(scene)
    np.testing.assert_allclose(path.points, [(0, 0, 0), (1, 2, 3)])
