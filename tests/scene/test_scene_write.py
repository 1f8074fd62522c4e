"""Writing results: hand-made surfaces in, Blender objects out."""

import json
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

from tests.scene_objects import BOX_QUADS, box, link

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from voxel_carve.compute import (  # noqa: E402
    CarveResult,
    Grid,
    InputError,
    Path,
    Report,
    Source,
    Surface,
    Sweep,
    TriMesh,
    carve,
    get_backend,
    occupancy_surface,
)
from voxel_carve.compute.engines.numba.compiler.loading import load_kernels  # noqa: E402
from voxel_carve.scene.writing import arrays as arrays_module  # noqa: E402
from voxel_carve.scene.writing import write as write_module  # noqa: E402
from voxel_carve.scene.writing.arrays import SHARP_ANGLE  # noqa: E402
from voxel_carve.scene.writing.rewrite import rewrite_result  # noqa: E402
from voxel_carve.scene.writing.write import (  # noqa: E402
    CUT_MATERIAL,
    REPORT_PROPERTY,
    SEGMENT_ATTRIBUTE,
    SOURCE_ATTRIBUTE,
    write_result,
)


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def unknown(count):
    """Primitives for faces whose primitives are all unknown."""
    return np.full(count, -1, dtype=np.int32)


def result_box(size=(1, 1, 1), centre=(0, 0, 0), source=(0, 0, 1, 1, 2, 0)):
    """A box of six quads as a result of a carve."""
    corners = np.array([(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) / 2
    points = corners * size + np.asarray(centre, dtype=float)
    surface = Surface(points, np.array(BOX_QUADS, dtype=np.int32), np.array(source, dtype=np.uint8), unknown(6))
    report = Report(
        "subtract",
        "cpu",
        "here",
        0.1,
        (8, 8, 8),
        3,
        12,
        0.5,
        1.0,
        8,
        6,
        12,
        True,
        {"compute": 0.1},
        {"bricks": 1},
        5.0,
        4.0,
        9.0,
    )
    return CarveResult(surface, report)


def write(result, stock, replace=False):
    bpy.context.view_layer.update()
    obj = write_result(bpy.context.scene, result, stock, replace)
    bpy.context.view_layer.update()
    return obj


def world_points(obj):
    local = np.array([tuple(vertex.co) for vertex in obj.data.vertices], dtype=float)
    matrix = np.array(obj.matrix_world)
    return local @ matrix[:3, :3].T + matrix[:3, 3]


def signed_volume(obj):
    """Volume by the divergence theorem, in world space."""
    points = world_points(obj)
    obj.data.calc_loop_triangles()
    corner = points[np.array([tuple(triangle.vertices) for triangle in obj.data.loop_triangles])]
    return np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])) / 6


def values(obj, name):
    return [item.value for item in obj.data.attributes[name].data]


@pytest.mark.parametrize("at", ["in its own space", "by its location"])
def test_a_result_far_from_the_world_s_origin_keeps_its_vertices(at):
    centre = np.array([1e7 + 1 / 3, -1e6, 12345.678])
    stock = box("Part")
    if at == "by its location":
        stock.location = centre
        bpy.context.view_layer.update()
    result = result_box(centre=centre)
    obj = write(result, stock)
    np.testing.assert_allclose(world_points(obj), result.surface.points, rtol=0, atol=1e-4)  # of voxels of 0.1
    assert (obj.location == stock.location) == (at == "by its location")
    place = rewrite_result(obj, result_box(centre=2 * centre), stock, None)
    obj.matrix_world = place
    np.testing.assert_allclose(world_points(obj), result_box(centre=2 * centre).surface.points, rtol=0, atol=1e-4)


def test_a_result_is_a_new_object_and_the_stock_is_hidden_and_not_changed():
    stock = box("Part")
    before = world_points(stock)
    obj = write(result_box(centre=(1, 2, 3)), stock)
    assert obj.name == "Part Carved" and obj.data.name == "Part Carved"
    assert signed_volume(obj) == pytest.approx(1)
    np.testing.assert_allclose(world_points(obj).mean(axis=0), (1, 2, 3), atol=1e-6)
    assert stock.hide_get() and stock.hide_render
    np.testing.assert_array_equal(world_points(stock), before)
    assert len(stock.data.polygons) == 6


