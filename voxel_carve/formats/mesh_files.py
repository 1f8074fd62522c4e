"""Triangle meshes from and to files: .glb, and .stl where it is read, by trimesh, the others by our own code.

Coordinates are taken and written as they stand, but for .glb, whose y axis points up: it is turned so that z does.
Coordinates are written as float32. The same meshes give the same bytes.
"""

import io
import json
import logging
import struct
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..compute.errors import InputError
from ..compute.mesh import TriMesh
from .obj import read_obj, write_obj
from .ply import read_ply, write_ply
from .replacing import replacing
from .stl import write_stl

Points = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int64]

MESH_SUFFIXES = (".stl", ".ply", ".obj", ".glb")


def read_mesh(file: Path) -> TriMesh:
    """All triangles of a file, vertices neither joined nor reordered; polygons are split into triangles.

    Raises:
        InputError: the file is missing, has another suffix than `MESH_SUFFIXES`, is damaged, or has no faces.
    """
    suffix = file.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise InputError(f"{file}: '{suffix}' is not a mesh format we read: export it as {', '.join(MESH_SUFFIXES)}")
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})") from error
    if not raw:
        raise InputError(f"{file} is empty: export it again")
    readers: dict[str, Callable[[bytes], tuple[Points, Triangles]]]
    readers = {".stl": _read_stl, ".ply": read_ply, ".obj": read_obj, ".glb": _read_glb}
    try:
        points, triangles = readers[suffix](raw)
    except ValueError as error:
        raise InputError(f"{file} cannot be read as {suffix}: {error}") from error
    if ((triangles < 0) | (triangles >= len(points))).any():
        raise InputError(f"{file} has faces that refer to missing vertices: it is damaged, export it again")
    return TriMesh(points, triangles.astype(np.int32), name=str(file))


def write_meshes(file: Path, meshes: Sequence[TriMesh], overwrite: bool = False) -> None:
    """Write meshes into one file: as objects where the format knows objects (.obj, .glb), else as one mesh.

    Raises:
        InputError: unknown suffix, the file exists and `overwrite` is not set, or it cannot be written.
    """
    suffix = file.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise InputError(f"{file}: '{suffix}' is not a mesh format we write: choose {', '.join(MESH_SUFFIXES)}")
    with replacing(file, overwrite) as beside, open(beside, "wb") as out:
        if suffix == ".obj":
            write_obj(out, [(mesh.name, mesh.points, mesh.triangles) for mesh in meshes])
        elif suffix == ".glb":
            _write_glb(out, meshes)
        elif suffix == ".ply":
            write_ply(out, [(mesh.points, mesh.triangles) for mesh in meshes])
        else:
            write_stl(out, [(mesh.points, mesh.triangles) for mesh in meshes])


def _joined(parts: Sequence[tuple[Points, npt.NDArray[Any]]]) -> tuple[Points, Triangles]:
    """One mesh of several."""
    offsets = np.cumsum([0, *(len(points) for points, _ in parts)])
    points = np.concatenate([np.empty((0, 3)), *(points for points, _ in parts)])
    triangles = [triangles.astype(np.int64) + offset for (_, triangles), offset in zip(parts, offsets, strict=False)]
    return points, np.concatenate([np.empty((0, 3), np.int64), *triangles])


def _trimesh() -> Any:
    try:
        import trimesh
    except ImportError as error:
        raise InputError(
            "trimesh is missing, which reads .stl and .glb, and writes .glb: install it (pip install trimesh) or use "
            ".ply or .obj"
        ) from error
    return trimesh


def _load_scene(raw: bytes, kind: str) -> tuple[Points, Triangles]:
    """All meshes of a file, by trimesh, at their places in its scene."""
    trimesh = _trimesh()
    log = logging.getLogger("trimesh")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            # Text where a number should be: a warning to older versions of numpy, an error to newer ones.
            warnings.filterwarnings("error", "string or file could not be read", DeprecationWarning)
            scene = trimesh.load_scene(io.BytesIO(raw), file_type=kind, process=False, skip_materials=True)
    except Exception as error:  # whatever a parser meets in damaged data
        raise ValueError(f"it is damaged ({type(error).__name__}: {error}); export it again") from error
    finally:
        log.setLevel(level)
    parts: list[tuple[Points, Triangles]] = []
    # The nodes are a set, whose order changes from process to process: they go by mesh, in the order of the file.
    place = {name: number for number, name in enumerate(scene.geometry)}
    for node in sorted(scene.graph.nodes_geometry, key=lambda node: (place[scene.graph[node][1]], node)):
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not isinstance(mesh, trimesh.Trimesh):
            continue
        points = mesh.vertices.view(np.ndarray) @ matrix[:3, :3].T + matrix[:3, 3]
        triangles = mesh.faces.view(np.ndarray)
        # A mirror turns triangles inside out.
        parts.append((points, triangles[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else triangles))
    return _joined(parts)


def _read_stl(raw: bytes) -> tuple[Points, Triangles]:
    """Binary or text."""
    if b"facet" in raw[:2048] and b"\0" not in raw[:2048]:
        claimed = raw.lower().count(b"endfacet")
        points, triangles = _load_scene(raw, "stl")
        if len(triangles) != claimed:
            raise ValueError(f"{len(triangles)} of its {claimed} triangles are whole: it is cut short; export it again")
        return points, triangles
    claimed = struct.unpack("<I", raw[80:84])[0] if len(raw) >= 84 else 0
    size = 84 + 50 * claimed
    if len(raw) < size:
        raise ValueError(
            f"its header claims {claimed} triangles, which need {size} bytes, and it has {len(raw)}: it is cut short "
            "or no STL file; export it again"
        )
    return _load_scene(raw[:size], "stl")  # some programs add data of their own at the end


def _read_glb(raw: bytes) -> tuple[Points, Triangles]:
    _check_glb(raw)
    points, triangles = _load_scene(raw, "glb")
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1), triangles


def _check_glb(raw: bytes) -> None:
    """Raise ValueError where the header, or the description, claims more than the file has."""
    if len(raw) < 20 or raw[:4] != b"glTF":
        raise ValueError("it has no glTF header")
    total, length = struct.unpack("<I", raw[8:12])[0], struct.unpack("<I", raw[12:16])[0]
    if total > len(raw) or 20 + length > len(raw):
        raise ValueError(f"its header claims {total} bytes, and it has {len(raw)}: it is cut short; export it again")
    tree = json.loads(raw[20 : 20 + length])
    try:
        counts = [accessor["count"] for accessor in tree.get("accessors", [])]
        packed = {"KHR_draco_mesh_compression", "EXT_meshopt_compression"} & set(tree.get("extensionsRequired", []))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("its description is no glTF: it is damaged; export it again") from error
    if max(counts, default=0) > len(raw):
        raise ValueError(f"it claims a list of {max(counts)} items, and has {len(raw)} bytes: it is damaged")
    if packed:
        raise ValueError(f"it is compressed ({min(packed)}): export it without compression")


def _write_glb(out: BinaryIO, meshes: Sequence[TriMesh]) -> None:
    trimesh = _trimesh()
    scene = trimesh.Scene()
    for number, mesh in enumerate(meshes):
        # A scene keeps one mesh of a name.
        name = mesh.name if mesh.name not in scene.geometry else f"{mesh.name}.{number:03d}"
        points = np.stack([mesh.points[:, 0], mesh.points[:, 2], -mesh.points[:, 1]], axis=1)
        scene.add_geometry(trimesh.Trimesh(points, mesh.triangles, process=False), node_name=name, geom_name=name)
    out.write(scene.export(file_type="glb", include_normals=False))
