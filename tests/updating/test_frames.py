"""Results carved again at every frame, and baked, against the expected volume of each frame."""

import json
import math
import time
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.operators.test_operators import carve, contents, rod, volume
from tests.scene_objects import box, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute import CarveCancelled, InputError  # noqa: E402
from voxel_carve.operators.jobs import voxel_operator  # noqa: E402
from voxel_carve.operators.jobs.baking import read_bake_job  # noqa: E402
from voxel_carve.operators.jobs.running import RunningJob, call_directly, running_job  # noqa: E402
from voxel_carve.recipes.animation import animated_names  # noqa: E402
from voxel_carve.recipes.watching import is_outdated  # noqa: E402

FRAMES = (1, 2, 3)


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.radius_mode = "VALUE"


def radius_at(frame):
    return 0.2 * frame


def expected(frame):
    """The remaining volume of a box of side 2 at a frame."""
    return 8 - math.pi * radius_at(frame) ** 2 * 2


def animated(**properties):
    """A box carved by a rod right through it, whose radius grows with the frame."""
    path = rod()
    for point in path.data.splines[0].points:
        for frame in FRAMES:
            point.radius = radius_at(frame) / 0.1
            point.keyframe_insert("radius", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    scene.frame_set(1)
    return carve(box(), path, **({"resolution": 32, "radius": 0.1} | properties))


def test_a_result_is_carved_at_every_frame():
    obj = animated()
    bpy.context.scene.frame_set(2)
    assert volume(obj) == pytest.approx(expected(1), rel=0.005)
    obj.voxel_carve.on_frame_change = True
    for frame in (3, 1, 2):
        bpy.context.scene.frame_set(frame)
        assert volume(obj) == pytest.approx(expected(frame), rel=0.005)
        assert not obj.voxel_carve.message


def test_renders_see_each_frame(tmp_path):
    obj = animated()
    obj.voxel_carve.on_frame_change = True
    scene, seen = bpy.context.scene, {}
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.render.resolution_x, scene.render.resolution_y = 1, 8, 8
    scene.render.filepath = str(tmp_path / "frame")
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera

    def look(scene, *_):
        seen[scene.frame_current] = volume(bpy.data.objects["Box Carved"])

    bpy.app.handlers.render_post.append(look)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.render_post.remove(look)
    assert set(seen) == set(FRAMES)
    for frame, found in seen.items():
        assert found == pytest.approx(expected(frame), rel=0.005)


def test_a_result_made_from_another_comes_after_it():
    obj = animated()
    other = carve(obj, rod(0.1, name="Other"), resolution=32, radius=0.1, operation="UNION")
    other.voxel_carve.paths[0].path.location.z = 5
    for each in (other, obj):
        each.voxel_carve.on_frame_change = True
    bpy.context.scene.frame_set(3)
    assert volume(other) == pytest.approx(expected(3) + math.pi * 0.1**2 * 4, rel=0.01)
    assert not is_outdated(obj) and not is_outdated(other)


def test_an_error_at_a_frame_is_shown_and_the_mesh_stays():
    obj = animated()
    obj.voxel_carve.on_frame_change = True
    bpy.data.objects.remove(bpy.data.objects["Path"])
    bpy.context.scene.frame_set(2)
    assert "were deleted" in obj.voxel_carve.message and volume(obj) == pytest.approx(expected(1), rel=0.005)


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_bake_makes_an_object_for_each_frame_visible_only_there(result):
    obj = animated(result=result)
    obj.location.y, scene = 4, bpy.context.scene
    obj.modifiers.new("Bevel", "BEVEL").show_viewport = False
    scene.frame_set(2)
    assert bpy.ops.object.voxel_carve_bake() == {"FINISHED"}
    assert scene.frame_current == 2 and volume(obj) == pytest.approx(expected(1), rel=0.005)
    made = bpy.data.collections["Box Carved Frames"].objects
    assert [each.name for each in made] == [f"Box Carved {frame:04d}" for frame in FRAMES]
    for each, frame in zip(made, FRAMES, strict=True):
        assert volume(each) == pytest.approx(expected(frame), rel=0.005)
        assert not each.voxel_carve.is_made and [modifier.name for modifier in each.modifiers] == ["Bevel"]
        np.testing.assert_allclose(each.matrix_world.translation, (0, 4, 0), atol=1e-6)
    for frame in (0, *FRAMES, 4):
        scene.frame_set(frame)
        for attribute in ("hide_viewport", "hide_render"):
            assert [each.name for each in made if not getattr(each, attribute)] == (
                [f"Box Carved {frame:04d}"] if frame in FRAMES else []
            )
        scene.frame_set(frame, subframe=0.5)
        assert sum(not each.hide_render for each in made) == (frame in FRAMES)
    assert obj.hide_get() and obj.hide_render


def test_bake_takes_a_range_and_a_step():
    obj = animated()
    select(obj)
    assert bpy.ops.object.voxel_carve_bake(frame_start=1, frame_end=4, frame_step=2) == {"FINISHED"}
    made = bpy.data.collections["Box Carved Frames"].objects
    assert [each.name for each in made] == ["Box Carved 0001", "Box Carved 0003"]
    bpy.context.scene.frame_set(2)
    assert [each.name for each in made if not each.hide_render] == ["Box Carved 0001"]
    for frame, seen in ((4, ["Box Carved 0003"]), (5, [])):
        bpy.context.scene.frame_set(frame)
        assert [each.name for each in made if not each.hide_render] == seen
    select(obj := bpy.data.objects["Box Carved"])
    bpy.context.view_layer.objects.active = obj
    with pytest.raises(RuntimeError, match="No frames from 5 to 4"):
        bpy.ops.object.voxel_carve_bake(frame_start=5, frame_end=4)


def test_bake_tells_which_frame_it_is_at(monkeypatch):
    animated()
    told: list[tuple[str, float]] = []

    @contextmanager
    def shown(context):
        yield lambda stage, fraction: told.append((stage, fraction))

    monkeypatch.setattr(voxel_operator, "shown_progress", shown)
    assert bpy.ops.object.voxel_carve_bake() == {"FINISHED"}
    assert list(dict.fromkeys(stage for stage, _ in told)) == [f"Frame {frame} of 3" for frame in FRAMES]
    for stage, fraction in told:
        assert int(stage.split()[1]) - 1 <= 3 * fraction + 1e-9 <= int(stage.split()[1]) + 2e-9
    assert [fraction for _, fraction in told] == sorted(fraction for _, fraction in told)


def key(block, path):
    block.keyframe_insert(path, frame=1)


def parent(obj, stock, path):
    empty = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(empty)
    stock.parent = empty
    key(empty, "location")


def target_of_a_modifier(obj, stock, path):
    other = box("Target")
    path.modifiers.new("Shrinkwrap", "SHRINKWRAP").target = other
    key(other, "scale")


def target_of_a_constraint(obj, stock, path):
    other = box("Target")
    stock.constraints.new("COPY_LOCATION").target = other
    key(other, "location")


def nodes(kind):
    def add(obj, stock, path):
        group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
        group.nodes.new(kind)
        stock.modifiers.new("Nodes", "NODES").node_group = group

    return add


def shape_key(obj, stock, path):
    stock.shape_key_add()
    key(stock.shape_key_add(), "value")
    stock.data.shape_keys.name = "Keys"


def strip(obj, stock, path):
    key(stock, "location")
    data = stock.animation_data
    data.nla_tracks.new().strips.new("Strip", 1, data.action)
    data.action = None


@pytest.mark.parametrize(
    ("animate", "name"),
    [
        (lambda obj, stock, path: key(stock, "location"), "Box"),
        (lambda obj, stock, path: key(path, "location"), "Path"),
        (lambda obj, stock, path: key(path.data, "eval_time"), "Bends"),
        (lambda obj, stock, path: key(obj, "location"), "Box Carved"),
        (lambda obj, stock, path: stock.driver_add("location", 0), "Box"),
        (lambda obj, stock, path: stock.modifiers.new("Wave", "WAVE"), "Box"),
        (parent, "Parent"),
        (target_of_a_modifier, "Target"),
        (target_of_a_constraint, "Target"),
        (nodes("GeometryNodeInputSceneTime"), "Nodes"),
        (nodes("GeometryNodeSimulationOutput"), "Nodes"),
        (shape_key, "Keys"),
        (strip, "Box"),
    ],
)
def test_what_is_animated_is_named(animate, name):
    path = rod()
    path.data.name = "Bends"
    obj = carve(box(), path, resolution=16, radius=0.2)
    beside = box("Beside")
    key(beside, "location")
    material = bpy.data.materials.new("Looks")
    key(material, "diffuse_color")
    stock = bpy.data.objects["Box"]
    stock.data.materials.append(material)
    assert animated_names(obj) == []
    animate(obj, stock, path)
    assert animated_names(obj) == [name]


def test_the_dialog_of_bake_says_what_it_will_do(monkeypatch):
    """Without a window there is no dialog, so its contents are drawn here."""
    obj = animated()
    report = json.loads(obj["voxel_carve_report"])
    report["seconds"] |= {"total": 7.0, "compile": 2.0}
    obj["voxel_carve_report"] = json.dumps(report)
    cls, drawn = bpy.types.OBJECT_OT_voxel_carve_bake, []
    layout = SimpleNamespace(label=lambda text, icon: drawn.append(text), separator=lambda: None)
    layout.prop = lambda data, name: drawn.append(name)
    layout.column = lambda align: layout
    dialog = SimpleNamespace(layout=layout, use_scene_range=True, frame_start=5, frame_end=20, frame_step=2)
    for name in ("_frames", "_draw_prospect"):
        setattr(dialog, name, getattr(cls, name).__get__(dialog))
    dialog._animated = animated_names(obj)
    cls.draw(dialog, bpy.context)
    assert drawn[:2] == ["Animated: 'Path'", "2 frames, about 10 s by the last carve"]
    assert drawn[2:] == ["use_scene_range", "frame_start", "frame_end", "frame_step"]
    drawn.clear()
    dialog._animated, dialog.use_scene_range = [], False
    cls.draw(dialog, bpy.context)
    assert drawn[0] == "Nothing is animated: all frames will be the same"
    assert drawn[1] == "8 frames, about 40 s by the last carve"
    drawn.clear()
    dialog._animated = [f"Object {number}" for number in range(10)]
    cls.draw(dialog, bpy.context)
    assert "and 2 more" in " ".join(drawn) and max(map(len, drawn)) <= 48


def test_bake_takes_missing_properties_from_the_scene():
    obj = animated()
    select(obj)
    assert bpy.ops.object.voxel_carve_bake(frame_start=2) == {"FINISHED"}
    made = bpy.data.collections["Box Carved Frames"].objects
    assert [each.name for each in made] == ["Box Carved 0002", "Box Carved 0003"]
    select(obj := bpy.data.objects["Box Carved"])
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.object.voxel_carve_bake(frame_start=2, use_scene_range=True) == {"FINISHED"}
    assert len(bpy.data.collections["Box Carved Frames.001"].objects) == 3


def bake_beside(obj, meanwhile=lambda frame: None):
    """Bake as from a button: on a thread, with a function called before each frame is read."""
    job = read_bake_job(bpy.context, obj, range(1, 4))
    running, scene, frame = RunningJob(job.compute, job.close), bpy.context.scene, 0
    try:
        while not running.is_done():
            if scene.frame_current != frame:
                frame = scene.frame_current
                meanwhile(frame)
            time.sleep(0.01)
        return job.write(bpy.context, running.result())
    finally:
        running.end()


def test_a_background_bake_also_carves_the_results_it_is_made_from():
    first = animated()
    first.voxel_carve.on_frame_change = True
    second = carve(first, rod(0.1, name="Other"), resolution=32, radius=0.1, operation="UNION")
    second.voxel_carve.paths[0].path.location.z = 5
    bake_beside(second)
    made = bpy.data.collections[f"{second.name} Frames"].objects
    for each, frame in zip(made, FRAMES, strict=True):
        assert volume(each) == pytest.approx(expected(frame) + math.pi * 0.1**2 * 4, rel=0.01)
    assert not first.voxel_carve.message


def test_a_bake_stays_in_its_scene():
    obj, window = animated(), bpy.context.window
    other = bpy.data.scenes.new("Other")
    scene = window.scene

    def leave(frame):
        window.scene = other

    bake_beside(obj, leave)
    window.scene = scene
    made = bpy.data.collections["Box Carved Frames"].objects
    for each, frame in zip(made, FRAMES, strict=True):
        assert volume(each) == pytest.approx(expected(frame), rel=0.005)


def test_deleting_the_result_ends_its_bake():
    obj = animated()
    bpy.context.scene.frame_set(2)

    def delete(frame):
        if frame == 2:
            bpy.data.objects.remove(obj)

    with pytest.raises(InputError, match="'Box Carved' was deleted meanwhile"):
        bake_beside(obj, delete)
    assert bpy.context.scene.frame_current == 2 and running_job() is None


def test_a_message_disappears_when_the_result_is_right_again():
    obj = animated()
    obj.voxel_carve.on_frame_change = True
    running = RunningJob(lambda progress, ask: None, lambda: None)
    bpy.context.scene.frame_set(2)
    running.end()
    assert "another job was running" in obj.voxel_carve.message
    bpy.context.scene.frame_set(1)
    assert not obj.voxel_carve.message and not is_outdated(obj)


@pytest.mark.parametrize("stopped", ["cancelled", "failed"])
def test_an_unfinished_bake_changes_nothing(stopped):
    obj = animated()
    bpy.context.scene.frame_set(2)
    before, calls = contents(), []

    def progress(stage, fraction):
        calls.append(fraction)
        if stopped == "cancelled" and fraction > 0.5:
            raise CarveCancelled

    if stopped == "failed":
        path = bpy.data.objects["Path"]
        for frame, scale in ((2, 1), (3, 0)):
            path.scale.z = scale
            path.keyframe_insert("scale", frame=frame)
        select(obj)
        with pytest.raises(RuntimeError, match="Frame 3: 'Path' has a scale of zero"):
            bpy.ops.object.voxel_carve_bake()
    else:
        job = read_bake_job(bpy.context, obj, range(1, 4))
        with pytest.raises(CarveCancelled):
            job.compute(progress, call_directly)
        job.close()
    assert contents()[0] == before[0]
    assert bpy.context.scene.frame_current == 2 and not obj.hide_get()
