"""What the window shows of a path is what is cut, or a sentence says what is not."""

from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, curves_object, link, mesh_object, poly_curve

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from voxel_carve.compute import EmptySweepError  # noqa: E402
from voxel_carve.scene.reading.path_warnings import path_warnings  # noqa: E402
from voxel_carve.scene.reading.read import own_radius, read_paths  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def shown(obj):
    """(N, 3) the vertices that Blender shows of an object, in world space."""
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.array([tuple(evaluated.matrix_world @ vertex.co) for vertex in mesh.vertices])
    evaluated.to_mesh_clear()
    return points


def cut(obj, radius=0.1, **options):
    bpy.context.view_layer.update()
    return read_paths(obj, bpy.context.evaluated_depsgraph_get(), radius, 1e-4, **options)


def off_the_axis(points, paths):
    """The distance of each point from the nearest polyline, by brute force."""
    best = np.full(len(points), np.inf)
    for path in paths:
        for start, end in zip(path.points, path.points[1:], strict=False):
            along = end - start
            share = np.clip((points - start) @ along / max(along @ along, 1e-30), 0, 1)
            best = np.minimum(best, np.linalg.norm(points - start - share[:, None] * along, axis=1))
    return best


def assert_what_is_shown_is_cut(obj):
    """All that is shown lies on the surface that is cut, of the same radius everywhere, and nothing is told."""
    paths = cut(obj)
    (radius,) = {float(radius) for path in paths for radius in path.radii}
    np.testing.assert_allclose(off_the_axis(shown(obj), paths), radius, atol=2e-3 * radius)
    assert path_warnings(obj) == ()


def straight(**settings):
    """A curve of two points with a round bevel whose sides are fine."""
    obj = poly_curve([(-1, 5, 10), (11, 5, 10)])
    obj.data.bevel_depth, obj.data.bevel_resolution = 0.3, 8
    for name, value in settings.items():
        setattr(obj.data, name, value)
    return obj


def with_bevel_object(holder, scale=(1, 1, 1)):
    # Blender scales a bevel object, and neither moves nor turns it.
    holder.scale, holder.location, holder.rotation_euler = scale, (20, 3, 1), (1, 2, 3)
    return straight(bevel_mode="OBJECT", bevel_object=holder)


def ring(radius=0.3, adder="bezier"):
    getattr(bpy.ops.curve, f"primitive_{adder}_circle_add")(radius=radius)
    bpy.context.object.data.resolution_u = 32
    return bpy.context.object


def array(obj):
    modifier = obj.modifiers.new("Copies", "ARRAY")
    modifier.use_relative_offset, modifier.use_constant_offset = False, True
    modifier.constant_offset_displace, modifier.count = (0, 2, 0), 3
    return obj


def shrinkwrapped_text(**settings):
    """A text above a box, laid onto its top at a height of 1."""
    text = bpy.data.curves.new("Text", "FONT")
    text.body = "oi"
    for name, value in settings.items():
        setattr(text, name, value)
    obj = link("Text", text)
    obj.location = (-0.5, -0.3, 4)
    modifier = obj.modifiers.new("Wrap", "SHRINKWRAP")
    modifier.target, modifier.wrap_method = box(), "PROJECT"
    modifier.use_project_z = modifier.use_negative_direction = modifier.use_apply_on_spline = True
    return obj


def select(*objs):
    bpy.context.view_layer.update()
    for each in bpy.context.view_layer.objects:
        each.select_set(each in objs)
    bpy.context.view_layer.objects.active = objs[0]


# Bevels


def test_a_round_bevel_is_cut_as_shown():
    assert_what_is_shown_is_cut(straight())


@pytest.mark.parametrize("adder", ["bezier", "nurbs"])
@pytest.mark.parametrize("scale", [1, 2])
def test_a_round_bevel_object_gives_its_radius(adder, scale):
    obj = with_bevel_object(ring(0.3, adder), (scale, scale, 5))
    assert_what_is_shown_is_cut(obj)
    assert own_radius(obj) == pytest.approx(0.3 * scale, rel=1e-3)


def test_a_bevel_object_counts_in_place_of_the_bevel_depth():
    obj = with_bevel_object(ring(0.3))
    obj.data.bevel_depth = 2
    assert_what_is_shown_is_cut(obj)


