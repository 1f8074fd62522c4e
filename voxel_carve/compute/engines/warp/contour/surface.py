"""Surface extraction on a Warp device. The mesh and the nearest primitives are downloaded. Compiled functions complete
the sharp edges on the host."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ....contour.cells import EDGES, cell_tables, edge_at
from ....contour.surface import LEFT_BRICKS, PlacementCounts
from ....field.fields import Field, places_of
from ....model.bricks import BRICK_VOXELS
from ....model.combining import Rule
from ....model.grid import Grid
from ....model.mesh import DualMesh, Surface
from ....primitives.primitives import Primitives
from ....runtime.errors import BackendError, CarveError
from ....runtime.progress import progress_range, with_progress
from ..device.device import MOST_ELEMENTS, WarpDevice
from ..device.formulas import cell_types
from ..field.pairs import primitives_on
from .cells import LAYERS, surface_structs
from .surface_kernels import surface_kernels
from .vertex_kernels import vertex_kernels

SURFACE_BLOCK_DIM = 256
VERTEX_BLOCK_DIM = 128  # a vertex needs many registers

BRICKS_PER_LAUNCH = 1 << 20  # keeps a launch far below 2^31 threads


def extract_surface(device: WarpDevice, field: Field, grid: Grid) -> tuple[Surface, PlacementCounts]:
    """See `Backend.extract_surface`.

    Raises:
        BackendError: the device has too little memory, or the mesh is too large to be indexed.
        CarveError: the surface leaves the field's bricks.
    """
    from ...numba.contour.occlusion import NearestLookup
    from ...numba.contour.sharp_edges import complete_edges
    from ...numba.contour.surface import finish_surface

    field = _on_device(device, field)
    layout, tables = _layout(device, field), device.cached(cell_tables, lambda: _tables(device))
    with progress_range(0.0, 0.05):
        cells, vertices, quads = _numbered_cells(device, field, layout, tables)
    with progress_range(0.05, 0.3):
        mesh = _make_mesh(device, field, layout, tables, cells, vertices, quads)
    del cells
    primitives = Primitives.of(field.segments, field.triangles)
    around = NearestLookup(places_of(field), device.download(field.nearest))
    with progress_range(0.3, 1.0):
        complete_edges(primitives, Rule.of(field.operation), around, mesh)
    return finish_surface(field, grid, mesh)


def _make_mesh(
    device: WarpDevice, field: Field, layout: Any, tables: Any, cells: Any, vertices: int, quads: int
) -> DualMesh:
    """The mesh with the given numbers of vertices and quads, before its sharp edges are completed."""
    wp, kernels = device.wp, device.kernels(surface_kernels, SURFACE_BLOCK_DIM)
    placement = device.kernels(vertex_kernels, VERTEX_BLOCK_DIM)
    exact = _primitives(device, field)
    points, kinds = device.empty(vertices, wp.vec3d), device.empty(vertices, wp.uint8)
    place, codes = device.empty(quads, wp.float64), device.empty(quads, wp.int32)
    corners, missing = device.empty(quads, wp.vec4i), device.filled(1, 0, wp.int32)
    for start, count in with_progress(_launches(len(field.bricks))):
        inputs = [layout, cells, field.distance, field.nearest, *exact, start]
        device.launch(placement.cross_edges, (count, BRICK_VOXELS), inputs, [place, codes])
    for start, count in with_progress(_launches(len(field.bricks))):
        inputs = [layout, tables, cells, field.nearest, *exact, place, codes, start]
        device.launch(placement.make_vertices, (count, BRICK_VOXELS), inputs, [points, kinds])
    for start, count in with_progress(_launches(len(field.bricks))):
        inputs = [layout, tables, cells, points, place, start]
        device.launch(kernels.make_quads, (count, BRICK_VOXELS), inputs, [corners, missing])
    if device.download(missing)[0]:
        raise CarveError(LEFT_BRICKS)
    return DualMesh(
        device.download(points).reshape(-1, 3),
        device.download(corners).reshape(-1, 4),
        device.download(codes),
        device.download(kinds),
    )


def _on_device(device: WarpDevice, field: Field) -> Field:
    """The field with its voxels on the device, wherever it was evaluated."""
    if not isinstance(field.distance, np.ndarray):
        return field
    wp = device.wp
    distance, nearest = device.upload(field.distance, wp.float32), device.upload(field.nearest, wp.int32)
    return replace(field, distance=distance, nearest=nearest)


def _primitives(device: WarpDevice, field: Field) -> tuple[Any, Any]:
    """The structs `Primitives` and `Rule` of a field."""
    host, rule = Rule.of(field.operation), cell_types().Rule()
    rule.carves, rule.greatest = host.carves, host.greatest
    return primitives_on(device, field.segments, field.triangles), rule


def _layout(device: WarpDevice, field: Field) -> Any:
    """The struct `Layout`."""
    wp, kernels = device.wp, device.kernels(surface_kernels, SURFACE_BLOCK_DIM)
    layout = surface_structs().Layout()
    layout.brick = device.upload(field.table.coordinates(field.bricks).astype(np.int32), wp.vec3i)
    layout.states = device.upload(field.states, wp.uint8)
    layout.places = device.filled(tuple(side + 2 for side in field.table.shape), -1, wp.int32)
    device.launch(kernels.place_bricks, len(field.bricks), [layout.brick], [layout.places])
    return layout


def _tables(device: WarpDevice) -> Any:
    """The struct `Tables`."""
    wp, host = device.wp, cell_tables()
    # The cells are counter-clockwise seen from the far end of the edge; 1 means one step back along u or v.
    ring = [[edge_at(axis, u, v) for u, v in ((1, 1), (0, 1), (0, 0), (1, 0))] for axis in range(3)]
    tables = surface_structs().Tables()
    for name in ("patches", "patch", "repair_face"):
        setattr(tables, name, device.upload(getattr(host, name), wp.int8))
    tables.edges = device.upload(EDGES.astype(np.int32), wp.vec2i)
    tables.ring = device.upload(np.array(ring, dtype=np.int32), wp.int32)
    return tables


def _numbered_cells(device: WarpDevice, field: Field, layout: Any, tables: Any) -> tuple[Any, int, int]:
    """The struct `Cells`, and the numbers of vertices and of quads."""
    wp, kernels = device.wp, device.kernels(surface_kernels, SURFACE_BLOCK_DIM)
    bricks = len(field.bricks)
    cells, shape = surface_structs().Cells(), (bricks, BRICK_VOXELS)
    cells.configuration, cells.joined = device.empty(shape, wp.uint8), device.empty(shape, wp.uint8)
    cells.vertex, cells.quad = device.empty(shape, wp.int16), device.empty(shape, wp.int16)
    # One more than there are layers: after the scan, the last element is the total.
    cells.first_vertex = device.filled(bricks * LAYERS + 1, 0, wp.int64)
    cells.first_quad = device.filled(bricks * LAYERS + 1, 0, wp.int64)
    for start, count in _launches(bricks):
        inputs = [layout, field.distance, start]
        device.launch(kernels.mark_cells, (count, BRICK_VOXELS), inputs, [cells.configuration])
    for start, count in _launches(bricks):
        device.launch(kernels.join_cells, (count, BRICK_VOXELS), [layout, tables, cells, start], [])
    device.launch(kernels.number_cells, (bricks, LAYERS), [tables, cells], [])
    cells.first_vertex, cells.first_quad = device.scan(cells.first_vertex), device.scan(cells.first_quad)
    vertices = int(device.download(cells.first_vertex[bricks * LAYERS :])[0])
    quads = int(device.download(cells.first_quad[bricks * LAYERS :])[0])
    if max(vertices, quads) > MOST_ELEMENTS:
        raise BackendError(f"the mesh has {max(vertices, quads)} faces, too many to be numbered: use larger voxels")
    return cells, vertices, quads


def _launches(bricks: int) -> Iterator[tuple[int, int]]:
    """Runs of bricks (start, count), each for one launch."""
    return ((start, min(BRICKS_PER_LAUNCH, bricks - start)) for start in range(0, bricks, BRICKS_PER_LAUNCH))
