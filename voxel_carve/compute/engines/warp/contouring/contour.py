"""From the fields of stock and sweep to the surface of the result, on a Warp device: see `compute.contouring`.

All edges, faces, cells and quads have a thread each. What is found is listed, and numbered by prefix sums, in the order
of the numba kernels.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ....contouring.tables import EDGE_FIRST, FACE_EDGES, RING_PLACE, cell_tables
from ....field.fields import Fields, Known
from ....model.bricks import NO_PRIMITIVE
from ....model.combining import Operation
from ....model.grid import Grid
from ....model.mesh import Surface
from ....model.parts import SurfacePart
from ....runtime.progress import progress_range, with_progress
from ...numba.contouring.caps import with_caps
from ..device.device import WarpDevice
from ..field.fields import check_device_memory
from ..field.pairs import primitives_on
from . import (
    candidate_kernels,
    cell_kernels,
    edge_kernels,
    face_kernels,
    layout,
    plain_kernels,
    structs,
    voxel_kernels,
)
from .finishing import Placed, crossing_points, finish
from .job import Job, runs_of, total_of
from .layout import ALL_ROWS, ROWS
from .parts import finish_part

# Memory of a brick until the mesh is downloaded, as measured: from 18 to 29 KiB.
BYTES_PER_RESULT = 32 << 10


def contour(
    device: WarpDevice,
    fields: Fields,
    grid: Grid,
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
    sweep_states: npt.NDArray[np.uint8],
    octants: npt.NDArray[np.uint8] | None = None,
) -> Surface:
    """See `Backend.contour`.

    Raises:
        BackendError: the device has too little memory.
        CarveError: the surface leaves the bricks.
    """
    known = Known.all_of(len(fields), octants)
    job, fields, *made = _make_cells(device, fields, known, operation, stock_states, sweep_states)
    with progress_range(0.9, 1.0):
        return finish(job, fields, grid, *made)


def contour_part(
    device: WarpDevice,
    fields: Fields,
    known: Known,
    grid: Grid,
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
    sweep_states: npt.NDArray[np.uint8],
) -> SurfacePart:
    """See `Backend.contour_part`.

    Raises:
        BackendError: the device has too little memory.
        CarveError: the surface leaves the bricks.
    """
    job, fields, *made = _make_cells(device, fields, known, operation, stock_states, sweep_states)
    with progress_range(0.9, 1.0):
        return finish_part(job, fields, grid, *made)


def _make_cells(
    device: WarpDevice,
    fields: Fields,
    known: Known,
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
    sweep_states: npt.NDArray[np.uint8],
) -> tuple[Job, Fields, Any, Any, Placed]:
    """The structs `Crossings` and `Pairs`, and the vertices, of as many bricks as are known. The fields get a triangle
    for each crossing of a cap."""
    check_device_memory(device, len(fields), BYTES_PER_RESULT)
    with progress_range(0.0, 0.2):
        job = Job.of(device, fields, known, operation, stock_states, sweep_states)
    with progress_range(0.2, 0.5):
        crossings = find_crossings(job)
        job, fields = with_planes(job, fields, crossings)
    with progress_range(0.5, 0.65):
        pairs = find_pairs(job, crossings)
    with progress_range(0.65, 0.9):
        return job, fields, crossings, pairs, place_vertices(job, crossings, pairs)


def find_crossings(job: Job) -> Any:
    """The struct `Crossings`."""
    device, wp, shape = job.device, job.device.wp, (job.bricks, ALL_ROWS)
    masks = {name: device.empty((job.bricks, ROWS), wp.uint8) for name in ("stock", "swept", "inside")}
    masks = device.struct(voxel_kernels.Masks, **masks)
    inputs = [job.layout, job.stock, job.columns, job.swept, job.rule, masks]
    device.launch(voxel_kernels.mark_voxels, (job.bricks, ROWS), inputs, [])
    events, by_stock, by_sweep = (device.filled(shape, 0, wp.uint8) for _ in range(3))
    count = device.filled(job.bricks * ALL_ROWS + 1, 0, wp.int32)
    device.launch(candidate_kernels.mark_events, shape, [job.layout, job.triangles, job.primitives], [events])
    inputs = [job.layout, job.stock, job.columns, job.swept, job.primitives, job.rule, masks, events]
    known = job.known.edges, ALL_ROWS
    device.launch(candidate_kernels.mark_candidates, known, inputs, [by_stock, by_sweep, count])
    first = device.scan(count)
    listed = device.empty(total_of(device, first), wp.vec2i)
    device.launch(candidate_kernels.list_marked, shape, [by_stock, by_sweep, first], [listed])
    edges = listed.shape[0]
    number = device.filled(edges + 1, 0, wp.int32)
    place, code = device.empty(edges, wp.vec2), device.empty(edges, wp.vec2i)
    for start, many in with_progress(runs_of(edges)):
        inputs = [job.layout, job.stock, job.columns, job.triangles, job.swept, job.segments, job.primitives, job.rule]
        inputs += [masks, by_stock, by_sweep, listed, start]
        device.launch(edge_kernels.cross_edges, many, inputs, [number, place, code])
    before = device.scan(number)
    total = total_of(device, before)
    found = device.struct(
        layout.Crossings,
        inside=masks.inside,
        crossed=device.empty(shape, wp.uint8),
        twice=device.empty(shape, wp.uint8),
        first=device.empty(job.bricks * ALL_ROWS, wp.int32),
        place=device.empty(total, wp.float32),
        code=device.empty(total, wp.int32),
    )
    device.launch(edge_kernels.mark_crossed, shape, [by_stock, by_sweep, first, number, before], [found])
    device.launch(edge_kernels.gather_crossings, edges, [before, place, code], [found.place, found.code])
    return found


def with_planes(job: Job, fields: Fields, crossings: Any) -> tuple[Job, Fields]:
    """The same with a triangle for each crossing of a cap, whose codes and places change. The host makes them."""
    if fields.caps is None:
        return job, fields
    device, wp = job.device, job.device.wp
    code = device.download(crossings.code)
    is_cap = code == NO_PRIMITIVE
    if not is_cap.any():
        return job, fields
    code, place = code.copy(), device.download(crossings.place).copy()
    points_of = partial(crossing_points, job, crossings)
    triangles = with_caps(fields.triangles, fields.caps, code, place, is_cap, points_of)
    crossings.code, crossings.place = device.upload(code, wp.int32), device.upload(place, wp.float32)
    primitives = primitives_on(device, fields.segments, triangles)
    return replace(job, primitives=primitives), replace(fields, triangles=triangles)


def find_pairs(job: Job, crossings: Any) -> Any:
    """The struct `Pairs`."""
    device, wp, shape = job.device, job.device.wp, (job.bricks, ALL_ROWS)
    masks, count = device.filled(shape, 0, wp.uint8), device.filled(job.bricks * ALL_ROWS + 1, 0, wp.int32)
    device.launch(face_kernels.mark_faces, (job.known.faces, ALL_ROWS), [job.layout, crossings], [masks, count])
    first_face = device.scan(count)
    listed = device.empty(total_of(device, first_face), wp.vec2i)
    device.launch(candidate_kernels.list_marked, shape, [masks, masks, first_face], [listed])
    faces = listed.shape[0]
    room, found = device.filled(faces + 1, 0, wp.int32), device.filled(faces + 1, 0, wp.vec2i)
    common = [job.layout, job.primitives, job.carves, crossings]
    for start, many in with_progress(runs_of(faces)):
        device.launch(face_kernels.measure_faces, many, [*common, job.swept.thin, job.triangles, listed, start], [room])
    first = device.scan(room)
    most = total_of(device, first)
    point, middle = device.empty(most, wp.vec3d), device.empty(most, wp.vec3d)
    borders = device.struct(structs.Borders, point=point, middle=middle, codes=device.empty((most, 2), wp.int32))
    is_first, record = device.empty(most, wp.uint8), device.empty(faces, wp.int32)
    ends = device.empty((most, 2), wp.int32)
    for start, many in with_progress(runs_of(faces)):
        inputs = [*common, job.segments, job.swept.thin, job.triangles, listed, first, start]
        device.launch(face_kernels.pair_faces, many, inputs, [found, record, borders, is_first, ends])
    before = device.scan(found)
    known, number = _totals(device, before)
    pairs = device.struct(
        face_kernels.Pairs,
        faces=device.struct(
            layout.Found, mask=device.empty(shape, wp.uint8), first=device.empty(job.bricks * ALL_ROWS, wp.int32)
        ),
        record=device.empty(known, wp.int32),
        first_border=device.empty(known, wp.int32),
        point=device.empty(number, wp.vec3d),
        middle=device.empty(number, wp.vec3d),
        codes=device.empty((number, 2), wp.int32),
        is_first=device.empty(number, wp.uint8),
        ends=device.empty((number, 2), wp.int32),
    )
    device.launch(face_kernels.mark_known, shape, [masks, first_face, before], [pairs.faces])
    device.launch(face_kernels.gather_pairs, faces, [first, before, record, borders, is_first, ends], [pairs])
    return pairs


def place_vertices(job: Job, crossings: Any, pairs: Any) -> Placed:
    """The vertices, and the quads."""
    device, wp, shape, crossed = job.device, job.device.wp, (job.bricks, ROWS), crossings.place.shape[0]
    tables = device.cached(FACE_EDGES, lambda: _tables(device))
    active, general = device.filled(shape, 0, wp.uint8), device.filled(shape, 0, wp.uint8)
    count, inputs = device.filled(job.bricks * ROWS + 1, 0, wp.vec2i), [job.layout, crossings, pairs]
    device.launch(plain_kernels.mark_cells, (job.known.cells, ROWS), inputs, [active, general, count])
    first_cell = device.scan(count)
    all_cells, general_cells = _totals(device, first_cell)
    cells, sorts = device.empty(all_cells, wp.vec2i), device.empty(all_cells, wp.int32)
    room = device.filled(all_cells + 1, 0, wp.int32)
    inputs = [job.layout, crossings, tables, active, general, first_cell]
    device.launch(plain_kernels.list_cells, shape, inputs, [cells, sorts, room])
    first = device.scan(room)
    most, plain = total_of(device, first), all_cells - general_cells
    vertices = device.struct(
        plain_kernels.Vertices,
        point=device.empty(most, wp.vec3d),
        origin=device.empty(most, wp.vec3d),
        movable=device.filled(most, 0, wp.uint8),
        visits=device.empty(all_cells, wp.uint8),
        quads=device.filled((crossed + 2 * pairs.point.shape[0], 4), -1, wp.int32),
        first_quad=crossed,
    )
    common = [job.layout, job.primitives, job.rule, crossings]
    with progress_range(0.0, 0.5):
        for start, many in with_progress(runs_of(plain)):
            inputs = [*common, job.swept, tables, cells, sorts, start, first]
            device.launch(plain_kernels.place_plain_cells, many, inputs, [vertices])
    with progress_range(0.5, 1.0):
        for start, many in with_progress(runs_of(general_cells)):
            inputs = [*common, pairs, job.triangles, job.segments, tables, cells, sorts, plain + start, first]
            device.launch(cell_kernels.place_general_cells, many, inputs, [vertices])
    return Placed(tables, cells, sorts, plain, first, vertices)


def _tables(device: WarpDevice) -> Any:
    """The struct `Tables`."""
    tables = cell_tables()
    return device.struct(
        plain_kernels.Tables,
        patches=tables.patches[0],
        patch=tables.patch[0],
        first_corner=EDGE_FIRST,
        ring_place=RING_PLACE,
        face_edges=FACE_EDGES,
    )


def _totals(device: WarpDevice, scanned: Any) -> tuple[int, int]:
    """The last element of two prefix sums."""
    first, second = device.download(scanned[scanned.shape[0] - 1 :])[0].tolist()
    return first, second
