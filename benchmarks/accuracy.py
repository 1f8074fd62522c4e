"""The accuracy of our results and the peer's, measured alike, as tables. Run by `dev.py accuracy`."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Python puts this folder first on the path, which would hide the package of the same name.
sys.path[0:1] = [str(ROOT), str(ROOT / "scripts")]

from benchmarks import accuracy_tables, document, machine, runs  # noqa: E402
from benchmarks.cases import read  # noqa: E402
from benchmarks.results import PEER, Figures, Measurement, Results, ResultsError, load, merge  # noqa: E402
from benchmarks.targets import ACCURACY_BARS, Target, TargetError, parse  # noqa: E402
from environment import SetupError, interpreter  # noqa: E402
from voxel_carve.compute import Sweep, verify  # noqa: E402
from voxel_carve.compute.model import voxel_size_for_resolution  # noqa: E402
from voxel_carve.formats import read_mesh, replacing  # noqa: E402
from voxel_carve.process import skip_destructors  # noqa: E402

DOCUMENT = ROOT / "docs" / "accuracy.md"
BEGIN = "<!-- measured: written by dev.py accuracy --write -->"
BACKENDS = ("cpu",)
BLENDER_PYTHON = "3.13"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or load measurements, and show them. Return 1 if a run failed, 2 if nothing could be done."""
    choice = _parser().parse_args(arguments)
    try:
        results = merge([load(file) for file in choice.read]) if choice.read else measure(choice)
    except (ResultsError, TargetError, runs.RunError, SetupError) as error:
        print(f"dev.py accuracy: {error}", file=sys.stderr)
        return 2
    rendered = accuracy_tables.render(results)
    print(rendered, end="")
    if choice.json:
        results.save(choice.json)
    if choice.write:
        text = document.with_measured(DOCUMENT.read_text(encoding="utf-8"), rendered, BEGIN)
        with replacing(DOCUMENT, overwrite=True) as beside:
            beside.write_text(text, encoding="utf-8")
    return 1 if any(one.error(runner) for one in results.measurements for runner in (*one.backends(), PEER)) else 0


def measure(choice: argparse.Namespace) -> Results:
    """Run what the command line asks for, target after target, and save each measurement at once.

    Raises:
        TargetError: no such target; RunError: a case cannot be made; SetupError: no Python for the peer.
    """
    targets = [parse(text, runs.standard_cases()) for text in choice.targets] or list(ACCURACY_BARS)
    blender = None if choice.no_peer else _blender_python()
    load_before = machine.load()
    measured: list[Measurement] = []
    results = Results({}, ())
    for target in targets:
        files = runs.make_standard_case(target.case)
        figures = {runner: _of_ours(runner, target, files) for runner in choice.backend or BACKENDS}
        if blender is not None:
            figures[PEER] = _of_peer(target, files, blender)
        print(f"{target}: {', '.join(figures)}", file=sys.stderr, flush=True)
        measured.append(Measurement(target, (figures,)))
        known = [one["blender"] for one in figures.values() if "blender" in one]
        version = known[0] if known else results.facts.get("peer", "").removeprefix("Blender ") or None
        results = Results(machine.facts(ROOT, version, load_before), tuple(measured))
        if choice.json:
            results.save(choice.json)
    return results


def wants_distances(target: Target) -> bool:
    """Whether to measure more than the volume: millions of vertices take minutes."""
    bar = ACCURACY_BARS.get(target)
    return bar is None or set(asdict(bar).values()) - {None, bar.volume} != set()


def _of_ours(backend: str, target: Target, files: runs.CaseFiles) -> Figures:
    figures = runs.command_line(backend, target, files, *(["--verify"] if wants_distances(target) else []))
    return figures if "error" in figures else {**figures, "stock_volume": read_mesh(files.stock).volume()}


def _of_peer(target: Target, files: runs.CaseFiles, blender: Path) -> Figures:
    """The peer's own figures, and the accuracy of its mesh."""
    runs.BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="peer-", dir=runs.BUILD) as folder:
        mesh = Path(folder) / "peer.ply"
        figures = runs.in_blender("benchmarks.peer", target, files, blender, str(mesh))
        if "error" in figures:
            return figures
        case = read(files.stock, files.path)
        whole = {**figures, "stock_volume": case.stock.volume()}
        if wants_distances(target):
            sweep, voxel_size = Sweep.from_paths([case.path]), voxel_size_for_resolution(case.stock, target.resolution)
            whole["accuracy"] = verify(read_mesh(mesh), case.stock, sweep, voxel_size).to_dict()
        return whole


def _blender_python() -> Path:
    """The Python of the peer: this one, or that of the other environment, which is made if needed."""
    if ".".join(map(str, sys.version_info[:2])) == BLENDER_PYTHON:
        return Path(sys.executable)
    return interpreter(BLENDER_PYTHON)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py accuracy",
        description="Measure how far the results of the standard cases are from the exact surface and its edges.",
    )
    add = parser.add_argument
    add("targets", nargs="*", metavar="CASE@RESOLUTION", help="such as W1-1000@256 (default: all that have bars)")
    add("--backend", action="append", metavar="NAME", help=f"several times too (default: {', '.join(BACKENDS)})")
    add("--no-peer", action="store_true", help="without Blender's nodes")
    add("--json", type=Path, metavar="FILE", help="save what was measured")
    add(
        "--from",
        type=Path,
        action="append",
        metavar="FILE",
        dest="read",
        help="measure nothing: show what --json saved; may be given several times",
    )
    add("--write", action="store_true", help="put the tables into docs/accuracy.md")
    return parser


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main())
