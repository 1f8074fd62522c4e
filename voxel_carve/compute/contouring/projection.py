"""Moving a point onto the surfaces of primitives, in a cell or hardly outside it, and back where it is hidden there.

The *members* are the primitives that count, in up to three groups, one for each smooth surface. After them come others
that are near the cell, in no group: together they say where the surface of the result is. `cell.mean` is where a point
came from.
"""

from ..formulas.language import CellLoops, Listed, Point, Primitives, Rule, real
from ..formulas.newton import ON_SURFACE, group_value, newton_iterate
from ..formulas.swept_body import value as segment_value
from ..formulas.triangle import box_meets
from ..formulas.triangle import squared_distance as triangle_square
from ..formulas.vertex_placement import MOST_OCCLUDERS, clamp_to_cell, find_occluder, project_onto_segment
from ..model.bricks import NO_PRIMITIVE
from .bends import do_bend, is_known
from .tables import SLOTS

FREE = 1.0  # voxels: a hub where three surfaces meet, and no more, may leave its cell so far
FAIRLY = 0.6  # voxels: another hub where surfaces meet
NARROW = 0.3  # voxels: where two surfaces meet counts, if a third one is nearer than that
SHORT = 0.001  # voxels back to the cell: the cell with the corner in it may have a hub there too
HARDLY = 0.3  # voxels: one where they do not
INSIDE_CELL = 1e-3
INWARD = 0.1  # of the way from a crossing to the mean
AS_NEAR = 0.02  # voxels squared
MET = 0.002  # voxels: surfaces meet at a point that is so near to all of them
TRIES = 4
STEPS = 8
LONGEST_STEP = 0.7
DAMPING = 1e-3
SETTLED = 1e-5

BESIDE = 1e-3  # voxels: a surface that is hidden by less shows
HIDDEN = 0.02  # voxels: by more, a vertex rather lies beside a crossing
MOST_AROUND = 8  # segments that may hide what the crossings of a cell do not know
AROUND = 1.6  # voxels from the centre of a cell: they are nearer
MOST_FACETS = 24  # triangles that may be nearer to a vertex than those of the crossings of its cell
BEYOND = 0.1  # voxels: how far such triangles may be outside of a cell
ON_FACET = 1e-6  # voxels squared
MOST_MEMBERS = 2 * SLOTS
NO_GROUP = 3

ZERO = 0.0
HALF = 0.5
ONE = 1.0
FAR = 1e300
FARTHER = 10.0  # voxels


def put_at(p: Point, x: float, y: float, z: float) -> None:
    """Set p (3,)."""
    p[0] = x
    p[1] = y
    p[2] = z


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


def find_facets(primitives: Primitives, listed: Listed, start: int, stop: int, cell: CellLoops) -> None:
    """List the triangles at a cell, of those from listed[start] to listed[stop - 1], in cell.facets."""
    count = int(0)
    for n in range(start, stop):
        if count < MOST_FACETS and box_meets(primitives, listed[n], cell.corner, int(-1), BEYOND):
            cell.facets[count] = listed[n]
            count += 1
    cell.facet_count[0] = count


def nearer_facet(primitives: Primitives, cell: CellLoops, members: int, p: Point) -> int:
    """The triangle at a cell that goes on with the surface of the members, which are triangles, and is nearest to
    p (3,); NO_PRIMITIVE if a member is as near."""
    least = real(FAR)
    code = int(cell.codes[0])
    for m in range(members):
        if cell.codes[m] >= 0:
            square = triangle_square(primitives, cell.codes[m], p[0], p[1], p[2])
            if square < least:
                least = square
                code = cell.codes[m]
    found = int(NO_PRIMITIVE)
    if least > ON_FACET:
        for n in range(cell.facet_count[0]):
            facet = cell.facets[n]
            square = triangle_square(primitives, facet, p[0], p[1], p[2])
            if square < least and not do_bend(primitives, code, ONE, facet, ONE, p[0], p[1], p[2]):
                least = square
                found = facet
    return found


