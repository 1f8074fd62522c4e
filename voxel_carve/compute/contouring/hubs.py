"""Where the hubs of a cell lie.

A hub starts at the mean of its border points, and moves onto the two or three surfaces that meet there. It may stay a
little outside its cell. If they do not meet near the cell, or something hides the place, it goes to where two of them
do, else onto whatever surface is the result's there.
"""

from ..formulas.language import CellLoops, Point, Primitives, Rule, real
from ..formulas.swept_body import value as segment_value
from .bends import SMOOTH_SWEEP, do_bend
from .cells import last_slot, run_start
from .projection import (
    BESIDE,
    FAIRLY,
    FAR,
    FREE,
    HARDLY,
    INWARD,
    MET,
    NO_GROUP,
    SHORT,
    add_all,
    add_member,
    add_run,
    bring_inside,
    deepest,
    distance_from_result,
    is_inside,
    is_of_sweep,
    meet,
    put_at,
    put_on_some,
    put_on_surfaces,
    show,
)

ALIKE = 0.7  # cosine: a segment that is found deep inside may go on with a surface to which it is less smooth there
MOST_HIDING = 4  # segments that are looked for at a hub
FOLD_NEAR = 0.3  # voxels: a segment of one surface that is nearer to a hub may meet another there
FLAT = 0.9986  # cosine: two segments of one surface that bend by less have no fold

ZERO = 0.0
ONE = 1.0


def are_one(primitives: Primitives, cell: CellLoops, one: int, other: int, p: Point) -> bool:
    """Whether two slots lie on one smooth surface near p (3,)."""
    return not do_bend(
        primitives,
        cell.code[one],
        cell.sign[one],
        cell.code[other],
        cell.sign[other],
        p[0],
        p[1],
        p[2],
    )


def joined_group(primitives: Primitives, cell: CellLoops, count: int, groups: int, code: int, p: Point) -> int:
    """Of the groups of a hub at p (3,), the one whose surface a segment goes on with; a new one if there is none, -1
    if there are three already.

    cell.values has the distances and normals of the groups. There are `count` members.
    """
    _value, x, y, z = segment_value(primitives.segments, -1 - code, p[0], p[1], p[2])
    most = real(ALIKE)
    own = int(-1)
    for g in range(groups):
        if is_of_sweep(cell, count, g):
            cosine = abs(cell.values[g, 1] * x + cell.values[g, 2] * y + cell.values[g, 3] * z)
            if cosine > most:
                most = cosine
                own = g
    return own if most > SMOOTH_SWEEP or groups == 3 else groups


def put_elsewhere(
    primitives: Primitives,
    rule: Rule,
    cell: CellLoops,
    count: int,
    groups: int,
    borders: int,
    p: Point,
) -> None:
    """Move p (3,), near to where the surfaces of a hub would meet if they did near the cell, to the surface of the
    result: if possible, to where two of them meet.

    Args:
        count: of the members: see `add_all`.
    """
    far = real(FAR)
    if groups == 3:
        far = put_on_some(primitives, rule, cell, count, HARDLY, p)
    if far > BESIDE:
        if not is_inside(cell, p):
            for i in range(3):
                p[i] = cell.mean[i]
            far = FAR
        far = show(primitives, rule, cell, count, HARDLY, far, p)
    if far > BESIDE:
        # All border points lie on the surface, on the sides of the cell.
        x, y, z = p[0], p[1], p[2]
        least = real(FAR)
        at = int(0)
        for k in range(borders):
            slot = last_slot(cell, cell.hub_end[k])
            dx, dy, dz = cell.border_point[slot, 0] - x, cell.border_point[slot, 1] - y, cell.border_point[slot, 2] - z
            if dx * dx + dy * dy + dz * dz < least:
                least = dx * dx + dy * dy + dz * dz
                at = slot
        for i in range(3):
            p[i] = cell.border_point[at, i] + INWARD * (cell.mean[i] - cell.border_point[at, i])
        if show(primitives, rule, cell, count, HARDLY, FAR, p) >= far:
            put_at(p, x, y, z)


