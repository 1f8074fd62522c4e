"""Operators, called as a user calls them, against closed forms."""

import json
import math
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

from tests import shapes
from tests.scene_objects import (
    bezier_curve,
    box,
    collection_of,
    curves_object,
    instancer,
    link,
    mesh_object,
    poly_curve,
    select,
)

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

import voxel_carve  # noqa: E402
from voxel_carve.compute import BackendError, CarveCancelled, Path, Sweep, TriMesh, get_backend  # noqa: E402
from voxel_carve.compute import carve as compute_carve  # noqa: E402
from voxel_carve.compute import separate_process as apart  # noqa: E402
from voxel_carve.compute.engines.numba.compiler import loading  # noqa: E402
from voxel_carve.operators.jobs import dense  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.radius_mode = "VALUE"


def carve(*objs, **properties):
    """Select and carve; return the active object afterwards."""
    select(*objs)
    bpy.context.view_layer.update()
    assert bpy.ops.object.voxel_carve(**properties) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.view_layer.objects.active


def volume(obj):
    """Signed volume in world space, by the divergence theorem."""
    mesh = obj.data
    mesh.calc_loop_triangles()
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    matrix = np.array(obj.matrix_world)
    points = points.reshape(-1, 3).astype(float) @ matrix[:3, :3].T
    corner = points[triangles.reshape(-1, 3)]
    return np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])) / 6


def is_closed(obj):
    """Whether every edge has two faces, in opposite directions."""
    mesh = obj.data
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    first, sides = np.empty((2, len(mesh.polygons)), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", first)
    mesh.polygons.foreach_get("loop_total", sides)
    after = np.arange(len(corners)) + 1
    after[first + sides - 1] = first
    directed = set(zip(corners.tolist(), corners[after].tolist(), strict=True))
    return len(directed) == len(corners) and all((b, a) in directed for a, b in directed)


def contents():
    """The contents of the file, for comparison with a later state."""
    kinds = ("objects", "meshes", "curves", "materials", "collections", "hair_curves")
    names = {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in kinds}
    state = [
        (obj.name, obj.hide_get(), obj.hide_render, obj.select_get(), tuple(obj.location))
        for obj in bpy.context.scene.objects
    ]
    sizes = [len(mesh.vertices) for mesh in bpy.data.meshes]
    return names, state, sizes


def refuses(message, *objs, **properties):
    """Check that Carve fails with this message, and changes nothing."""
    select(*objs)
    bpy.context.view_layer.update()
    before = contents()
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.object.voxel_carve(**properties)
    assert contents() == before


def rod(radius=0.5, **arguments):
    """A straight path right through the box of side 2."""
    return poly_curve([(-2, 0, 0), (2, 0, 0)], [radius / 0.1] * 2, **arguments)


ROD = math.pi * 0.5**2 * 2  # the volume that it removes


# Carve


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("SUBTRACT", 8 - ROD),
        ("INTERSECT", ROD),
        # two half balls and two half rods stick out
        ("UNION", 8 + ROD + 4 / 3 * math.pi * 0.5**3),
    ],
)
def test_a_box_and_a_capsule(operation, expected):
    obj = carve(box(), rod(), operation=operation, radius=0.1, resolution=64)
    assert obj.name == "Box Carved"
    assert volume(obj) == pytest.approx(expected, rel=0.005)
    assert is_closed(obj)


def test_the_error_shrinks_with_the_voxel():
    errors = []
    for resolution in (16, 64):
        stock, path = box(), rod()
        errors.append(abs(volume(carve(stock, path, resolution=resolution)) - (8 - ROD)))
    assert errors[1] < errors[0] / 3


def test_the_report_agrees_with_the_result():
    obj = carve(box(), rod(), resolution=64)
    report = json.loads(obj["voxel_carve_report"])
    assert report["removed_volume"] == pytest.approx(ROD, rel=0.005)
    assert report["volume"] == pytest.approx(volume(obj), rel=1e-4)
    assert report["faces"] == len(obj.data.polygons)
    assert report["operation"] == "subtract" and report["backend"] == "cpu" and report["closed"]
    assert report["voxel_size"] == pytest.approx(2 / 64)
    seconds = report["seconds"]
    assert {"read", "voxelize", "sweep", "surface", "write", "compute", "compile", "total"} <= set(seconds)
    assert seconds["total"] == pytest.approx(sum(seconds[s] for s in ("read", "compute", "compile", "mesh", "write")))


def test_verify_puts_the_accuracy_into_message_and_report(capfd):
    done = carve(box(), rod(), resolution=24, verify=True)
    report = json.loads(done["voxel_carve_report"])
    assert report["accuracy"]["vertices"]["count"] == len(done.data.vertices)
    assert 0 < report["accuracy"]["voxels"]["vertices"]["largest"] < 1
    assert report["seconds"]["verify"] > 0
    assert "off the exact surface, in voxels: vertices" in capfd.readouterr().out