def put_on_facets(primitives: Primitives, rule: Rule, cell: CellLoops, members: int, p: Point) -> int:
    """Move p (3,), on the surface of members that are triangles, onto triangles that cross no edge of the cell, where
    these are nearer. They become members too. Return the new number."""
    count = int(members)
    for _ in range(MOST_OCCLUDERS):
        if count > 0 and cell.codes[0] >= 0:
            code = nearer_facet(primitives, cell, count, p)
            if code != NO_PRIMITIVE:
                x, y, z = p[0], p[1], p[2]
                more = add_member(cell, count, code, int(0))
                far = newton_iterate(primitives, rule, cell.codes, cell.signs, cell.group, int(1), more, cell.values, p)
                if far < ON_SURFACE and clamp_to_cell(cell.corner, p) <= INSIDE_CELL:
                    count = more
                else:
                    put_at(p, x, y, z)
    return count


def put_beside_crossing(cell: CellLoops, first: int, stop: int, p: Point) -> None:
    """Move p (3,) beside the crossing, of those in the loop's slots `first` to `stop`, that is nearest to cell.mean. Of
    two that are about as near, it is the first of the cell's: so on both sides of a thin wall it is on one edge."""
    nearest = int(cell.loop[first])
    least = real(FAR)
    for n in range(first, stop):
        slot = cell.loop[n]
        square = real(ZERO)
        for i in range(3):
            square += (cell.point[slot, i] - cell.mean[i]) * (cell.point[slot, i] - cell.mean[i])
        if square < least - AS_NEAR or (square < least + AS_NEAR and slot < nearest):
            least = square
            nearest = slot
    for i in range(3):
        p[i] = cell.point[nearest, i] + INWARD * (cell.mean[i] - cell.point[nearest, i])


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
    put_beside_crossing(cell, first, stop, p)


def find_around(primitives: Primitives, listed: Listed, start: int, stop: int, cell: CellLoops) -> None:
    """Set cell.at_corners to the segments, of those from listed[start] to listed[stop - 1], that reach farthest into a
    cell: those nearest to its centre, if they are near."""
    x, y, z = cell.corner[0] + HALF, cell.corner[1] + HALF, cell.corner[2] + HALF
    count = int(0)
    for k in range(MOST_AROUND):
        cell.at_corners[k] = NO_PRIMITIVE
    for n in range(start, stop):
        value, _x, _y, _z = segment_value(primitives.segments, listed[n], x, y, z)
        if value < AROUND:
            at = min(count, MOST_AROUND)
            for k in range(MOST_AROUND):
                last = MOST_AROUND - 1 - k
                if last < at and cell.far[last] > value:
                    if last < MOST_AROUND - 1:
                        cell.far[last + 1] = cell.far[last]
                        cell.at_corners[last + 1] = cell.at_corners[last]
                    at = last
            if at < MOST_AROUND:
                cell.far[at] = value
                cell.at_corners[at] = -1 - listed[n]
                count += 1


def add_unsorted(cell: CellLoops, count: int, code: int) -> int:
    """Add a primitive to the first `count` members, in no group, unless it is in any. Return their new number."""
    if not is_known(code) or count >= MOST_MEMBERS:
        return count
    for m in range(count):
        if cell.codes[m] == code:
            return count
    cell.codes[count] = code
    cell.group[count] = NO_GROUP
    return count + 1


def add_all(rule: Rule, cell: CellLoops, members: int) -> int:
    """Add the primitives that are near the cell to the members, with their signs. Return the new number.

    Triangles only if all members are segments: which triangle is nearest says little beside the other side of a wall.
    """
    count = int(members)
    of_sweep = bool(True)
    for m in range(members):
        of_sweep = of_sweep and cell.codes[m] < 0
    for n in range(cell.near_count[0]):
        if of_sweep or cell.near[n] < 0:
            count = add_unsorted(cell, count, cell.near[n])
    for k in range(MOST_AROUND):
        count = add_unsorted(cell, count, cell.at_corners[k])
    for m in range(count):
        cell.signs[m] = ONE
        if cell.codes[m] < 0:
            cell.signs[m] = -ONE if rule.carves else ONE
        else:
            for n in range(cell.near_count[0]):
                if cell.near[n] == cell.codes[m]:
                    cell.signs[m] = cell.near_sign[n]
    return count


