"""Files to arrays and back: round trips, other programs' dialects, and every kind of bad file."""

import json
import os
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import trimesh

from tests.formats import packages
from tests.shapes import box
from voxel_carve.compute import InputError, TriMesh
from voxel_carve.formats import MESH_SUFFIXES, check_output, read_mesh, read_paths, replacing, write_meshes

ROOT = Path(__file__).resolve().parents[2]


def ball(name="ball", offset=0.0, sides=24, rings=12):
    """A UV sphere, away from the origin and from round numbers."""
    height, turn = np.meshgrid(np.pi * np.arange(1, rings) / rings, 2 * np.pi * np.arange(sides) / sides, indexing="ij")
    around = np.stack([np.sin(height) * np.cos(turn), np.sin(height) * np.sin(turn), np.cos(height)], -1).reshape(-1, 3)
    points = np.vstack([around, [[0, 0, 1], [0, 0, -1]]])
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    last = (rings - 2) * sides
    triangles = [np.stack([np.full(sides, len(around)), here, there], 1)]
    for low in range(0, last, sides):
        a, b, c, d = low + here, low + there, low + sides + here, low + sides + there
        triangles += [np.stack([a, c, d], 1), np.stack([a, d, b], 1)]
    triangles.append(np.stack([np.full(sides, len(around) + 1), last + there, last + here], 1))
    return TriMesh(points * [1, 1.3, 0.7] + [offset, 2 * offset, 0.1], np.concatenate(triangles), name)


def load(file):
    """A mesh as other programs find it."""
    return packages.load(file)[1] if file.suffix == ".3mf" else trimesh.load_mesh(file)


def corners(*meshes):
    return np.concatenate([mesh.corners() for mesh in meshes])


def ply_header(vertices, faces, encoding="binary_little_endian", number="float"):
    return (
        f"ply\nformat {encoding} 1.0\ncomment of no matter\nelement vertex {vertices}\n"
        f"property {number} x\nproperty {number} y\nproperty {number} z\n"
        f"element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    ).encode()


CORNER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], np.float32)
PLY_TRIANGLE = CORNER[:3].tobytes() + b"\3" + np.arange(3, dtype="<i4").tobytes()


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_mesh_round_trip_is_exact_in_float32_and_in_order(tmp_path, suffix):
    meshes = [ball("one"), ball("two", 5.0), ball("one", -3.0)]
    file = tmp_path / f"mesh{suffix}"
    write_meshes(file, meshes)
    found = read_mesh(file)
    np.testing.assert_array_equal(found.corners().astype(np.float32), corners(*meshes).astype(np.float32))
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_another_program_reads_what_we_write(tmp_path, suffix):
    meshes = [ball("one"), ball("two", 5.0)]
    file = tmp_path / f"mesh{suffix}"
    write_meshes(file, meshes)
    found = load(file)
    assert found.is_watertight
    assert found.volume == pytest.approx(sum(mesh.volume() for mesh in meshes), rel=1e-6)
    low, high = corners(*meshes).reshape(-1, 3).min(axis=0), corners(*meshes).reshape(-1, 3).max(axis=0)
    if suffix == ".glb":  # which has y up
        low, high = np.array([low[0], low[2], -high[1]]), np.array([high[0], high[2], -low[1]])
    np.testing.assert_allclose(found.bounds, [low, high], rtol=1e-6)


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_another_program_that_joins_vertices_by_their_coordinates_finds_every_edge_with_two_faces(tmp_path, suffix):
    """Two boxes touch in an edge, and one has an edge of a billionth, which single precision makes a point."""
    one = box()
    beside = (one.bounds()[1] - one.bounds()[0]) * (1, 1, 0)
    split = one.triangles[0]
    middle = one.points[split].mean(axis=0)
    added = len(one.points) + np.arange(2)
    (a, b, c), (d, e) = split, added
    fan = [(a, b, d), (b, e, d), (b, c, e), (c, d, e), (c, a, d)]
    points = np.concatenate([one.points, [middle, middle + 1e-9], one.points + beside])
    triangles = np.concatenate([one.triangles[1:], fan, one.triangles + len(one.points) + 2])
    assert not trimesh.Trimesh(points.astype(np.float32), triangles).is_watertight
    file = tmp_path / f"mesh{suffix}"
    write_meshes(file, [TriMesh(points, triangles)])
    found = load(file)
    assert found.is_watertight and found.volume == pytest.approx(2 * one.volume(), rel=1e-5)
    assert (np.bincount(found.edges_unique_inverse) == 2).all()


