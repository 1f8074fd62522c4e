"""Where the vertices of a cell lie.

A vertex on one smooth surface starts at the mean of its crossings, and moves onto the nearest of their primitives by
Newton steps. It never leaves its cell. A hub lies where surfaces meet: see `hubs`.

Where runs of a loop are one, there are several hubs: see `cells`.
"""

from ..formulas.language import CellLoops, Point, Points, Primitives, Rule, real
from ..formulas.newton import newton_step, surface_value
from ..formulas.triangle import plane_value
from ..formulas.triangle import squared_distance as triangle_square
from ..formulas.vertex_placement import ON_PLANE
from .bends import is_known
from .cells import (
    CROSSING_SLOTS,
    begin_hubs,
    divide_loop,
    enclosed_run,
    last_slot,
    run_start,
    surround_hub,
    take_enclosed,
    take_loop,
    take_rest,
)
from .faces import THIN
from .hubs import are_one, place_hub
from .projection import (
    add_member,
    add_run,
    is_inside,
    keep_visible,
    put_at,
    put_on_facets,
    put_on_surface,
)

NO_WIDTH = 1e-6  # voxels
MERGED = 0.4  # voxels: a run's vertex that is nearer to its hub is the hub
ONE_PLANE = 0.9997  # cosine, 1.4 degrees: triangles that bend less make no crease
WELL_INSIDE = 0.02  # voxels from the sides of a cell
ON_CREASE = 1e-6  # voxels squared: the triangles beside a crease reach it

ZERO = 0.0
ONE = 1.0
FAR = 1e300


def place_run(primitives: Primitives, rule: Rule, cell: CellLoops, runs: int, run: int, p: Point) -> None:
    """Move p (3,) to the vertex of a run, and of those that are one with it."""
    for i in range(3):
        p[i] = ZERO
    count, members = int(0), int(0)
    for own in range(runs):
        if cell.one_with[own] == run:
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
    members = put_on_facets(primitives, rule, cell, members, p)
    keep_visible(primitives, rule, cell, members, run_start(cell, run), cell.run_end[run], p)


def make_one_plane(primitives: Primitives, one: int, other: int) -> bool:
    """Whether two triangles have much the same normal."""
    cosine = (
        primitives.normal[one, 0] * primitives.normal[other, 0]
        + primitives.normal[one, 1] * primitives.normal[other, 1]
        + primitives.normal[one, 2] * primitives.normal[other, 2]
    )
    return cosine > ONE_PLANE


def set_plane(primitives: Primitives, cell: CellLoops, row: int, code: int, p: Point) -> None:
    """Set a row of cell.values to the distance of p (3,) from the plane of a triangle, and its normal."""
    cell.values[row, 0] = plane_value(primitives, code, p[0], p[1], p[2])
    for i in range(3):
        cell.values[row, i + 1] = real(primitives.normal[code, i])


def reaches(primitives: Primitives, cell: CellLoops, members: int, code: int, p: Point) -> bool:
    """Whether a member in the plane of a triangle reaches p (3,)."""
    for m in range(members):
        if make_one_plane(primitives, cell.codes[m], code):
            if triangle_square(primitives, cell.codes[m], p[0], p[1], p[2]) < ON_CREASE:
                return True
    return False


def slide_into_cell(cell: CellLoops, p: Point) -> None:
    """Move p (3,) along the line where two planes meet, whose normals are in cell.values, to the nearest place
    inside the cell: on its side, the vertex of the next cell may lie too. It stays where the line does not come there.
    """
    low, high = real(-FAR), real(FAR)
    for i in range(3):
        j, k = (i + 1) % 3 + 1, (i + 2) % 3 + 1
        along = cell.values[0, j] * cell.values[1, k] - cell.values[0, k] * cell.values[1, j]
        before, after = cell.corner[i] + WELL_INSIDE - p[i], cell.corner[i] + ONE - WELL_INSIDE - p[i]
        if abs(along) > NO_WIDTH:
            low = max(low, min(before / along, after / along))
            high = min(high, max(before / along, after / along))
    if low <= high:
        way = min(max(ZERO, low), high)
        for i in range(3):
            j, k = (i + 1) % 3 + 1, (i + 2) % 3 + 1
            along = cell.values[0, j] * cell.values[1, k] - cell.values[0, k] * cell.values[1, j]
            p[i] += way * along


