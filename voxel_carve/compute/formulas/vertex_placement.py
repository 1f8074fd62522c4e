"""Vertices in their cells: moved onto a segment, and hidden by another.

The members of a vertex are the primitives that it lies on. A segment that crosses no edge of the cell may still occlude
a point near a feature edge. It then becomes a member too.

Points are (x, y, z) in voxels from the grid's origin. Functions write their results into arguments.
"""

from ..model.bricks import LOWEST, NO_PRIMITIVE
from .language import Integers, Point, Primitives, real
from .newton import ON_SURFACE, ONE, ROUNDING, STEPS, ZERO
from .swept_body import value as segment_value

# In voxels: the mean of the crossings is good enough this near to the surface; rounding may take a vertex this far out.
ON_PLANE = 0.002
INSIDE_CELL = 1e-3

TRIES = 4  # to find a point in the cell; each starts from the last point, clamped to the cell
MOST_OCCLUDERS = 2  # members that were added because they occlude the vertex
OCCLUDED_DEPTH = 0.02  # voxels: a point this deep inside a segment is occluded


def clamp_to_cell(corner: Point, p: Point) -> float:
    """Move p (3,) into the cell at `corner` (3,). Return how far outside it was, along the worst axis."""
    out = real(ZERO)
    for i in range(3):
        inner = min(max(p[i], corner[i]), corner[i] + ONE)
        out = max(out, abs(inner - p[i]))
        p[i] = inner
    return out


def project_onto_segment(primitives: Primitives, j: int, corner: Point, p: Point) -> bool:
    """Move p (3,) onto the surface of segment j, in the cell at `corner` (3,). Return whether that succeeded."""
    value, nx, ny, nz = segment_value(primitives.segments, j, p[0], p[1], p[2])
    if abs(value) < ON_PLANE:
        return True
    is_known = bool(True)
    for _ in range(TRIES):
        for _step in range(STEPS):
            if not is_known:
                value, nx, ny, nz = segment_value(primitives.segments, j, p[0], p[1], p[2])
            is_known = bool(False)
            p[0] -= value * nx
            p[1] -= value * ny
            p[2] -= value * nz
            if abs(value) < ON_SURFACE:
                break
        if clamp_to_cell(corner, p) <= INSIDE_CELL and abs(value) < ON_SURFACE:
            return True
    return False


def find_occluder(primitives: Primitives, around: Integers, codes: Integers, members: int, p: Point) -> int:
    """The segment around (8,) a cell that contains p (3,) most deeply, or NO_PRIMITIVE.

    Members, the first of codes, do not count: p lies on their surfaces.
    """
    least = -OCCLUDED_DEPTH
    found = NO_PRIMITIVE
    for k in range(8):
        code = around[k]
        is_new = code < 0 and code != LOWEST
        for m in range(members):
            is_new = is_new and codes[m] != code
        if is_new:
            value, _x, _y, _z = segment_value(primitives.segments, -1 - code, p[0], p[1], p[2])
            if value < least - ROUNDING:
                least = value
                found = code
    return found
