"""Formulas as numba reads them: see `formulas`."""

import math
from typing import Any

import numpy as np

from ....formulas import columns, hermite, newton, placing, round_cone, splitting, triangle
from ....formulas.reading import Reader
from .decorators import inlined, merged, part


@inlined
def where(condition, yes, no):  # type: ignore[no-untyped-def]
    """`formulas.words.where`."""
    return yes if condition else no


def _single(value: Any) -> Any:
    return np.float32(value) if isinstance(value, float) else value


# Called, where the others are merged into what calls them: from many places, or seldom.
CALLED = (
    round_cone.value, triangle.write_line, hermite.plane_crossing, columns.edge_function,
    newton.group_value, newton.find_normals, newton.find_groups, newton.step_onto, newton.settle,
    placing.clamp_to_cell, placing.meet, placing.land, placing.place_vertex,
    splitting.turns_in_plane, splitting.miss, splitting.lower_half, splitting.choose_split,
)  # fmt: skip

_WORDS = {
    "atan2": math.atan2, "ceil": math.ceil, "floor": math.floor, "single": np.float32, "sqrt": math.sqrt, "where": where
}  # fmt: skip
DOUBLE = Reader(_WORDS | {"real": np.float64}, lambda value: value, merged, dict.fromkeys(CALLED, part))
SINGLE = Reader(_WORDS | {"real": np.float32}, _single, merged)
