"""What faces of a result take over from their origin: materials, shading, UV maps, colours, groups, attributes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import box, mesh_object, poly_curve, select

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]

from mathutils.bvhtree import BVHTree  # noqa: E402

from voxel_carve.headless import run_job  # noqa: E402
from voxel_carve.jobs import Job  # noqa: E402
from voxel_carve.scene.writing.write import CUT_MATERIAL  # noqa: E402

STEP = 1 / 16  # a box of side 2 at resolution 32


@pytest.fixture(autouse=True)
def empty_scene(registered, monkeypatch):
    monkeypatch.setenv("VOXEL_CARVE_BACKEND", "cpu")
    bpy.ops.wm.read_factory_settings(use_empty=True)


def carve(*objs, resolution=32, radius=0.3, **properties):
    """Select and carve; return the active object afterwards."""
    select(*objs)
    bpy.context.view_layer.update()
    given = properties | {"resolution": resolution, "radius": radius}
    assert bpy.ops.object.voxel_carve(**given) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.view_layer.objects.active


def values(mesh, name, field="value", width=1, kind=np.float32):
    """The values (N, width) of an attribute."""
    data = mesh.attributes[name].data
    found = np.empty(width * len(data), dtype=kind)
    data.foreach_get(field, found)
    return found.reshape(-1, width) if width > 1 else found


def face_values(mesh, name):
    """The integers (M,) of the faces; zeros if the attribute is missing."""
    return values(mesh, name, kind=np.int32) if name in mesh.attributes else np.zeros(len(mesh.polygons), np.int32)


def points(obj):
    """(N, 3) in world space."""
    matrix = np.array(obj.matrix_world)
    return values(obj.data, "position", "vector", 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def face_corners(obj):
    """(M, K) the corners of each face among those of the mesh. A triangle among quads names its last twice."""
    start, sides = np.empty((2, len(obj.data.polygons)), dtype=np.int32)
    obj.data.polygons.foreach_get("loop_start", start)
    obj.data.polygons.foreach_get("loop_total", sides)
    return start[:, None] + np.minimum(np.arange(sides.max()), sides[:, None] - 1)


def corners(obj):
    """(M, K) vertices of the faces, as `face_corners`."""
    return values(obj.data, ".corner_vert", kind=np.int32)[face_corners(obj)]


def centres(obj):
    """(M, 3) a place in the middle of each face, in world space."""
    return points(obj)[corners(obj)].mean(axis=1)


def sources(obj):
    return face_values(obj.data, "voxel_carve_source")


def material_names(obj):
    """The name of each face's material."""
    names = np.array([material.name if material else "" for material in obj.data.materials])
    return names[face_values(obj.data, "material_index")]


def material(name):
    return bpy.data.materials.new(name)


def axis_distance(at, y, z):
    """The distances (N,) from a line along x."""
    return np.hypot(at[:, 1] - y, at[:, 2] - z)


def two_material_box(**given):
    """A box with lower and upper faces of brass, and the others of steel."""
    stock = box(**given)
    for name in ("Steel", "Brass"):
        stock.data.materials.append(material(name))
    for polygon in stock.data.polygons:
        polygon.material_index = int(polygon.index < 2)
    return stock


def lid_and_side(obj):
    """(M,) whether a face is on the upper or lower side of a box, and whether on another; away from its edges."""
    at = centres(obj)
    on_lid = np.isclose(np.abs(at[:, 2]), 1, atol=1e-3) & (np.abs(at[:, :2]) < 1 - STEP).all(axis=1)
    on_side = np.isclose(np.abs(at[:, :2]), 1, atol=1e-3).any(axis=1) & (np.abs(at[:, 2]) < 1 - STEP)
    return on_lid, on_side