def test_a_bevel_object_that_shape_keys_change_is_cut_as_shown():
    holder = ring(0.3)
    holder.shape_key_add()
    key = holder.shape_key_add()
    for point in key.data:
        point.co, point.handle_left, point.handle_right = 2 * point.co, 2 * point.handle_left, 2 * point.handle_right
    key.value = 1
    obj = with_bevel_object(holder)
    assert_what_is_shown_is_cut(obj)
    assert own_radius(obj) == pytest.approx(0.6, rel=1e-3)


def test_a_bevel_object_that_a_modifier_on_the_spline_changes_is_cut_as_shown():
    holder = ring(0.3)
    modifier = holder.modifiers.new("Round", "CAST")
    modifier.factor, modifier.size, modifier.use_apply_on_spline = 1, 0.5, True
    modifier.use_radius_as_size = False
    assert_what_is_shown_is_cut(with_bevel_object(holder))


def test_a_bevel_object_with_a_bevel_is_none():
    """Blender then shows the path without any."""
    holder = ring(0.3)
    holder.data.bevel_depth = 0.02
    obj = with_bevel_object(holder)
    assert own_radius(obj) == 0 and off_the_axis(shown(obj), cut(obj)).max() < 1e-6


@pytest.mark.parametrize(
    "points",
    [
        [(0.5, 0, 0), (0, 0.5, 0), (-0.5, 0, 0), (0, -0.5, 0)],
        [(0.1 + 0.3 * np.cos(t), 0.3 * np.sin(t), 0) for t in np.linspace(0, 2 * np.pi, 32, endpoint=False)],
        [(0.9 + 0.01 * np.cos(t), 0.01 * np.sin(t), 0) for t in np.linspace(0, 2 * np.pi, 32, endpoint=False)],
    ],
    ids=["diamond", "off the path", "beside the path"],
)
def test_a_bevel_object_that_is_not_round_is_cut_as_wide_as_it_is_and_told(points):
    obj = with_bevel_object(poly_curve(points, cyclic=True, name="Profile"))
    widest = off_the_axis(shown(obj), cut(obj)).max()
    np.testing.assert_allclose([path.radii for path in cut(obj)], widest, rtol=1e-3)
    assert path_warnings(obj) == ("the bevel of 'Path' is not round: it is cut as round, as wide as it is",)


def test_an_open_bevel_object_is_not_round():
    half = [(0.3 * np.cos(t), 0.3 * np.sin(t), 0) for t in np.linspace(0, np.pi, 32)]
    assert "is not round" in path_warnings(with_bevel_object(poly_curve(half, name="Profile")))[0]


def test_a_bevel_profile_and_an_uneven_bevel_object_are_told():
    for obj in (straight(bevel_mode="PROFILE"), with_bevel_object(ring(), (1, 2, 1))):
        assert ["is not round" in each for each in path_warnings(obj)] == [True]


def test_extrusion_and_offset_are_told():
    assert path_warnings(straight(extrude=1.0)) == ("'Path' is cut without its extrusion: set Extrude to 0",)
    obj = straight(offset=0.8)
    assert path_warnings(obj) == (f"'{obj.name}' is cut without its offset: set Offset to 0",)


def test_a_taper_is_told():
    obj = straight(taper_object=poly_curve([(0, 1, 0), (1, 0.5, 0)], name="Taper"))
    assert path_warnings(obj) == ("'Path' is cut without its taper object: give its points radii",)


# Start and end of the bevel

RING, FINE = 8, 64
BENDS = np.array([(0, 0, 0), (1, 0, 0.5), (1, 0, 0.5), (1, 2, 0), (4, 2, 1), (4.5, -1, 0)])
RADII = [0.5, 0.7, 0.7, 0.8, 0.9, 1.0]
SHARES = [(0, 0.6), (0.35, 1), (0.15, 0.8), (0.8, 0.15), (0.51, 0.53)]


