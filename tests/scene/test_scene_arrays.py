"""The arrays of a result's mesh are made beside Blender; what is written from them is what Blender would be told."""

import threading
from typing import Any

import numpy as np
import pytest

from tests.operators.test_operators import carve, rod
from tests.scene_objects import box, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from voxel_carve.compute.engines.numba.compiler import load_kernels  # noqa: E402
from voxel_carve.operators.jobs import remeshing  # noqa: E402
from voxel_carve.operators.jobs.carve_reading import carve_options  # noqa: E402
from voxel_carve.operators.jobs.carving import read_carve_job  # noqa: E402
from voxel_carve.operators.jobs.running import call_directly  # noqa: E402
from voxel_carve.operators.selection.selected import Selection  # noqa: E402
from voxel_carve.scene.layers import BYTE_COLOR, CornerData, Layer, Layers, add_layers  # noqa: E402
from voxel_carve.scene.writing import rewrite as rewrite_module  # noqa: E402
from voxel_carve.scene.writing import write as write_module  # noqa: E402
from voxel_carve.scene.writing.arrays import MeshArrays  # noqa: E402
from voxel_carve.scene.writing.attributes import VALUES, get_values  # noqa: E402


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.voxel_carve.radius_mode = "VALUE"


def dressed_box():
    """A box with two materials, a UV map, colours of both kinds and domains, and three groups, one of them empty."""
    stock, rng = box(), np.random.default_rng(3)
    mesh = stock.data
    for name in ("One", "Two"):
        mesh.materials.append(bpy.data.materials.get(name) or bpy.data.materials.new(name))
    mesh.polygons.foreach_set("material_index", np.arange(6, dtype=np.int32) % 2)
    mesh.polygons.foreach_set("use_smooth", np.arange(6) % 3 > 0)
    mesh.uv_layers.new(name="Map").data.foreach_set("uv", rng.random(48, dtype=np.float32))
    for kind in ("BYTE_COLOR", "FLOAT_COLOR"):
        for domain, count in (("CORNER", 24), ("POINT", 8)):
            layer = mesh.color_attributes.new(f"{kind} {domain}", kind, domain)
            layer.data.foreach_set("color", rng.random(4 * count, dtype=np.float32))
    for name, weights in (("Left", range(8)), ("Right", (0, 3, 5)), ("Empty", ())):
        group = stock.vertex_groups.new(name=name)
        for vertex in weights:
            group.add([vertex], (1 + vertex) / 8, "REPLACE")
    return stock


def everything(obj):
    """All that a mesh object has, except its name and its report."""
    mesh = obj.data
    attributes = {
        each.name: (each.data_type, each.domain, get_values(mesh, each.name).tobytes())
        for each in mesh.attributes
        if each.data_type in VALUES
    }
    start = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", start)
    normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    return {
        "order": [each.name for each in mesh.attributes],
        "active": mesh.attributes.active_index,
        "attributes": attributes,
        "faces": start.tobytes(),
        "normals": normals.tobytes(),
        "groups": [each.name for each in obj.vertex_groups],
        "weights": [[(each.group, each.weight) for each in vertex.groups] for vertex in mesh.vertices],
        "materials": [each and each.name for each in mesh.materials],
        "layers": (mesh.uv_layers.active.name, mesh.color_attributes.active_color_name),
        "place": [list(row) for row in obj.matrix_world],
    }


@pytest.mark.parametrize("replace", [False, True])
def test_a_result_from_arrays_made_beside_blender_is_the_one_made_at_once(replace, monkeypatch):
    stocks = [dressed_box() for _ in range(2)]
    for stock in stocks:
        stock.scale = (1, -1.5, 1)
    results = []
    for stock, at_once in zip(stocks, (False, True), strict=True):
        if at_once:
            monkeypatch.setattr(MeshArrays, "fits", lambda *_: False)
        results.append(carve(stock, rod(0.1), resolution=24, radius=0.3, radius_mode="VALUE", replace=replace))
    one, other = map(everything, results)
    assert len(one["attributes"]) >= 14 and len(one["weights"]) > 1000
    for name, found in one.items():
        assert found == other[name], name


