"""Measurements as plain data, and the figures derived from them."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.targets import Target
from voxel_carve.formats import replacing

PEER = "peer"  # Blender's nodes
OPENVDB = "openvdb"  # OpenVDB's own tools in C++
PEERS = (PEER, OPENVDB)
BETWEEN = " / "  # separates facts that differ
LOST_SHARE = 0.05  # with a greater error in volume, a peer has not done the same job

Figures = Mapping[str, Any]


class ResultsError(Exception):
    """A file has no results; the message names it."""


@dataclass(frozen=True)
class Measurement:
    """The runs of one target.

    Attributes:
        target: the target.
        rounds: for each round, the figures of each backend and, by their names, of the peers: our report, or what a
            peer has of one; or {"error": why there is none}.
    """

    target: Target
    rounds: tuple[Mapping[str, Figures], ...]

    def backends(self) -> tuple[str, ...]:
        """The backends that ran, in order."""
        return tuple(dict.fromkeys(name for figures in self.rounds for name in figures if name not in PEERS))

    def done(self, runner: str) -> list[Figures]:
        """The figures of each successful round of a runner."""
        return [figures[runner] for figures in self.rounds if runner in figures and "error" not in figures[runner]]

    def error(self, runner: str) -> str | None:
        """Why a runner failed, if it did."""
        return next((str(f[runner]["error"]) for f in self.rounds if runner in f and "error" in f[runner]), None)

    def seconds(self, runner: str) -> float | None:
        """Median time of the work that is compared; None if no run succeeded."""
        return _median(spent(figures) for figures in self.done(runner))

    def stage(self, runner: str, name: str) -> float | None:
        """Median time of a stage; None if no report has it."""
        return _median(figures["seconds"][name] for figures in self.done(runner) if name in figures["seconds"])

    def ratio(self, backend: str, peer: str = PEER) -> float | None:
        """Median ratio of our time to a peer's within each round, because the machine's speed varies between them."""
        pairs = ((figures[backend], figures[peer]) for figures in self.rounds if backend in figures and peer in figures)
        return _median(spent(ours) / spent(theirs) for ours, theirs in pairs if "error" not in {*ours, *theirs})

    def peak_memory_gib(self, runner: str) -> float | None:
        """Greatest resident size of all runs."""
        return max((figures["peak_memory_mb"] / 1024 for figures in self.done(runner)), default=None)

    def estimated_memory_mb(self, runner: str) -> float | None:
        """The estimated memory of the job; None if no report has it."""
        key = "estimated_memory_mb"
        return max((figures[key] for figures in self.done(runner) if key in figures), default=None)

    def job_memory_mb(self, runner: str) -> float | None:
        """Greatest resident size of a run, less that of its process when the job began."""
        runs = [figures for figures in self.done(runner) if "memory_before_mb" in figures]
        return max((figures["peak_memory_mb"] - figures["memory_before_mb"] for figures in runs), default=None)

    def peer_volume_error(self, peer: str = PEER) -> float | None:
        """The difference of a peer's volume from ours, relative to ours."""
        ours = next((self.done(backend)[0]["volume"] for backend in self.backends() if self.done(backend)), None)
        theirs = self.done(peer)
        return theirs[0]["volume"] / ours - 1.0 if ours and theirs else None

    def peer_lost_the_stock(self, peer: str = PEER) -> bool:
        """Whether a peer's result is a different solid."""
        error = self.peer_volume_error(peer)
        return error is not None and abs(error) > LOST_SHARE


@dataclass(frozen=True)
class Results:
    """Measurements, and the machine they were taken on.

    Attributes:
        facts: machine, system, versions, commit and date, by name.
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
    """Results written by `save`.

    Raises:
        ResultsError: the file cannot be read, or has no results.
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
    """Merge results of several runs. Of two results for the same backend and target, the later counts; facts that
    differ are listed side by side."""
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
    """Seconds of the work that is compared: of the whole call for an operator, else from arrays to triangles.

    Loading kernels is not included, because it happens once per process.
    """
    seconds = figures["seconds"]
    return float(seconds["wall"] - seconds["compile"] if "wall" in seconds else seconds["compute"])


def _median(values: Iterable[float]) -> float | None:
    known = list(values)
    return statistics.median(known) if known else None
