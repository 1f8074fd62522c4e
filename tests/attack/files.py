"""Families of bad, odd and oversized mesh files."""

import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.attack.case import Case, Maker, Random, mutated, often, pick
from tests.attack.solids import (
    ball,
    block,
    file_of,
    gltf,
    inputs,
    job,
    obj,
    packed,
    ply,
    ply_text,
    stl,
    stl_text,
)


def mesh_case(suffix: str) -> Maker:
    """A random mesh in a file of this kind, usually damaged."""

    def make(rng: Random) -> Case:
        solid = pick(rng, (block(), ball(1)))
        writers = {
            ".stl": (stl, stl_text),
            ".ply": (ply, ply_text),
            ".obj": (obj,),
            ".glb": (lambda s: file_of(".glb", s),),
        }
        raw = pick(rng, writers[suffix])(solid)
        whole = often(rng, 0.15)
        if not whole:
            raw = damaged_gltf(rng, solid) if suffix == ".glb" and often(rng, 0.7) else mutated(rng, raw)
        what = f"a {'whole' if whole else 'damaged'} {suffix}"
        return Case(what, job(f"part{suffix}", resolution=12), inputs(**{f"part{suffix}": raw}))

    return make


def damaged_gltf(rng: Random, solid: Any) -> bytes:
    """Replace or remove one value of the description."""
    tree, data = gltf(solid)
    where: Any = tree
    while True:
        keys = list(where) if isinstance(where, dict) else list(range(len(where)))
        key = pick(rng, keys)
        inner = where[key]
        if not isinstance(inner, dict | list) or not inner or often(rng, 0.2):
            break
        where = inner
    values = (
        None,
        True,
        -1,
        0,
        1,
        2**31,
        2**63,
        1e308,
        float("nan"),
        float("inf"),
        "0",
        "",
        [],
        {},
        [0],
        {"0": 0},
        "MAT4",
        0.5,
        "data:,",
        [[]],
        5120,
        10**30,
    )
    if often(rng, 0.2):
        del where[key]
    else:
        where[key] = pick(rng, values)
    return packed(tree, data)


def mesh_of(what: str, suffix: str, raw: Callable[[], bytes]) -> Maker:
    """A case of one mesh."""
    return lambda rng: Case(what, job(f"part{suffix}", resolution=12), inputs(**{f"part{suffix}": raw()}))


def obj_of(what: str, faces: bytes, repeated: int = 1) -> Maker:
    """A box with more lines."""
    return mesh_of(what, ".obj", lambda: obj(block()) + faces * repeated)


KNOWN_OBJ: tuple[Maker, ...] = (
    obj_of("an index of 65 bits", b"f 1 2 36893488147419103232\n"),
    obj_of("an index of 64 bits", b"f 1 2 9223372036854775808\n"),
    obj_of("an index of 63 bits", b"f 1 2 9223372036854775807\n"),
    obj_of("an index of 32 bits", b"f 1 2 4294967297\n"),
    obj_of("an index of thousands of digits", b"f 1 2 " + b"9" * 6000 + b"\n"),
    obj_of("index 0", b"f 0 1 2\n"),
    obj_of("an index before the first", b"f -9 -1 -2\n"),
    obj_of("a polygon of a million corners", b"f" + b" 1 2 3 4" * 250_000 + b"\n"),
    obj_of("a line of a million words", b"v" + b" 1" * 1_000_000 + b"\n"),
    obj_of("one face 236 times", b"f 1 2 3\n", 236),
    obj_of("one face a hundred thousand times", b"f 1 2 3\n", 100_000),
    obj_of("a byte 0x85 in a face", b"f 1 2\x853\n"),
    obj_of("a byte 0x85 in a name", b"o na\x85f 9 9 9\n"),
    obj_of("a form feed in a line", b"o na\x0cf 9 9 9\n"),
    obj_of("control characters in a bad line", b"v \x1b[2J \x07 1\n"),
    obj_of("a continuation at the end", b"f 1 2 \\"),
    obj_of("corners with slashes", b"f 1/1/1 2//2 3/3\nf / // 1\n"),
    obj_of("faces of one and two corners", b"f 1\nf 1 2\nf\n"),
    obj_of("coordinates of infinity", b"v inf -inf nan\nf 1 2 9\n"),
    obj_of("coordinates beyond float32", b"v 1e39 1e200 1e308\nf 1 2 9\n"),
    obj_of("digits with a line below", b"v 1_0 2 3\nf 1 2 1_0\n"),
    obj_of("a vertex of two numbers", b"v 1 2\n"),
    obj_of("quads that cross themselves", b"v 0 3.5 0\nf 1 4 2 -1\n", 100_000),
    mesh_of("vertices by the hundred thousand", ".obj", lambda: obj(block()) + b"v 1 1 1\n" * 300_000),
    mesh_of("one long line", ".obj", lambda: obj(block()) + b"#" + b"a" * 5_000_000),
)


