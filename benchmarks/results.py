"""What was measured, as plain data, and the figures that are drawn from it."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.targets import Target
from voxel_carve.formats import replacing

PEER = "peer"
BETWEEN = " / "  # facts that differ
LOST_SHARE = 0.05  # a volume of the peer's that is off by more than this is no longer the same job

Figures = Mapping[str, Any]


class ResultsError(Exception):
    """A file holds no results; the message says which."""


@dataclass(frozen=True)
class Measurement:
    """The runs of one target.

    Attributes:
        target: what was run.
        rounds: for each round the figures of each backend and, under "peer", of the peer: a report of ours, or as much
            of one as the peer can tell; or {"error": why there is none}.
    """

    target: Target
    rounds: tuple[Mapping[str, Figures], ...]

    def backends(self) -> tuple[str, ...]:
        """Those that ran, in the order they ran in."""
        return tuple(dict.fromkeys(name for figures in self.rounds for name in figures if name != PEER))

    def done(self, who: str) -> list[Figures]:
        """The figures of each round that `who` came to the end of."""
        return [figures[who] for figures in self.rounds if who in figures and "error" not in figures[who]]

    def error(self, who: str) -> str | None:
        """Why `who` failed, if it did."""
        return next((str(f[who]["error"]) for f in self.rounds if who in f and "error" in f[who]), None)

    def seconds(self, who: str) -> float | None:
        """Median time of the work that is compared; None where no run succeeded."""
        return _median(spent(figures) for figures in self.done(who))

    def stage(self, who: str, name: str) -> float | None:
        """Median time of a stage; None where no report has it."""
        return _median(figures["seconds"][name] for figures in self.done(who) if name in figures["seconds"])

    def ratio(self, backend: str) -> float | None:
        """Median of our time over the peer's, taken within each round, as the machine changes its pace between them."""
        pairs = ((figures[backend], figures[PEER]) for figures in self.rounds if backend in figures and PEER in figures)
        return _median(spent(ours) / spent(peer) for ours, peer in pairs if "error" not in {*ours, *peer})

    def peak_memory_gib(self, who: str) -> float | None:
        """Greatest resident size of all runs."""
        return max((figures["peak_memory_mb"] / 1024 for figures in self.done(who)), default=None)

    def estimated_memory_mb(self, who: str) -> float | None:
        """What the job was thought to take; None where no report says it."""
        key = "estimated_memory_mb"
        return max((figures[key] for figures in self.done(who) if key in figures), default=None)

    def job_memory_mb(self, who: str) -> float | None:
        """Greatest resident size of a run, over what its process had when the job began."""
        runs = [figures for figures in self.done(who) if "memory_before_mb" in figures]
        return max((figures["peak_memory_mb"] - figures["memory_before_mb"] for figures in runs), default=None)

    def peer_volume_error(self) -> float | None:
        """How far the volume of the peer's result is from ours, as a share of ours."""
        ours = next((self.done(backend)[0]["volume"] for backend in self.backends() if self.done(backend)), None)
        peer = self.done(PEER)
        return peer[0]["volume"] / ours - 1.0 if ours and peer else None

    def peer_lost_the_stock(self) -> bool:
        """Whether the peer gave another solid than the one asked for."""
        error = self.peer_volume_error()
        return error is not None and abs(error) > LOST_SHARE


@dataclass(frozen=True)
class Results:
    """Measurements, and what they were taken on.

    Attributes:
        facts: machine, system, versions, commit and date, by their names.
        measurements: one for each target.
    """

    facts: Mapping[str, str]
    measurements: tuple[Measurement, ...]

    def save(self, file: Path) -> None:
        """Write them as JSON."""
        measurements = [
            {"target": asdict(one.target), "rounds": [dict(figures) for figures in one.rounds]}
            for one in self.measurements
        ]
        whole = {"facts": dict(self.facts), "measurements": measurements}
        with replacing(file, overwrite=True) as beside:
            beside.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def load(file: Path) -> Results:
    """Results that `save` has written.

    Raises:
        ResultsError: the file cannot be read, or is another.
    """
    try:
        whole = json.loads(file.read_text(encoding="utf-8"))
        measurements = tuple(
            Measurement(Target(**one["target"]), tuple(one["rounds"])) for one in whole["measurements"]
        )
        return Results(dict(whole["facts"]), measurements)
    except OSError as error:
        raise ResultsError(f"{file} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ResultsError(f"{file} has no results of this benchmark ({error!r})") from error


def merge(parts: Sequence[Results]) -> Results:
    """Results taken in several goes: of two of a backend on a target, the later holds; facts that differ stand side by
    side."""
    facts: dict[str, dict[str, None]] = {}
    measured: dict[Target, Measurement] = {}
    for part in parts:
        for name, fact in part.facts.items():
            facts.setdefault(name, {}).update(dict.fromkeys(fact.split(BETWEEN)))
        for one in part.measurements:
            earlier = measured[one.target].rounds if one.target in measured else ()
            others = tuple(figures for figures in earlier if not figures.keys() & set(one.backends()))
            measured[one.target] = Measurement(one.target, others + one.rounds)
    return Results({name: BETWEEN.join(found) for name, found in facts.items()}, tuple(measured.values()))


def spent(figures: Figures) -> float:
    """Seconds of the work that is compared: of the call, where it was an operator's, else from arrays to triangles.

    Loading kernels is not in it: it happens once in a process.
    """
    seconds = figures["seconds"]
    return float(seconds["wall"] - seconds["compile"] if "wall" in seconds else seconds["compute"])


def _median(values: Iterable[float]) -> float | None:
    known = list(values)
    return statistics.median(known) if known else None
