"""The headless jobs described by a command line or by a jobs file. No bpy here."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from .compute import InputError, Operation
from .compute.adaptivity import Adaptivity
from .compute.model import OPERATION_NAMES, RESULT_KINDS, ResultKind, operation_of
from .compute.sheets import OPEN_STOCKS, OpenStock
from .formats import MESH_SUFFIXES, PATH_SUFFIXES, UNIT_NAMES, VOLUME_SUFFIX, is_file, readable, unit_named
from .jobs_file import Pairs, options_of

Name = TypeVar("Name", bound=str)

BLEND_SUFFIX = ".blend"
STOCK_SUFFIXES = (*MESH_SUFFIXES, VOLUME_SUFFIX)
OUTPUT_SUFFIXES = (BLEND_SUFFIX, *MESH_SUFFIXES, VOLUME_SUFFIX)
OPTIONS = (
    "stock", "path", "radius", "voxel_size", "resolution", "operation", "result", "adaptivity", "tolerance", "backend",
    "memory_limit", "output", "overwrite", "report", "frames", "blend", "verify", "open_stock", "close", "unit",
)  # fmt: skip
# At most this much of an unknown option is compared with the known ones.
LONGEST_OPTION = 40
# Blender's greatest frame number, on both sides of 0.
LAST_FRAME = 1_048_574
# More than an hour at 24 frames per second is a typing error, and the list alone would take time and memory.
MOST_FRAMES = 100_000
# More than any machine has.
LARGEST_MEMORY_GIB = 2.0**30

_FRAME_PLACE = re.compile(r"\{frame(?::(0?[0-9]{1,2})d?)?\}")


@dataclass(frozen=True)
class PathOwn:
    """What a path of a job has of its own; None leaves it to the job."""

    operation: Operation | None = None
    radius: float | None = None


@dataclass(frozen=True)
class Job:
    """One carve.

    Attributes:
        stocks: each the path of a file, or the name of an object.
        paths: likewise.
        output: the file to write: a mesh file with the results of all stocks, or a .blend with an object for each.
        radius: in Blender units, for paths that have none of their own.
        voxel_size, resolution: one of the two; the resolution counts voxels along the longest side of each stock.
        operation: subtract, union or intersect.
        result: "remesh", or "keep" to leave faces of the stock unchanged where no path touches them.
        adaptivity: how much the result may change to have fewer faces.
        backend: its name, None for the default.
        memory_limit: in bytes, None for the default.
        overwrite: whether output and report may replace files.
        report: the JSON file to write, if any.
        blend: the file with the objects, None for the open scene.
        frame: at which to evaluate the scene, None for its current frame.
        verify: whether to measure the result against the exact surface.
        open_stock: whether an open stock is a sheet, or has holes to fill: see `carve`.
        close: whether the solid behind a sheet is kept, with its sides and floor.
        unit: meters in a unit of the coordinates; None for Blender's units where there is a scene, else 1.
        own: what each path has of its own; empty if none has.
    """

    stocks: tuple[Path | str, ...]
    paths: tuple[Path | str, ...]
    output: Path
    radius: float | None = None
    voxel_size: float | None = None
    resolution: int | None = None
    operation: Operation = "subtract"
    result: ResultKind = "remesh"
    adaptivity: Adaptivity = field(default_factory=Adaptivity)
    backend: str | None = None
    memory_limit: int | None = None
    overwrite: bool = False
    report: Path | None = None
    blend: Path | None = None
    frame: int | None = None
    verify: bool = False
    open_stock: OpenStock = "automatic"
    close: bool = False
    unit: float | None = None
    own: tuple[PathOwn, ...] = ()

    def each_path(self) -> list[tuple[Path | str, PathOwn]]:
        """Each path with what it has of its own."""
        return list(zip(self.paths, self.own or [PathOwn()] * len(self.paths), strict=True))

    def operation_of(self, own: PathOwn) -> Operation:
        """The operation of a path."""
        return own.operation or self.operation

    def inputs(self) -> tuple[Path, ...]:
        """The files to read."""
        sources = [source for source in (*self.stocks, *self.paths) if isinstance(source, Path)]
        return (*sources, *(() if self.blend is None else (self.blend,)))

    def outputs(self) -> dict[str, Path]:
        """The files to write, by their options."""
        return {"--output": self.output} | ({} if self.report is None else {"--report": self.report})

    def makes_volume(self) -> bool:
        """Whether the output is a volume."""
        return self.output.suffix.lower() == VOLUME_SUFFIX

    def needs_blender(self) -> bool:
        """Whether a .blend is read or written."""
        named = any(isinstance(source, str) for source in (*self.stocks, *self.paths))
        return named or self.output.suffix.lower() == BLEND_SUFFIX or self.frame is not None


def read_options(options: Mapping[str, Any], folder: Path = Path(), open_blend: Path | None = None) -> tuple[Job, ...]:
    """The job that options describe, or one job per frame if they have frames.

    Args:
        options: by the names in `OPTIONS`; values are numbers or text; None is the same as a missing option.
        folder: where relative paths start.
        open_blend: the .blend that is open, if any.

    Raises:
        InputError: an option is unknown, missing, contradicts another, or makes no sense.
    """
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        near = difflib.get_close_matches(unknown[0][:LONGEST_OPTION], OPTIONS, n=1)
        hint = f": did you mean '{near[0]}'?" if near else f": choose among {', '.join(OPTIONS)}"
        raise InputError("unknown option '{option}'{hint}", option=readable(unknown[0]), hint=hint)
    given = {name: value for name, value in options.items() if value is not None}
    voxel_size, resolution = _number(given, "voxel_size"), _number(given, "resolution")
    if (voxel_size is None) == (resolution is None):
        raise InputError("the size of a voxel: give either --voxel-size or --resolution")
    if resolution is not None and resolution != int(resolution):
        raise InputError(
            "--resolution {resolution:g}: it counts voxels along the stock's longest side", resolution=resolution
        )
    memory_limit = _number(given, "memory_limit")
    if memory_limit is not None and memory_limit > LARGEST_MEMORY_GIB:
        raise InputError(
            "--memory-limit {memory_limit:g}: it is in GiB, and no machine has so many", memory_limit=memory_limit
        )
    operation = _operation(given, "operation") or "subtract"
    result = _choice(given, "result", RESULT_KINDS) or "remesh"
    open_stock = _choice(given, "open_stock", OPEN_STOCKS) or "automatic"
    blend = _text(given, "blend")
    if blend is not None and Path(blend).suffix.lower() != BLEND_SUFFIX:
        raise InputError("--blend {blend}: it must be a .blend file", blend=readable(blend))
    report = _text(given, "report")
    paths, own = _own_paths(given)
    job = Job(
        stocks=_sources(given, "stock", STOCK_SUFFIXES, folder),
        paths=_sources({"path": paths}, "path", PATH_SUFFIXES, folder),
        output=folder / _output(given),
        radius=_number(given, "radius"),
        voxel_size=voxel_size,
        resolution=None if resolution is None else int(resolution),
        operation=operation,
        result=result,
        adaptivity=_adaptivity(given),
        backend=_text(given, "backend"),
        memory_limit=None if memory_limit is None else int(memory_limit * 2**30),
        overwrite=_switch(given, "overwrite"),
        report=None if report is None else folder / report,
        blend=open_blend if blend is None else folder / blend,
        verify=_switch(given, "verify"),
        open_stock=open_stock,
        close=_switch(given, "close"),
        unit=_unit(given),
        own=own,
    )
    if job.makes_volume() and len(job.stocks) > 1:
        raise InputError("--output {file}: a volume holds one result: give one stock", file=readable(job.output))
    if job.makes_volume() and job.result == "keep":
        raise InputError(
            "--output {file}: a volume has no faces to keep: leave --result out", file=readable(job.output)
        )
    frames = _text(given, "frames")
    return (job,) if frames is None else _at_frames(job, frames)


def _at_frames(job: Job, frames: str) -> tuple[Job, ...]:
    match = re.fullmatch(r"\s*(-?[0-9]{1,7})\s*:\s*(-?[0-9]{1,7})\s*", frames)
    if match is None:
        raise InputError("--frames {frames}: give the first and the last, such as 1:250", frames=readable(frames))
    first, last = int(match[1]), int(match[2])
    if first > last:
        raise InputError("--frames {frames}: the first frame is after the last", frames=frames)
    if max(-first, last) > LAST_FRAME:
        raise InputError(
            "--frames {frames}: Blender has frames from {first} to {last}",
            frames=frames,
            first=-LAST_FRAME,
            last=LAST_FRAME,
        )
    if last - first >= MOST_FRAMES:
        raise InputError("--frames {frames}: at most {most} at once", frames=frames, most=MOST_FRAMES)
    for option, file in (("--output", job.output), ("--report", job.report)):
        if file is not None and not _FRAME_PLACE.search(file.name):
            raise InputError(
                "{option} {file}: with --frames its name needs a place for the number: {{frame:04}}",
                option=option,
                file=readable(file),
            )
    return tuple(
        replace(
            job,
            output=_with_frame(job.output, frame),
            report=None if job.report is None else _with_frame(job.report, frame),
            frame=frame,
        )
        for frame in range(first, last + 1)
    )


def _with_frame(file: Path, frame: int) -> Path:
    return file.with_name(_FRAME_PLACE.sub(lambda place: format(frame, f"{place[1] or ''}d"), file.name))


def _sources(given: Mapping[str, Any], option: str, suffixes: Sequence[str], folder: Path) -> tuple[Path | str, ...]:
    values = given.get(option, ())
    values = [values] if isinstance(values, str) else values
    if (
        not isinstance(values, list | tuple)
        or isinstance(values, Pairs)
        or not all(isinstance(value, str) for value in values)
    ):
        raise InputError("--{option}: give the name of an object or a file, or a list of them", option=option)
    if "" in values:
        raise InputError("--{option}: a name is empty", option=option)
    if not values:
        what = {"stock": "no stock: give a mesh", "path": "no path: give a curve or a toolpath"}[option]
        raise InputError(
            "{what} with --{option} (an object's name, or a file: {choices})",
            what=what,
            option=option,
            choices=", ".join(suffixes),
        )
    return tuple(_source(value, option, suffixes, folder) for value in values)


def _own_paths(given: Mapping[str, Any]) -> tuple[Any, tuple[PathOwn, ...]]:
    """The names of the paths, and what each has of its own. A path is a name, or an object with its name and that."""
    values = given.get("path", ())
    values = [values] if isinstance(values, str | Mapping | Pairs) else values
    if not isinstance(values, list | tuple) or not any(isinstance(value, Mapping | Pairs) for value in values):
        return values, ()
    names, own = [], []
    for value in values:
        if not isinstance(value, Mapping | Pairs):
            names.append(value)
            own.append(PathOwn())
            continue
        options = options_of(value) if isinstance(value, Pairs) else dict(value)
        if isinstance(options, InputError):
            raise options
        unknown = [name for name in options if name not in ("path", "operation", "radius")]
        if unknown:
            raise InputError(
                "--path: unknown option '{unknown}' of a path: choose operation or radius", unknown=readable(unknown[0])
            )
        names.append(options.get("path", ""))
        own.append(
            PathOwn(_operation(options, "path_operation", "operation"), _number(options, "path_radius", "radius"))
        )
    return names, tuple(own) if any(each != PathOwn() for each in own) else ()


def _operation(given: Mapping[str, Any], option: str, name: str = "operation") -> Operation | None:
    chosen = _choice(given, option, OPERATION_NAMES, name)
    return None if chosen is None else operation_of(chosen)


def _choice(given: Mapping[str, Any], option: str, choices: Sequence[Name], name: str | None = None) -> Name | None:
    """One of some names; None if it is not given. `name` is that of a value which the option has another name for."""
    wanted = _text(given, option, name)
    found = next((each for each in choices if each == wanted), None)
    if wanted is not None and found is None:
        flag = _flag(option)
        raise InputError(
            "{flag} {wanted}: choose {choices}", flag=flag, wanted=readable(wanted), choices=", ".join(choices)
        )
    return found


def _source(value: str, option: str, suffixes: Sequence[str], folder: Path) -> Path | str:
    """A file, recognised by its suffix whether it exists or not; else an object's name."""
    file = folder / value
    if file.suffix.lower() in suffixes:
        return file
    if is_file(file):
        raise InputError(
            "--{option} {value}: a {option} is read from {choices}, not from '{suffix}'",
            option=option,
            value=readable(value),
            choices=", ".join(suffixes),
            suffix=file.suffix,
        )
    return value


