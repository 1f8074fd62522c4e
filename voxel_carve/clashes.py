"""Jobs that would spoil files: two write the same file, or one writes to an input. No bpy here."""

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from .compute import InputError
from .formats import identity, is_file, readable
from .jobs import Job


def refuse_shared_outputs(jobs: Iterable[tuple[str, Job]], summary: Path | None = None) -> None:
    """Check that no two outputs are the same file, under whatever names.

    Args:
        jobs: each with its label for messages, "" for a single job.
        summary: the file for the summary of all jobs, if any.

    Raises:
        InputError: two outputs are the same file; the message names both.
    """
    writers: dict[Hashable, tuple[str, Path]] = {}
    if summary is not None:
        writers[identity(summary)] = ("the summary", summary)
    for label, job in jobs:
        for option, file in job.outputs().items():
            mine = (f"{label}: {option}" if label else option, file)
            other = writers.setdefault(identity(file), mine)
            if other is not mine:
                raise InputError(
                    "{first} and {second} are the same file: give each output a name of its own",
                    first=_named(*other),
                    second=_named(*mine),
                )


def files_read(job: Job, label: str = "") -> dict[Hashable, str]:
    """The existing files that a job reads, each with its label for messages."""
    of = f" of {label}" if label else ""
    return {identity(file): f"an input{of}, {readable(file)}" for file in job.inputs() if is_file(file)}


def refuse_spoiled_inputs(outputs: Mapping[str, Path], read: Mapping[Hashable, str]) -> None:
    """Check that no input is written to.

    Args:
        outputs: files, by their options.
        read: from `files_read`.

    Raises:
        InputError: one of the outputs is an input; the message names both options.
    """
    for option, file in outputs.items():
        what = read.get(identity(file))
        if what is not None:
            raise InputError(
                "{option} {file} is {what}: name another, what is read is not written to",
                option=option,
                file=readable(file),
                what=what,
            )


def _named(option: str, file: Path) -> str:
    return f"{option} {readable(file)}"
