"""Measure the cases against the peers, and write tables. Run by `dev.py bench`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Python puts this folder first on the path, which would hide the package of the same name.
sys.path[0:1] = [str(ROOT), str(ROOT / "scripts")]

from benchmarks import document, machine, runs, tables  # noqa: E402
from benchmarks.openvdb import program  # noqa: E402
from benchmarks.results import OPENVDB, PEER, PEERS, Measurement, Results, ResultsError, load, merge  # noqa: E402
from benchmarks.targets import DEFAULT, DEFAULT_RESOLUTION, OBJECTS, ONCE, Target, TargetError, parse  # noqa: E402
from environment import SetupError, interpreter  # noqa: E402
from voxel_carve.formats import replacing  # noqa: E402
from voxel_carve.process import skip_destructors  # noqa: E402

DOCUMENT = ROOT / "docs" / "benchmarks.md"
PICTURES = ROOT / "docs" / "pictures"
BACKENDS = ("cpu",)
BLENDER_PYTHON = "3.13"  # its environment has the Blender of the peer


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or load measurements, and show them. Return 1 if a run failed, 2 if nothing could be done."""
    choice = _parser().parse_args(arguments)
    try:
        results = merge([load(file) for file in choice.read]) if choice.read else measure(choice)
    except (ResultsError, TargetError, runs.RunError, SetupError) as error:
        print(f"dev.py bench: {error}", file=sys.stderr)
        return 2
    print(tables.render(results), end="")
    if choice.json:
        results.save(choice.json)
    if choice.write:
        write(results)
    failed = any(one.error(runner) for one in results.measurements for runner in (*one.backends(), *PEERS))
    return 1 if failed else 0


def measure(choice: argparse.Namespace) -> Results:
    """Run what the command line asks for, and save each measurement at once.

    Raises:
        TargetError: no such target; RunError: nothing to run; SetupError: no Python for the peer.
    """
    cases = runs.cases_in(choice.cases.resolve()) if choice.cases else runs.standard_cases()
    chosen = [parse(text, cases) for text in choice.targets]
    everything = [Target(name, DEFAULT_RESOLUTION) for name in cases] if choice.cases else list(DEFAULT)
    targets = chosen or everything
    peers = {} if choice.no_peer else _peers()
    blender = _blender_python() if any(target.objects for target in targets) else None
    backends = tuple(choice.backend or BACKENDS)

    load_before = machine.load()
    _say("warming up")
    runs.warm_up(backends)
    measured: list[Measurement] = []
    results = Results({}, ())
    for target in targets:
        files = cases[target.case] if choice.cases else runs.make_standard_case(target.case)
        measured.append(runs.measure(target, files, backends, choice.repeat, blender, peers, _say))
        versions = _version(measured, "blender"), _version(measured, "openvdb")
        results = Results(machine.facts(ROOT, versions[0], load_before, versions[1]), tuple(measured))
        if choice.json:
            results.save(choice.json)
    return results


def write(results: Results) -> None:
    """Put tables and pictures into docs/benchmarks.md."""
    from benchmarks import plots

    pictures = plots.draw(results.measurements, PICTURES)
    measured = document.measured_part(tables.render(results), pictures, DOCUMENT.parent)
    with replacing(DOCUMENT, overwrite=True) as beside:
        beside.write_text(document.with_measured(DOCUMENT.read_text(encoding="utf-8"), measured), encoding="utf-8")
    _say(f"written: {DOCUMENT.relative_to(ROOT)}")


def _peers() -> dict[str, Path]:
    """What each peer runs by: a Python with Blender, and our program in C++, which is left out where it cannot be."""
    peers = {PEER: _blender_python()}
    try:
        peers[OPENVDB] = program.build(runs.BUILD)
    except program.ProgramError as error:
        _say(f"OpenVDB in C++ is left out: {error}")
    return peers


def _blender_python() -> Path:
    """The Python of the peer: this one, or that of the other environment, which is made if needed."""
    if ".".join(map(str, sys.version_info[:2])) == BLENDER_PYTHON:
        return Path(sys.executable)
    return interpreter(BLENDER_PYTHON)


def _version(measured: Sequence[Measurement], what: str) -> str | None:
    """The version of Blender or OpenVDB that a peer, or an operator's run, tells."""
    known = [
        figures[what]
        for one in measured
        for runner in (*PEERS, *one.backends())
        for figures in one.done(runner)
        if what in figures
    ]
    return known[0] if known else None


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py bench",
        description="Carve the standard cases with each backend, beside them with Blender's own SDF grid nodes, and, "
        "where a compiler and OpenVDB are installed, with OpenVDB's tools in C++.",
        epilog=f"Without targets all that have bars. Named only, for they take long: {', '.join(map(str, ONCE))}.",
    )
    add = parser.add_argument
    add(
        "targets",
        nargs="*",
        metavar=f"CASE@RESOLUTION[:{OBJECTS}]",
        help=f"such as W1-1000@256; with :{OBJECTS} by the operator, inside Blender",
    )
    add(
        "--backend",
        action="append",
        metavar="NAME",
        help=f"may be given several times (default: {', '.join(BACKENDS)})",
    )
    add("--repeat", type=_count, default=3, metavar="N", help="rounds; the tables show medians (default: 3)")
    add("--no-peer", action="store_true", help="without Blender's nodes and OpenVDB in C++")
    add("--cases", type=Path, metavar="FOLDER", help="other cases: every pair NAME.stock.ply and NAME.path.csv in it")
    add("--json", type=Path, metavar="FILE", help="save what was measured")
    add(
        "--from",
        type=Path,
        action="append",
        metavar="FILE",
        dest="read",
        help="measure nothing: show what --json saved; may be given several times",
    )
    add("--write", action="store_true", help="put tables and plots into docs/benchmarks.md")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


if __name__ == "__main__":
    skip_destructors()
    sys.exit(main())