def assert_two_materials(obj):
    """Check that a carved `two_material_box` has its materials in their original places."""
    names, source = material_names(obj), sources(obj)
    on_lid, on_side = lid_and_side(obj)
    stock = source == 0
    assert (stock & on_lid).sum() > 500 and (stock & on_side).sum() > 1000
    assert set(names[stock & on_lid]) == {"Brass"}
    assert set(names[stock & on_side]) == {"Steel"}
    assert set(names[source == 1]) == {CUT_MATERIAL}


def test_a_stock_of_two_materials_keeps_them_on_the_right_faces():
    obj = carve(two_material_box(), poly_curve([(-2, 0, 1), (2, 0, 1)]))
    assert [each.name for each in obj.data.materials] == ["Steel", "Brass", CUT_MATERIAL]
    assert_two_materials(obj)


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1)])
def test_replace_keeps_materials_and_layers_too(scale):
    stock = two_material_box()
    stock.scale = scale
    add_uv(stock)
    stock.vertex_groups.new(name="Group").add(range(4, 8), 1.0, "REPLACE")  # 0 below, 1 above
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]), replace=True)
    assert obj is stock
    assert_two_materials(obj)
    assert_uv_of_box(obj, scale)
    weight = group_weights(obj, "Group")
    used = np.unique(corners(obj)[sources(obj) == 0])
    np.testing.assert_allclose(weight[used], (points(obj)[used, 2] + 1) / 2, atol=1e-4)


def test_the_material_of_a_path_is_on_its_own_groove():
    tools = [poly_curve([(-2, y, 1), (2, y, 1)], name=f"Tool {y}") for y in (-0.5, 0.5)]
    bare = poly_curve([(-2, 0, -1), (2, 0, -1)], name="Bare")
    for tool, name in zip(tools, ("Red", "Green"), strict=True):
        tool.data.materials.append(material(name))
    stock = two_material_box()
    select(stock, *tools, bare)
    order = [obj.name for obj in bpy.context.selected_objects if obj != stock]
    obj = carve(stock, *tools, bare)
    at, names, source = centres(obj), material_names(obj), sources(obj)
    segment = face_values(obj.data, "voxel_carve_segment")
    assert sorted(set(names)) == sorted({"Steel", "Brass", "Red", "Green", CUT_MATERIAL})
    wanted = {"Tool -0.5": ("Red", -0.5, 1), "Tool 0.5": ("Green", 0.5, 1), "Bare": (CUT_MATERIAL, 0, -1)}
    for number, name in enumerate(order, start=1):
        expected, y, z = wanted[name]
        own = source == number
        assert own.sum() > 200
        assert set(names[own]) == {expected}
        np.testing.assert_allclose(axis_distance(at[own], y, z), 0.3, atol=0.5 * STEP)
        assert set(segment[own]) == {number - 1}  # each path has one segment
    assert set(segment[source == 0]) == {-1}


