"""Carving on voxels: arrays in, arrays out. Needs numpy and scipy, and nothing of Blender."""

from .accuracy import Accuracy, Deviation, in_words
from .backend import Backend
from .blocks import occupancy_surface
from .bricks import State
from .carve import CarveResult, Progress, carve, prepare
from .choice import get_backend
from .combining import OPERATIONS, Operation
from .errors import (
    BackendError,
    CarveCancelled,
    CarveError,
    EmptyResultError,
    InputError,
    MemoryLimitError,
    UnknownBackendError,
)
from .estimate import estimate_bytes, estimate_memory
from .grid import Grid
from .mesh import Source, Surface, TriMesh
from .plan import plan_grid, voxel_size_for_resolution
from .report import Report
from .session import CarveSession
from .stock import PreparedStock
from .sweep import Path, Sweep
from .verify import verify, with_accuracy

__all__ = [
    "OPERATIONS",
    "Accuracy",
    "Backend",
    "BackendError",
    "CarveCancelled",
    "CarveError",
    "CarveResult",
    "CarveSession",
    "Deviation",
    "EmptyResultError",
    "Grid",
    "InputError",
    "MemoryLimitError",
    "Operation",
    "Path",
    "PreparedStock",
    "Progress",
    "Report",
    "Source",
    "State",
    "Surface",
    "Sweep",
    "TriMesh",
    "UnknownBackendError",
    "carve",
    "estimate_bytes",
    "estimate_memory",
    "get_backend",
    "in_words",
    "occupancy_surface",
    "plan_grid",
    "prepare",
    "verify",
    "voxel_size_for_resolution",
    "with_accuracy",
]