def test_bytes_do_not_depend_on_the_process(tmp_path):
    code = (
        "import sys; from pathlib import Path; from dataclasses import replace;"
        "from tests.formats.test_formats import ball;"
        "from voxel_carve.formats import MESH_SUFFIXES, read_mesh, write_meshes;"
        "meshes = [ball('one'), ball('two', 5.0), ball('two', 9.0)]; folder = Path(sys.argv[1]); folder.mkdir();"
        "[(write_meshes(folder / ('first' + suffix), meshes),"
        " write_meshes(folder / ('second' + suffix), [replace(read_mesh(folder / ('first' + suffix)), name='again')]))"
        " for suffix in MESH_SUFFIXES]"
    )
    path = str(ROOT)
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], check=True, env=environment)
    names = sorted(file.name for file in (tmp_path / "1").iterdir())
    assert len(names) == 2 * len(MESH_SUFFIXES)
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


def test_ply_is_binary_with_float_coordinates_and_triangles(tmp_path):
    mesh = ball()
    write_meshes(tmp_path / "mesh.ply", [mesh])
    header, _, body = (tmp_path / "mesh.ply").read_bytes().partition(b"end_header\n")
    assert b"format binary_little_endian 1.0" in header
    size = 12 * len(mesh.points)
    points = np.frombuffer(body[:size], "<f4").reshape(-1, 3)
    np.testing.assert_array_equal(points, mesh.points.astype(np.float32))
    rows = np.frombuffer(body[size:], [("count", "u1"), ("corners", "<i4", 3)])
    assert (rows["count"] == 3).all()
    np.testing.assert_array_equal(rows["corners"], mesh.triangles)


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("number", ["float", "double"])
def test_ply_of_every_encoding_with_mixed_polygons(tmp_path, encoding, number):
    faces = [[0, 1, 2], [0, 1, 4, 2], [3, 2, 1], [0, 1, 2, 3, 4]]
    header = ply_header(5, len(faces), encoding, number)
    if encoding == "ascii":
        body = b"".join(b"%g %g %g\n" % tuple(point) for point in CORNER.tolist())
        body += b"".join(b"%d %s\n" % (len(face), " ".join(map(str, face)).encode()) for face in faces)
    else:
        order = "<" if "little" in encoding else ">"
        body = CORNER.astype(order + ("f4" if number == "float" else "f8")).tobytes()
        body += b"".join(bytes([len(face)]) + np.array(face, order + "i4").tobytes() for face in faces)
    (tmp_path / "mesh.ply").write_bytes(header + body)
    found = read_mesh(tmp_path / "mesh.ply")
    np.testing.assert_array_equal(found.points, CORNER)
    wanted = [[0, 1, 2], [0, 1, 4], [0, 4, 2], [3, 2, 1], [0, 1, 2], [0, 2, 3], [0, 3, 4]]
    np.testing.assert_array_equal(found.triangles, wanted)


def test_ply_with_other_tables_and_fields(tmp_path):
    header = (
        b"ply\nformat binary_little_endian 1.0\nelement camera 2\nproperty list uchar float pose\nproperty int id\n"
        b"element vertex 3\nproperty uchar red\nproperty float x\nproperty double y\nproperty short z\n"
        b"element face 1\nproperty uchar group\nproperty list uint ushort vertex_index\nproperty float quality\n"
        b"element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n"
    )
    body = b"\1" + struct.pack("<fi", 1, 7) + b"\2" + struct.pack("<2fi", 1, 2, 7)
    body += b"".join(struct.pack("<Bfdh", 9, *point) for point in [(0, 0, 1), (1, 0, 2), (0, 1, 3)])
    body += struct.pack("<BI3Hf", 4, 3, 2, 1, 0, 0.5) + struct.pack("<2i", 0, 1)
    (tmp_path / "mesh.ply").write_bytes(header + body)
    found = read_mesh(tmp_path / "mesh.ply")
    np.testing.assert_array_equal(found.points, [(0, 0, 1), (1, 0, 2), (0, 1, 3)])
    np.testing.assert_array_equal(found.triangles, [[2, 1, 0]])