@pytest.mark.compiled
def test_merged_faces_do_not_cross_material_borders():
    pytest.importorskip("numba")
    corner = [(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    sides = [(3, 2, 1, 0), (4, 8, 9, 7), (8, 5, 6, 9), (0, 1, 5, 8, 4), (1, 2, 6, 5), (2, 3, 7, 9, 6), (3, 0, 4, 7)]
    stock = mesh_object("Box", [*corner, (0.1, -1, 1), (0.1, 1, 1)], faces=sides)
    for name in ("Steel", "Brass"):
        stock.data.materials.append(material(name))
    stock.data.polygons[2].material_index = 1  # the part of the upper side beyond x = 0.1
    path = poly_curve([(-2, 0, 1), (2, 0, 1)])
    whole = carve(stock, path)
    stock.hide_set(False)
    obj = carve(stock, path, adaptivity=0.1)
    assert len(obj.data.polygons) < len(whole.data.polygons) / 3
    for name, width in (("Brass", 0.9), ("Steel", 1.1)):
        # Faces follow a border within a flat side in steps of voxels, and merging keeps it.
        assert lid_area(obj, name) == pytest.approx(lid_area(whole, name), rel=1e-3)
        assert lid_area(obj, name) == pytest.approx(width * (2 - 2 * 0.3), abs=STEP * 2)
    assert (material_names(obj)[sources(obj) == 1] == CUT_MATERIAL).all()


def lid_area(obj, name):
    """The area of a material on the upper side of a box."""
    at = points(obj)[corners(obj)]
    own = np.isclose(at[:, :, 2], 1, atol=1e-5).all(axis=1) & (material_names(obj) == name)
    diagonals = at[own, 2] - at[own, 0], at[own, -1] - at[own, 1]  # of a triangle: two sides
    return np.linalg.norm(np.cross(*diagonals), axis=1).sum() / 2


def test_splines_of_one_curve_may_have_different_materials():
    tool = poly_curve([(-2, -0.5, 1), (2, -0.5, 1)])
    second = tool.data.splines.new("POLY")
    second.points.add(2)
    for point, co in zip(second.points, [(-2, 0.5, 1, 1), (0, 0.5, 1, 1), (2, 0.4, 1, 1)], strict=True):
        point.co = co
    for name in ("Red", "Green"):
        tool.data.materials.append(material(name))
    second.material_index = 1
    obj = carve(box(), tool)
    at, names, source = centres(obj), material_names(obj), sources(obj)
    segment = face_values(obj.data, "voxel_carve_segment")
    assert set(source) == {0, 1}
    assert set(names[(source == 1) & (at[:, 1] < 0)]) == {"Red"}
    assert set(names[(source == 1) & (at[:, 1] > 0)]) == {"Green"}
    assert set(segment[(source == 1) & (at[:, 1] > 0) & (at[:, 0] < -0.1)]) == {1}
    assert set(segment[(source == 1) & (at[:, 1] > 0) & (at[:, 0] > 0.1)]) == {2}


def test_faces_that_close_a_hole_have_the_first_material():
    stock = mesh_object(
        "Lidless",
        [(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
        faces=[(0, 3, 2, 1), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
    )
    for name in ("Steel", "Brass"):
        stock.data.materials.append(material(name))
    for polygon in stock.data.polygons:
        polygon.material_index = 1
    obj = carve(stock, poly_curve([(-2, 0, -1), (2, 0, -1)]))
    source, names = sources(obj), material_names(obj)
    assert set(names[source == -1]) == {"Steel"}
    assert set(names[source == 0]) == {"Brass"}
    assert (face_values(obj.data, "voxel_carve_segment")[source == -1] == -1).all()


def test_faces_are_smooth_or_flat_as_in_the_stock_and_cut_ones_are_smooth():
    stock = box()
    for polygon in stock.data.polygons:
        polygon.use_smooth = polygon.index < 2
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]))
    flat, source = values(obj.data, "sharp_face", kind=bool), sources(obj)
    on_lid, on_side = lid_and_side(obj)
    assert flat[(source == 0) & on_side].all()
    assert not flat[(source == 0) & on_lid].any()
    assert not flat[source == 1].any()


def test_a_smooth_stock_gives_smooth_faces_only():
    stock = box()
    for polygon in stock.data.polygons:
        polygon.use_smooth = True
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]))
    assert all(polygon.use_smooth for polygon in obj.data.polygons)


def sharp_and_border(obj):
    """(E,) whether an edge is sharp, and whether it is between a cut face and a face of the stock."""
    mesh = obj.data
    edge = values(mesh, ".corner_edge", kind=np.int32)[face_corners(obj)]
    has = np.zeros((2, len(mesh.edges)), dtype=bool)
    cut = sources(obj) > 0
    has[0, edge[cut]] = True
    has[1, edge[~cut]] = True
    return values(mesh, "sharp_edge", kind=bool), has.all(axis=0)


