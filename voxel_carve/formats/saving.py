"""A result into a file, by its path, or into a file object."""

import io
import os
from pathlib import Path
from typing import BinaryIO

from ..compute.level_set import SparseField
from ..compute.model import TriMesh
from ..compute.runtime import InputError
from .files import replacing
from .mesh_files import write_meshes, write_meshes_into
from .volumes import NANOVDB_SUFFIX, VOLUME_SUFFIX, write_volume


def save_result(
    file: str | os.PathLike[str] | BinaryIO,
    mesh: TriMesh,
    band: SparseField | None,
    overwrite: bool,
    suffix: str | None,
    voxel_size: float,
) -> None:
    """Write a mesh, or the narrow band of its distances, as the suffix says.

    Args:
        file: a path, whose own suffix counts; or a file object that is open for writing bytes, which stays open.
        mesh: of the result.
        band: beside it; None if there is none.
        overwrite: whether an existing file may be replaced.
        suffix: for a file object; None is that of its name.
        voxel_size: that it was made with.

    Raises:
        InputError: as `write_meshes` and `write_volume`; a volume without a narrow band; a file object for text, or
            without a suffix.
    """
    is_path = isinstance(file, str | os.PathLike)
    name = Path(file) if is_path else _name_of(file, suffix)
    kind = name.suffix.lower()
    if kind not in (VOLUME_SUFFIX, NANOVDB_SUFFIX):
        if is_path:
            write_meshes(name, [mesh], overwrite, voxel_size)
        else:
            write_meshes_into(file, name, [mesh], voxel_size)
    elif band is None:
        raise InputError("{file}: a volume needs the narrow band: carve with half_width=3", file=name)
    elif kind == NANOVDB_SUFFIX and is_path:
        with replacing(name, overwrite) as beside:
            beside.write_bytes(band.to_nanovdb())
    elif kind == NANOVDB_SUFFIX:
        file.write(band.to_nanovdb())
    elif is_path:
        write_volume(name, band, overwrite)
    else:
        raise InputError("OpenVDB writes a .vdb by its name: give a path, or write .nvdb")


def _name_of(file: object, suffix: str | None) -> Path:
    """What a file object is called in messages, with the suffix that selects its format."""
    if not hasattr(file, "write") or isinstance(file, io.TextIOBase):
        kind = type(file).__name__
        raise InputError("a {kind} is neither a path nor a file that is open for writing bytes", kind=kind)
    name = getattr(file, "name", None)
    named = Path(name) if isinstance(name, str) else Path("file")
    if suffix is not None:
        return named.with_suffix(suffix if suffix.startswith(".") else f".{suffix}")
    if not named.suffix:
        raise InputError("the file has no name that ends in a format: give one, such as suffix='.stl'")
    return named
