"""Results of Volume stocks: followed by Live Update, at every frame, and baked; against closed forms."""

import math
from typing import Any

import pytest

from tests.formats import volumes
from tests.operators.test_operators import carve, volume
from tests.scene_objects import VOLUME_SHIFT, poly_curve, volume_object
from tests.updating.test_live import settle

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.recipes.animation import animated_names  # noqa: E402
from voxel_carve.updating import live  # noqa: E402

VOXEL, DRILL = 0.05, 0.3
RADII = {1: 0.6, 2: 0.7, 3: 0.8}


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch, openvdb):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.radius_mode = "VALUE"
    yield
    live.forget()


@pytest.fixture
def files(tmp_path):
    """A level set of a ball for each frame."""
    for frame, radius in RADII.items():
        grid = volumes.level_set(volumes.ball_distance(radius), 1.0, VOXEL)
        volumes.write(tmp_path / f"ball_{frame:03}.vdb", grid)
    return tmp_path


def drilled(radius, drill=DRILL):
    """The volume of a ball with a hole right through its middle."""
    return 4 / 3 * math.pi * (radius**2 - drill**2) ** 1.5


def sequence(files):
    """A ball that grows from frame to frame, drilled."""
    stock = volume_object(files / "ball_001.vdb")
    stock.data.is_sequence, stock.data.frame_start, stock.data.frame_duration = True, 1, len(RADII)
    stock.location = (-VOLUME_SHIFT * VOXEL,) * 3
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = min(RADII), max(RADII)
    scene.frame_set(1)
    path = poly_curve([(-2, 0, 0), (2, 0, 0)])
    return carve(stock, path, resolution=48, radius=DRILL)


def test_live_update_follows_a_volume(files):
    stock = volume_object(files / "ball_001.vdb")
    result = carve(stock, poly_curve([(-2, 0, 0), (2, 0, 0)]), resolution=48, radius=DRILL)
    result.voxel_carve.live = True
    settle()
    stock.data.filepath = str(files / "ball_003.vdb")
    settle()
    assert not result.voxel_carve.message
    assert volume(result) == pytest.approx(drilled(RADII[3]), rel=0.015)
    stock.location.z = 2
    settle()
    assert volume(result) == pytest.approx(4 / 3 * math.pi * RADII[3] ** 3, rel=0.015)


def test_a_volume_is_carved_at_every_frame(files):
    result = sequence(files)
    result.voxel_carve.on_frame_change = True
    for frame in (3, 1, 2):
        bpy.context.scene.frame_set(frame)
        assert not result.voxel_carve.message
        assert volume(result) == pytest.approx(drilled(RADII[frame]), rel=0.015)


def test_a_volume_is_baked(files):
    assert animated_names(sequence(files)) == ["Volume"]
    assert bpy.ops.object.voxel_carve_bake() == {"FINISHED"}
    made = bpy.data.collections["Volume Carved Frames"].objects
    assert [obj.name for obj in made] == ["Volume Carved 0001", "Volume Carved 0002", "Volume Carved 0003"]
    for obj, radius in zip(made, RADII.values(), strict=True):
        assert volume(obj) == pytest.approx(drilled(radius), rel=0.015)
