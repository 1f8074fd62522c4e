"""What a headless job is asked to do, from a command line's options or from a jobs file. No bpy here."""

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .compute import OPERATIONS, RESULT_KINDS, Adaptivity, InputError, Operation, ResultKind
from .formats import MESH_SUFFIXES

BLEND_SUFFIX = ".blend"
PATH_SUFFIX = ".csv"
OUTPUT_SUFFIXES = (BLEND_SUFFIX, *MESH_SUFFIXES)
OPTIONS = (
    "stock", "path", "radius", "voxel_size", "resolution", "operation", "result", "adaptivity", "tolerance", "backend",
    "memory_limit", "output", "overwrite", "report", "frames", "blend", "verify",
)  # fmt: skip
# Longer sequences are a slip of the keyboard.
MOST_FRAMES = 1_000_000

_FRAME_PLACE = re.compile(r"\{frame(?::(0?\d{1,2})d?)?\}")


@dataclass(frozen=True)
class Job:
    """One carve.

    Attributes:
        stocks: a file's path, or an object's name, of each.
        paths: likewise.
        output: the file to write: a mesh file with the results of all stocks, or a .blend with an object for each.
        radius: in Blender units, of paths that have none of their own.
        voxel_size, resolution: one of them; the resolution counts voxels along the longest side of each stock.
        operation: subtract, union or intersect.
        result: "remesh", or "keep" for a stock whose faces stay as they are where no path touches them.
        adaptivity: how much the result may change to have fewer faces.
        backend: its name, None for the default.
        memory_limit: in bytes, None for the default.
        overwrite: whether output and report may replace files.
        report: the JSON file to write, if any.
        blend: the file with the objects, None for the scene that is open.
        frame: at which to evaluate the scene, None for the one it is at.
        verify: whether the result is measured against the exact surface.
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

    def needs_blender(self) -> bool:
        """Whether a .blend is read or written."""
        named = any(isinstance(source, str) for source in (*self.stocks, *self.paths))
        return named or self.output.suffix.lower() == BLEND_SUFFIX or self.frame is not None


def read_options(options: Mapping[str, Any], folder: Path = Path(), open_blend: Path | None = None) -> tuple[Job, ...]:
    """The job that options describe, one for each frame where there are frames.

    Args:
        options: by the names in `OPTIONS`; values are numbers or text; None and a missing one are the same.
        folder: what relative paths start from.
        open_blend: the .blend that is open, if any.

    Raises:
        InputError: an option is unknown, missing, contradicts another, or has no sense.
    """
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        near = difflib.get_close_matches(unknown[0], OPTIONS, n=1)
        hint = f": did you mean '{near[0]}'?" if near else f": choose among {', '.join(OPTIONS)}"
        raise InputError(f"unknown option '{unknown[0]}'{hint}")
    given = {name: value for name, value in options.items() if value is not None}
    voxel_size, resolution = _number(given, "voxel_size"), _number(given, "resolution")
    if (voxel_size is None) == (resolution is None):
        raise InputError("the size of a voxel: give either --voxel-size or --resolution")
    if resolution is not None and resolution != int(resolution):
        raise InputError(f"--resolution {resolution:g}: it counts voxels along the stock's longest side")
    memory_limit = _number(given, "memory_limit")
    wanted = _text(given, "operation") or "subtract"
    operation = next((name for name in OPERATIONS if name == wanted), None)
    if operation is None:
        raise InputError(f"--operation {wanted}: choose {', '.join(OPERATIONS)}")
    wanted = _text(given, "result") or "remesh"
    result = next((name for name in RESULT_KINDS if name == wanted), None)
    if result is None:
        raise InputError(f"--result {wanted}: choose {', '.join(RESULT_KINDS)}")
    blend = _text(given, "blend")
    if blend is not None and Path(blend).suffix.lower() != BLEND_SUFFIX:
        raise InputError(f"--blend {blend}: it must be a .blend file")
    report = _text(given, "report")
    job = Job(
        stocks=_sources(given, "stock", MESH_SUFFIXES, folder),
        paths=_sources(given, "path", (PATH_SUFFIX,), folder),
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
    )
    frames = _text(given, "frames")
    return (job,) if frames is None else _at_frames(job, frames)


def read_jobs_file(file: Path) -> list[dict[str, Any]]:
    """The options of each job in a jobs file: a JSON list of objects, with `-` or `_` in the names.

    Raises:
        InputError: the file cannot be read or is no such list.
    """
    try:
        jobs = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{file} is not a JSON file ({error})") from error
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise InputError(f"{file}: a jobs file is a list of objects: [{{...}}, {{...}}]")
    if not jobs:
        raise InputError(f"{file} has no jobs")
    return [{name.replace("-", "_"): value for name, value in job.items()} for job in jobs]


def _at_frames(job: Job, frames: str) -> tuple[Job, ...]:
    match = re.fullmatch(r"\s*(-?\d{1,7})\s*:\s*(-?\d{1,7})\s*", frames)
    if match is None:
        raise InputError(f"--frames {frames}: give the first and the last, such as 1:250")
    first, last = int(match[1]), int(match[2])
    if not first <= last < first + MOST_FRAMES:
        raise InputError(f"--frames {frames}: the first frame is after the last, or they are too many")
    for option, file in (("--output", job.output), ("--report", job.report)):
        if file is not None and not _FRAME_PLACE.search(file.name):
            raise InputError(f"{option} {file}: with --frames its name needs a place for the number: {{frame:04}}")
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
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise InputError(f"--{option}: give the name of an object or a file, or a list of them")
    if not values:
        what = {"stock": "no stock: give a mesh", "path": "no path: give a curve or a toolpath"}[option]
        raise InputError(f"{what} with --{option} (an object's name, or a file: {', '.join(suffixes)})")
    return tuple(_source(value, option, suffixes, folder) for value in values)


def _source(value: str, option: str, suffixes: Sequence[str], folder: Path) -> Path | str:
    file = folder / value
    if file.suffix.lower() in suffixes:
        if not file.is_file():
            raise InputError(f"--{option} {value}: there is no such file")
        return file
    if file.is_file():
        raise InputError(f"--{option} {value}: a {option} is read from {', '.join(suffixes)}, not from '{file.suffix}'")
    return value


def _output(given: Mapping[str, Any]) -> str:
    output = _text(given, "output")
    if not output:
        raise InputError(f"no output: name a file with --output ({', '.join(OUTPUT_SUFFIXES)})")
    suffix = Path(output).suffix.lower()
    if suffix not in OUTPUT_SUFFIXES:
        raise InputError(f"--output {output}: '{suffix}' is not a format we write: choose {', '.join(OUTPUT_SUFFIXES)}")
    return output


def _adaptivity(given: Mapping[str, Any]) -> Adaptivity:
    part, length = _number(given, "adaptivity", least=0.0), _number(given, "tolerance", least=0.0)
    if part and length:
        raise InputError("the change that merged faces may make: give either --adaptivity or --tolerance")
    if part is not None and part > 1:
        raise InputError(f"--adaptivity {part:g}: it is a part of a voxel, 0 to 1; --tolerance takes a length")
    return Adaptivity(part or 0.0, length or 0.0)


def _number(given: Mapping[str, Any], option: str, least: float | None = None) -> float | None:
    """A finite number: positive, or at least `least`."""
    value = given.get(option)
    if value is None:
        return None
    flag = f"--{option.replace('_', '-')} {value}"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{flag}: it must be a number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise InputError(f"{flag}: it must be a number") from None
    fits = number > 0 if least is None else number >= least
    if not (fits and number < float("inf")):
        kind = "a positive number" if least is None else f"a number, {least:g} or more"
        raise InputError(f"{flag}: it must be {kind}")
    return number


def _text(given: Mapping[str, Any], option: str) -> str | None:
    value = given.get(option)
    if value is not None and not isinstance(value, str):
        raise InputError(f"--{option.replace('_', '-')} {value}: it must be text")
    return value


def _switch(given: Mapping[str, Any], option: str) -> bool:
    value = given.get(option, False)
    if not isinstance(value, bool):
        raise InputError(f"--{option} {value}: it must be true or false")
    return value
