"""Moving a point onto the surfaces of primitives, in a cell or hardly outside it, and back where it is hidden there.

The *members* are the primitives that count, in up to three groups, one for each smooth surface. A point that cannot
stay where it has moved goes back toward cell.mean, where it came from.
"""

from ..formulas.hermite import ON_SURFACE
from ..formulas.language import CellLoops, Point, Primitives, Rule, real
from ..formulas.newton import group_value, newton_iterate, newton_step
from ..formulas.swept_body import value as segment_value
from ..formulas.triangle import plane_value
from ..formulas.triangle import squared_distance as triangle_square
from ..formulas.vertex_placement import MOST_OCCLUDERS, clamp_to_cell, find_occluder, project_onto_segment
from ..model.bricks import NO_PRIMITIVE
from .faces import is_known

FREE = 0.6  # voxels: a hub may leave its cell so far
INSIDE_CELL = 1e-3
INWARD = 0.1  # of the way from a crossing to the mean
TRIES = 4
STEPS = 8
LONGEST_STEP = 0.7
DAMPING = 1e-3
SETTLED = 1e-5

BESIDE = 1e-3  # voxels: a surface that is hidden by less shows
RETREATS = 3

ZERO = 0.0
ONE = 1.0
TWO = 2.0
FAR = 1e300


def add_member(cell: CellLoops, count: int, code: int, group: int) -> int:
    """Add a primitive to a group of the first `count` members, unless it is one. Return their new number."""
    if not is_known(code):
        return count
    for m in range(count):
        if cell.codes[m] == code and cell.group[m] == group:
            return count
    cell.codes[count] = code
    cell.group[count] = group
    cell.signs[count] = ONE
    return count + 1


def add_run(cell: CellLoops, count: int, first: int, stop: int, group: int) -> int:
    """Add the primitives of the loop's slots `first` to `stop` to a group. Return the new number of members."""
    members = int(count)
    for n in range(first, stop):
        members = add_member(cell, members, cell.code[cell.loop[n]], group)
    return members


def put_on_surface(
    primitives: Primitives, rule: Rule, cell: CellLoops, members: int, first: int, stop: int, p: Point
) -> None:
    """Move p (3,), the mean of the crossings in the loop's slots `first` to `stop`, onto the surface of all members.

    A segment that crosses no edge of the cell may still hide the point. It becomes a member too.
    """
    for i in range(3):
        cell.mean[i] = p[i]
    if members == 0:
        return
    count = int(members)
    for occluders in range(MOST_OCCLUDERS + 1):
        approach_surface(primitives, rule, cell, count, first, stop, p)
        if cell.codes[0] >= 0 or occluders == MOST_OCCLUDERS:
            return
        code = find_occluder(primitives, cell.at_corners, cell.codes, count, p)
        if code == NO_PRIMITIVE:
            return
        count = add_member(cell, count, code, int(0))


def approach_surface(
    primitives: Primitives, rule: Rule, cell: CellLoops, members: int, first: int, stop: int, p: Point
) -> None:
    """As `put_on_surface`, for these members alone. Where no point of their surface is found in the cell, p (3,) goes
    beside the nearest crossing."""
    if members == 1 and cell.codes[0] < 0:
        if project_onto_segment(primitives, -1 - cell.codes[0], cell.corner, p):
            return
    else:
        for _ in range(TRIES):
            far = newton_iterate(primitives, rule, cell.codes, cell.signs, cell.group, int(1), members, cell.values, p)
            if clamp_to_cell(cell.corner, p) <= INSIDE_CELL and far < ON_SURFACE:
                return
    nearest = int(cell.loop[first])
    least = real(FAR)
    for n in range(first, stop):
        slot = cell.loop[n]
        square = real(ZERO)
        for i in range(3):
            square += (cell.point[slot, i] - cell.mean[i]) * (cell.point[slot, i] - cell.mean[i])
        if square < least:
            least = square
            nearest = slot
    for i in range(3):
        p[i] = cell.point[nearest, i] + INWARD * (cell.mean[i] - cell.point[nearest, i])


