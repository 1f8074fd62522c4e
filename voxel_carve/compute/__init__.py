"""Carving on voxels: arrays in, arrays out. Needs numpy and scipy, and nothing of Blender."""

from .adaptivity.simplify import Adaptivity, Labels, simplify
from .boolean.keep import Cut, MeshBoolean, keep_stock
from .boolean.manifold_boolean import ManifoldBoolean
from .dense.blocks import occupancy_surface
from .dense.session import CarveSession
from .engines.registry import get_backend, get_dense_backend
from .field.protocol import Backend, DenseBackend
from .field.stock import PreparedStock
from .job.carve import CarveResult, carve, prepare
from .job.estimate import estimate_bytes, estimate_memory
from .model.accuracy import Accuracy, Deviation, in_words
from .model.bricks import State
from .model.combining import OPERATIONS, Operation
from .model.grid import Grid
from .model.mesh import Source, Surface, TriMesh
from .model.plan import plan_grid, voxel_size_for_resolution
from .model.report import RESULT_KINDS, Report, ResultKind
from .model.sweep import Path, Sweep
from .runtime.errors import (
    BackendError,
    CarveCancelled,
    CarveError,
    EmptyResultError,
    InputError,
    MemoryLimitError,
    UnknownBackendError,
)
from .runtime.progress import Progress, listening, share
from .separate_process import CarveCall, run_apart
from .verification.verify import verify, with_accuracy

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
