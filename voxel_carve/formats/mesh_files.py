"""Triangle meshes from and to files, by our own code, except that trimesh writes .glb.

Coordinates are read and written unchanged, except for .glb: its y axis points up, and is converted to z.
The same meshes give the same bytes.
"""

import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..compute.model import TriMesh
from ..compute.repair import set_apart_where_joined
from ..compute.runtime import InputError, Length
from .files import Room, as_path, read_bytes, replacing, within_memory
from .glb import read_glb
from .obj import read_obj, write_obj
from .ply import read_ply, write_ply
from .precision import float32_holds, float32_middle
from .stl import read_stl, write_stl
from .volumes import VOLUME_SUFFIX, read_volume

Points = npt.NDArray[Any]
Triangles = npt.NDArray[np.int32]

READERS: dict[str, Callable[[bytes, Room], tuple[Points, Triangles]]]
READERS = {".stl": read_stl, ".ply": read_ply, ".obj": read_obj, ".glb": read_glb}
MESH_SUFFIXES = tuple(READERS)


@within_memory
def read_mesh(file: Path | str, memory_limit: int | None = None) -> TriMesh:
    """All triangles of a file, vertices neither joined nor reordered; polygons are split into triangles.

    Of a volume they are the surface: see `read_volume`.

    Args:
        file: a regular file.
        memory_limit: bytes that reading may take; None is half of the free memory.

    Raises:
        InputError: the file is missing, has no suffix of these formats, is damaged, has no faces, or takes too much
            memory.
    """
    file = as_path(file)
    suffix = file.suffix.lower()
    if suffix == VOLUME_SUFFIX:
        return read_volume(file, memory_limit)
    if suffix not in MESH_SUFFIXES:
        raise InputError(
            "{file}: '{suffix}' is not a mesh format we read: export it as {choices}",
            file=file,
            suffix=suffix,
            choices=", ".join(MESH_SUFFIXES),
        )
    raw, room = read_bytes(file, memory_limit)
    try:
        points, triangles = READERS[suffix](raw, room)
    except ValueError as error:
        raise InputError("{file} cannot be read as {suffix}: {error}", file=file, suffix=suffix, error=error) from error
    return TriMesh(points, triangles, name=str(file))


def write_meshes(file: Path, meshes: Sequence[TriMesh], overwrite: bool = False, voxel_size: float = math.inf) -> None:
    """Write meshes into one file: as objects if the format has objects (.obj, .glb), else as one mesh.

    Coordinates are float32 if that keeps each within a thousandth of a voxel. Otherwise .ply and .obj use float64, and
    a .glb stores float32 relative to a local origin.

    Args:
        file: the file to write.
        meshes: the meshes to write.
        overwrite: whether the file may replace another.
        voxel_size: the smallest voxel size that a mesh was made with.

    Raises:
        InputError: the suffix is unknown, the file exists and `overwrite` is not set, it cannot be written, or the
            format cannot hold the coordinates: see `check_precision`.
    """
    _check_meshes(file, meshes, voxel_size)
    with replacing(file, overwrite) as beside, open(beside, "wb") as out:
        _write(out, file.suffix.lower(), meshes, voxel_size)


def write_meshes_into(out: BinaryIO, name: Path, meshes: Sequence[TriMesh], voxel_size: float = math.inf) -> None:
    """The same into a file object that is open for writing bytes.

    Args:
        out: written to from where it stands, and left open.
        name: what messages call it; the suffix selects the format.
        meshes, voxel_size: as for `write_meshes`.

    Raises:
        InputError: as `write_meshes`.
    """
    _check_meshes(name, meshes, voxel_size)
    whole = io.BytesIO()  # so that nothing of it is there if a mesh cannot be written
    _write(whole, name.suffix.lower(), meshes, voxel_size)
    out.write(whole.getvalue())


