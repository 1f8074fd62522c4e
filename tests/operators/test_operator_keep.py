"""Carve with Keep Stock, called as a user calls it: faces that no path touches stay unchanged, to the bit."""

import json
import math
from typing import Any

import bpy
import numpy as np
import pytest

import voxel_carve
from tests.scene_objects import box, link, poly_curve, select
from tests.shapes import ball_union_distance
from voxel_carve.compute import Path, Sweep, TriMesh
from voxel_carve.compute.boolean import Cut
from voxel_carve.compute.boolean.manifold_boolean import ManifoldBoolean

pytestmark = pytest.mark.blender

ROD = math.pi * 0.5**2 * 2  # volume that a rod of radius 0.5 removes from a box of side 2


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
    arguments = {"resolution": 64, "radius": 0.1, "backend": "CPU", "result": "KEEP"} | properties
    assert bpy.ops.object.voxel_carve(**arguments) == {"FINISHED"}
    obj = bpy.context.view_layer.objects.active
    return obj, json.loads(obj["voxel_carve_report"])


def rod(radius=0.5, ends=((-2, 0.03, 0.02), (2, 0.03, 0.02)), **arguments):
    return poly_curve(ends, [radius / 0.1] * len(ends), **arguments)


def built(name, build) -> Any:
    """An object whose mesh `build` makes from an empty bmesh."""
    import bmesh  # comes with bpy

    mesh, made = bpy.data.meshes.new(name), bmesh.new()
    build(made, bmesh.ops)
    made.to_mesh(mesh)
    made.free()
    return link(name, mesh)


def sphere(segments=48, rings=24, radius=1.0, name="Ball"):
    """A sphere of quads with triangles at its poles."""
    return built(
        name, lambda made, ops: ops.create_uvsphere(made, u_segments=segments, v_segments=rings, radius=radius)
    )


def triangles(obj):
    """In world space."""
    mesh = obj.data
    mesh.calc_loop_triangles()
    points = np.array([obj.matrix_world @ vertex.co for vertex in mesh.vertices], dtype=np.float64)
    return TriMesh(points, np.array([triangle.vertices[:] for triangle in mesh.loop_triangles]))


def is_closed(obj):
    """Whether every edge has two faces, in opposite directions."""
    sides = [
        (vertices[i - 1], vertices[i])
        for vertices in (face.vertices for face in obj.data.polygons)
        for i in range(len(vertices))
    ]
    directed = set(sides)
    return len(directed) == len(sides) and all((b, a) in directed for a, b in directed)


def decorate(obj):
    """Give a mesh everything that a face can lose: UVs, colours, custom normals, weights, materials, creases."""
    random, mesh = np.random.default_rng(5), obj.data
    corners, points, faces, edges = (len(part) for part in (mesh.loops, mesh.vertices, mesh.polygons, mesh.edges))
    mesh.uv_layers.new(name="Checker").uv.foreach_set("vector", random.random(2 * corners).astype(np.float32))
    for name, kind, domain, field, values in (
        ("Paint", "BYTE_COLOR", "CORNER", "color_srgb", random.integers(0, 256, 4 * corners) / 255),
        ("Linear", "FLOAT_COLOR", "CORNER", "color", random.random(4 * corners)),
        ("Wear", "FLOAT", "POINT", "value", random.random(points)),
        ("Number", "INT", "FACE", "value", random.integers(0, 1000, faces)),
        ("crease_edge", "FLOAT", "EDGE", "value", random.random(edges)),
    ):
        mesh.attributes.new(name, kind, domain)
        dtype = np.int32 if kind == "INT" else np.float32
        mesh.attributes[name].data.foreach_set(field, values.astype(dtype))
    for name in ("Left", "Right"):
        group = obj.vertex_groups.new(name=name)
        for vertex in mesh.vertices:
            if random.random() < 0.6:
                group.add([vertex.index], random.random(), "REPLACE")
    for name in ("Wood", "Brass", "Wood Again"):
        mesh.materials.append(bpy.data.materials.get("Wood") if name == "Wood Again" else bpy.data.materials.new(name))
    mesh.polygons.foreach_set("material_index", random.integers(0, 3, faces).astype(np.int32))
    mesh.polygons.foreach_set("use_smooth", random.random(faces) < 0.8)
    mesh.polygons.foreach_set("select", random.random(faces) < 0.5)
    normals = np.array([corner.vector for corner in mesh.corner_normals]) + random.normal(0, 0.2, (corners, 3))
    mesh.normals_split_custom_set((normals / np.linalg.norm(normals, axis=1, keepdims=True)).tolist())


