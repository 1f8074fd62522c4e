"""Reading objects: against closed forms and against what Blender itself draws."""

from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import bezier_curve, box, curves_object, instancer, link, mesh_object, poly_curve

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from voxel_carve.compute import InputError, Sweep  # noqa: E402
from voxel_carve.scene.reading import curves, read  # noqa: E402
from voxel_carve.scene.reading.path_warnings import path_warnings  # noqa: E402
from voxel_carve.scene.reading.read import is_path, is_stock, read_paths, read_stock  # noqa: E402
from voxel_carve.scene.writing.write import refuse_replace  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()


def stock_of(obj):
    return read_stock(obj, depsgraph())


def paths_of(obj, radius=0.1, tolerance=1e-3):
    return read_paths(obj, depsgraph(), radius, tolerance)


def path_of(obj, radius=0.1, tolerance=1e-3):
    (path,) = paths_of(obj, radius, tolerance)
    return path


def distance_to_path(points, path):
    """Greatest distance of points from the polyline of a path, by brute force."""
    line = np.vstack([path.points, path.points[:1]]) if path.cyclic else path.points
    start, along = line[:-1], np.diff(line, axis=0)
    length = (along**2).sum(axis=1)
    share = np.einsum("pse,se->ps", np.asarray(points)[:, None] - start, along) / np.where(length > 0, length, 1)
    foot = start + np.clip(share, 0, 1)[..., None] * along
    return np.linalg.norm(np.asarray(points)[:, None] - foot, axis=2).min(axis=1).max()


def drawn_points(obj, resolution=64):
    """World points along the curve as Blender evaluates it, at a high resolution."""
    for spline in getattr(obj.data, "splines", ()):
        spline.resolution_u = resolution
    evaluated = obj.evaluated_get(depsgraph())
    mesh = evaluated.to_mesh()
    points = np.array([tuple(evaluated.matrix_world @ vertex.co) for vertex in mesh.vertices])
    evaluated.to_mesh_clear()
    return points


# Stock


def test_a_box_is_read_with_its_faces_outward():
    mesh = stock_of(box(size=(2, 3, 4)))
    assert mesh.volume() == pytest.approx(24)
    assert mesh.name == "Box"
    assert len(mesh.triangles) == 12


@pytest.mark.parametrize("scale", [(2, 2, 2), (1, 2, 3), (-1, 1, 1), (-1, -2, 1), (-1, -1, -1)])
def test_scale_of_either_sign_keeps_faces_outward(scale):
    obj = box(size=(1, 1, 1))
    obj.scale = scale
    obj.rotation_euler = (0.3, 0.5, 0.7)
    obj.location = (10, 20, 30)
    mesh = stock_of(obj)
    assert mesh.volume() == pytest.approx(abs(np.prod(scale)), rel=1e-5)
    np.testing.assert_allclose(mesh.bounds().mean(axis=0), (10, 20, 30), atol=1e-5)


def test_parent_transforms_apply():
    parent = link("Parent", None)
    parent.scale = (3, 3, 3)
    obj = box(size=(1, 1, 1))
    obj.parent = parent
    assert stock_of(obj).volume() == pytest.approx(27)


def test_shearing_parent_transforms_apply():
    parent = link("Parent", None)
    parent.scale = (3, 1, 1)
    obj = box(size=(1, 1, 1))
    obj.rotation_euler = (0, 0, np.pi / 4)
    obj.parent = parent
    mesh = stock_of(obj)
    assert mesh.volume() == pytest.approx(3, rel=1e-5)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(mesh.bounds(), [(-3 * half, -half, -0.5), (3 * half, half, 0.5)], atol=1e-6)
    curve = poly_curve([(0, 0, 0), (1, 0, 0)])
    curve.rotation_euler, curve.parent = (0, 0, np.pi / 4), parent
    np.testing.assert_allclose(path_of(curve).points[1], (3 * half, half, 0), atol=1e-6)


def test_shape_keys_are_applied():
    obj = box(size=(1, 1, 1))
    obj.shape_key_add()
    for value, factor in ((0.5, 3), (0.25, 5)):
        key = obj.shape_key_add()
        for point, corner in zip(key.data, obj.data.vertices, strict=True):
            point.co.z = corner.co.z * factor
        key.value = value
    assert stock_of(obj).volume() == pytest.approx(1 + 0.5 * 2 + 0.25 * 4)