def test_the_mesh_is_valid_and_its_edges_are_there():
    obj = write(result_box(), box())
    assert not obj.data.validate(verbose=True)
    assert (len(obj.data.vertices), len(obj.data.edges), len(obj.data.polygons)) == (8, 12, 6)
    assert [tuple(polygon.vertices) for polygon in obj.data.polygons] == BOX_QUADS
    assert all(values(obj, "sharp_edge"))  # a right angle is drawn sharp


def test_attributes_say_where_each_face_comes_from():
    obj = write(result_box(), box())
    assert values(obj, SOURCE_ATTRIBUTE) == [0, 0, 1, 1, -1, 0]  # stock, path, the sheet that closes a hole
    assert values(obj, SEGMENT_ATTRIBUTE) == [-1] * 6
    for name in (SOURCE_ATTRIBUTE, SEGMENT_ATTRIBUTE):
        attribute = obj.data.attributes[name]
        assert (attribute.domain, attribute.data_type) == ("FACE", "INT")


def test_the_report_is_stored_with_the_object():
    obj = write(result_box(), box())
    report = json.loads(obj[REPORT_PROPERTY])
    assert report["removed_volume"] == 0.5
    assert report["grid_shape"] == [8, 8, 8]


def test_materials_keep_their_order_and_the_cut_has_its_own():
    stock = box()
    steel, brass = bpy.data.materials.new("Steel"), bpy.data.materials.new("Brass")
    stock.data.materials.append(steel)
    stock.data.materials.append(None)
    stock.data.materials.append(brass)
    obj = write(result_box(), stock)
    assert [material and material.name for material in obj.data.materials] == ["Steel", None, "Brass", CUT_MATERIAL]
    assert [polygon.material_index for polygon in obj.data.polygons] == [0, 0, 3, 3, 0, 0]


def test_a_material_of_the_object_takes_precedence_over_that_of_its_mesh():
    stock = box()
    stock.data.materials.append(bpy.data.materials.new("Of the Mesh"))
    stock.material_slots[0].link = "OBJECT"
    stock.material_slots[0].material = bpy.data.materials.new("Of the Object")
    assert write(result_box(), stock).data.materials[0].name == "Of the Object"


def test_a_stock_without_materials_keeps_the_default_look():
    obj = write(result_box(), box())
    assert [material and material.name for material in obj.data.materials] == [None, CUT_MATERIAL]
    assert [polygon.material_index for polygon in obj.data.polygons] == [0, 0, 1, 1, 0, 0]


def test_the_cut_material_is_made_once_and_an_existing_slot_is_used():
    first = write(result_box(), box("One"))
    second = write(result_box(), first)
    assert [material and material.name for material in second.data.materials] == [None, CUT_MATERIAL]
    assert len([material for material in bpy.data.materials if material.name.startswith(CUT_MATERIAL)]) == 1


def test_a_cut_material_changed_by_the_user_is_kept():
    material = bpy.data.materials.new(CUT_MATERIAL)
    material.diffuse_color = (1, 0, 0, 1)
    write(result_box(), box())
    assert tuple(material.diffuse_color) == (1, 0, 0, 1)


def test_a_result_without_cut_faces_has_no_cut_material():
    obj = write(result_box(source=[0] * 6), box())
    assert len(obj.data.materials) == 0
    assert CUT_MATERIAL not in bpy.data.materials


def test_the_result_is_in_the_collections_of_the_stock():
    stock = box()
    parts, more = bpy.data.collections.new("Parts"), bpy.data.collections.new("More")
    bpy.context.scene.collection.children.link(parts)
    parts.children.link(more)
    parts.objects.link(stock)
    more.objects.link(stock)
    bpy.context.scene.collection.objects.unlink(stock)
    obj = write(result_box(), stock)
    assert {collection.name for collection in obj.users_collection} == {"Parts", "More"}


