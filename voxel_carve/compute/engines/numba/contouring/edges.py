"""The crossings of the result's surface with the edges of the grid, brick by brick: see `contouring.edges`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring import drifting, edges
from ....contouring.edges import MOST_EVENTS, STOCK_EVENTS
from ....field.fields import Fields
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS
from ....model.combining import Operation, Rule
from ....primitives.primitives import Primitives
from ....runtime.progress import with_progress
from ....runtime.threads import in_runs
from ..compiler.calling import Prepared
from ..compiler.decorators import NONE, inlined, kernel, subroutine
from ..compiler.formulas import DOUBLE
from .blocks import BLOCK, EDGES_OF_BRICK, ROWS, SIDE, Crossings, Layout, octant_bits
from .stock import NEAR, SOLID, Stock, do_sums_drift, load_inside, load_winding, winding_at
from .sweep import Sweep, load_sweep

line_event, may_pass, put_lost_event = DOUBLE(edges.line_event), DOUBLE(edges.may_pass), DOUBLE(edges.put_lost_event)
add_event, settle_stock, add_sweep = DOUBLE(edges.add_event), DOUBLE(edges.settle_stock), DOUBLE(edges.add_sweep)
combine_events, in_result = DOUBLE(edges.combine_events), DOUBLE(edges.in_result)

BRICKS_PER_RUN = 64

INSIDE = drifting.INSIDE
do_drift, crosses_alone = DOUBLE(drifting.do_drift), DOUBLE(drifting.crosses_alone)
place_of_cap = DOUBLE(drifting.place_of_cap)


class EdgeEvents(NamedTuple):
    """See `formulas.language.Edge`."""

    place: npt.NDArray[np.float64]
    code: npt.NDArray[np.int32]
    change: npt.NDArray[np.int64]
    gap: npt.NDArray[np.float64]
    gap_code: npt.NDArray[np.int32]


class EdgeScratch(NamedTuple):
    """Scratch buffers for the edges of a run of bricks.

    Attributes:
        winding: (729,) float64, the stock's winding number in a block where it drifts.
        distance, nearest: (729,) float32 and int32, those of the sweep.
        stock, swept: (9, 9) int64, rows of the voxels inside.
        count: (1536,) uint8, the crossings of each edge with triangles.
        place, code, change: (1536, 10) float64, int32 and int8, these crossings.
        events: (192,) int64, rows of the edges with one.
        edge: the events of one edge.
        least, most, first, last: (3,) of a triangle: the coordinates between which it lies, and the voxels.
        found_place, found_code: the crossings of the run.
    """

    winding: npt.NDArray[np.float64]
    distance: npt.NDArray[np.float32]
    nearest: npt.NDArray[np.int32]
    stock: npt.NDArray[np.int64]
    swept: npt.NDArray[np.int64]
    count: npt.NDArray[np.uint8]  # type: ignore[assignment]
    place: npt.NDArray[np.float64]
    code: npt.NDArray[np.int32]
    change: npt.NDArray[np.int8]
    events: npt.NDArray[np.int64]
    edge: EdgeEvents
    least: npt.NDArray[np.float64]
    most: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    found_place: npt.NDArray[np.float32]
    found_code: npt.NDArray[np.int32]

    @classmethod
    def of(cls) -> "EdgeScratch":
        """Buffers for any run."""
        most = 2 * EDGES_OF_BRICK * BRICKS_PER_RUN
        return cls(
            np.empty(BLOCK), np.empty(BLOCK, np.float32), np.empty(BLOCK, np.int32),
            np.empty((SIDE, SIDE), np.int64), np.empty((SIDE, SIDE), np.int64),
            np.empty(EDGES_OF_BRICK, np.uint8), np.empty((EDGES_OF_BRICK, STOCK_EVENTS)),
            np.empty((EDGES_OF_BRICK, STOCK_EVENTS), np.int32), np.empty((EDGES_OF_BRICK, STOCK_EVENTS), np.int8),
            np.empty(3 * ROWS, np.int64),
            EdgeEvents(
                np.empty(MOST_EVENTS), np.empty(MOST_EVENTS, np.int32), np.empty(MOST_EVENTS, np.int64), np.empty(2),
                np.empty(2, np.int32),
            ),
            np.empty(3), np.empty(3), np.empty(3, np.int64), np.empty(3, np.int64),
            np.empty(most, np.float32), np.empty(most, np.int32),
        )  # fmt: skip


@inlined
def cross_triangle(primitives, t, low, scratch):  # type: ignore[no-untyped-def]
    """Add the crossings of triangle t with the edges of the brick whose first voxel is low (x, y, z)."""
    points = primitives.points
    a, b, c = primitives.triangles[t, 0], primitives.triangles[t, 1], primitives.triangles[t, 2]
    least, most, first, last = scratch.least, scratch.most, scratch.first, scratch.last
    for axis in range(3):
        pa, pb, pc = points[a, axis], points[b, axis], points[c, axis]
        least[axis], most[axis] = min(pa, pb, pc) - low[axis] - 0.5, max(pa, pb, pc) - low[axis] - 0.5
        first[axis] = np.int64(max(np.ceil(least[axis]), 0.0))
        last[axis] = np.int64(min(np.floor(most[axis]), BRICK_SIZE - 1.0))
    for axis in range(3):
        # A positive order of u and v, but for y: ties are broken first along x there too.
        u, v = (1 if axis == 0 else 0), (1 if axis == 2 else 2)
        if first[u] > last[u] or first[v] > last[v] or most[axis] < 0.0 or least[axis] > BRICK_SIZE:
            continue
        step, step_u, step_v = 1 << 3 * axis, 1 << 3 * u, 1 << 3 * v
        for j in range(first[v], last[v] + 1):
            for i in range(first[u], last[u] + 1):
                change, start, place = line_event(points, a, b, c, axis, low[u] + i + 0.5, low[v] + j + 0.5, low[axis])
                if change == 0 or start < 0.0 or start >= BRICK_SIZE:
                    continue
                along = int(start)
                voxel = along * step + i * step_u + j * step_v
                edge = axis * BRICK_VOXELS + voxel
                n = scratch.count[edge]
                if n < STOCK_EVENTS:
                    scratch.place[edge, n] = place
                    scratch.code[edge, n] = t
                    scratch.change[edge, n] = change
                    scratch.count[edge] = n + 1
                    scratch.events[axis * ROWS + (voxel >> 3)] |= 1 << (voxel & 7)


@subroutine
def load_stock(brick, low, b, layout, stock, primitives, scratch):  # type: ignore[no-untyped-def]
    """Load the stock around brick b (z, y, x) into `scratch`: where it is, and its crossings with edges. Return whether
    the winding number drifts. It is loaded then alone."""
    for row in range(3 * ROWS):
        scratch.events[row] = 0
    state = stock.states[brick[0], brick[1], brick[2]]
    if state != NEAR:
        for k in range(SIDE):
            for j in range(SIDE):
                scratch.stock[k, j] = (1 << SIDE) - 1 if state == SOLID else 0
        return False
    for edge in range(EDGES_OF_BRICK):
        scratch.count[edge] = 0
    for n in range(stock.first[b], stock.first[b + 1]):
        cross_triangle(primitives, stock.triangle[n], low, scratch)
    drifts = do_sums_drift(brick, layout, stock.sums)
    if not drifts:
        load_inside(brick, stock, scratch.stock)
        return False
    load_winding(brick, layout, stock, scratch.winding)
    for k in range(SIDE):
        for j in range(SIDE):
            bits = 0
            for i in range(SIDE):
                bits |= (abs(scratch.winding[(k * SIDE + j) * SIDE + i]) > INSIDE) << i
            scratch.stock[k, j] = bits
    return True


@subroutine
def load_swept(brick, b, layout, sweep, scratch):  # type: ignore[no-untyped-def]
    """Load the sweep around brick b (z, y, x) into `scratch`. Return whether its surface is near."""
    if sweep.row[b] >= 0:
        load_sweep(brick, layout, sweep, scratch.distance, scratch.nearest)
        for k in range(SIDE):
            for j in range(SIDE):
                bits = 0
                for i in range(SIDE):
                    bits |= (scratch.distance[(k * SIDE + j) * SIDE + i] <= np.float32(0.0)) << i
                scratch.swept[k, j] = bits
        return True
    bits = (1 << SIDE) - 1 if sweep.states[brick[0], brick[1], brick[2]] == SOLID else 0
    for k in range(SIDE):
        for j in range(SIDE):
            scratch.swept[k, j] = bits
    return False


@inlined
def cross_edge(  # type: ignore[no-untyped-def]
    primitives, rule, stock, sweep, brick, b, low, voxel, axis, at, end, is_stock, is_swept, drifts, scratch
):
    """Find the crossings of the edge from a voxel along an axis, between two places of the block. Return their number.

    They are set in `scratch.edge`.

    Args:
        is_stock, is_swept: whether the stock, and the sweep, may have events on it.
        drifts: whether the winding number does.
    """
    edge, count = scratch.edge, np.int64(0)
    y, z = at // SIDE % SIDE, at // (SIDE * SIDE)
    first_stock, swept = scratch.stock[z, y] >> (at % SIDE) & 1 == 1, scratch.swept[z, y] >> (at % SIDE) & 1 == 1
    if is_stock:
        winding = winding_at(brick, stock, at, drifts, scratch.winding)
        last_winding = winding_at(brick, stock, end, drifts, scratch.winding)
        row = axis * BRICK_VOXELS + voxel
        events = np.int64(0)
        if scratch.events[axis * ROWS + (voxel >> 3)] >> (voxel & 7) & 1:
            events = np.int64(scratch.count[row])
        for n in range(events):
            count = add_event(
                edge, count, scratch.place[row, n], np.int64(scratch.code[row, n]), np.int64(scratch.change[row, n])
            )
        count = settle_stock(edge, count, winding, last_winding)
        if count < 0:
            count = np.int64(1)
            put_lost_event(
                primitives, stock.triangle, stock.first[b], stock.first[b + 1], edge, low[0] + (voxel & 7) + 0.5,
                low[1] + (voxel >> 3 & 7) + 0.5, low[2] + (voxel >> 6) + 0.5, axis, winding, last_winding,
            )  # fmt: skip
    if is_swept:
        y, z = end // SIDE % SIDE, end // (SIDE * SIDE)
        last_swept = scratch.swept[z, y] >> (end % SIDE) & 1 == 1
        first_code, last_code = scratch.nearest[at], scratch.nearest[end]
        count = add_sweep(
            primitives, sweep.segment, sweep.first[b], sweep.first[b + 1], edge, count, low[0] + (voxel & 7) + 0.5,
            low[1] + (voxel >> 3 & 7) + 0.5, low[2] + (voxel >> 6) + 0.5, axis,
            np.int64(-1 - first_code) if first_code != NONE else np.int64(0),
            np.int64(-1 - last_code) if last_code != NONE else np.int64(0), swept, last_swept,
        )  # fmt: skip
    return combine_events(edge, count, first_stock, swept, rule)


@inlined
def is_crossed_once(edge, has_events, at, end, drifts, scratch):  # type: ignore[no-untyped-def]
    """Whether an edge between two places of a block, on different sides of the stock's surface, is crossed by a single
    triangle, or by a cap alone. It is set in `scratch.edge` then."""
    count = np.int64(scratch.count[edge]) if has_events else np.int64(0)
    once = count == 1
    if once:
        scratch.edge.place[0], scratch.edge.code[0] = scratch.place[edge, 0], scratch.code[edge, 0]
    if drifts:
        first, last = scratch.winding[at], scratch.winding[end]
        if once:
            once = crosses_alone(first, last, scratch.place[edge, 0], np.int64(scratch.change[edge, 0]))
        elif count == 0 and do_drift(last - first, np.int64(0)):
            scratch.edge.place[0], scratch.edge.code[0] = place_of_cap(first, last), NONE
            once = True
    return once


@kernel
def cross_edges(  # type: ignore[no-untyped-def]
    start, stop, layout, stock, sweep, primitives, rule, inside, crossed, twice, before, count, scratch
):
    """Find the crossings of some bricks: see `Crossings`. Return their number; count (B,) is set to that of each.

    Their places and codes are set in `scratch`.
    """
    found, low = np.int64(0), scratch.low
    own = scratch.buffers
    for b in range(start, stop):
        brick = layout.bricks[b]
        for k in range(3):
            low[k] = brick[2 - k] * BRICK_SIZE
        drifts = load_stock(brick, low, b, layout, stock, primitives, own)
        near = load_swept(brick, b, layout, sweep, own)
        is_thin = near and sweep.thin[max(sweep.row[b], 0)]
        begun = found
        for k in range(BRICK_SIZE):
            for j in range(BRICK_SIZE):
                bits = 0
                for i in range(BRICK_SIZE):
                    bits |= in_result(own.stock[k, j] >> i & 1 == 1, own.swept[k, j] >> i & 1 == 1, rule) << i
                inside[b, k * BRICK_SIZE + j] = bits
        for axis in range(3):
            dz, dy, dx = (1 if axis == 2 else 0), (1 if axis == 1 else 0), (1 if axis == 0 else 0)
            for k in range(BRICK_SIZE):
                before[b, axis * BRICK_SIZE + k] = found - begun
                for j in range(BRICK_SIZE):
                    row = (axis * BRICK_SIZE + k) * BRICK_SIZE + j
                    crossed[b, row], twice[b, row] = 0, 0
                    here, there = own.stock[k, j], own.stock[k + dz, j + dy] >> dx
                    turns = (here ^ there) & 255
                    by_stock = turns | own.events[row]
                    # Where the sweep does not hide the surface of the stock.
                    shows = ~own.swept[k, j] if rule.carves or not rule.greatest else own.swept[k, j]
                    here, there = own.swept[k, j], own.swept[k + dz, j + dy] >> dx
                    by_sweep = (here ^ there) & 255
                    if near:
                        # Where the stock does not change, the sweep's events count on one side of it only.
                        counts = own.stock[k, j] if rule.greatest else ~own.stock[k, j]
                        counts = (counts | by_stock) & 255
                        by_sweep &= counts
                        at = (k * SIDE + j) * SIDE
                        end = at + (dz * SIDE + dy) * SIDE + dx
                        for i in range(BRICK_SIZE):
                            if counts >> i & ~by_sweep >> i & 1:
                                whole = own.distance[at + i] + own.distance[end + i]
                                if may_pass(primitives, own.nearest[at + i], own.nearest[end + i], whole, is_thin):
                                    by_sweep |= 1 << i
                    made = octant_bits(np.int64(layout.octants[b, 0]), k, j)
                    by_stock, by_sweep = by_stock & made, by_sweep & made
                    if by_stock | by_sweep == 0:
                        continue
                    for i in range(BRICK_SIZE):
                        if (by_stock | by_sweep) >> i & 1 == 0:
                            continue
                        edge = axis * BRICK_VOXELS + (k * BRICK_SIZE + j) * BRICK_SIZE + i
                        at = (k * SIDE + j) * SIDE + i
                        end = at + (dz * SIDE + dy) * SIDE + dx
                        # Most edges are crossed once, by a triangle or a cap, and are nowhere near the sweep's surface.
                        if (by_sweep | ~turns) >> i & 1 == 0 and is_crossed_once(
                            edge, own.events[row] >> i & 1 == 1, at, end, drifts, own
                        ):
                            if shows >> i & 1:
                                crossed[b, row] |= np.uint8(1 << i)
                                own.found_place[found], own.found_code[found] = own.edge.place[0], own.edge.code[0]
                                found += 1
                            continue
                        number = cross_edge(
                            primitives, rule, stock, sweep, brick, b, low, (k * BRICK_SIZE + j) * BRICK_SIZE + i, axis,
                            at, end, by_stock >> i & 1 == 1, by_sweep >> i & 1 == 1, drifts, own,
                        )  # fmt: skip
                        if number > 0:
                            crossed[b, row] |= np.uint8(1 << i)
                        if number > 1:
                            twice[b, row] |= np.uint8(1 << i)
                        for n in range(number):
                            own.found_place[found] = own.edge.place[n]
                            own.found_code[found] = own.edge.code[n]
                            found += 1
        count[b] = found - begun
    return found


class _Scratch(NamedTuple):
    """A brick's first voxel (3,), and the rest."""

    low: npt.NDArray[np.float64]
    buffers: EdgeScratch


