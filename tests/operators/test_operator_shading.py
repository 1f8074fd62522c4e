"""How grooves and what is left of a stock look: smooth where they are smooth, with the ridges that they have."""

from typing import Any

import numpy as np
import pytest

from tests.scene_objects import Shown, box, degrees, gradients, link, poly_curve, select, unit

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

RADIUS = 0.25
VOXEL = 2 / 64


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def carve(*objs, resolution=64, radius=RADIUS, **properties):
    select(*objs)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(resolution=resolution, radius=radius, **properties) == {"FINISHED"}
    bpy.context.view_layer.update()
    return Shown(bpy.context.view_layer.objects.active)


def curve_of(splines):
    """A curve object with a POLY spline for each polyline."""
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions = "3D"
    for points in splines:
        spline = curve.splines.new("POLY")
        spline.points.add(len(points) - 1)
        spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).astype(np.float32).ravel())
    return link("Path", curve)


def steps(shown, corners):
    """(C,) degrees between the normal at each of these corners and that of the first of them at its vertex."""
    order = corners[np.argsort(shown.corners[corners], kind="stable")]
    starts = np.flatnonzero(np.diff(shown.corners[order], prepend=-1))
    first = np.repeat(order[starts], np.diff(np.append(starts, len(order))))
    return degrees(shown.normals[order], shown.normals[first])


def raster(angle):
    """Passes along x that meet at this angle. What is left of a box, its cut corners in the middle part, the true
    normals of the passes there, and how far these corners are from a ridge."""
    pitch = 6 * VOXEL
    radius = pitch / 2 / np.sin(np.radians(angle) / 2)
    height, offsets = 0.85 + radius, pitch * np.arange(-3, 4)
    result = carve(box(), curve_of([[(-2, y, height), (2, y, height)] for y in offsets]), radius=radius)
    at = result.at(np.arange(len(result.corners)))
    corners = np.flatnonzero((result.source > 0) & (np.abs(at[:, 1]) < 2.6 * pitch) & (np.abs(at[:, 0]) < 0.9))
    at = at[corners]
    middle = offsets[np.abs(at[:, 1, None] - offsets).argmin(axis=1)]
    inward = np.column_stack([np.zeros(len(at)), middle - at[:, 1], height - at[:, 2]])
    return result, corners, unit(inward), pitch / 2 - np.abs(at[:, 1] - middle)


@pytest.mark.parametrize("angle", [5, 16, 28])
def test_passes_that_meet_at_a_small_angle_are_blended(angle):
    result, corners, own, away = raster(angle)
    assert steps(result, corners).max() < 0.5
    ridge = away < 0.15 * VOXEL  # faces need not follow a ridge that is as low as that
    assert ridge.sum() > 30
    assert degrees(result.normals[corners[ridge]], np.array([0, 0, 1.0])).max() < 1 + 0.1 * angle
    beside = away > 1.5 * VOXEL
    assert beside.sum() > 100
    assert degrees(result.normals[corners[beside]], own[beside]).max() < 0.1


@pytest.mark.parametrize("angle", [33, 60])
def test_a_ridge_keeps_both_normals(angle):
    result, corners, own, away = raster(angle)
    ridge = away < 0.01 * VOXEL
    assert ridge.sum() > 100
    # A corner on the ridge is on either side.
    turned = own[ridge] * (1, -1, 1)
    normals = result.normals[corners[ridge]]
    off = np.minimum(degrees(normals, own[ridge]), degrees(normals, turned))
    assert off.max() < 0.5
    assert steps(result, corners[ridge]).max() == pytest.approx(angle, abs=1)
    rest = away > 0.1 * VOXEL
    assert np.percentile(degrees(result.normals[corners[rest]], own[rest]), 99) < 0.1


@pytest.mark.parametrize("objects", [1, 2])
def test_curves_joined_end_to_end_are_shaded_as_one(objects):
    """Pieces of a ring of 48 segments a turn, every second one drawn backwards."""
    turns = 2 * np.pi * np.arange(49) / 48
    ring = np.column_stack([0.6 * np.cos(turns), 0.6 * np.sin(turns), np.full(49, 1.05)])
    pieces = [ring[k : k + 5] for k in range(0, 48, 4)]
    pieces = [piece[::-1] if number % 2 else piece for number, piece in enumerate(pieces)]
    curves = [curve_of(pieces[number::objects]) for number in range(objects)]
    for number, curve in enumerate(curves):
        curve.location = (0.1 * number, 0, 0)
        for spline in curve.data.splines:
            for point in spline.points:
                point.co.x -= 0.1 * number
    result = carve(box(), *curves)
    corners = np.flatnonzero(result.source > 0)
    at = result.at(corners)
    across = at * (1, 1, 0)
    foot = 0.6 * across / np.linalg.norm(across, axis=1, keepdims=True) + (0, 0, 1.05)
    off = degrees(result.normals[corners], unit(foot - at))
    assert len(corners) > 10_000
    assert np.sqrt((off**2).mean()) < 1 and np.percentile(off, 99.5) < 2
    assert np.percentile(steps(result, corners), 99) < 0.5


