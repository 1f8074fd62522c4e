"""From the field in bricks to a closed mesh: one vertex per patch of surface in a cell, one quad per crossed edge.

A cell belongs to the brick of its corner with the least coordinates. Its index in the brick is that corner's. Where the
surface crosses the edges of cells is found first (`hermite`), then the vertex of each patch (`cells`,
`vertex_placement`), and how each quad is split (`quad_splitting`); last, sharp edges are made whole (`sharp_edges`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..formulas.vertex_placement import FALLBACK, PARTLY, SHARP

LEFT_BRICKS = "the surface leaves the bricks where it was looked for: please report this as a bug"


@dataclass(frozen=True)
class Placed:
    """How many vertices were put where surfaces meet, and how many could not be, though several are in their cell:
    these lie on one of them."""

    sharp: int
    fallback: int

    @classmethod
    def of(cls, kinds: npt.NDArray[np.uint8]) -> "Placed":
        """Counted, by what became of each vertex (V,): see `formulas.vertex_placement`."""
        return cls(int(((kinds == SHARP) | (kinds == PARTLY)).sum()), int((kinds == FALLBACK).sum()))