def ply_of(what: str, head: str, body: bytes = b"", form: str = "ascii") -> Maker:
    """A file with this header and body."""
    return mesh_of(what, ".ply", lambda: f"ply\nformat {form} 1.0\n{head}end_header\n".encode("latin-1") + body)


VERTEX = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
CORNERS = b"0 0 0\n1 0 0\n0 1 0\n"
FACE = "element face 1\nproperty list uchar int vertex_indices\n"
BINARY = "binary_little_endian"

KNOWN_PLY: tuple[Maker, ...] = (
    ply_of("a count of infinity", VERTEX + FACE, CORNERS + b"inf 0 1 2\n"),
    ply_of("a count that is no number", VERTEX + FACE, CORNERS + b"nan 0 1 2\n"),
    ply_of("a count below 0", VERTEX + FACE, CORNERS + b"-1 0 1 2\n"),
    ply_of("a count of 1e300", VERTEX + FACE, CORNERS + b"1e300 0 1 2\n"),
    ply_of("a count of half", VERTEX + FACE, CORNERS + b"2.5 0 1 2\n"),
    ply_of("an index of 1e300", VERTEX + FACE, CORNERS + b"3 0 1 1e300\n"),
    ply_of("an index that is no number", VERTEX + FACE, CORNERS + b"3 0 1 nan\n"),
    ply_of("counts of signed bytes below 0", VERTEX + FACE.replace("uchar", "char"), b"\0" * 36 + b"\xff" * 20, BINARY),
    ply_of("counts as floats", VERTEX + FACE.replace("uchar", "float"), CORNERS + b"3 0 1 2\n"),
    ply_of("a table of more rows than there are bytes", VERTEX.replace("3", "1000000000000000000") + FACE, CORNERS),
    ply_of("rows beyond 64 bits", VERTEX.replace("3", "9" * 40) + FACE, CORNERS),
    ply_of("rows of thousands of digits", VERTEX.replace("3", "9" * 6000) + FACE, CORNERS),
    ply_of("rows in digits of another script", VERTEX.replace("3", "\xb3") + FACE, CORNERS),
    ply_of("a billion rows of nothing", "element dust 1000000000\n" + VERTEX + FACE, CORNERS + b"3 0 1 2\n"),
    ply_of("a header of many properties", VERTEX + "".join(f"property float p{n}\n" for n in range(100_000)) + FACE),
    ply_of("a header of many empty tables", "".join(f"element e{n} 0\n" for n in range(100_000)) + VERTEX + FACE),
    ply_of("a header line of a million letters", VERTEX + "comment " + "a" * 1_000_000 + "\n" + FACE, CORNERS),
    ply_of("no header's end", VERTEX + "element \x1b[2J\x07\n"),
    ply_of("two tables of vertices", VERTEX + VERTEX + FACE, CORNERS * 2 + b"3 0 1 2\n"),
    ply_of("a property twice", VERTEX + "property float x\n" + FACE, b"0 0 0 0\n1 0 0 0\n0 1 0 0\n3 0 1 2\n"),
    ply_of("coordinates as lists", VERTEX.replace("float x", "list uchar float x") + FACE, CORNERS),
    ply_of("faces before vertices", FACE + VERTEX, b"3 0 1 2\n" + CORNERS),
    ply_of("one long word among a hundred thousand", VERTEX + FACE, CORNERS + b"3 0 1 2\n" * 50_000 + b"1" * 20_000),
    ply_of(
        "lists of many lengths",
        VERTEX + "element face 2000000\nproperty list uchar uchar vertex_indices\n",
        b"\0" * 36 + b"\0\1\0" * 1_000_000,
        BINARY,
    ),
    mesh_of("one face 236 times", ".ply", lambda: repeated_face(236)),
    mesh_of("one face a hundred thousand times", ".ply", lambda: repeated_face(100_000)),
)


