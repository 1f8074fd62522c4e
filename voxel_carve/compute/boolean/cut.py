"""The result of an exact boolean, before it is judged."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..model.combining import Operation
from ..model.mesh import are_closed
from .nearby_parts import Part


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

    def is_closed(self) -> bool:
        """Whether every edge has as many half-edges in one direction as in the other."""
        return are_closed(self.triangles)


class MeshBoolean(Protocol):
    """An exact boolean of closed meshes."""

    def __call__(self, stock: Part, tool: Part, operation: Operation) -> Cut | None:
        """Subtract the tool from the stock, unite or intersect them. None if one of them is no manifold."""


# Starts a boolean, and ends it.
BooleanStart = Callable[[], AbstractContextManager[MeshBoolean]]
