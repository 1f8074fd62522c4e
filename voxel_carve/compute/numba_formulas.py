"""Formulas as numba reads them: see `formulas`."""

import math
from typing import Any

import numpy as np

from .formulas.reading import Reader
from .numba_kernels import inlined, merged


@inlined
def where(condition, yes, no):  # type: ignore[no-untyped-def]
    """`formulas.words.where`."""
    return yes if condition else no


def _single(value: Any) -> Any:
    return np.float32(value) if isinstance(value, float) else value


DOUBLE = Reader({"sqrt": math.sqrt, "where": where, "real": np.float64}, lambda value: value, merged)
SINGLE = Reader({"sqrt": math.sqrt, "where": where, "real": np.float32}, _single, merged)