def test_objects_sharing_a_mesh_are_read_at_their_own_places():
    first = box(size=(1, 1, 1))
    second = link("Second", first.data)
    second.location, second.scale = (5, 0, 0), (2, 2, -2)
    second.modifiers.new("Array", "ARRAY").count = 2
    assert stock_of(first).volume() == pytest.approx(1)
    assert stock_of(second).volume() == pytest.approx(16)
    np.testing.assert_allclose(stock_of(second).bounds(), [(4, -1, -1), (8, 1, 1)], atol=1e-6)


def test_modifiers_are_applied():
    obj = box(size=(1, 1, 1))
    array = obj.modifiers.new("Array", "ARRAY")
    array.count = 3
    array.relative_offset_displace = (2, 0, 0)
    assert stock_of(obj).volume() == pytest.approx(3)


def test_faces_made_by_modifiers_make_a_stock():
    obj = mesh_object("Profile", [(1, 0, 0), (2, 0, 0)], edges=[(0, 1)])
    assert is_path(obj) and not is_stock(obj)
    obj.modifiers.new("Screw", "SCREW")
    assert is_stock(obj) and not is_path(obj)
    assert len(stock_of(obj).triangles) > 0


def test_faces_with_many_corners_are_triangulated():
    corners = np.linspace(0, 2 * np.pi, 7)[:-1]
    ring = np.column_stack([np.cos(corners), np.sin(corners), np.zeros(6)])
    mesh = stock_of(mesh_object("Hexagon", ring, faces=[range(6)]))
    assert len(mesh.triangles) == 4
    assert mesh.area() == pytest.approx(1.5 * np.sqrt(3))


def test_a_mesh_without_faces_is_named():
    with pytest.raises(InputError, match=r"'Wire' has no faces"):
        stock_of(mesh_object("Wire", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)]))


def test_coordinates_that_are_not_numbers_are_counted():
    obj = box()
    points = np.empty(24, dtype=np.float32)
    obj.data.vertices.foreach_get("co", points)
    points[[6, 17]] = np.nan, np.inf
    obj.data.vertices.foreach_set("co", points)
    with pytest.raises(InputError, match=r"'Box' has 2 of 8 vertices"):
        stock_of(obj)


@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 1)])
def test_zero_scale_is_named(scale):
    obj = box()
    obj.rotation_euler = (0.3, 0.5, 0.7)
    obj.scale = scale
    with pytest.raises(InputError, match=r"'Box' has a scale of zero"):
        stock_of(obj)
    curve = poly_curve([(0, 0, 0), (1, 0, 0)])
    curve.scale = scale
    with pytest.raises(InputError, match=r"'Path' has a scale of zero"):
        paths_of(curve)


def test_a_transform_that_is_not_finite_is_named():
    obj = box()
    obj.location.x = float("nan")
    with pytest.raises(InputError, match=r"'Box' has a transform that is not made of numbers"):
        stock_of(obj)


@pytest.mark.parametrize("make", [box, lambda: curves_object(np.eye(3))])
def test_edit_mode_is_named(make):
    obj = make()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(InputError, match=rf"'{obj.name}' is in Edit Mode"):
        (stock_of if obj.type == "MESH" else paths_of)(obj)


def test_an_object_that_is_not_evaluated_is_named():
    obj = box()
    obj.hide_viewport = True
    with pytest.raises(InputError, match=r"'Box' is disabled in viewports"):
        stock_of(obj)


def test_a_hidden_object_is_read_with_its_modifiers():
    obj = box(size=(1, 1, 1))
    obj.modifiers.new("Array", "ARRAY").count = 2
    obj.hide_set(True)
    assert stock_of(obj).volume() == pytest.approx(2)


def test_only_a_mesh_is_a_stock():
    with pytest.raises(InputError, match=r"'Path' is not a mesh"):
        stock_of(poly_curve([(0, 0, 0), (1, 0, 0)]))


def loaded(tmp_path: FilePath):
    """The objects of another file with a box, linked."""
    box("Part")
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (source, target):
        target.objects = source.objects
    return target.objects


