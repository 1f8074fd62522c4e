"""Large arrays whose memory is there before they are filled.

The system gives memory page by page, when each is first written, and clears it. One core spends more time on that than
on filling it; and a driver that copies there spends ten times as much.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from .threads import over_rows

PAGE = 4096  # the least of any system: larger ones are only written more often
BYTES_PER_RUN = 4 << 20


def with_pages(shape: int | tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """A new array, uninitialised. All cores have its pages cleared."""
    array = np.empty(shape, dtype)
    over_rows(_touch, array.nbytes, BYTES_PER_RUN, array.reshape(-1).view(np.uint8))
    return array


def _touch(start: int, stop: int, memory: npt.NDArray[np.uint8]) -> None:
    memory[start:stop:PAGE] = 0
