"""Results are shaded as the stock and the exact cut are: custom normals at the corners of their faces.

The truth is brute force: the nearest place on all triangles of the stock, and the gradient of the nearest capsule.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import (
    Shown,
    box,
    collection_of,
    degrees,
    gradients,
    instancer,
    mesh_object,
    poly_curve,
    read,
    select,
    unit,
)

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute.engines.numba.compiler import store  # noqa: E402
from voxel_carve.headless import run_job  # noqa: E402
from voxel_carve.jobs import Job  # noqa: E402

SEED = 7
BEND = [(-2, -0.3, 0.9), (0.1, -0.5, 0.8), (2, 0.2, 0.6)]
RADIUS = 0.2
# On the surface, a radius along the path is so many radii from the bend at most.
BLENDED = 1.6


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def carve(*objs, resolution=48, radius=RADIUS, **properties):
    """Select and carve; return the active object afterwards."""
    select(*objs)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(resolution=resolution, radius=radius, **properties) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.view_layer.objects.active


def uv_sphere(smooth=True):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16)
    if smooth:
        bpy.ops.object.shade_smooth()
    return bpy.context.object


def sample(mask, count=400):
    found = np.flatnonzero(mask)
    assert len(found) > count
    return np.random.default_rng(SEED).choice(found, count, replace=False)


def stock_off(result, stock, count=300):
    """(count,) degrees between the normals of corners of the stock's faces and those of the stock."""
    corners = sample(result.source == 0, count)
    return degrees(result.normals[corners], stock.nearest(result.at(corners)))


def most(angles):
    """The largest of these angles, but for a few: faces along a rim may lie askew, and their normals go with them."""
    return np.percentile(angles, 98)


def cut_off(result, path, sign):
    """(C,) degrees between the normals of corners of cut faces and the gradient of their segment. Around a bend, within
    a radius along the path, normals are blended: those are left out."""
    corners = np.flatnonzero(result.source > 0)
    bends = np.asarray(path, float)[1:-1]
    apart = np.linalg.norm(result.at(corners)[:, None] - bends, axis=2).min(axis=1, initial=np.inf)
    corners = corners[apart > BLENDED * RADIUS]
    assert len(corners) > 400
    return degrees(result.normals[corners], sign * gradients(result.at(corners), path, result.segment[corners]))


@pytest.mark.parametrize(("operation", "sign"), [("SUBTRACT", -1), ("UNION", 1), ("INTERSECT", 1)])
def test_a_smooth_stock_and_its_cut_are_shaded_as_they_are_exactly(operation, sign):
    stock, path = uv_sphere(), poly_curve(BEND)
    obj = carve(stock, path, operation=operation)
    result = Shown(obj)
    assert most(stock_off(result, Shown(stock))) < 0.1
    assert most(cut_off(result, BEND, sign)) < 0.1
    assert not obj.data.validate()
    assert degrees(result.normals, result.face_normals[result.face]).max() < 46


def test_without_custom_normals_the_facets_show():
    """So the test above can fail."""
    stock, path = uv_sphere(), poly_curve(BEND)
    obj = carve(stock, path, custom_normals=False)
    assert not obj.data.has_custom_normals
    assert np.percentile(stock_off(Shown(obj), Shown(stock)), 90) > 2


def random_normals(mesh):
    shown = read(mesh.corner_normals, "vector", 3)
    return unit(shown + np.random.default_rng(SEED).normal(0, 0.3, shown.shape))


@pytest.mark.parametrize("free", [False, True])
def test_custom_normals_of_the_stock_are_kept(free):
    stock = box()
    mesh = stock.data
    normals = random_normals(mesh)
    if free:  # These are shown on flat faces too, and those of a box from Python are flat.
        attribute = mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER")
        attribute.data.foreach_set("vector", normals.astype(np.float32).ravel())
    else:
        mesh.polygons.foreach_set("use_smooth", np.ones(6, dtype=bool))
        mesh.normals_split_custom_set(normals.tolist())
    mesh.update()
    shown = Shown(stock)
    assert degrees(shown.normals, shown.face_normals[shown.face]).mean() > 10
    result = Shown(carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)])))
    corners = sample(result.source == 0, 600)
    own = result.face_normals[result.face[corners]] @ shown.face_normals.T
    side = own.argmax(axis=1)
    corners, side = corners[own.max(axis=1) > 0.999], side[own.max(axis=1) > 0.999]
    assert len(corners) > 400
    for number in range(6):
        which = np.flatnonzero(shown.face[shown.triangles[:, 0]] == number)
        mine = corners[side == number]
        assert degrees(result.normals[mine], shown.nearest(result.at(mine), which)).max() < 0.5


