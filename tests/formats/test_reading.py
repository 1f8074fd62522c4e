"""How readers handle polygons, line ends and scenes, and how much memory and time they take."""

import io
import json
import os
import struct
import time
import tracemalloc

import numpy as np
import pytest
import trimesh

from tests.formats.test_formats import glb, ply_header
from voxel_carve.compute import InputError
from voxel_carve.formats import read_mesh, read_paths

HANG_SECONDS = 20


def star(corners, rough, seed):
    """A polygon around the origin whose corners are alternately far and near."""
    rng = np.random.default_rng(seed)
    angle, radius = np.sort(rng.uniform(0, 2 * np.pi, corners)), rng.uniform(1 - rough, 1, corners)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def comb(teeth):
    x = np.arange(2 * teeth + 1)
    return np.vstack([[[0, 0], [2 * teeth, 0]], np.stack([x, 1 + 9 * (x % 2)], axis=1)[::-1]])


def spiral(corners):
    angle = np.linspace(0, 6 * np.pi, corners)
    inner, outer = (np.stack([(angle + r) * np.cos(angle), (angle + r) * np.sin(angle)], axis=1) for r in (1, 3))
    return np.vstack([outer, inner[::-1]])


DART = np.array([[0, 0], [4, 0], [1, 1], [0, 4]])
THIN = np.array([[0, 0], [4, 0], [1, 1e-7], [0, 4]])
POLYGONS = {
    **{f"dart from {first}": np.roll(DART, first, axis=0) for first in range(4)},
    **{f"dart with a thin arm from {first}": np.roll(THIN, first, axis=0) for first in range(4)},
    "dart from behind": DART[::-1],
    "L": np.array([[2, 0], [2, 1], [1, 1], [1, 2], [0, 2], [0, 0]]),
    "L with corners on its sides": np.array([[2, 0], [2, 1], [1, 1], [1, 2], [0, 2], [0, 1], [0, 0], [1, 0]]),
    "T": np.array([[1, 0], [2, 0], [2, 2], [3, 2], [3, 3], [0, 3], [0, 2], [1, 2]]),
    "ring cut open": np.array([[0, 0], [3, 0], [3, 3], [0, 3], [0, 0], [1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]),
    "comb": comb(20),
    "spiral": spiral(60),
    "star": star(40, 0.9, 1),
    "large star": star(500, 0.9, 2),
}  # fmt: skip


def shoelace(polygon):
    x, y = polygon.T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def is_inside(polygon, points):
    """Whether points are inside, by the parity of the sides that a ray meets."""
    inside = np.zeros(len(points), bool)
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        across = (ay > points[:, 1]) != (by > points[:, 1])
        with np.errstate(all="ignore"):
            inside ^= across & (points[:, 0] < ax + (bx - ax) * (points[:, 1] - ay) / (by - ay))
    return inside


@pytest.mark.parametrize("suffix", [".obj", ".ply"])
@pytest.mark.parametrize("name", POLYGONS)
def test_concave_polygons_are_covered_exactly_once(tmp_path, name, suffix):
    polygon = POLYGONS[name].astype(float)
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    points = np.column_stack([polygon, np.zeros(len(polygon))]) @ turn.T + [500, -3, 20]
    file = tmp_path / f"polygon{suffix}"
    if suffix == ".obj":
        lines = ["v {!r} {!r} {!r}".format(*point) for point in points.tolist()]
        file.write_text("\n".join([*lines, "f " + " ".join(map(str, range(1, len(points) + 1))), ""]))
    else:
        header = ply_header(len(points), 1, number="double").replace(b"uchar", b"uint")
        row = struct.pack("<I", len(points)) + np.arange(len(points), dtype="<i4").tobytes()
        file.write_bytes(header + points.tobytes() + row)
    found = read_mesh(file)
    flat = (found.points - [500, -3, 20]) @ turn
    assert len(found.triangles) == len(points) - 2
    assert sorted(np.unique(found.triangles)) == list(range(len(points)))
    a, b, c = np.moveaxis(flat[found.triangles], 1, 0)
    area = np.cross(b - a, c - a)[:, 2] / 2
    # Triangles with the area of the polygon, all inside it and equally oriented, cover it exactly once.
    assert np.abs(area).sum() == pytest.approx(shoelace(polygon), rel=1e-9)
    assert (area > 0).all() or (area < 0).all()
    assert is_inside(polygon, (a + b + c)[:, :2] / 3).all()


def test_a_polygon_seen_from_its_first_corner_stays_a_fan(tmp_path):
    polygons = [star(sides, 0.0, sides) for sides in (3, 4, 5, 40)]
    lines = [f"v {x!r} {y!r} 0" for polygon in polygons for x, y in polygon.tolist()]
    wanted, first = [], 0
    for polygon in polygons:
        lines.append("f " + " ".join(str(first + corner + 1) for corner in range(len(polygon))))
        wanted += [(first, first + corner, first + corner + 1) for corner in range(1, len(polygon) - 1)]
        first += len(polygon)
    (tmp_path / "mesh.obj").write_text("\n".join(lines))
    np.testing.assert_array_equal(read_mesh(tmp_path / "mesh.obj").triangles, wanted)


@pytest.mark.parametrize(
    "polygon",
    [
        [(0, 0), (1, 1), (1, 0), (0, 1)],
        [(0, 0), (3, 3), (3, 0), (0, 3), (1, 5), (2, -5)],
        [(0, 0), (1, 0), (0, 0), (1, 0)],
    ],
)
def test_a_polygon_that_crosses_itself_stays_a_fan(tmp_path, polygon):
    lines = [f"v {x} {y} 0" for x, y in polygon]
    (tmp_path / "mesh.obj").write_text("\n".join([*lines, "f " + " ".join(str(i + 1) for i in range(len(polygon)))]))
    wanted = [(0, corner, corner + 1) for corner in range(1, len(polygon) - 1)]
    np.testing.assert_array_equal(read_mesh(tmp_path / "mesh.obj").triangles, wanted)


def test_a_concave_polygon_of_too_many_corners_is_refused_soon(tmp_path):
    polygon = comb(20_000)
    lines = [f"v {x} {y} 0" for x, y in polygon.tolist()]
    lines.append("f " + " ".join(map(str, range(1, len(polygon) + 1))))
    (tmp_path / "mesh.obj").write_text("\n".join(lines))
    began = time.perf_counter()
    with pytest.raises(InputError, match=r"concave polygons of up to 40003 corners.*export it in triangles"):
        read_mesh(tmp_path / "mesh.obj")
    assert time.perf_counter() - began < HANG_SECONDS


@pytest.mark.parametrize("sides", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_many_small_polygons_that_cross_themselves_are_read_soon(tmp_path, sides):
    polygon = [(0, 0), (1, 1), (1, 0), (0, 1.1)] if sides == 4 else [(0, 0), (3, 3), (3, 0), (0, 3), (1, 5), (2, -5)]
    lines = [f"v {x} {y} 0" for x, y in polygon]
    face = "\nf " + " ".join(str(corner + 1) for corner in range(sides))
    (tmp_path / "mesh.obj").write_text("\n".join(lines) + face * 300_000)
    began = time.process_time()
    found = read_mesh(tmp_path / "mesh.obj")
    assert time.process_time() - began < HANG_SECONDS
    fan = [(0, corner, corner + 1) for corner in range(1, sides - 1)]
    np.testing.assert_array_equal(found.triangles.reshape(300_000, -1, 3), [fan] * 300_000)


@pytest.mark.slow
@pytest.mark.parametrize("sides", [17, 64, 600])
def test_many_concave_polygons_are_refused_soon(tmp_path, sides):
    lines = [f"v {x!r} {y!r} 0" for x, y in star(sides, 0.9, 1).tolist()]
    face = "\nf " + " ".join(str(corner + 1) for corner in range(sides))
    (tmp_path / "mesh.obj").write_text("\n".join(lines) + face * (2_000_000 // sides))
    began = time.process_time()
    with pytest.raises(InputError, match=rf"concave polygons of up to {sides} corners.*export it in triangles"):
        read_mesh(tmp_path / "mesh.obj")
    assert time.process_time() - began < 2 * HANG_SECONDS


def test_a_large_polygon_is_split_before_time_goes_into_small_ones(tmp_path, monkeypatch):
    monkeypatch.setattr("voxel_carve.formats.polygons.MOST_CLIPPING", 1_000_000)
    points = [*comb(20).tolist(), (0, 0), (3, 3), (3, 0), (0, 3), (1, 5), (2, -5)]
    small, large = "\nf 44 45 46 47 48 49" * 100, "\nf " + " ".join(str(corner + 1) for corner in range(43))
    (tmp_path / "mesh.obj").write_text("\n".join(f"v {x} {y} 0" for x, y in points) + small + large)
    found = read_mesh(tmp_path / "mesh.obj")
    fans = [(43, corner, corner + 1) for corner in range(44, 48)] * 100
    np.testing.assert_array_equal(found.triangles[:400], fans)
    a, b, c = np.moveaxis(found.corners()[400:], 1, 0)
    area = np.cross(b - a, c - a)[:, 2] / 2
    assert (area > 0).all()
    assert area.sum() == pytest.approx(shoelace(comb(20)))


def test_random_small_polygons_are_covered_once(tmp_path):
    rng = np.random.default_rng(7)
    polygons = [rng.uniform(0.01, 1, (sides, 1)) * star(sides, 0, seed) for seed in range(500) for sides in (4, 5)]
    # Around a point inside, so that no side crosses another.
    polygons = [polygon for polygon in polygons if is_inside(polygon, np.zeros((1, 2)))[0]]
    lines, first = [], 1
    for polygon in polygons:
        lines += [f"v {x!r} {y!r} 0" for x, y in polygon.tolist()]
        lines.append("f " + " ".join(str(first + corner) for corner in range(len(polygon))))
        first += len(polygon)
    (tmp_path / "mesh.obj").write_text("\n".join(lines))
    assert len(polygons) > 500
    a, b, c = np.moveaxis(read_mesh(tmp_path / "mesh.obj").corners(), 1, 0)
    area = np.cross(b - a, c - a)[:, 2] / 2
    assert (area > 0).all()
    assert area.sum() == pytest.approx(sum(map(shoelace, polygons)))


ODD = b"\x85 \x0b \x0c \x1c \x1d \x1e"  # line ends for Python, but for no format


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_only_cr_and_lf_end_a_line(tmp_path, end):
    points, face = [b"v 0 0 0", b"v 1 0 0", b"v 0 1 0"], b"f 1 2 3"
    (tmp_path / "mesh.obj").write_bytes(end.join([b"# " + ODD.replace(b" ", b"f 1 1 1"), *points, face, b""]))
    assert read_mesh(tmp_path / "mesh.obj").triangles.tolist() == [[0, 1, 2]]
    header = ply_header(3, 1, "ascii").replace(b"of no matter", ODD.replace(b" ", b"element face 9"))
    if end != b"\r":
        (tmp_path / "mesh.ply").write_bytes((header + b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").replace(b"\n", end))
        assert read_mesh(tmp_path / "mesh.ply").triangles.tolist() == [[0, 1, 2]]
    label = ODD.decode("latin-1") + "\u2028"
    rows = ["x,y,z,path", f"0,0,0,a{label}b", f"1,0,0,a{label}b", ""]
    (tmp_path / "tool.csv").write_bytes(end.join(row.encode() for row in rows))
    (path,) = read_paths(tmp_path / "tool.csv", 1.0)
    np.testing.assert_array_equal(path.points, [[0, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("name", ["file.ply", "file.stl", "file.obj", "file.glb", "file.csv"])
def test_only_regular_files_are_read(tmp_path, name):
    def refuse(match):
        with pytest.raises(InputError, match=match):
            read_paths(tmp_path / name, 1.0) if name.endswith("csv") else read_mesh(tmp_path / name)
        (tmp_path / name).rmdir() if (tmp_path / name).is_dir() else (tmp_path / name).unlink()

    (tmp_path / name).mkdir()
    refuse("is a folder, and no file")
    if os.name == "posix":
        os.mkfifo(tmp_path / name)
        refuse("is a pipe, and no file")
        (tmp_path / name).symlink_to("/dev/zero")
        refuse("is a device, and no file")


def instanced(copies):
    points = np.random.default_rng(0).random((9000, 3)).astype("<f4")
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": list(range(copies))}],
        "nodes": [{"mesh": 0}] * copies,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": len(points)}],
        "bufferViews": [{"buffer": 0, "byteLength": points.nbytes}],
        "buffers": [{"byteLength": points.nbytes}],
    }
    return glb(tree, points.tobytes())


LONG_LISTS = ply_header(3, 1).replace(b"uchar int", b"uint uchar")
TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
EXPANDING = {
    "instances.glb": lambda: instanced(20_000),
    "json.glb": lambda: glb({"extras": [[] for _ in range(10**6)]}),
    "ngon.ply": lambda: LONG_LISTS + bytes(36) + struct.pack("<I", 2 * 10**6) + bytes(2 * 10**6),
    "empty_lists.ply": lambda: ply_header(3, 2 * 10**6) + bytes(36) + b"\3" + bytes(12) + bytes(2 * 10**6),
    "ngon.obj": lambda: TRIANGLE + b"f" + b" 1 2 3" * 700_000,
    "rows.csv": lambda: b"x,y,z\n" + b"0,0,0\n" * 10**6,
    "paths.csv": lambda: b"x,y,z,path\n" + b"".join(b"0,0,0,%d\n" % (row // 2) for row in range(120_000)),
    "fields.csv": lambda: b"x,y,z\n" + b"0," * 2 * 10**6,
}  # fmt: skip


@pytest.mark.parametrize("name", EXPANDING)
def test_files_that_would_exceed_the_limit_are_refused_beforehand(tmp_path, name):
    limit = 64 << 20
    (tmp_path / name).write_bytes(EXPANDING[name]())
    began = time.perf_counter()
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"[MG]iB of memory, and may take 64 MiB: raise the memory limit") as error:
            read_paths(tmp_path / name, 1.0, limit) if name.endswith("csv") else read_mesh(tmp_path / name, limit)
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()
    assert "\n" not in str(error.value)
    assert time.perf_counter() - began < HANG_SECONDS


EMOJI = "\U0001f600"
ODDLY_LONG = {
    "labels.csv": lambda: "x,y,z,path\n" + "".join(f"0,0,0,{EMOJI}{'a' * 60_000}{row}\n" for row in range(100)),
    "many_labels.csv": lambda: "x,y,z,path\n" + "".join(f"0,0,0,{EMOJI}{'a' * 900}{row}\n" for row in range(6000)),
    "short_labels.csv": lambda: "x,y,z,path\n" + "".join(f"0,0,0,{EMOJI}{'a' * 70}{row}\n" * 2 for row in range(6000)),
    "line.csv": lambda: "x,y,z,path\n0,0,0," + EMOJI + "a" * 6_000_000,
    "header.csv": lambda: ",".join([EMOJI + "A" * 120_000] * 49) + "\n0,0,0\n",
    "quotes.csv": lambda: "x,y,z,path\n" + ",".join([f'"{EMOJI}{"a" * 60_000}\n{"a" * 60_000}"'] * 49) + "\n",
    "vertices.stl": lambda: "solid a\nfacet\n" + "vertex 0 0 0\n" * 500_000 + "endsolid a\n",
}  # fmt: skip


@pytest.mark.parametrize("name", ODDLY_LONG)
def test_oddly_long_files_keep_the_limit(tmp_path, name):
    limit = 8 << 20
    (tmp_path / name).write_text(ODDLY_LONG[name](), encoding="utf-8")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"of memory, and may take 8|three for each of its 0 triangles") as error:
            read_paths(tmp_path / name, 1.0, limit) if name.endswith("csv") else read_mesh(tmp_path / name, limit)
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()
    assert len(str(error.value)) < len(str(tmp_path)) + 300


def test_a_long_label_is_shortened_only_in_the_name(tmp_path):
    rows = ["x,y,z,path", *(f"0,0,{row},{'a' * 500}{row // 2}" for row in range(4)), ""]
    (tmp_path / "tool.csv").write_text("\n".join(rows))
    first, second = read_paths(tmp_path / "tool.csv", 1.0)
    assert first.name == second.name == f"{tmp_path / 'tool.csv'}, path {'a' * 60}..."
    np.testing.assert_array_equal([first.points[:, 2], second.points[:, 2]], [[0, 1], [2, 3]])


def test_balls_take_the_memory_of_their_rows_and_labels_alone(tmp_path):
    """As many lines of two points are refused: see paths.csv."""
    limit = 64 << 20
    (tmp_path / "balls.csv").write_bytes(
        b"x,y,z,path\n" + b"".join(b"%d,0,0,%d\n" % (row, row) for row in range(60_000))
    )
    tracemalloc.start()
    try:
        (balls,) = read_paths(tmp_path / "balls.csv", 1.0, limit)
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()
    assert not balls.joined
    np.testing.assert_array_equal(balls.points[:, 0], np.arange(60_000))


@pytest.mark.parametrize("name", ["large.ply", "large.stl", "large.obj", "large.glb", "large.csv"])
def test_a_file_over_the_limit_is_not_even_read(tmp_path, name):
    with open(tmp_path / name, "wb") as file:
        file.truncate(1 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=f"{name} is too large: its 1,024 MiB need about 1.0 GiB"):
            read_paths(tmp_path / name, 1.0, 1 << 29) if name.endswith("csv") else read_mesh(tmp_path / name, 1 << 29)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


LONG = b"x" * 30_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        # One long word and many short ones, which would take gigabytes if stored as wide as the long one.
        ("label.csv", b"x,y,z,path\n0,0,0," + LONG + b"\n" + b"0,0,0,b\n" * 10_000),
        ("word.ply", ply_header(3, 1, "ascii") + b"0 0 0 " * 3 + b"3 0 1 2 " * 10_000 + LONG),
        ("header.ply", ply_header(3, 1).replace(b"end_", b"property char a\n" * 20_000 + b"end_")),
        ("face.obj", TRIANGLE + b"f" + b" 1 2 3" * 200_000),
        ("line.obj", TRIANGLE + b"f 1 2 3\n" + b"\\\n" * 200_000 + b"#" * 10**6),
        ("facet.stl", b"solid a\nfacet " + b"vertex " * 200_000 + LONG),
    ],
)  # fmt: skip
def test_memory_and_time_grow_like_the_file(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    began = time.perf_counter()
    tracemalloc.start()
    try:
        try:
            read_paths(tmp_path / name, 1.0) if name.endswith("csv") else read_mesh(tmp_path / name)
        except InputError as error:
            assert len(str(error)) < len(str(tmp_path)) + 300
        assert tracemalloc.get_traced_memory()[1] < 80 * len(content)
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - began < HANG_SECONDS


def test_nested_glb_nodes_are_placed_as_another_program_does(tmp_path):
    rng = np.random.default_rng(4)
    points, corners = rng.random((30, 3)).astype("<f4"), rng.integers(0, 30, 60).astype("<u2")
    turns = [turn / np.linalg.norm(turn) for turn in rng.normal(size=(4, 4))]
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"children": [1, 2], "rotation": turns[0].tolist(), "translation": [1, 2, 3]},
            {"mesh": 0, "scale": [1, 2, -3], "rotation": turns[1].tolist()},
            {"children": [3], "matrix": [0.5, 1, 0, 0, -1, 0.5, 0.3, 0, 0, 0.2, 2, 0, 4, 5, 6, 1]},
            {"mesh": 0, "rotation": turns[2].tolist()},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 30},
            {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 60},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 360}, {"buffer": 0, "byteOffset": 360, "byteLength": 120}],
        "buffers": [{"byteLength": 480}],
    }
    raw = glb(tree, points.tobytes() + corners.tobytes())
    (tmp_path / "mesh.glb").write_bytes(raw)
    found = read_mesh(tmp_path / "mesh.glb").corners()
    scene = trimesh.load_scene(io.BytesIO(raw), file_type="glb", process=False)
    theirs = []
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        corner = trimesh.transform_points(scene.geometry[name].vertices, matrix)[scene.geometry[name].faces]
        theirs.append(corner if np.linalg.det(matrix[:3, :3]) > 0 else corner[:, ::-1])
    theirs = np.concatenate(theirs)[..., [0, 2, 1]] * [1, -1, 1]
    order = [np.lexsort(corners.reshape(-1, 9).round(6).T) for corners in (found, theirs)]
    np.testing.assert_allclose(found[order[0]], theirs[order[1]], atol=1e-6)


def test_glb_strips_fans_sparse_items_and_small_integers(tmp_path):
    corner = np.array([[0, 0, 0], [127, 0, 0], [0, 127, 0], [127, 127, 0]], "<i1")
    binary = corner.tobytes() + bytes([3, 0, 0, 0]) + np.array([0, 0, 127], "<i1").tobytes() + b"\0"
    whole = {"bufferView": 0, "componentType": 5120, "normalized": True, "type": "VEC3", "count": 4}
    sparse = {"count": 1, "indices": {"bufferView": 1, "componentType": 5121}, "values": {"bufferView": 2}}
    tree = {
        "asset": {"version": "2.0"},
        "extensionsRequired": ["KHR_mesh_quantization"],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {
                "primitives": [
                    {"attributes": {"POSITION": 0}, "mode": 5},
                    {"attributes": {"POSITION": 1}, "mode": 6},
                    {"attributes": {"POSITION": 1}, "mode": 1},
                ]
            }
        ],
        "accessors": [whole, {**whole, "sparse": sparse}],
        "bufferViews": [
            {"buffer": 0, "byteLength": 12},
            {"buffer": 0, "byteOffset": 12, "byteLength": 1},
            {"buffer": 0, "byteOffset": 16, "byteLength": 3},
        ],
        "buffers": [{"byteLength": len(binary)}],
    }
    (tmp_path / "mesh.glb").write_bytes(glb(tree, binary))
    found = read_mesh(tmp_path / "mesh.glb")
    np.testing.assert_array_equal(found.triangles, [[0, 1, 2], [1, 3, 2], [4, 5, 6], [4, 6, 7]])
    np.testing.assert_allclose(found.points[3], [1, 0, 1])  # y is up in the file
    np.testing.assert_allclose(found.points[7], [0, -1, 0])


def test_json_of_any_value_is_refused_or_read(tmp_path):
    for value in (None, True, 1, "x", [], {}):
        raw = json.dumps(value).encode().ljust(8)
        chunks = struct.pack("<II", len(raw), 0x4E4F534A) + raw
        (tmp_path / "mesh.glb").write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)
        with pytest.raises(InputError, match=r"mesh\.glb"):
            read_mesh(tmp_path / "mesh.glb")
