"""The judge of the attack: complaints about the outcome of a case."""

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from tests.attack import reading
from tests.attack.case import KILLED, Case
from tests.attack.layout import Folder
from tests.attack.runner import Done, Outcome

# A process may exceed its memory limit by a tenth, and by what Python and its libraries take: for a fork, which has
# loaded all modules, for a new Python, and for one with Blender in it.
TENTH = 1.1
ROOM, OWN_ROOM, BLENDER_ROOM = 64 * 2**20, 320 * 2**20, 900 * 2**20
FLAT_SHARE = 0.1  # of an output's triangles

# Folders where Blender and the kernel compiler may keep their own files.
OTHERS = ("cache/", "home/.")

PREFIX = "voxel_carve: "
FAULTS = (
    "Traceback (most recent call last)",
    "this is a fault of voxel_carve",
    "a fault of voxel_carve: ",
    "Fatal Python error",
    "Exception ignored",
)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a case.

    Attributes:
        family, number, what: of the case.
        status: exit status of its last process.
        seconds: of the longest of its processes.
        over: bytes of memory over the limit, negative if below; None without a limit.
        complaints: what is wrong, in words; empty if nothing is.
        left_out: why the case did not run; empty if it did.
    """

    family: str
    number: int
    what: str
    status: int = 0
    seconds: float = 0.0
    over: int | None = None
    complaints: tuple[str, ...] = ()
    left_out: str = ""

    def __str__(self) -> str:
        result = "; ".join(self.complaints) or self.left_out or "no complaint"
        return f"{self.family} {self.number} ({self.what}): status {self.status}, {self.seconds:.1f} s: {result}"


def judge(family: str, number: int, case: Case, done: Done, folder: Path) -> Verdict:
    """The verdict on a case that has run in `folder`."""
    complaints = [text for outcome in done.outcomes for text in of_process(case, outcome)]
    complaints += of_folder(case, done, folder)
    room = BLENDER_ROOM if case.needs_blender else OWN_ROOM if case.own_process else ROOM
    over = None
    if case.memory_limit is not None:
        over = max(outcome.peak for outcome in done.outcomes) - int(TENTH * memory_limit(case) * 2**30) - room
        if over > 0:
            complaints.append(f"{over / 2**20:.0f} MiB over its memory limit")
    last = done.outcomes[-1]
    seconds = max(outcome.seconds for outcome in done.outcomes)
    return Verdict(family, number, case.what, last.status, seconds, over, tuple(dict.fromkeys(complaints)))


def memory_limit(case: Case) -> float:
    """In GiB; a limit in its arguments takes precedence."""
    for word, value in pairwise(case.arguments):
        if word == "--memory-limit":
            return float(value)
    return case.memory_limit or 0.0


def allowed_statuses(case: Case) -> set[int]:
    """Allowed statuses of its process; 1 is only for a list in which a job failed."""
    allowed = set(case.statuses)
    if any(word.startswith("--jobs") for word in case.arguments):
        allowed.add(1)
    return allowed


def of_process(case: Case, outcome: Outcome) -> Iterator[str]:
    """Complaints about its status and its output."""
    if outcome.hung:
        yield "hangs"
        return
    if outcome.status not in allowed_statuses(case):
        yield f"status {outcome.status}"
    for left in () if case.may_stay else outcome.left_running:
        yield f"left running: {left}"
    if outcome.status == KILLED:
        return
    for name, raw in (("stdout", outcome.out), ("stderr", outcome.err)):
        yield from of_text(case, name, raw)
    if outcome.status == 2 and not outcome.err.strip() and 2 not in case.streams:
        yield "status 2 without a word"


def of_text(case: Case, name: str, raw: bytes) -> Iterator[str]:
    """Complaints about the output on one stream."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        yield f"{name} is not UTF-8"
        text = raw.decode("utf-8", "replace")
    found = next((fault for fault in FAULTS if fault in text), None)
    if found:
        # Ctrl-C while Python itself starts, before our code, cannot be handled by us.
        if case.own_process and text.endswith("KeyboardInterrupt\n") and "voxel_carve" not in text:
            return
        yield f"{name}: {found}: {text.strip().splitlines()[-2:]}"
        return
    own = "\t" if case.needs_blender else ""  # Blender's own lines
    odd = sorted({character for character in text if is_control(character) and character not in own})
    if odd:
        yield f"{name} has control characters: {''.join(odd)!a}"
    lines = text.split("\n")
    if name == "stderr" and not case.needs_blender:
        other = [line for line in lines if line and not line.startswith(PREFIX)]
        if other:
            yield f"stderr: {other[0][:120]!a}"


def is_control(character: str) -> bool:
    """Whether it moves the cursor, ends a line, or is a lone surrogate."""
    return character != "\n" and unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def of_folder(case: Case, done: Done, folder: Path) -> Iterator[str]:
    """Complaints about files in the folder: changed, left over, incomplete, or missing."""
    named = {normal(name) for name in case.written}
    taken = [normal(event.name) for event in case.during if event.action != "signal"]
    for name in sorted({*done.before, *done.after}):
        before, after = done.before.get(name), done.after.get(name)
        if before == after or name.startswith(OTHERS):
            continue
        if before and after and stat.S_ISDIR(before.mode) and before.mode == after.mode:
            continue
        if after is None and any(name == other or name.startswith(f"{other}/") for other in taken):
            continue
        shown = ascii(name.removeprefix("work/"))
        if name not in named:
            yield (
                f"{shown} was left over" if before is None else f"{shown} was changed" if after else f"{shown} is gone"
            )
        elif after is None:
            yield f"{shown} is gone"
        elif before is not None and before.mode != after.mode:
            yield f"{shown} has the rights {after.mode:o} instead of {before.mode:o}"
        elif stat.S_ISREG(after.mode):
            yield from of_output(case, folder / name, shown)
    for name, content in case.kept.items():
        if done.outcomes[0].happened and (folder / "work" / name).read_bytes() != content:
            yield f"{name!a} came up meanwhile and was replaced"
    if done.outcomes[-1].status == 0 and case.makes:
        yield from missing(case, done.before, done.after, named)


def of_output(case: Case, file: Path, shown: str) -> Iterator[str]:
    """Complaints about a file that was written."""
    if any(file.read_bytes() == event.content for event in case.during):
        return  # not written by the process
    fault = reading.fault(file)
    if fault:
        yield f"{shown} {fault}"
        return
    if file.suffix.lower() in (".stl", ".ply", ".obj", ".glb"):
        points, triangles = reading.read(file)
        flat = reading.flat_share(points, triangles)
        if flat > FLAT_SHARE:
            yield f"{shown}: {flat:.0%} of the triangles are flat"
        if case.volume is not None:
            found = reading.volume(points, triangles)
            if abs(found - case.volume) > case.volume_tolerance * case.volume:
                yield f"{shown} has the volume {found:g} instead of {case.volume:g}"


def missing(case: Case, before: Folder, after: Folder, named: set[str]) -> Iterator[str]:
    """Complaints about outputs that are missing or unchanged although the run succeeded."""
    for name in sorted(named):
        if name not in after or (before.get(name) == after[name] and not stat.S_ISLNK(after[name].mode)):
            yield f"{name.removeprefix('work/')!a} was not written"


def normal(name: str) -> str:
    """Convert a name relative to the working folder to one relative to its parent."""
    return os.path.normpath(str(PurePosixPath("work") / re.sub(r"^\{work\}/", "", name)))


def complained(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts with complaints."""
    return [verdict for verdict in verdicts if verdict.complaints]