def test_flat_faces_of_the_stock_stay_flat_beside_a_smooth_cut():
    result = Shown(carve(uv_sphere(smooth=False), poly_curve(BEND)))
    flat = result.source == 0
    assert degrees(result.normals[flat], result.face_normals[result.face[flat]]).max() < 0.1
    assert most(cut_off(result, BEND, -1)) < 0.1


def test_smooth_and_flat_faces_of_one_stock_are_told_apart():
    stock = uv_sphere()
    upper = np.array([polygon.center.z > 0 for polygon in stock.data.polygons])
    stock.data.polygons.foreach_set("use_smooth", upper)
    stock.data.update()
    result = Shown(carve(stock, poly_curve([(-2, 0, 0.8), (2, 0, 0.8)])))
    height = result.at(np.arange(len(result.corners)))[:, 2]
    flat = (result.source == 0) & (height < -0.1)
    assert degrees(result.normals[flat], result.face_normals[result.face[flat]]).max() < 0.1
    smooth = sample((result.source == 0) & (height > 0.25), 200)
    assert most(degrees(result.normals[smooth], Shown(stock).nearest(result.at(smooth)))) < 0.1


def test_a_flat_stock_with_a_flat_cut_gets_no_custom_normals():
    stock, path = box(), poly_curve([(-2, 0, 1), (2, 0, 1)])
    assert carve(stock, path).data.has_custom_normals
    stock.hide_set(False)
    assert not carve(stock, path, shade_smooth=False).data.has_custom_normals


def test_a_flat_cut_beside_a_smooth_stock():
    stock = uv_sphere()
    result = Shown(carve(stock, poly_curve(BEND), shade_smooth=False))
    cut = result.source > 0
    assert degrees(result.normals[cut], result.face_normals[result.face[cut]]).max() < 0.1
    assert most(stock_off(result, Shown(stock))) < 0.1


@pytest.mark.compiled
def test_merged_faces_are_shaded_exactly_too():
    pytest.importorskip("numba")
    angles = np.linspace(-0.5, 0.5, 60)
    path = np.column_stack([4 * np.sin(angles), np.zeros(60), 4.4 - 4 * np.cos(angles)])
    stock = uv_sphere()
    whole = carve(stock, poly_curve(path), resolution=96)
    stock.hide_set(False)
    obj = carve(stock, bpy.data.objects["Path"], resolution=96, adaptivity=0.1)
    assert len(obj.data.polygons) < len(whole.data.polygons) / 2
    assert not obj.data.validate()
    result = Shown(obj)
    assert most(stock_off(result, Shown(stock))) < 0.1
    # The path is a circle in 60 steps, and shaded as one.
    at = result.at(result.source > 0)
    spoke = unit((at - (0, 0, 4.4)) * (1, 0, 1))
    off = degrees(result.normals[result.source > 0], -unit(at - (0, 0, 4.4) - 4 * spoke))
    assert np.percentile(off, 90) < 0.1 and most(off) < 0.5