def group_of(cell: CellLoops, count: int, code: int) -> int:
    """The group of a primitive among the first `count` members; -1 if it is none."""
    for m in range(count):
        if cell.codes[m] == code:
            return cell.group[m]
    return -1


def border_passed(cell: CellLoops, borders: int, p: Point) -> int:
    """The slot of a border point of a hub that lies on a side of the cell which p (3,) is beyond; -1 if there is none.

    The surfaces then meet where, by that border point, the next cell has an edge of two: they are close to each other
    from there on.
    """
    for k in range(borders):
        slot = last_slot(cell, cell.hub_end[k])
        for i in range(3):
            low = cell.corner[i]
            if p[i] < low and cell.border_point[slot, i] <= low:
                return slot
            if p[i] > low + ONE and cell.border_point[slot, i] >= low + ONE:
                return slot
    return -1


def gather_surfaces(
    primitives: Primitives, cell: CellLoops, runs: int, around: int, start: int, p: Point
) -> tuple[int, int, bool]:
    """Set the members of a hub at p (3,): those of the `around` runs in cell.hub_run, in a group for each smooth
    surface, three at most, beginning with place `start`. Return the numbers of groups and members, and whether there
    are more surfaces."""
    groups, members = int(0), int(0)
    is_more = bool(False)
    for k in range(around):
        run = cell.hub_run[(start + k) % around]
        slot = last_slot(cell, run)
        own = groups
        for g in range(groups):
            if own == groups and are_one(primitives, cell, cell.surface[g], slot, p):
                own = g
        if own < 3:
            if own == groups:
                cell.surface[own] = slot
                groups += 1
            members = add_run(cell, members, run_start(cell, run), cell.run_end[run], own)
        else:
            is_more = True
    # A segment that goes on with one surface at a border point may be what another one goes on with, too.
    for k in range(around):
        run = cell.hub_run[(start + k) % around]
        slot = last_slot(cell, run)
        own = group_of(cell, members, cell.code[slot])
        if own >= 0:
            if group_of(cell, members, cell.border_code[slot, 0]) < 0:
                members = add_member(cell, members, cell.border_code[slot, 0], own)
            before = last_slot(cell, (run + runs - 1) % runs)
            if group_of(cell, members, cell.border_code[before, 1]) < 0:
                members = add_member(cell, members, cell.border_code[before, 1], own)
    return groups, members, is_more


def meet_shown(
    primitives: Primitives, rule: Rule, cell: CellLoops, groups: int, members: int, count: int, free: float, p: Point
) -> tuple[int, bool]:
    """Move p (3,) to where the surfaces of a hub meet. A segment that hides it there joins one of them, or is one more.
    Return the new number of groups, and whether they meet near the cell, on the surface of the result.

    Args:
        members, count: how many there are, without and with those that `add_all` added.
    """
    own = int(groups)
    for hiding in range(MOST_HIDING + 1):
        is_met = put_on_surfaces(primitives, rule, cell, count, free, p)
        hider = deepest(primitives, cell, members, count, p)
        joined = int(-1)
        if hider >= 0 and hiding < MOST_HIDING:
            joined = joined_group(primitives, cell, count, own, cell.codes[hider], p)
        # What lies in a segment may show: in an intersection, the stock's surface does.
        is_shown = distance_from_result(primitives, rule, cell, count, p) <= BESIDE
        if joined < 0 or is_shown:
            return own, is_met and is_shown
        own = max(own, joined + 1)
        cell.group[hider] = joined
        for i in range(3):
            p[i] = cell.mean[i]
    return own, False


def find_fold(primitives: Primitives, cell: CellLoops, members: int, p: Point) -> int:
    """The member, of two groups that meet at p (3,), whose surface meets that of a nearer one of its group at a small
    angle beside p; -1 if there is none."""
    found = int(-1)
    least = real(FOLD_NEAR)
    for g in range(2):
        own = int(-1)
        nearest = real(FAR)
        for m in range(members):
            if cell.group[m] == g and cell.codes[m] < 0:
                value, _x, _y, _z = segment_value(primitives.segments, -1 - cell.codes[m], p[0], p[1], p[2])
                if value < nearest:
                    nearest = value
                    own = m
        for m in range(members):
            if cell.group[m] == g and cell.codes[m] < 0 and cell.codes[m] != cell.codes[own]:
                value, x, y, z = segment_value(primitives.segments, -1 - cell.codes[m], p[0], p[1], p[2])
                if value < least:
                    _near, u, v, w = segment_value(primitives.segments, -1 - cell.codes[own], p[0], p[1], p[2])
                    if x * u + y * v + z * w < FLAT:
                        least = value
                        found = m
    return found