def find_crossings(
    layout: Layout,
    fields: Fields,
    sweep_in: Callable[[slice], Sweep],
    slabs: list[slice],
    operation: Operation,
    stock_states: npt.NDArray[np.uint8],
) -> Crossings:
    """The crossings of the result's surface in all bricks of a job.

    Args:
        sweep_in: gives the field of the sweep in a slab of bricks.    slabs: all of them; other bricks get none.
        stock_states: (Z, Y, X) `State` of all bricks, for the stock.
    """
    bins = fields.triangle_bins
    stock = Stock(stock_states, bins.first, bins.primitive, fields.crossings, fields.sums)
    count, rows = len(fields), 3 * ROWS
    inside, crossed = np.zeros((count, ROWS), np.uint8), np.zeros((count, rows), np.uint8)
    twice, before = np.zeros((count, rows), np.uint8), np.zeros((count, 3 * BRICK_SIZE), np.uint16)
    number = np.zeros(count, dtype=np.int64)
    primitives, rule = Primitives.of(fields.segments, fields.triangles), Rule.of(operation)

    def in_slab(slab: slice) -> list[tuple[npt.NDArray[Any], ...]]:
        sweep = sweep_in(slab)

        def bound() -> tuple[EdgeScratch, Prepared]:
            own = _Scratch(np.empty(3), EdgeScratch.of())
            return own.buffers, cross_edges.prepared(
                0, 0, layout, stock, sweep, primitives, rule, inside, crossed, twice, before, number, own
            )

        def run(start: int, stop: int, own: tuple[EdgeScratch, Prepared]) -> tuple[npt.NDArray[Any], ...]:
            buffers, cross = own
            found = cross(slab.start + start, slab.start + stop)
            return buffers.found_place[:found].copy(), buffers.found_code[:found].copy()

        return in_runs(run, slab.stop - slab.start, BRICKS_PER_RUN, scratch=bound)

    parts = [part for slab in with_progress(slabs) for part in in_slab(slab)]
    first = np.concatenate([[0], np.cumsum(number)])
    place, code = (np.concatenate([part[i] for part in parts]) for i in range(2))
    has_twice = twice.any(axis=1)
    with_twice = np.where(has_twice, np.cumsum(has_twice) - 1, -1).astype(np.int32)
    return Crossings(inside, crossed, with_twice, twice[has_twice], before, first, place, code)
