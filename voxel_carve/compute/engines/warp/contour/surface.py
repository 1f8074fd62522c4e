"""Surface extraction on a Warp device. The mesh and the nearest primitives are downloaded. Compiled functions complete
the sharp edges on the host."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ....contour.cells import EDGES, RING, cell_tables
from ....contour.surface import LEFT_BRICKS, PlacementCounts
from ....field.fields import Field, places_of
from ....formulas import language
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS
from ....model.combining import Rule
from ....model.grid import Grid
from ....model.mesh import DualMesh, Surface
from ....runtime.errors import BackendError, CarveError
from ....runtime.progress import progress_range, with_progress
from ..device.device import MOST_ELEMENTS, WarpDevice
from ..device.packing import Packed
from ..field.fields import LOSS
from ..field.pairs import primitives_on
from .cells import LAYERS, Cells, Layout, Tables
from .surface_kernels import join_cells, list_cells, make_quads, mark_cells, number_cells
from .vertex_kernels import cross_edges, make_vertices

BRICKS_PER_LAUNCH = 1 << 20  # keeps a launch far below 2^31 threads
FACES_PER_LAUNCH = 1 << 24  # or vertices, which take longer


def extract_surface(device: WarpDevice, field: Field, grid: Grid) -> tuple[Surface, PlacementCounts]:
    """See `Backend.extract_surface`.

    Raises:
        BackendError: the device has too little memory, or the mesh is too large to be indexed.
        CarveError: the surface leaves the field's bricks.
    """
    from ...numba.contour.occlusion import NearestLookup
    from ...numba.surface.surface import finish_surface

    field, down = _on_device(device, field)
    places, tables = places_of(field), device.cached(cell_tables, lambda: _tables(device))
    corner = field.table.coordinates(field.bricks) * BRICK_SIZE
    layout = device.struct(Layout, corner=corner, places=places, states=field.states)
    with progress_range(0.0, 0.05):
        cells = _numbered_cells(device, field, layout, tables)
        device.gather(cells.first[len(field.bricks) * LAYERS :], down["totals"])
        found = device.download_together(down)
        down.fetched = {name: found[name].copy() for name in LOSS if name in found}
        vertices, quads = (int(total) for total in found["totals"][0])
    if max(vertices, quads) > MOST_ELEMENTS:
        raise BackendError(
            "the mesh has {count} faces, too many to be numbered: use larger voxels", count=max(vertices, quads)
        )
    with progress_range(0.05, 0.3):
        mesh = _make_mesh(device, field, layout, tables, cells, vertices, quads)
    del cells, layout
    lookup, field = NearestLookup(places, found["nearest"]), replace(field.without_distances(), nearest=None)
    with progress_range(0.3, 1.0):
        return finish_surface(field, grid, lookup, mesh)


def _make_mesh(
    device: WarpDevice, field: Field, layout: Any, tables: Any, cells: Any, vertices: int, quads: int
) -> DualMesh:
    """The mesh with the given numbers of vertices and quads, before its sharp edges are completed."""
    wp = device.wp
    rule = device.struct(language.Rule, **Rule.of(field.operation)._asdict())
    exact = primitives_on(device, field.segments, field.triangles), rule
    mesh = device.packed(
        points=((vertices,), wp.vec3d),
        quads=((quads,), wp.vec4i),
        codes=((quads,), wp.int32),
        kinds=((vertices,), wp.uint8),
        cells=((vertices,), wp.int64),
        missing=((1,), wp.int32),
    )
    points, codes, missing, places = mesh["points"], mesh["codes"], mesh["missing"], mesh["cells"]
    place, edges = device.empty(quads, wp.float64), device.empty(quads, wp.int64)
    missing.zero_()
    for start, count in _launches(len(field.bricks), BRICKS_PER_LAUNCH):
        device.launch(list_cells, (count, BRICK_VOXELS), [tables, cells, start], [places, edges])
    for start, count in with_progress(_launches(quads, FACES_PER_LAUNCH)):
        inputs = [layout, field.distance, field.nearest, *exact, edges, start]
        device.launch(cross_edges, count, inputs, [place, codes])
    for start, count in with_progress(_launches(vertices, FACES_PER_LAUNCH)):
        inputs = [layout, tables, cells, field.nearest, *exact, place, codes, places, start]
        device.launch(make_vertices, count, inputs, [points, mesh["kinds"]])
    for start, count in with_progress(_launches(quads, FACES_PER_LAUNCH)):
        inputs = [layout, tables, cells, edges, points, place, start]
        device.launch(make_quads, count, inputs, [mesh["quads"], missing])
    found = device.download_together(mesh)
    if found.pop("missing")[0]:
        raise CarveError(LEFT_BRICKS)
    return DualMesh(**found)


def _on_device(device: WarpDevice, field: Field) -> tuple[Field, Packed]:
    """The field with its voxels on the device, wherever it was evaluated, and what comes down with its `nearest`."""
    if not isinstance(field.distance, np.ndarray):
        return field, device.kept(field.nearest, Packed)
    wp = device.wp
    down = device.packed(totals=((1,), wp.vec2l), nearest=(field.nearest.shape, wp.int32))
    nearest = down["nearest"]
    device.gather(device.upload(field.nearest, wp.int32), nearest)
    return replace(field, distance=device.upload(field.distance, wp.float32), nearest=nearest), down


def _tables(device: WarpDevice) -> Any:
    """The struct `Tables`."""
    return device.struct(Tables, **cell_tables()._asdict(), first_corner=EDGES[:, 0], ring=RING)


def _numbered_cells(device: WarpDevice, field: Field, layout: Any, tables: Any) -> Any:
    """The struct `Cells`. The last element of its `first` has the numbers of vertices and of quads."""
    wp, bricks = device.wp, len(field.bricks)
    kinds = {"configuration": wp.uint8, "joined": wp.uint8, "vertex": wp.int16, "quad": wp.int16}
    cells = device.struct(Cells, **{name: device.empty((bricks, BRICK_VOXELS), kind) for name, kind in kinds.items()})
    cells.first = device.filled(bricks * LAYERS + 1, 0, wp.vec2l)
    for start, count in _launches(bricks, BRICKS_PER_LAUNCH):
        inputs = [layout, field.distance, start]
        device.launch(mark_cells, (count, BRICK_VOXELS), inputs, [cells.configuration])
    for start, count in _launches(bricks, BRICKS_PER_LAUNCH):
        device.launch(join_cells, (count, BRICK_VOXELS), [layout, tables, cells, start], [])
    device.launch(number_cells, (bricks, LAYERS), [tables, cells], [])
    cells.first = device.scan(cells.first)
    return cells


def _launches(length: int, most: int) -> Iterator[tuple[int, int]]:
    """Runs (start, count) of at most `most`, each for one launch."""
    return ((start, min(most, length - start)) for start in range(0, length, most))