def put_on_fold(primitives: Primitives, rule: Rule, cell: CellLoops, members: int, count: int, p: Point) -> None:
    """Move p (3,), where two surfaces meet, along their border to a fold in one of them: an edge of the result turns
    there. It stays if there is none in the cell.

    Args:
        members, count: see `meet_shown`.
    """
    fold = find_fold(primitives, cell, members, p)
    if fold < 0:
        return
    x, y, z = p[0], p[1], p[2]
    own = int(cell.group[fold])
    cell.group[fold] = 2
    far = meet(primitives, rule, cell, count, NO_GROUP, p)
    if far >= MET or not is_inside(cell, p) or distance_from_result(primitives, rule, cell, count, p) > BESIDE:
        cell.group[fold] = own
        put_at(p, x, y, z)


def place_hub(
    primitives: Primitives, rule: Rule, cell: CellLoops, runs: int, borders: int, around: int, p: Point
) -> None:
    """Move p (3,) to a hub of a loop: that of the `borders` border points that end the runs cell.hub_end. The runs
    cell.hub_run lie around it."""
    for i in range(3):
        p[i] = ZERO
    for k in range(borders):
        slot = last_slot(cell, cell.hub_end[k])
        for i in range(3):
            p[i] += cell.border_point[slot, i] / real(borders)
    for i in range(3):
        cell.mean[i] = p[i]
    sweep = int(0)
    while sweep < around - 1 and cell.code[last_slot(cell, cell.hub_run[sweep])] >= 0:
        sweep += 1
    groups, members, count = int(0), int(0), int(0)
    is_met, is_more = bool(False), bool(True)
    has_stock = bool(False)
    for k in range(around):
        has_stock = has_stock or cell.code[last_slot(cell, cell.hub_run[k])] >= 0
    # Of more than three surfaces, any three of both stock and sweep that meet count; if none do, the first three.
    for turn in range(around + 1):
        if is_more and not is_met:
            for i in range(3):
                p[i] = cell.mean[i]
            start = (sweep + turn) % around
            groups, members, is_more = gather_surfaces(primitives, cell, runs, around, start, p)
            count = add_all(rule, cell, members)
            if groups > 1:
                free = FREE if groups == 3 and runs == 3 else FAIRLY
                groups, is_met = meet_shown(primitives, rule, cell, groups, members, count, free, p)
                if is_more and cell.code[last_slot(cell, cell.hub_run[sweep])] < 0:
                    swept = int(0)
                    for g in range(groups):
                        swept += 1 if is_of_sweep(cell, count, g) else 0
                    is_met = is_met and swept > 0 and (swept < groups or not has_stock)
    if members == 0:
        return
    if not is_met:
        put_elsewhere(primitives, rule, cell, count, groups, borders, p)
    elif groups == 2:
        put_on_fold(primitives, rule, cell, members, count, p)
        if not is_inside(cell, p):
            bring_inside(primitives, rule, cell, count, p)
    elif groups == 3 and not is_inside(cell, p):
        x, y, z = p[0], p[1], p[2]
        passed = border_passed(cell, borders, p)
        way = max(max(abs(cell.mean[0] - x), abs(cell.mean[1] - y)), max(abs(cell.mean[2] - z), SHORT))
        share = SHORT / way
        if passed >= 0:
            share = INWARD
            for i in range(3):
                p[i] = cell.border_point[passed, i]
        for i in range(3):
            p[i] += share * (cell.mean[i] - p[i])
        if put_on_some(primitives, rule, cell, count, FREE, p) > BESIDE:
            put_at(p, x, y, z)