def repeated_face(times: int) -> bytes:
    """The box, with its first face repeated."""
    points, triangles = block()
    return ply((points, np.concatenate([triangles, np.repeat(triangles[:1], times, axis=0)])))


KNOWN_STL: tuple[Maker, ...] = (
    mesh_of("more triangles than the file has", ".stl", lambda: stl(block())[:80] + b"\xff" * 4 + stl(block())[84:]),
    mesh_of("fewer triangles than the file has", ".stl", lambda: stl(block())[:80] + b"\1\0\0\0" + stl(block())[84:]),
    mesh_of("no triangles", ".stl", lambda: stl(block())[:80] + b"\0" * 4),
    mesh_of("83 bytes", ".stl", lambda: b"\0" * 83),
    mesh_of("binary that begins with solid", ".stl", lambda: b"solid part" + stl(block())[10:]),
    mesh_of("binary that speaks of a facet", ".stl", lambda: b"solid facet" + b" " * 69 + stl(block())[80:]),
    mesh_of("text of nothing but facets", ".stl", lambda: b"solid a\n" + b"facet " * 400_000),
    mesh_of("text of nothing but corners", ".stl", lambda: b"solid a\nfacet\n" + b"vertex 0 0 0\n" * 1_000_000),
    mesh_of(
        "text with a name of its words", ".stl", lambda: b"solid vertex group one endfacet" + stl_text(block())[5:]
    ),
    mesh_of("text of two corners a facet", ".stl", lambda: stl_text(block()).replace(b"vertex 0 0 0\n", b"")),
    mesh_of(
        "numbers of thousands of digits",
        ".stl",
        lambda: stl_text(block()).replace(b"vertex 4", b"vertex " + b"4" * 6000),
    ),
    mesh_of("points that are no numbers", ".stl", lambda: stl_text(block()).replace(b"vertex 4", b"vertex nan")),
    mesh_of(
        "one triangle fifty thousand times",
        ".stl",
        lambda: stl(block())[:80] + struct.pack("<I", 50_000) + stl(block())[84:134] * 50_000,
    ),
)


def glb_of(what: str, change: Callable[[dict[str, Any]], object], data: bytes | None = None) -> Maker:
    """A file with a changed description."""

    def raw() -> bytes:
        tree, whole = gltf(block())
        changed = change(tree)
        return packed(tree if changed is None else changed, whole if data is None else data)

    return mesh_of(what, ".glb", raw)


def changed(**more: Any) -> Callable[[dict[str, Any]], None]:
    """Replace values at the top level."""
    return lambda tree: tree.update(more)


def many_nodes(count: int) -> Callable[[dict[str, Any]], None]:
    """Place the mesh this many times."""
    return changed(nodes=[{"mesh": 0}] * count, scenes=[{"nodes": list(range(count))}])


def deep_nodes(count: int) -> Callable[[dict[str, Any]], None]:
    """Nest nodes this deep."""
    nodes: list[dict[str, Any]] = [{"children": [number + 1]} for number in range(count)]
    return changed(nodes=[*nodes, {"mesh": 0}])


def doubling_nodes(depth: int) -> Callable[[dict[str, Any]], None]:
    """Each node contains the next one twice: not a tree, and 2^depth instances."""
    nodes: list[dict[str, Any]] = [{"children": [number + 1, number + 1]} for number in range(depth)]
    return changed(nodes=[*nodes, {"mesh": 0}])


def instances() -> bytes:
    """A ball of 8 192 triangles on thousands of nodes: a file of 300 kB for forty million triangles."""
    tree, data = gltf(ball(5))
    many_nodes(5000)(tree)
    return packed(tree, data)


