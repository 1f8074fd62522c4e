"""Small meshes and paths, and their files, written here so that each byte is under control."""

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.attack.case import Random
from tests.shapes import box, sphere

Points = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int64]
Solid = tuple[Points, Triangles]

SIZE = np.array([4.0, 3.0, 2.0])
BOX_VOLUME = 24.0
SUFFIXES = (".stl", ".ply", ".obj", ".glb")


def block(offset: Sequence[float] = (0.0, 0.0, 0.0), size: Sequence[float] | Points = SIZE) -> Solid:
    """A box of 4 x 3 x 2 with a corner at `offset`."""
    mesh = box(offset, np.asarray(offset) + size)
    return mesh.points, mesh.triangles.astype(np.int64)


def ball(subdivisions: int = 2, radius: float = 1.5, centre: Sequence[float] = (2.0, 1.5, 1.0)) -> Solid:
    """A faceted ball around the middle of the box."""
    mesh = sphere(radius, centre, subdivisions)
    return mesh.points, mesh.triangles.astype(np.int64)


def joined(*solids: Solid) -> Solid:
    """Several solids as one."""
    starts = np.cumsum([0, *(len(points) for points, _ in solids[:-1])])
    triangles = [triangles + start for (_, triangles), start in zip(solids, starts, strict=True)]
    return np.concatenate([points for points, _ in solids]), np.concatenate(triangles)


def volume_of(solid: Solid) -> float:
    """Signed volume, by the tetrahedra with the first point."""
    a, b, c = np.moveaxis((solid[0] - solid[0][0])[solid[1]], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


# Files


def file_of(suffix: str, solid: Solid) -> bytes:
    """A file of this kind."""
    return {".stl": stl, ".ply": ply, ".obj": obj, ".glb": glb}[suffix](solid)


def stl(solid: Solid) -> bytes:
    """Binary."""
    points, triangles = solid
    rows = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows["corners"] = points[triangles]
    return b"\1" * 80 + struct.pack("<I", len(triangles)) + rows.tobytes()


def stl_text(solid: Solid) -> bytes:
    """Text."""
    lines = ["solid box"]
    for corners in solid[0][solid[1]]:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x:g} {y:g} {z:g}" for x, y, z in corners)]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid box\n"]).encode()


def obj(solid: Solid) -> bytes:
    """Text."""
    lines = ["o box", *(f"v {x!r} {y!r} {z!r}" for x, y, z in solid[0].tolist())]
    return "\n".join([*lines, *(f"f {a} {b} {c}" for a, b, c in (solid[1] + 1).tolist()), ""]).encode()


def ply(solid: Solid, kind: str = "double") -> bytes:
    """Binary, little endian."""
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(solid[0])}\nproperty {kind} x\nproperty {kind} y\n"
        f"property {kind} z\nelement face {len(solid[1])}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = np.zeros(len(solid[1]), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    rows["count"], rows["corners"] = 3, solid[1]
    return head.encode() + solid[0].astype("<f8" if kind == "double" else "<f4").tobytes() + rows.tobytes()


def ply_text(solid: Solid) -> bytes:
    """Text."""
    head = (
        f"ply\nformat ascii 1.0\nelement vertex {len(solid[0])}\nproperty float x\nproperty float y\nproperty float z\n"
        f"element face {len(solid[1])}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = [f"{x!r} {y!r} {z!r}" for x, y, z in solid[0].tolist()] + [f"3 {a} {b} {c}" for a, b, c in solid[1].tolist()]
    return (head + "\n".join(rows) + "\n").encode()


def glb(solid: Solid) -> bytes:
    """One mesh on one node; y up."""
    tree, data = gltf(solid)
    return packed(tree, data)


def gltf(solid: Solid) -> tuple[dict[str, Any], bytes]:
    """The JSON description and the binary data of a .glb."""
    points = np.stack([solid[0][:, 0], solid[0][:, 2], -solid[0][:, 1]], axis=1).astype("<f4")
    corners = solid[1].astype("<u4")
    size = points.nbytes
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "box"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(points),
                "type": "VEC3",
                "min": points.min(axis=0).tolist(),
                "max": points.max(axis=0).tolist(),
            },
            {"bufferView": 1, "componentType": 5125, "count": corners.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": size},
            {"buffer": 0, "byteOffset": size, "byteLength": corners.nbytes},
        ],
        "buffers": [{"byteLength": size + corners.nbytes}],
    }
    return tree, points.tobytes() + corners.tobytes()


def packed(tree: object, data: bytes) -> bytes:
    """A .glb from a description, given as an object or as text, and data."""
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


# Paths and jobs

TOOL = b"x,y,z,radius\n1,1.5,1,0.5\n3,1.5,1,0.5\n"


def tool(rng: Random, points: int = 4) -> bytes:
    """A path within the box."""
    rows = np.column_stack([rng.uniform(0, SIZE, (points, 3)), rng.uniform(0.1, 0.6, points)])
    return b"x,y,z,radius\n" + "".join(",".join(f"{value:.6g}" for value in row) + "\n" for row in rows).encode()


def inputs(**more: bytes) -> Mapping[str, bytes]:
    """box.obj and tool.csv."""
    return {"box.obj": obj(block()), "tool.csv": TOOL, **more}


def job(stock: str = "box.obj", path: str = "tool.csv", output: str = "out.ply", resolution: int = 16) -> list[str]:
    """The arguments of a job. Sheets are closed, because every output has to be."""
    return ["--stock", stock, "--path", path, "--resolution", str(resolution), "--close", "--output", output]