def put_on_crease(primitives: Primitives, cell: CellLoops, members: int, p: Point) -> bool:
    """Move p (3,), the mean of the crossings of members, to where these meet in the cell, if they are triangles in two
    or more planes. Return whether they do: then the mesh has an edge where the stock has one, however small its angle.
    """
    second, third = int(-1), int(-1)
    for m in range(members):
        if cell.codes[m] < 0:
            return False
        if not make_one_plane(primitives, cell.codes[0], cell.codes[m]):
            if second < 0:
                second = m
            elif not make_one_plane(primitives, cell.codes[second], cell.codes[m]):
                third = m
    if second < 0:
        return False
    x, y, z = p[0], p[1], p[2]
    set_plane(primitives, cell, int(0), cell.codes[0], p)
    set_plane(primitives, cell, int(1), cell.codes[second], p)
    planes = int(2)
    if third >= 0:
        set_plane(primitives, cell, int(2), cell.codes[third], p)
        planes = 3
    newton_step(cell.values, planes, p)
    if planes == 2:
        slide_into_cell(cell, p)
    are_met = is_inside(cell, p)
    for m in range(members):
        are_met = are_met and reaches(primitives, cell, members, cell.codes[m], p)
    if not are_met:
        put_at(p, x, y, z)
    return are_met


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
    if most > ON_PLANE and put_on_crease(primitives, cell, members, p):
        return
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
    members = put_on_facets(primitives, rule, cell, members, points[vertex])
    keep_visible(primitives, rule, cell, members, int(0), count, points[vertex])


def is_thin_run(primitives: Primitives, cell: CellLoops, run: int) -> bool:
    """Whether a run lies on a thin segment: its vertex may be all that there is of the floor of a groove."""
    code = cell.code[last_slot(cell, run)]
    if code >= 0 or not is_known(code):
        return False
    j = -1 - code
    last = primitives.segments[j, 7] - primitives.segments[j, 6] * primitives.segments[j, 8]
    return min(primitives.segments[j, 7], last) < THIN


def has_no_width(primitives: Primitives, cell: CellLoops, runs: int, run: int, p: Point) -> bool:
    """Whether p (3,), the mean of the crossings of a run, lies on the plane of another, as beside an edge along a side
    of the cell. The run's vertex may not: the run's surface is round."""
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
    begin_hubs(cell, runs)
    remaining, hubs = int(runs), int(0)
    while remaining > 0:
        enclosed, borders = int(-1), int(remaining)
        if remaining > 3:
            enclosed = enclosed_run(primitives, rule, cell, remaining, points[vertex + hubs])
        if enclosed >= 0:
            remaining = take_enclosed(cell, runs, remaining, enclosed)
            borders = 2
        else:
            take_rest(cell, remaining)
            remaining = 0
        place_hub(primitives, rule, cell, runs, borders, surround_hub(cell, runs, borders), points[vertex + hubs])
        remember_origin(cell, vertex + hubs, origins)
        for k in range(borders):
            cell.hub[last_slot(cell, cell.hub_end[k])] = vertex + hubs
        hubs += 1
    free = int(vertex + hubs)
    for run in range(runs):
        own = int(free)
        if cell.one_with[run] != run:
            own = cell.vertex[last_slot(cell, cell.one_with[run])]
        else:
            place_run(primitives, rule, cell, runs, run, points[free])
            remember_origin(cell, free, origins)
            square = real(ZERO)
            for i in range(3):
                square += (points[free, i] - points[vertex, i]) * (points[free, i] - points[vertex, i])
            # At the end of a groove, between three surfaces, the floor goes on in the next cell.
            is_end = hubs == 1 and runs > 2 and cell.loop[run_start(cell, run)] >= CROSSING_SLOTS
            is_floor = not is_end and is_thin_run(primitives, cell, run)
            is_near = not is_floor and square < MERGED * MERGED
            if hubs == 1 and not is_crowded and (is_near or has_no_width(primitives, cell, runs, run, cell.mean)):
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
