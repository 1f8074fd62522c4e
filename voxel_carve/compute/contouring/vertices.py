"""Where the vertices of a cell lie.

A vertex on one smooth surface starts at the mean of its crossings, and moves onto the nearest of their primitives by
Newton steps. It never leaves its cell. A hub starts at the mean of its border points, and moves onto the two or three
surfaces that meet there. It may stay a little outside its cell. If they do not meet near the cell, or something hides
the place, it goes to where two of them do, else onto whatever surface is the result's there.

A loop with four runs of which two opposite ones lie on one surface is a strip with a border on each side: those two are
one run, and there are two hubs.
"""

from ..formulas.language import CellLoops, Point, Points, Primitives, Rule, real
from ..formulas.newton import surface_value
from ..formulas.swept_body import value as segment_value
from ..formulas.triangle import plane_value
from ..formulas.vertex_placement import ON_PLANE
from .cells import CROSSING_SLOTS, divide_loop, take_loop
from .faces import SMOOTH_SWEEP, THIN, do_bend, is_known
from .projection import (
    BESIDE,
    FAIRLY,
    FAR,
    FREE,
    HARDLY,
    INWARD,
    SHORT,
    add_all,
    add_member,
    add_run,
    bring_inside,
    deepest,
    distance_from_result,
    is_inside,
    is_of_sweep,
    keep_visible,
    put_at,
    put_on_some,
    put_on_surface,
    put_on_surfaces,
    show,
)

ALIKE = 0.7  # cosine: a segment that is found deep inside may go on with a surface to which it is less smooth there
MOST_HIDING = 4  # segments that are looked for at a hub
NO_WIDTH = 1e-6  # voxels
MERGED = 0.4  # voxels: a run's vertex that is nearer to its hub is the hub

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


def last_slot(cell: CellLoops, run: int) -> int:
    """The last slot of a run."""
    return cell.loop[cell.run_end[run] - 1]


def are_one_there(primitives: Primitives, cell: CellLoops, run: int, other: int) -> bool:
    """Whether two runs lie on one smooth surface at a crossing of either: between them may be the axis of a thin tool,
    where normals say nothing."""
    one, two = last_slot(cell, run), last_slot(cell, other)
    for k in range(2):
        at = one if k == 0 else two
        x, y, z = cell.point[at, 0], cell.point[at, 1], cell.point[at, 2]
        if not do_bend(primitives, cell.code[one], cell.sign[one], cell.code[two], cell.sign[two], x, y, z):
            return True
    return False


def run_start(cell: CellLoops, run: int) -> int:
    """The index in the loop of the first slot of a run."""
    return 0 if run == 0 else cell.run_end[run - 1]


def is_first_shown(primitives: Primitives, rule: Rule, cell: CellLoops, p: Point) -> bool:
    """Whether the surface of the first run, and not that of the second, is the result's at p (3,).

    Of two segments, that of the one which p is deeper in. The stock's is where p is outside of the sweep, or inside if
    both are intersected.
    """
    one, other = cell.code[last_slot(cell, 0)], cell.code[last_slot(cell, 1)]
    first, _x, _y, _z = surface_value(primitives, one, p[0], p[1], p[2])
    second, _x, _y, _z = surface_value(primitives, other, p[0], p[1], p[2])
    if one < 0 and other < 0:
        return first < second
    only_within = rule.greatest and not rule.carves
    if other < 0:
        return (second < ZERO) == only_within
    if one < 0:
        return (first < ZERO) != only_within
    return abs(first) < abs(second)


def strip_run(primitives: Primitives, rule: Rule, cell: CellLoops, p: Point) -> int:
    """Of a loop with four runs, 0 or 1 for the run that is one with that after the next; -1 if there is none.

    p (3,) is the mean of the border points.
    """
    even, odd = are_one_there(primitives, cell, 0, 2), are_one_there(primitives, cell, 1, 3)
    if even and odd:
        return 0 if is_first_shown(primitives, rule, cell, p) else 1
    return 0 if even else (1 if odd else -1)


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
    runs: int,
    first: int,
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
        far = show(primitives, rule, cell, count, HARDLY, far, p)
    if far > BESIDE:
        # All border points lie on the surface, on the sides of the cell.
        x, y, z = p[0], p[1], p[2]
        least = real(FAR)
        at = int(0)
        for k in range(borders):
            slot = last_slot(cell, (first + k) % runs)
            dx, dy, dz = cell.border_point[slot, 0] - x, cell.border_point[slot, 1] - y, cell.border_point[slot, 2] - z
            if dx * dx + dy * dy + dz * dz < least:
                least = dx * dx + dy * dy + dz * dz
                at = slot
        for i in range(3):
            p[i] = cell.border_point[at, i] + INWARD * (cell.mean[i] - cell.border_point[at, i])
        if show(primitives, rule, cell, count, HARDLY, FAR, p) >= far:
            put_at(p, x, y, z)


