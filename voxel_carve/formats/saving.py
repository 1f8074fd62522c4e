"""A result into a file, by its path, or into a file object."""

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from ..compute.level_set import SparseField
from ..compute.model import TriMesh
from ..compute.runtime import InputError
from .files import replacing
from .mesh_files import write_meshes, write_meshes_into
from .ply import write_ply_blocks
from .volumes import NANOVDB_SUFFIX, VOLUME_SUFFIX, write_volume


def save_result(
    file: str | os.PathLike[str] | BinaryIO,
    mesh: TriMesh,
    band: SparseField | None,
    overwrite: bool,
    suffix: str | None,
    voxel_size: float,
    unit: float | str,
) -> None:
    """Write a mesh, or the narrow band of its distances, as the suffix says.

    Args:
        file: a path, whose own suffix counts; or a file object that is open for writing bytes, which stays open.
        mesh: of the result.
        band: beside it; None if there is none.
        overwrite: whether an existing file may be replaced.
        suffix: for a file object; None is that of its name.
        voxel_size: that it was made with.
        unit: of the mesh, which a .3mf says.

    Raises:
        InputError: as `write_meshes` and `write_volume`; a volume without a narrow band; a file object for text, or
            without a suffix.
    """
    if isinstance(file, str | os.PathLike):
        _save_as(Path(file), mesh, band, overwrite, voxel_size, unit)
    else:
        _save_into(file, _name_of(file, suffix), mesh, band, voxel_size, unit)


def save_in_parts(
    file: Path,
    vertices: int,
    points: Iterable[npt.NDArray[np.float64]],
    faces: int,
    triangles: Iterable[npt.NDArray[np.int32]],
    overwrite: bool,
) -> None:
    """Write a surface to a .ply with double precision, from blocks of points (N, 3) and of triangles (M, 3), of which
    there are so many in all.

    Raises:
        InputError: the file exists already, or cannot be written.
    """
    with replacing(file, overwrite) as beside, open(beside, "wb") as out:
        write_ply_blocks(out, vertices, points, faces, triangles, np.float64)


def _save_as(
    file: Path, mesh: TriMesh, band: SparseField | None, overwrite: bool, voxel_size: float, unit: float | str
) -> None:
    kind = file.suffix.lower()
    if kind == VOLUME_SUFFIX:
        write_volume(file, _needed(band, file), overwrite)
    elif kind == NANOVDB_SUFFIX:
        field = _needed(band, file)
        with replacing(file, overwrite) as beside:
            beside.write_bytes(field.to_nanovdb())
    else:
        write_meshes(file, [mesh], overwrite, voxel_size, unit)


def _save_into(
    out: BinaryIO, name: Path, mesh: TriMesh, band: SparseField | None, voxel_size: float, unit: float | str
) -> None:
    kind = name.suffix.lower()
    if kind == VOLUME_SUFFIX:
        raise InputError("OpenVDB writes a .vdb by its name: give a path, or write .nvdb")
    if kind == NANOVDB_SUFFIX:
        out.write(_needed(band, name).to_nanovdb())
    else:
        write_meshes_into(out, name, [mesh], voxel_size, unit)


def _needed(band: SparseField | None, file: Path) -> SparseField:
    """The narrow band. Raises InputError if there is none."""
    if band is None:
        raise InputError("{file}: a volume needs the narrow band: carve with half_width=3", file=file)
    return band


def _name_of(file: object, suffix: str | None) -> Path:
    """What a file object is called in messages, with the suffix that selects its format."""
    if not hasattr(file, "write") or isinstance(file, io.TextIOBase):
        kind = type(file).__name__
        raise InputError("a {kind} is neither a path nor a file that is open for writing bytes", kind=kind)
    name = getattr(file, "name", None)
    named = Path(name) if isinstance(name, str) and Path(name).name else Path("file")
    if suffix is not None:
        return named.with_name(f"{named.stem}.{_ending(suffix)}")
    if not named.suffix:
        raise InputError("the file has no name that ends in a format: give one, such as suffix='.stl'")
    return named


def _ending(suffix: object) -> str:
    """A suffix without its period. Raises InputError if it can be none."""
    if not (isinstance(suffix, str) and suffix.removeprefix(".").isalnum()):
        raise InputError("'{suffix}' is no suffix of a file: give one, such as '.stl'", suffix=suffix)
    return suffix.removeprefix(".")