def test_the_total_time_includes_compiling(monkeypatch, capfd):
    def after_compiling(*arguments, **options):
        result = compute_carve(*arguments, **options)
        seconds = result.report.seconds | {"compile": 1000.0}
        return replace(result, report=replace(result.report, seconds=seconds))

    monkeypatch.setattr(apart, "carve", after_compiling)
    seconds = json.loads(carve(box(), rod(), resolution=16)["voxel_carve_report"])["seconds"]
    assert min(seconds[stage] for stage in ("read", "compute", "write")) > 0
    assert seconds["total"] == pytest.approx(
        sum(seconds[s] for s in ("read", "compute", "compile", "mesh", "write")), abs=1e-6
    )
    line = r"'Box' carved: .*, ([0-9.]+) s \(of that read ([0-9.]+), write ([0-9.]+)\)$"
    printed = re.search(line, capfd.readouterr().out, re.MULTILINE)
    assert printed
    for shown, stage in zip(printed.groups(), ("total", "read", "write"), strict=True):
        assert float(shown) == pytest.approx(seconds[stage], abs=0.006)


def test_waiting_for_kernels_counts_as_compiling_alone_at_whatever_stage(monkeypatch):
    """Those of faces that merge, of Verify and of Blender's mesh are loaded when they are first needed."""
    waited, load = [], loading._load_from_cache

    def wait(name):
        if name in {"merge", "exact", "write"} - set(waited):
            waited.append(name)
            time.sleep(1.0)
        return load(name)

    monkeypatch.setattr(loading, "_load_from_cache", wait)
    began = time.perf_counter()
    seconds = json.loads(carve(box(), rod(), resolution=16, adaptivity=0.5, verify=True)["voxel_carve_report"])[
        "seconds"
    ]
    passed = time.perf_counter() - began
    assert sorted(waited) == ["exact", "merge", "write"] and seconds["compile"] >= len(waited)
    stages = ("voxelize", "sweep", "combine", "surface", "simplify")
    assert 0 < sum(seconds[stage] for stage in stages) <= seconds["compute"]
    assert min(seconds["mesh"], seconds["verify"]) > 0
    assert sum(seconds[stage] for stage in ("read", "compute", "compile", "verify", "mesh", "write")) <= passed


def test_the_result_takes_the_place_of_the_stock():
    stock, path = box(), rod()
    obj = carve(stock, path, resolution=16)
    assert bpy.context.selected_objects == [obj]
    assert stock.hide_get() and not path.hide_get()
    assert volume(stock) == pytest.approx(8)


def test_voxel_size_and_resolution():
    stock, path = box(), rod()
    report = json.loads(carve(stock, path, voxel_size=0.125)["voxel_carve_report"])
    assert report["voxel_size"] == 0.125
    stock.hide_set(False)
    report = json.loads(carve(stock, path, resolution=32)["voxel_carve_report"])
    assert report["voxel_size"] == 2 / 32


def test_properties_not_given_come_from_the_scene_settings():
    settings = bpy.context.scene.voxel_carve
    settings.size_mode, settings.voxel_size, settings.radius, settings.operation = "SIZE", 0.125, 0.5, "INTERSECT"
    path = poly_curve([(-2, 0, 0), (2, 0, 0)])
    stock = box()
    obj = carve(stock, path)
    report = json.loads(obj["voxel_carve_report"])
    assert (report["operation"], report["voxel_size"]) == ("intersect", 0.125)
    assert volume(obj) == pytest.approx(ROD, rel=0.05)
    # and is read anew each time
    settings.operation = "SUBTRACT"
    stock.hide_set(False)
    assert json.loads(carve(stock, path)["voxel_carve_report"])["operation"] == "subtract"
    stock.hide_set(False)
    assert json.loads(carve(stock, path, operation="UNION")["voxel_carve_report"])["operation"] == "union"


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (2, 1, 0.5), (-1, -3, 2)])
def test_a_stock_of_any_scale(scale):
    stock, path = box(), rod()
    stock.scale = scale
    full = 8 * abs(np.prod(scale))
    obj = carve(stock, path, operation="UNION", resolution=32)
    assert volume(obj) > full * 0.99
    stock.hide_set(False)
    obj = carve(stock, path, resolution=64)
    taken = math.pi * 0.5**2 * 2 * abs(scale[0]) if min(abs(scale[1]), abs(scale[2])) >= 1 else None
    if taken:
        assert volume(obj) == pytest.approx(full - min(taken, math.pi * 0.5**2 * 4 + 4 / 3 * math.pi / 8), rel=0.01)
    assert 0 < volume(obj) < full


def test_modifiers_are_part_of_the_stock():
    stock = box()
    array = stock.modifiers.new("Array", "ARRAY")
    array.count = 2
    array.relative_offset_displace = (0, 2, 0)
    assert volume(carve(stock, rod(), voxel_size=1 / 32)) == pytest.approx(16 - ROD, rel=0.005)


