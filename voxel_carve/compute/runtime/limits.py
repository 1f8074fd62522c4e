"""Checks of the amounts of memory that callers allow."""

import math
from typing import Any

import numpy as np

from . import memory
from .errors import InputError


def allowed_bytes(limit: float | None) -> int:
    """The bytes that a job may take: the limit, or half of the available memory if there is none.

    Raises:
        InputError: the limit is no number of bytes.
    """
    return memory.available_bytes() // 2 if limit is None else byte_count(limit, "memory_limit")


def byte_count(value: Any, name: str) -> int:
    """A number of bytes, 0 or more. The message calls it `name`.

    Raises:
        InputError: it is no such number.
    """
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if is_number and 0 <= value < math.inf:
        return int(value)
    raise InputError("{name} {value}: it must be a number of bytes", name=name, value=value)