def test_a_linked_object_is_read(tmp_path: FilePath):
    (obj,) = loaded(tmp_path)
    bpy.context.scene.collection.objects.link(obj)
    assert obj.library
    assert stock_of(obj).volume() == pytest.approx(8)


def test_an_override_and_a_local_object_with_linked_data_are_read_and_not_replaced(tmp_path: FilePath):
    (obj,) = loaded(tmp_path)
    override, local = obj.override_create(), link("Local", obj.data)
    bpy.context.scene.collection.objects.link(override)
    override.scale = (1, 1, 2)
    assert stock_of(override).volume() == pytest.approx(16)
    assert stock_of(local).volume() == pytest.approx(8)
    for each in (obj, override, local):
        with pytest.raises(InputError, match=f"'{each.name}' is linked from another file"):
            refuse_replace(each)


def test_an_instance_of_a_linked_collection_is_read(tmp_path: FilePath):
    collection = bpy.data.collections.new("Parts")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(box("First"))
    library = tmp_path / "parts.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, target):
        target.collections = ["Parts"]
    obj = instancer(target.collections[0])
    obj.scale = (2, 2, 2)
    assert is_stock(obj)
    assert stock_of(obj).volume() == pytest.approx(64)


def test_reading_changes_nothing():
    obj = box()
    curve = poly_curve([(0, 0, 0), (1, 0, 0)])
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "curves", "materials")}
    stock_of(obj)
    paths_of(curve)
    assert before == {kind: len(getattr(bpy.data, kind)) for kind in before}


# Paths: shapes


@pytest.mark.parametrize("dimensions", ["2D", "3D"])
@pytest.mark.parametrize("cyclic", [False, True])
def test_a_poly_curve_is_its_points(cyclic, dimensions):
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    path = path_of(poly_curve(points, [1, 2, 3], cyclic, dimensions=dimensions))
    np.testing.assert_allclose(path.points, points)
    np.testing.assert_allclose(path.radii, [0.1, 0.2, 0.3], rtol=1e-6)
    assert path.cyclic is cyclic
    assert path.name == "Path"


def random_bezier(cyclic, radii=None):
    random = np.random.default_rng(5)
    points = random.normal(size=(4, 3))
    left, right = points + random.normal(size=(4, 3)), points + random.normal(size=(4, 3))
    return bezier_curve(points, left, right, radii, cyclic)