@pytest.mark.parametrize("edges_by", ["kernels", "Blender"])
def test_the_border_of_the_cut_is_sharp_at_any_angle(monkeypatch, edges_by):
    if edges_by == "Blender":
        monkeypatch.setattr("voxel_carve.scene.writing.arrays.compiled_fraction", lambda names: 0.5)
    # The ball sticks out of the box by a tenth of its radius: an angle of less than 30 degrees where they meet.
    stock, ball = box(), poly_curve([(0, 0, 0.13)])
    obj = carve(stock, ball, radius=0.9, operation="UNION")
    sharp, border = sharp_and_border(obj)
    assert border.sum() > 20
    assert sharp[border].all()


# UV maps


def add_uv(stock, name="UVMap"):
    """Map each quad of a box to its own square: islands in a row, in plane coordinates of the quad."""
    layer = stock.data.uv_layers.new(name=name)
    for polygon in stock.data.polygons:
        for loop, corner in zip(polygon.loop_indices, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
            layer.uv[loop].vector = (polygon.index + 0.8 * corner[0], 0.8 * corner[1])


def face_uvs(obj, name="UVMap"):
    """(M, K, 2) UVs of the corners of the faces, as `face_corners`."""
    return values(obj.data, name, "vector", 2)[face_corners(obj)].astype(float)


def assert_uv_of_box(obj, scale=(1, 1, 1)):
    """Check that a carved box keeps the map of `add_uv` exactly, because it is linear on each quad."""
    original = box("Original")
    uv, at, source = face_uvs(obj), points(obj)[corners(obj)], sources(obj)
    for number, polygon in enumerate(original.data.polygons):
        ring = np.array([tuple(original.data.vertices[i].co) for i in polygon.vertices]) * scale
        own = (source == 0) & (np.floor(uv[:, :, 0].mean(axis=1) + 0.1) == number)
        flat = own & (np.abs((at - ring[0]) @ np.cross(ring[1] - ring[0], ring[3] - ring[0])) < 1e-3).all(axis=1)
        assert own.sum() > 300 and flat.sum() == own.sum()
        u, v = ((at[flat] - ring[0]) @ (ring[k] - ring[0]) / 4 for k in (1, 3))
        expected = np.stack([number + 0.8 * u, 0.8 * v], axis=2)
        np.testing.assert_allclose(uv[flat], expected, atol=1e-4)
    assert (uv[source > 0] == 0).all()


def test_a_box_with_seams_keeps_its_uv_map_exactly():
    stock = box()
    add_uv(stock)
    assert_uv_of_box(carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)])))


class TrueUV:
    """An independent lookup of a mesh's UV map: the closest point of Blender's own BVH, face by face."""

    def __init__(self, obj):
        mesh = obj.data
        mesh.calc_loop_triangles()
        self.corner = points(obj)[np.array([tuple(each.vertices) for each in mesh.loop_triangles])]
        uv = values(mesh, "UVMap", "vector", 2).astype(float)
        self.uv = uv[np.array([tuple(each.loops) for each in mesh.loop_triangles])]
        count = 3 * len(self.corner)
        triangles = np.arange(count).reshape(-1, 3).tolist()
        self.tree = BVHTree.FromPolygons(self.corner.reshape(-1, 3).tolist(), triangles, all_triangles=True)

    def distance(self, at, uv, reach):
        """The distance from `at` to where the mesh has the value `uv`, over all triangles within `reach`."""
        least = np.inf
        for place, _, number, _ in self.tree.find_nearest_range(at.tolist(), reach):
            a, b, c = self.corner[number]
            sides = np.column_stack([b - a, c - a])
            u, v = np.linalg.lstsq(sides, np.array(place) - a, rcond=None)[0]
            of = self.uv[number]
            off = uv - (of[0] + u * (of[1] - of[0]) + v * (of[2] - of[0]))
            # Convert the UV error to a length by the triangle's least stretch, so that it is never underestimated.
            per_length = np.column_stack([of[1] - of[0], of[2] - of[0]]) @ np.linalg.pinv(sides)
            stretch = np.linalg.svd(per_length, compute_uv=False)
            least = min(least, np.linalg.norm(off) / max(stretch[-1], 1e-9))
        return least


