"""What a reader of toolpaths is asked for, and what it gives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

import numpy as np
import numpy.typing as npt

from ...compute.model import LARGEST_COORDINATE, Path
from ...compute.runtime import InputError, Sentence, SentenceByDoor
from ..files import Room, quoted
from .units import Unit, unit_note

Points = npt.NDArray[np.float64]
OUT_OF_RANGE = Sentence("it has coordinates that are not numbers or are too large")
# Measured: memory of a path without its points and the characters of its name.
BYTES_PER_PATH = 1200


NO_RADIUS = SentenceByDoor(
    "{file} has no radius: give one", command_line="{file} has no radius: give one with --radius"
)


class NoRadiusError(InputError):
    """A file has no radius, and none was given."""


class Toolpath(tuple[Path, ...]):
    """The polylines of a file, in its order.

    Attributes:
        notes: what its reader decided or left out, for the user.
    """

    notes: tuple[Sentence, ...]

    def __new__(cls, paths: Iterable[Path], notes: Iterable[Sentence] = ()) -> "Toolpath":
        """Keep the notes beside the paths."""
        made = super().__new__(cls, paths)
        made.notes = tuple(notes)
        return made


@dataclass(frozen=True)
class Request:
    """What a reader is asked for.

    Attributes:
        file: the file, for messages.
        radius: of all points, in the unit of the result, if the file has none.
        unit: meters in a unit of the result.
        file_unit: meters in a unit of the numbers in a file that does not say its unit.
        room: the memory that reading may take.
    """

    file: FilePath
    radius: float | None
    unit: float
    file_unit: float
    room: Room

    def scale(self, unit: Unit | None) -> float:
        """What numbers in a unit are multiplied by; None if the file does not say it."""
        return (self.file_unit if unit is None else unit.meters) / self.unit

    def unit_note(self, unit: Unit | None) -> tuple[Sentence, ...]:
        """A note on the unit that a file says."""
        return () if unit is None else (unit_note(self.file, unit, self.scale(unit)),)

    def left_out_note(self, counts: dict[str, int]) -> tuple[Sentence, ...]:
        """A note on what a file has and we do not read, by its names in the format."""
        if not counts:
            return ()
        what = ", ".join(f"{count} {quoted(name)}" for name, count in counts.items())
        return (Sentence("{file}: left out, as they are no paths: {what}", file=self.file, what=what),)

    def hidden_note(self, counts: dict[str, int], shows_others: bool) -> tuple[Sentence, ...]:
        """A note on the paths that a drawing hides, by their names in the format.

        Raises:
            InputError: it hides some, and shows no others.
        """
        if not counts:
            return ()
        what = ", ".join(f"{count} {quoted(name)}" for name, count in counts.items())
        if not shows_others:
            raise InputError("{file} hides all its paths ({what}): show their layers", file=self.file, what=what)
        return (Sentence("{file}: left out, as the drawing hides them: {what}", file=self.file, what=what),)

    def needed_radius(self) -> float:
        """The radius for a file of a format without radii.

        Raises:
            NoRadiusError: none was given.
        """
        if self.radius is None:
            raise NoRadiusError(NO_RADIUS, file=self.file)
        return self.radius

    def error_at(self, line: int, column: int, fault: str) -> InputError:
        """An error at a place of a text file, both counted from 1."""
        return InputError(
            "{file}, line {line}, column {column}: {fault}", file=self.file, line=line, column=column, fault=fault
        )


@dataclass(frozen=True)
class Line:
    """A polyline of a file without radii.

    Attributes:
        points: (N, 3), or (N, 2) in the plane z = 0, in the file's unit.
        cyclic: whether the last point is joined to the first.
        label: its name in the file, "" if it has none.
        joined: whether its points are joined; if not, each is a ball.
    """

    points: Points
    cyclic: bool = False
    label: str = ""
    joined: bool = True


def toolpath_of(request: Request, lines: Sequence[Line], scale: float, notes: Iterable[Sentence] = ()) -> Toolpath:
    """The toolpath of polylines without radii: scaled, and with the radius that was asked for.

    Args:
        request: what was asked for, with a radius.
        lines: the polylines.
        scale: what their coordinates are multiplied by.
        notes: for the user.

    Raises:
        InputError: there are no points, or some are not numbers.
        NoRadiusError: no radius was given.
        TooLargeError: the paths take too much memory.
    """
    if not lines:
        raise InputError("{file} has no path: export lines, curves or points into it", file=request.file)
    request.room.check((BYTES_PER_PATH + 4 * len(str(request.file))) * len(lines), f"its {len(lines)} paths")
    radius = request.needed_radius()
    paths = []
    for number, line in enumerate(lines, 1):
        points = np.zeros((len(line.points), 3))
        points[:, : line.points.shape[1]] = line.points * scale
        if not (np.abs(points) <= LARGEST_COORDINATE).all():
            raise InputError(
                "{file}, path {label}: {fault}",
                file=request.file,
                label=quoted(line.label or str(number)),
                fault=OUT_OF_RANGE,
            )
        name = f"{request.file}, path {quoted(line.label or str(number))}" if len(lines) > 1 else str(request.file)
        joined = line.joined and len(points) > 1
        paths.append(Path(points, np.full(len(points), radius), line.cyclic and joined, name, joined))
    return Toolpath(paths, notes)