def untouched(obj):
    """Everything visible about each face, by its position, for comparison to the bit."""
    mesh, found = obj.data, {}
    edge_of = {tuple(sorted(edge.vertices)): edge.index for edge in mesh.edges}
    normals = mesh.corner_normals
    names = {group.index: group.name for group in obj.vertex_groups}
    for face in mesh.polygons:
        corners, vertices = face.loop_indices, [*face.vertices]
        sides = zip(vertices, vertices[1:] + vertices[:1], strict=True)
        found[tuple(tuple(mesh.vertices[vertex].co) for vertex in vertices)] = (
            [tuple(mesh.uv_layers["Checker"].uv[corner].vector) for corner in corners],
            [tuple(mesh.attributes["Paint"].data[corner].color_srgb) for corner in corners],
            [tuple(mesh.attributes["Linear"].data[corner].color) for corner in corners],
            [tuple(normals[corner].vector) for corner in corners],
            [mesh.attributes["Wear"].data[vertex].value for vertex in vertices],
            [{names[g.group]: g.weight for g in mesh.vertices[vertex].groups} for vertex in vertices],
            [mesh.attributes["crease_edge"].data[edge_of[tuple(sorted(side))]].value for side in sides],
            mesh.attributes["Number"].data[face.index].value,
            (face.material_index, obj.material_slots[face.material_index].material.name, face.use_smooth),
        )
    return found


def in_world(obj, points):
    matrix = np.array(obj.matrix_world, dtype=np.float64)
    return np.asarray(points) @ matrix[:3, :3].T + matrix[:3, 3]


def place(obj, location, rotation, scale):
    obj.location, obj.rotation_euler, obj.scale = location, rotation, scale
    bpy.context.view_layer.update()


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1.5)])
def test_faces_that_no_path_touches_are_unchanged(scale):
    stock = sphere()
    decorate(stock)
    place(stock, (3, -2, 1), (0.3, 0.2, 0.1), scale)
    before, ends = untouched(stock), in_world(stock, [(-2, 0.4, 0.3), (2, 0.5, -0.2)])
    obj, report = keep(stock, poly_curve(ends, [2.0, 2.0]))
    assert (report["result"], report["warnings"]) == ("keep", [])
    assert is_closed(obj)
    after, sweep, far = untouched(obj), Sweep.from_paths([Path(ends, np.array([0.2]))]), 0
    for corners, values in before.items():
        # a face of this sphere is at most 0.15 long
        if ball_union_distance(in_world(stock, corners), sweep, 400).min() > 0.15 + 2 * report["voxel_size"]:
            far += 1
            assert after[corners] == values
    assert far > 800
    removed = triangles(stock).volume() - triangles(obj).volume()
    assert abs(removed) == pytest.approx(report["removed_volume"], rel=1e-4)


