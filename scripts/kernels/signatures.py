#!/usr/bin/env python3
"""Write the list of compiled kernels and the types of their arguments: signatures.json in the compiler's room.

Small jobs call every kernel with the same types as large ones, and this records the types. Run it after adding a
kernel or changing its arguments.

usage: dev.py kernels [--check]    --check: write nothing; print differences, with status 1 if there are any
"""

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from voxel_carve.compute import Backend, Grid, Source, Surface, Sweep, TriMesh, carve, prepare
from voxel_carve.compute.adaptivity.simplify import merge_faces
from voxel_carve.compute.attributes.normals import CutShading, StockShading, shade_faces
from voxel_carve.compute.attributes.transfer import CornerData, Walker, joined_triangles
from voxel_carve.compute.engines.numba.backend import NumbaBackend
from voxel_carve.compute.engines.numba.compiler import signatures
from voxel_carve.compute.exact.inside import inside
from voxel_carve.compute.exact.nearest import covered, nearest, partners
from voxel_carve.compute.losses import expected_loss
from voxel_carve.compute.primitives.segments import Segments
from voxel_carve.compute.primitives.triangles import Triangles
from voxel_carve.compute.slabs import Slab, make_part

# A pyramid, without and with its base.
CORNERS = np.array([[0.0, 0, 0], [32, 0, 0], [32, 32, 0], [0, 32, 0], [16, 16, 24]])
OPEN = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], dtype=np.int32)
CLOSED = np.concatenate([OPEN, np.array([[0, 3, 2], [0, 2, 1]], dtype=np.int32)])
SWEEP = Sweep(CORNERS[:2], CORNERS[[4, 4]], np.array([5.0, 3.0]), np.array([4.0, 5.0]))
ENDS = np.random.default_rng(0).uniform([4, 4, 0], [28, 28, 12], (2, 20, 3))
TANGLE = Sweep(ENDS[0], ENDS[1], np.full(20, 0.6), np.full(20, 1.2))
NICK = Sweep(CORNERS[:1], CORNERS[:1] + 0.5, np.array([1.0]), np.array([1.0]))
UNLIMITED = 1 << 50  # bytes


def carve_pyramid(backend: Backend) -> None:
    """Call the kernels for closed and open stocks: carve two crossing, tapering paths out of an open pyramid.

    The distances of a narrow band are those of a sample, too. Of a tangle of thin paths, some triangles cross at first.
    Beside a nick, the stock alone is made near the sweep only.
    """
    stock = prepare(TriMesh(CORNERS, OPEN), 1.0, backend, UNLIMITED)
    carve(stock, SWEEP, 1.0, backend=backend, memory_limit=UNLIMITED, half_width=3.0)
    carve(stock, TANGLE, 1.0, backend=backend, memory_limit=UNLIMITED)
    carve(stock, NICK, 1.0, backend=backend, memory_limit=UNLIMITED)


def merge_pyramid(backend: Backend) -> None:
    """Call the kernels for adaptivity."""
    merge_faces(_surface(), 0.05, np.zeros(len(CLOSED), dtype=np.int64))


def write_pyramid(backend: Backend) -> None:
    """Call the kernels for a mesh in Blender: its edges, UV maps, colours, weights and normals."""
    from voxel_carve.compute.attributes.edges import face_edges

    surface = _surface()
    face_edges(surface.points.astype(np.float32), surface.faces, surface.source == Source.PATH, math.pi)
    walker = Walker(CORNERS[OPEN], joined_triangles(OPEN))
    places = walker.walk(np.zeros(1, dtype=np.int32), CORNERS[:1])
    data = CornerData(CORNERS.astype(np.float32), OPEN)
    data.at(*places[:2])
    shading = StockShading(TriMesh(CORNERS, OPEN), data, np.ones(len(OPEN), dtype=bool))
    shade_faces(surface, shading, CutShading(SWEEP, "subtract", smooth=True))


def measure_pyramid(backend: Backend) -> None:
    """Call the kernels for single points."""
    grid = Grid(np.zeros(3), 1.0, (1, 1, 1))
    triangles, segments = Triangles.on_grid(TriMesh(CORNERS, OPEN), grid), Segments.on_grid(SWEEP, grid)
    nearest(CORNERS, triangles)
    covered(CORNERS, segments, 0.5)
    partners(CORNERS, nearest(CORNERS, segments)[1], segments, np.inf, 20.0, 160.0)
    inside(CORNERS, triangles)
    expected_loss(triangles, grid)


def part_pyramid(backend: Backend) -> None:
    """Call the kernels for slabs."""
    stock = prepare(TriMesh(CORNERS, CLOSED), 1.0, backend, UNLIMITED)
    segments = Segments.on_grid(SWEEP, stock.grid)
    make_part(stock, segments, Slab(0, 0, stock.table.shape[0]), "subtract", backend, UNLIMITED)


JOBS: dict[str, Callable[[Backend], None]] = {
    "carve": carve_pyramid,
    "merge": merge_pyramid,
    "write": write_pyramid,
    "exact": measure_pyramid,
    "slabs": part_pyramid,
}


def recorded() -> dict[str, list[list[Any]]]:
    """The kernels of each set, in the order in which its small job first calls them."""
    from voxel_carve.compute.engines.numba.compiler import store as numba_store

    found: dict[str, list[list[Any]]] = {}
    seen: set[signatures.Kernel] = set()
    backend = NumbaBackend.__new__(NumbaBackend)  # without __init__, which loads the kernels
    for name in signatures.SETS:
        found[name] = []
        JOBS[name](backend)
        for kernel in numba_store.requested():
            if kernel not in seen:
                seen.add(kernel)
                found[name].append([kernel.function, json.loads(kernel.types)])
    return found


def _surface() -> Surface:
    nothing = np.zeros(len(CLOSED), dtype=np.int32)
    return Surface(CORNERS, CLOSED, nothing.astype(np.uint8), nothing)


def _as_text(found: dict[str, list[list[Any]]]) -> str:
    """The signatures as JSON, one line per kernel."""
    sets = {name: ",\n".join(map(json.dumps, kernels)) for name, kernels in found.items()}
    return "{" + ",\n".join(f'"{name}": [\n{kernels}\n]' for name, kernels in sets.items()) + "}\n"


def main(arguments: list[str]) -> int:
    """Write the file, or compare it; return the exit status."""
    text, before = _as_text(recorded()), signatures.FILE.read_text() if signatures.FILE.exists() else ""
    if arguments != ["--check"]:
        signatures.FILE.write_text(text)
        return 0
    now, was = set(text.splitlines()), set(before.splitlines())
    for line in sorted(now ^ was):
        print("+" if line in now else "-", line)
    return int(text != before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
