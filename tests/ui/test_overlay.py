"""The viewport overlay: its lines against analytic truth, when they are read again, and its handlers in Blender."""

import json
import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, curves_object, mesh_object, poly_curve, select
from voxel_carve.compute import Grid, Path, Sweep
from voxel_carve.compute.primitives.segments import Segments

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from mathutils import Matrix  # noqa: E402

import voxel_carve  # noqa: E402
from voxel_carve.settings import scene_settings  # noqa: E402
from voxel_carve.ui import overlay, overlay_read  # noqa: E402
from voxel_carve.ui.overlay_shapes import (  # noqa: E402
    MOST_CIRCLES,
    MOST_SEGMENTS,
    Tubes,
    box_lines,
    drawn_nearer,
    lattice_lines,
    outline_lines,
    ring_lines,
)

EYE = np.array([3.0, -20.0, 7.0, 1.0])
DIRECTION = np.append(EYE[:3] / np.linalg.norm(EYE[:3]), 0.0)
VIEWERS = pytest.mark.parametrize("viewer", [EYE, DIRECTION], ids=["perspective", "orthographic"])


@pytest.fixture(autouse=True)
def empty_scene(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)


def random_path(count, seed=0, cyclic=False):
    random = np.random.default_rng(seed)
    return Path(random.uniform(-4, 4, (count, 3)), random.uniform(0.2, 0.6, count), cyclic)


def distances(paths, points):
    """(K, N): distances of points to each segment of the paths, as the engine computes them; 0 on its surface."""
    sweep = Sweep.from_paths(paths)
    segments = Segments.on_grid(sweep, Grid(np.zeros(3), 1.0, (1, 1, 1)))
    return np.array([segments.distance(np.full(len(points), k), points.astype(float)) for k in range(len(segments))])


def off(paths, points):
    """(N,): distances of points from the nearest surface of a segment, or of a ball at a point of a path."""
    balls = [
        Path(point[None], radius[None]) for path in paths for point, radius in zip(path.points, path.radii, strict=True)
    ]
    return np.abs(np.vstack([distances(paths, points), distances(balls, points)])).min(axis=0)


def test_a_box_has_its_twelve_edges():
    lines = box_lines((1, 2, 3), (2, 4, 6)).reshape(12, 2, 3)
    assert {tuple(point) for point in lines.reshape(-1, 3)} == {
        (x, y, z) for x in (1, 2) for y in (2, 4) for z in (3, 6)
    }
    assert sorted(np.abs(lines[:, 1] - lines[:, 0]).sum(axis=1)) == [1] * 4 + [2] * 4 + [3] * 4
    assert len({tuple(map(tuple, line)) for line in lines}) == 12


def test_a_lattice_joins_visible_neighbours():
    points = np.stack(np.meshgrid(np.arange(3), np.arange(3), [0], indexing="ij"), axis=-1)[:, :, 0]
    shown = np.ones((3, 3), dtype=bool)
    assert len(lattice_lines(points, shown)) == 2 * 12
    shown[1, 1] = False
    lines = lattice_lines(points, shown).reshape(-1, 2, 3)
    assert len(lines) == 8 and not (lines == (1, 1, 0)).all(axis=2).any()
    assert np.allclose(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1), 1)


@VIEWERS
def test_every_outline_and_ring_of_a_cone_lies_on_it(viewer):
    for seed in range(20):
        path = random_path(2, seed)
        tubes = Tubes.of([path])
        for lines in (ring_lines(tubes), outline_lines(tubes, viewer)):
            assert len(lines) > 0 and off([path], lines).max() < 1e-5
            # the last line of a cap may reach into the cone by half its length: one of 48 around a ball of at most 0.6
            inside = 0.6 * (1 - np.cos(np.pi / 48))
            assert -inside < distances([path], lines).min() and distances([path], lines).max() < 1e-5


