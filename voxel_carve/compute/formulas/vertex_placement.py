"""Where vertices lie: on the surface of the nearest primitives, and on feature edges and corners, where two or three
of these surfaces meet (dual contouring: Ju, Losasso, Schaefer and Warren 2002).

The members of a patch are the primitives that cross the edges of its cell. Members with similar normals form one
surface: see `newton.find_groups`. The vertex starts at the mean of the crossings. Newton steps move it onto the tangent
planes of the surfaces. There are at most three planes, so the shortest step is also the least-squares solution of the
quadric (QEF). A vertex never leaves its cell. If three surfaces do not meet in the cell, two may. If no two do, the
vertex lies on one, and `sharp_edges` completes the edge. A segment that crosses no edge of the cell may still occlude a
point near a feature edge. It then becomes a member too.

Points are (x, y, z) in voxels from the grid's origin. Functions write their results into arguments.
"""

from ..model.bricks import LOWEST, NO_PRIMITIVE
from .hermite import ON_SURFACE, ROUNDING
from .language import Cell, Integers, Point, Primitives, Rule, real
from .newton import FAR, ONE, STEPS, ZERO, find_groups, find_normals, newton_iterate
from .swept_body import value as segment_value

# In voxels: the mean of the crossings is good enough this near to the surface; rounding may take a vertex this far out.
ON_PLANE = 0.002
INSIDE_CELL = 1e-3
MARGIN = 5e-4  # from the sides of the cell: vertices of two cells must not coincide
INWARD = 0.1  # of the way from a crossing to the mean: vertices of four cells on their edge would fold quads

TRIES = 4  # to find a point in the cell; each starts from the last point, clamped to the cell
MOST_OCCLUDERS = 2  # members that were added because they occlude the vertex
SLOTS = 12 + MOST_OCCLUDERS  # most members of a patch: one for each edge, and the occluders

# Where a vertex lies: on the only surface of its cell; where all surfaces meet; on two of three; on one of several.
SMOOTH, SHARP, PARTLY, FALLBACK = 0, 1, 2, 3

OCCLUDED_DEPTH = 0.02  # voxels: a point this deep inside a segment is occluded


def clamp_to_cell(corner: Point, p: Point) -> float:
    """Move p (3,) into the cell at `corner` (3,). Return how far outside it was, along the worst axis."""
    out = real(ZERO)
    for i in range(3):
        inner = min(max(p[i], corner[i]), corner[i] + ONE)
        out = max(out, abs(inner - p[i]))
        p[i] = inner
    return out


def inset_in_cell(corner: Point, p: Point) -> None:
    """Move p (3,) off the sides of its cell at `corner` (3,)."""
    for i in range(3):
        p[i] = min(max(p[i], corner[i] + MARGIN), corner[i] + ONE - MARGIN)


def find_intersection(primitives: Primitives, rule: Rule, groups: int, count: int, cell: Cell, p: Point) -> bool:
    """Move p (3,) to where the surfaces of all groups meet. Return whether they meet in the cell."""
    for _ in range(TRIES):
        far = newton_iterate(primitives, rule, cell.codes, cell.signs, cell.group, groups, count, cell.values, p)
        if clamp_to_cell(cell.corner, p) <= INSIDE_CELL:
            return far < ON_SURFACE
    return False


def project_onto_segment(primitives: Primitives, j: int, corner: Point, p: Point) -> bool:
    """Move p (3,) onto the surface of segment j, in the cell at `corner` (3,). Return whether that succeeded.

    `place_vertex` does the same for a single segment, but falls back to a crossing.
    """
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


def project_into_cell(primitives: Primitives, rule: Rule, count: int, crossed: int, cell: Cell, p: Point) -> None:
    """Move p (3,) to a point of the surface in the cell: by Newton steps, else beside the crossing nearest to the mean.

    Args:
        crossed: number of crossings.
    """
    for _ in range(TRIES):
        far = newton_iterate(primitives, rule, cell.codes, cell.signs, cell.group, int(1), count, cell.values, p)
        if clamp_to_cell(cell.corner, p) <= INSIDE_CELL and far < ON_SURFACE:
            return
    nearest = int(0)
    least = real(FAR)
    for n in range(crossed):
        square = real(ZERO)
        for i in range(3):
            square += (cell.crossings[n, i] - cell.mean[i]) * (cell.crossings[n, i] - cell.mean[i])
        if square < least - ROUNDING:
            nearest = n
            least = square
    for i in range(3):
        p[i] = cell.crossings[nearest, i] + INWARD * (cell.mean[i] - cell.crossings[nearest, i])