@pytest.mark.compiled
def test_faces_merge_and_edges_stay():
    stock, path = box(), rod()
    whole = carve(stock, path, resolution=32)
    for properties in ({"adaptivity": 0.1}, {"tolerance": 0.00625}):
        stock.hide_set(False)
        obj = carve(stock, path, resolution=32, **properties)
        report = json.loads(obj["voxel_carve_report"])
        assert report["tolerance"] == pytest.approx(0.1 * 2 / 32, rel=1e-6)
        assert len(obj.data.polygons) == report["faces"] < len(whole.data.polygons) / 3
        assert not obj.data.validate()
        assert {len(face.vertices) for face in obj.data.polygons} == {3}
        assert volume(obj) == pytest.approx(volume(whole), rel=2e-3)
        assert is_closed(obj)


def removed_by(stock, path, **properties):
    """The volume that a carve removes from a box of side 2."""
    stock.hide_set(False)
    return 8 - volume(carve(stock, path, resolution=64, **properties))


def test_a_path_without_a_radius_gets_one_from_the_size_of_the_stock():
    stock, path = box(size=(2, 2, 2)), poly_curve([(-2, 0, 0), (2, 0, 0)])
    assert removed_by(stock, path, radius_mode="CURVE") == pytest.approx(math.pi * 0.1**2 * 2, rel=0.02)
    path.data.bevel_depth = 0.5
    assert removed_by(stock, path, radius_mode="CURVE") == pytest.approx(ROD, rel=0.01)
    assert removed_by(stock, path, radius_mode="CURVE", radius_factor=0.5) == pytest.approx(ROD / 4, rel=0.01)


def test_one_radius_for_all_paths_whatever_their_bevel():
    stock, path = box(), poly_curve([(-2, 0, 0), (2, 0, 0)])
    path.data.bevel_depth = 0.1
    assert removed_by(stock, path, radius=0.25) == pytest.approx(ROD / 4, rel=0.01)
    assert removed_by(stock, path, radius=0.25, radius_factor=2) == pytest.approx(ROD, rel=0.01)


@pytest.mark.parametrize("result", ["REMESH", "KEEP"])
def test_cut_faces_have_the_requested_material_and_shading(result):
    stock, path, material = box(), rod(), bpy.data.materials.new("Brass")
    path.data.materials.append(bpy.data.materials.new("Steel"))
    obj = carve(stock, path, resolution=32, result=result, cut_material="Brass", shade_smooth=False)
    source = obj.data.attributes["voxel_carve_source"].data
    cut = [face for face, each in zip(obj.data.polygons, source, strict=True) if each.value == 1]
    assert cut and {obj.material_slots[face.material_index].material for face in cut} == {material}
    assert not any(face.use_smooth for face in cut)
    stock.hide_set(False)
    bpy.context.scene.voxel_carve.cut_material = material
    obj = carve(stock, path, resolution=32, result=result)
    assert {slot.material for slot in obj.material_slots} == {None, material}
    source = obj.data.attributes["voxel_carve_source"].data
    assert all(face.use_smooth for face, each in zip(obj.data.polygons, source, strict=True) if each.value == 1)


def test_a_missing_material_is_refused():
    refuses("no material 'Gold'", box(), rod(), cut_material="Gold")


def test_several_stocks_give_several_results():
    near, far = box("Near"), box("Far", centre=(10, 0, 0))
    path = poly_curve([(-2, 0, 0), (12, 0, 0)])
    carve(near, far, path, radius=0.5, resolution=32)
    results = {obj.name: obj for obj in bpy.context.selected_objects if obj != path}
    assert set(results) == {"Near Carved", "Far Carved"}
    for obj in results.values():
        assert volume(obj) == pytest.approx(8 - ROD, rel=0.01)
    assert bpy.context.view_layer.objects.active.name == "Near Carved"


def test_unselected_and_hidden_objects_are_ignored():
    stock, path = box(), rod()
    other = poly_curve([(0, -2, 0), (0, 2, 0)], name="Other")
    hidden = poly_curve([(0, 0, -2), (0, 0, 2)], name="Hidden")
    box("Bystander", centre=(0, 0.5, 0))
    hidden.select_set(True)
    hidden.hide_set(True)
    obj = carve(stock, path, resolution=64)
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.005)
    assert not other.hide_get()


# Every kind of path


def test_a_tapering_path():
    path = poly_curve([(-1, 0, 0), (1, 0, 0)], [0.4, 0.8])
    path.data.bevel_depth = 1
    obj = carve(box(size=(4, 4, 4)), path, resolution=64, radius_mode="CURVE")
    # the hull of two balls: a cap of each and the cone that touches both
    low, high, length = 0.4, 0.8, 2.0
    sine = (high - low) / length
    cosine = math.sqrt(1 - sine**2)
    start, stop = low * cosine, high * cosine
    cone = math.pi * (length - (high - low) * sine) / 3 * (start**2 + start * stop + stop**2)

    def cap(radius, height):
        return math.pi * height**2 * (radius - height / 3)

    expected = cone + cap(low, low * (1 - sine)) + cap(high, high * (1 + sine))
    assert 64 - volume(obj) == pytest.approx(expected, rel=0.01)