def distance_from_result(primitives: Primitives, rule: Rule, cell: CellLoops, count: int, p: Point) -> float:
    """How far p (3,) is from the surface of the result, as the first `count` members make it: see `add_all`."""
    group_value(primitives, rule, cell.codes, cell.signs, cell.group, int(-1), count, p, cell.values, int(0))
    return abs(cell.values[0, 0])


def hold_near(cell: CellLoops, free: float, p: Point) -> float:
    """Move p (3,) to where it leaves the cell by `free` at most. Return how far it was outside of that."""
    out = real(ZERO)
    for i in range(3):
        inner = min(max(p[i], cell.corner[i] - free), cell.corner[i] + ONE + free)
        out = max(out, abs(inner - p[i]))
        p[i] = inner
    return out


def show(
    primitives: Primitives, rule: Rule, cell: CellLoops, count: int, free: float, enough: float, p: Point
) -> float:
    """Move p (3,) onto the surface of the result, as the first `count` members make it. Return how far it is from that.

    It may leave the cell by `free`. If it does not come nearer to the surface than `enough`, it stays where it is.
    """
    x, y, z = p[0], p[1], p[2]
    for _ in range(TRIES):
        newton_iterate(primitives, rule, cell.codes, cell.signs, cell.group, int(1), count, cell.values, p)
        hold_near(cell, free, p)
        far = distance_from_result(primitives, rule, cell, count, p)
        if far <= BESIDE:
            return far
    far = distance_from_result(primitives, rule, cell, count, p)
    if far < enough:
        return far
    put_at(p, x, y, z)
    return enough


def keep_visible(
    primitives: Primitives, rule: Rule, cell: CellLoops, members: int, first: int, stop: int, p: Point
) -> None:
    """Move p (3,), which lies on the surface of members, onto that of the result, if that is another one there. Where
    none is found in the cell, p goes beside a crossing in the loop's slots `first` to `stop`: these show."""
    if members == 0:
        return
    count = add_all(rule, cell, members)
    far = distance_from_result(primitives, rule, cell, count, p)
    if far <= BESIDE:
        return
    far = show(primitives, rule, cell, count, ZERO, far, p)
    if far <= BESIDE:
        return
    x, y, z = p[0], p[1], p[2]
    for i in range(3):
        p[i] = cell.mean[i]
    least = show(primitives, rule, cell, count, ZERO, FAR, p)
    if min(least, far) > HIDDEN:
        put_beside_crossing(cell, first, stop, p)
        least = show(primitives, rule, cell, count, ZERO, FAR, p)
    if least >= far:
        put_at(p, x, y, z)


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


def meet(primitives: Primitives, rule: Rule, cell: CellLoops, members: int, without: int, p: Point) -> float:
    """Move p (3,) to where the surfaces of all groups of members meet, but of group `without`. Return how far from
    them it is."""
    far = real(ZERO)
    for _ in range(STEPS):
        far = ZERO
        for g in range(3):
            of = NO_GROUP + 1 if g == without else g
            group_value(primitives, rule, cell.codes, cell.signs, cell.group, of, members, p, cell.values, g)
            far = max(far, abs(cell.values[g, 0]))
        x, y, z = p[0], p[1], p[2]
        corner_step(cell, p)
        step = max(max(abs(p[0] - x), abs(p[1] - y)), abs(p[2] - z))
        if step > LONGEST_STEP:
            p[0] = x + (p[0] - x) * LONGEST_STEP / step
            p[1] = y + (p[1] - y) * LONGEST_STEP / step
            p[2] = z + (p[2] - z) * LONGEST_STEP / step
        if step < SETTLED:
            break
    return far


