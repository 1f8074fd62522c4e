"""Jobs that would spoil each other's files: two that write one file, or one that writes what is read. No bpy here."""

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from .compute import InputError
from .formats import identity, is_file, readable
from .jobs import Job


def refuse_shared_outputs(jobs: Iterable[tuple[str, Job]], summary: Path | None = None) -> None:
    """See that no two outputs are the same file, by whatever names.

    Args:
        jobs: each with what a message calls it; "" for one that is alone.
        summary: the file that is written about all of them, if any.

    Raises:
        InputError: two are; the message names both.
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
                    f"{_named(*other)} and {_named(*mine)} are the same file: give each output a name of its own"
                )


def files_read(job: Job, label: str = "") -> dict[Hashable, str]:
    """The files that are there and that a job reads, each with what a message calls it."""
    of = f" of {label}" if label else ""
    return {identity(file): f"an input{of}, {readable(file)}" for file in job.inputs() if is_file(file)}


def refuse_spoiled_inputs(outputs: Mapping[str, Path], read: Mapping[Hashable, str]) -> None:
    """See that nothing that is read is written to.

    Args:
        outputs: files, by their options.
        read: as `files_read` has it.

    Raises:
        InputError: one of the outputs is read; the message says which, and as what.
    """
    for option, file in outputs.items():
        what = read.get(identity(file))
        if what is not None:
            raise InputError(f"{option} {readable(file)} is {what}: name another, what is read is not written to")


def _named(option: str, file: Path) -> str:
    return f"{option} {readable(file)}"