def bent(kind, start, end, mappings, cyclic=False, resolution=FINE):
    """A curve whose points have radii of their own, and whose bevel is shown in part; its rings have RING vertices."""
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.1, RING // 2 - 2
    curve.bevel_factor_start, curve.bevel_factor_end = start, end
    curve.bevel_factor_mapping_start, curve.bevel_factor_mapping_end = mappings
    spline = curve.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(BENDS) - 1)
        for point, place in zip(spline.bezier_points, BENDS, strict=True):
            point.co, point.handle_left_type, point.handle_right_type = place, "AUTO", "AUTO"
        for point in spline.bezier_points[3:5]:
            point.handle_left_type = point.handle_right_type = "VECTOR"
    else:
        spline.points.add(len(BENDS) - 1)
        for point, place in zip(spline.points, BENDS, strict=True):
            point.co = (*place, 1)
        spline.order_u, spline.use_endpoint_u = 4, True
    for number, point in enumerate(spline.bezier_points if kind == "BEZIER" else spline.points):
        point.radius = RADII[number]
    spline.resolution_u, spline.use_cyclic_u = resolution, cyclic
    return link("Path", curve)


def rings(obj):
    """The middles (N, 3) and radii (N,) of the rings of vertices around a bevelled curve."""
    around = shown(obj).reshape(-1, RING, 3)
    middles = around.mean(axis=1)
    return middles, np.linalg.norm(around - middles[:, None], axis=2).mean(axis=1)


@pytest.mark.parametrize(
    "mappings", [(each,) * 2 for each in ("RESOLUTION", "SEGMENTS", "SPLINE")] + [("RESOLUTION", "SPLINE")]
)
@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
def test_what_the_start_and_end_of_a_bevel_leave_is_cut(kind, mappings):
    for start, end in SHARES:
        obj = bent(kind, start, end, mappings)
        middles, radii = rings(obj)
        (path,) = cut(obj)
        np.testing.assert_allclose(path.points[[0, -1]], middles[[0, -1]], atol=2e-3)
        np.testing.assert_allclose(path.radii[[0, -1]], radii[[0, -1]], rtol=2e-3)
        assert off_the_axis(middles, [path]).max() < 2e-3
        assert path_warnings(obj) == ()


def test_a_part_of_a_polyline_is_cut_as_it_is_shown_however_few_its_points_are():
    for mapping in ("RESOLUTION", "SEGMENTS", "SPLINE"):
        for start, end in SHARES:
            obj = bent("POLY", start, end, (mapping, mapping), resolution=1)
            middles, radii = rings(obj)
            (path,) = cut(obj)
            last = np.append(np.diff(path.points, axis=0).any(axis=1), True)  # Blender shows one of two in one place
            np.testing.assert_allclose(path.points[last], middles, atol=1e-5)
            np.testing.assert_allclose(path.radii[last], radii, rtol=1e-5)


def test_cyclic_splines_and_curves_without_a_bevel_are_cut_whole():
    for kind in ("POLY", "BEZIER", "NURBS"):
        whole, part = (bent(kind, 0, end, ("RESOLUTION",) * 2, cyclic=True) for end in (1, 0.4))
        assert len(shown(whole)) == len(shown(part))
        np.testing.assert_array_equal(cut(part)[0].points, cut(whole)[0].points)
    obj = straight(bevel_depth=0, bevel_factor_end=0.4)
    assert off_the_axis(shown(obj), cut(obj)).max() < 1e-6 and np.ptp(cut(obj)[0].points[:, 0]) == 12


def test_a_bevel_that_ends_where_it_starts_cuts_nothing():
    obj = straight(bevel_factor_start=0.4, bevel_factor_end=0.4)
    assert len(shown(obj)) == 0
    with pytest.raises(EmptySweepError, match=r"the bevel of 'Path' ends where it starts: move its start or end"):
        cut(obj)


def test_a_curve_of_too_few_points_for_its_knots_is_cut_along_its_points():
    obj = poly_curve([(0, 0, 0), (1, 0, 0), (1, 1, 0)], kind="NURBS")
    spline = obj.data.splines[0]
    spline.order_u, spline.use_bezier_u = 3, True
    np.testing.assert_array_equal(cut(obj)[0].points, [(0, 0, 0), (1, 0, 0), (1, 1, 0)])


# Modifiers and instances