def test_a_cyclic_bezier_path_is_a_torus():
    bpy.ops.curve.primitive_bezier_circle_add(radius=1)
    path = bpy.context.object
    path.data.bevel_depth = 0.25
    obj = carve(box(size=(3, 3, 1)), path, resolution=96, radius_mode="CURVE")
    assert 9 - volume(obj) == pytest.approx(2 * math.pi**2 * 0.25**2, rel=0.01)


def test_a_mirrored_and_scaled_path():
    path = poly_curve([(-1, 0.2, 0), (1, 0.2, 0)])
    path.data.bevel_depth = 0.125
    path.scale = (2, -2, 2)
    obj = carve(box(), path, resolution=64, radius_mode="CURVE")
    assert 8 - volume(obj) == pytest.approx(math.pi * 0.25**2 * 2, rel=0.02)
    sources = obj.data.attributes["voxel_carve_source"].data
    cut = [polygon.center for polygon, source in zip(obj.data.polygons, sources, strict=True) if source.value == 1]
    middle = np.mean([tuple(centre) for centre in cut], axis=0)
    np.testing.assert_allclose(middle, (0, -0.4, 0), atol=0.02)


def test_an_unevenly_scaled_bevel_gives_a_warning(capfd):
    path = poly_curve([(-1, 0, 0), (1, 0, 0)])
    path.data.bevel_depth = 0.25
    path.scale = (4, 1, 2)
    obj = carve(box(), path, resolution=48, radius_mode="CURVE")
    assert 8 - volume(obj) == pytest.approx(math.pi * 0.5**2 * 2, rel=0.01)
    assert "scaled unevenly" in json.loads(obj["voxel_carve_report"])["warnings"][0]
    assert "scaled unevenly" in capfd.readouterr().out


def warnings_of(obj):
    return json.loads(obj["voxel_carve_report"])["warnings"]


def test_an_uneven_scale_is_told_wherever_a_radius_has_its_mean():
    path = poly_curve([(-4, 0, 0), (4, 0, 0)])
    path.data.bevel_depth = 0.25
    whole = instancer(collection_of(path, name="Cables"), "Whole")
    whole.scale = (1, 1, 8)
    obj = carve(box(), whole, resolution=48, radius_mode="CURVE")
    assert 8 - volume(obj) == pytest.approx(math.pi * 0.5**2 * 2, rel=0.01)
    assert warnings_of(obj) == ["'Path' is scaled unevenly: its bevel is taken as round, with the mean scale"]

    radii = {"radius": ("FLOAT", "POINT", [0.25, 0.25])}
    wires = curves_object([(-4, 0, 0), (4, 0, 0)], attributes=radii, name="Wires")
    wires.parent = whole
    obj = carve(box("Other"), wires, resolution=48, radius_mode="CURVE")
    assert 8 - volume(obj) == pytest.approx(math.pi * 0.5**2 * 2, rel=0.01)
    assert warnings_of(obj) == ["'Wires' is scaled unevenly: its radii are multiplied by the mean scale"]


def test_an_uneven_scale_is_not_told_where_the_radius_is_given():
    path = poly_curve([(-4, 0, 0), (4, 0, 0)])
    path.data.bevel_depth, path.scale = 0.25, (1, 1, 8)
    obj = carve(box(), path, resolution=48, radius=0.5)
    assert 8 - volume(obj) == pytest.approx(math.pi * 0.5**2 * 2, rel=0.01)
    assert warnings_of(obj) == []


@pytest.mark.parametrize("kind", ["POLY", "NURBS", "BEZIER", "CURVES", "EDGES"])
def test_a_straight_rod_of_every_kind(kind):
    line = [(-2, 0, 0), (-1, 0, 0), (1, 0, 0), (2, 0, 0)]
    if kind in {"POLY", "NURBS"}:
        path = poly_curve(line, kind=kind)
        path.data.splines[0].use_endpoint_u = True
    elif kind == "BEZIER":
        path = bezier_curve(line, np.subtract(line, (0.3, 0, 0)), np.add(line, (0.3, 0, 0)))
    elif kind == "CURVES":
        path = curves_object(line)
    else:
        path = mesh_object("Toolpath", line, edges=[(0, 1), (1, 2), (2, 3)])
    assert 8 - volume(carve(box(), path, radius=0.5, resolution=64)) == pytest.approx(ROD, rel=0.01)


def test_a_text_engraves():
    text = bpy.data.curves.new("Text", "FONT")
    text.body = "I"
    path = link("Text", text)
    path.location = (0, 0, 0.1)
    obj = carve(box(size=(2, 2, 0.2), centre=(0.3, 0.3, 0)), path, radius=0.05, resolution=128)
    removed = json.loads(obj["voxel_carve_report"])["removed_volume"]
    low, high = np.array(path.bound_box).min(axis=0), np.array(path.bound_box).max(axis=0)
    outline = 2 * (high - low)[:2].sum()  # the letter is a rectangle
    assert removed == pytest.approx(outline * math.pi * 0.05**2 / 2, rel=0.05)


