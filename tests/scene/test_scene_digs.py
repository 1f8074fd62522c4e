"""A stock that is dug again and again with Keep Stock stays closed: in the scene, as triangles, and in every file."""

import json
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest
import trimesh

import voxel_carve
from tests.scene_objects import poly_curve, select

pytestmark = pytest.mark.blender

ADD: Any = bpy.ops.mesh
STOCKS = {
    "cube": lambda: ADD.primitive_cube_add(size=4),
    "sphere": lambda: ADD.primitive_uv_sphere_add(radius=2, segments=64, ring_count=32),
    "icosphere": lambda: ADD.primitive_ico_sphere_add(radius=2, subdivisions=4),
    "cylinder": lambda: ADD.primitive_cylinder_add(radius=2, depth=3),
    "cone": lambda: ADD.primitive_cone_add(radius1=2, depth=3),
    "torus": lambda: ADD.primitive_torus_add(major_radius=1.6, minor_radius=0.7),
    "Suzanne": lambda: ADD.primitive_monkey_add(size=4),
    "grid": lambda: ADD.primitive_grid_add(size=4, x_subdivisions=20, y_subdivisions=20),
    "plane": lambda: ADD.primitive_plane_add(size=4),
    "circle": lambda: ADD.primitive_circle_add(radius=2, fill_type="NGON"),
}
SHEETS = ("grid", "plane", "circle")
EYES = 42  # edges of Suzanne's eye sockets, which are open
WM: Any = bpy.ops.wm
PLAIN = {"export_selected_objects": True}
BARE = {**PLAIN, "export_normals": False, "export_uv": False, "export_triangulated_mesh": True}
EXPORTS = {
    "binary.stl": lambda file: WM.stl_export(filepath=file, **PLAIN),
    "text.stl": lambda file: WM.stl_export(filepath=file, ascii_format=True, **PLAIN),
    "binary.ply": lambda file: WM.ply_export(filepath=file, **BARE),
    "text.ply": lambda file: WM.ply_export(filepath=file, ascii_format=True, **BARE),
    "text.obj": lambda file: WM.obj_export(filepath=file, export_materials=False, **BARE),
    "binary.glb": lambda file: bpy.ops.export_scene.gltf(filepath=file, use_selection=True),
}


@pytest.fixture(scope="module", autouse=True)
def extension():
    voxel_carve.register()
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    yield
    voxel_carve.unregister()


def digs(name: str, seed: int, count: int) -> Iterator[Any]:
    """Dig along `count` random paths, one after the other; every third has its points on round coordinates."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    STOCKS[name]()
    stock: Any = bpy.context.object
    corners = np.array(stock.bound_box)
    rng = np.random.default_rng(seed)
    for number in range(count):
        points = rng.uniform(corners.min(axis=0), corners.max(axis=0), (3, 3))
        radius = float(rng.uniform(0.1, 0.3))
        path = poly_curve(np.round(points * 4) / 4 if number % 3 == 2 else points)
        path.data.bevel_depth = radius
        bpy.context.view_layer.update()
        select(stock, path)
        bpy.context.view_layer.objects.active = stock
        done = bpy.ops.object.voxel_carve(resolution=40, replace=True, result="KEEP", backend="CPU")
        assert done == {"FINISHED"}
        bpy.data.objects.remove(path)
        stock = bpy.context.view_layer.objects.active
        yield stock


def faces_of_edges(triangles):
    """How many of some triangles (M, 3) each edge has."""
    sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return np.unique(sides, axis=0, return_counts=True)[1]


def joined(points, triangles):
    """Triangles (M, 3) whose corners in one place are one vertex."""
    return np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)[triangles]


def ways_of_counting(stock) -> dict[str, Any]:
    """How many faces each edge has: of polygons, of triangles, and of those joined by their coordinates."""
    mesh = stock.data
    mesh.calc_loop_triangles()
    edges, triangles = np.empty(len(mesh.loops), np.int32), np.empty(3 * len(mesh.loop_triangles), np.int32)
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.loops.foreach_get("edge_index", edges)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    mesh.vertices.foreach_get("co", points)
    points, triangles = points.reshape(-1, 3), triangles.reshape(-1, 3)
    return {
        "polygons": np.bincount(edges, minlength=len(mesh.edges)),
        "triangles": faces_of_edges(triangles),
        "joined": faces_of_edges(joined(points, triangles)),
        "six decimals": faces_of_edges(joined(np.round(points.astype(float), 6) + 0.0, triangles)),
    }


def assert_as_closed(found, name, result):
    """At most two faces at each edge; one only where the stock is open."""
    for way, faces in found.items():
        assert faces.max() == 2, way
        if name not in SHEETS:
            assert (faces == 1).sum() in ((EYES,) if name == "Suzanne" and result == "keep" else (0,)), way


def assert_exported_as_closed(stock, name, folder, result):
    """The same of the files that Blender's exporters write, whose corners are joined by their coordinates."""
    select(stock)
    for file, export in EXPORTS.items():
        assert export(str(folder / file)) == {"FINISHED"}
        read = trimesh.load(folder / file, process=False, force="mesh")
        triangles = joined(np.asarray(read.vertices), np.asarray(read.faces))
        assert_as_closed({file: faces_of_edges(triangles)}, name, result)


def result_of(stock):
    return json.loads(stock["voxel_carve_report"])["result"]


def test_a_path_through_the_eyes_of_suzanne_leaves_no_edge_of_four_faces():
    """It remeshes her. At her ears, four triangles met in an edge after vertices were joined by their coordinates."""
    for stock in digs("Suzanne", 3, 1):
        assert result_of(stock) == "remesh"
        assert_as_closed(ways_of_counting(stock), "Suzanne", "remesh")


def test_exporters_may_split_the_quads_of_a_remeshed_stock(tmp_path):
    """The third path goes through the eyes of Suzanne. Three quads had a diagonal that was an edge elsewhere."""
    *_, stock = digs("Suzanne", 1004, 3)
    assert result_of(stock) == "remesh"
    assert_exported_as_closed(stock, "Suzanne", tmp_path, "remesh")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seed", "count"),
    [
        *((name, 1, 8) for name in STOCKS),
        ("torus", 0, 25),
        ("Suzanne", 4, 12),
        ("Suzanne", 1004, 25),
        ("grid", 2, 20),
    ],
)
def test_a_stock_that_is_dug_again_and_again_stays_closed(name, seed, count, tmp_path):
    was_remeshed = False
    for stock in digs(name, seed, count):
        was_remeshed |= result_of(stock) == "remesh"
        assert not was_remeshed or name == "Suzanne"
        found = ways_of_counting(stock)
        assert_as_closed(found, name, "remesh" if was_remeshed else "keep")
    assert_exported_as_closed(stock, name, tmp_path, "remesh" if was_remeshed else "keep")