def gather_surfaces(
    primitives: Primitives, cell: CellLoops, runs: int, first: int, around: int, start: int, p: Point
) -> tuple[int, int, bool]:
    """Set the members of a hub at p (3,): those of the runs from `first` on, in a group for each smooth surface, three
    at most, beginning with that of run first + start. Return the numbers of groups and members, and whether there are
    more surfaces.

    Args:
        around: how many runs there are.
    """
    groups, members = int(0), int(0)
    is_more = bool(False)
    for k in range(around):
        run = (first + (start + k) % around) % runs
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
            members = add_member(cell, members, cell.border_code[slot, 0], own)
            before = last_slot(cell, (run + runs - 1) % runs)
            members = add_member(cell, members, cell.border_code[before, 1], own)
        else:
            is_more = True
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
        hider = deepest(primitives, rule, cell, members, count, p)
        joined = int(-1)
        if hider >= 0 and hiding < MOST_HIDING:
            joined = joined_group(primitives, cell, count, own, cell.codes[hider], p)
        if joined < 0:
            return own, is_met and distance_from_result(primitives, rule, cell, count, p) <= BESIDE
        own = max(own, joined + 1)
        cell.group[hider] = joined
        for i in range(3):
            p[i] = cell.mean[i]
    return own, False


def place_hub(
    primitives: Primitives, rule: Rule, cell: CellLoops, runs: int, first: int, borders: int, p: Point
) -> None:
    """Move p (3,) to the hub of some border points of a loop: those that end the run `first` and the following ones."""
    for i in range(3):
        p[i] = ZERO
    for k in range(borders):
        slot = last_slot(cell, (first + k) % runs)
        for i in range(3):
            p[i] += cell.border_point[slot, i] / real(borders)
    for i in range(3):
        cell.mean[i] = p[i]
    around = borders if borders == runs else borders + 1
    sweep = int(0)
    while sweep < around - 1 and cell.code[last_slot(cell, (first + sweep) % runs)] >= 0:
        sweep += 1
    groups, members, count = int(0), int(0), int(0)
    is_met, is_more = bool(False), bool(True)
    # Of more than three surfaces, any three with the sweep that meet count; if none do, the first three.
    for turn in range(around + 1):
        if is_more and not is_met:
            for i in range(3):
                p[i] = cell.mean[i]
            start = (sweep + turn) % around
            groups, members, is_more = gather_surfaces(primitives, cell, runs, first, around, start, p)
            count = add_all(rule, cell, members)
            if groups > 1:
                free = FREE if groups == 3 and runs == 3 else FAIRLY
                groups, is_met = meet_shown(primitives, rule, cell, groups, members, count, free, p)
                if is_more and cell.code[last_slot(cell, (first + sweep) % runs)] < 0:
                    has_sweep = is_of_sweep(cell, count, 0) or is_of_sweep(cell, count, 1)
                    is_met = is_met and (has_sweep or is_of_sweep(cell, count, 2))
    if members == 0:
        return
    if not is_met:
        put_elsewhere(primitives, rule, cell, count, groups, runs, first, borders, p)
    elif groups < 3 and not is_inside(cell, p):
        bring_inside(primitives, rule, cell, count, p)
    elif groups == 3 and not is_inside(cell, p):
        x, y, z = p[0], p[1], p[2]
        for i in range(3):
            p[i] += SHORT * (cell.mean[i] - p[i])
        if put_on_some(primitives, rule, cell, count, FREE, p) > BESIDE:
            put_at(p, x, y, z)


def place_run(primitives: Primitives, rule: Rule, cell: CellLoops, runs: int, run: int, other: int, p: Point) -> None:
    """Move p (3,) to the vertex of a run, or of two that are one; `other` is -1 for none."""
    for i in range(3):
        p[i] = ZERO
    count, members = int(0), int(0)
    for k in range(2):
        own = run if k == 0 else other
        if own >= 0:
            start, stop = run_start(cell, own), cell.run_end[own]
            for n in range(start, stop):
                slot = cell.loop[n]
                for i in range(3):
                    p[i] += cell.point[slot, i]
            before, after = last_slot(cell, (own + runs - 1) % runs), last_slot(cell, own)
            for i in range(3):
                p[i] += cell.border_point[before, i] + cell.border_point[after, i]
            count += stop - start + 2
            members = add_run(cell, members, start, stop, int(0))
    for i in range(3):
        p[i] = p[i] / real(count)
    put_on_surface(primitives, rule, cell, members, run_start(cell, run), cell.run_end[run], p)
    keep_visible(primitives, rule, cell, members, p)


def place_patch(primitives: Primitives, rule: Rule, cell: CellLoops, count: int, p: Point) -> None:
    """Set p (3,) to the vertex on the surface of the first `count` slots of the loop."""
    for i in range(3):
        p[i] = ZERO
    members = int(0)
    for n in range(count):
        slot = cell.loop[n]
        members = add_member(cell, members, cell.code[slot], int(0))
        for i in range(3):
            p[i] += cell.point[slot, i]
    share = ONE / real(count)
    most = real(ZERO)
    for i in range(3):
        p[i] *= share
        cell.mean[i] = p[i]
    for m in range(members):
        value, _x, _y, _z = surface_value(primitives, cell.codes[m], p[0], p[1], p[2])
        most = max(most, abs(value))
    if most > ON_PLANE or (members > 0 and cell.codes[0] < 0):
        put_on_surface(primitives, rule, cell, members, int(0), count, p)