@pytest.mark.parametrize("cyclic", [False, True])
def test_a_bezier_curve_is_what_blender_draws(cyclic):
    obj = random_bezier(cyclic)
    obj.rotation_euler = (0.3, 0.5, 0.7)
    obj.scale = (1, -2, 3)
    path = path_of(obj)
    assert distance_to_path(drawn_points(obj), path) < 1e-3
    assert path.cyclic is cyclic


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize(("endpoint", "bezier"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("order", [3, 4, 5])
def test_a_nurbs_curve_is_what_blender_draws(order, endpoint, bezier, cyclic):
    random = np.random.default_rng(order)
    count = 4 * (order - 1)
    obj = poly_curve(random.normal(size=(count, 3)), cyclic=cyclic, kind="NURBS")
    spline = obj.data.splines[0]
    spline.order_u, spline.use_endpoint_u, spline.use_bezier_u = order, endpoint, bezier
    for point in spline.points:
        point.co.w = random.uniform(0.5, 2)
    path = path_of(obj)
    drawn = drawn_points(obj, 128)
    assert len(drawn) > 200
    assert distance_to_path(drawn, path) < 2e-3
    # and nothing else
    reverse = type(path)(drawn, np.ones(len(drawn)), cyclic)
    assert distance_to_path(path.points, reverse) < 2e-2


def test_a_nurbs_circle_is_round():
    bpy.ops.curve.primitive_nurbs_circle_add(radius=2)
    path = path_of(bpy.context.object)
    assert path.cyclic
    assert np.ptp(np.linalg.norm(path.points, axis=1)) < 0.02  # as round as Blender's
    bpy.ops.curve.primitive_bezier_circle_add(radius=2)
    np.testing.assert_allclose(np.linalg.norm(path_of(bpy.context.object).points, axis=1), 2, rtol=1e-3)


def test_the_polyline_is_as_fine_as_the_tolerance():
    obj = random_bezier(False)
    exact = drawn_points(obj, 1024)
    counts = []
    for tolerance in (1e-1, 1e-2, 1e-3):
        path = path_of(obj, tolerance=tolerance)
        assert distance_to_path(exact[::5], path) < tolerance
        counts.append(len(path.points))
    assert counts == sorted(set(counts))


def test_a_text_gives_the_outlines_of_its_letters():
    text = bpy.data.curves.new("Text", "FONT")
    text.body = "oi"
    paths = paths_of(link("Text", text))
    assert len(paths) == 4  # two rings of the o, the stem and the dot of the i
    assert all(path.cyclic for path in paths)


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "CATMULL_ROM", "NURBS"])
@pytest.mark.parametrize("cyclic", [False, True])
def test_the_curves_type_is_what_blender_evaluates(kind, cyclic):
    random = np.random.default_rng(2)
    points = random.normal(size=(7, 3)).astype(np.float32)
    attributes: dict[str, Any] = {
        "cyclic": ("BOOLEAN", "CURVE", [cyclic]),
        "radius": ("FLOAT", "POINT", np.full(7, 2, dtype=np.float32)),
        "resolution": ("INT", "CURVE", [64]),
    }
    if kind == "BEZIER":
        for side in ("handle_left", "handle_right"):
            handles = (points + random.normal(size=(7, 3))).astype(np.float32)
            attributes[side] = ("FLOAT_VECTOR", "POINT", handles)
    obj = curves_object(points, kind, attributes=attributes)
    path = path_of(obj)
    np.testing.assert_allclose(path.radii, 2, rtol=1e-6)  # a length, unlike that of a legacy curve
    assert path.cyclic is cyclic
    resample_to_mesh(obj)
    evaluated = obj.evaluated_get(depsgraph()).evaluated_geometry()
    drawn = np.array([tuple(vertex.co) for vertex in evaluated.mesh.vertices])
    assert len(drawn) > (200 if kind != "POLY" else 6)
    assert distance_to_path(drawn, path) < 1e-3


def resample_to_mesh(obj):
    """A nodes modifier that turns curves into edges, as Blender evaluates them."""
    nodes = bpy.data.node_groups.new("To Edges", "GeometryNodeTree")
    nodes.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    nodes.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    source, sink = nodes.nodes.new("NodeGroupInput"), nodes.nodes.new("NodeGroupOutput")
    convert = nodes.nodes.new("GeometryNodeCurveToMesh")
    nodes.links.new(source.outputs[0], convert.inputs[0])
    nodes.links.new(convert.outputs[0], sink.inputs[0])
    obj.modifiers.new("To Edges", "NODES").node_group = nodes


def test_several_curves_of_the_curves_type():
    obj = curves_object(np.arange(21).reshape(7, 3), sizes=[4, 1, 2])
    paths = paths_of(obj)
    assert [len(path.points) for path in paths] == [4, 1, 2]
    np.testing.assert_allclose(np.vstack([path.points for path in paths]), np.arange(21).reshape(7, 3))
    np.testing.assert_allclose(paths[0].radii, 0.1)


def test_edges_are_cut_at_junctions():
    obj = mesh_object(
        "Toolpath", [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, -1, 0)], edges=[(0, 1), (1, 2), (2, 3), (2, 4)]
    )
    paths = paths_of(obj)
    assert sorted(len(path.points) for path in paths) == [2, 2, 3]
    assert sum(np.linalg.norm(np.diff(path.points, axis=0), axis=1).sum() for path in paths) == pytest.approx(4)


def test_edges_carry_a_radius_attribute():
    obj = mesh_object("Toolpath", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)])
    obj.data.attributes.new("radius", "FLOAT", "POINT").data.foreach_set("value", [1, 3])
    np.testing.assert_allclose(sorted(path_of(obj).radii), [0.1, 0.3], rtol=1e-6)


def test_one_point_is_a_ball():
    path = path_of(poly_curve([(1, 2, 3)]))
    np.testing.assert_allclose(path.points, [(1, 2, 3)])
    path = path_of(mesh_object("Point", [(1, 2, 3)]))
    np.testing.assert_allclose(path.points, [(1, 2, 3)])


