"""Comparing data that holds arrays."""

from dataclasses import fields
from typing import Any, cast

import numpy as np


class EqualByValue:
    """A base of frozen dataclasses with arrays: they are equal if all their fields are, arrays element by element.

    The classes are declared with `eq=False`, because Python's own comparison asks whether an array is true.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or all(
            _are_equal(one, its) for one, its in zip(_values(self), _values(other), strict=True)
        )

    def __hash__(self) -> int:
        return hash((type(self), *(value.shape for value in _values(self) if isinstance(value, np.ndarray))))


def _values(data: object) -> list[Any]:
    return [getattr(data, each.name) for each in fields(cast(Any, data))]


def _are_equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)