def test_one_point_is_a_ball():
    obj = carve(box(), poly_curve([(0, 0, 0)]), radius=0.5, resolution=64)
    assert 8 - volume(obj) == pytest.approx(4 / 3 * math.pi * 0.5**3, rel=0.01)


def test_far_from_the_origin_and_tiny():
    offset = np.array([4096.0, -2048.0, 1024.0])
    stock, path = box(size=(0.1, 0.1, 0.1)), poly_curve([(-0.1, 0, 0), (0.1, 0, 0)])
    stock.location = path.location = offset
    obj = carve(stock, path, radius=0.02, resolution=64)
    assert volume(obj) == pytest.approx(0.001 - math.pi * 0.02**2 * 0.1, rel=0.005)


# Replace and undo


def test_replace_changes_the_stock():
    stock = box()
    stock.modifiers.new("Array", "ARRAY").count = 2
    obj = carve(stock, poly_curve([(-2, 0, 0), (8, 0, 0)]), radius=0.5, resolution=64, replace=True)
    assert obj is stock and stock.name == "Box" and not stock.modifiers and not stock.hide_get()
    assert volume(stock) == pytest.approx(16 - 2 * ROD, rel=0.005)
    assert len(bpy.data.meshes) == 1


def test_replace_is_one_undo_step():
    stock, path = box(), rod()
    stock.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    select(stock, path)
    bpy.ops.ed.undo_push(message="Before")
    assert bpy.ops.object.voxel_carve("EXEC_DEFAULT", True, resolution=32, replace=True) == {"FINISHED"}
    assert len(bpy.data.objects["Box"].data.polygons) > 100
    bpy.ops.ed.undo()
    stock = bpy.data.objects["Box"]
    assert len(stock.data.polygons) == 6 and len(stock.modifiers) == 1
    assert volume(stock) == pytest.approx(8)


def test_a_carve_is_one_undo_step():
    select(box(), rod())
    bpy.ops.ed.undo_push(message="Before")
    before = contents()
    assert bpy.ops.object.voxel_carve("EXEC_DEFAULT", True, resolution=32) == {"FINISHED"}
    assert "Box Carved" in bpy.data.objects
    bpy.ops.ed.undo()
    assert contents() == before


@pytest.fixture
def linked_box(tmp_path: FilePath):
    """A box in the scene that is linked from another file."""
    collection = bpy.data.collections.new("Parts")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(box("Part"))
    file = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(file), link=True) as (_, target):
        target.collections = ["Parts"]
    bpy.context.scene.collection.children.link(target.collections[0])
    return target.collections[0].objects["Part"]


def test_a_linked_stock_is_carved_into_a_local_object(linked_box):
    obj = carve(linked_box, rod(), resolution=32)
    assert obj.library is None
    assert volume(obj) == pytest.approx(8 - ROD, rel=0.02)


def test_a_linked_stock_is_not_replaced(linked_box):
    refuses("'Part' is linked from another file", linked_box, rod(), replace=True)


# Bad input: an error with a remedy, and nothing changed


def test_no_stock():
    refuses("No stock: select a mesh or a volume", rod())
    stock = box()
    carve(stock, rod(), resolution=16)
    refuses("No stock: 'Box' is hidden: show it", stock, rod())


def test_a_mesh_without_faces_is_no_stock():
    refuses("No stock: 'Wire' has no faces", mesh_object("Wire", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)]))


def test_no_path():
    refuses("No path: select a curve", box())


def test_nothing_selected():
    box()
    refuses("No stock")


def test_edit_mode():
    stock, path = box(), rod()
    select(stock, path)
    bpy.ops.object.mode_set(mode="EDIT")
    before = contents()
    with pytest.raises(RuntimeError, match="'Box' is in Edit Mode: switch to Object Mode"):
        bpy.ops.object.voxel_carve()
    assert contents() == before


def test_coordinates_that_are_not_numbers():
    stock = box()
    stock.data.vertices[0].co.x = float("nan")
    select(stock)
    with pytest.raises(RuntimeError, match="'Box' has 1 of 8 vertices"):
        select(stock, rod())
        bpy.ops.object.voxel_carve()
    assert len(bpy.data.objects) == 2 and not stock.hide_get()


def test_zero_scale():
    stock = box()
    stock.scale.z = 0
    refuses("'Box' has a scale of zero", stock, rod())


def test_a_path_without_points():
    refuses("'Nothing' has no points", box(), link("Nothing", bpy.data.curves.new("Nothing", "CURVE")))


