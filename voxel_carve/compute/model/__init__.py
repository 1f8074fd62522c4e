"""The data of a job, without its algorithm: meshes, sweeps, grids, bricks, reports."""

from .accuracy import in_words
from .bricks import BRICK_SIZE, State
from .combining import OPERATION_NAMES, OPERATIONS, OperationName, Rule, operation_of
from .grid import Grid
from .mesh import LARGEST_COORDINATE, MeshLike, TriMesh, mix, signed_volume
from .parts import SurfacePart
from .plan import check_voxel_size, job_bounds, voxel_size_for_resolution
from .report import RESULT_KINDS, ResultKind
from .steps import Operations, operation_of_nothing, steps_of
from .sweep import Path, PathsLike

__all__ = [
    "BRICK_SIZE",
    "LARGEST_COORDINATE",
    "OPERATIONS",
    "OPERATION_NAMES",
    "RESULT_KINDS",
    "Grid",
    "MeshLike",
    "OperationName",
    "Operations",
    "Path",
    "PathsLike",
    "ResultKind",
    "Rule",
    "State",
    "SurfacePart",
    "TriMesh",
    "check_voxel_size",
    "in_words",
    "job_bounds",
    "mix",
    "operation_of",
    "operation_of_nothing",
    "signed_volume",
    "steps_of",
    "voxel_size_for_resolution",
]