KNOWN_GLB: tuple[Maker, ...] = (
    mesh_of("a mesh on thousands of nodes", ".glb", instances),
    glb_of("a node in itself", changed(nodes=[{"mesh": 0, "children": [0]}])),
    glb_of("nodes in a ring", changed(nodes=[{"mesh": 0, "children": [1]}, {"children": [0]}])),
    glb_of("nodes in nodes, five thousand deep", deep_nodes(5000)),
    glb_of("nodes that double", doubling_nodes(30)),
    glb_of("nodes that are not there", changed(scenes=[{"nodes": [7]}])),
    glb_of("a scene that is not there", changed(scene=7)),
    glb_of("nodes that are a number", changed(nodes=7)),
    glb_of("meshes that are words", changed(meshes="box")),
    glb_of("a matrix of words", changed(nodes=[{"mesh": 0, "matrix": ["a"] * 16}])),
    glb_of("a matrix of three numbers", changed(nodes=[{"mesh": 0, "matrix": [1, 2, 3]}])),
    glb_of("a matrix of nothing", changed(nodes=[{"mesh": 0, "matrix": [0] * 16}])),
    glb_of("a scale of 1e300", changed(nodes=[{"mesh": 0, "scale": [1e300, 1, 1]}])),
    glb_of("a place of infinity", changed(nodes=[{"mesh": 0, "translation": [float("inf"), 0, 0]}])),
    glb_of("a turn of nothing", changed(nodes=[{"mesh": 0, "rotation": [0, 0, 0, 0]}])),
    glb_of("a name of control characters", changed(nodes=[{"mesh": 0, "name": "\x1b[2J\x07\ud800"}])),
    glb_of("lists instead of a description", lambda tree: []),
    glb_of("a number instead of a description", lambda tree: 7),
    glb_of("nothing instead of a description", lambda tree: b"null"),
    glb_of("no text at all", lambda tree: b"\xff\xfe\0\0"),
    glb_of("lists in lists, a hundred thousand deep", lambda tree: b"[" * 100_000),
    glb_of("lists in lists under a name", lambda tree: b'{"nodes":' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
    glb_of("a number of a million digits", lambda tree: b'{"accessors":[{"count":' + b"9" * 1_000_000 + b"}]}"),
    glb_of("a count below 0", lambda tree: tree["accessors"][0].update(count=-5)),
    glb_of("a count as a word", lambda tree: tree["accessors"][0].update(count="8")),
    glb_of("a count as a list", lambda tree: tree["accessors"][0].update(count=[8])),
    glb_of("a kind of number that is none", lambda tree: tree["accessors"][1].update(componentType=1)),
    glb_of("a view that is not there", lambda tree: tree["accessors"][1].update(bufferView=9)),
    glb_of("a view before the beginning", lambda tree: tree["bufferViews"][0].update(byteOffset=-64)),
    glb_of(
        "sparse values of a billion",
        lambda tree: tree["accessors"][0].update(
            sparse={"count": 10**9, "indices": {"bufferView": 1, "componentType": 5125}, "values": {"bufferView": 0}}
        ),
    ),
    glb_of("values without a view", lambda tree: tree["accessors"][0].pop("bufferView")),
    glb_of("lines instead of triangles", lambda tree: tree["meshes"][0]["primitives"][0].update(mode=1)),
    glb_of("a strip instead of triangles", lambda tree: tree["meshes"][0]["primitives"][0].update(mode=5)),
    glb_of("data in a file beside it", changed(buffers=[{"byteLength": 64, "uri": "tool.csv"}])),
    glb_of("data in a file elsewhere", changed(buffers=[{"byteLength": 64, "uri": "../../../../etc/passwd"}])),
    glb_of("data on another machine", changed(buffers=[{"byteLength": 64, "uri": "http://127.0.0.1:9/a.bin"}])),
    glb_of("pictures that are not there", changed(images=[{"uri": "gone.png"}, {"bufferView": 9}])),
    glb_of("compressed by Draco", changed(extensionsRequired=["KHR_draco_mesh_compression"])),
    glb_of("an extension as a number", changed(extensionsRequired=7)),
    glb_of("no data", lambda tree: None, b""),
)


FAMILIES: Mapping[str, tuple[tuple[Maker, ...], Maker]] = {
    "obj": (KNOWN_OBJ, mesh_case(".obj")),
    "ply": (KNOWN_PLY, mesh_case(".ply")),
    "stl": (KNOWN_STL, mesh_case(".stl")),
    "glb": (KNOWN_GLB, mesh_case(".glb")),
}
