"""How long a carve takes on this machine: what such a carve usually takes, and what the last ones took instead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import history

# Seconds of a carve on two cores, measured: fixed; per face; and what there is beside that where faces are merged,
# where the stock is kept, and where the result is measured.
FIXED, PER_FACE = 0.05, 2e-6
MERGING_FACE, KEEPING, KEEPING_FACE, VERIFYING_FACE = 3.5e-6, 0.2, 3e-6, 2e-5

# Runs within this factor of a job's size tell most about it.
SIMILAR = 4.0
# So many times as long a job may take as what is usual, at least and at most, before any was run here.
LEAST, MOST = 0.3, 3.0
# From so many runs on, the one of them that was fastest for its size is left out, and so is the slowest.
ENOUGH = 5
# What is shorter is told as this; and from so many seconds or minutes on, it is the next unit.
SHORTEST, LONG = 0.1, 59.5


@dataclass(frozen=True)
class Kind:
    """A kind of jobs. Those of another kind say nothing about their time.

    Attributes:
        backend: its name.
        keeps, merges, verified: whether the stock is kept, faces are merged, and the result is measured.
    """

    backend: str
    keeps: bool = False
    merges: bool = False
    verified: bool = False

    @property
    def name(self) -> str:
        """For the history."""
        steps = {"keeping": self.keeps, "merging": self.merges, "measuring": self.verified}
        return ", ".join([self.backend, *(step for step, is_done in steps.items() if is_done)])

    def usual_seconds(self, faces: int) -> float:
        """What a job with so many faces usually takes."""
        per_face = PER_FACE + MERGING_FACE * self.merges + KEEPING_FACE * self.keeps + VERIFYING_FACE * self.verified
        return FIXED + KEEPING * self.keeps + per_face * faces


def expected_seconds(kind: Kind, faces: Sequence[int]) -> tuple[float, float]:
    """From how many seconds to how many jobs take that are run one after the other.

    The range is that of the last runs of this kind, each compared with what is usual for its size. It is wider where
    there are few.

    Args:
        kind: of all jobs.
        faces: of each, before they are merged, for each of its steps.
    """
    runs, size = history.runs(kind.name), max(faces, default=0)
    similar = [run for run in runs if 1 / SIMILAR <= run.faces / max(size, 1) <= SIMILAR]
    ratios = sorted(run.seconds / kind.usual_seconds(run.faces) for run in similar or runs)
    usual = sum(map(kind.usual_seconds, faces))
    if not ratios:
        return LEAST * usual, MOST * usual
    margin = 1 + 1 / len(ratios)
    if len(ratios) >= ENOUGH:
        ratios = ratios[1:-1]
    return usual * ratios[0] / margin, usual * ratios[-1] * margin


def remember(figures: Mapping[str, Any]) -> None:
    """Remember a run by its report, as `Report.to_dict` gives it, with the seconds of the front end. Loading and
    compiling kernels does not count."""
    seconds = figures["seconds"]
    spent = seconds["total"] - seconds.get("compile", 0.0) if "total" in seconds else seconds["compute"]
    kind = Kind(
        figures["backend"],
        keeps=figures["result"] == "keep",
        merges=figures["tolerance"] > 0,
        verified="accuracy" in figures,
    )
    # Before faces are merged, there are half as many as triangles.
    before = figures["triangles_before"] // 2 if kind.merges and not kind.keeps else figures["faces"]
    steps = figures["operation"].count(",") + 1
    history.add(kind.name, history.Run(steps * before, spent))


def seconds_texts(low: float, high: float) -> tuple[str, str]:
    """The ends of a range of seconds as text, with one unit if both have the same: ("1", "3 s"). They may be equal."""
    first, last = _text(low), _text(high)
    if first == last:
        return last, last
    return (first.removesuffix(" s") if last.endswith(" s") else first), last


def _text(seconds: float) -> str:
    """A duration with one digit that says something, or two from 10 on, and 0.1 s at least."""
    if seconds < 1:
        return f"{max(seconds, SHORTEST):.1f} s"
    number, unit = seconds, "s"
    for next_unit in ("min", "h"):
        if number >= LONG:
            number, unit = number / 60, next_unit
    return f"{float(f'{number:.{1 if number < 10 else 2}g}'):g} {unit}"