def test_cut_faces_have_their_own_material_and_a_sharp_border():
    stock = box()
    stock.data.materials.append(bpy.data.materials.new("Steel"))
    obj, _ = keep(stock, rod())
    assert [material.name for material in obj.data.materials] == ["Steel", "Voxel Carve Cut"]
    source = np.array([value.value for value in obj.data.attributes["voxel_carve_source"].data])
    cut = np.array([face.material_index for face in obj.data.polygons]) == 1
    assert (cut == (source == 1)).all()
    # the cut is on the cylinder, the rest on the box
    for face in obj.data.polygons:
        distance = abs(math.hypot(face.center.y - 0.03, face.center.z - 0.02) - 0.5)
        assert (
            distance if cut[face.index] else 1 - max(abs(face.center.x), abs(face.center.y), abs(face.center.z))
        ) < 0.01
    sides = {}
    for face in obj.data.polygons:
        for key in face.edge_keys:
            sides.setdefault(key, set()).add(bool(cut[face.index]))
    border = {key for key, both in sides.items() if len(both) == 2}
    sharp = {tuple(sorted(edge.vertices)) for edge in obj.data.edges if edge.use_edge_sharp}
    assert border and border <= sharp


def test_cut_faces_have_the_number_and_material_of_their_path():
    stock = box()
    stock.data.materials.append(bpy.data.materials.new("Steel"))
    heights = {"Red": -0.5, "Green": 0.5, "Voxel Carve Cut": 0.0}
    paths = [rod(0.2, ((-2, 0.03, z), (2, 0.03, z)), name=name) for name, z in heights.items()]
    for path in paths[:2]:
        path.data.materials.append(bpy.data.materials.new(path.name))
    select(stock, *paths)
    order = [obj.name for obj in bpy.context.selected_objects if obj != stock]
    obj, _ = keep(stock, *paths)
    assert sorted(material.name for material in obj.data.materials) == sorted(["Steel", *heights])
    source, segment = (
        np.array([value.value for value in obj.data.attributes[name].data])
        for name in ("voxel_carve_source", "voxel_carve_segment")
    )
    names = np.array([obj.data.materials[face.material_index].name for face in obj.data.polygons])
    assert set(names[source == 0]) == {"Steel"} and set(segment[source == 0]) == {-1}
    for number, name in enumerate(order, start=1):
        own = np.flatnonzero(source == number)
        assert len(own) > 500 and set(names[own]) == {name}
        assert set(segment[own]) == {number - 1}  # each path has one segment
        for face in own.tolist():
            center = obj.data.polygons[face].center
            assert math.hypot(center.y - 0.03, center.z - heights[name]) == pytest.approx(0.2, abs=0.01)


def test_more_segments_than_the_stock_has_triangles():
    line = [(x, 0.03, 0.3 * math.sin(3 * x)) for x in np.linspace(-2, 2, 30)]
    obj, report = keep(box(), rod(0.3, ends=line))
    assert (report["result"], report["warnings"]) == ("keep", [])
    segments = {value.value for value in obj.data.attributes["voxel_carve_segment"].data}
    assert max(segments) > 12 and is_closed(obj)
    assert triangles(obj).volume() == pytest.approx(report["volume"], rel=1e-5)


def test_no_cut_material_is_made_if_every_path_has_its_own():
    path = rod()
    path.data.materials.append(bpy.data.materials.new("Red"))
    obj, _ = keep(box(), path)
    assert [material and material.name for material in obj.data.materials] == [None, "Red"]
    assert "Voxel Carve Cut" not in bpy.data.materials


def test_a_stock_without_materials_keeps_the_default_look():
    obj, _ = keep(box(), rod())
    assert [material and material.name for material in obj.data.materials] == [None, "Voxel Carve Cut"]


def test_materials_of_the_object_itself_are_kept():
    stock = box()
    stock.data.materials.append(bpy.data.materials.new("Of the mesh"))
    stock.material_slots[0].link = "OBJECT"
    stock.material_slots[0].material = bpy.data.materials.new("Of the object")
    obj, _ = keep(stock, rod())
    assert obj.data.materials[0].name == "Of the object"
    assert stock.data.materials[0].name == "Of the mesh"