def test_far_from_the_origin_nothing_is_lost():
    stock = box(size=(1, 1, 1))
    stock.location = (1e6, -1e6, 3e5)
    obj = write(result_box((0.001, 0.001, 0.001), (1e6, -1e6, 3e5)), stock)
    local = np.array([tuple(vertex.co) for vertex in obj.data.vertices])
    np.testing.assert_allclose(np.ptp(local, axis=0), 0.001, rtol=1e-6)
    np.testing.assert_allclose(np.array(obj.matrix_world.translation), (1e6, -1e6, 3e5))


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 3, 0.5), (-1, 2, 1)])
def test_replace_gives_the_stock_the_mesh_in_its_own_space(scale):
    stock = box("Part", centre=(5, 0, 0))
    stock.scale, stock.location, stock.rotation_euler = scale, (1, 2, 3), (0.3, 0.5, 0.7)
    array = stock.modifiers.new("Array", "ARRAY")
    array.count = 3
    obj = write(result_box(centre=(1, 2, 3)), stock, replace=True)
    assert obj is stock and obj.name == "Part" and obj.data.name == "Part"
    assert not obj.modifiers and not obj.hide_get() and not obj.hide_render
    # In a mirrored object, outward faces have the reverse corner order in world space.
    assert signed_volume(obj) == pytest.approx(np.sign(np.prod(scale)), rel=1e-4)
    np.testing.assert_allclose(world_points(obj).mean(axis=0), (1, 2, 3), atol=1e-5)
    assert len(bpy.data.meshes) == 1 and len(bpy.data.objects) == 1


def test_replace_leaves_other_users_of_the_mesh_alone():
    stock = box("Part")
    twin = link("Twin", stock.data)
    write(result_box(), stock, replace=True)
    assert twin.data is not stock.data
    assert twin.data.name == "Part"
    assert signed_volume(twin) == pytest.approx(8)
    assert signed_volume(stock) == pytest.approx(1)


@pytest.fixture
def linked_box(tmp_path: FilePath):
    """A box in the scene that is linked from another file."""
    stock = box("Part")
    collection = bpy.data.collections.new("Parts")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(stock)
    file = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(file), link=True) as (_, target):
        target.collections = ["Parts"]
    (collection,) = target.collections
    bpy.context.scene.collection.children.link(collection)
    return collection.objects["Part"]


def test_a_linked_stock_gives_a_local_object(linked_box):
    obj = write(result_box(), linked_box)
    assert obj.library is None and obj.data.library is None
    assert [collection.name for collection in obj.users_collection] == [bpy.context.scene.collection.name]
    assert linked_box.hide_get()


def test_a_linked_stock_cannot_be_replaced(linked_box):
    with pytest.raises(InputError, match=r"'Part' is linked from another file"):
        write(result_box(), linked_box, replace=True)
    assert len(linked_box.data.polygons) == 6
    assert len(bpy.data.meshes) == 1


def test_a_local_object_with_a_linked_mesh_cannot_be_replaced(linked_box):
    obj = link("Local", linked_box.data)
    with pytest.raises(InputError, match=r"'Local' is linked from another file"):
        write(result_box(), obj, replace=True)


def test_what_cannot_be_written_leaves_nothing_behind():
    result = result_box()
    broken = Surface(result.surface.points, result.surface.faces, np.zeros(5, dtype=np.uint8), unknown(5))
    with pytest.raises(RuntimeError):
        write(CarveResult(broken, result.report), box())
    assert len(bpy.data.objects) == 1 and len(bpy.data.meshes) == 1
    assert not bpy.data.objects["Box"].hide_get()


# The mesh equals the one that Blender makes from the same points and faces


def torus(rows=23, columns=17, seed=1):
    """A dented torus of quads, with its points in random order."""
    rng = np.random.default_rng(seed)
    row, column = np.divmod(np.arange(rows * columns), columns)
    around, across = 2 * np.pi * row / rows, 2 * np.pi * column / columns
    wide = 3 + np.cos(across)
    points = np.column_stack([wide * np.cos(around), wide * np.sin(around), np.sin(across)])
    points += rng.normal(scale=0.08, size=points.shape)
    index = rng.permutation(len(points))
    corners = [(row, column), (row + 1, column), (row + 1, column + 1), (row, column + 1)]
    quads = np.stack([index[r % rows * columns + c % columns] for r, c in corners], axis=1)
    quads = np.stack([np.roll(quad, rng.integers(4)) for quad in rng.permutation(quads)])
    source = rng.integers(0, 3, len(quads)).astype(np.uint8)
    return Surface(points[np.argsort(index)], quads.astype(np.int32), source, unknown(len(quads)))