def test_nothing_but_copies_is_left_for_the_main_thread(monkeypatch):
    for module in (write_module, rewrite_module):
        monkeypatch.setattr(module, "mesh_arrays", lambda *_: pytest.fail("arrays were made while writing"))
    obj = carve(dressed_box(), path := rod(0.1), resolution=24, radius=0.3, radius_mode="VALUE")
    before = len(obj.data.polygons)
    path.location.z = 0.2
    select(obj)
    assert bpy.ops.object.voxel_carve_update() == {"FINISHED"}
    assert len(obj.data.polygons) != before


@pytest.mark.parametrize("tool", ["voxelize", "offset", "boolean"])
def test_the_voxel_tools_leave_nothing_but_copies_either(tool, monkeypatch):
    made = []
    write = remeshing.write_surface

    def write_copies(*arguments, **options):
        monkeypatch.setattr(write_module, "mesh_arrays", lambda *_: pytest.fail("arrays were made while writing"))
        monkeypatch.setattr(remeshing, "stock_warnings", lambda *_: pytest.fail("a stock was checked while writing"))
        made.append(write(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(remeshing, "write_surface", write_copies)
    select(box(), *([box("Other", centre=(0.5, 0, 0))] if tool == "boolean" else []))
    assert getattr(bpy.ops.object, f"voxel_carve_{tool}")(resolution=32) == {"FINISHED"}
    assert len(made[0].data.polygons) > 100


@pytest.mark.parametrize("replace", [False, True])
def test_a_result_stays_where_it_was_carved_though_the_stock_was_moved_meanwhile(replace):
    stock, path, settings = box(), rod(0.1), bpy.context.scene.voxel_carve
    settings.radius_mode, settings.radius, settings.resolution, settings.replace = "VALUE", 0.3, 24, replace
    bpy.context.view_layer.update()
    options = carve_options(settings, bpy.context)
    job = read_carve_job(bpy.context, Selection((stock,), (path,)), options)
    made: list[Any] = []
    thread = threading.Thread(target=lambda: made.append(job.compute(lambda *_: None, call_directly)))
    thread.start()
    thread.join()
    stock.location = (0.5, 0, 3)
    bpy.context.view_layer.update()
    try:
        obj = job.write(bpy.context, made[0])[0].obj
    finally:
        job.close()
    bpy.context.view_layer.update()
    local = get_values(obj.data, "position")
    world = local @ np.array(obj.matrix_world)[:3, :3].T + np.array(obj.matrix_world)[:3, 3]
    np.testing.assert_allclose(world, made[0][0].result.surface.points, rtol=0, atol=1e-6)
    assert tuple(obj.location) == (0.5, 0, 3)


@pytest.mark.parametrize("domain", ["CORNER", "POINT"])
def test_bytes_of_colours_are_those_that_blender_makes_of_them(domain):
    load_kernels("write")
    stock, rng = box(), np.random.default_rng(7)
    count = 24 if domain == "CORNER" else 8
    for colors in (rng.random((count, 4)), rng.normal(0.5, 1, (count, 4)), rng.random((count, 4)) / 100):
        values = colors.astype(np.float32)
        own = stock.data.attributes.new("Own", BYTE_COLOR, domain)
        own.data.foreach_set("color", values.ravel())
        layer = Layer("Given", BYTE_COLOR, domain, CornerData(values, np.zeros((0, 3), dtype=np.int32)))
        add_layers(stock, Layers((layer,)), [values])
        assert stock.data.attributes["Given"].data_type == BYTE_COLOR
        assert stock.data.attributes["Given"].domain == domain
        np.testing.assert_array_equal(get_values(stock.data, "Given"), get_values(stock.data, "Own"))
        for name in ("Given", "Own"):
            stock.data.attributes.remove(stock.data.attributes[name])
