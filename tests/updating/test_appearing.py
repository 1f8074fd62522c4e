"""Animated paths that sweep nothing before they appear, and stocks of which nothing is left at some frames."""

import json
import logging
import math
from typing import Any

import pytest

from tests.operators.test_operators import ROD, carve, refuses, rod, volume
from tests.scene_objects import box, draw_strokes, grease_pencil, nodes_modifier, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

LINE = [[(-2, 0, 0), (2, 0, 0)]]


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 2


def drawn_later():
    """Strokes that are drawn at frame 2."""
    path = grease_pencil(LINE, name="Path")
    layer = path.data.layers[0]
    layer.frames.remove(1)
    draw_strokes(layer, LINE, [[0.5, 0.5]], frame=2)
    return path


def scaled_later():
    """A path that grows from nothing, as things that pop up do."""
    path = rod()
    for frame, scale in ((1, 0.0), (2, 1.0)):
        path.scale = [scale] * 3
        path.keyframe_insert("scale", frame=frame)
    return path


def made_later():
    """A path that nodes let through from frame 2 on."""
    path = rod()
    path.data.bevel_depth = 0
    group, begin, end = nodes_modifier(path)
    time, later, switch = (
        group.nodes.new(kind) for kind in ("GeometryNodeInputSceneTime", "FunctionNodeCompare", "GeometryNodeSwitch")
    )
    switch.input_type, later.inputs[1].default_value = "GEOMETRY", 1.5
    group.links.new(time.outputs["Frame"], later.inputs[0])
    group.links.new(later.outputs[0], switch.inputs["Switch"])
    group.links.new(begin.outputs[0], switch.inputs["True"])
    group.links.new(switch.outputs[0], end.inputs[0])
    return path


def widened_later():
    """A path whose points have a radius of 0 at first."""
    path = rod()
    for point in path.data.splines[0].points:
        radius = point.radius
        for frame, each in ((1, 0.0), (2, radius)):
            point.radius = each
            point.keyframe_insert("radius", frame=frame)
    return path


def appearing(make, **properties):
    """A box carved by a path right through it that appears at frame 2."""
    path = make()
    bpy.context.scene.frame_set(2)
    radius = {"radius": 0.1} if make is made_later else {}
    return carve(box(), path, **({"resolution": 32} | radius | properties))


def baked():
    """Bake the active result; the volume at each frame."""
    assert bpy.ops.object.voxel_carve_bake() == {"FINISHED"}
    return [volume(obj) for obj in bpy.data.collections["Box Carved Frames"].objects]


def bevelled_later():
    """A path whose bevel is drawn out along it."""
    path = rod()
    path.data.bevel_depth = 0.1
    for frame, share in ((1, 0.0), (2, 1.0)):
        path.data.bevel_factor_end = share
        path.data.keyframe_insert("bevel_factor_end", frame=frame)
    return path


def thickened_later():
    """A path whose bevel grows from nothing."""
    path = rod()
    for frame, each in ((1, 0.0), (2, 0.1)):
        path.data.bevel_depth = each
        path.data.keyframe_insert("bevel_depth", frame=frame)
    return path


@pytest.mark.parametrize(
    "make", [drawn_later, scaled_later, made_later, widened_later, bevelled_later, thickened_later]
)
@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_the_stock_is_whole_until_its_path_appears(make, result):
    obj = appearing(make, result=result)
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.01)
    obj.voxel_carve.on_frame_change = True
    for frame, expected in ((1, 8), (2, 8 - ROD), (1, 8)):
        bpy.context.scene.frame_set(frame)
        assert volume(obj) == pytest.approx(expected, rel=0.01)
        assert not obj.voxel_carve.message
    warnings = json.loads(obj["voxel_carve_report"])["warnings"]
    assert len(warnings) == 1 and warnings[0].startswith("nothing was carved along a path: ")
    assert baked() == pytest.approx([8, 8 - ROD], rel=0.01)


def test_a_path_grows_by_its_trimmed_end():
    path = rod()
    path.data.bevel_depth = 0
    for point in path.data.splines[0].points:
        point.radius = 1
    group, begin, end = nodes_modifier(path)
    trim, time = (group.nodes.new(kind) for kind in ("GeometryNodeTrimCurve", "GeometryNodeInputSceneTime"))
    share = group.nodes.new("ShaderNodeMath")  # the curve, of length 4, grows by a tenth in a frame
    share.operation, share.inputs[1].default_value = "DIVIDE", 10
    group.links.new(time.outputs["Frame"], share.inputs[0])
    group.links.new(share.outputs[0], next(each for each in trim.inputs if each.name == "End"))
    group.links.new(begin.outputs[0], trim.inputs[0])
    group.links.new(trim.outputs[0], end.inputs[0])
    bpy.context.scene.frame_set(5)
    obj = carve(box(), path, resolution=64, radius=0.25)
    obj.voxel_carve.on_frame_change = True
    for frame in (4, 6):
        bpy.context.scene.frame_set(frame)
        inside = 0.4 * frame - 1  # from the side of the box at x = -1 to the round end
        removed = math.pi * 0.25**2 * (inside + 2 / 3 * 0.25)
        assert 8 - volume(obj) == pytest.approx(removed, rel=0.01)


