"""Structs for the types of `formulas.language` on a Warp device: see `formulas` for how they are read."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

from typing import Any

wp: Any = None  # stands for Warp, wherever Warp reads


class Primitives:
    """See `formulas.language`."""

    segments: wp.array2d[wp.float64]
    points: wp.array2d[wp.float64]
    triangles: wp.array2d[wp.int32]
    normal: wp.array2d[wp.float64]


class Edges:
    """See `formulas.language`."""

    low: wp.array2d[wp.float64]
    high: wp.array2d[wp.float64]
    sign: wp.array[wp.float64]


class Rule:
    """See `formulas.language`."""

    carves: wp.bool
    greatest: wp.bool