def test_obj_keeps_shared_vertices_and_supports_negative_indices(tmp_path):
    (tmp_path / "mesh.obj").write_bytes(
        b"# two objects\nmtllib missing.mtl\no first\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nv 1 1 0\n"
        b"vt 0 0\nvn 0 0 1\nvn 0 1 0\nusemtl red\nf 1/1/1 2/1/1 3//1\nf 3//2 2//2 \\\n 4//2\n"
        b"o second\nv 0 0 5\nv 1 0 5\nv 1 1 5\nv 0 1 5\nf -4 -3 -2 -1\nl 1 2\n"
    )
    found = read_mesh(tmp_path / "mesh.obj")
    np.testing.assert_array_equal(found.triangles, [[0, 1, 2], [2, 1, 3], [4, 5, 6], [4, 6, 7]])
    np.testing.assert_array_equal(found.points[5], [1, 0, 5])


def test_stl_equals_that_of_trimesh(tmp_path):
    mesh = TriMesh(ball().points, np.vstack([ball().triangles, [[3, 3, 5]]]))
    write_meshes(tmp_path / "mesh.stl", [mesh])
    raw = (tmp_path / "mesh.stl").read_bytes()
    theirs = trimesh.Trimesh(mesh.points.astype(np.float32), mesh.triangles, process=False).export(file_type="stl")
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", 9), ("attribute", "<u2")])
    ours, theirs = (np.frombuffer(bytes_, row, offset=84) for bytes_ in (raw, theirs))
    assert raw[80:84] == struct.pack("<I", len(mesh.triangles))
    np.testing.assert_array_equal(ours["corners"], theirs["corners"])
    np.testing.assert_allclose(ours["normal"], theirs["normal"], atol=1e-6)
    assert not ours["attribute"].any()


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj"])
def test_memory_for_writing_does_not_grow_with_the_mesh(tmp_path, suffix):
    mesh = TriMesh(ball().points, np.tile(ball().triangles, (1000, 1)))
    tracemalloc.start()
    try:
        write_meshes(tmp_path / f"mesh{suffix}", [mesh])
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (tmp_path / f"mesh{suffix}").stat().st_size > 12 * len(mesh.triangles)
    assert taken < mesh.triangles.nbytes


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_text_stl_with_two_solids(tmp_path, line_end):
    facet = [
        "facet normal 0 0 1",
        "outer loop",
        "vertex 0 0 {0}",
        "vertex 1 0 {0}",
        "vertex 0 1e-3 {0}",
        "endloop",
        "endfacet",
    ]
    text = [line.format(height) for height in (0, 2) for line in ["solid part", *facet, "endsolid part"]]
    (tmp_path / "mesh.STL").write_bytes(line_end.join([*text, ""]).encode())
    found = read_mesh(tmp_path / "mesh.STL")
    wanted = [[[0, 0, height], [1, 0, height], [0, 1e-3, height]] for height in (0, 2)]
    np.testing.assert_array_equal(np.sort(found.corners(), axis=0), wanted)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", " "])
@pytest.mark.parametrize("name", ["", "vertex group one export", "endfacet", "facet of a solid", "Vertex 1 2 3"])
def test_text_stl_with_keywords_in_the_names_of_solids(tmp_path, name, end):
    facet = ["facet normal 0 0 1", "outer loop", "vertex 0 0 {0}", "vertex 1 0 {0}", "vertex 0 1 {0}", "endloop"]
    solid = [f"solid {name}", *facet, "endfacet", f"ENDSOLID {name}"]
    text = [line.format(height) for height in (0, 2) for line in solid]
    (tmp_path / "mesh.stl").write_bytes(end.join([*text, ""]).encode())
    wanted = [[[0, 0, height], [1, 0, height], [0, 1, height]] for height in (0, 2)]
    np.testing.assert_array_equal(np.sort(read_mesh(tmp_path / "mesh.stl").corners(), axis=0), wanted)


def test_binary_stl_that_starts_with_solid_and_has_trailing_data(tmp_path):
    write_meshes(tmp_path / "mesh.stl", [ball()])
    raw = (tmp_path / "mesh.stl").read_bytes()
    (tmp_path / "odd.stl").write_bytes(b"solid part".ljust(80, b" ") + raw[80:] + b"more")
    np.testing.assert_array_equal(read_mesh(tmp_path / "odd.stl").points, read_mesh(tmp_path / "mesh.stl").points)


