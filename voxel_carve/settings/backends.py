"""The choice of a backend: among our own, those of other packages, and one that was chosen and is no longer there."""

import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from ..backend_status import known_status, outside_backends
from ..translations import interface_text
from ..translations.telling import told

# Identifier, name, description, icon and number.
Item = tuple[str, str, str, str, int]

# Files keep the numbers. That of the CPU was once Numba's, which is what it is now.
AUTOMATIC: Item = (
    "AUTO",
    "Automatic",
    "Use what the preferences of the extension say, else the fastest one that works on this machine",
    "NONE",
    0,
)
OWN_BACKENDS: tuple[Item, ...] = (
    (
        "CPU",
        "CPU",
        "Compute with compiled kernels on all cores of the CPU. They are compiled once, in less than a minute",
        "NONE",
        2,
    ),
    (
        "CUDA",
        "CUDA",
        "Compute on NVIDIA GPUs with Warp, which the cuda flavour of the extension brings along",
        "NONE",
        3,
    ),
)
# Smaller numbers are for our own.
FIRST_NUMBER = 16


def backend_choices(automatic: Item) -> Callable[[Any, Any], list[Item]]:
    """The function that lists a property's choices, given what Automatic means there. A backend that does not work here
    stays in the list, and says why."""

    def items(owner: Any, _context: Any) -> list[Item]:
        outside = {name.upper(): _outside(name, package) for name, package in outside_backends().items()}
        chosen = getattr(owner, "backend_name", "")
        if chosen and chosen not in outside:
            outside[chosen] = _gone(chosen)
        return [automatic, *(_kept(*_with_reason(*item)) for item in (*OWN_BACKENDS, *outside.values()))]

    return items


def keep_backend_name(owner: Any, _context: Any) -> None:
    """Keep the name of a backend from outside beside its number, for when it is no longer there."""
    chosen = owner.backend
    name = "" if chosen in {item[0] for item in (AUTOMATIC, *OWN_BACKENDS)} else chosen
    if owner.backend_name != name:
        owner.backend_name = name


def _outside(name: str, package: str) -> Item:
    brought = interface_text("Brought by {package}").format(package=package)
    return name.upper(), name, brought if package else interface_text("Registered by a program"), "NONE", _number(name)


def _gone(identifier: str) -> Item:
    name = identifier.lower()
    title = interface_text("{backend}, Not Installed").format(backend=name)
    reason = interface_text("It was chosen before. Install the package that brings it, or choose another")
    return identifier, title, reason, "ERROR", _number(name)


def _with_reason(identifier: str, name: str, description: str, icon: str, number: int) -> Item:
    """A choice, with the reason if it was tried here and does not work."""
    status = known_status(identifier.lower())
    if status is None or status.name:
        return identifier, name, description, icon, number
    return identifier, name, f"{interface_text(description)}. {told(status.notes[0])}", "ERROR", number


@cache
def _kept(*item: Any) -> Item:
    """The same choice, kept for ever: Blender shows its texts but keeps no reference to them."""
    return item  # type: ignore[return-value]


def _number(name: str) -> int:
    """The number that files keep, the same wherever the package is installed."""
    return FIRST_NUMBER + zlib.crc32(name.encode()) % (2**31 - FIRST_NUMBER)
