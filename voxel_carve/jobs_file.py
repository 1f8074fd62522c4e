"""A jobs file: a JSON list of objects. No bpy here."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .compute import InputError
from .formats import check_input, readable

# Some hundred thousand jobs. The file is read outside the memory limit.
LARGEST_JOBS_FILE = 2**26


def read_jobs_file(file: Path) -> list[dict[str, Any] | InputError]:
    """The options of each job in a jobs file: a JSON list of objects, with `-` or `_` in the names.

    A job with an option given twice, in either spelling, is replaced by the error.

    Raises:
        InputError: the file cannot be read or is not such a list.
    """
    size = check_input(file).st_size
    if size > LARGEST_JOBS_FILE:
        raise InputError(
            "{file} has {size:,.0f} MiB: make several jobs files of it", file=readable(file), size=size / 2**20
        )
    try:
        jobs = json.loads(file.read_text(encoding="utf-8-sig"), object_pairs_hook=Pairs)
    except OSError as error:
        raise InputError("{file} cannot be read ({fault})", file=readable(file), fault=error.strerror) from error
    except (ValueError, RecursionError) as error:
        fault = "too many brackets in each other" if isinstance(error, RecursionError) else error
        raise InputError("{file} is not a JSON file ({fault})", file=readable(file), fault=fault) from error
    if not isinstance(jobs, list) or not all(isinstance(job, Pairs) for job in jobs):
        raise InputError("{file}: a jobs file is a list of objects: [{{...}}, {{...}}]", file=readable(file))
    if not jobs:
        raise InputError("{file} has no jobs", file=readable(file))
    return [options_of(job) for job in jobs]


class Pairs(tuple[tuple[str, Any], ...]):
    """An object of a JSON file as a list of pairs, because a name may occur twice."""

    __slots__ = ()


def options_of(pairs: Pairs) -> dict[str, Any] | InputError:
    """The options in an object of the file, with `_` in their names; the error if one is given twice."""
    options: dict[str, Any] = {}
    for name, value in pairs:
        option = name.replace("-", "_")
        if option in options:
            return InputError("'{option}' is given twice: give it once", option=readable(option))
        options[option] = value
    return options


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a job that can be done, as JSON gives them: the objects in them are dictionaries again."""
    return {name: _plain(value) for name, value in options.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Pairs):
        return {name: _plain(inner) for name, inner in value}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