def blocks():
    """The surface of two voxels that touch in an edge: four faces meet there, unless it is split."""
    occupancy = np.zeros((4, 4, 4), dtype=bool)
    occupancy[1, 1, 1] = occupancy[1, 2, 2] = True
    return occupancy_surface(occupancy, Grid(np.zeros(3), 1.0, occupancy.shape))


def pinched():
    """Two boxes that share an edge: closed, but four faces meet at that edge."""
    one = result_box().surface
    points = np.vstack([one.points, one.points[[1, 2, 3, 5, 6, 7]] + (1, 1, 0)])
    other = np.array([2, 8, 9, 10, 6, 11, 12, 13])[one.faces]
    return Surface(points, np.vstack([one.faces, other]).astype(np.int32), np.zeros(12, dtype=np.uint8), unknown(12))


def open_box():
    """A box without its lid."""
    whole = result_box().surface
    return Surface(whole.points, whole.faces[1:], whole.source[1:], whole.primitive[1:])


@pytest.fixture(params=["kernels", "Blender"])
def written_by(request, monkeypatch):
    """Write a surface; its edges are found by the kernels, or by Blender."""
    load_kernels("write")
    if request.param == "Blender":
        monkeypatch.setattr(arrays_module, "compiled_fraction", lambda names: 0.5)
    report = result_box().report
    return lambda surface, stock, replace=False: write(CarveResult(surface, report), stock, replace)


def element_values(mesh, name, count, kind=np.int32):
    found = np.empty(count, dtype=kind)
    mesh.attributes[name].data.foreach_get("value", found)
    return found


def border(surface):
    """The edges between cut faces and others, as pairs of points in ascending order."""
    kinds = {}
    for face, source in zip(surface.faces.tolist(), surface.source.tolist(), strict=True):
        for here, there in zip(face, face[1:] + face[:1], strict=True):
            kinds.setdefault((min(here, there), max(here, there)), set()).add(source == Source.PATH)
    return {(here, there) for (here, there), cut in kinds.items() if len(cut) == 2 and here != there}


def triangles():
    """A torus of triangles."""
    whole = torus()
    return Surface(whole.points, whole.triangles(), np.repeat(whole.source, 2), np.repeat(whole.primitive, 2))


def mixed():
    """A torus of quads, half of which are split into triangles, which name their last corner twice."""
    whole = torus(24)
    split, kept = np.split(np.random.default_rng(4).permutation(len(whole.faces)), 2)
    faces = whole.faces[np.concatenate([kept, split, split])]
    one, other = faces[len(kept) :].reshape(2, -1, 4)
    one[:] = one[:, [0, 1, 2, 2]]
    other[:] = other[:, [0, 2, 3, 3]]
    order = np.random.default_rng(5).permutation(len(faces))
    source = whole.source[np.concatenate([kept, split, split])][order]
    return Surface(whole.points, np.ascontiguousarray(faces[order]), source, unknown(len(faces)))


@pytest.mark.parametrize(
    ("make", "edges_per_face"),
    [
        (torus, 2),
        (blocks, 2),
        (lambda: result_box().surface, 2),
        (pinched, 23 / 12),
        (triangles, 3 / 2),
        (mixed, 5 / 3),
    ],
)
def test_the_mesh_equals_the_one_that_blender_makes_from_points_and_faces(written_by, make, edges_per_face):
    surface = make()
    mesh = written_by(surface, box()).data
    expected = bpy.data.meshes.new("Expected")
    expected.from_pydata(surface.points.tolist(), [], [list(dict.fromkeys(face)) for face in surface.faces.tolist()])
    expected.set_sharp_from_angle(angle=SHARP_ANGLE)
    assert [tuple(vertex.co) for vertex in mesh.vertices] == [tuple(vertex.co) for vertex in expected.vertices]
    assert [tuple(face.vertices) for face in mesh.polygons] == [tuple(face.vertices) for face in expected.polygons]
    edges, sharp = ({} for _ in range(2))
    for found, of in ((mesh, "written"), (expected, "expected")):
        ends = element_values(found, ".edge_verts", 2 * len(found.edges)).reshape(-1, 2)
        bent = element_values(found, "sharp_edge", len(ends), bool)
        edges[of] = sorted(tuple(sorted(pair)) for pair in ends.tolist())
        sharp[of] = {tuple(sorted(pair)) for pair in ends[bent].tolist()}
        corner = ends[element_values(found, ".corner_edge", len(found.loops))]
        quads = surface.faces.astype(np.int32)
        joined = np.stack([quads, np.roll(quads, -1, axis=1)], axis=2).reshape(-1, 2)
        joined = joined[joined[:, 0] != joined[:, 1]]
        np.testing.assert_array_equal(np.sort(corner, axis=1), np.sort(joined, axis=1))
    sharp["expected"] |= border(surface)
    assert edges["written"] == edges["expected"] and len(set(edges["written"])) == len(edges["written"])
    assert len(mesh.edges) == pytest.approx(edges_per_face * len(surface.faces))
    assert sharp["written"] == sharp["expected"]
    assert make is not torus or 0 < len(sharp["written"]) < len(mesh.edges)
    assert not any(edge.is_loose for edge in mesh.edges)
    assert not mesh.validate(verbose=True)


