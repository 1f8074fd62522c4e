"""The cells that the surface passes through, found by the bits of whole layers of voxels at once.

A brick is eight words of 64 bits, one for each layer: bit 8 y + x of word z says that the voxel is inside.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, BRICK_VOXELS

Indices = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

NOT_LAST = np.uint64(0x7F7F7F7F7F7F7F7F)  # all but x = 7
FIRST = np.uint64(0x0101010101010101)  # x = 0
ONE, ROW, LAST_ROW = np.uint64(1), np.uint64(BRICK_SIZE), np.uint64(BRICK_SIZE * (BRICK_SIZE - 1))

# Number of the 27 bricks around one and itself: 13 + 9 dz + 3 dy + dx.
HERE = 13
WEIGHTS = (1, 3, 9)  # of a step along x, y, z


@dataclass(frozen=True)
class ActiveCells:
    """Active cells of some bricks, in order of brick and voxel.

    Attributes:
        brick: (C,) int64, place of the brick in the field.
        voxel: (C,) int64, 0 to 511.
        configuration: (C,) uint8: see `cells`.
    """

    brick: Indices
    voxel: Indices
    configuration: npt.NDArray[np.uint8]


def inside_words(distance: npt.NDArray[np.float32]) -> Words:
    """(B, 8) bits of the voxels inside, from distances (B, 512)."""
    return np.packbits(distance <= 0, axis=1, bitorder="little").view("<u8")


def active_cells(words: Words, around: npt.NDArray[np.int32], rows: slice) -> ActiveCells:
    """The active cells of the bricks `rows`.

    Args:
        words: (B + 2, 8) of all bricks, and of one all outside and one all inside.
        around: (27, B) rows of the bricks around each one.
        rows: which bricks.
    """
    low = _layer_corners(words, around, rows, 0, slice(None))
    top = _layer_corners(words, around, rows, WEIGHTS[2], slice(0, 1))
    layers = [np.concatenate([here, above], axis=1) for here, above in zip(low, top, strict=True)]
    corners = [np.ascontiguousarray(layers[k & 3][:, k >> 2 : (k >> 2) + BRICK_SIZE]).ravel() for k in range(8)]
    some, each = corners[0].copy(), corners[0].copy()
    for corner in corners[1:]:
        some |= corner
        each &= corner
    active = (some & ~each).astype("<u8", copy=False)
    cell = np.flatnonzero(np.unpackbits(active.view(np.uint8), bitorder="little"))
    word, bit = cell >> 6, (cell & 63).astype(np.uint64)
    configuration = np.zeros(len(cell), dtype=np.uint8)
    for k, corner in enumerate(corners):
        configuration |= ((corner[word] >> bit & ONE) << np.uint64(k)).astype(np.uint8)
    return ActiveCells((cell >> 9) + rows.start, cell & (BRICK_VOXELS - 1), configuration)


def joined_cells(parts: list[ActiveCells]) -> ActiveCells:
    """The cells of blocks of bricks as one."""
    return ActiveCells(
        np.concatenate([part.brick for part in parts]),
        np.concatenate([part.voxel for part in parts]),
        np.concatenate([part.configuration for part in parts]),
    )


def _layer_corners(
    words: Words, around: npt.NDArray[np.int32], rows: slice, up: int, layers: slice
) -> tuple[Words, Words, Words, Words]:
    """Bits of the voxels of some layers, and of their neighbours along x, y, and both; `up` is 0 or a step along z."""
    number = HERE + up
    here, beside, behind, across = (
        words[around[number + step, rows], layers] for step in (0, WEIGHTS[0], WEIGHTS[1], WEIGHTS[0] + WEIGHTS[1])
    )
    next_x = (here >> ONE & NOT_LAST) | (beside & FIRST) << np.uint64(BRICK_SIZE - 1)
    behind_x = (behind >> ONE & NOT_LAST) | (across & FIRST) << np.uint64(BRICK_SIZE - 1)
    return here, next_x, here >> ROW | behind << LAST_ROW, next_x >> ROW | behind_x << LAST_ROW
