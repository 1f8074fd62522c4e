"""The radius of texts and filled curves without a bevel, against closed forms and Blender's own fill."""

import math
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from tests.ui.test_panel import drawn  # noqa: E402
from voxel_carve.scene.reading.outlines import RADIUS_SHARE  # noqa: E402
from voxel_carve.scene.reading.path_warnings import path_warnings  # noqa: E402
from voxel_carve.scene.reading.read import own_radius, read_paths  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def filled(points):
    obj = poly_curve(points, cyclic=True, dimensions="2D")
    obj.data.fill_mode = "BOTH"
    return obj


def strip(length=4.0, width=0.2, **values):
    points = [(0, 0, 0), (length, 0, 0), (length, width, 0), (0, width, 0)]
    obj = filled(points)
    for name, value in values.items():
        setattr(obj.data, name, value)
    return obj


def text(body="Carve 8ea", size=1.0):
    bpy.ops.object.text_add()
    obj = bpy.context.object
    obj.data.body, obj.data.size = body, size
    return obj


def ring(outer=1.0, inner=0.9, turned=False):
    """A filled circle with a round hole, whose outline runs either way."""
    angles = np.linspace(0, 2 * math.pi, 256, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(256)])
    obj = filled(outer * circle)
    hole = obj.data.splines.new("POLY")
    hole.points.add(255)
    points = np.column_stack([inner * circle, np.ones(256)])[:: -1 if turned else 1]
    hole.points.foreach_set("co", points.astype(np.float32).ravel())
    hole.points.foreach_set("radius", np.ones(256))
    hole.use_cyclic_u = True
    return obj


def read_radius(obj):
    bpy.context.view_layer.update()
    radii = np.concatenate([path.radii for path in read_paths(obj, bpy.context.evaluated_depsgraph_get(), 9.0, 1e-3)])
    assert np.ptp(radii) < 1e-9
    return float(radii[0])


def test_a_strip_gives_a_quarter_of_its_width():
    expected = RADIUS_SHARE * 2 * (4 * 0.2) / (2 * 4.2)
    assert own_radius(strip()) == pytest.approx(expected, rel=1e-5)
    assert expected == pytest.approx(0.2 / 4, rel=0.05)


@pytest.mark.parametrize("turned", [False, True])
def test_a_hole_is_no_part_of_the_stroke_whichever_way_it_runs(turned):
    assert own_radius(ring(turned=turned)) == pytest.approx(0.1 / 4, rel=1e-3)


def test_a_text_has_the_area_that_blender_fills():
    obj = text()
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    area = sum(polygon.area for polygon in mesh.polygons)
    sides = np.array([edge.vertices[:] for edge in mesh.edges])
    faces = np.bincount([mesh.loops[loop].edge_index for each in mesh.polygons for loop in each.loop_indices])
    points = np.array([vertex.co[:] for vertex in mesh.vertices])
    length = np.linalg.norm(points[sides[:, 0]] - points[sides[:, 1]], axis=1)[faces == 1].sum()
    evaluated.to_mesh_clear()
    assert own_radius(obj) == pytest.approx(RADIUS_SHARE * 2 * area / length, rel=0.01)


def test_a_larger_text_has_a_larger_radius():
    assert read_radius(text(size=3)) == pytest.approx(3 * read_radius(text()), rel=1e-4)
    scaled = text()
    scaled.scale = (3, 3, 3)
    assert read_radius(scaled) == pytest.approx(3 * read_radius(text()), rel=1e-4)


def test_a_bevel_comes_first_and_what_is_not_filled_has_no_radius():
    assert own_radius(strip(bevel_depth=0.3)) == pytest.approx(0.3)
    assert own_radius(strip(fill_mode="NONE")) == own_radius(strip(dimensions="3D")) == 0
    assert own_radius(poly_curve([(0, 0, 0), (1, 1, 0)], dimensions="2D")) == 0
    assert own_radius(text(" ")) == 0


def test_the_panel_shows_the_radius_that_the_carve_uses():
    stock, path, settings = box(size=(4, 2, 0.5)), text("I", 2.0), scene_settings(bpy.context)
    path.location = (-0.3, -0.7, 0.25)
    settings.resolution = 256
    select(stock, path)
    radius = read_radius(path)
    shown = next(label for label in drawn().labels if label.endswith(" cm") and not label.startswith("Voxel"))
    assert float(shown.split()[0]) == pytest.approx(100 * radius, rel=0.01)
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    obj = bpy.context.object
    inside = [obj.matrix_world @ vertex.co for vertex in obj.data.vertices]
    heights = [point.z for point in inside if point.z > -0.2 and abs(point.x) < 1.9 and abs(point.y) < 0.9]
    assert min(heights) == pytest.approx(0.25 - radius, abs=2e-3)


@pytest.mark.parametrize("fill", ["FRONT", "BACK", "BOTH"])
def test_a_modifier_on_the_fill_is_told(fill):
    obj = strip(fill_mode=fill)
    obj.modifiers.new("Thick", "SOLIDIFY")
    assert any("modifier 'Thick' of" in warning for warning in path_warnings(obj))
