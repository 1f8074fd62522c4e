"""Which kernels are compiled together: for each set a small job, which runs them all, with the types of a large one."""

import math
from collections.abc import Callable

import numpy as np

from .backend import Backend
from .carve import carve, prepare
from .mesh import Source, Surface, TriMesh
from .numba_edges import face_edges
from .progress import hushed
from .simplify import merge_faces
from .stock import stock_distance
from .sweep import Sweep
from .transfer import CornerData, Walker, joined_triangles

# Of a pyramid, without its base and with it.
CORNERS = np.array([[0.0, 0, 0], [32, 0, 0], [32, 32, 0], [0, 32, 0], [16, 16, 24]])
OPEN = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], dtype=np.int32)
CLOSED = np.concatenate([OPEN, np.array([[0, 3, 2], [0, 2, 1]], dtype=np.int32)])
UNLIMITED = 1 << 50  # bytes


def carve_pyramid(backend: Backend) -> None:
    """What a stock needs, closed or open: carve two tapering paths across each other out of an open pyramid, and ask
    for its own distances."""
    sweep = Sweep(CORNERS[:2], CORNERS[[4, 4]], np.array([5.0, 3.0]), np.array([4.0, 5.0]))
    with hushed():
        stock = prepare(TriMesh(CORNERS, OPEN), 1.0, backend, UNLIMITED)
        carve(stock, sweep, 1.0, backend=backend, memory_limit=UNLIMITED)
        stock_distance(stock, stock.bins, backend)


def merge_pyramid(backend: Backend) -> None:
    """What adaptivity needs."""
    merge_faces(_surface(), 0.05, np.zeros(len(CLOSED), dtype=np.int64))


def write_pyramid(backend: Backend) -> None:
    """What a mesh in Blender needs: its edges, UV maps, colours and weights."""
    surface = _surface()
    face_edges(surface.points.astype(np.float32), surface.faces, surface.source == Source.PATH, math.pi)
    walker = Walker.on(TriMesh(CORNERS, OPEN), joined_triangles(OPEN))
    places = walker.walk(np.zeros(1, dtype=np.int32), CORNERS[:1])
    CornerData(CORNERS.astype(np.float32), OPEN).at(*places[:2])


# In the order in which they are needed.
SETS: dict[str, Callable[[Backend], None]] = {"carve": carve_pyramid, "merge": merge_pyramid, "write": write_pyramid}


def _surface() -> Surface:
    nothing = np.zeros(len(CLOSED), dtype=np.int32)
    return Surface(CORNERS, CLOSED, nothing.astype(np.uint8), nothing)
