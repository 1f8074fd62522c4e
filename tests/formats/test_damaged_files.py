"""Randomly damaged files: they are read, or refused in one line, quickly and in little memory."""

import json
import random
import re
import struct
import time
import tracemalloc
import zipfile

import numpy as np
import pytest

from tests.formats import packages
from tests.shapes import box
from voxel_carve.compute import InputError
from voxel_carve.formats import read_mesh, read_paths, write_meshes

MUTANTS = 60  # per file
# Generous: a file of a few kilobytes takes milliseconds.
HANG_SECONDS = 20
LIMIT = 32 << 20
EXTREMES = (
    b"0", b"-1", b"1e999", b"nan", b"-inf", b"2147483648", b"4294967295", b"99999999999999999999", b"1e308", b"1e-320",
    b"[]", b"{}", b"null", b"true", b'"x"', b"\x85", b"\0", b"\xff\xff\xff\xff", b"\\\n", b'"', b"x" * 70_000,
    b"9" * 5_000, b"[" * 20_000, b"0 " * 5_000, b"0," * 5_000,
)  # fmt: skip


def ply(encoding):
    faces = [[0, 1, 2], [0, 1, 4, 2], [3, 2, 1], [0, 1, 2, 3, 4]]
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    header = (
        f"ply\nformat {encoding} 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
        f"element face 4\nproperty list uchar int vertex_indices\nproperty uchar group\nend_header\n"
    ).encode()
    if encoding == "ascii":
        rows = [" ".join(map(str, point)) for point in points]
        return header + "\n".join([*rows, *(" ".join(map(str, [len(face), *face, 1])) for face in faces), ""]).encode()
    order = "<" if "little" in encoding else ">"
    body = np.array(points, order + "f4").tobytes()
    return (
        header + body + b"".join(bytes([len(face)]) + np.array(face, order + "i4").tobytes() + b"\1" for face in faces)
    )


def glb(tree, binary):
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


TREE = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0]}],
    "nodes": [
        {"children": [1, 2], "matrix": np.eye(4).ravel().tolist()},
        {"mesh": 0, "translation": [1, 2, 3], "rotation": [0, 0, 0, 1], "scale": [1, -1, 1]},
        {"mesh": 1},
    ],
    "meshes": [
        {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]},
        {"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]},
    ],
    "accessors": [
        {
            "bufferView": 0, "byteOffset": 0, "componentType": 5126, "count": 4, "type": "VEC3",
            "sparse": {
                "count": 1, "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 0},
            },
        },
        {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
    ],
    "bufferViews": [
        {"buffer": 0, "byteLength": 48, "byteStride": 12},
        {"buffer": 0, "byteOffset": 48, "byteLength": 12},
    ],
    "buffers": [{"byteLength": 60}],
}  # fmt: skip
BINARY = np.vstack([np.zeros(3), np.eye(3)]).astype("<f4").tobytes() + struct.pack("<6H", 0, 1, 2, 0, 2, 3)
OBJ = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 0.2 0\nv 0 1 0\nf 1/1/1 2/2/2 3//3 4 5\nf -5 -4 \\\n -3\n"
STL = (
    b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    b"endsolid a\n"
)
CSV = b"x,y,z,radius,path\n0,0,0,1,a\n1,0,0,1,a\n5,5,5,2,b\n"
MODEL = packages.model(
    packages.solid() + '<object id="2"><components><component objectid="1"/></components></object>',
    '<item objectid="2" transform="1 0 0 0 1 0 0 0 1 0 0 0"/>',
    'unit="inch"',
)
FILES = {
    "text.ply": ply("ascii"),
    "little.ply": ply("binary_little_endian"),
    "big.ply": ply("binary_big_endian"),
    "mesh.obj": OBJ,
    "text.stl": STL,
    "mesh.glb": glb(TREE, BINARY),
    "tool.csv": CSV,
    "packed.3mf": packages.package(MODEL),
    "plain.3mf": packages.package(MODEL, method=zipfile.ZIP_STORED),
}


def damaged(raw, rng):
    """Change some bytes, a number or a word, or remove or duplicate a piece."""
    raw = bytearray(raw)
    for _ in range(rng.choice((1, 1, 2, 4))):
        place, end = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
        match rng.randrange(6):
            case 0:
                raw = raw[:place] + bytes([rng.randrange(256)]) + raw[place + 1 :]
            case 1:
                raw = raw[:place]
            case 2:
                raw = raw[:place] + raw[end:]
            case 3:
                raw = raw[:end] + raw[place:end] * rng.choice((1, 50)) + raw[end:]
            case 4:
                raw = raw[:place] + rng.choice(EXTREMES) + raw[place:]
            case _:
                words = list(re.finditer(rb"[-+.\w]+", raw))
                if words:
                    word = rng.choice(words)
                    raw = raw[: word.start()] + rng.choice(EXTREMES) + raw[word.end() :]
    return bytes(raw)


def damaged_tree(rng):
    """A .glb whose description has a different value somewhere, but is complete."""
    tree = json.loads(json.dumps(TREE))
    values = [-1, 0, 1, 5, 2**31, 10**12, 1e308, 0.5, float("nan"), None, True, "x", [], {}, [0], [{}], [0] * 3000]
    for _ in range(rng.choice((1, 1, 2))):
        places = []
        waiting = [tree]
        while waiting:
            owner = waiting.pop()
            keys = list(owner) if isinstance(owner, dict) else range(len(owner))
            places += [(owner, key) for key in keys]
            waiting += [owner[key] for key in keys if isinstance(owner[key], dict | list)]
        owner, key = rng.choice(places)
        owner[key] = rng.choice(values)
    return glb(tree, BINARY)


def damaged_model(rng):
    """A .3mf whose model is damaged, but which is a whole zip."""
    return packages.package(damaged(MODEL.encode(), rng))


# Files whose container is whole.
MADE = {"tree.glb": damaged_tree, "model.3mf": damaged_model}


def read(file):
    return read_paths(file, 1.0, LIMIT) if file.suffix == ".csv" else read_mesh(file, LIMIT)


@pytest.mark.parametrize("name", [*FILES, "binary.stl", "tree.glb", "model.3mf"])
def test_damaged_files_are_read_or_refused_in_one_line(tmp_path, name):
    rng = random.Random(name)
    if name == "binary.stl":
        write_meshes(tmp_path / "whole.stl", [box()])
    raw = FILES.get(name, b"") or (name == "binary.stl" and (tmp_path / "whole.stl").read_bytes())
    refused = 0
    tracemalloc.start()
    try:
        for _ in range(MUTANTS):
            file = tmp_path / name
            file.write_bytes(MADE[name](rng) if name in MADE else damaged(raw, rng))
            tracemalloc.reset_peak()
            before, began = tracemalloc.get_traced_memory()[0], time.perf_counter()
            try:
                found = read(file)
                assert found
            except InputError as error:
                refused += 1
                assert "\n" not in str(error)
                assert len(str(error)) < len(str(file)) + 300
            assert tracemalloc.get_traced_memory()[1] - before < LIMIT
            assert time.perf_counter() - began < HANG_SECONDS
    finally:
        tracemalloc.stop()
    assert refused
