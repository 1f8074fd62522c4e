"""Points on the surface of some primitives that are not on the surface of all: inside another segment, or beyond the
triangle whose plane they are in."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .bricks import BRICK_SIZE, NO_PRIMITIVE
from .fields import Field
from .hermite import ROUNDING, Array, Codes, Mask, Primitives, is_known

# In voxels: how deep in a segment a point counts as hidden; how far from a plane as beyond the triangle in it; and how
# much farther than the nearest triangle another is as near.
CLOSE = 0.02
BEYOND = 0.05
AS_NEAR = 0.01

# The voxels around a point: what hides it may be the nearest primitive of none of those next to it.
AROUND = 4
STEPS = np.stack(np.meshgrid(*[np.arange(AROUND) - 1] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:, ::-1]

# Of points (3, N) in voxels from the grid's origin: (64, N), `Field.nearest` of the voxels around each.
CodesAround = Callable[[Array], Codes]


def codes_around(field: Field, places: npt.NDArray[np.int32], points: Array) -> Codes:
    """As `CodesAround`; NO_PRIMITIVE beyond the field's bricks, which have these places: see `places_of`."""
    first = np.floor(points - 0.5).astype(np.int64)
    found = np.full((len(STEPS), points.shape[1]), NO_PRIMITIVE, dtype=np.int32)
    for codes, step in zip(found, STEPS, strict=True):
        x, y, z = first + step[:, None]
        place = places[z // BRICK_SIZE + 1, y // BRICK_SIZE + 1, x // BRICK_SIZE + 1]
        near = np.flatnonzero(place >= 0)
        voxel = ((z % BRICK_SIZE * BRICK_SIZE + y % BRICK_SIZE) * BRICK_SIZE + x % BRICK_SIZE)[near]
        codes[near] = field.nearest[place[near], voxel]
    return found


def hidden_by(primitives: Primitives, codes: Codes, points: Array) -> Codes:
    """Of the segments among codes (K, N), the one that holds a point (3, N) deepest inside.

    Returns:
        (N,) NO_PRIMITIVE for none.
    """
    found = np.full(points.shape[1], NO_PRIMITIVE, dtype=np.int32)
    least = np.full(len(found), -CLOSE)
    for code in codes:
        rows = np.flatnonzero((code < 0) & is_known(code))
        value, _ = primitives.segment_values(-1 - code[rows], points[:, rows])
        deeper = value < least[rows] - ROUNDING
        rows, value = rows[deeper], value[deeper]
        least[rows], found[rows] = value, code[rows]
    return found


def is_beyond(primitives: Primitives, codes: Codes, points: Array) -> Mask:
    """(N,) whether points (3, N), in the plane of some triangle, are past its end: of the triangles among codes (K, N)
    that are nearest, as two are at an edge, one looks elsewhere."""
    away = np.full(codes.shape, np.inf)
    for far, code in zip(away, codes, strict=True):
        rows = np.flatnonzero((code >= 0) & is_known(code))
        far[rows] = np.sqrt(primitives.squares_to_triangles(code[rows], points[:, rows]))
    slot, row = np.nonzero(np.isfinite(away) & (away <= away.min(axis=0) + AS_NEAR))
    off = np.abs(primitives.plane_values(codes[slot, row], points[:, row]))
    beyond = np.zeros(points.shape[1], dtype=bool)
    beyond[row[off > BEYOND]] = True
    return beyond