@VIEWERS
def test_sides_touch_the_cone_along_their_length_and_are_seen_edge_on(viewer):
    path = random_path(2, seed=3)
    sides = outline_lines(Tubes.of([path]), viewer)[:4].astype(float).reshape(2, 2, 3)
    for start, end in sides:
        along = start + np.linspace(0, 1, 9)[:, None] * (end - start)
        assert np.abs(distances([path], along)).max() < 1e-5
        # toward the viewer and away, the line of sight leaves the cone: it is tangent
        sight = viewer[:3] - viewer[3] * along
        sight /= np.linalg.norm(sight, axis=1)[:, None]
        for step in (-0.1, 0.1):
            assert (distances([path], along + step * sight)[0] > 1e-4).all()
    # one on each side of the axis
    middle = (path.points[0] + path.points[1]) / 2
    toward = viewer[:3] - viewer[3] * middle
    across = np.cross(toward, path.points[1] - path.points[0])
    assert sorted(np.sign((sides.mean(axis=1) - middle) @ across)) == [-1, 1]


@VIEWERS
def test_a_ball_is_a_circle_that_is_seen_edge_on(viewer):
    centre, radius = np.array([1.0, 2.0, 3.0]), 0.5
    lines = outline_lines(Tubes.of([Path(centre[None], np.array(radius))]), viewer).astype(float)
    assert np.allclose(np.linalg.norm(lines - centre, axis=1), radius, atol=1e-6)
    sight = viewer[:3] - viewer[3] * lines
    assert np.allclose(np.einsum("ij,ij->i", lines - centre, sight), 0, atol=1e-5)
    assert np.ptp(lines, axis=0).max() > 1.9 * radius


def test_points_that_are_not_joined_are_drawn_as_balls():
    one, line = random_path(20), random_path(5, seed=1)
    tubes = Tubes.of([Path(one.points, one.radii, joined=False), line])
    each = Tubes.of([*(Path(p[None], r[None]) for p, r in zip(one.points, one.radii, strict=True)), line])
    for name in ("centre", "radius", "axis", "length", "slope", "joined", "free"):
        assert np.array_equal(getattr(tubes, name), getattr(each, name))
    assert len(ring_lines(tubes)) > 20 and len(outline_lines(tubes, EYE)) > 20


def test_a_ball_that_contains_the_other_end_is_drawn_alone():
    path = Path([(0, 0, 0), (0.1, 0, 0)], np.array([0.2, 1.0]))
    tubes = Tubes.of([path])
    for lines in (ring_lines(tubes), outline_lines(tubes, EYE)):
        assert np.allclose(np.linalg.norm(lines - (0.1, 0, 0), axis=1), 1, atol=1e-6)


def test_a_viewer_in_a_ball_or_behind_an_end_sees_no_outline_of_it():
    path = Path([(0, 0, 0), (0, 0, 1)], np.array(0.5))
    assert len(outline_lines(Tubes.of([path]), (0, 0, 0.1, 1))) == 0
    end_on = outline_lines(Tubes.of([path]), (0, 0, 1, 0))
    assert len(end_on) > 0 and np.allclose(np.hypot(*end_on[:, :2].T), 0.5, atol=1e-6)


@VIEWERS
def test_round_caps_complete_the_outline_and_nothing_is_drawn_inside(viewer):
    """In the image plane, the outline of a straight tube is one closed curve: a stadium."""
    path = Path([(-2, 0, 0), (2, 0, 0)], np.array(0.5))
    lines = outline_lines(Tubes.of([path]), viewer).astype(float)
    sides, caps = lines[:4], lines[4:]
    assert len(caps) > 40 and (np.abs(caps[:, 0]) > 2 - 0.2).all()  # about the ends, not along the tube
    for point in sides:
        assert np.linalg.norm(caps - point, axis=1).min() < 0.1


def test_a_bent_tube_has_no_gaps_and_every_point_at_its_radius():
    angle = np.linspace(0, 5, 60)
    path = Path(np.column_stack([3 * np.cos(angle), 3 * np.sin(angle), angle]), np.linspace(0.2, 0.4, 60))
    tubes = Tubes.of([path])
    lines = outline_lines(tubes, EYE)
    sides = lines[: 2 * 2 * 59].reshape(2, 59, 2, 3)
    assert np.allclose(sides[:, :-1, 1], sides[:, 1:, 0], atol=1e-6)
    for end in (0, 1):
        off = np.linalg.norm(sides[:, :, end] - tubes.centre[end], axis=2)
        assert np.allclose(off, tubes.radius[end], atol=1e-6)