def uv_errors(obj, stock, voxel_size, count=1500):
    """(S,) the error of the UVs at random places on the stock's faces, in voxels."""
    truth, rng = TrueUV(stock), np.random.default_rng(5)
    faces = np.flatnonzero(sources(obj) == 0)
    assert len(faces) > 500
    faces = rng.choice(faces, count)
    weights = rng.dirichlet(np.ones(3), count)
    at = np.einsum("ni,nij->nj", weights, points(obj)[corners(obj)[faces, :3]])
    uv = np.einsum("ni,nij->nj", weights, face_uvs(obj)[faces, :3])
    return np.array([truth.distance(*pair, 0.5 * voxel_size) for pair in zip(at, uv, strict=True)]) / voxel_size


def uv_spread(obj):
    """(M,) the longest side of each face of the stock in UV space."""
    uv = face_uvs(obj)[sources(obj) == 0]
    return np.linalg.norm(uv - np.roll(uv, 1, axis=1), axis=2).max(axis=1)


def uv_sphere():
    bpy.ops.mesh.primitive_uv_sphere_add(segments=96, ring_count=48)
    return bpy.context.object


def ico_sphere():
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3)
    return bpy.context.object


def suzanne():
    bpy.ops.mesh.primitive_monkey_add()
    obj = bpy.context.object
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 2
    bpy.ops.object.modifier_apply(modifier="Subdivision")
    return obj


def cube():
    bpy.ops.mesh.primitive_cube_add()
    return bpy.context.object


@pytest.mark.parametrize(
    ("make", "resolution", "most"),
    [(cube, 40, 0.05), (ico_sphere, 48, 0.3), (uv_sphere, 32, 0.3), (uv_sphere, 96, 0.3), (suzanne, 48, 0.5)],
)
def test_a_uv_checker_survives(make, resolution, most):
    """On triangles larger and smaller than the voxels: accurate to a fraction of a voxel nearly everywhere."""
    stock = make()
    size = 1.05 * max(stock.dimensions)
    side = float(max(stock.dimensions)) / resolution
    path = poly_curve([(-size, 0.1, 0.4), (size, 0.1, 0.4)])
    obj = carve(stock, path, resolution=resolution, radius=0.2)
    errors = uv_errors(obj, stock, side)
    assert np.percentile(errors, 98) < most
    # A face across two islands would be as long as the map.
    assert uv_spread(obj).max() < 0.25


def test_several_uv_maps_keep_their_names_and_active_and_render_flags():
    stock = box()
    for name in ("One", "Two", "Three"):
        add_uv(stock, name)
    stock.data.uv_layers.active = stock.data.uv_layers["Two"]
    stock.data.uv_layers["Three"].active_render = True
    mesh = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)])).data
    assert [layer.name for layer in mesh.uv_layers] == ["One", "Two", "Three"]
    assert mesh.uv_layers.active.name == "Two"
    assert [layer.name for layer in mesh.uv_layers if layer.active_render] == ["Three"]


# Colours and vertex groups


def color(obj, name):
    return values(obj.data, name, "color", 4)


