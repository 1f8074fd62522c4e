"""Where the surface crosses the edges of cells, and whose surface it is there (Hermite data: Ju, Losasso, Schaefer and
Warren 2002), from the primitives themselves.

At each end of a crossed edge the field is the distance of one primitive. The surface crosses where one of these two
does: of fields that run straight, no third one can be first. Where both cross, it is the one nearer to the inside where
the greater of the fields counts, and the one nearer to the outside where the lesser does; of two triangles, which meet
at an angle that nobody knows, the one whose plane is met nearer to the triangle.

A crossing is found by Newton's steps, kept between the ends by bisection. Where neither primitive crosses, it is where
a field that runs straight would be 0.

Points are in voxels from the grid's origin. Primitives are numbered as in `Field.nearest`, and called codes here.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .combining import Operation

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

LOWEST = -(2**31)  # the number that NO_PRIMITIVE has as a segment

CROSSING_STEPS = 6
ON_SURFACE = 0.01  # voxels: after a step from here, what is left is its square by twice a radius
ROUNDING = 1e-9  # of float64, generously
ROUNDING_32 = 1e-4  # of the float32 distances that say which end is inside


class Rule(NamedTuple):
    """How two fields are made one.

    Attributes:
        carves: the sweep's outside counts.
        greatest: the greater field counts, and not the lesser.
    """

    carves: bool
    greatest: bool

    @classmethod
    def of(cls, operation: Operation) -> "Rule":
        """That of an operation."""
        return cls(operation == "subtract", operation != "union")