def test_a_radius_of_zero():
    refuses("[Rr]adius 0: it must be a positive length", box(), rod(), radius=0)
    refuses("[Nn]o point of the paths has a radius", box(), poly_curve([(0, 0, 0), (1, 0, 0)], [0, 0], name="Tip"))


def test_an_invalid_voxel_size():
    stock, path = box(), rod()
    refuses("[Vv]oxel size 0: it must be a positive length", stock, path, voxel_size=0)
    refuses("[Vv]oxel size 3 m is larger than 'Box', whose longest side is 2 m: try 1.56 cm", stock, path, voxel_size=3)


def test_a_voxel_size_beyond_the_memory_limit_names_one_that_fits():
    stock, path = box(), rod()
    select(stock, path)
    with pytest.raises(RuntimeError, match=r"voxel size of [0-9.]+ [cm]?m would fit"):
        bpy.ops.object.voxel_carve(voxel_size=1e-5)


def test_everything_carved_away():
    refuses("[Nn]othing is left of 'Box'", box(), poly_curve([(-1, 0, 0), (1, 0, 0)]), radius=5, resolution=16)


def test_a_path_outside_gives_a_warning_and_the_whole_stock(capfd):
    obj = carve(box(), poly_curve([(9, 0, 0), (10, 0, 0)]), resolution=32)
    assert volume(obj) == pytest.approx(8, rel=0.005)
    assert "do not touch 'Box'" in capfd.readouterr().out


def test_an_open_stock_is_closed_with_a_warning(capfd):
    stock = box()
    stock.data.clear_geometry()
    points = [(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    stock.data.from_pydata(points, [], [(0, 3, 2, 1), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)])
    obj = carve(stock, rod(), resolution=32)
    assert is_closed(obj)
    assert "'Box' has holes (4 open edges)" in capfd.readouterr().out


def test_inverted_normals_give_a_warning(capfd):
    stock = box()
    stock.data.flip_normals()
    assert volume(carve(stock, rod(), resolution=32)) == pytest.approx(8 - ROD, rel=0.02)
    assert "inverted" in capfd.readouterr().out


def test_an_unknown_backend():
    select(box(), rod())
    with pytest.raises(TypeError, match="GUESSWORK"):
        bpy.ops.object.voxel_carve(backend="GUESSWORK")


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_a_backend_is_used_or_reported_missing(name):
    try:
        get_backend(name)
    except BackendError as error:
        refuses(re.escape(str(error)[1:]), box(), rod(), backend=name.upper())
    else:
        report = json.loads(carve(box(), rod(), resolution=16, backend=name.upper())["voxel_carve_report"])
        assert report["backend"] == name


def test_a_failure_on_the_second_stock_leaves_the_first_alone():
    bad = box("Bad", centre=(5, 0, 0))
    bad.scale.x = 0
    refuses("'Bad' has a scale of zero", box("Good"), bad, rod(), resolution=16)


def test_a_cancelled_job_changes_nothing(monkeypatch):
    stock, path = box(), rod()
    select(stock, path)
    before = contents()

    def cancelled(*arguments, **options):
        raise CarveCancelled

    monkeypatch.setattr(apart, "carve", cancelled)
    assert bpy.ops.object.voxel_carve() == {"CANCELLED"}
    assert contents() == before


# The other three


def test_voxelize_makes_blocks():
    obj = box(size=(2, 2, 1))
    select(obj)
    assert bpy.ops.object.voxel_carve_voxelize(voxel_size=0.25) == {"FINISHED"}
    result = bpy.context.object
    assert result.name == "Box Voxels"
    assert len(result.data.polygons) == 2 * (8 * 8 + 8 * 4 + 8 * 4)
    assert volume(result) == pytest.approx(4)
    assert is_closed(result)
    normals = np.array([tuple(polygon.normal) for polygon in result.data.polygons])
    np.testing.assert_allclose(np.sort(np.abs(normals), axis=1), [[0, 0, 1]] * len(normals), atol=1e-6)


@pytest.mark.parametrize("distance", [0.5, -0.5])
def test_offset_grows_and_shrinks(distance):
    select(box())
    assert bpy.ops.object.voxel_carve_offset(voxel_size=0.05, distance=distance) == {"FINISHED"}
    result = bpy.context.object
    assert result.name == "Box Offset"
    np.testing.assert_allclose(result.dimensions, 2 + 2 * distance, atol=1e-4)
    if distance > 0:
        expected = 8 + 6 * 4 * 0.5 + 12 * 2 * math.pi * 0.5**2 / 4 + 4 / 3 * math.pi * 0.5**3
        assert volume(result) == pytest.approx(expected, rel=0.03)
    else:
        assert volume(result) == pytest.approx(1, rel=1e-4)
    assert is_closed(result)


@pytest.mark.parametrize(("operation", "expected"), [("UNION", 15), ("INTERSECT", 1), ("SUBTRACT", 7)])
def test_boolean_of_two_boxes(operation, expected):
    base, other = box("Base"), box("Other", centre=(1, 1, 1))
    select(base, other)
    assert bpy.ops.object.voxel_carve_boolean(operation=operation, voxel_size=0.125) == {"FINISHED"}
    result = bpy.context.object
    assert result.name == "Base Boolean"
    assert volume(result) == pytest.approx(expected)
    assert is_closed(result)
    assert base.hide_get() and not other.hide_get()


def test_the_boolean_operator_has_its_own_operation():
    bpy.context.scene.voxel_carve.operation = "UNION"
    select(box("Base"), box("Other", centre=(1, 1, 1)))
    bpy.ops.object.voxel_carve_boolean(voxel_size=0.125)
    assert volume(bpy.context.object) == pytest.approx(7)


def test_boolean_of_three():
    base, one, two = box("Base"), box("One", centre=(1, 1, 1)), box("Two", centre=(-1, -1, -1))
    select(base, one, two)
    bpy.ops.object.voxel_carve_boolean(operation="SUBTRACT", voxel_size=0.125)
    assert volume(bpy.context.object) == pytest.approx(6)


@pytest.mark.parametrize(
    ("operator", "properties"),
    [("voxel_carve_voxelize", {}), ("voxel_carve_offset", {"distance": 0.25}), ("voxel_carve_boolean", {})],
)
def test_the_other_three_can_replace(operator, properties):
    base = box("Base")
    select(base, box("Other", centre=(1, 1, 1)))
    bpy.context.view_layer.objects.active = base
    getattr(bpy.ops.object, operator)(voxel_size=0.125, replace=True, **properties)
    assert bpy.data.objects["Base"] is base and len(base.data.polygons) > 6
    assert not base.hide_get()


def test_boolean_needs_two_meshes_and_an_active_one():
    base, other = box("Base"), box("Other")
    select(base)
    with pytest.raises(RuntimeError, match="Select at least 2 meshes"):
        bpy.ops.object.voxel_carve_boolean()
    select(base, other)
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="Make one of the selected objects active"):
        bpy.ops.object.voxel_carve_boolean()


