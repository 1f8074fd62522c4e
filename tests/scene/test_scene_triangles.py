"""Results with triangles among quads, as beside the rim of a deep groove, as Blender stores them."""

from typing import Any

import numpy as np
import pytest

from tests.scene_objects import poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

RADIUS = 0.1
RING = 1 - 0.6 * RADIUS  # radius of the path around the ball


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def ball(scale):
    """A smooth ball of radius 1 in world space, with x and y of its points as UV map, in an object of this scale."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5)
    stock = bpy.context.object
    bpy.ops.object.shade_smooth()
    points = np.array([vertex.co for vertex in stock.data.vertices])
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    stock.data.vertices.foreach_set("co", (points / np.abs(scale)).ravel())
    stock.scale = scale
    while stock.data.uv_layers:
        stock.data.uv_layers.remove(stock.data.uv_layers[0])
    layer = stock.data.uv_layers.new(name="UVMap")
    corners = np.array([loop.vertex_index for loop in stock.data.loops])
    layer.uv.foreach_set("vector", (points * np.sign(scale))[corners, :2].astype(np.float32).ravel())
    stock.data.materials.append(bpy.data.materials.new("Stock"))
    return stock


def ring():
    """A path around the ball, under its surface."""
    angle = 2 * np.pi * np.arange(360) / 360
    points = RING * np.column_stack([np.cos(angle), np.cos(0.5) * np.sin(angle), np.sin(0.5) * np.sin(angle)])
    return poly_curve(points, cyclic=True)


def carved(stock, **properties):
    select(stock, ring())
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(resolution=96, radius=RADIUS, **properties) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.view_layer.objects.active


def numbers(collection, name, width=1, kind=np.float32):
    found = np.empty(width * len(collection), dtype=kind)
    collection.foreach_get(name, found)
    return found.reshape(-1, width).astype(float) if kind == np.float32 else found


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def degrees(one, other):
    return np.degrees(np.arccos(np.clip((one * other).sum(axis=-1), -1, 1)))


def to_axis(points):
    """(N, 3) directions to the nearest place of a circle, the path's axis."""
    u, v = np.array([1, 0, 0]), np.array([0, np.cos(0.5), np.sin(0.5)])
    flat = np.outer(points @ u, u) + np.outer(points @ v, v)
    return unit(RING * unit(flat) - points)


@pytest.mark.parametrize(("scale", "replaces"), [((1, 1, 1), False), ((-1, 1, 1), False), ((-2, 0.5, 1), True)])
def test_corners_have_their_own_normals_and_uv(scale, replaces):
    stock = ball(scale)
    obj = carved(stock, replace=replaces)
    assert (obj is stock) == replaces
    mesh = obj.data
    sides = numbers(mesh.polygons, "loop_total", kind=np.int32)
    assert set(sides) == {3, 4} and (sides == 3).sum() > 500
    assert not mesh.validate(verbose=True)
    assert mesh.has_custom_normals
    source = np.repeat(numbers(mesh.attributes["voxel_carve_source"].data, "value", kind=np.int32), sides)
    corners = numbers(mesh.attributes[".corner_vert"].data, "value", kind=np.int32)
    matrix = np.array(obj.matrix_world)
    points = numbers(mesh.attributes["position"].data, "vector", 3) @ matrix[:3, :3].T + matrix[:3, 3]
    at = points[corners]
    uv = numbers(mesh.uv_layers["UVMap"].uv, "vector", 2)
    normals = unit(numbers(mesh.corner_normals, "vector", 3) @ np.linalg.inv(matrix[:3, :3]))
    assert len(uv) == len(normals) == len(source) == sides.sum()
    own, in_triangle = source == 0, np.repeat(sides == 3, sides)
    for chosen in (own & in_triangle, own):
        assert chosen.sum() > 500
        assert np.percentile(np.abs(uv[chosen] - at[chosen, :2]), 99.5) < 2e-3
        assert np.percentile(degrees(normals[chosen], unit(at[chosen])), 99) < 1
    assert (uv[~own] == 0).all()
    for chosen in (~own & in_triangle, ~own):
        assert chosen.sum() > 500
        assert np.percentile(degrees(normals[chosen], to_axis(at[chosen])), 98) < 3  # the path is of straight segments