# Paths: radii


def test_bevel_depth_takes_precedence_over_the_radius_and_scales_with_the_object():
    obj = poly_curve([(0, 0, 0), (1, 0, 0)], [1, 2])
    obj.data.bevel_depth = 0.25
    np.testing.assert_allclose(path_of(obj, radius=7).radii, [0.25, 0.5])
    obj.scale = (2, 2, -2)
    np.testing.assert_allclose(path_of(obj, radius=7).radii, [0.5, 1])
    assert path_warnings(obj) == ()
    obj.scale = (1, 2, 4)
    np.testing.assert_allclose(path_of(obj, radius=7).radii, [0.5, 1], rtol=1e-6)
    bpy.context.view_layer.update()
    assert any("unevenly" in warning for warning in path_warnings(obj))


def test_the_given_radius_is_a_length_in_world_space():
    obj = poly_curve([(0, 0, 0), (1, 0, 0)], [1, 2])
    obj.scale = (1, 2, 4)
    np.testing.assert_allclose(path_of(obj, radius=0.3).radii, [0.3, 0.6])
    bpy.context.view_layer.update()
    assert path_warnings(obj) == ()


@pytest.mark.parametrize("interpolation", ["LINEAR", "CARDINAL", "BSPLINE", "EASE"])
@pytest.mark.parametrize("cyclic", [False, True])
def test_the_radius_between_bezier_points_is_that_of_blenders_bevel(interpolation, cyclic):
    bpy.ops.curve.primitive_bezier_circle_add(radius=5)
    obj = bpy.context.object
    spline = obj.data.splines[0]
    spline.use_cyclic_u = cyclic
    spline.radius_interpolation = interpolation
    spline.bezier_points.foreach_set("radius", [0.2, 0.5, 0.3, 0.8])
    obj.data.bevel_depth = 1
    obj.data.bevel_resolution = 4
    path = path_of(obj, tolerance=1e-5)
    # The drawn tube consists of rings of twelve vertices around points of the curve.
    rings = drawn_points(obj, 32).reshape(-1, 12, 3)
    centres = rings.mean(axis=1)
    found = np.linalg.norm(rings - centres[:, None], axis=2)
    assert np.ptp(found, axis=1).max() < 1e-5
    nearest = np.linalg.norm(path.points[None] - centres[:, None], axis=2).argmin(axis=1)
    expected = path.radii[nearest]
    assert len(rings) > 90 and np.ptp(expected) > 0.2
    # In Blender, the last ring of an open tube has the last point's own radius, whatever the interpolation.
    np.testing.assert_allclose(found[:-1, 0], expected[:-1], atol=2e-3)


# Paths: modifiers


def test_hooks_move_the_control_points_of_a_bevelled_curve():
    obj = bezier_curve([(0, 0, 0), (1, 0, 0)], [(-1, 0, 0), (0, 0, 0)], [(1, 0, 0), (2, 0, 0)])
    obj.data.bevel_depth = 0.1
    empty = link("Empty", None)
    hook = obj.modifiers.new("Hook", "HOOK")
    hook.object = empty
    hook.vertex_indices_set(range(6))
    bpy.context.view_layer.update()
    empty.location = (0, 0, 5)
    np.testing.assert_allclose(path_of(obj).points[:, 2], 5)
    assert path_warnings(obj) == ()


def test_shape_keys_move_the_control_points():
    obj = poly_curve([(0, 0, 0), (1, 0, 0)])
    obj.data.bevel_depth = 0.1
    obj.shape_key_add()
    key = obj.shape_key_add()
    key.data[1].co = (5, 0, 0)
    key.value = 1
    np.testing.assert_allclose(path_of(obj).points, [(0, 0, 0), (5, 0, 0)])


def test_edges_that_nodes_make_from_a_curve_are_read():
    obj = random_bezier(False)
    obj.data.resolution_u = 16
    exact = path_of(obj)
    resample_to_mesh(obj)
    path = path_of(obj)
    assert len(path.points) != len(exact.points)
    assert distance_to_path(path.points, exact) < 1e-3


