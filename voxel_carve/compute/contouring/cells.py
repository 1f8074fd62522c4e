"""The loops around the patches of surface in a cell, and the runs that border points divide them into.

From each crossing, the pair on one of the two faces beside its edge leads to the next crossing of its loop, and in the
end back. Seen from outside, the result lies to the left. A pair with a border point ends a run.

Slot 2 e + n of a cell is crossing n of edge e, counted along the edge. Slot 24 + s is the middle point of the pair that
leads on from slot s, if it has two border points.
"""

from ..formulas.language import CellLoops
from .tables import SLOTS

CROSSING_SLOTS = SLOTS // 2
JOINED = 256  # the bit of a face's record that says that it is joined; below are two for each pair's border points

ONE = 1.0


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
