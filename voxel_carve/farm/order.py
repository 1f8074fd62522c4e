"""Which jobs of a list wait for others, where several run at the same time."""

import os
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path

from ..batch import Task
from ..formats import identity
from ..jobs import Job


def predecessors(tasks: Sequence[Task]) -> list[frozenset[int]]:
    """For each task the places in the list of the earlier ones that it waits for.

    These are the ones that write what it reads, and those that read or write what it writes. So every job finds the
    files that it would find if they ran one after the other. Names that a file system could take for the same count as
    the same.
    """
    writers: dict[Hashable, int] = {}
    readers: dict[Hashable, list[int]] = defaultdict(list)
    found = []
    for place, task in enumerate(tasks):
        if not isinstance(task.job, Job):
            found.append(frozenset[int]())
            continue
        reads, writes = _names(task.job.inputs()), _names(task.job.outputs().values())
        waits = {writers[name] for name in reads | writes if name in writers}
        waits.update(reader for name in writes for reader in readers.pop(name, ()))
        found.append(frozenset(waits))
        for name in writes:
            writers[name] = place
        for name in reads:
            readers[name].append(place)
    return found


def _names(files: Iterable[Path]) -> set[Hashable]:
    """The names by which files are compared: what is the same file now, and what may turn out to be."""
    names: set[Hashable] = set()
    for file in files:
        spelled = unicodedata.normalize("NFC", os.path.realpath(file)).casefold()
        names.update((identity(file), ("name", spelled)))
    return names
