"""The loops around the patches of surface in a cell, and the runs that border points divide them into.

From each crossing, the pair on one of the two faces beside its edge leads to the next crossing of its loop, and in the
end back. Seen from outside, the result lies to the left. A pair with a border point ends a run.

Slot 2 e + n of a cell is crossing n of edge e, counted along the edge. Slot 24 + s is the middle point of the pair that
leads on from slot s, if it has two border points.

Two runs with one other between them, that lie on one surface, are one run: the border between them and that other ends
at no corner, and has a hub of its own. What remains of the loop may have such runs again, as where steps are lower than
a voxel.
"""

from ..formulas.language import CellLoops, Point, Primitives, Rule, real
from ..formulas.newton import surface_value
from .bends import do_bend, is_step_between
from .tables import SLOTS

CROSSING_SLOTS = SLOTS // 2
JOINED = 256  # the bit of a face's record that says that it is joined; below are two for each pair's border points

ZERO = 0.0
ONE = 1.0
FAR = 1e300


def walk_face(cell: CellLoops, side: int) -> int:
    """Set cell.around to the slots of the crossings around face `side`, in order, and cell.leaves to whether each
    leaves the result. Return their number."""
    count = int(0)
    for k in range(4):
        edge = cell.face_edges[side, k]
        number = cell.number[edge]
        inside = cell.starts_inside[edge] == 1
        if k < 2:
            for n in range(number):
                cell.around[count] = 2 * edge + n
                cell.leaves[count] = 1 if inside == (n % 2 == 0) else 0
                count += 1
        else:
            # Backward: an odd number of crossings turns inside into outside.
            starts = inside != (number % 2 == 1)
            for n in range(number):
                cell.around[count] = 2 * edge + number - 1 - n
                cell.leaves[count] = 1 if starts == (n % 2 == 0) else 0
                count += 1
    return count


def link_face(cell: CellLoops, side: int, record: int, first_border: int) -> bool:
    """Set cell.next, cell.border and cell.border_side for the pairs of face `side`. Return whether there is more than
    one.

    Args:
        record: the numbers of border points of its pairs, two bits each, in the order of the crossings that leave; and
            JOINED.
        first_border: the index of the first border point.
    """
    count = walk_face(cell, side)
    step = 1 if record & JOINED else count - 1
    pair, border = int(0), int(first_border)
    for n in range(count):
        if cell.leaves[n] == 1:
            leaving, entering = cell.around[n], cell.around[(n + step) % count]
            borders = record >> (2 * pair) & 3
            is_far = side & 1 == 1
            start = leaving if is_far else entering
            stop = entering if is_far else leaving
            cell.next[start] = stop
            cell.border_side[start] = 0 if is_far else 1
            cell.border[start] = border if borders > 0 else -1
            if borders == 2:
                middle = CROSSING_SLOTS + start
                cell.next[start] = middle
                cell.next[middle] = stop
                cell.border[start] = border if is_far else border + 1
                cell.border[middle] = border + 1 if is_far else border
            border += borders
            pair += 1
    return pair > 1


def middle_sign(cell: CellLoops, slot: int, carves: bool) -> float:
    """The sign of the middle point after a slot. cell.border_code is set for both.

    A triangle's is that of the stock, between two surfaces alike: it may go on with that of a crossing. Between stock
    and sweep, which do not meet there, it stays by itself.
    """
    middle = CROSSING_SLOTS + slot
    is_between_alike = (cell.border_code[slot, 0] < 0) == (cell.border_code[middle, 1] < 0)
    if cell.border_code[slot, 1] >= 0 and is_between_alike:
        return ONE
    return -ONE if carves else ONE


def take_loop(cell: CellLoops, start: int) -> int:
    """Set cell.loop to the slots of the loop from `start` on, and mark them as taken. Return their number.

    If the loop has border points, the last slot ends a run.
    """
    first = int(start)
    slot = int(start)
    for _ in range(SLOTS):
        if cell.border[slot] >= 0:
            first = cell.next[slot]
            break
        slot = cell.next[slot]
        if slot == start:
            break
    count = int(0)
    slot = first
    for _ in range(SLOTS):
        cell.loop[count] = slot
        cell.taken[slot] = 1
        count += 1
        slot = cell.next[slot]
        if slot == first:
            break
    return count


def divide_loop(cell: CellLoops, count: int) -> int:
    """Set cell.run_end to the end of each run of the loop, as an index after its last slot. Return the number of
    border points."""
    runs = int(0)
    for n in range(count):
        if cell.border[cell.loop[n]] >= 0:
            cell.run_end[runs] = n + 1
            runs += 1
    return runs


def last_slot(cell: CellLoops, run: int) -> int:
    """The last slot of a run."""
    return cell.loop[cell.run_end[run] - 1]


