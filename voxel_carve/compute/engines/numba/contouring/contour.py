"""From the fields of stock and sweep to the surface of the result: see `compute.contouring`."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import quads as folding
from ....contouring.dividing import BorderPoints, Divided, divide
from ....contouring.faces import THIN
from ....contouring.quads import ENTERS
from ....field.fields import Fields, Known, places_of
from ....model.bricks import BRICK_SIZE, NO_PRIMITIVE
from ....model.combining import Operation, Rule
from ....model.grid import Grid
from ....model.mesh import Surface
from ....model.parts import SurfacePart
from ....primitives.primitives import Primitives
from ....primitives.segments import LENGTH, RADIUS, SLOPE
from ....runtime.progress import progress_range
from ....runtime.threads import over_rows
from ..compiler.decorators import kernel
from ..compiler.formulas import DOUBLE
from .blocks import ROWS, Crossings, Layout, Pairs, lower_bound, number_of_row, twice_in_row
from .caps import with_caps
from .cells import Vertices, place_vertices
from .edges import find_crossings
from .faces import Near, find_pairs
from .finishing import Unfinished, finish
from .overlaps import separate
from .parts import Owners, finish_part
from .splitting import forget_splits
from .sweep import NearestSegments, Sweep, sampled_sweep, slabs_of

mark_twins, mark_lens = DOUBLE(folding.mark_twins), DOUBLE(folding.mark_lens)

QUADS_PER_RUN = 1 << 13
BRICKS_PER_RUN = 256


@kernel
def mark_lenses(start, stop, is_first, first_quad, quads, marks):  # type: ignore[no-untyped-def]
    """Mark or empty the quads between the two border points of pairs: see `mark_lens`."""
    for n in range(start, stop):
        if is_first[n]:
            mark_lens(quads, marks, first_quad + 2 * n)


def contour(
    fields: Fields,
    grid: Grid,
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
    sweep_states: npt.NDArray[np.uint8],
    octants: npt.NDArray[np.uint8] | None = None,
) -> Surface:
    """The surface between the inside and the outside of the result.

    Args:
        fields: the bricks where it can be, and their primitives.
        grid: where the voxels lie.
        operation: how stock and sweep are combined.
        stock_states, sweep_states: (Z, Y, X) `State` of all bricks.
        octants: see `Backend.contour`.

    Raises:
        CarveError: the surface leaves the bricks.
    """
    known = Known.all_of(len(fields), octants)
    fields, placed = make_cells(fields, known, operation, stock_states, sweep_states)
    with progress_range(0.8, 1.0):
        mesh, first, count = without_crossing(*placed), placed.vertices.first, placed.vertices.count
        del placed
        return finish(fields, grid, mesh, first, count, octants is not None)


def contour_part(
    fields: Fields,
    known: Known,
    grid: Grid,
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
    sweep_states: npt.NDArray[np.uint8],
) -> SurfacePart:
    """See `Backend.contour_part`."""
    fields, placed = make_cells(fields, known, operation, stock_states, sweep_states)
    with progress_range(0.8, 1.0):
        owners = Owners.of(placed.crossings, placed.pairs, placed.vertices)
        mesh = without_crossing(*placed)
        del placed
        return finish_part(fields, grid, mesh, owners, known.own)


class Placed(NamedTuple):
    """The vertices of all cells, and what they were made from."""

    layout: Layout
    crossings: Crossings
    pairs: Pairs
    vertices: Vertices


def make_cells(
    fields: Fields,
    known: Known,
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
    sweep_states: npt.NDArray[np.uint8],
) -> tuple[Fields, Placed]:
    """The vertices of the cells of as many bricks as are known. The fields get a triangle for each crossing of a
    cap."""
    layout = Layout(fields.table.coordinates(fields.bricks), places_of(fields), fields.states, known.masks())
    rule = Rule.of(operation)
    slabs, slabs_of_cells = slabs_of(fields, known.edges), slabs_of(fields, known.cells)
    kept: list[NearestSegments] = []

    def sweep_in(slab: slice) -> Sweep:
        sweep = sampled_sweep(fields, layout, slab, sweep_states)
        kept[:] = [NearestSegments.of(sweep)]
        return sweep

    def nearest_in(slab: slice) -> NearestSegments:
        # To sample it again takes less than a twentieth of the time, and to keep it a quarter of the memory.
        return kept.pop() if len(slabs) == 1 else NearestSegments.of(sampled_sweep(fields, layout, slab, sweep_states))

    with progress_range(0.0, 0.35):
        crossings = find_crossings(layout, fields, sweep_in, slabs, operation, stock_states)
        fields = with_planes(fields, layout, crossings)
        primitives = Primitives.of(fields.segments, fields.triangles)
    with progress_range(0.35, 0.55):
        pairs, most = find_pairs(layout, crossings, near_primitives(fields), primitives, rule.carves, known.faces)
    with progress_range(0.55, 0.8):
        vertices = place_vertices(
            layout, crossings, pairs, fields.triangle_bins, most, nearest_in, slabs_of_cells, primitives, rule
        )
    return fields, Placed(layout, crossings, pairs, vertices)


def with_planes(fields: Fields, layout: Layout, crossings: Crossings) -> Fields:
    """The same with a triangle for each crossing of a cap, whose codes and places change: see `caps`."""
    if fields.caps is None:
        return fields
    is_cap = crossings.code == NO_PRIMITIVE
    if not is_cap.any():
        return fields
    points_of = partial(crossing_points, layout=layout, crossings=crossings)
    triangles = with_caps(fields.triangles, fields.caps, crossings.code, crossings.place, is_cap, points_of)
    return replace(fields, triangles=triangles)


def near_primitives(fields: Fields) -> Near:
    """The primitives near each brick."""
    bins, rows = fields.segment_bins, fields.segments.rows
    is_thin = np.minimum(rows[:, RADIUS], rows[:, RADIUS] - rows[:, LENGTH] * rows[:, SLOPE]) < THIN
    has_thin = np.zeros(len(bins.first) - 1, dtype=np.bool_)
    listed = np.flatnonzero(np.diff(bins.first))
    if is_thin.any() and len(listed):
        # A byte for each entry: of a raster of many passes there are more entries than all else.
        has_thin[listed] = np.logical_or.reduceat(is_thin[bins.primitive], bins.first[listed])
    of_stock = fields.triangle_bins
    return Near(bins.first, bins.primitive, of_stock.first, of_stock.primitive, has_thin)


@kernel
def mark_crossings(start, stop, crossings, quads, marks):  # type: ignore[no-untyped-def]
    """Set marks (Q,), 0 before, for the quads of the crossings of some bricks: see `contouring.quads`."""
    for b in range(start, stop):
        q = crossings.first[b]
        for row in range(crossings.crossed.shape[1]):
            mask = np.int64(crossings.crossed[b, row])
            if mask == 0:
                continue
            starts, twice = np.int64(crossings.inside[b, row % ROWS]), twice_in_row(crossings, b, row)
            for i in range(BRICK_SIZE):
                if mask >> i & 1 == 0:
                    continue
                enters = starts >> i & 1 == 0
                marks[q] = ENTERS if enters else 0
                if twice >> i & 1:
                    marks[q + 1] = 0 if enters else ENTERS
                    mark_twins(quads, marks, q)
                    q += 1
                q += 1


@kernel
def put_crossings(start, stop, which, layout, crossings, points):  # type: ignore[no-untyped-def]
    """Set points (K, 3) to where the crossings which (K,) are, in voxels."""
    for n in range(start, stop):
        b = lower_bound(crossings.first, which[n] + 1) - 1
        index = which[n] - crossings.first[b]
        layer = lower_bound(crossings.before[b], index + 1) - 1
        index -= crossings.before[b, layer]
        row, i = layer * BRICK_SIZE, 0
        while index >= number_of_row(crossings, b, row):
            index -= number_of_row(crossings, b, row)
            row += 1
        for x in range(BRICK_SIZE):
            number = (crossings.crossed[b, row] >> x & 1) + (twice_in_row(crossings, b, row) >> x & 1)
            if index >= 0 and index < number:
                i = x
            index -= number
        axis, k, j = row // ROWS, row // BRICK_SIZE % BRICK_SIZE, row % BRICK_SIZE
        points[n, 0] = layout.bricks[b, 2] * BRICK_SIZE + i + 0.5
        points[n, 1] = layout.bricks[b, 1] * BRICK_SIZE + j + 0.5
        points[n, 2] = layout.bricks[b, 0] * BRICK_SIZE + k + 0.5
        points[n, axis] += crossings.place[which[n]]


def crossing_points(which: npt.NDArray[np.integer], layout: Layout, crossings: Crossings) -> npt.NDArray[np.float64]:
    """Where some crossings are (K, 3), in voxels, by their indices."""
    points = np.empty((len(which), 3))
    over_rows(put_crossings, len(which), QUADS_PER_RUN, which.astype(np.int64), layout, crossings, points)
    return points


def without_crossing(layout: Layout, crossings: Crossings, pairs: Pairs, vertices: Vertices) -> Unfinished:
    """The mesh of all vertices and quads, where triangles that cross are moved apart, or divided."""
    quads, crossed = vertices.quads, len(crossings.place)
    marks = np.zeros(len(quads), dtype=np.uint8)
    over_rows(mark_crossings, len(layout.bricks), BRICKS_PER_RUN, crossings, quads, marks)
    over_rows(mark_lenses, len(pairs.point), QUADS_PER_RUN, pairs.is_first, crossed, quads, marks)
    divides = separate(layout, crossings, pairs, vertices, marks)
    # In place, as below: all crossings are many.
    codes = crossings.code
    codes.resize(len(quads), refcheck=False)
    codes[crossed:] = pairs.codes.ravel()
    divided = Divided.nothing()
    if divides.any():
        borders = BorderPoints(pairs.point, pairs.is_first, pairs.ends)
        divided = divide(
            quads, marks, divides, crossed, lambda which: crossing_points(which, layout, crossings), borders,
            vertices.points,
        )  # fmt: skip
        forget_splits(marks)
        old, new = len(quads), len(divided.quads)
        for array in (quads, codes, marks):
            array.resize((old + new, *array.shape[1:]), refcheck=False)
        quads[old:], codes[old:] = divided.quads, codes[divided.of_quad]
    return Unfinished(vertices.points, quads, marks, codes, crossed, divided)