def test_an_offset_of_less_than_a_voxel_or_of_everything():
    select(box())
    before = contents()
    with pytest.raises(RuntimeError, match="less than a voxel"):
        bpy.ops.object.voxel_carve_offset(voxel_size=0.1, distance=0.05)
    with pytest.raises(RuntimeError, match="Nothing is left of 'Box'"):
        bpy.ops.object.voxel_carve_offset(voxel_size=0.1, distance=-1.5)
    assert contents() == before


def test_a_boolean_of_meshes_apart():
    select(box("Base"), box("Other", centre=(9, 0, 0)))
    before = contents()
    with pytest.raises(RuntimeError, match="Nothing is left of 'Base'"):
        bpy.ops.object.voxel_carve_boolean(operation="INTERSECT", voxel_size=0.25)
    assert contents() == before


def take_lid_off(obj):
    """Remove one of a box's six faces."""
    points = [tuple(vertex.co) for vertex in obj.data.vertices]
    faces = [tuple(polygon.vertices) for polygon in obj.data.polygons]
    obj.data.clear_geometry()
    obj.data.from_pydata(points, [], faces[:1] + faces[2:])


def test_what_is_told_last_has_the_warning_and_the_volume_that_was_removed(capfd):
    """The status bar shows nothing else."""
    lidless = box("Lidless")
    take_lid_off(lidless)
    select(lidless, poly_curve([(-2, 0, 0.5), (2, 0, 0.5)]))
    assert bpy.ops.object.voxel_carve(radius_mode="VALUE", radius=0.3, voxel_size=0.1) == {"FINISHED"}
    told = [line for line in capfd.readouterr().out.splitlines() if line.startswith(("Info: ", "Warning: "))]
    assert re.search(r"^Info: 'Lidless' carved: volume \S+ m³ removed, ", told[0])
    assert re.search(r"^Warning: Volume \S+ m³ removed; 'Lidless' has holes", told[-1])


@pytest.mark.parametrize("operator", ["voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"])
def test_the_other_three_warn_of_an_open_and_of_an_inverted_mesh(operator, capfd):
    lidless, inverted = box("Lidless"), box("Inverted", centre=(1, 1, 1))
    take_lid_off(lidless)
    inverted.data.flip_normals()
    select(lidless, inverted)
    assert getattr(bpy.ops.object, operator)(voxel_size=0.1) == {"FINISHED"}
    printed = capfd.readouterr().out
    assert printed.count("Warning: 'Lidless' has holes (4 open edges): they were filled") == 1
    assert printed.count("Warning: 'Inverted' has its normals inverted: it was taken as solid all the same") == 1


@pytest.mark.parametrize("operator", ["voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"])
def test_the_other_three_do_not_warn_of_whole_meshes(operator, capfd):
    mirrored = box("Mirrored", centre=(-1, 1, 1))
    mirrored.scale.x = -1
    select(box("Whole"), mirrored)
    bpy.context.view_layer.update()
    assert getattr(bpy.ops.object, operator)(voxel_size=0.1) == {"FINISHED"}
    assert "Warning" not in capfd.readouterr().out