def test_a_surface_with_holes_is_a_valid_mesh(written_by):
    mesh = written_by(open_box(), box()).data
    assert (len(mesh.vertices), len(mesh.edges), len(mesh.polygons)) == (8, 12, 5)
    assert not mesh.validate(verbose=True)


@pytest.mark.parametrize("make", [torus, mixed])
def test_replace_in_a_mirrored_object_is_a_valid_mesh(written_by, make):
    stock = box()
    stock.scale = (-1, 2, 0.5)
    surface = make()
    obj = written_by(surface, stock, replace=True)
    # In a mirrored object, outward faces have the reverse corner order.
    assert signed_volume(obj) == pytest.approx(-surface.volume(), rel=0.05)
    assert len(obj.data.edges) == 3 / 2 * surface.triangle_count() - np.sum(surface.faces[:, 2] != surface.faces[:, 3])
    assert [set(face.vertices) for face in obj.data.polygons] == [set(face) for face in surface.faces.tolist()]
    assert not obj.data.validate(verbose=True)


@pytest.mark.compiled
def test_edges_are_the_same_for_any_number_of_threads(monkeypatch):
    get_backend("cpu")
    from voxel_carve.compute.attributes import edges as numba_edges
    from voxel_carve.compute.runtime import threads

    surface = torus(60, 40)
    points = surface.points.astype(np.float32)
    one = numba_edges.face_edges(points, surface.faces, surface.source == Source.PATH, SHARP_ANGLE)
    monkeypatch.setattr(numba_edges, "LEAST_FACES", 100)
    monkeypatch.setattr(numba_edges, "FACES_PER_RUN", 100)
    monkeypatch.setattr(numba_edges, "thread_count", lambda: 3)
    monkeypatch.setattr(threads, "thread_count", lambda: 3)
    three = numba_edges.face_edges(points, surface.faces, surface.source == Source.PATH, SHARP_ANGLE)
    for name in ("vertices", "of_corner", "sharp"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


@pytest.mark.compiled
@pytest.mark.parametrize("make", [pinched, open_box])
def test_edges_of_open_or_non_manifold_surfaces_are_left_to_blender(make):
    get_backend("cpu")
    from voxel_carve.compute.attributes.edges import face_edges

    surface = make()
    points, faces = surface.points.astype(np.float32), surface.faces.astype(np.int32)
    assert face_edges(points, faces, surface.source == Source.PATH, SHARP_ANGLE) is None


@pytest.mark.compiled
def test_the_edges_of_a_carve_are_found_by_the_compiled_kernels(monkeypatch):
    """This test ensures that a result does not silently take the slow way."""
    load_kernels("write")
    blender_finds, fill = [], write_module._fill

    def seen(mesh, arrays):
        blender_finds.append(arrays.edges is None)
        fill(mesh, arrays)

    monkeypatch.setattr(write_module, "_fill", seen)
    stock = TriMesh(torus().points, torus().to_tri_mesh().triangles)
    sweep = Sweep.from_paths([Path([(-4, 0, 0), (4, 0.5, 0.2)], np.array([0.7]))])
    write(carve(stock, sweep, 0.1, backend="cpu"), box())
    assert blender_finds == [False]