@pytest.mark.parametrize(
    ("operation", "expected"),
    [("SUBTRACT", 8 - ROD), ("INTERSECT", ROD), ("UNION", 8 + ROD + 4 / 3 * math.pi * 0.5**3)],
)
def test_every_operation_gives_the_volume_of_the_closed_form(operation, expected):
    obj, report = keep(box(), rod(), operation=operation)
    assert (report["result"], report["operation"]) == ("keep", operation.lower())
    assert triangles(obj).volume() == pytest.approx(expected, rel=0.005)
    assert report["volume"] == pytest.approx(triangles(obj).volume(), rel=1e-5)
    assert report["removed_volume"] == pytest.approx(8 - report["volume"], rel=1e-5)
    assert report["faces"] == len(obj.data.polygons)
    assert is_closed(obj)


def test_the_stock_is_hidden_and_not_changed_and_nothing_is_left_behind():
    stock, path = sphere(), rod()
    decorate(stock)
    before = untouched(stock)
    obj, _ = keep(stock, path)
    assert (obj.name, stock.hide_get(), stock.hide_render) == ("Ball Carved", True, True)
    assert untouched(stock) == before
    assert len(bpy.data.scenes) == 1
    assert sorted(bpy.data.objects.keys()) == ["Ball", "Ball Carved", "Path"]
    assert sorted(bpy.data.meshes.keys()) == ["Ball", "Ball Carved"]
    assert not [attribute.name for attribute in obj.data.attributes if attribute.name.startswith(".voxel")]


def test_replace_applies_modifiers_in_one_undo_step():
    stock = box()
    stock.modifiers.new("Array", "ARRAY").relative_offset_displace[0] = 2.0
    path = rod()
    select(stock, path)
    bpy.ops.ed.undo_push(message="Before")
    arguments = {"resolution": 64, "radius": 0.1, "backend": "CPU", "result": "KEEP", "replace": True}
    bpy.ops.object.voxel_carve("EXEC_DEFAULT", True, **arguments)
    stock = bpy.data.objects["Box"]
    assert not stock.modifiers and stock.data.name == "Box" and len(bpy.data.meshes) == 1
    assert json.loads(stock["voxel_carve_report"])["result"] == "keep"
    # The rod ends in a half ball between the two boxes.
    assert triangles(stock).volume() == pytest.approx(16 - ROD, rel=0.005)
    bpy.ops.ed.undo()
    stock = bpy.data.objects["Box"]
    assert len(stock.modifiers) == 1 and len(stock.data.polygons) == 6
    assert len(bpy.data.scenes) == 1 and len(bpy.data.meshes) == 1 and "voxel_carve_report" not in stock


def test_a_sheared_stock_stays_where_it_is():
    parent, stock = box("Parent", (1, 1, 1)), box()
    place(parent, (0, 0, 0), (0, 0, 0), (1, 2, 1))
    stock.parent = parent
    place(stock, (0.2, 0, 0), (0.3, 0.5, 0.7), (1, 1, 1))
    before = triangles(stock)
    obj, report = keep(stock, rod(0.2), resolution=48)
    assert report["result"] == "keep"
    assert obj.parent is None
    assert np.abs(before.bounds() - triangles(obj).bounds()).max() < 1e-5
    assert before.volume() - triangles(obj).volume() == pytest.approx(report["removed_volume"], rel=1e-3)