def test_ends_of_three_curves_in_one_place_do_not_join():
    """A fork: its prongs go on as the handle does, so neither is chosen."""
    prongs = [[(0, 0, 1), (1.5, y, 1)] for y in (-0.3, 0.3)]
    result = carve(box(), curve_of([[(-1.5, 0, 1), (0, 0, 1)], *prongs]))
    at = result.at(np.arange(len(result.corners)))
    handle = (result.source > 0) & (at[:, 0] < -2 * VOXEL)
    true = -gradients(at[handle], [(-1.5, 0, 1), (0, 0, 1)])
    assert handle.sum() > 1000
    assert np.percentile(degrees(result.normals[handle], true), 99) < 0.1


def smooth_stock(name):
    if name == "Sphere":
        bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16)
    elif name == "Torus":
        bpy.ops.mesh.primitive_torus_add(major_segments=24, minor_segments=8)
    else:
        bpy.ops.mesh.primitive_monkey_add(size=2)
    bpy.ops.object.shade_smooth()
    return bpy.context.object


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1.3, 0.8)])
@pytest.mark.parametrize("name", ["Sphere", "Torus", "Monkey"])
def test_a_kept_stock_looks_as_before_up_to_the_cut(name, scale):
    """Blender would make normals beside the cut from pieces of faces: bands that reach as far as the faces do."""
    stock = smooth_stock(name)
    stock.scale = scale
    bpy.context.view_layer.update()
    before = Shown(stock)
    low, high = {"Sphere": (0.3, 0.35), "Torus": (0.15, 0.2), "Monkey": (0.6, 0.7)}[name]
    path = np.array([(-2, -0.5, low), (2, -0.45, high)]) * np.abs(scale)
    result = carve(stock, poly_curve(path), radius=0.12, result="KEEP")
    corners = np.flatnonzero(result.source == 0)
    # Corners of whole faces are those of the stock, each with its own normal.
    places = {}
    for corner, point in enumerate(before.at(np.arange(len(before.corners))).round(5).tolist()):
        places.setdefault(tuple(point), []).append(corner)
    own = [places.get(tuple(point), []) for point in result.at(corners).round(5).tolist()]
    off = [
        degrees(before.normals[there], result.normals[here]).min()
        for here, there in zip(corners, own, strict=True)
        if there
    ]
    assert len(off) > 300 and max(off) < 0.1
    new = corners[[not there for there in own]]
    assert len(new) > 30
    off = degrees(result.normals[new], before.nearest(result.at(new)))
    assert np.percentile(off, 98) < 0.2


def test_a_kept_stock_has_the_normals_of_the_exact_cut():
    stock, path = smooth_stock("Sphere"), [(-2, -0.3, 0.9), (2, 0.2, 0.6)]
    result = carve(stock, poly_curve(path), result="KEEP")
    cut = result.source > 0
    assert cut.sum() > 1000
    off = degrees(result.normals[cut], -gradients(result.at(cut), path))
    assert np.percentile(off, 99) < 0.1


def test_flat_faces_of_a_kept_stock_stay_flat():
    stock, path = box(), [(-2, 0, 1), (2, 0, 1)]
    result = carve(stock, poly_curve(path), result="KEEP")
    flat = result.source == 0
    assert degrees(result.normals[flat], result.face_normals[result.face[flat]]).max() < 0.1
    off = degrees(result.normals[~flat], -gradients(result.at(~flat), path))
    assert np.percentile(off, 99) < 0.1


def test_a_kept_stock_gets_no_custom_normals_that_nobody_asked_for():
    stock, path = smooth_stock("Sphere"), poly_curve([(-2, -0.3, 0.9), (2, 0.2, 0.6)])
    result = carve(stock, path, result="KEEP", custom_normals=False)
    assert not result.mesh.has_custom_normals