def test_nodes_that_give_faces_are_named():
    obj = random_bezier(False)
    resample_to_mesh(obj)
    nodes = obj.modifiers[0].node_group
    circle = nodes.nodes.new("GeometryNodeCurvePrimitiveCircle")
    convert = next(node for node in nodes.nodes if node.bl_idname == "GeometryNodeCurveToMesh")
    nodes.links.new(circle.outputs[0], convert.inputs["Profile Curve"])
    with pytest.raises(InputError, match=r"'Path' turns into \d+ faces"):
        paths_of(obj)


# Paths: bad input


def test_a_path_without_points_is_named():
    with pytest.raises(InputError, match=r"'Empty Path' has no points"):
        paths_of(link("Empty Path", bpy.data.curves.new("Empty Path", "CURVE")))
    with pytest.raises(InputError, match=r"'No Mesh' has no points"):
        paths_of(mesh_object("No Mesh", []))
    with pytest.raises(InputError, match=r"'No Curves' has no points"):
        paths_of(link("No Curves", bpy.data.hair_curves.new("No Curves")))


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan"), float("inf")])
def test_a_radius_must_be_positive(radius):
    obj = poly_curve([(0, 0, 0), (1, 0, 0)])
    with pytest.raises(InputError, match="radius"):
        paths_of(obj, radius=radius)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_a_chord_tolerance_must_be_positive(tolerance):
    with pytest.raises(InputError, match="chord tolerance"):
        paths_of(poly_curve([(0, 0, 0), (1, 0, 0)]), tolerance=tolerance)


def test_point_radii_must_not_be_negative():
    obj = random_bezier(False, [1, -1, 1, 1])
    with pytest.raises(InputError, match=r"'Path' has 1 of 4 points whose radius"):
        paths_of(obj)


def test_control_points_that_are_not_numbers_are_counted():
    obj = random_bezier(False)
    obj.data.splines[0].bezier_points[1].co.x = float("nan")
    with pytest.raises(InputError, match=r"'Path' has 1 of 4 points"):
        paths_of(obj)
    obj = random_bezier(False)
    obj.data.splines[0].bezier_points[1].handle_left.x = float("inf")
    with pytest.raises(InputError, match=r"\(handles\)' has 1 of 8 points"):
        paths_of(obj)


def test_nurbs_weights_must_be_positive():
    obj = poly_curve(np.eye(4, 3), kind="NURBS")
    obj.data.splines[0].points[1].co.w = 0
    with pytest.raises(InputError, match=r"'Path' has 1 of 4 points whose weight"):
        paths_of(obj)


def test_too_many_points_for_a_sweep_are_refused(monkeypatch):
    monkeypatch.setattr(curves, "MOST_POINTS", 1000)
    with pytest.raises(InputError, match=r"path 'Path': a curve would take [\d,]+ points"):
        paths_of(random_bezier(False), tolerance=1e-6)
    monkeypatch.setattr(read, "MOST_POINTS", 6)
    with pytest.raises(InputError, match=r"path 'Curves' would take more than 6 points"):
        paths_of(curves_object(np.arange(21).reshape(7, 3), sizes=[4, 3]))


def test_a_stock_is_no_path():
    with pytest.raises(InputError, match=r"'Box' is no path"):
        paths_of(box())
    assert not is_path(box()) and is_stock(box())
    assert not is_path(link("Empty", None))


@pytest.mark.parametrize("kind", ["POLY", "NURBS"])
def test_a_point_of_radius_0_is_a_tip(kind):
    """As by Alt S, or by a pen without pressure."""
    line = paths_of(poly_curve([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [1.0, 0.5, 0.0], kind=kind), radius=0.2)[0]
    assert line.radii.min() == line.radii[-1] == 0
    assert Sweep.from_paths([line]).left_out == 0


def test_subdividing_makes_no_stock_of_edges_and_leaves_one_of_faces():
    edges, faces = mesh_object("Edges", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)]), box("Faces")
    for obj in (edges, faces):
        obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for obj in (edges, faces):
        assert is_stock(obj) == (len(obj.evaluated_get(depsgraph).data.polygons) > 0)
        assert is_path(obj) != is_stock(obj)
