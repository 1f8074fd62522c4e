"""The summaries of parts of a list, as one."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..batch import Outcome, Task, failed, summary
from ..compute import InputError
from ..formats import check_input, readable
from .places import read_places

LACKING = "its report is not there: run it again"


def collected(folder: Path, tasks: Sequence[Task]) -> dict[str, Any]:
    """One summary of the parts in a folder. A job whose report is not there has failed.

    Args:
        folder: the JSON files that `--jobs FILE --only PLACES --report FILE` has written; later files replace earlier
            ones.
        tasks: from `plan`.

    Raises:
        InputError: the folder or a file in it cannot be read.
    """
    found: dict[int, Outcome] = {}
    seconds = 0.0
    for file, part in _parts(folder):
        if part["jobs"]:
            found |= zip(_places(file, part, len(tasks)), part["jobs"], strict=True)
        seconds += part["seconds"]
    every = (found.get(place, failed(task, LACKING)) for place, task in enumerate(tasks, 1))
    return summary(every, seconds)


def _places(file: Path, part: dict[str, Any], count: int) -> list[int]:
    """The places of the jobs in a part of a list of so many."""
    try:
        places = read_places(str(part["only"]), count)
    except InputError:
        places = []
    if len(places) != len(part["jobs"]):
        raise InputError("{file} is the report of another list: remove it", file=readable(file))
    return places


def _parts(folder: Path) -> Iterable[tuple[Path, dict[str, Any]]]:
    """The summaries of parts with their files, the oldest first."""
    try:
        there = [file for file in folder.iterdir() if file.suffix == ".json" and not file.name.startswith(".")]
        files = sorted(there, key=lambda file: (file.stat().st_mtime_ns, file.name))
    except OSError as error:
        raise InputError("{folder} cannot be read ({fault})", folder=folder, fault=error.strerror) from error
    for file in files:
        check_input(file)
        try:
            part = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError("{file} is no report of jobs ({fault})", file=readable(file), fault=error) from error
        if isinstance(part, dict) and {"only", "jobs", "seconds"} <= part.keys() and isinstance(part["jobs"], list):
            yield file, part
