"""Bodies, and an exact boolean of two of them, before it is judged."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Body:
    """A closed body: points (N, 3) float64, and triangles (M, 3) int32."""

    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Cut:
    """A boolean of a stock and a tool.

    Attributes:
        points: (N, 3) float64.
        triangles: (M, 3) int32.
        of_stock: (M,) whether each triangle is from the stock.
        number: (M,) int64, the triangle of the stock or the tool that each is, or is a part of.
        peak: the greatest memory that the boolean's own process has taken, in bytes.
    """

    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int32]
    of_stock: npt.NDArray[np.bool_]
    number: npt.NDArray[np.int64]
    peak: int = 0
