"""Units of length, by the names that files, Blender and people give them."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from ...compute.runtime import InputError, Sentence, SentenceByDoor
from ..files import readable


@dataclass(frozen=True)
class Unit:
    """A unit of length.

    Attributes:
        name: its symbol.
        meters: its length.
    """

    name: str
    meters: float

    @property
    def said(self) -> str:
        """The name in a sentence, after "in"."""
        return Sentence("inches") if self.name == "in" else self.name


_UNITS = {
    Unit("µm", 1e-6): "um μm micron microns micrometer micrometers micrometre micrometres",
    Unit("mm", 1e-3): "millimeter millimeters millimetre millimetres",
    Unit("cm", 1e-2): "centimeter centimeters centimetre centimetres",
    Unit("dm", 1e-1): "decimeter decimeters decimetre decimetres",
    Unit("m", 1.0): "meter meters metre metres",
    Unit("km", 1e3): "kilometer kilometers kilometre kilometres",
    Unit("thou", 0.0000254): "mil mils",
    Unit("in", 0.0254): 'inch inches "',
    Unit("ft", 0.3048): "foot feet '",
    Unit("yd", 0.9144): "yard yards",
    Unit("mi", 1609.344): "mile miles",
}
_BY_NAME = {name: unit for unit, others in _UNITS.items() for name in (unit.name, *others.split())}
UNIT_NAMES = tuple(unit.name for unit in _UNITS)


def unit_named(name: str) -> Unit | None:
    """The unit of a name, such as "mm", "Inches" or "micrometres"; None if no unit has it."""
    return _BY_NAME.get(name.strip().lower())


def unit_note(file: Path, unit: Unit, factor: float) -> Sentence:
    """A note on the unit that a file says, and on the factor that its lengths were multiplied by."""
    if factor == 1:
        return Sentence("{file} is in {unit}", file=file, unit=unit.said)
    return SentenceByDoor(
        "{file} is in {unit}: its lengths were multiplied by {factor:g}",
        command_line="{file} is in {unit}: its lengths were multiplied by {factor:g}; --unit {name} keeps them",
        file=file,
        unit=unit.said,
        factor=factor,
        name=unit.name,
    )


def meters_of(unit: object, what: str) -> float:
    """The meters of a unit, which is given by its name, or by them. The message calls it `what`.

    Raises:
        InputError: no unit has that name, or it is no positive number.
    """
    is_number = isinstance(unit, int | float | np.integer | np.floating) and not isinstance(unit, bool)
    if is_number and 0 < cast(float, unit) < math.inf:
        return float(cast(float, unit))
    found = unit_named(unit) if isinstance(unit, str) else None
    if found is None:
        raise InputError(
            "{what} {unit}: choose {choices}, or give its meters, a positive number",
            what=what,
            unit=readable(unit),
            choices=", ".join(UNIT_NAMES),
        )
    return found.meters
