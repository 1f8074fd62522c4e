"""Sparse fields as OpenVDB level sets."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..runtime.child_process import Child, light_command
from ..runtime.progress import checkpoint
from ..runtime.sentences import Sentence
from . import openvdb_process
from .openvdb_module import openvdb
from .sparse_field import SparseField

ENDED = Sentence(
    "the process that writes the volume ended with status {status}, perhaps for want of memory: use larger voxels, or "
    "make a mesh"
)


def write_level_set(file: Path, field: SparseField, origin: npt.ArrayLike = (0.0, 0.0, 0.0)) -> None:
    """Write a sparse field as a level set of lengths, in another process, which ends if the job is cancelled.

    Args:
        file: the file to write; one that is there is overwritten.
        field: the distances.
        origin: (3,) point in world space that the file's coordinates are relative to.

    Raises:
        InputError: there is no openvdb module.
        CarveError: the process ended early; OSError, RuntimeError: the file cannot be written.
    """
    place = field.origin + field.voxel_size / 2 - np.asarray(origin, dtype=np.float64)
    # The process may not find the module: where bpy was imported, another bpy comes first in the path.
    module_file = openvdb().__file__
    asked = (module_file, str(file), field.corners, field.distance, field.voxel_size, field.half_width, place)
    command = light_command(openvdb_process.__name__, openvdb_process.serve.__name__)
    with Child(command, "volume", ENDED) as child:
        child.ask(asked, lambda *_: checkpoint())