def test_glb_nodes_are_placed_and_mirrored_ones_keep_their_orientation(tmp_path):
    scene = trimesh.Scene()
    sphere = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    scene.add_geometry(sphere, "plain", transform=trimesh.transformations.translation_matrix([0, 5, 0]))
    scene.add_geometry(sphere, "mirrored", transform=np.diag([-1.0, 2.0, 1.0, 1.0]))
    (tmp_path / "mesh.glb").write_bytes(scene.export(file_type="glb"))
    found = read_mesh(tmp_path / "mesh.glb")
    assert found.volume() == pytest.approx(3 * sphere.volume, rel=1e-6)
    # y is up in the file, z for us
    np.testing.assert_allclose(found.bounds(), [[-1, -1, -2], [1, 1, 6]], atol=1e-6)


def glb(tree, binary=b"", claims=0):
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return b"glTF" + struct.pack("<II", 2, claims or 12 + len(chunks)) + chunks


HUGE_ACCESSOR = {
    "asset": {"version": "2.0"},
    "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"componentType": 5126, "type": "VEC3", "count": 10**11}],
}


def tree(**parts):
    """A .glb of one triangle, with some parts of its description replaced."""
    whole = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36}],
    }
    return glb({**whole, **parts}, CORNER[:3].tobytes())


def accessor(**parts):
    return tree(accessors=[{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, **parts}])


OBJ_CORNERS = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
FACET = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"