def _output(given: Mapping[str, Any]) -> str:
    output = _text(given, "output")
    if output is None:
        raise InputError("no output: name a file with --output ({choices})", choices=", ".join(OUTPUT_SUFFIXES))
    suffix = Path(output).suffix.lower()
    if suffix not in OUTPUT_SUFFIXES:
        raise InputError(
            "--output {output}: '{suffix}' is not a format we write: choose {choices}",
            output=readable(output),
            suffix=readable(suffix),
            choices=", ".join(OUTPUT_SUFFIXES),
        )
    return output


def _unit(given: Mapping[str, Any]) -> float | None:
    name = _text(given, "unit")
    if name is None:
        return None
    found = unit_named(name)
    if found is None:
        raise InputError("--unit {name}: choose {choices}", name=readable(name), choices=", ".join(UNIT_NAMES))
    return found.meters


def _adaptivity(given: Mapping[str, Any]) -> Adaptivity:
    part, length = _number(given, "adaptivity", least=0.0), _number(given, "tolerance", least=0.0)
    if part and length:
        raise InputError("the change that merged faces may make: give either --adaptivity or --tolerance")
    if part is not None and part > 1:
        raise InputError(
            "--adaptivity {part:g}: it is a part of a voxel, 0 to 1; --tolerance takes a length", part=part
        )
    return Adaptivity(part or 0.0, length or 0.0)


