"""The fuzz as a command: random scenes, each judged, and a table of the results.

    python3 scripts/dev.py fuzz [--open] [--scenes 1000] [--first 0] [--backend cpu] [--verbose]

The number determines a scene: `dev.py fuzz --first 417 --scenes 1` repeats one. Exits with status 1 if a scene has a
complaint, or if more faces overlap than the bar allows.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from tests.fuzz.judge import OVERLAP_BAR, Verdict, judge
from tests.fuzz.open_scenes import OPEN_FAMILIES, judge_open, open_scene
from tests.fuzz.scenes import FAMILIES, scene
from voxel_carve.compute import Backend, get_backend
from voxel_carve.process import skip_destructors


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the scenes, print the figures."""
    parser = argparse.ArgumentParser(prog="dev.py fuzz", description="Judge random scenes.")
    parser.add_argument("--open", action="store_true", help="scenes of open stocks: sheets, and bodies with holes")
    parser.add_argument("--scenes", type=int, default=1000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--backend", default="cpu", help="cpu, cuda, or warp for Warp's own CPU device")
    parser.add_argument("--verbose", action="store_true", help="a line for every scene")
    choice = parser.parse_args(arguments)
    backend, start, verdicts = backend_of(choice.backend), time.perf_counter(), []
    numbers = range(choice.first, choice.first + choice.scenes)
    for verdict in open_verdicts_on(numbers, backend) if choice.open else verdicts_on(numbers, backend):
        verdicts.append(verdict)
        if choice.verbose or verdict.complaints or verdict.overlapping:
            print(verdict, flush=True)
    print(table(verdicts))
    print(f"{time.perf_counter() - start:.0f} seconds")
    return int(any(verdict.complaints for verdict in verdicts) or overlap_share(verdicts) > OVERLAP_BAR)


def backend_of(name: str) -> Backend:
    """A backend by its name; `warp` is Warp on its own CPU device."""
    if name != "warp":
        return get_backend(name)
    from voxel_carve.compute.engines.warp.backend import WarpBackend

    return WarpBackend("cpu")


def verdicts_on(numbers: Sequence[int], backend: Backend) -> Iterator[Verdict]:
    """The verdicts on scenes, one after the other."""
    for number in numbers:
        yield judge(scene(number), backend)


def open_verdicts_on(numbers: Sequence[int], backend: Backend) -> Iterator[Verdict]:
    """The verdicts on scenes of open stocks."""
    for number in numbers:
        yield judge_open(open_scene(number), backend)


def overlap_share(verdicts: Sequence[Verdict]) -> float:
    """The share of overlapping faces among all faces."""
    return sum(verdict.overlapping for verdict in verdicts) / max(1, sum(verdict.triangles for verdict in verdicts))


def table(verdicts: Sequence[Verdict]) -> str:
    """A line for each family, and one for the total."""
    lines = ["| family | scenes | complaints | triangles | overlap | cross | volume error, voxels |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name in [*FAMILIES, *OPEN_FAMILIES, "all"]:
        some = [verdict for verdict in verdicts if name in (verdict.name, "all")]
        if not some:
            continue
        errors = [abs(v.volume_error) for v in some if v.volume_error is not None and not v.thin]
        worst = f"{np.sqrt(np.mean(np.square(errors))):.4f} RMS, {max(errors):.4f}" if errors else "not judged"
        sums = [sum(getattr(v, what) for v in some) for what in ("triangles", "overlapping", "crossing")]
        complaints = sum(bool(v.complaints) for v in some)
        lines.append(f"| {name} | {len(some)} | {complaints} | {' | '.join(map(str, sums))} | {worst} |")
    return "\n".join(lines)


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main())