def place_smooth_loop(
    primitives: Primitives, rule: Rule, cell: CellLoops, count: int, vertex: int, points: Points
) -> None:
    """Place the only vertex of a loop of `count` slots, and assign it to them."""
    for n in range(count):
        slot = cell.loop[n]
        cell.vertex[slot] = vertex
        cell.hub[slot] = vertex
    place_patch(primitives, rule, cell, count, points[vertex])
    members = add_run(cell, int(0), int(0), count, int(0))
    keep_visible(primitives, rule, cell, members, points[vertex])


def is_thin_run(primitives: Primitives, cell: CellLoops, run: int) -> bool:
    """Whether a run lies on a thin segment: its vertex may be all that there is of the floor of a groove."""
    code = cell.code[last_slot(cell, run)]
    if code >= 0 or not is_known(code):
        return False
    j = -1 - code
    last = primitives.segments[j, 7] - primitives.segments[j, 6] * primitives.segments[j, 8]
    return min(primitives.segments[j, 7], last) < THIN


def has_no_width(primitives: Primitives, cell: CellLoops, runs: int, run: int, p: Point) -> bool:
    """Whether the vertex p (3,) of a run lies on the plane of another, as beside an edge along a side of the cell."""
    own = last_slot(cell, run)
    for k in range(runs):
        slot = last_slot(cell, k)
        code = cell.code[slot]
        if k != run and code >= 0 and is_known(code):
            height = plane_value(primitives, code, p[0], p[1], p[2])
            if abs(height) < NO_WIDTH and not are_one(primitives, cell, own, slot, p):
                return True
    return False


def remember_origin(cell: CellLoops, vertex: int, origins: Points) -> None:
    """Set a row of origins (V, 3) to where the vertex that was placed last came from."""
    for i in range(3):
        origins[vertex, i] = cell.mean[i]


def place_loop(
    primitives: Primitives,
    rule: Rule,
    cell: CellLoops,
    count: int,
    is_crowded: bool,
    vertex: int,
    points: Points,
    origins: Points,
) -> int:
    """Place the vertices of a loop of `count` slots: points (V, 3), from `vertex` on. Return the next free one.

    cell.vertex is set for each of the slots, and cell.hub for those that end a run; origins (V, 3) to where each vertex
    came from: a mean of points on the sides of the cell.

    Args:
        is_crowded: whether a face of the cell has more than one pair: then no vertices merge.
    """
    runs = divide_loop(cell, count)
    if runs < 2:
        place_smooth_loop(primitives, rule, cell, count, vertex, points)
        remember_origin(cell, vertex, origins)
        return vertex + 1
    strip = int(-1)
    if runs == 4:
        for i in range(3):
            points[vertex, i] = ZERO
            for k in range(4):
                points[vertex, i] += cell.border_point[last_slot(cell, k), i] / real(4)
        strip = strip_run(primitives, rule, cell, points[vertex])
    hubs = 1 if strip < 0 else 2
    for h in range(hubs):
        borders = runs // hubs
        first = max(strip, 0) + h * borders
        place_hub(primitives, rule, cell, runs, first, borders, points[vertex + h])
        remember_origin(cell, vertex + h, origins)
        for k in range(borders):
            cell.hub[last_slot(cell, (first + k) % runs)] = vertex + h
    free = int(vertex + hubs)
    for run in range(runs):
        own = int(free)
        if strip >= 0 and run == strip + 2:
            own = cell.vertex[last_slot(cell, strip)]
        else:
            place_run(primitives, rule, cell, runs, run, strip + 2 if run == strip else -1, points[free])
            remember_origin(cell, free, origins)
            square = real(ZERO)
            for i in range(3):
                square += (points[free, i] - points[vertex, i]) * (points[free, i] - points[vertex, i])
            is_floor = is_thin_run(primitives, cell, run)
            is_near = not is_floor and square < MERGED * MERGED
            if hubs == 1 and not is_crowded and (is_near or has_no_width(primitives, cell, runs, run, points[free])):
                own = vertex
            else:
                free += 1
        for n in range(run_start(cell, run), cell.run_end[run]):
            cell.vertex[cell.loop[n]] = own
    return free


def place_cell(
    primitives: Primitives,
    rule: Rule,
    cell: CellLoops,
    is_crowded: bool,
    vertex: int,
    points: Points,
    origins: Points,
) -> int:
    """Place the vertices of all loops of a cell, whose slots are linked, from `vertex` on. Return the next free one."""
    from_here = int(vertex)
    for slot in range(CROSSING_SLOTS):
        if cell.taken[slot] == 0:
            count = take_loop(cell, slot)
            from_here = place_loop(primitives, rule, cell, count, is_crowded, from_here, points, origins)
    return from_here