@pytest.mark.parametrize(
    "mesh",
    [
        shapes.box(),
        TriMesh(shapes.box().points, shapes.box().triangles[:, ::-1], "inverted"),
        shapes.hemisphere(subdivisions=2),
        shapes.lidless_box(),
        # every triangle has its own points: the mesh is closed only once they are welded
        TriMesh(shapes.box().corners().reshape(-1, 3), np.arange(36).reshape(-1, 3), "soup"),
    ],
    ids=lambda mesh: mesh.name,
)
def test_warnings_of_a_mesh_are_those_of_a_carve(mesh):
    sweep = Sweep.from_paths([Path([[-2.0, 0.1, -0.1], [2.0, 0.1, -0.1]], 0.3)])
    assert dense.stock_warnings(mesh) == compute_carve(mesh, sweep, 0.1, backend="cpu").report.warnings


@pytest.mark.parametrize("operator", ["voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"])
def test_the_other_three_refuse_what_does_not_fit_in_memory(operator):
    select(box("Base"), box("Other"))
    with pytest.raises(RuntimeError, match=r"voxel size of [0-9.]+ [cm]?m would fit"):
        getattr(bpy.ops.object, operator)(voxel_size=2e-5)


def test_the_voxel_size_that_would_fit_does():
    limits = dense.Limits(memory_limit=10_000_000)
    bounds = np.array([[0.0, 0, 0], [3, 2, 1]])
    with pytest.raises(dense.MemoryLimitError) as refusal:
        dense._planned(bounds, 0.001, limits)
    fitting = refusal.value.fitting_voxel_size
    dense._planned(bounds, fitting, limits)
    with pytest.raises(dense.MemoryLimitError):
        dense._planned(bounds, fitting * 0.8, limits)


@pytest.mark.parametrize("radius", [1, 1.5, 2.5, 4])
def test_a_ball_has_the_voxels_within_its_radius(radius):
    kernel = dense.ball(radius)
    middle = (len(kernel) - 1) // 2
    for index in np.ndindex(kernel.shape):
        assert kernel[index] == (math.dist(index, (middle,) * 3) <= radius + 1e-6)
    # the array is no larger than needed
    assert kernel[0].any() and kernel[-1].any()


@pytest.mark.parametrize(
    "operator", ["voxel_carve", "voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"]
)
def test_an_operator_that_ran_last_could_run_again(operator):
    """Blender shows the redo panel only then."""
    select(box("Base"), box("Other", centre=(1, 1, 1)), rod())
    function = getattr(bpy.ops.object, operator)
    assert function("EXEC_DEFAULT", True, voxel_size=0.1) == {"FINISHED"}
    assert all(obj.name.startswith(("Base ", "Other ")) for obj in bpy.context.selected_objects)
    assert function.poll()


def test_an_operator_that_ran_last_does_not_run_on_its_result_alone():
    select(box(), rod())
    assert bpy.ops.object.voxel_carve("EXEC_DEFAULT", True, voxel_size=0.1) == {"FINISHED"}
    obj = bpy.context.object
    with pytest.raises(RuntimeError, match="No path: select a curve"):
        bpy.ops.object.voxel_carve("EXEC_DEFAULT", True)
    assert bpy.context.selected_objects == [obj] and len(bpy.data.objects) == 3
    bpy.ops.transform.translate("EXEC_DEFAULT", True, value=(1, 0, 0))
    assert not bpy.ops.object.voxel_carve.poll()


@pytest.mark.parametrize(
    "operator", ["voxel_carve", "voxel_carve_voxelize", "voxel_carve_offset", "voxel_carve_boolean"]
)
def test_operators_can_be_redone_and_have_descriptions(operator):
    rna = getattr(bpy.ops.object, operator).get_rna_type()
    assert rna.description.endswith(tuple("abcdefghijklmnopqrstuvwxyz")) and len(rna.description) > 20
    for prop in rna.properties:
        assert prop.identifier == "rna_type" or prop.description, prop.identifier
    cls = getattr(bpy.types, f"OBJECT_OT_{operator}")
    assert cls.bl_options == {"REGISTER", "UNDO"}


def test_register_and_unregister_leave_nothing_behind():
    def added():
        types = {name for name in dir(bpy.types) if "voxel_carve" in name.lower() or "VoxelCarve" in name}
        return types, hasattr(bpy.types.Scene, "voxel_carve"), len(bpy.types.VIEW3D_MT_object._dyn_ui_initialize())

    there = added()
    voxel_carve.unregister()
    gone = added()
    voxel_carve.register()
    assert gone == (set(), False, there[2] - 1)
    assert added() == there


def test_a_process_that_registered_exits():
    code = "import voxel_carve; voxel_carve.register(); print('registered')"
    root = FilePath(voxel_carve.__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip().splitlines()[-1]) == (0, "registered"), done.stderr