def test_point_colours_are_interpolated_linearly():
    stock = box()
    mesh = stock.data
    for name, kind in (("Float", "FLOAT_COLOR"), ("Byte", "BYTE_COLOR")):
        mesh.color_attributes.new(name, kind, "POINT")
    float_color, byte_color = (mesh.color_attributes[name] for name in ("Float", "Byte"))
    for vertex in mesh.vertices:
        x, y, z = vertex.co
        float_color.data[vertex.index].color = (x + 1, 3 * y + 3, z + 1, 1)  # above 1, which bytes cannot be
        byte_color.data[vertex.index].color = ((z + 1) / 2, 0.5, 0, 1)
    mesh.color_attributes.active_color_name, mesh.color_attributes.default_color_name = "Byte", "Float"
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]))
    found = obj.data.color_attributes
    kinds = [(each.name, each.data_type, each.domain) for each in found]
    assert sorted(kinds) == [("Byte", "BYTE_COLOR", "POINT"), ("Float", "FLOAT_COLOR", "POINT")]
    # Blender 4.5 sorts them by type.
    assert [each.name for each in found] == [each.name for each in mesh.color_attributes]
    assert (found.active_color_name, found.default_color_name) == ("Byte", "Float")
    at, source = points(obj), sources(obj)
    used = np.unique(corners(obj)[source == 0])
    expected = np.column_stack([at + 1, np.ones(len(at))]) * (1, 3, 1, 1)
    off = np.abs(color(obj, "Float") - expected)[used] / (1, 3, 1, 1)
    assert off.max() < 1e-4
    off = np.abs(color(obj, "Byte")[used, 0] - (at[used, 2] + 1) / 2)
    assert off.max() < 0.01  # bytes
    cut_only = np.setdiff1d(np.arange(len(at)), used)
    assert len(cut_only) > 100
    assert (color(obj, "Float")[cut_only] == 0).all() and (color(obj, "Byte")[cut_only] == 0).all()


@pytest.mark.parametrize("kind", ["BYTE_COLOR", "FLOAT_COLOR"])
def test_corner_colours_do_not_bleed_across_face_edges(kind):
    stock = box()
    layer = stock.data.color_attributes.new("Paint", kind, "CORNER")
    paint = np.random.default_rng(3).uniform(0.1, 1, (6, 4)).astype(np.float32)
    for polygon in stock.data.polygons:
        for loop in polygon.loop_indices:
            layer.data[loop].color = paint[polygon.index]
    before = color(stock, "Paint").reshape(6, 4, 4)[:, 0]
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]))
    attribute = obj.data.color_attributes["Paint"]
    assert (attribute.data_type, attribute.domain) == (kind, "CORNER")
    by_corner, source, at = color(obj, "Paint"), sources(obj), centres(obj)
    first, count = (
        np.array([getattr(polygon, name) for polygon in obj.data.polygons]) for name in ("loop_start", "loop_total")
    )
    found = by_corner[first]
    np.testing.assert_allclose(by_corner, np.repeat(found, count, axis=0), atol=1e-6)
    normals = np.array([tuple(polygon.normal) for polygon in stock.data.polygons])
    inner = (source == 0) & ((np.abs(at) < 1 - STEP).sum(axis=1) == 2) & (np.abs(at).max(axis=1) > 1 - 1e-3)
    face = (at[inner] @ normals.T).argmax(axis=1)
    assert set(face) == set(range(6))
    np.testing.assert_allclose(found[inner], before[face], atol=1e-5)
    assert (found[source > 0] == 0).all()


def group_weights(obj, name):
    """(N,) the weight of each vertex, 0 where it is not in the group."""
    number = obj.vertex_groups[name].index
    return np.array([sum(g.weight for g in vertex.groups if g.group == number) for vertex in obj.data.vertices])


def test_vertex_groups_are_transferred():
    stock = box()
    stock.vertex_groups.new(name="Empty")
    gradient, lower = (stock.vertex_groups.new(name=name) for name in ("Gradient", "Lower"))
    for vertex in stock.data.vertices:
        gradient.add([vertex.index], (vertex.co.x + 1) / 2 * 0.8 + 0.1, "REPLACE")
        if vertex.co.z < 0:
            lower.add([vertex.index], 1.0, "REPLACE")
    stock.vertex_groups.active_index = 2
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]))
    assert [group.name for group in obj.vertex_groups] == ["Empty", "Gradient", "Lower"]
    assert obj.vertex_groups.active_index == 2
    at, source = points(obj), sources(obj)
    used = np.unique(corners(obj)[source == 0])
    off = np.abs(group_weights(obj, "Gradient")[used] - (0.8 * (at[used, 0] + 1) / 2 + 0.1))
    assert off.max() < STEP and np.median(off) < 1e-5
    assert np.abs(group_weights(obj, "Lower")[used] - (1 - at[used, 2]) / 2).max() < STEP
    assert not group_weights(obj, "Empty").any()
    cut_only = np.setdiff1d(np.arange(len(at)), used)
    assert not any(len(obj.data.vertices[int(vertex)].groups) for vertex in cut_only)
    assert not [each.name for each in obj.data.attributes if "weights" in each.name]


