"""Fit Path to Groove: a curve drawn roughly along a groove whose path was forgotten."""

from math import pi, sin
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import bezier_curve, box, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute import sweep_distance  # noqa: E402

RESOLUTION, SIZE = 96, 2.0
VOXEL = SIZE / RESOLUTION
DEPTH = 0.12
# An S in the top face of the box, whose tool grows.
TRUE = np.array([(0.7 * x, 0.35 * sin(pi * x), 1.0) for x in np.linspace(-1, 1, 9)])
TRUE_RADII = np.linspace(DEPTH, 1.5 * DEPTH, len(TRUE))


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture
def groove():
    """A box with a groove, and nothing that tells where it came from."""
    stock, path = box(size=(SIZE,) * 3), poly_curve(TRUE, TRUE_RADII / DEPTH)
    path.data.bevel_depth = DEPTH
    select(stock, path)
    assert bpy.ops.object.voxel_carve(radius_mode="CURVE", resolution=RESOLUTION) == {"FINISHED"}
    result = bpy.context.view_layer.objects.active
    select(result)
    bpy.ops.object.voxel_carve_apply()
    for obj in (stock, path):
        bpy.data.objects.remove(obj)
    return result


def rough(seed=1):
    """The points of the path, off by up to two voxels each."""
    return TRUE + np.random.default_rng(seed).uniform(-2 * VOXEL, 2 * VOXEL, TRUE.shape)


def fit(mesh, path, **settings):
    select(mesh, path)
    bpy.context.view_layer.update()
    return bpy.ops.curve.voxel_carve_fit_path(**settings)


def control_points(obj):
    """World-space points and radii of all splines of polylines."""
    points = [point for spline in obj.data.splines for point in spline.points]
    places = np.array([obj.matrix_world @ point.co.xyz for point in points])
    return places, np.array([point.radius for point in points]) * obj.data.bevel_depth * obj.scale.x


def off_the_axis(points, line):
    """The distance of each point from a polyline."""
    start, along = line[:-1], np.diff(line, axis=0)
    place = ((points[:, None] - start) * along).sum(axis=-1) / (along**2).sum(axis=-1)
    nearest = start + np.clip(place, 0, 1)[..., None] * along
    return np.linalg.norm(points[:, None] - nearest, axis=-1).min(axis=1)


def test_a_forgotten_path_is_found_again(groove):
    path = poly_curve(rough())
    path.data.bevel_depth = 1.2 * DEPTH
    assert fit(groove, path) == {"FINISHED"}
    points, radii = control_points(path)
    assert len(points) == len(TRUE)
    assert off_the_axis(points, TRUE).max() < 0.05 * VOXEL
    assert np.abs(radii - np.interp(points[:, 0], TRUE[:, 0], TRUE_RADII)).max() < 0.05 * VOXEL


def test_a_moved_curve_without_a_bevel_is_fitted_where_it_is(groove):
    path = poly_curve((rough() - (0.3, 0.2, 0.1)) / 2)
    path.location, path.scale = (0.3, 0.2, 0.1), (2, 2, 2)
    assert fit(groove, path, radius=1.2 * DEPTH) == {"FINISHED"}
    points, radii = control_points(path)
    assert off_the_axis(points, TRUE).max() < 0.05 * VOXEL
    assert np.abs(radii - np.interp(points[:, 0], TRUE[:, 0], TRUE_RADII)).max() < 0.05 * VOXEL


def test_a_bezier_curve_becomes_a_polyline(groove):
    ends = np.array([TRUE[0], TRUE[4], TRUE[-1]])
    along = np.array([(0.25, -0.3, 0), (0.25, 0.3, 0), (0.25, -0.3, 0)])
    path = bezier_curve(ends, ends - along, ends + along)
    path.data.bevel_depth = DEPTH
    assert fit(groove, path) == {"FINISHED"}
    assert [spline.type for spline in path.data.splines] == ["POLY"]
    walls = np.array([vertex.co for vertex in groove.data.vertices])
    walls = walls[np.abs(walls).max(axis=1) < SIZE / 2 - 0.01 * VOXEL]
    assert len(walls) > 1000
    # Points too many may lie beside the axis, in the balls of others; and no point may lie at a bend.
    off = np.abs(sweep_distance(walls, control_points(path)).distance)
    assert np.quantile(off, 0.9) < 0.05 * VOXEL and off.max() < 2 * VOXEL


def test_the_mesh_stays_as_it_was(groove):
    before = [tuple(vertex.co) for vertex in groove.data.vertices]
    path = poly_curve(rough())
    path.data.bevel_depth = DEPTH
    fit(groove, path)
    assert [tuple(vertex.co) for vertex in groove.data.vertices] == before


def test_a_curve_far_from_any_groove_is_refused_and_stays(groove):
    path = poly_curve([(5, 5, 5), (6, 5, 5)])
    path.data.bevel_depth = DEPTH
    with pytest.raises(RuntimeError, match="groove"):
        fit(groove, path)
    assert np.allclose(control_points(path)[0], [(5, 5, 5), (6, 5, 5)])


def shared(path):
    other = path.copy()
    bpy.context.collection.objects.link(other)


def with_modifier(path):
    path.modifiers.new("Wave", "WAVE")


def with_shape_key(path):
    path.shape_key_add(name="Basis")


def shown_in_part(path):
    path.data.bevel_depth, path.data.bevel_factor_end = DEPTH, 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (shown_in_part, "shows a part of its bevel: set its start to 0 and its end to 1"),
        (shared, "shares its curve with other objects: make it single user"),
        (with_modifier, "has modifiers or shape keys: apply them"),
        (with_shape_key, "has modifiers or shape keys: apply them"),
    ],
)
def test_a_curve_whose_points_do_not_tell_its_shape_is_refused(change, message):
    stock, path = box(), poly_curve(TRUE)
    change(path)
    with pytest.raises(RuntimeError, match=message):
        fit(stock, path)


def test_without_a_mesh_or_with_two_curves_it_cannot_start():
    stock, path, other = box(), poly_curve(TRUE), poly_curve(TRUE)
    for objs in ((path,), (stock,), (stock, path, other), (stock, box(), path)):
        select(*objs)
        assert not bpy.ops.curve.voxel_carve_fit_path.poll()
    select(stock, path)
    assert bpy.ops.curve.voxel_carve_fit_path.poll()