def test_a_hole_that_the_cut_removes_does_not_matter():
    # A cube of quads lacks one small face in the middle of its top, exactly where the tool passes through.
    def build(made, ops):
        ops.create_cube(made, size=2)
        ops.subdivide_edges(made, edges=made.edges[:], cuts=8, use_grid_fill=True)
        made.faces.remove(
            max(made.faces, key=lambda face: face.calc_center_median().z - face.calc_center_median().xy.length)
        )

    stock = built("Holed", build)
    obj, report = keep(stock, rod(ends=((0, 0, 2), (0, 0, 0.5))))
    assert (report["result"], report["warnings"]) == ("keep", [])
    assert is_closed(obj)
    assert triangles(obj).volume() == pytest.approx(8 - math.pi * (0.5**3 + 2 / 3 * 0.5**3), rel=0.005)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_edge_has_four_faces_however_blender_triangulates(seed):
    """Two corners of a polygon can be an edge of a sliver beside it. A diagonal there would be its third face."""
    ends = np.random.default_rng(seed).normal(size=(2, 3))
    ends = ends / np.linalg.norm(ends, axis=1)[:, None] * 2
    obj, report = keep(sphere(64, 32, radius=2.0), rod(0.3, ends=ends.tolist()))
    assert (report["result"], report["warnings"], report["closed"]) == ("keep", [], True)
    corners = triangles(obj).triangles
    sides = np.sort(np.concatenate([corners[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    assert (np.unique(sides, axis=0, return_counts=True)[1] == 2).all()
    assert max(len(face.vertices) for face in obj.data.polygons) > 4


def test_a_stock_stays_closed_when_it_is_carved_again_and_again():
    """A cut has edges that single precision makes points of. Carved again, they would leave holes."""
    bpy.ops.mesh.primitive_torus_add(major_radius=1.6, minor_radius=0.7)
    obj, random = bpy.context.object, np.random.default_rng(15)
    low, high = (np.array(corner) for corner in (obj.bound_box[0], obj.bound_box[6]))
    for number in range(4):
        ends = random.uniform(low, high, (3, 3))
        ends = np.round(4 * ends) / 4 if number % 3 == 2 else ends
        path = poly_curve(ends.tolist(), name=f"Path {number}")
        path.data.bevel_depth = random.uniform(0.1, 0.3)
        select(obj, path)
        bpy.context.view_layer.update()
        assert bpy.ops.object.voxel_carve(resolution=40, replace=True, result="KEEP") == {"FINISHED"}
        obj = bpy.context.view_layer.objects.active
        assert json.loads(obj["voxel_carve_report"])["result"] == "keep"
        assert is_closed(obj)
        path.hide_set(True)


def test_two_cubes_keep_the_edge_that_they_share():
    def build(made, ops):
        for shift in (0, 2):
            ops.translate(made, verts=ops.create_cube(made, size=2)["verts"], vec=(shift, shift, 0))
        ops.remove_doubles(made, verts=made.verts[:], dist=1e-5)

    stock = built("Pair", build)
    far, report = keep(stock, rod(0.3, ends=((-1, -2, 0), (-1, 2, 0))))
    assert (report["result"], report["warnings"], report["closed"]) == ("keep", [], True)
    shared = {frozenset(((1, 1, -1), (1, 1, 1)))}
    ends = [frozenset(tuple(far.data.vertices[vertex].co) for vertex in key) for key in far.data.edge_keys]
    assert {key for key in ends if ends.count(key) > 1} | shared == shared and shared <= set(ends)
    faces = [
        face
        for face in far.data.polygons
        if shared & {frozenset(tuple(far.data.vertices[vertex].co) for vertex in key) for key in face.edge_keys}
    ]
    assert len(faces) == 4
    assert triangles(far).volume() == pytest.approx(16 - math.pi * 0.3**2 * 2 / 2, rel=0.005)
    # If the tool removes that edge, the rest is a manifold.
    stock.hide_set(False)
    near, report = keep(stock, rod(0.5, ends=((1, 1, -3), (1, 1, 3)), name="Other"))
    assert report["result"] == "keep"
    assert is_closed(near)
    assert triangles(near).volume() == pytest.approx(16 - math.pi * 0.5**2 * 2 / 2, rel=0.005)


def test_each_overlapping_shell_is_cut():
    def build(made, ops):
        for shift in ((0, 0, 0), (1, 0.13, 0.17)):
            ops.translate(made, verts=ops.create_cube(made, size=2)["verts"], vec=shift)

    stock = built("Shells", build)
    obj, report = keep(stock, rod())
    assert report["result"] == "keep"
    assert triangles(obj).volume() == pytest.approx(16 - 2 * ROD, rel=0.005)


def test_inverted_normals_are_taken_as_solid():
    stock = box()
    stock.data.flip_normals()
    obj, report = keep(stock, rod())
    assert report["result"] == "keep"
    assert "normals inverted" in report["warnings"][0]
    assert report["removed_volume"] == pytest.approx(ROD, rel=0.005)
    assert report["volume"] == pytest.approx(triangles(obj).volume(), rel=1e-5)
    assert triangles(obj).volume() == pytest.approx(8 - ROD, rel=0.005)


def by_vertex(obj):
    """The looks of each face at each of its vertices, by their positions, whichever way it faces."""
    mesh, found = obj.data, {}
    for face in mesh.polygons:
        at = {}
        for corner, vertex in zip(face.loop_indices, face.vertices, strict=True):
            uv, paint = mesh.uv_layers["Checker"].uv[corner], mesh.attributes["Linear"].data[corner]
            at[tuple(mesh.vertices[vertex].co)] = (tuple(uv.vector), tuple(paint.color), mesh.loops[corner].normal)
        found[frozenset(at)] = (at, mesh.attributes["Number"].data[face.index].value, face.material_index, face.normal)
    return found


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1.5)])
@pytest.mark.parametrize("part", [0.3, 1.0])
def test_inward_faces_are_flipped_with_all_their_attributes(part, scale):
    wrong = np.random.default_rng(4).random(48 * 24) < part

    def build(made, ops):
        ops.create_uvsphere(made, u_segments=48, v_segments=24, radius=1)
        ops.reverse_faces(made, faces=[face for face, turn in zip(made.faces, wrong, strict=True) if turn])

    stock = built("Ball", build)
    decorate(stock)
    place(stock, (3, -2, 1), (0.3, 0.2, 0.1), scale)
    before, ends = by_vertex(stock), in_world(stock, [(-2, 0.4, 0.3), (2, 0.5, -0.2)])
    count = sum(len(face.vertices) - 2 for face, turn in zip(stock.data.polygons, wrong, strict=True) if turn)
    obj, report = keep(stock, poly_curve(ends, [2.0, 2.0]))
    assert report["result"] == "keep"
    note = f"{count:,} of 2,208 triangles that look the other way: they were turned round"
    assert ("normals inverted" if part == 1 else note) in report["warnings"][0]
    assert is_closed(obj)
    local = TriMesh(np.array([vertex.co for vertex in obj.data.vertices]), triangles(obj).triangles)
    assert abs(np.prod(scale)) * local.volume() == pytest.approx(report["volume"], rel=1e-4)
    turned = same = 0
    for place_, (at, *rest, normal) in by_vertex(obj).items():
        if place_ not in before:
            continue
        own, *own_rest, own_normal = before[place_]
        sign = 1 if normal.dot(own_normal) > 0 else -1
        turned, same = turned + (sign < 0), same + (sign > 0)
        assert rest == own_rest
        for corner, (uv, paint, custom) in at.items():
            assert (uv, paint) == own[corner][:2]
            assert (custom - sign * own[corner][2]).length < 1e-2
    assert turned > 0.8 * part * len(wrong)
    assert same >= 0.8 * (1 - part) * len(wrong)


def test_a_path_elsewhere_leaves_the_stock_whole():
    stock = sphere()
    decorate(stock)
    obj, report = keep(stock, rod(ends=((5, 5, 5), (6, 5, 5))))
    assert report["result"] == "keep"
    assert report["warnings"] == ["the paths do not touch 'Ball': it comes back whole"]
    assert report["removed_volume"] == 0
    assert untouched(obj) == untouched(stock)


def test_a_path_close_by_leaves_the_stock_whole():
    stock = sphere()
    decorate(stock)
    obj, report = keep(stock, rod(0.1, ends=((0.95, 0.95, 0), (0.95, 0.95, 0.1))))
    assert report["warnings"] == ["the paths do not touch 'Ball': it comes back whole"]
    assert untouched(obj) == untouched(stock)


def test_an_empty_result_has_the_same_message_as_for_remesh():
    messages = []
    for result in ("KEEP", "REMESH"):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        select(box(), rod(3.0))
        with pytest.raises(RuntimeError) as error:
            bpy.ops.object.voxel_carve(result=result, resolution=32, radius=0.1, backend="CPU")
        messages.append(str(error.value))
        assert sorted(bpy.data.objects.keys()) == ["Box", "Path"] and len(bpy.data.scenes) == 1
    assert messages[0] == messages[1]
    assert "nothing is left of 'Box'" in messages[0] or "Nothing is left of 'Box'" in messages[0]


def test_shape_keys_are_refused():
    stock = box()
    stock.shape_key_add(name="Basis")
    stock.shape_key_add(name="Wide").data[0].co.x -= 1
    select(stock, rod())
    with pytest.raises(RuntimeError, match="'Box' has shape keys"):
        bpy.ops.object.voxel_carve(result="KEEP", resolution=32, backend="CPU")
    assert sorted(bpy.data.meshes.keys()) == ["Box"] and not stock.hide_get()
    assert keep(stock, bpy.data.objects["Path"], result="REMESH")[1]["result"] == "remesh"


def test_a_wrong_boolean_is_detected_and_the_stock_remeshed(monkeypatch):
    """A boolean that leaves the stock unchanged."""

    def nothing(self, stock, tool, operation):
        count = len(stock.triangles)
        return Cut(stock.points, stock.triangles, np.ones(count, dtype=bool), np.arange(count))

    monkeypatch.setattr(ManifoldBoolean, "__call__", nothing)
    obj, report = keep(box(), rod())
    assert report["result"] == "remesh"
    assert "the boolean was wrong in" in report["warnings"][0]
    assert triangles(obj).volume() == pytest.approx(8 - ROD, rel=0.005)
    assert len(bpy.data.meshes) == 2


@pytest.mark.slow
def test_a_sphere_of_200_000_triangles_keeps_faces_away_from_two_thousand_segments():
    from benchmarks.cases import make
    from benchmarks.in_blender import RADIUS, add_curve
    from benchmarks.peer import add_mesh

    case = make("W3-2000")
    stock, path = add_mesh("Stock", case.stock), add_curve("Path", case.path)
    obj, report = keep(stock, path, resolution=256, radius=RADIUS, backend="AUTO")
    assert (report["result"], report["warnings"]) == ("keep", [])
    corners, result = case.stock.corners().astype(np.float32), obj.data
    single = np.empty(3 * len(result.vertices), dtype=np.float32)
    result.vertices.foreach_get("co", single)
    three = [face.vertices[:] for face in result.polygons if len(face.vertices) == 3]
    found = {triangle.tobytes() for triangle in single.reshape(-1, 3)[np.array(three)]}
    # Sides of triangles are at most 1.1 long: a sweep farther than that from all three corners misses the triangle.
    clear = clearance(corners.reshape(-1, 3).astype(np.float64), case.path).reshape(-1, 3).min(axis=1)
    far = np.flatnonzero(clear > 1.1 + 2 * report["voxel_size"])
    assert len(far) > 190_000
    assert all(corners[triangle].tobytes() in found for triangle in far)


def clearance(points, path):
    """(N,) least distance to balls along a path with one radius, spaced by less than a hundredth of the radius."""
    from scipy.spatial import cKDTree

    steps = np.linspace(0, 1, 100, endpoint=False)[:, None]
    line = (path.points[:-1, None] + (path.points[1:] - path.points[:-1])[:, None] * steps).reshape(-1, 3)
    return cKDTree(line).query(points)[0] - path.radii[0]
