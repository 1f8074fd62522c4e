"""Operators on Volume objects, called as a user calls them, against closed forms."""

import math
from typing import Any

import numpy as np
import pytest

from tests.formats import volumes
from tests.operators.test_operators import is_closed, volume
from tests.scene_objects import VOLUME_SHIFT, box, select, volume_object

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]


VOXEL, RADIUS, FADE = 0.05, 0.8, 0.4
SHIFT = VOLUME_SHIFT * VOXEL
BALL = 4 / 3 * math.pi * RADIUS**3


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch, openvdb):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.radius_mode = "VALUE"


@pytest.fixture(params=["level set", "fog"])
def ball(request, tmp_path):
    """A volume of a ball around the origin; a fog is denser than a tenth inside of it."""
    distance = volumes.ball_distance(RADIUS)
    if request.param == "level set":
        grid = volumes.level_set(distance, 1.0, VOXEL)
    else:
        grid = volumes.fog(lambda points: np.clip(0.1 - distance(points) / FADE, 0, 1), 1.0, VOXEL)
    obj = volume_object(volumes.write(tmp_path / "ball.vdb", grid), "Ball")
    obj.location = (-SHIFT,) * 3
    return obj


def run(operator, *objs, **properties):
    """Select and run an operator; return the active object afterwards."""
    select(*objs)
    bpy.context.view_layer.update()
    assert getattr(bpy.ops.object, operator)(**properties) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.view_layer.objects.active


@pytest.mark.parametrize(
    ("operation", "expected"), [("SUBTRACT", 8 - BALL), ("INTERSECT", BALL), ("UNION", 8 + BALL / 2)]
)
def test_a_volume_is_a_tool_of_voxel_boolean(ball, operation, expected):
    """In the middle of the box, or on its side for Union."""
    base = box("Base", centre=(1, 0, 0) if operation == "UNION" else (0, 0, 0))
    result = run("voxel_carve_boolean", base, ball, operation=operation, voxel_size=0.05)
    assert result.name == "Base Boolean"
    assert volume(result) == pytest.approx(expected, rel=0.01)
    assert is_closed(result)
    assert base.hide_get() and not ball.hide_get()


def test_a_mesh_is_taken_out_of_a_volume(ball):
    ball.data.materials.append(bpy.data.materials.new("Smoke"))
    result = run("voxel_carve_boolean", ball, box(centre=(1, 0, 0)), operation="SUBTRACT", voxel_size=0.05)
    assert result.name == "Ball Boolean"
    assert volume(result) == pytest.approx(BALL / 2, rel=0.01)
    assert list(result.data.materials) == []


def test_a_volume_without_a_path_is_told_of_voxel_boolean(ball):
    select(box(), ball)
    with pytest.raises(RuntimeError, match="No path: select one, or combine the selected objects by Voxel Boolean"):
        bpy.ops.object.voxel_carve()


@pytest.mark.parametrize(
    ("operator", "properties", "radius"),
    [("voxel_carve_voxelize", {}, RADIUS), ("voxel_carve_offset", {"distance": 0.2}, RADIUS + 0.2)],
)
def test_a_volume_is_voxelized_and_offset(ball, operator, properties, radius):
    result = run(operator, ball, voxel_size=0.05, **properties)
    assert volume(result) == pytest.approx(4 / 3 * math.pi * radius**3, rel=0.05)
    assert is_closed(result)


@pytest.mark.parametrize("operator", ["voxel_carve_boolean", "voxel_carve_voxelize", "voxel_carve_offset"])
def test_a_volume_is_not_replaced_by_cubes(ball, operator):
    select(ball, box())
    with pytest.raises(RuntimeError, match="'Ball' is a volume, which no mesh can replace: switch Replace Stock off"):
        getattr(bpy.ops.object, operator)(voxel_size=0.1, replace=True)