@VIEWERS
@pytest.mark.parametrize("cyclic", [False, True])
def test_a_path_with_corners_keeps_to_its_segments(viewer, cyclic):
    path = random_path(6, seed=5, cyclic=cyclic)
    tubes = Tubes.of([path])
    assert len(tubes) == 6 if cyclic else 5
    for lines in (ring_lines(tubes), outline_lines(tubes, viewer)):
        assert len(lines) > 0 and off([path], lines).max() < 1e-5


def test_paths_are_not_joined_to_each_other():
    paths = [random_path(2, 1), Path([(9, 9, 9)], np.array(1.0)), random_path(3, 2)]
    tubes = Tubes.of(paths)
    assert tubes.joined.tolist() == [False, False, False, True]
    assert tubes.free.tolist() == [[True, True, True, False], [True, True, False, True]]


def test_points_in_one_place_and_no_paths_at_all():
    twice = Path([(0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 0, 0)], np.array(0.1))
    assert len(Tubes.of([twice])) == 1
    none = Tubes.of([])
    assert len(none) == len(ring_lines(none)) == len(outline_lines(none, EYE)) == 0


@pytest.mark.parametrize("shape", [(1, 120_001), (1000, 121), (60_000, 2)])
def test_long_sweeps_have_no_more_lines_than_a_view_can_take(shape):
    count, points = shape
    random = np.random.default_rng(0)
    paths = [Path(random.normal(size=(points, 3)), np.array(0.1)) for _ in range(count)]
    tubes = Tubes.of(paths)
    assert MOST_SEGMENTS / 2 <= len(tubes) <= MOST_SEGMENTS
    most = 4 * MOST_SEGMENTS + 2 * 16 * MOST_CIRCLES
    assert 2 * len(tubes) < len(outline_lines(tubes, EYE)) <= most
    assert 0 < len(ring_lines(tubes)) <= 2 * 16 * MOST_CIRCLES + 1000


def perspective(near=0.1, far=100.0):
    return np.array(
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, (near + far) / (near - far), 2 * near * far / (near - far)], [0, 0, -1, 0]]
    )


def orthographic(far=100.0):
    return np.array([[0.1, 0, 0, 0], [0, 0.1, 0, 0], [0, 0, -1 / far, 0], [0, 0, 0, 1.0]])


@pytest.mark.parametrize(("projection", "nearer"), [(perspective(), 0.01 * 8), (orthographic(), 0.01 * 5)])
def test_lines_are_drawn_nearer_and_in_the_same_place(projection, nearer):
    point = np.array([2.0, -1.0, -8.0, 1.0])
    drawn = drawn_nearer(projection, 0.01, 5.0) @ point
    before, moved = projection @ point, projection @ (point + np.array([0, 0, nearer, 0]))
    assert np.allclose(drawn[:2] / drawn[3], before[:2] / before[3])
    assert np.isclose(drawn[2] / drawn[3], moved[2] / moved[3], atol=2e-5)
    assert drawn[2] / drawn[3] < before[2] / before[3]


def shown(*objs):
    """The lines for these objects, as a view drawn now would have them."""
    select(*objs)
    return refreshed()


def refreshed():
    bpy.context.view_layer.update()
    return overlay.refresh(bpy.context)


