"""Some jobs of a list, by their places in it: text such as 3,5-8."""

import re
from collections.abc import Iterable

from ..compute import InputError
from ..formats import readable


def read_places(text: str, count: int) -> list[int]:
    """The places in a text, from 1 to `count`, in order.

    Raises:
        InputError: it names no places, or such as are not in the list.
    """
    places: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= count:
            raise InputError(
                "--only {text}: give places in the list from 1 to {count}, such as 3,5-8",
                text=readable(text),
                count=count,
            )
        places.update(range(first, last + 1))
    return sorted(places)


def places_text(places: Iterable[int]) -> str:
    """The same as text."""
    runs: list[list[int]] = []
    for place in sorted(places):
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