BAD_MESHES = {
    "empty.ply": (b"", "is empty"),
    "text.ply": (b"hello there", "no PLY header"),
    "no_format.ply": (ply_header(3, 1).replace(b"format binary_little_endian 1.0\n", b"") + PLY_TRIANGLE, "no format"),
    "odd_line.ply": (b"ply\nformat ascii 1.0\nelement vertex many\nend_header\n", "element vertex many"),
    "no_vertices.ply": (b"ply\nformat ascii 1.0\nend_header\n", "no vertices"),
    "no_z.ply": (ply_header(3, 0).replace(b"property float z\n", b"") + PLY_TRIANGLE, "no 'z'"),
    "no_faces.ply": (ply_header(3, 0) + PLY_TRIANGLE[:36], "has no faces"),
    "cut.ply": (ply_header(3, 1) + PLY_TRIANGLE[:-4], "cut short"),
    "many_vertices.ply": (ply_header(10**11, 1) + PLY_TRIANGLE, "claims 100000000000 rows of 'vertex'"),
    "many_faces.ply": (ply_header(3, 10**11) + PLY_TRIANGLE, "claims 100000000000 rows of 'face'"),
    "many_text.ply": (ply_header(3, 10**9, "ascii") + b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "claims 1000000000 rows"),
    "many_corners.ply": (ply_header(3, 1).replace(b"uchar", b"uint") + PLY_TRIANGLE[:36] + b"\xff" * 16, "cut short"),
    "word.ply": (ply_header(3, 1, "ascii") + b"0 0 0\n1 0 zero\n0 1 0\n3 0 1 2\n", "zero"),
    "stray_index.ply": (ply_header(3, 1) + PLY_TRIANGLE[:-4] + b"\x09\0\0\0", "missing vertices"),
    "nan.ply": (ply_header(3, 1, "ascii") + b"0 0 0\n1 nan 0\n0 inf 0\n3 0 1 2\n", "2 of 3 vertices"),
    "count_inf.ply": (ply_header(3, 1, "ascii") + b"0 0 0\n1 0 0\n0 1 0\ninf 0 1 2\n", "cut short or damaged"),
    "count_nan.ply": (ply_header(3, 1, "ascii") + b"0 0 0\n1 0 0\n0 1 0\nnan 0 1 2\n", "cut short or damaged"),
    "count_half.ply": (ply_header(3, 1, "ascii") + b"0 0 0\n1 0 0\n0 1 0\n2.5 0 1 2\n", "cut short or damaged"),
    "count_back.ply": (ply_header(3, 1).replace(b"uchar", b"char") + PLY_TRIANGLE[:36] + b"\xff" * 13, "cut short or"),
    "index_inf.ply": (ply_header(3, 1, "ascii") + b"0 0 0\n1 0 0\n0 1 0\n3 0 1 inf\n", "missing vertices"),
    "index_half.ply": (ply_header(3, 1, "ascii") + b"0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", "not whole numbers"),
    "list_x.ply": (
        ply_header(3, 0, "ascii").replace(b"float x", b"list int float x") + b"2 0 0 0 0\n" * 3,
        "lists as 'x'",
    ),
    "digits.ply": (
        ply_header(3, 1).replace(b"vertex 3", b"vertex " + b"9" * 5000),
        "its header has the line 'element v",
    ),
    "empty.obj": (b"", "is empty"),
    "binary.obj": (bytes(range(256)), "not a text file"),
    "points.obj": (b"v 0 0 0\nv 1 0 0\n", "has no faces"),
    "word.obj": (b"v 0 0 0\nv 1 zero 0\n", "line 2 is 'v 1 zero 0'"),
    "short.obj": (b"v 0 0\n", "line 1 is 'v 0 0'"),
    "zero.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "line 4"),
    "stray_index.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "missing vertices"),
    "far_back.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "line 4"),
    "huge_index.obj": (OBJ_CORNERS + b"f 1 2 99999999999999999999\n", "line 4"),
    "large_index.obj": (OBJ_CORNERS + b"f 1 2 4294967296\n", "missing vertices"),
    "long_index.obj": (OBJ_CORNERS + b"f 1 2 " + b"1" * 5000 + b"\n", "line 4"),
    "empty.stl": (b"", "is empty"),
    "text.stl": (b"hello there", "cut short or no STL"),
    "many.stl": (b" " * 80 + struct.pack("<I", 4 * 10**9) + bytes(50), "claims 4000000000 triangles"),
    "cut.stl": (b" " * 80 + struct.pack("<I", 1) + bytes(49), "cut short"),
    "none.stl": (b" " * 80 + struct.pack("<I", 0), "has no faces"),
    "cut_text.stl": (FACET, "cut short"),
    "cut_second.stl": (FACET + b"endsolid a\n" + FACET, "cut short"),
    "word.stl": (FACET.replace(b"1 0 0", b"1 0 zero") + b"endsolid a\n", "damaged"),
    "empty.glb": (b"", "is empty"),
    "text.glb": (b"hello there, this is no binary file", "no glTF header"),
    "cut.glb": (glb({"asset": {"version": "2.0"}}, claims=10**9), "claims 1000000000 bytes"),
    "no_tree.glb": (glb([1, 2, 3]), "no glTF"),
    "no_json.glb": (glb("x").replace(b'"x" ', b"{{{{"), "cannot be read"),
    "deep.glb": (glb("x").replace(b'"x" ', b"[[[["), "cannot be read"),
    "very_deep.glb": (glb("x" * 10**6).replace(b"x", b"[").replace(b'"', b"["), "lists in lists"),
    "two_parents.glb": (tree(nodes=[{"children": [1, 1]}, {"mesh": 0}]), "node 1 hangs on two others"),
    "circle.glb": (tree(nodes=[{"children": [1]}, {"children": [0]}]), "or on itself"),
    "no_node.glb": (tree(scenes=[{"nodes": [1]}]), "'nodes' of it is no whole number below 1"),
    "node_number.glb": (tree(nodes=[5]), "'nodes' are no list of objects"),
    "node_true.glb": (tree(nodes=[{"mesh": True}]), "'mesh' of it is no whole number"),
    "matrix_nan.glb": (tree(nodes=[{"mesh": 0, "matrix": [float("nan")] * 16}]), "'matrix' of it is not finite"),
    "matrix_short.glb": (tree(nodes=[{"mesh": 0, "matrix": [1]}]), "no list of 16 numbers"),
    "scale_text.glb": (tree(nodes=[{"mesh": 0, "scale": ["1", 1, 1]}]), "'scale' of it is not finite"),
    "children.glb": (tree(nodes=[{"children": {}}]), "'children' are no list"),
    "attributes.glb": (tree(meshes=[{"primitives": [{"attributes": [0]}]}]), "no 'attributes'"),
    "before.glb": (accessor(byteOffset=-36), "'byteOffset' of it is no whole number"),
    "behind.glb": (accessor(byteOffset=4), "more data than it has"),
    "type.glb": (accessor(type="VEC4"), "not of the type VEC3"),
    "component.glb": (accessor(componentType=[]), "'componentType' of it is no whole number"),
    "sparse.glb": (accessor(sparse=[]), "no object with indices and values"),
    "stride.glb": (tree(bufferViews=[{"buffer": 0, "byteLength": 36, "byteStride": 4}]), "more data than it has"),
    "long_view.glb": (tree(bufferViews=[{"buffer": 0, "byteLength": 10**10}]), "more data than it has"),
    "other_file.glb": (tree(buffers=[{"byteLength": 36, "uri": "../../etc/passwd"}]), "in another file"),
    "address.glb": (tree(buffers=[{"byteLength": 36, "uri": "http://127.0.0.1:9/a"}]), "in another file"),
    "no_buffer.glb": (tree(buffers=[]), "'buffer' of it is no whole number"),
    "none.glb": (glb({"asset": {"version": "2.0"}, "scenes": [{"nodes": []}]}), ""),
    "many.glb": (glb(HUGE_ACCESSOR), "100000000000"),
    "packed.glb": (
        glb({"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_draco_mesh_compression"]}),
        "without compression",
    ),
    "mesh.step": (b"ISO-10303-21;", "'.step' is not a mesh format we read"),
}