def run_start(cell: CellLoops, run: int) -> int:
    """The index in the loop of the first slot of a run."""
    return 0 if run == 0 else cell.run_end[run - 1]


def are_one_there(primitives: Primitives, cell: CellLoops, run: int, other: int) -> bool:
    """Whether two runs lie on one smooth surface at a crossing of either: between them may be the axis of a thin tool,
    where normals say nothing."""
    one, two = last_slot(cell, run), last_slot(cell, other)
    if is_step_between(
        primitives,
        cell.code[one],
        cell.sign[one],
        cell.code[two],
        cell.sign[two],
        cell.point[two, 0] - cell.point[one, 0],
        cell.point[two, 1] - cell.point[one, 1],
        cell.point[two, 2] - cell.point[one, 2],
    ):
        return False
    for k in range(2):
        at = one if k == 0 else two
        x, y, z = cell.point[at, 0], cell.point[at, 1], cell.point[at, 2]
        if not do_bend(primitives, cell.code[one], cell.sign[one], cell.code[two], cell.sign[two], x, y, z):
            return True
    return False


def is_first_shown(primitives: Primitives, rule: Rule, one: int, other: int, p: Point) -> bool:
    """Whether the surface with the first of two codes, and not that of the other, is the result's at p (3,).

    Of two segments, that of the one which p is deeper in. The stock's is where p is outside of the sweep, or inside if
    both are intersected.
    """
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


def enclosed_run(primitives: Primitives, rule: Rule, cell: CellLoops, count: int, p: Point) -> int:
    """The place in cell.remaining, of the `count` runs there, of that between two which are one; -1 if there is none.
    p (3,) is scratch.

    Of several, the one whose border points are nearest to each other.
    """
    found = int(-1)
    least = real(FAR)
    for k in range(count):
        before, after = (k + count - 1) % count, (k + 1) % count
        if are_one_there(primitives, cell, cell.remaining[before], cell.remaining[after]):
            one, other = last_slot(cell, cell.remaining_end[before]), last_slot(cell, cell.remaining_end[k])
            square = real(ZERO)
            for i in range(3):
                way = cell.border_point[other, i] - cell.border_point[one, i]
                square += way * way
            if square < least:
                least = square
                found = k
    if found < 0 or count != 4:
        return found
    if not are_one_there(primitives, cell, cell.remaining[found], cell.remaining[(found + 2) % 4]):
        return found
    # Either two may be one: the strip is what shows in the middle.
    for i in range(3):
        p[i] = ZERO
        for k in range(4):
            p[i] += cell.border_point[last_slot(cell, cell.remaining_end[k]), i] / real(4)
    even, odd = cell.code[last_slot(cell, cell.remaining[0])], cell.code[last_slot(cell, cell.remaining[1])]
    return 1 if is_first_shown(primitives, rule, even, odd, p) else 2


def begin_hubs(cell: CellLoops, runs: int) -> None:
    """Let all runs of a loop remain."""
    for run in range(runs):
        cell.remaining[run] = run
        cell.remaining_end[run] = run
        cell.one_with[run] = run


def surround_hub(cell: CellLoops, runs: int, borders: int) -> int:
    """Set cell.hub_run to the runs around a hub, in order, from its `borders` borders in cell.hub_end. Return their
    number."""
    around = int(0)
    for k in range(borders):
        for side in range(2):
            run = (cell.hub_end[k] + side) % runs
            is_listed = around > 0 and (run == cell.hub_run[around - 1] or run == cell.hub_run[0])
            if not is_listed:
                cell.hub_run[around] = run
                around += 1
    return around


def take_enclosed(cell: CellLoops, runs: int, count: int, k: int) -> int:
    """Take the run at place k of cell.remaining away, and join those around it. Set cell.hub_end to its two borders.
    Return how many remain."""
    before, after = (k + count - 1) % count, (k + 1) % count
    cell.hub_end[0] = cell.remaining_end[before]
    cell.hub_end[1] = cell.remaining_end[k]
    one, other = min(cell.remaining[before], cell.remaining[after]), max(cell.remaining[before], cell.remaining[after])
    for run in range(runs):
        if cell.one_with[run] == other:
            cell.one_with[run] = one
    cell.remaining[before] = one
    cell.remaining_end[before] = cell.remaining_end[after]
    kept = int(0)
    for n in range(count):
        if n != k and n != after:
            cell.remaining[kept] = cell.remaining[n]
            cell.remaining_end[kept] = cell.remaining_end[n]
            kept += 1
    return kept


def take_rest(cell: CellLoops, count: int) -> None:
    """Set cell.hub_end to the borders of the `count` runs that remain."""
    for k in range(count):
        cell.hub_end[k] = cell.remaining_end[k]