def is_hidden(primitives: Primitives, rule: Rule, cell: CellLoops, members: int, p: Point) -> bool:
    """Whether the surface that members make is not the result's at p (3,), by the other primitives in the cell.

    It is hidden inside another segment, or, if it is the sweep's, on the wrong side of the stock. Where both are
    intersected, only the part of the stock's surface inside the sweep counts.
    """
    of_sweep = bool(True)
    for m in range(members):
        of_sweep = of_sweep and cell.codes[m] < 0
    least = real(FAR)
    nearest = int(-1)
    closest = real(FAR)
    for n in range(cell.near_count[0]):
        code = cell.near[n]
        if code < 0:
            is_own = bool(False)
            for m in range(members):
                is_own = is_own or cell.codes[m] == code
            if not is_own:
                value, _x, _y, _z = segment_value(primitives.segments, -1 - code, p[0], p[1], p[2])
                least = min(least, value)
        elif of_sweep:
            square = triangle_square(primitives, code, p[0], p[1], p[2])
            if square < closest:
                closest = square
                nearest = n
    if of_sweep or rule.carves or not rule.greatest:
        if least < -BESIDE:
            return True
    elif least < FAR and least > BESIDE:
        return True
    if nearest < 0:
        return False
    height = cell.near_sign[nearest] * plane_value(primitives, cell.near[nearest], p[0], p[1], p[2])
    return height > BESIDE if rule.greatest else height < -BESIDE


def keep_visible(primitives: Primitives, rule: Rule, cell: CellLoops, members: int, p: Point) -> None:
    """Move p (3,) back toward cell.mean, where it came from, if its surface is hidden there."""
    for n in range(RETREATS):
        if members == 0 or not is_hidden(primitives, rule, cell, members, p):
            return
        for i in range(3):
            p[i] = cell.mean[i] if n == RETREATS - 1 else (p[i] + cell.mean[i]) / TWO


def corner_step(cell: CellLoops, p: Point) -> None:
    """Move p (3,) onto three planes, whose distances and normals are in cell.values: damped normal equations, by
    Cramer's rule."""
    xx, yy, zz, xy, xz, yz = real(DAMPING), real(DAMPING), real(DAMPING), real(ZERO), real(ZERO), real(ZERO)
    fx, fy, fz = real(ZERO), real(ZERO), real(ZERO)
    for g in range(3):
        f, x, y, z = cell.values[g, 0], cell.values[g, 1], cell.values[g, 2], cell.values[g, 3]
        xx += x * x
        yy += y * y
        zz += z * z
        xy += x * y
        xz += x * z
        yz += y * z
        fx += f * x
        fy += f * y
        fz += f * z
    ax, ay, az = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    by, bz, cz = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    whole = xx * ax + xy * ay + xz * az
    p[0] -= (ax * fx + ay * fy + az * fz) / whole
    p[1] -= (ay * fx + by * fy + bz * fz) / whole
    p[2] -= (az * fx + bz * fy + cz * fz) / whole


def put_on_surfaces(primitives: Primitives, rule: Rule, cell: CellLoops, members: int, groups: int, p: Point) -> None:
    """Move p (3,) to where the surfaces of two or three groups of members meet, in the cell or at most FREE outside it.
    If that is farther away, p goes back along its way to the cell's side."""
    for i in range(3):
        cell.mean[i] = p[i]
    for _ in range(STEPS):
        for g in range(groups):
            group_value(primitives, rule, cell.codes, cell.signs, cell.group, g, members, p, cell.values, g)
        x, y, z = p[0], p[1], p[2]
        if groups == 3:
            corner_step(cell, p)
        else:
            newton_step(cell.values, groups, p)
        step = max(max(abs(p[0] - x), abs(p[1] - y)), abs(p[2] - z))
        if step > LONGEST_STEP:
            p[0] = x + (p[0] - x) * LONGEST_STEP / step
            p[1] = y + (p[1] - y) * LONGEST_STEP / step
            p[2] = z + (p[2] - z) * LONGEST_STEP / step
        if step < SETTLED:
            break
    out = real(ZERO)
    for i in range(3):
        out = max(out, max(cell.corner[i] - p[i], p[i] - cell.corner[i] - ONE))
    if out <= FREE:
        return
    kept = real(ONE)
    for i in range(3):
        low, high = cell.corner[i], cell.corner[i] + ONE
        if p[i] > high:
            kept = min(kept, (high - cell.mean[i]) / (p[i] - cell.mean[i]))
        elif p[i] < low:
            kept = min(kept, (low - cell.mean[i]) / (p[i] - cell.mean[i]))
    kept = max(kept, ZERO)
    for i in range(3):
        p[i] = cell.mean[i] + kept * (p[i] - cell.mean[i])
