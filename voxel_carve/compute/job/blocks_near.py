"""What is near a sweep, by blocks of 2 x 2 x 2 voxels: a table of the bricks has a bit for each of their 64 blocks."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..field.binning import BinnedSweep
from ..field.protocol import Backend
from ..field.stock import PreparedStock
from ..model.bricks import BLOCKS_ACROSS, BRICK_SIZE, REACH, State
from ..primitives.segments import Segments
from .combining import combined_field, for_few_bricks

Blocks = npt.NDArray[np.uint64]
Octants = npt.NDArray[np.uint8]

EVERY = np.uint64(2**64 - 1)
# For z, y and x: how far a step goes in the bits of a brick, and its first and last blocks.
_BLOCK = np.arange(64)
_ALONG = [(16, _BLOCK // 16), (4, _BLOCK // 4 % 4), (1, _BLOCK % 4)]


def _bits(chosen: npt.NDArray[np.bool_]) -> np.uint64:
    return np.uint64(sum(1 << int(block) for block in np.flatnonzero(chosen)))


STEPS = [(np.uint64(step), _bits(place == 0), _bits(place == BLOCKS_ACROSS - 1)) for step, place in _ALONG]
# The blocks of each octant, and for z, y and x: how far a step goes in the bits of octants, and the last of them.
OF_OCTANT = [_bits(4 * (_BLOCK // 32) + 2 * (_BLOCK // 8 % 2) + _BLOCK // 2 % 2 == octant) for octant in range(8)]
OCTANT_STEPS = [
    (np.uint8(4), np.uint8(0b11110000)),
    (np.uint8(2), np.uint8(0b11001100)),
    (np.uint8(1), np.uint8(0b10101010)),
]


def swept_blocks(prepared: PreparedStock, segments: Segments, binned: BinnedSweep, backend: Backend) -> Blocks:
    """(Z, Y, X) the blocks with a voxel in the sweep, or nearer than REACH to it, in the bricks that the surface of the
    stock may pass."""
    near = prepared.states == State.NEAR
    marks = np.where(near & (binned.states == State.SOLID), EVERY, np.uint64(0))
    bricks = np.flatnonzero(near & (binned.states == State.NEAR))
    alone = replace(prepared, states=np.full_like(prepared.states, State.EMPTY))
    field = combined_field(alone, segments, binned, binned.states, bricks, "union", for_few_bricks(backend))
    distance = field.distances()
    voxels = (
        (distance < REACH)
        .reshape(-1, *[BLOCKS_ACROSS, BRICK_SIZE // BLOCKS_ACROSS] * 3)
        .any(axis=(2, 4, 6))
        .reshape(-1, BLOCKS_ACROSS**3)
    )
    marks.ravel()[bricks] = np.packbits(voxels, axis=1, bitorder="little").view(np.uint64)[:, 0]
    return marks


def grown_blocks(marks: Blocks, steps: int) -> Blocks:
    """The same with all blocks that are up to so many steps beside one."""
    for _ in range(steps):
        for axis, (step, first, last) in enumerate(STEPS):
            grown = marks | (marks & ~last) << step | (marks & ~first) >> step
            across = np.uint64(BLOCKS_ACROSS - 1) * step
            ahead, behind = (np.moveaxis(array, axis, 0) for array in (grown, marks))
            ahead[1:] |= (behind[:-1] & last) >> across
            ahead[:-1] |= (behind[1:] & first) << across
            marks = grown
    return marks


def octants_with(marks: Blocks) -> Octants:
    """(Z, Y, X) the octants of bricks that have a marked block: see `formulas.octants`."""
    found = np.zeros(marks.shape, dtype=np.uint8)
    for octant, blocks in enumerate(OF_OCTANT):
        found |= (marks & blocks != 0).astype(np.uint8) << np.uint8(octant)
    return found


def with_octants_after(octants: Octants) -> Octants:
    """The same with those that follow along x, y and z, and along several of these."""
    for axis, (step, last) in enumerate(OCTANT_STEPS):
        grown = octants | (octants & ~last) << step
        ahead, behind = (np.moveaxis(array, axis, 0) for array in (grown, octants))
        ahead[1:] |= (behind[:-1] & last) >> step
        octants = grown
    return octants