def _check_meshes(file: Path, meshes: Sequence[TriMesh], voxel_size: float) -> None:
    """Raise InputError if a file of this name cannot hold meshes."""
    suffix = file.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise InputError(
            "{file}: '{suffix}' is not a mesh format we write: choose {choices}",
            file=file,
            suffix=suffix,
            choices=", ".join(MESH_SUFFIXES),
        )
    for mesh in meshes:
        check_precision(file, mesh.bounds(), voxel_size)


def _write(out: BinaryIO, suffix: str, meshes: Sequence[TriMesh], voxel_size: float) -> None:
    """Write meshes in the format of a suffix."""
    kind = np.float32 if all(float32_holds(mesh.bounds(), voxel_size) for mesh in meshes) else np.float64
    if suffix == ".glb":
        _write_glb(out, meshes, voxel_size)
        return
    if suffix == ".stl":
        kind = np.float32
    parts = [(_rounded(mesh.points, mesh.triangles, kind), mesh.triangles) for mesh in meshes]
    if suffix == ".obj":
        write_obj(out, [(mesh.name, *part) for mesh, part in zip(meshes, parts, strict=True)], kind)
    elif suffix == ".ply":
        write_ply(out, parts, kind)
    else:
        write_stl(out, parts)


def _rounded(points: Points, triangles: Triangles, kind: type[np.floating]) -> Points:
    """Points (N, 3) of triangles (M, 3) as a file stores them. Read back and joined, the triangles are as closed."""
    return set_apart_where_joined(points.astype(kind), triangles)


def check_precision(file: Path, bounds: npt.NDArray[np.float64], voxel_size: float) -> None:
    """Check, before the work begins, whether a mesh file can hold a mesh with `bounds` (2, 3) and this voxel size.

    Raises:
        InputError: the format has only float32, which would move a vertex by more than a thousandth of a voxel.
    """
    suffix = file.suffix.lower()
    if suffix == ".stl" and not float32_holds(bounds, voxel_size):
        where = f"as far as {np.abs(bounds).max():.4g} from the origin"
    elif suffix == ".glb" and not float32_holds(bounds - float32_middle(bounds), voxel_size):
        where = f"over a length of {(bounds[1] - bounds[0]).max():.4g}"
    else:
        return
    raise InputError(
        "{file}: a {suffix} has float32 coordinates, which {where} cannot tell voxels of "
        "{voxel_size} apart: write .ply or .obj, or bring the mesh nearer to the origin, or "
        "use larger voxels",
        file=file,
        suffix=suffix,
        where=where,
        voxel_size=Length(voxel_size),
    )


def _trimesh() -> Any:
    try:
        import trimesh
    except ImportError as error:
        raise InputError(
            "trimesh is missing, which writes .glb: install it (pip install trimesh) or write .ply, .obj or .stl"
        ) from error
    return trimesh


def _write_glb(out: BinaryIO, meshes: Sequence[TriMesh], voxel_size: float) -> None:
    trimesh = _trimesh()
    scene = trimesh.Scene()
    for number, mesh in enumerate(meshes):
        # Names in a scene are unique.
        name = mesh.name if mesh.name not in scene.geometry else f"{mesh.name}.{number:03d}"
        bounds, place = mesh.bounds(), np.eye(4)
        origin = np.zeros(3) if float32_holds(bounds, voxel_size) else float32_middle(bounds)
        points = _rounded(mesh.points - origin, mesh.triangles, np.float32)
        place[:3, 3] = _y_up(origin)
        scene.add_geometry(
            trimesh.Trimesh(_y_up(points), mesh.triangles, process=False),
            node_name=name, geom_name=name, transform=place,
        )  # fmt: skip
    out.write(scene.export(file_type="glb", include_normals=False))


def _y_up(points: Points) -> npt.NDArray[np.float64]:
    """Points (..., 3) with y up, as in a .glb."""
    return points[..., [0, 2, 1]] * [1, 1, -1]
