"""How a quad is split: see `contouring.quads`."""

from ....contouring import quads
from ..compiler.decorators import subroutine
from ..compiler.formulas import DOUBLE

split_at_second, split_both_at_second = DOUBLE(quads.split_at_second), DOUBLE(quads.split_both_at_second)

# Marks of a quad: its edge enters the result; its diagonal must not start at an even corner, or at an odd one; it is the
# first, or the second, of two on one edge.
ENTERS, NOT_EVEN, NOT_ODD, FIRST, SECOND = 1, 2, 4, 8, 16


@subroutine
def turned_quad(points, corners, marks, q):  # type: ignore[no-untyped-def]
    """The corners of quad q, of corners (Q, 4), counter-clockwise seen from outside. Its diagonal runs from the first to
    the third; the last two of a triangle are the same. If it has less than three corners, so are two of the first three.
    """
    a, b, c, d = corners[q, 0], corners[q, 1], corners[q, 2], corners[q, 3]
    mark = marks[q]
    at_second = mark & NOT_EVEN != 0
    if a != b and b != c and c != d and d != a:
        if mark & (FIRST | SECOND):
            twin = q + 1 if mark & FIRST else q - 1
            at_second = split_both_at_second(
                points, a, b, c, d, corners[twin, 0], corners[twin, 1], corners[twin, 2], corners[twin, 3]
            )
        elif mark & (NOT_EVEN | NOT_ODD) == 0:
            at_second = split_at_second(points, a, b, c, d)
    if mark & ENTERS:
        b, d = d, b
    if a == c or b == d:
        return a, a, a, a
    if a == b:
        return b, c, d, d
    if b == c:
        return a, c, d, d
    if c == d:
        return a, b, d, d
    if d == a:
        return a, b, c, c
    if at_second:
        return b, c, d, a
    return a, b, c, d