def test_a_path_grows_by_the_end_of_its_bevel():
    path = rod()
    path.data.bevel_depth = 0.1
    for frame, share in ((0, 0.0), (10, 1.0)):
        path.data.bevel_factor_end = share
        path.data.keyframe_insert("bevel_factor_end", frame=frame)
    path.data.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0].extrapolation = "LINEAR"
    for key in path.data.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0].keyframe_points:
        key.interpolation = "LINEAR"
    bpy.context.scene.frame_set(5)
    obj = carve(box(), path, resolution=64)
    obj.voxel_carve.on_frame_change = True
    for frame in (4, 6):
        bpy.context.scene.frame_set(frame)
        inside = 0.4 * frame - 1  # from the side of the box at x = -1 to the round end
        removed = math.pi * 0.5**2 * (inside + 2 / 3 * 0.5)
        assert 8 - volume(obj) == pytest.approx(removed, rel=0.01)


@pytest.mark.parametrize("animate", ["keyframes", "driver", "strip"])
def test_a_bevel_depth_that_grows_from_nothing_cuts_nothing_at_first(animate):
    path = thickened_later()
    data = path.data.animation_data
    if animate == "driver":
        data.action = None
        path.data.driver_add("bevel_depth").driver.expression = "0.1 * (frame > 1)"
    elif animate == "strip":
        action = data.action
        data.nla_tracks.new().strips.new("Grow", 1, action)
        data.action = None
    stock = box()
    bpy.context.scene.frame_set(1)
    assert path.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.bevel_depth == 0
    refuses("'Path' has an animated bevel depth, which is 0 at this frame: go to another frame", stock, path)
    bpy.context.scene.frame_set(2)
    obj = carve(stock, path, resolution=32)
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.01)
    bpy.context.scene.frame_set(1)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert volume(obj) == pytest.approx(8)


def test_a_radius_that_is_given_counts_whatever_the_animated_bevel():
    path, stock = thickened_later(), box()
    bpy.context.scene.frame_set(1)
    obj = carve(stock, path, resolution=32, radius_mode="VALUE", radius=0.1)
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.01)


def test_other_paths_are_carved_meanwhile_and_keep_their_numbers():
    later, other = scaled_later(), rod(0.3, name="Other")
    other.location.y = 0.6
    bpy.context.scene.frame_set(2)
    obj = carve(box(), later, other, resolution=32, radius_mode="CURVE")
    numbers = [item.path.name for item in obj.voxel_carve.paths]
    bpy.context.scene.frame_set(1)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert volume(obj) == pytest.approx(8 - math.pi * 0.3**2 * 2, rel=0.01)
    found = {item.value for item in obj.data.attributes["voxel_carve_source"].data}
    assert found == {0, 1 + numbers.index("Other")}


@pytest.mark.parametrize(("operation", "at_first"), [("UNION", 8), ("INTERSECT", 0)])
def test_nothing_is_added_or_shared_until_the_path_appears(operation, at_first):
    obj = appearing(scaled_later, operation=operation)
    later = volume(obj)
    obj.voxel_carve.on_frame_change = True
    bpy.context.scene.frame_set(1)
    assert volume(obj) == pytest.approx(at_first)
    bpy.context.scene.frame_set(2)
    assert volume(obj) == pytest.approx(later)


def test_a_first_carve_says_what_its_path_lacks():
    refuses("Path 'Path' has no points", box(), drawn_later())
    path = scaled_later()
    bpy.context.scene.frame_set(1)
    refuses("'Path.001' has a scale of zero", box("Other"), path)


def test_nothing_is_shown_at_frames_that_leave_nothing():
    path = rod()
    for frame, depth in ((1, 0.1), (2, 1.0)):  # times the points' radius of 5
        path.data.bevel_depth = depth
        path.data.keyframe_insert("bevel_depth", frame=frame)
    bpy.context.scene.frame_set(1)
    obj = carve(box(), path, resolution=32)
    obj.voxel_carve.on_frame_change = True
    bpy.context.scene.frame_set(2)
    assert len(obj.data.vertices) == 0 and "voxel_carve_report" not in obj
    assert obj.voxel_carve.message.startswith("Nothing is left of 'Box'")
    bpy.context.scene.frame_set(1)
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.01) and not obj.voxel_carve.message
    select(obj)
    assert baked() == pytest.approx([8 - ROD, 0], rel=0.01)


def test_a_frame_that_cannot_be_carved_is_logged_where_nobody_sees_the_panel(caplog):
    obj = appearing(scaled_later)
    obj.voxel_carve.on_frame_change = True
    bpy.data.objects.remove(bpy.data.objects["Path"])
    with caplog.at_level(logging.WARNING):
        bpy.context.scene.frame_set(1)
    assert "'Box Carved' was not carved at frame 1: all paths of 'Box Carved' were deleted" in caplog.text
