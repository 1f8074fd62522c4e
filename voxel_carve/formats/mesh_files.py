"""Triangle meshes from and to files, by our own code, except that trimesh writes .glb.

Coordinates are read and written unchanged, except for .glb: its y axis points up, and is converted to z; and .3mf,
whose unit is converted to the caller's. The same meshes give the same bytes.
"""

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..compute.model import TriMesh
from ..compute.repair import set_apart_where_joined
from ..compute.runtime import InputError, Length, Sentence
from .files import Room, as_path, read_bytes, replacing, within_memory
from .glb import read_glb
from .obj import read_obj, write_obj
from .paths import meters_of, unit_note
from .ply import read_ply, write_ply
from .precision import float32_holds, float32_middle
from .stl import read_stl, write_stl
from .three_mf_reading import read_three_mf
from .three_mf_writing import unit_of_file, write_three_mf
from .volumes import VOLUME_SUFFIX, read_volume

Points = npt.NDArray[Any]
Triangles = npt.NDArray[np.int32]

READERS: dict[str, Callable[[bytes, Room], tuple[Points, Triangles]]]
READERS = {".stl": read_stl, ".ply": read_ply, ".obj": read_obj, ".glb": read_glb}
# The format that says its unit.
THREE_MF_SUFFIX = ".3mf"
MESH_SUFFIXES = (*READERS, THREE_MF_SUFFIX)


@dataclass(frozen=True)
class MeshFile:
    """A mesh as read, and notes for the user on what its reader decided."""

    mesh: TriMesh
    notes: tuple[Sentence, ...] = ()


def read_mesh(file: Path | str, memory_limit: int | None = None, unit: float | str = 1.0) -> TriMesh:
    """All triangles of a file, vertices neither joined nor reordered; polygons are split into triangles.

    Of a volume they are the surface: see `read_volume`.

    Args:
        file: a regular file.
        memory_limit: bytes that reading may take; None is half of the free memory.
        unit: the unit of the mesh, as its name, such as "mm", or as its meters: what a .3mf says of its own unit is
            converted to it. Other formats have none.

    Raises:
        InputError: there is no such unit; the file is missing, has no suffix of these formats, is damaged, has no
            faces, or takes too much memory.
    """
    return read_mesh_file(as_path(file), memory_limit, unit).mesh


@within_memory
def read_mesh_file(file: Path, memory_limit: int | None = None, unit: float | str = 1.0) -> MeshFile:
    """The same, with what the reader decided.

    Raises:
        InputError: as `read_mesh`.
    """
    suffix, meters = file.suffix.lower(), meters_of(unit, "unit")
    if suffix == VOLUME_SUFFIX:
        return MeshFile(read_volume(file, memory_limit))
    if suffix not in MESH_SUFFIXES:
        raise InputError(
            "{file}: '{suffix}' is not a mesh format we read: export it as {choices}",
            file=file,
            suffix=suffix,
            choices=", ".join(MESH_SUFFIXES),
        )
    raw, room = read_bytes(file, memory_limit)
    notes: tuple[Sentence, ...] = ()
    try:
        if suffix == THREE_MF_SUFFIX:
            points, triangles, own = read_three_mf(raw, room)
            factor = own.meters / meters
            with np.errstate(over="ignore"):  # coordinates that are too large are refused by the mesh
                points = points * factor
            if factor != 1:
                notes = (unit_note(file, own, factor),)
        else:
            points, triangles = READERS[suffix](raw, room)
    except ValueError as error:
        raise InputError("{file} cannot be read as {suffix}: {error}", file=file, suffix=suffix, error=error) from error
    return MeshFile(TriMesh(points, triangles, name=str(file)), notes)


def write_meshes(
    file: Path,
    meshes: Sequence[TriMesh],
    overwrite: bool = False,
    voxel_size: float = math.inf,
    unit: float | str = 1.0,
) -> None:
    """Write meshes into one file: as objects if the format has objects (.obj, .glb, .3mf), else as one mesh.

    Coordinates are float32 if that keeps each within a thousandth of a voxel. Otherwise .ply, .obj and .3mf use
    float64, and a .glb stores float32 relative to a local origin.

    Args:
        file: the file to write.
        meshes: the meshes to write.
        overwrite: whether the file may replace another.
        voxel_size: the smallest voxel size that a mesh was made with.
        unit: the unit of the meshes, as its name, such as "mm", or as its meters. A .3mf says it, or meters where it
            cannot.

    Raises:
        InputError: there is no such unit; the suffix is unknown, the file exists and `overwrite` is not set, it cannot
            be written, or the format cannot hold the coordinates: see `check_precision`.
    """
    _check_meshes(file, meshes, voxel_size)
    meters = meters_of(unit, "unit")
    with replacing(file, overwrite) as beside, open(beside, "wb") as out:
        _write(out, file.suffix.lower(), meshes, voxel_size, meters)


def write_meshes_into(
    out: BinaryIO, name: Path, meshes: Sequence[TriMesh], voxel_size: float = math.inf, unit: float | str = 1.0
) -> None:
    """The same into a file object that is open for writing bytes.

    Args:
        out: written to from where it stands, and left open.
        name: what messages call it; the suffix selects the format.
        meshes, voxel_size, unit: as for `write_meshes`.

    Raises:
        InputError: as `write_meshes`.
    """
    _check_meshes(name, meshes, voxel_size)
    whole = io.BytesIO()  # so that nothing of it is there if a mesh cannot be written
    _write(whole, name.suffix.lower(), meshes, voxel_size, meters_of(unit, "unit"))
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


def _write(out: BinaryIO, suffix: str, meshes: Sequence[TriMesh], voxel_size: float, meters: float) -> None:
    """Write meshes in a unit of so many meters, in the format of a suffix."""
    kind = np.float32 if all(float32_holds(mesh.bounds(), voxel_size) for mesh in meshes) else np.float64
    if suffix == ".glb":
        _write_glb(out, meshes, voxel_size)
        return
    if suffix == ".stl":
        kind = np.float32
    unit, factor = unit_of_file(meters) if suffix == THREE_MF_SUFFIX else ("", 1.0)
    parts = [(_rounded(mesh.points * factor, mesh.triangles, kind), mesh.triangles) for mesh in meshes]
    named = [(mesh.name, *part) for mesh, part in zip(meshes, parts, strict=True)]
    if suffix == ".obj":
        write_obj(out, named, kind)
    elif suffix == THREE_MF_SUFFIX:
        write_three_mf(out, named, kind, unit)
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