def test_layers_made_by_modifiers_are_transferred():
    stock = box()
    add_uv(stock)
    stock.vertex_groups.new(name="Upper").add(range(4, 8), 1.0, "REPLACE")
    stock.modifiers.new("Mirror", "MIRROR").use_mirror_merge = False
    stock.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]))
    assert face_uvs(obj)[sources(obj) == 0].any()
    used = np.unique(corners(obj)[sources(obj) == 0])
    assert np.abs(group_weights(obj, "Upper")[used] - (points(obj)[used, 2] + 1) / 2).max() < STEP


def test_without_transfer_attributes_only_materials_and_shading_are_kept():
    stock = two_material_box()
    add_uv(stock)
    stock.data.color_attributes.new("Paint", "FLOAT_COLOR", "POINT")
    stock.vertex_groups.new(name="Group").add(range(8), 1.0, "REPLACE")
    obj = carve(stock, poly_curve([(-2, 0, 1), (2, 0, 1)]), transfer_attributes=False)
    assert not obj.data.uv_layers and not obj.data.color_attributes and not obj.vertex_groups
    assert_two_materials(obj)


def test_the_result_can_be_carved_again():
    stock = two_material_box()
    add_uv(stock)
    tools = [poly_curve([(-2, y, 1), (2, y, 1)]) for y in (-0.5, 0.5)]
    tools[1].data.materials.append(material("Red"))
    first = carve(stock, tools[0])
    second = carve(first, tools[1])
    assert [each.name for each in second.data.materials] == ["Steel", "Brass", CUT_MATERIAL, "Red"]
    at, names, source = centres(second), material_names(second), sources(second)
    assert set(source) == {0, 1}
    first_groove = (source == 0) & (axis_distance(at, -0.5, 1) < 0.32) & (at[:, 2] < 0.9) & (np.abs(at[:, 0]) < 0.9)
    assert first_groove.sum() > 100
    assert set(names[first_groove]) == {CUT_MATERIAL}
    assert set(names[source == 1]) == {"Red"}
    assert len(second.data.uv_layers) == 1


def test_a_blend_written_by_a_headless_job_has_all_attributes(tmp_path: Path):
    stock, tool = two_material_box(name="Part"), poly_curve([(-2, 0, 1), (2, 0, 1)], name="Tool")
    add_uv(stock)
    stock.vertex_groups.new(name="Group").add(range(4, 8), 1.0, "REPLACE")
    tool.data.materials.append(material("Red"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in.blend"))
    output = tmp_path / "out.blend"
    (tmp_path / "tool.csv").write_text("x,y,z,radius\n-2,0,-1,0.3\n2,0,-1,0.3\n")
    paths = (tmp_path / "tool.csv", "Tool")
    run_job(Job(("Part",), paths, output, radius=0.3, resolution=32, backend="cpu", blend=tmp_path / "in.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(output))
    obj = bpy.data.objects["Part Carved"]
    source, names = sources(obj), material_names(obj)
    assert set(names[source == 1]) == {CUT_MATERIAL} and set(names[source == 2]) == {"Red"}
    assert {"Steel", "Brass"} == set(names[source == 0])
    assert (centres(obj)[source == 2][:, 2] > 0).all()
    assert_uv_of_box(obj)
    used = np.unique(corners(obj)[source == 0])
    assert np.abs(group_weights(obj, "Group")[used] - (points(obj)[used, 2] + 1) / 2).max() < STEP
