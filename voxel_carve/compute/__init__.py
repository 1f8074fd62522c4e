"""Carving on voxels: arrays in, arrays out. Needs numpy and scipy, and nothing of Blender."""

from .adaptivity.simplify import Labels, simplify
from .boolean.keep import keep_stock
from .dense.blocks import occupancy_surface
from .dense.operations import boolean, dilate, sweep, voxelize
from .dense.session import CarveSession
from .engines.registry import backend_names, get_backend, get_dense_backend, register_backend
from .exact.nearest import SegmentSearching
from .field.protocol import Backend, DenseBackend, HeldSlab, HoldingBackend, LendingBackend
from .field.stock import PreparedStock
from .forecasts.forecast import Forecast, forecast
from .gradients.distance import SweepDistance, sweep_distance
from .gradients.fit import Fit, fit
from .gradients.sensitivity import sensitivity
from .gradients.sweep_points import SweepGradient
from .job.carve import carve, prepare
from .job.result import CarveResult
from .level_set.sparse_field import SparseField
from .model.accuracy import Accuracy, Deviation
from .model.combining import Operation
from .model.grid import Grid
from .model.mesh import Source, Surface, TriMesh
from .model.plan import plan_grid
from .model.report import Report
from .model.sweep import Path, Sweep
from .neighbours.duplicates import duplicate_points, duplicate_segments
from .neighbours.parts import isolated_parts
from .neighbours.search import Neighbours, Searching, neighbours
from .runtime.errors import (
    BackendError,
    CarveCancelled,
    CarveError,
    EmptyResultError,
    EmptySweepError,
    InputError,
    MemoryLimitError,
    MissingLibraryError,
    UnknownBackendError,
)
from .runtime.progress import Progress
from .separate_process import CarveCall, run_apart
from .slabs.carving import ResultInParts, carve_in_slabs
from .verification.exact_distance import exact_distance
from .verification.verify import verify

__all__ = [
    "Accuracy",
    "Backend",
    "BackendError",
    "CarveCall",
    "CarveCancelled",
    "CarveError",
    "CarveResult",
    "CarveSession",
    "DenseBackend",
    "Deviation",
    "EmptyResultError",
    "EmptySweepError",
    "Fit",
    "Forecast",
    "Grid",
    "HeldSlab",
    "HoldingBackend",
    "InputError",
    "Labels",
    "LendingBackend",
    "MemoryLimitError",
    "MissingLibraryError",
    "Neighbours",
    "Operation",
    "Path",
    "PreparedStock",
    "Progress",
    "Report",
    "ResultInParts",
    "Searching",
    "SegmentSearching",
    "Source",
    "SparseField",
    "Surface",
    "Sweep",
    "SweepDistance",
    "SweepGradient",
    "TriMesh",
    "UnknownBackendError",
    "backend_names",
    "boolean",
    "carve",
    "carve_in_slabs",
    "dilate",
    "duplicate_points",
    "duplicate_segments",
    "exact_distance",
    "fit",
    "forecast",
    "get_backend",
    "get_dense_backend",
    "isolated_parts",
    "keep_stock",
    "neighbours",
    "occupancy_surface",
    "plan_grid",
    "prepare",
    "register_backend",
    "run_apart",
    "sensitivity",
    "simplify",
    "sweep",
    "sweep_distance",
    "verify",
    "voxelize",
]