def place_vertex(primitives: Primitives, rule: Rule, count: int, crossed: int, cell: Cell, p: Point) -> int:
    """Set p (3,) to the vertex of a patch with `count` members and `crossed` crossings.

    Returns:
        SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    for i in range(3):
        p[i] = cell.mean[i]
    off = find_normals(primitives, cell.codes, cell.signs, count, p, cell.normals)
    groups = int(1)
    if count > 1:
        groups = find_groups(cell.normals, count, int(3), cell.group)
    if groups == 1 and off < ON_PLANE:
        return SMOOTH
    surfaces = groups
    while groups > 1:
        if find_intersection(primitives, rule, groups, count, cell, p):
            return SHARP if groups == surfaces else PARTLY
        for i in range(3):
            p[i] = cell.mean[i]
        groups -= 1
        if groups == 2:
            find_groups(cell.normals, count, groups, cell.group)
    project_into_cell(primitives, rule, count, crossed, cell, p)
    return FALLBACK if surfaces > 1 else SMOOTH


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


def join_crossing(
    primitives: Primitives,
    rule: Rule,
    cell: Cell,
    crossed: int,
    members: int,
    first: int,
    axis: int,
    place: float,
    code: int,
    first_inside: bool,
    p: Point,
) -> int:
    """Add a crossing to a patch, and its primitive to the members.

    Args:
        crossed, members: numbers of crossings and members so far; members is -1 if one is unknown.
        first, axis: first corner of the edge, with a bit for x, y and z, and its direction.
        place, code: where the edge is crossed, from 0 to 1, and the primitive there.
        first_inside: whether the first end is inside.
        p: (3,) sum of the crossings.

    Returns:
        The new number of members.
    """
    for i in range(3):
        crossing = cell.corner[i] + real(first >> i & 1) + (place if i == axis else ZERO)
        cell.crossings[crossed, i] = crossing
        p[i] += crossing
    if members < 0 or code == NO_PRIMITIVE or code == LOWEST:
        return -1
    for m in range(members):
        if cell.codes[m] == code:
            return members
    sign = -ONE if rule.carves else ONE
    if code >= 0:
        sign = ONE if (primitives.normal[code, axis] > ZERO) == first_inside else -ONE
    cell.codes[members] = code
    cell.signs[members] = sign
    return members + 1


def place_patch(primitives: Primitives, rule: Rule, crossed: int, members: int, cell: Cell, p: Point) -> int:
    """Move p (3,), the sum of the crossings of a patch, to its vertex.

    Args:
        crossed, members: numbers of its crossings and members: see `join_crossing`.

    Returns:
        SMOOTH, SHARP, PARTLY or FALLBACK.
    """
    for i in range(3):
        p[i] = p[i] / real(crossed)
        cell.mean[i] = p[i]
    # An intersection keeps the stock's surface where it lies in a segment.
    is_kept = bool(False)
    for m in range(members):
        is_kept = is_kept or (cell.codes[m] >= 0 and rule.greatest and not rule.carves)
    kind = SMOOTH
    if members > 1 or (members == 1 and cell.codes[0] < 0):
        for occluders in range(MOST_OCCLUDERS + 1):
            if members > 1 or not project_onto_segment(primitives, -1 - cell.codes[0], cell.corner, p):
                kind = place_vertex(primitives, rule, members, crossed, cell, p)
            code = NO_PRIMITIVE
            if occluders < MOST_OCCLUDERS and not is_kept:
                code = find_occluder(primitives, cell.around, cell.codes, members, p)
            if code == NO_PRIMITIVE or members == SLOTS:
                break
            cell.codes[members] = code
            cell.signs[members] = -ONE if rule.carves else ONE
            members += 1
    inset_in_cell(cell.corner, p)
    return kind