def test_modifiers_on_the_faces_of_a_bevel_are_told_and_count_without_it():
    obj = array(straight())
    assert [tuple(path.points[0]) for path in cut(obj)] == [(-1, 5, 10)]
    (warning,) = path_warnings(obj)
    assert warning.startswith("modifier 'Copies' of 'Path' is not cut: remove the curve's bevel")
    obj.modifiers.new("Twist", "SIMPLE_DEFORM")
    assert path_warnings(obj)[0].startswith("modifiers 'Copies', 'Twist' of 'Path' are not cut: remove")
    obj.modifiers.remove(obj.modifiers["Twist"])
    obj.data.bevel_depth = 0
    assert path_warnings(obj) == ()


@pytest.mark.parametrize("radius", [1, 0.25])
def test_copies_of_a_curve_without_a_bevel_are_cut(radius):
    obj = array(straight(bevel_depth=0))
    obj.data.splines[0].points.foreach_set("radius", [radius, radius])
    paths = cut(obj)
    assert sorted(path.points[0, 1] for path in paths) == [5, 7, 9]
    assert {float(each) for path in paths for each in path.radii} == {0.1 * radius}
    assert off_the_axis(shown(obj), paths).max() < 1e-6
    assert path_warnings(obj) == ()


def test_copies_of_a_curve_whose_points_have_several_radii_are_told():
    obj = array(straight(bevel_depth=0))
    obj.data.splines[0].points[1].radius = 2
    assert [list(path.radii) for path in cut(obj)] == [[0.1, 0.2]]
    assert path_warnings(obj) == ("modifier 'Copies' of 'Path' is not cut: convert the curve to a mesh",)


def test_a_modifier_that_makes_faces_is_told():
    obj = straight(bevel_depth=0)
    obj.modifiers.new("Lathe", "SCREW")
    assert len(cut(obj)) == 1
    assert path_warnings(obj) == ("modifier 'Lathe' of 'Path' is not cut: convert the curve to a mesh",)


def test_a_text_that_a_modifier_moves_is_told_and_cut_as_a_curve():
    obj = shrinkwrapped_text()
    assert path_warnings(obj) == ("modifier 'Wrap' of 'Text' is not cut: convert the text to a curve",)
    select(obj)
    bpy.ops.object.convert(target="CURVE")
    obj = bpy.context.object
    assert path_warnings(obj) == ()
    heights = np.concatenate([path.points[:, 2] for path in cut(obj)])
    np.testing.assert_allclose(heights, 1, atol=1e-5)
    assert np.abs(shown(obj)[:, 2] - 1).max() < 1e-5


def test_a_text_without_a_fill_is_cut_where_a_modifier_moves_it():
    obj = shrinkwrapped_text(fill_mode="NONE")
    paths = cut(obj)
    np.testing.assert_allclose(np.concatenate([path.points[:, 2] for path in paths]), 1, atol=1e-5)
    assert off_the_axis(shown(obj), [*paths, *map(closing, paths)]).max() < 2e-4
    assert path_warnings(obj) == ()


def closing(path):
    """The side of a polyline that goes from its last point to its first."""
    return type(path)(path.points[[-1, 0]], path.radii[[-1, 0]])


def test_instances_on_a_parent_are_told():
    obj, parent = straight(), mesh_object("Rack", [(0, 0, 0), (0, 3, 0)])
    obj.parent, parent.instance_type = parent, "VERTS"
    assert path_warnings(obj) == ("the instances of 'Path' on 'Rack' are not cut: make them real",)


# Radii of Curves objects


def curves(radii, **options):
    points = np.array([(1, 5, 10), (5, 5, 10), (9, 5, 10)], dtype=np.float32)
    return curves_object(points, "POLY", attributes={"radius": ("FLOAT", "POINT", np.float32(radii))}, **options)


def test_the_radius_of_a_curves_object_is_a_length():
    obj = curves([0.5, 0.25, 0.5])
    obj.scale = (2, 2, 2)
    (path,) = cut(obj)
    np.testing.assert_allclose(path.radii, [1, 0.5, 1])
    assert own_radius(obj) == 0.5
    (path,) = cut(obj, radius=0.3, use_own_radius=False)
    np.testing.assert_allclose(path.radii, [0.3, 0.15, 0.3])


def test_a_curves_object_without_radii_takes_that_of_the_carve():
    obj = curves_object(np.float32([(1, 5, 10), (5, 5, 10)]), "POLY", attributes={})
    np.testing.assert_allclose(cut(obj)[0].radii, 0.1)
    assert own_radius(obj) == 0
