"""Segments and triangles as plain arrays, for engines."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .segments import Segments
from .triangles import Triangles


class Primitives(NamedTuple):
    """`formulas.language.Primitives` in numpy. It holds few arrays, which makes calls cheap.

    Attributes:
        segments: (K, 10), see `Segments.rows`.    points, triangles, normal: those of `Triangles`.
    """

    segments: npt.NDArray[np.float64]
    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int64]
    normal: npt.NDArray[np.float64]

    @classmethod
    def of(cls, segments: Segments, triangles: Triangles) -> "Primitives":
        """Segments and triangles."""
        return cls(segments.rows, triangles.points, triangles.triangles, triangles.normal)

    @classmethod
    def alone(cls, primitives: Segments | Triangles) -> "Primitives":
        """Segments without triangles, or triangles without segments."""
        if isinstance(primitives, Segments):
            return cls(primitives.rows, np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), np.empty((0, 3)))
        return cls(np.empty((0, 10)), primitives.points, primitives.triangles, primitives.normal)
