"""Carving on voxels: arrays in, arrays out. Needs numpy and scipy, and nothing of Blender."""

from .accuracy import Accuracy, Deviation, in_words
from .apart import CarveCall, run_apart
from .backend import Backend, DenseBackend
from .blocks import occupancy_surface
from .bricks import State
from .carve import CarveResult, carve, prepare
from .choice import get_backend, get_dense_backend
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
from .keep import Cut, MeshBoolean, keep_stock
from .manifold_boolean import ManifoldBoolean
from .mesh import Source, Surface, TriMesh
from .plan import plan_grid, voxel_size_for_resolution
from .progress import Progress, listening, share
from .report import RESULT_KINDS, Report, ResultKind
from .session import CarveSession
from .simplify import Adaptivity, Labels, simplify
from .stock import PreparedStock
from .sweep import Path, Sweep
from .verify import verify, with_accuracy

__all__ = [
    "OPERATIONS",
    "RESULT_KINDS",
    "Accuracy",
    "Adaptivity",
    "Backend",
    "BackendError",
    "CarveCall",
    "CarveCancelled",
    "CarveError",
    "CarveResult",
    "CarveSession",
    "Cut",
    "DenseBackend",
    "Deviation",
    "EmptyResultError",
    "Grid",
    "InputError",
    "Labels",
    "ManifoldBoolean",
    "MemoryLimitError",
    "MeshBoolean",
    "Operation",
    "Path",
    "PreparedStock",
    "Progress",
    "Report",
    "ResultKind",
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
    "get_dense_backend",
    "in_words",
    "keep_stock",
    "listening",
    "occupancy_surface",
    "plan_grid",
    "prepare",
    "run_apart",
    "share",
    "simplify",
    "verify",
    "voxel_size_for_resolution",
    "with_accuracy",
]