@pytest.mark.parametrize("name", BAD_MESHES)
def test_bad_mesh_is_refused_by_name_before_memory_is_allocated(tmp_path, name):
    content, message = BAD_MESHES[name]
    (tmp_path / name).write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            read_mesh(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()
    assert name in str(error.value)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < len(str(tmp_path)) + 300


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_missing_mesh_file(tmp_path, suffix):
    with pytest.raises(InputError, match=f"absent{suffix}: there is no such file"):
        read_mesh(tmp_path / f"absent{suffix}")


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    file = tmp_path / "mesh.ply"
    file.write_text("old")
    with pytest.raises(RuntimeError), replacing(file, overwrite=True) as beside:
        beside.write_text("half")
        raise RuntimeError
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["mesh.ply"]


def test_outputs_that_cannot_be_written_are_refused(tmp_path):
    (tmp_path / "old.ply").write_text("old")
    for path, message in {
        tmp_path / "old.ply": "exists already",
        tmp_path: "is a folder",
        tmp_path / "absent" / "new.ply": "there is no folder",
        tmp_path / "old.ply" / "new.ply": "there is no folder",
    }.items():
        with pytest.raises(InputError, match=message):
            check_output(path)
    check_output(tmp_path / "old.ply", overwrite=True)
    check_output(tmp_path / "new.ply")
    assert [path.name for path in tmp_path.iterdir()] == ["old.ply"]


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that not even root can write")
def test_folder_that_cannot_be_written():
    with pytest.raises(InputError, match="cannot be written"):
        check_output(Path("/proc/new.ply"))


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.ply").write_text("old")
    (tmp_path / "link.ply").symlink_to("real.ply")
    write_meshes(tmp_path / "link.ply", [ball()], overwrite=True)
    assert (tmp_path / "link.ply").is_symlink()
    assert (tmp_path / "real.ply").read_bytes().startswith(b"ply")


def csv_file(tmp_path, content):
    file = tmp_path / "tool.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_csv_with_one_radius_for_all(tmp_path):
    (path,) = read_paths(csv_file(tmp_path, "x,y,z\n0,0,0\n1,2.5,-3e-1\n"), radius=0.5)
    np.testing.assert_array_equal(path.points, [[0, 0, 0], [1, 2.5, -0.3]])
    np.testing.assert_array_equal(path.radii, [0.5, 0.5])
    assert not path.cyclic


def test_csv_radius_column_takes_precedence_over_the_given_radius(tmp_path):
    (path,) = read_paths(csv_file(tmp_path, "x,y,z,radius\n0,0,0,1\n1,1,1,2\n"), radius=9.0)
    np.testing.assert_array_equal(path.radii, [1, 2])


def many_lines(count=5000):
    """Lines of a large table, (N, 4) numbers in many notations, and the line in which they stand."""
    rng = np.random.default_rng(4)
    numbers = np.column_stack(
        [rng.normal(0, 10 ** rng.uniform(-9, 5, (count, 1)), (count, 3)), rng.uniform(0.1, 2, count)]
    )
    forms = ("{:.17g}", "{:.17e}", " {:+.17g} ")
    return numbers, [",".join(forms[n % 3].format(value) for value in row) for n, row in enumerate(numbers)]


@pytest.mark.filterwarnings("error")
def test_many_blank_lines_are_no_points(tmp_path):
    with pytest.raises(InputError, match="has no points"):
        read_paths(csv_file(tmp_path, "x,y,z,radius" + 1500 * "\n"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_a_large_csv_has_the_numbers_that_were_written(tmp_path, end):
    numbers, lines = many_lines()
    (path,) = read_paths(csv_file(tmp_path, end.join(["x,y,z,radius", *lines, ""])))
    assert np.array_equal(path.points, numbers[:, :3]) and np.array_equal(path.radii, numbers[:, 3])


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("1,2,3", "line 5002: 3 fields where the header has 4"),
        ("1,2,3,4,5", "line 5002: 5 fields where the header has 4"),
        ("1,2,3,-1", "line 5002, column 'radius': -1 is not a positive radius"),
        ("1,nan,3,1", "line 5002, column 'y': nan is not a finite number"),
        ("1,2,1e30,1", "line 5002, column 'z': 1e30 is larger than"),
        ("1,2,three,1", "line 5002, column 'z': 'three' is not a number"),
        ("1,\x1c2,3,1", "line 5002, column 'y'"),
    ],
)
def test_a_fault_in_the_last_line_of_a_large_csv_is_named(tmp_path, line, fault):
    _, lines = many_lines()
    with pytest.raises(InputError, match=fault):
        read_paths(csv_file(tmp_path, "\n".join(["x,y,z,radius", *lines, line])))


@pytest.mark.parametrize(
    "content",
    [
        "x,y,z,radius,path\n0,0,0,1,a\n1,0,0,1,a\n5,5,5,2,b\n",
        "x,y,z,radius,path\r\n0,0,0,1,a\r\n1,0,0,1,a\r\n5,5,5,2,b\r\n",
        "x,y,z,radius,path\r0,0,0,1,a\r1,0,0,1,a\r5,5,5,2,b",
        "\ufeffX, Y ,z,Radius,PATH\n 0, 0,0,1, a\n\n1,0,0,1,a \n5,5,5,2,b\n\n\n",
        'path,radius,z,y,x\n"a",1,0,0,0\na,1,0,0,1\n"b",2,5,5,5\n',
    ],
)
def test_csv_path_column_splits_into_polylines(tmp_path, content):
    first, second = read_paths(csv_file(tmp_path, content))
    np.testing.assert_array_equal(first.points, [[0, 0, 0], [1, 0, 0]])
    np.testing.assert_array_equal(second.points, [[5, 5, 5]])
    np.testing.assert_array_equal(second.radii, [2])
    assert second.name.endswith("tool.csv, path b")


BAD_TOOLPATHS = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "binary": (bytes(range(256)), "not a text file"),
    "long field": ("x,y,z,radius,path\n0,0,0,1," + "a" * 200_000 + "\n", "line 2 cannot be read"),
    "long word": ("x,y,z,radius\n0,0,0," + "a" * 100_000 + "\n", "is not a number"),
    "open quote": ('x,y,z,radius,path\n0,0,0,1,"a\n0,0,0,1,a\n', "line 3 cannot be read"),
    "nul": (b"x,y,z\n0,0,\0\n", "not a text file"),
    "utf-16 without a mark": ("x,y,z\n0,0,0\n".encode("utf-16-le"), "not a text file"),
    "utf-16, cut": ("x,y,z\n0,0,0\n".encode("utf-16")[:-1], "not a text file"),
    "header only": ("x,y,z,radius\n\n", "has no points"),
    "no header": ("0,0,0\n1,1,1\n", "line 1: column 1 is '0'"),
    "missing column": ("x,y,radius\n0,0,1\n", "line 1: the column 'z' is missing"),
    "misspelt column": ("x,y,z,raduis\n0,0,0,1\n", "line 1: column 4 is 'raduis' (did you mean 'radius'?)"),
    "column twice": ("x,y,z,z\n0,0,0,1\n", "line 1: the column 'z' stands there twice"),
    "semicolons": ("x;y;z;radius\n0;0;0;one\n", "line 2, column 'radius': 'one' is not a number"),
    "text": ("x,y,z,radius\n0,0,0,1\n\n1,one,0,1\n", "line 4, column 'y': 'one' is not a number"),
    "blank field": ("x,y,z,radius\n0,0,0,1\n1,,0,1\n", "line 3, column 'y': '' is not a number"),
    "nan": ("x,y,z,radius\n0,0,0,1\n0,0,nan,1\n", "line 3, column 'z': nan is not a finite number"),
    "infinite": ("x,y,z,radius\n0,0,0,1\n-inf,0,0,1\n", "line 3, column 'x': -inf is not a finite number"),
    "huge": ("x,y,z,radius\n0,0,0,1\n3e38,0,0,1\n", "line 3, column 'x': 3e38 is larger"),
    "negative radius": ("x,y,z,radius,path\n0,0,0,-1,a\n", "line 2, column 'radius': -1 is not a positive radius"),
    "nan radius": ("x,y,z,radius\n0,0,0,nan\n", "line 2, column 'radius': nan is not a finite number"),
    "short line": ("x,y,z,radius\n0,0,0,1\n1,1,1\n", "line 3: 3 fields where the header has 4 (x,y,z,radius)"),
    "short lines": ("x,y,z,radius\n0,0,0\n1,1,1\n", "line 2: 3 fields where the header has 4 (x,y,z,radius)"),
    "long line": ("x,y,z,radius,path\n0,0,0,1,a\n1,1,1,1,a,b\n", "line 3: 6 fields where the header has 5"),
    "long and short": ("x,y,z,radius,path\n0,0,0,1,a,b\n1,1,1,1\n", "line 2: 6 fields"),
    "decimal commas": ("x,y,z,radius,path\n0,5,1,5,2,5,1,0,a\n", "line 2: 9 fields"),
    "path comes back": ("x,y,z,radius,path\n0,0,0,1,a\n0,0,0,1,b\n0,0,0,1,a\n", "line 4: path 'a' ended in line 2"),
}