def _number(
    given: Mapping[str, Any], option: str, name: str | None = None, *, least: float | None = None
) -> float | None:
    """A finite number: positive, or at least `least`. The `name` is as for `_choice`."""
    value = given.get(name or option)
    if value is None:
        return None
    flag = f"{_flag(option)} {_shown(value)}"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError("{flag}: it must be a number", flag=flag)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise InputError("{flag}: it must be a number", flag=flag) from None
    fits = number > 0 if least is None else number >= least
    if not (fits and number < float("inf")):
        kind = "a positive number" if least is None else f"a number, {least:g} or more"
        raise InputError("{flag}: it must be {kind}", flag=flag, kind=kind)
    return number


def _text(given: Mapping[str, Any], option: str, name: str | None = None) -> str | None:
    value = given.get(name or option)
    flag = _flag(option)
    if value is not None and not isinstance(value, str):
        raise InputError("{flag} {value}: it must be text", flag=flag, value=_shown(value))
    if value == "":
        raise InputError("{flag} is empty: give it a value, or leave it out", flag=flag)
    return value


def _flag(option: str) -> str:
    """An option as it is written on the command line."""
    return f"--{option.replace('_', '-')}"


def _switch(given: Mapping[str, Any], option: str) -> bool:
    value = given.get(option, False)
    if not isinstance(value, bool):
        raise InputError("--{option} {value}: it must be true or false", option=option, value=_shown(value))
    return value


def _shown(value: object) -> str:
    """A wrong value as text, for a message."""
    return readable(value) if isinstance(value, str | int | float) else "[...]"
