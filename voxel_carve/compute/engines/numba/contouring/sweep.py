"""The field of the sweep, in a slab of bricks at a time: edges need its distances, cells its nearest segments."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....contouring.edges import THIN
from ....field.fields import Fields
from ....model.bricks import BRICK_SIZE, BRICK_VOXELS, State
from ....runtime.threads import over_rows
from ..compiler.decorators import CLAMP, NONE, kernel, subroutine
from ..field.segment_distance import measure_segments, segment_scratch
from .blocks import SIDE, Layout

BRICKS_PER_RUN = 64
SWEPT_BRICKS = 1 << 12  # of a slab: their distances and nearest segments take 16 MiB

SOLID = int(State.SOLID)
MINUS_ONE = np.int32(-1)


class Sweep(NamedTuple):
    """The field of the sweep near its surface.

    Attributes:
        row: (B,) int32, the row of each brick in the other two; -1 if its surface is not near.
        distance, nearest: (S, 512) float32 and int32: see `Field`, but nearest has segments.
        thin: (S,) whether a segment thinner than THIN is near.
        states: (Z, Y, X) uint8 `State` of all bricks.
        first, segment: (B + 1,), (P,) the segments near each brick: see `Bins`.
    """

    row: npt.NDArray[np.int32]
    distance: npt.NDArray[np.float32]
    nearest: npt.NDArray[np.int32]
    thin: npt.NDArray[np.bool_]
    states: npt.NDArray[np.uint8]
    first: npt.NDArray[np.int64]
    segment: npt.NDArray[np.int32]


class NearestSegments(NamedTuple):
    """What cells need of a `Sweep`."""

    row: npt.NDArray[np.int32]
    nearest: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]
    segment: npt.NDArray[np.int32]

    @classmethod
    def of(cls, sweep: Sweep) -> "NearestSegments":
        """That of a sweep, whose distances may then be freed."""
        return cls(sweep.row, sweep.nearest, sweep.first, sweep.segment)


@kernel
def sample_sweep(start, stop, rows, corners, first, segment, cones, distance, nearest, thin, scratch):  # type: ignore[no-untyped-def]
    """Set distance and nearest (S, 512), and thin (S,), for the bricks rows (S,) of corners (B, 3), (z, y, x)."""
    centre, own = scratch
    for s in range(start, stop):
        b = rows[s]
        for k in range(3):
            centre[k] = (corners[b, 2 - k] + 0.5) * BRICK_SIZE
        which = segment[first[b] : first[b + 1]]
        measure_segments(centre, which, cones, own, distance[s], nearest[s])
        least = THIN
        for j in which:
            least = min(least, cones[j, 7], cones[j, 7] - cones[j, 6] * cones[j, 8])
        thin[s] = least < THIN


@subroutine
def load_sweep(brick, layout, sweep, distance, nearest):  # type: ignore[no-untyped-def]
    """Set distance and nearest (729,) of the sweep, in the block of a brick (z, y, x)."""
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        z, y, x = brick[0] + dz, brick[1] + dy, brick[2] + dx
        depth, height, width = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE, 1 if dx else BRICK_SIZE
        place = layout.places[z + 1, y + 1, x + 1]
        own = sweep.row[place] if place >= 0 else MINUS_ONE
        side = CLAMP
        if own < 0 and z < sweep.states.shape[0] and y < sweep.states.shape[1] and x < sweep.states.shape[2]:
            side = -CLAMP if sweep.states[z, y, x] == SOLID else CLAMP
        for k in range(depth):
            for j in range(height):
                at = ((dz * BRICK_SIZE + k) * SIDE + dy * BRICK_SIZE + j) * SIDE + dx * BRICK_SIZE
                for i in range(width):
                    voxel = (k * BRICK_SIZE + j) * BRICK_SIZE + i
                    distance[at + i] = sweep.distance[own, voxel] if own >= 0 else side
                    nearest[at + i] = sweep.nearest[own, voxel] if own >= 0 else NONE


@subroutine
def load_nearest(brick, layout, sweep, nearest):  # type: ignore[no-untyped-def]
    """Set nearest (729,) of the sweep, in the block of a brick (z, y, x)."""
    for corner in range(8):
        dz, dy, dx = corner >> 2, corner >> 1 & 1, corner & 1
        place = layout.places[brick[0] + dz + 1, brick[1] + dy + 1, brick[2] + dx + 1]
        depth, height, width = 1 if dz else BRICK_SIZE, 1 if dy else BRICK_SIZE, 1 if dx else BRICK_SIZE
        own = sweep.row[place] if place >= 0 else MINUS_ONE
        for k in range(depth):
            for j in range(height):
                at = ((dz * BRICK_SIZE + k) * SIDE + dy * BRICK_SIZE + j) * SIDE + dx * BRICK_SIZE
                for i in range(width):
                    voxel = (k * BRICK_SIZE + j) * BRICK_SIZE + i
                    nearest[at + i] = sweep.nearest[own, voxel] if own >= 0 else NONE


def slabs_of(fields: Fields, count: int) -> list[slice]:
    """The first `count` bricks of a job in runs, within each of which about SWEPT_BRICKS have the surface of the sweep
    near."""
    before = np.cumsum(fields.sweep_state[:count] == State.NEAR)
    ends = np.searchsorted(before, np.arange(SWEPT_BRICKS, before[-1] if len(before) else 0, SWEPT_BRICKS)) + 1
    starts, stops = [0, *ends.tolist()], [*ends.tolist(), count]
    return [slice(start, stop) for start, stop in zip(starts, stops, strict=True)]


def sampled_sweep(fields: Fields, layout: Layout, slab: slice, states: npt.NDArray[np.uint8]) -> Sweep:
    """The field of the sweep in a slab of the bricks of a job, and in those after each. `states` are the sweep's."""
    wanted = np.zeros(len(fields), dtype=np.bool_)
    places = layout.places_of(slab)
    for step in np.ndindex(2, 2, 2):
        found = layout.beside(places, step)
        wanted[found[found >= 0]] = True
    rows = np.flatnonzero(wanted & (fields.sweep_state == State.NEAR))
    row = np.full(len(fields), -1, dtype=np.int32)
    row[rows] = np.arange(len(rows), dtype=np.int32)
    shape = len(rows), BRICK_VOXELS
    distance, nearest = np.empty(shape, np.float32), np.empty(shape, np.int32)
    thin = np.empty(len(rows), dtype=np.bool_)
    bins = fields.segment_bins
    over_rows(
        sample_sweep, len(rows), BRICKS_PER_RUN, rows, layout.bricks, bins.first, bins.primitive, fields.segments.rows,
        distance, nearest, thin, scratch=lambda: (np.empty(3), segment_scratch(bins.first)),
    )  # fmt: skip
    return Sweep(row, distance, nearest, thin, states, bins.first, bins.primitive)