@pytest.mark.parametrize("replaces", [False, True])
def test_a_stretched_and_mirrored_stock(replaces):
    stock = uv_sphere()
    stock.scale, stock.rotation_euler = (-1.5, 1, 0.7), (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    shown = Shown(stock)
    before = store.compiled_count()
    result = Shown(carve(stock, poly_curve(BEND), resolution=96, replace=replaces))
    assert store.compiled_count() == before  # all kernels were there
    assert most(stock_off(result, shown)) < 0.1
    assert most(cut_off(result, BEND, -1)) < 0.1


def test_a_stock_that_faces_inward_is_shaded_from_outside():
    stock = uv_sphere()
    shown = Shown(stock)
    stock.data.flip_normals()
    result = Shown(carve(stock, poly_curve(BEND)))
    assert most(stock_off(result, shown)) < 0.1


def test_a_cap_is_shaded_by_its_own_faces():
    angle = 2 * np.pi * np.arange(24) / 24
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.vstack([np.column_stack([ring, np.full(24, z)]) for z in (-1, 1)])
    sides = [(k, (k + 1) % 24, (k + 1) % 24 + 24, k + 24) for k in range(24)]
    stock = mesh_object("Cup", points, faces=[*sides, tuple(range(23, -1, -1))])
    bpy.context.view_layer.objects.active = stock
    result = Shown(carve(stock, poly_curve([(-2, 0, 0), (2, 0, 0)])))
    cap = (result.source == -1) & (np.linalg.norm(result.points[result.corners][:, :2], axis=1) < 0.8)
    assert cap.sum() > 400
    assert degrees(result.normals[cap], np.array([0, 0, 1.0])).max() < 5


def test_instances_keep_their_normals():
    ball, cube = uv_sphere(), box("Flat", (0.5, 0.5, 0.5), (3, 0, 0))
    cube.data.polygons.foreach_set("use_smooth", np.zeros(6, dtype=bool))
    shown = Shown(ball)
    parts = instancer(collection_of(ball, cube))
    result = Shown(carve(parts, poly_curve([*BEND, (3, 0, 0.3)]), resolution=96))
    right = result.at(np.arange(len(result.corners)))[:, 0] > 2
    corners = sample((result.source == 0) & ~right, 200)
    assert most(degrees(result.normals[corners], shown.nearest(result.at(corners)))) < 0.1
    flat = (result.source == 0) & right
    assert flat.sum() > 200 and degrees(result.normals[flat], result.face_normals[result.face[flat]]).max() < 0.1


def test_an_update_writes_the_normals_anew():
    stock, path = uv_sphere(), poly_curve(BEND)
    obj = carve(stock, path)
    path.location.z -= 0.1
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    result = Shown(obj)
    assert most(stock_off(result, Shown(stock))) < 0.1
    assert most(cut_off(result, np.array(BEND) - (0, 0, 0.1), -1)) < 0.1
    obj.voxel_carve.custom_normals = False
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert not obj.data.has_custom_normals


def test_a_result_can_be_carved_again():
    stock = uv_sphere()
    first = carve(stock, poly_curve(BEND))
    below = [(-2, 0, -0.9), (2, 0, -0.9)]
    result = Shown(carve(first, poly_curve(below)))
    corners = sample(result.source == 0, 300)
    old = degrees(result.normals[corners], -gradients(result.at(corners), BEND))
    smooth = degrees(result.normals[corners], Shown(stock).nearest(result.at(corners)))
    assert (smooth < 0.1).sum() > 200 and (old < 1).sum() > 5
    assert ((smooth < 0.5) | (old < 1)).mean() > 0.97
    assert most(cut_off(result, below, -1)) < 0.1


@pytest.mark.parametrize("smooth", [False, True])
def test_a_stock_with_normals_that_is_kept_gets_a_cut_as_asked(smooth):
    """The first result has free custom normals, which Blender shows on flat faces too."""
    first = carve(uv_sphere(), poly_curve(BEND))
    below = poly_curve([(-2, 0, -0.9), (2, 0, -0.9)])
    result = Shown(carve(first, below, result="KEEP", shade_smooth=smooth))
    cut = result.source > 0
    assert cut.sum() > 400
    off = degrees(result.normals[cut], result.face_normals[result.face[cut]])
    assert off.max() < 0.1 if not smooth else 1 < np.median(off) < 10


def test_a_blend_written_by_a_headless_job_has_the_normals(tmp_path: Path):
    uv_sphere().name = "Ball"
    shown = Shown(bpy.data.objects["Ball"])
    poly_curve(BEND, name="Tool")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in.blend"))
    output = tmp_path / "out.blend"
    blend = tmp_path / "in.blend"
    run_job(Job(("Ball",), ("Tool",), output, radius=RADIUS, resolution=48, backend="cpu", blend=blend))
    bpy.ops.wm.open_mainfile(filepath=str(output))
    result = Shown(bpy.data.objects["Ball Carved"])
    shown.mesh = None
    assert most(stock_off(result, shown)) < 0.1
    assert most(cut_off(result, BEND, -1)) < 0.1
