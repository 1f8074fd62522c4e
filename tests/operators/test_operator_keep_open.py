"""Carve with Keep Stock on open stocks: Suzanne, whose eyes are holes, and a plane."""

import json
import math
from collections import Counter
from typing import Any

import bpy
import numpy as np
import pytest

import voxel_carve
from tests.scene_objects import link, poly_curve, select
from tests.shapes import ball_union_distance
from voxel_carve.compute import Path, Sweep

pytestmark = pytest.mark.blender


@pytest.fixture(scope="module", autouse=True)
def extension():
    voxel_carve.register()
    yield
    voxel_carve.unregister()


@pytest.fixture(autouse=True)
def empty_scene(extension):
    bpy.ops.wm.read_factory_settings(use_empty=True)


def keep(*objs, **properties) -> Any:
    """Carve with Keep Stock on the CPU; return the result and its report."""
    select(*objs)
    bpy.context.view_layer.update()
    arguments = {"resolution": 128, "radius": 0.1, "backend": "CPU", "result": "KEEP"} | properties
    assert bpy.ops.object.voxel_carve(**arguments) == {"FINISHED"}
    obj = bpy.context.view_layer.objects.active
    return obj, json.loads(obj["voxel_carve_report"])


def suzanne(levels=2):
    bpy.ops.mesh.primitive_monkey_add(size=2)
    obj = bpy.context.object
    obj.modifiers.new("Smooth", "SUBSURF").levels = levels
    return obj


def evaluated(obj):
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data


def spiral(obj, turns=5, reach=0.55, count=300):
    """A spiral laid onto the back of a head, clear of its face."""
    from mathutils import Vector  # comes with bpy

    axis = Vector((0, 0.75, 0.35)).normalized()
    across = Vector((1, 0, 0)), axis.cross(Vector((1, 0, 0)))
    points = []
    for part in np.linspace(0, 1, count):
        angle, radius = 2 * math.pi * turns * part, reach * part
        start = axis * 3 + across[0] * (radius * math.cos(angle)) + across[1] * (radius * math.sin(angle))
        hit, place, _, _ = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).ray_cast(start, -axis)
        if hit:
            points.append(place[:])
    return np.array(points)


def faces_of(mesh):
    """Each face by the positions of its vertices, from the least one on."""
    points = np.array([vertex.co[:] for vertex in mesh.vertices], dtype=np.float32)
    found = []
    for face in mesh.polygons:
        corners = [points[vertex].tobytes() for vertex in face.vertices]
        least = corners.index(min(corners))
        found.append(tuple(corners[least:] + corners[:least]))
    return points, found


def open_edges(faces):
    """The sides of faces that no other has the other way round."""
    sides = Counter((face[i - 1], face[i]) for face in faces for i in range(len(face)))
    return Counter({side: count for side, count in sides.items() if side[::-1] not in sides})


def test_a_spiral_behind_the_ears_of_suzanne():
    stock = suzanne()
    bpy.context.view_layer.update()
    line = spiral(stock)
    path = poly_curve(line, [0.3] * len(line))
    points, before = faces_of(evaluated(stock))
    obj, report = keep(stock, path)
    assert (report["result"], report["warnings"], report["closed"]) == ("keep", [], False)
    _, after = faces_of(obj.data)
    border = open_edges(before)
    assert len(border) == 168 and open_edges(after) == border
    # Every face that is clear of the sweep is there to the bit.
    sweep = Sweep.from_paths([Path(line, np.array([0.03]))])
    longest = max(math.dist(points[face.vertices[0]], points[face.vertices[2]]) for face in evaluated(stock).polygons)
    clear = points[ball_union_distance(points.astype(np.float64), sweep, 4) > longest]
    corners = {point.tobytes() for point in clear}
    far = {face for face in before if corners.issuperset(face)}
    assert len(far) > 3000 and far <= set(after)
    # The order of the stock's faces stays.
    place = {face: number for number, face in enumerate(before)}
    kept = [place[face] for face in after if face in place]
    assert kept == sorted(kept)


def grid(size=2, count=40):
    import bmesh  # comes with bpy

    mesh, made = bpy.data.meshes.new("Sheet"), bmesh.new()
    bmesh.ops.create_grid(made, x_segments=count, y_segments=count, size=size / 2)
    made.to_mesh(mesh)
    made.free()
    flat = [mesh.vertices[corner.vertex_index].co[axis] for corner in mesh.loops for axis in range(2)]
    mesh.uv_layers.new(name="Flat").uv.foreach_set("vector", flat)
    return link("Sheet", mesh)


def test_a_groove_in_a_plane_keeps_its_map_and_its_border():
    stock = grid()
    ends = ((-0.5, 0.03, 0), (0.5, 0.03, 0))
    _, before = faces_of(stock.data)
    obj, report = keep(stock, poly_curve(ends, [1.0, 1.0]), resolution=200)
    assert (report["result"], report["warnings"], report["closed"]) == ("keep", [], False)
    assert report["removed_volume"] == pytest.approx((math.pi * 0.1**2 + 4 / 3 * math.pi * 0.1**3) / 2, rel=3e-3)
    _, after = faces_of(obj.data)
    assert open_edges(after) == open_edges(before) and len(open_edges(before)) == 160
    # Where the sheet was cut through, its map runs on.
    mesh = obj.data
    source = np.array([value.value for value in mesh.attributes["voxel_carve_source"].data])
    loops = [loop for face in mesh.polygons if source[face.index] == 0 for loop in face.loop_indices]
    assert len(loops) > 4 * 1400
    for loop in loops:
        place = mesh.vertices[mesh.loops[loop].vertex_index].co
        assert (mesh.uv_layers["Flat"].uv[loop].vector - place.xy).length < 1e-5


def test_a_path_through_an_eye_is_remeshed_and_says_so():
    stock = suzanne(1)
    _, report = keep(stock, poly_curve([(0.35, -2, 0.25), (0.35, 0, 0.25)], [1.0, 1.0]), resolution=64)
    assert report["result"] == "remesh" and report["closed"]
    assert report["warnings"][0] == (
        "'Suzanne' was remeshed, not kept: it is open, and the paths come near a hole of it"
    )
