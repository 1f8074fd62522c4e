"""Whether a file is complete, checked by other libraries than those that wrote it."""

import json
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

ZSTANDARD = b"\x28\xb5\x2f\xfd"
# A triangle is flat if its area is less than this times its longest side squared.
FLAT = 1e-9


def fault(file: Path) -> str | None:
    """What is wrong with an output; None if it is complete."""
    suffix = file.suffix.lower()
    if suffix in (".stl", ".ply", ".obj", ".glb"):
        return mesh_fault(file)
    if suffix == ".blend":
        return blend_fault(file)
    try:
        json.loads(file.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except ValueError as error:
        return f"is no JSON: {error}"
    return None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def mesh_fault(file: Path) -> str | None:
    """Check with trimesh that the mesh is closed, each edge balanced, and the volume positive."""
    try:
        points, triangles = read(file)
    except Exception as error:  # whatever a parser raises for an incomplete file
        return f"cannot be read: {type(error).__name__}: {error}"
    if len(triangles) == 0:
        return "has no triangles"
    if not np.isfinite(points).all():
        return "has points that are no numbers"
    if not is_closed(triangles):
        return "is not closed"
    if volume(points, triangles) <= 0:
        return f"has the volume {volume(points, triangles):g}"
    return None


def read(file: Path) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Points and triangles, with points at the same place merged."""
    import trimesh

    kind = file.suffix[1:].lower()
    with open(file, "rb") as opened:
        scene = trimesh.load_scene(opened, file_type=kind, process=False, skip_materials=True)
    points, triangles, count = [], [], 0
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name]
        points.append(mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3])
        triangles.append(mesh.faces + count)
        count += len(mesh.vertices)
    places, index = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    return places, index.reshape(-1)[np.concatenate(triangles)]


def is_closed(triangles: npt.NDArray[np.int64]) -> bool:
    """Whether each edge has as many faces in one direction as in the other."""
    sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    sides = sides[sides[:, 0] != sides[:, 1]]
    ahead, back = (np.unique(edges, axis=0, return_counts=True) for edges in (sides, sides[:, ::-1]))
    return all(len(a) == len(b) and bool((a == b).all()) for a, b in zip(ahead, back, strict=True))


def volume(points: npt.NDArray[np.float64], triangles: npt.NDArray[np.int64]) -> float:
    """Signed volume, by the tetrahedra with the middle."""
    a, b, c = np.moveaxis((points - points.mean(axis=0))[triangles], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def flat_share(points: npt.NDArray[np.float64], triangles: npt.NDArray[np.int64]) -> float:
    """The share of triangles that are degenerate."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    longest = np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return float(np.mean(area <= FLAT * longest))


def blend_fault(file: Path) -> str | None:
    """Check the header and the last block, which Blender writes after everything else."""
    raw = file.read_bytes()
    if raw.startswith(ZSTANDARD):
        import zstandard

        raw = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True).read()
    if not raw.startswith(b"BLENDER"):
        return "is no .blend"
    return None if re.search(rb"ENDB.{0,64}\Z", raw, re.DOTALL) else "is cut short"