def test_the_grid_is_that_of_the_carve(monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    stock, path, settings = box("Part"), poly_curve([(0, 0, 0), (3, 0, 1)]), scene_settings(bpy.context)
    stock.rotation_euler = (0.3, 0.2, 0.1)
    settings.resolution = 24
    lines = shown(stock, path)
    grid = lines.grid
    low, high = lines.box.min(axis=0), lines.box.max(axis=0)
    assert np.allclose(low, grid.origin) and np.allclose((high - low) / grid.voxel_size, grid.shape[::-1])
    assert bpy.ops.object.voxel_carve() == {"FINISHED"}
    report = json.loads(bpy.context.object["voxel_carve_report"])
    assert report["grid_shape"] == list(grid.shape) and np.isclose(report["voxel_size"], grid.voxel_size)


def test_a_union_has_room_for_the_sweep():
    stock, path, settings = box("Part"), poly_curve([(0, 0, 0), (9, 0, 0)]), scene_settings(bpy.context)
    settings.radius_mode, settings.radius = "VALUE", 1.5
    assert shown(stock, path).box[:, 0].max() < 2
    settings.operation = "UNION"
    assert refreshed().box[:, 0].max() >= 10.5


def test_the_radius_is_the_bevel_or_the_value_or_a_share_of_the_stock():
    stock, path, settings = box("Part", (4, 2, 2)), poly_curve([(0, 0, 0), (1, 0, 0)]), scene_settings(bpy.context)
    assert np.allclose(shown(stock, path).tubes.radius, 4 / 20)
    path.data.bevel_depth = 0.3
    assert np.allclose(refreshed().tubes.radius, 0.3)
    settings.radius_factor = 2
    assert np.allclose(refreshed().tubes.radius, 0.6)
    settings.radius_mode, settings.radius = "VALUE", 0.125
    assert np.allclose(refreshed().tubes.radius, 0.25)


def test_lines_are_read_again_when_what_they_show_has_changed():
    stock, path, other = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)]), box("Other", (8, 8, 8))
    settings = scene_settings(bpy.context)
    lines = shown(stock, path)

    def change(function):
        nonlocal lines
        function()
        before, lines = lines, refreshed()
        return lines is not before

    assert not change(lambda: None)
    assert change(lambda: setattr(settings, "resolution", 100))
    assert change(lambda: setattr(settings, "radius_factor", 1.5))
    assert change(lambda: setattr(path, "location", (0, 1, 0)))
    assert change(lambda: setattr(stock, "scale", (1, 2, 1)))
    assert change(lambda: setattr(path.data, "bevel_depth", 0.2))
    assert change(lambda: setattr(path.data.splines[0].points[0], "radius", 2))
    assert change(lambda: stock.modifiers.new("Array", "ARRAY"))
    assert change(lambda: setattr(stock.modifiers[0], "count", 3))
    assert change(lambda: path.select_set(False))
    # changes that do not affect the lines
    assert not change(lambda: setattr(other, "location", (5, 5, 5)))
    assert not change(lambda: other.data.transform(Matrix.Scale(2, 4)))
    assert not change(lambda: setattr(settings, "adaptivity", 0.5))
    assert not change(lambda: setattr(path.data, "bevel_depth", 0.1))


def test_an_animated_radius_is_followed():
    stock, path = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)])
    for frame, depth in ((1, 0.1), (11, 0.3)):
        path.data.bevel_depth = depth
        path.data.keyframe_insert("bevel_depth", frame=frame)
    bpy.context.scene.frame_set(1)
    assert np.allclose(shown(stock, path).tubes.radius, 0.1)
    bpy.context.scene.frame_set(11)
    assert np.allclose(refreshed().tubes.radius, 0.3)


def test_a_path_is_drawn_as_far_as_it_has_a_radius():
    stock, path = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], radii=[1, 0, 0, 0])
    assert len(shown(stock, path).tubes) == 1
    for point in path.data.splines[0].points:
        point.radius = 0
    path.data.update_tag()
    assert len(refreshed().tubes) == 0 and overlay.overlay_message() == ""


def test_read_errors_are_shown_and_not_raised():
    stock, path = box("Part"), poly_curve([(0, 0, 0), (1, 0, 0)], radii=[1, -1])
    assert shown(stock, path) is None
    assert "radius" in overlay.overlay_message()
    path.data.splines[0].points[1].radius = 1
    path.data.update_tag()
    assert refreshed() is not None and overlay.overlay_message() == ""
    settings = scene_settings(bpy.context)
    settings.size_mode, settings.voxel_size = "SIZE", 50.0
    assert refreshed() is None and "Voxel size" in overlay.overlay_message()


def test_nothing_is_shown_without_a_stock_and_the_grid_for_a_stock_alone():
    path, stock = poly_curve([(0, 0, 0), (1, 0, 0)]), box("Part")
    assert shown(path) is None and overlay.overlay_message() == ""
    assert len(shown(stock).tubes) == 0
    bpy.ops.object.mode_set(mode="EDIT")
    assert len(refreshed().box) == 24


@pytest.mark.parametrize("kind", ["CURVES", "EDGES"])
def test_other_paths_are_shown_as_well(kind):
    line = [(0, 0, 0), (3, 0, 1)]
    path = curves_object(line) if kind == "CURVES" else mesh_object("Tool", line, edges=[(0, 1)])
    assert np.allclose(shown(box("Part"), path).tubes.centre[:, 0], line)


