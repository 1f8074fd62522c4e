"""From the field in bricks to a closed mesh: one vertex per patch of surface in a cell, one quad per crossed edge.

A cell belongs to the brick of its least corner, and has that corner's index in the brick. The steps are: find the
crossings on the edges of cells (`hermite`), place the vertex of each patch (`cells`, `vertex_placement`), choose the
diagonal of each quad (`quad_splitting`), and complete the feature edges (`sharp_edges`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..formulas.vertex_placement import FALLBACK, PARTLY, SHARP
from ..runtime.sentences import Sentence

LEFT_BRICKS = Sentence("the surface leaves the bricks where it was looked for: please report this as a bug")


@dataclass(frozen=True)
class PlacementCounts:
    """How the vertices on feature edges were placed.

    Attributes:
        sharp: number of vertices where surfaces meet.
        fallback: number of vertices on one surface only, though several pass through their cell.
    """

    sharp: int
    fallback: int

    @classmethod
    def of(cls, kinds: npt.NDArray[np.uint8]) -> "PlacementCounts":
        """Count the kinds (V,) of vertices. See `formulas.vertex_placement`."""
        return cls(int(((kinds == SHARP) | (kinds == PARTLY)).sum()), int((kinds == FALLBACK).sum()))
