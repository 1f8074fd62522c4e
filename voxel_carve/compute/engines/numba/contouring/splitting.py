"""How a quad is split: see `contouring.quads`."""

import numpy as np
import numpy.typing as npt

from ....contouring import quads
from ....contouring.quads import AT_FIRST, AT_SECOND, ENTERS
from ..compiler.decorators import inlined
from ..compiler.formulas import DOUBLE

is_split_at_second, turned_corners = DOUBLE(quads.is_split_at_second), DOUBLE(quads.turned_corners)


@inlined
def remember_split(points, corners, marks, q):  # type: ignore[no-untyped-def]
    """Set the bit in the mark of quad q, of corners (Q, 4), that says how it is split. Return the mark."""
    mark = np.int64(marks[q])
    if mark & (AT_FIRST | AT_SECOND) == 0:
        mark |= AT_SECOND if is_split_at_second(points, corners, marks, q) else AT_FIRST
        marks[q] = mark
    return mark


@inlined
def turned_quad(points, corners, marks, q):  # type: ignore[no-untyped-def]
    """The corners of quad q, of corners (Q, 4): see `contouring.quads`. How it is split is remembered in its mark."""
    mark = remember_split(points, corners, marks, q)
    return turned_corners(corners, q, mark & ENTERS != 0, mark & AT_SECOND != 0)


def forget_splits(marks: npt.NDArray[np.uint8]) -> None:
    """Forget how quads are split, because a vertex has moved."""
    np.bitwise_and(marks, AT_FIRST - 1, out=marks)
