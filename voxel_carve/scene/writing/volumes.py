"""Volume results: where their files go, writing them, and the objects that show them."""

import os
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

from ...compute import InputError
from ...compute.level_set import NO_OPENVDB, SparseField, has_openvdb
from ...compute.runtime import Sentence, checkpoint
from ...formats import VOLUME_SUFFIX, check_output, write_volume
from ..reading.volumes import SHIFT
from .arrays import Place
from .write import REPORT_PROPERTY, collections_for, hide, result_name

BESIDE = "//"
# In letters: with a number and in any script, a name of 255 bytes, as long as file systems allow.
LONGEST_STEM = 60
_UNSAVED = Sentence("a volume is a file beside the .blend: save that first, or choose a Volume Folder under Options")


def volume_refusal(folder: str) -> str | None:
    """Why no volume can be written into a folder, which may be relative to the .blend; None if one can."""
    if not has_openvdb():
        return NO_OPENVDB
    return _UNSAVED if folder.startswith(BESIDE) and not bpy.data.filepath else None


def checked_folder(folder: str) -> Path:
    """The folder as an absolute path.

    Raises:
        InputError: no volume can be written into it.
    """
    refusal = volume_refusal(folder)
    if refusal:
        raise InputError(refusal)
    path = Path(bpy.path.abspath(folder))
    check_output(_free_file(path, "Carved"))
    return path


def write_volume_file(
    folder: Path, name: str, band: SparseField, origin: npt.NDArray[np.float64], files: ExitStack
) -> Path:
    """Write a level set into a new file, on any thread, and return the file.

    Args:
        folder: where it goes.
        name: what it is named after.
        band: the level set.
        origin: (3,) point in world space that the file's coordinates are relative to.
        files: removes the file when closed.

    Raises:
        CarveError: as `write_volume`, or cancelled.
    """
    file = _free_file(folder, name)
    write_volume(file, band, origin=origin)
    files.callback(file.unlink, missing_ok=True)
    try:
        checkpoint()
    except BaseException:  # cancelled while it was written, and so perhaps after `files` was closed
        files.close()
        raise
    return file


def _free_file(folder: Path, name: str) -> Path:
    """The first file of this name and a number that is not there yet."""
    stem = bpy.path.clean_name(name)[:LONGEST_STEM]
    names = (f"{stem}{VOLUME_SUFFIX}" if number == 1 else f"{stem}_{number}{VOLUME_SUFFIX}" for number in count(1))
    return next(file for file in map(folder.joinpath, names) if not os.path.lexists(file))


def write_volume_object(
    scene: bpy.types.Scene, file: Path, folder: str, stock: bpy.types.Object, place: Place
) -> bpy.types.Object:
    """An object that shows a file: see `result_name`. It is in the collections of the stock, which is hidden.

    Args:
        scene: where the object is made.
        file: the level set.
        folder: of the file, as the user named it; the data-block names the file relative to the .blend if it is.
        stock: what it was made from.
        place: where the stock was; the file's coordinates are relative to its location.
    """
    data = bpy.data.volumes.new(result_name(stock))
    data.filepath = bpy.path.relpath(str(file)) if folder.startswith(BESIDE) else str(file)
    obj = bpy.data.objects.new(data.name, data)
    # Of a level set, Blender's fog shows next to nothing.
    obj.display_type, cast(Any, data).display.wireframe_detail = "WIRE", "FINE"
    obj.location = (place.matrix[:3, 3] - SHIFT * place.voxel_size).tolist()
    for collection in collections_for(scene, stock):
        collection.objects.link(obj)
    hide(scene, stock)
    return obj


def is_volume_result(obj: bpy.types.Object) -> bool:
    """Whether an object is the volume of a carve."""
    return obj.type == "VOLUME" and REPORT_PROPERTY in cast(Any, obj)