@pytest.mark.parametrize("viewer", [(0.1, 0.2, 9, 1), (0.1, 0.2, 9, 0)])
def test_squares_of_voxels_lie_on_the_stock_at_their_true_size(viewer):
    stock = box("Part", (2, 2, 2), (0, 0, 0))
    stock.scale = (2, 1, -1)
    bpy.context.view_layer.update()
    evaluated = stock.evaluated_get(bpy.context.evaluated_depsgraph_get())
    place = overlay_read.patch_place(evaluated, np.array(viewer, dtype=float), np.array([0.0, 0.0, -1.0]))
    assert np.allclose(place.point, (0.1, 0.2, 1)) and np.allclose(place.normal, (0, 0, 1))
    lines = overlay_read.patch_lines(evaluated, 0.05, place).reshape(-1, 2, 3)
    assert len(lines) == 2 * 8 * 9 and np.allclose(lines[:, :, 2], 1)
    assert np.allclose(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1), 0.05)
    # squares beyond the border of the face are left out
    edge = overlay_read.PatchPlace((2.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    assert overlay_read.patch_lines(evaluated, 0.05, edge)[:, 0].max() <= 2


def test_the_middle_of_the_stock_is_shown_if_the_view_misses_it():
    evaluated = box("Part", centre=(10, 0, 0)).evaluated_get(bpy.context.evaluated_depsgraph_get())
    for viewer in ((0.0, 0.0, 9.0, 1.0), (0.0, 0.0, 9.0, 0.0)):
        place = overlay_read.patch_place(evaluated, np.array(viewer), np.array([0.0, 0.0, -1.0]))
        assert 9 <= place.point[0] <= 11


def handlers():
    names = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_post")
    return {name: [each for each in getattr(bpy.app.handlers, name) if "overlay" in each.__module__] for name in names}


def test_handlers_survive_loading_and_are_removed_with_the_extension():
    assert all(len(found) == 1 for found in handlers().values())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    before = handlers()
    assert all(len(found) == 1 for found in before.values())
    shown(box("Part"))
    voxel_carve.unregister()
    try:
        assert not any(handlers().values())
        assert overlay._drawn.handle is None and overlay._drawn.lines is None
    finally:
        voxel_carve.register()
    assert handlers() == before and overlay._drawn.handle is not None


def test_loading_drops_the_drawn_lines():
    assert shown(box("Part")) is not None
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert overlay._drawn.lines is None and not overlay._drawn.watched


def test_an_error_is_reported_once_and_switches_the_overlay_off(monkeypatch, caplog):
    select(box("Part"))
    settings = scene_settings(bpy.context)
    view = SimpleNamespace(overlay=SimpleNamespace(show_overlays=True))
    context = SimpleNamespace(scene=bpy.context.scene, space_data=view)
    drawing = []

    def fail(_):
        drawing.append(True)
        raise RuntimeError("no drawing today")

    monkeypatch.setattr(overlay, "bpy", SimpleNamespace(context=context, app=bpy.app, types=bpy.types))
    monkeypatch.setattr(overlay, "refresh", fail)
    with caplog.at_level(logging.ERROR):
        overlay._draw_view()
        assert not drawing  # the overlay is off
        settings.show_overlay = True
        for _ in range(3):
            overlay._draw_view()
    assert len(drawing) == 1 and len(caplog.records) == 1 and caplog.records[0].exc_info
    assert bpy.app.timers.is_registered(overlay._switch_off)
    bpy.app.timers.unregister(overlay._switch_off)
    settings.show_overlay = False
    overlay._draw_view()
    settings.show_overlay = True
    view.overlay.show_overlays = False
    overlay._draw_view()
    assert len(drawing) == 1  # all overlays of the view are off
    view.overlay.show_overlays = True
    overlay._draw_view()
    assert len(drawing) == 2
    bpy.app.timers.unregister(overlay._switch_off)


def test_the_popover_of_overlays_has_the_check_box():
    drawn = []
    layout = SimpleNamespace(prop=lambda data, name, text: drawn.append((name, text)))
    overlay.draw_overlay_entry(SimpleNamespace(layout=layout), bpy.context)
    assert drawn == [("show_overlay", "Carve Grid and Sweep")]