def put_on_surfaces(primitives: Primitives, rule: Rule, cell: CellLoops, members: int, free: float, p: Point) -> bool:
    """Move p (3,) to where the surfaces of all groups of members meet. Return whether that leaves the cell by `free` at
    most."""
    for i in range(3):
        cell.mean[i] = p[i]
    far = meet(primitives, rule, cell, members, NO_GROUP, p)
    return hold_near(cell, free, p) <= ZERO and far < MET


def bring_inside(primitives: Primitives, rule: Rule, cell: CellLoops, count: int, p: Point) -> None:
    """Move p (3,), where the surfaces of all groups of members meet, along these into the cell, if they meet there on
    the surface of the result, as the first `count` members make it."""
    x, y, z = p[0], p[1], p[2]
    far = real(FAR)
    out = hold_near(cell, ZERO, p)
    for _ in range(TRIES):
        if out > INSIDE_CELL:
            far = meet(primitives, rule, cell, count, NO_GROUP, p)
            out = hold_near(cell, ZERO, p)
    if out > INSIDE_CELL or far >= MET or distance_from_result(primitives, rule, cell, count, p) > BESIDE:
        put_at(p, x, y, z)


def is_inside(cell: CellLoops, p: Point) -> bool:
    """Whether p (3,) lies in the cell."""
    inside = bool(True)
    for i in range(3):
        inside = inside and p[i] >= cell.corner[i] and p[i] <= cell.corner[i] + ONE
    return inside


def deepest(primitives: Primitives, cell: CellLoops, members: int, count: int, p: Point) -> int:
    """The member, from `members` to count - 1, that is a segment and hides p (3,) most; -1 if none does."""
    found = int(-1)
    least = real(-BESIDE)
    for m in range(members, count):
        if cell.codes[m] < 0 and cell.group[m] == NO_GROUP:
            value, _x, _y, _z = segment_value(primitives.segments, -1 - cell.codes[m], p[0], p[1], p[2])
            if value < least:
                least = value
                found = m
    return found


def is_of_sweep(cell: CellLoops, count: int, group: int) -> bool:
    """Whether a group of members is of segments."""
    for m in range(count):
        if cell.group[m] == group:
            return cell.codes[m] < 0
    return False


def put_on_some(primitives: Primitives, rule: Rule, cell: CellLoops, count: int, free: float, p: Point) -> float:
    """Move p (3,), near to where three groups of members would meet, to where two of them do, and are the surface of
    the result, in the cell or at most `free` outside it. Return how far p is from that surface then; it stays where it
    is, if it is no nearer anywhere.

    The third surface has to be NARROW there. Of places on the result's surface, rather the border of stock and sweep
    than that of two alike; then where the third is nearest.
    """
    x, y, z = p[0], p[1], p[2]
    bx, by, bz = real(x), real(y), real(z)
    least = real(FAR)
    best = distance_from_result(primitives, rule, cell, count, p)
    of_sweep = int(0)
    for g in range(3):
        of_sweep += 1 if is_of_sweep(cell, count, g) else 0
    for without in range(3):
        put_at(p, x, y, z)
        far, out = real(FAR), real(FAR)
        for _ in range(TRIES):
            if out > INSIDE_CELL:
                far = meet(primitives, rule, cell, count, without, p)
                out = hold_near(cell, free, p)
        if out <= INSIDE_CELL and far < MET:
            group_value(primitives, rule, cell.codes, cell.signs, cell.group, without, count, p, cell.values, int(0))
            height = abs(cell.values[0, 0])
            hidden = max(distance_from_result(primitives, rule, cell, count, p), BESIDE)
            if height < NARROW and hidden <= best:
                left = of_sweep - (1 if is_of_sweep(cell, count, without) else 0)
                if left != 1:
                    height += FARTHER
                if hidden < best or height < least:
                    least = height
                    best = hidden
                    bx = p[0]
                    by = p[1]
                    bz = p[2]
    put_at(p, bx, by, bz)
    return best
