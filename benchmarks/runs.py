"""Measuring: every run is a separate process; our runs and those of the peers alternate."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import cases
from benchmarks.openvdb import program
from benchmarks.results import OPENVDB, PEER, Figures, Measurement, spent
from benchmarks.targets import Target
from voxel_carve.compute.model import voxel_size_for_resolution

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "benchmarks"
WARM_UP = Target("W1-100", 32)

Say = Callable[[str], None]


class RunError(Exception):
    """Nothing can be measured; the message says why."""


@dataclass(frozen=True)
class CaseFiles:
    """The files of a case, which need not exist yet."""

    name: str
    stock: Path
    path: Path

    @classmethod
    def of(cls, name: str, folder: Path) -> "CaseFiles":
        """NAME.stock.ply and NAME.path.csv in a folder."""
        return cls(name, folder / f"{name}{cases.STOCK_SUFFIX}", folder / f"{name}{cases.PATH_SUFFIX}")


def standard_cases() -> dict[str, CaseFiles]:
    """The cases of cases.py, by name; their files need not exist yet."""
    return {name: CaseFiles.of(name, BUILD / "cases") for name in cases.CASES}


def cases_in(folder: Path) -> dict[str, CaseFiles]:
    """Every pair of NAME.stock.ply and NAME.path.csv in a folder, by name.

    Raises:
        RunError: there is none, or one file of a pair is missing.
    """
    found = {}
    for suffix in (cases.STOCK_SUFFIX, cases.PATH_SUFFIX):
        for file in sorted(folder.glob(f"*{suffix}")):
            files = CaseFiles.of(file.name.removesuffix(suffix), folder)
            for needed in (files.stock, files.path):
                if not needed.is_file():
                    raise RunError(f"{file} is half a case: {needed.name} is missing")
            found[files.name] = files
    if not found:
        raise RunError(f"{folder} has no cases: a case is NAME{cases.STOCK_SUFFIX} and NAME{cases.PATH_SUFFIX}")
    return found


def make_standard_case(name: str) -> CaseFiles:
    """The files of a standard case, made if they are missing or older than the code that makes them.

    Raises:
        RunError: they cannot be made.
    """
    files = standard_cases()[name]
    made = files.path.is_file() and files.stock.is_file()
    if not made or files.stock.stat().st_mtime < Path(cases.__file__).stat().st_mtime:
        done = _run([sys.executable, "-m", "benchmarks.cases", str(files.stock.parent), name])
        if done.returncode != 0:
            raise RunError(f"case {name} cannot be made: {_last_line(done)}")
    return files


def measure(
    target: Target,
    files: CaseFiles,
    backends: Sequence[str],
    repeat: int,
    blender: Path | None,
    peers: Mapping[str, Path],
    say: Say,
) -> Measurement:
    """Run a target with each backend and each peer, one after the other, for several rounds.

    A runner that fails is left out of the following rounds.

    Args:
        target, files: what to run.
        backends: by name.
        repeat: the number of rounds.
        blender: a Python with Blender 5 as a module; None if no operator runs.
        peers: by name, the Python or the program of each peer that runs.
        say: called with a line for each round.
    """
    rounds: list[Mapping[str, Figures]] = []
    failed: set[str] = set()
    for number in range(repeat):
        figures: dict[str, Figures] = {}
        for runner in (*backends, *peers):
            if runner not in failed:
                figures[runner] = _figures(runner, target, files, blender, peers)
                failed |= {runner} if "error" in figures[runner] else set()
        summary = ", ".join(f"{runner} {in_short(one)}" for runner, one in figures.items())
        say(f"{target}, round {number + 1} of {repeat}: {summary or 'nobody is left'}")
        rounds.append(figures)
    return Measurement(target, tuple(rounds))


def in_short(figures: Figures) -> str:
    """The seconds, or the error, in short."""
    return str(figures["error"]) if "error" in figures else f"{spent(figures):.3f} s"


def warm_up(backends: Sequence[str]) -> None:
    """Let each backend compile its kernels, so that no measured run pays for that in time or memory."""
    files = make_standard_case(WARM_UP.case)
    for backend in backends:
        command_line(backend, WARM_UP, files)


def _figures(runner: str, target: Target, files: CaseFiles, blender: Path | None, peers: Mapping[str, Path]) -> Figures:
    if runner == PEER:
        return in_blender("benchmarks.peer", target, files, peers[PEER])
    if runner == OPENVDB:
        return by_openvdb(target, files, peers[OPENVDB])
    if target.objects:
        return in_blender("benchmarks.in_blender", target, files, blender, runner)
    return command_line(runner, target, files)


def command_line(backend: str, target: Target, files: CaseFiles, *more: str) -> Figures:
    """The report of a job run by the command line, with more options."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=BUILD) as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "voxel_carve", "--backend", backend, "--overwrite", "--quiet"]
        command += ["--stock", str(files.stock), "--path", str(files.path), "--resolution", str(target.resolution)]
        command += ["--output", str(Path(folder) / "carved.ply"), "--report", str(report), *more]
        done = _run(command)
        if done.returncode != 0:
            return {"error": _last_line(done)}
        answer: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return answer


def in_blender(module: str, target: Target, files: CaseFiles, blender: Path | None, *more: str) -> Figures:
    """The output of a Python module, run with Blender as a module."""
    if blender is None:
        raise RunError(f"{target} needs a Python with Blender as a module")
    done = _run([str(blender), "-m", module, str(files.stock), str(files.path), str(target.resolution), *more])
    if done.returncode != 0:
        return {"error": _last_line(done)}
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def by_openvdb(target: Target, files: CaseFiles, built: Path) -> Figures:
    """The output of the program in C++."""
    case = cases.read(files.stock, files.path)
    try:
        return program.run(built, case, voxel_size_for_resolution(case.stock, target.resolution))
    except program.ProgramError as error:
        return {"error": str(error)}


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a process that imports from this checkout first, with no other variables of ours."""
    environment = {name: value for name, value in os.environ.items() if name != "VOXEL_CARVE_BACKEND"}
    environment["PYTHONPATH"] = str(ROOT)
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    """The error message of a process that failed."""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return lines[-1] if lines else f"exit status {done.returncode}"