@pytest.mark.parametrize("case", BAD_TOOLPATHS)
def test_bad_toolpath_names_file_line_and_column(tmp_path, case):
    content, message = BAD_TOOLPATHS[case]
    with pytest.raises(InputError) as error:
        read_paths(csv_file(tmp_path, content), radius=1.0)
    assert "tool.csv" in str(error.value)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < len(str(tmp_path)) + 300


def test_toolpath_without_any_radius(tmp_path):
    with pytest.raises(InputError, match="no column 'radius': add one, or give a radius"):
        read_paths(csv_file(tmp_path, "x,y,z\n0,0,0\n"))


def test_missing_toolpath(tmp_path):
    with pytest.raises(InputError, match=r"absent\.csv: there is no such file"):
        read_paths(tmp_path / "absent.csv")


def test_paths_of_one_point_are_balls_and_those_beside_each_other_one_path(tmp_path):
    rows = ["0,0,0,1,a", "1,0,0,2,b", "2,0,0,1,c", "3,0,0,1,c", "4,0,0,3,d", "5,0,0,1,e", "6,0,0,1,e", "7,0,0,4,7"]
    paths = read_paths(csv_file(tmp_path, "\n".join(["x,y,z,radius,path", *rows])))
    assert [path.points[:, 0].tolist() for path in paths] == [[0, 1], [2, 3], [4], [5, 6], [7]]
    assert [path.joined for path in paths] == [False, True, False, True, False]
    np.testing.assert_array_equal(np.concatenate([path.radii for path in paths]), [1, 2, 1, 1, 3, 1, 1, 4])
    (ball,) = read_paths(csv_file(tmp_path, "x,y,z,radius\n1,2,3,4\n"))
    assert not ball.joined


def test_long_toolpath_survives_writing_and_reading(tmp_path):
    table = np.random.default_rng(5).uniform(0.1, 9, (20_000, 4))
    labels = np.repeat(np.arange(200), 100)
    lines = [f"{x!r},{y!r},{z!r},{r!r},{label}" for (x, y, z, r), label in zip(table.tolist(), labels, strict=True)]
    paths = read_paths(csv_file(tmp_path, "\n".join(["x,y,z,radius,path", *lines, ""])))
    assert len(paths) == 200
    np.testing.assert_array_equal(np.concatenate([path.points for path in paths]), table[:, :3])
    np.testing.assert_array_equal(np.concatenate([path.radii for path in paths]), table[:, 3])
