"""The columns of a table of points, by their names: x, y, z, radius and path, with their units; others are ignored."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...compute.runtime import InputError, Sentence
from ..files import QUOTED, quoted
from .toolpath import Request
from .units import UNIT_NAMES, Unit, unit_named

COLUMNS = ("x", "y", "z", "radius", "path")
# How alike an unknown name and a missing one are where it is taken for a slip.
ALIKE = 0.7

_WITH_UNIT = re.compile(r"(.*?)\s*(?:\(([^()]*)\)|\[([^\[\]]*)\]|[_/\s]\s*(\w+))\s*")
# What a name may say beside the coordinate, as "Pos X" or "x_coordinate".
_BESIDE = {"pos", "position", "coord", "coordinate", "axis"}


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Attributes:
        names: of each column: one of `COLUMNS`, or "" where it is ignored.
        units: of the columns of numbers that say one.
        ignored: the names of the columns that are ignored.
    """

    names: tuple[str, ...]
    units: dict[str, Unit]
    ignored: tuple[str, ...] = ()

    def unit(self, name: str) -> Unit | None:
        """The unit of a column: its own, else that of x, y or z."""
        return next((self.units[each] for each in (name, "x", "y", "z") if each in self.units), None)

    def notes(self, request: Request) -> tuple[Sentence, ...]:
        """On units and on ignored columns."""
        units = {name: self.unit(name) for name in self.names if name in COLUMNS[:4]}
        found: list[Sentence] = []
        for unit in dict.fromkeys(units.values()):
            if unit is None or len(set(units.values())) == 1:
                found += request.unit_note(unit)
                continue
            found.append(
                Sentence(
                    "{file} has {columns} in {unit}: they were multiplied by {factor:g}",
                    file=request.file,
                    columns=", ".join(name for name, own in units.items() if own == unit),
                    unit=unit.said,
                    factor=request.scale(unit),
                )
            )
        if self.ignored:
            shown = ", ".join(quoted(name) for name in self.ignored[:8]) + (", ..." if len(self.ignored) > 8 else "")
            found.append(
                Sentence("{file}: columns that we do not know were ignored: {names}", file=request.file, names=shown)
            )
        return tuple(found)


def columns_of(request: Request, names: Sequence[str], line: int) -> Columns:
    """The columns of a header.

    Args:
        request: for the file's name.
        names: of all columns, as they stand in the file.
        line: where, for messages.

    Raises:
        InputError: x, y or z is missing, a column stands there twice, a name is nearly that of one that is missing, or
            a unit is unknown.
    """
    names = _bare_names(names)
    read = [_name_and_unit(request, name, number, line) for number, name in enumerate(names, 1)]
    known = [name if name in COLUMNS else "" for name, _ in read]
    missing = [name for name in COLUMNS if name not in known]
    for number, (name, _) in enumerate(read, 1):
        near = difflib.get_close_matches(name, missing, n=1, cutoff=ALIKE)
        if name not in COLUMNS and (near or _is_number(name)):
            hint = Sentence(" (did you mean '{name}'?)", name=near[0]) if near else ""
            raise InputError(
                "{file}, line {line}: column {number} is '{name}'{hint}: the first line must name the columns, such as "
                "x,y,z,radius",
                file=request.file,
                line=line,
                number=number,
                name=quoted(name),
                hint=hint,
            )
    for name in COLUMNS[:3]:
        if name in missing:
            raise InputError(
                "{file}, line {line}: the column '{name}' is missing: the header is x,y,z[,radius][,path]",
                file=request.file,
                line=line,
                name=name,
            )
    for name in COLUMNS:
        if known.count(name) > 1:
            raise InputError(
                "{file}, line {line}: the column '{name}' stands there twice", file=request.file, line=line, name=name
            )
    units = {name: unit for (name, unit) in read if unit and name in COLUMNS[:4]}
    ignored = tuple(name for name, _ in read if name and name not in COLUMNS)
    return Columns(tuple(known), units, ignored)


def _bare_names(names: Sequence[str]) -> list[str]:
    """Names without what they say beside the coordinate, where no column has that name alone: "X Position (mm)" as
    "x (mm)"."""
    found = []
    plain = {re.split(r"[^a-z]", name.strip().lower(), maxsplit=1)[0] for name in names if not _beside(name)}
    for name in names:
        bare = _beside(name)
        found.append(name if bare is None or bare[0] in plain else " ".join(bare))
    return found


def _beside(name: str) -> tuple[str, str] | None:
    """The coordinate that a name has beside such a word, and the rest of the name, with the unit."""
    words = re.match(r"\s*([A-Za-z]+)[\s_-]+([A-Za-z]+)(.*)", name[: QUOTED + 1], re.DOTALL)
    if words is None:
        return None
    one, other = words[1].lower(), words[2].lower()
    coordinate = other if one in _BESIDE else one if other in _BESIDE else ""
    return (coordinate, words[3]) if coordinate in COLUMNS[:3] else None


def _name_and_unit(request: Request, name: str, number: int, line: int) -> tuple[str, Unit | None]:
    """A name as we compare it, and the unit beside it, such as "X (mm)", "Radius [in]" or "z_mm"."""
    short = name.strip()[: QUOTED + 1].lower()
    match = _WITH_UNIT.fullmatch(short)
    if match is None or match[1] not in COLUMNS[:4]:
        return short, None
    said = next(group for group in match.groups()[1:] if group is not None)
    unit = unit_named(said)
    if unit is None and match[4] is not None:
        return short, None
    if unit is None:
        raise InputError(
            "{file}, line {line}: column {number} has the unit '{unit}': choose {choices}",
            file=request.file,
            line=line,
            number=number,
            unit=quoted(said),
            choices=", ".join(UNIT_NAMES),
        )
    return match[1], unit


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True
