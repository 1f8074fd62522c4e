"""How a quad is split: see `contouring.quads`."""

from ....contouring import quads
from ..compiler.decorators import subroutine
from ..compiler.formulas import DOUBLE

turned = DOUBLE(quads.turned_quad)


@subroutine
def turned_quad(points, corners, marks, q):  # type: ignore[no-untyped-def]
    """The corners of quad q, of corners (Q, 4): see `contouring.quads`."""
    return turned(points, corners, marks, q)
