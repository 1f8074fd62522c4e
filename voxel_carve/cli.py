"""The command line: arguments in, exit status out. Only the standard library is imported until there is work to do."""

import argparse
import json
import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, cast

from .printing import ProgressBar, complain, complain_in_lines, flush, tell
from .process import Signals

DONE, FAULT, BAD_INPUT, BY_SIGNAL = 0, 1, 2, 128

DESCRIPTION = """\
Carve the volume that a round tool sweeps along paths out of a mesh.

  --stock NAME|FILE   an object of the .blend, or a file: .stl .ply .obj .glb .vdb
  --path NAME|FILE    an object of the .blend, or a file: .csv .txt .xyz with the header x,y,z[,radius][,path],
                      .npy .npz .obj .svg .dxf .gpx
"""

# The first word of the command that compiles; all others carve.
COMPILE = "compile"
COMPILE_DESCRIPTION = "Compile all kernels that a carve on the CPU needs, and end. Otherwise the first carve does."

EPILOG = """\
The command `compile` compiles all kernels that a carve on the CPU needs, and ends: for images of containers, and CI.

A jobs file is a JSON list of objects whose names are those of the options:
  [{"stock": ["part.stl"], "path": ["tool.csv"], "resolution": 256, "output": "part.ply"}, ...]
File names in it start from its own folder. Options given beside --jobs hold for all jobs that do not say otherwise;
--stock, --path, --output and --frames belong in the file, and --report is the summary.

Exit status: 0 done, 1 a fault of voxel_carve (with --jobs: at least one job failed), 2 bad input, 130 interrupted,
143 ended by SIGTERM, 129 ended by SIGHUP.
"""


# Called with the stage and the fraction done; raises KeyboardInterrupt once the job has to stop.
Progress = Callable[[str, float], None]

_commands: list[object] = []


def main(arguments: Sequence[str]) -> int:
    """Run the command line, and return the exit status; results go to stdout, errors to stderr.

    Ctrl-C, SIGTERM and SIGHUP end it, like bad input. Files that are half written are removed.
    """
    status, signals = DONE, Signals()
    try:
        with signals.heard():
            status = _main(arguments, signals)
    except BaseException as error:
        if not signals.number:
            status = _explained(error)
    if signals.number:  # whatever the status is, because the interrupted code may have raised something else
        complain("interrupted: no half output was left behind")
        status = BY_SIGNAL + signals.number
    flush()
    return status


def how_to_get(*modules: str) -> str:
    """How to install modules for this Python, in one sentence."""
    bpy = sys.modules.get("bpy")
    names = " ".join(modules)
    if bpy is None or getattr(bpy.app, "module", False):
        return f"run {sys.executable} -m pip install {names}"
    folder = bpy.utils.user_resource("SCRIPTS", path="modules")
    return (
        "install the Voxel Carve extension, which brings it, or run "
        f"{sys.executable} -m pip install --no-deps --target {folder} {names}"
    )


def register_command() -> None:
    """Register the command `blender -c voxel_carve`."""
    import bpy

    _commands.append(cast(Any, bpy.utils).register_cli_command("voxel_carve", main))


def unregister_command() -> None:
    """Undo `register_command`."""
    import bpy

    bpy.utils.unregister_cli_command(_commands.pop())


class _Refusal(Exception):  # noqa: N818 - not a program error
    """Bad input; the message says what is wrong and what to do."""


class _OfPath(argparse.Action):
    """An option of the path that was given before it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, _: str | None = None
    ) -> None:
        """Make that path an object with its name and its own settings, as in a jobs file."""
        if not namespace.path:
            parser.error(f"{self.option_strings[0]} goes after the --path that it is for")
        last = namespace.path[-1]
        own = dict(last) if isinstance(last, dict) else {"path": last}
        namespace.path[-1] = own | {self.dest.removeprefix("path_"): values}


class _Version(argparse.Action):
    """The option that tells the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Say it, and end."""
        package: Any = sys.modules[__name__.rpartition(".")[0]]
        tell(f"voxel_carve {package.__version__}")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    def print_help(self, file: object = None) -> None:
        for line in self.format_help().splitlines():
            tell(line)

    def error(self, message: str) -> NoReturn:
        raise _Refusal(f"{message} (--help lists the options)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        "voxel_carve",
        description=DESCRIPTION,
        epilog=EPILOG,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--stock", action="append", metavar="NAME|FILE", help="the mesh to carve; may be given several times")
    add("--path", action="append", metavar="NAME|FILE", help="where the tool goes; may be given several times")
    for name, metavar, what in (("operation", "NAME", "how it is combined"), ("radius", "R", "its radius")):
        add(
            f"--path-{name}",
            action=_OfPath,
            default=argparse.SUPPRESS,
            metavar=metavar,
            help=f"of the --path before it: {what}, whatever --{name} and its bevel say",
        )
    add("--radius", metavar="R", help="the tool's radius where a path has none of its own")
    add(
        "--unit",
        metavar="NAME",
        help="the unit of the coordinates, such as mm, to which paths in another are converted; by default m, or the "
        "scene's",
    )
    add("--voxel-size", metavar="V", help="edge of a voxel, in the unit of the coordinates")
    add("--resolution", metavar="N", help="instead: voxels along the longest side of each stock")
    add("--operation", metavar="NAME", help="subtract (the default), union or intersect")
    add("--result", metavar="NAME", help="remesh (the default), or keep: leave the stock as it is where no path cuts")
    add(
        "--open-stock",
        metavar="NAME",
        help="sheet: an open stock is solid behind its faces; fill: its holes are filled; automatic (the default)",
    )
    add("--close", action="store_true", default=None, help="leave the sides and the floor of a sheet on, for printing")
    add(
        "--adaptivity",
        metavar="A",
        help="merge faces where the surface moves by less than this part of a voxel, 0 to 1",
    )
    add("--tolerance", metavar="L", help="instead: the greatest distance, in the unit of the coordinates")
    add(
        "--backend",
        metavar="NAME",
        help="auto (the default), cpu, cuda, cuda:N, or one of another package; --backends lists them",
    )
    add("--backends", action="store_true", help="list the backends, with why one does not work here, and end")
    add(
        "--memory-limit",
        metavar="GIB",
        help="refuse a job that needs more, beside 0.2 GiB for Python and libraries; by default half of what is free",
    )
    add("--output", metavar="FILE", help=".stl .ply .obj .glb .vdb, or .blend: a copy of the scene with the results")
    add("--overwrite", action="store_true", default=None, help="let output and report replace files")
    add("--report", metavar="FILE.json", help="write the figures of the job; with --jobs the summary")
    add(
        "--verify",
        action="store_true",
        default=None,
        help="measure how far the result is from the exact surface and its edges; into the report too",
    )
    add("--blend", metavar="FILE", help="the .blend that objects are in, where it is not open already")
    add("--frames", metavar="A:B", help="one result for each frame; {frame} or {frame:04} in the output's name")
    add("--jobs", metavar="FILE.json", help="many jobs in one process; goes on after a failure")
    add("--resume", action="store_true", help="with --jobs or --frames: skip what has an output already")
    add("--dry-run", action="store_true", help="carve and write nothing: say about how much it would make and take")
    add("--quiet", action="store_true", help="say nothing but errors")
    add("--version", action=_Version, nargs=0, default=argparse.SUPPRESS, help="say which version this is, and end")
    return parser


def _main(arguments: Sequence[str], signals: Signals) -> int:
    compiles = list(arguments[:1]) == [COMPILE]
    try:
        options = _compile_parser().parse_args(arguments[1:]) if compiles else _parser().parse_args(list(arguments))
    except SystemExit:  # after --help or --version
        return DONE
    try:
        from .compute import InputError
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        raise _Refusal(f"{library} is missing: {how_to_get('numpy', 'scipy', 'trimesh')}") from error
    _quiet_libraries()
    from .compute.forecasts import keep_history

    keep_history(True)
    if compiles:
        return _compile(options.quiet, signals)
    if options.backends:
        return _list_backends()
    try:
        return _batch(options, signals) if options.jobs is not None else _single(options, signals)
    except InputError as error:
        from .compute.runtime import said_at

        raise _Refusal(said_at("command_line", error)) from error


def _explained(error: BaseException) -> int:
    """Report what ended the work and what to do, and return the exit status."""
    if isinstance(error, KeyboardInterrupt):  # not on the main thread, which alone receives signals
        raise error
    if isinstance(error, _Refusal):
        complain(str(error))
        return BAD_INPUT
    if isinstance(error, MemoryError):
        complain("memory ran out outside of the carve itself: give it less to read, or choose larger voxels")
        return BAD_INPUT
    complain_in_lines("".join(traceback.format_exception(error)))
    complain("this is a fault of voxel_carve: please report it with the lines above")
    return FAULT


def _compile_parser() -> argparse.ArgumentParser:
    parser = _Parser("voxel_carve compile", description=COMPILE_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    return parser


def _compile(quiet: bool, signals: Signals) -> int:
    from .compile_command import compile_all
    from .compute import InputError

    try:
        with _progress(quiet, signals) as (progress, _):
            done = compile_all(progress)
    except InputError as error:
        raise _Refusal(str(error)) from error
    _tell(done, quiet)
    return DONE


def _list_backends() -> int:
    from .backend_status import check_backend, in_words, outside_backends
    from .compute.runtime import said_at

    for name, package in {"auto": "", "cpu": "", "cuda": "", **outside_backends()}.items():
        status = check_backend(name)
        answer = in_words(status) if status.name else f"does not work here: {said_at('command_line', status.notes[0])}"
        tell(f"{name}{f' ({package})' if package else ''}: {answer}")
    return DONE


def _single(options: argparse.Namespace, signals: Signals) -> int:
    from .clashes import files_read, refuse_shared_outputs, refuse_spoiled_inputs
    from .compute import InputError
    from .formats import is_file
    from .headless import forecast_job, run_job
    from .jobs import read_options

    if options.resume and not options.frames:
        raise _Refusal("--resume goes with --jobs or --frames")
    jobs = read_options(_job_options(options), open_blend=_open_blend())
    refuse_shared_outputs((f"frame {job.frame}" if len(jobs) > 1 else "", job) for job in jobs)
    to_do = [
        ("" if job.frame is None else f"frame {job.frame}: ", job)
        for job in jobs
        if not (options.resume and is_file(job.output))
    ]
    read = files_read(jobs[0])  # all frames have the same
    for label, job in to_do:
        refuse_spoiled_inputs({f"{label}{option}": file for option, file in job.outputs().items()}, read)
    for label, job in to_do:
        try:
            with _progress(options.quiet, signals) as (progress, _):
                if options.dry_run:
                    told = forecast_job(job, progress)
                else:
                    report = run_job(job, progress)
        except InputError as error:
            raise InputError("{label}{error}", label=label, error=error) from error
        signals.check()
        if options.dry_run:
            _tell_forecasts(told, label)
        else:
            _tell_done(str(job.output), report, label, options.quiet)
    return DONE


def _batch(options: argparse.Namespace, signals: Signals) -> int:
    from .batch import DONE as DONE_STATUS
    from .batch import FAILED, SKIPPED, outcomes, plan, summary
    from .formats import check_output
    from .headless import write_json
    from .jobs import read_jobs_file

    if options.dry_run:
        raise _Refusal("--dry-run is for a job by itself: leave --jobs out")
    common = _job_options(options)
    for option in ("stock", "path", "output", "frames"):
        if common[option] is not None:
            raise _Refusal(f"--{option} is for each job by itself: put it into the jobs file")
    report = common.pop("report")
    if common["blend"] is not None:
        common["blend"] = str(Path(common["blend"]).absolute())
    file = Path(options.jobs)
    entries = read_jobs_file(file)
    summary_file = None if report is None else Path(report)
    tasks = plan(entries, common, file, _open_blend(), options.resume, summary_file)
    if summary_file is not None:
        check_output(summary_file, bool(options.overwrite))

    began = time.perf_counter()
    found: list[dict[str, Any]] = []
    try:
        with _progress(options.quiet, signals) as (progress, bar):
            for outcome in outcomes(tasks, options.resume, progress):
                if outcome["status"] == FAILED:
                    signals.check()  # an interrupted job may look like one that failed
                found.append(outcome)
                bar.clear()
                label = f"job {outcome['job']} of {len(entries)}: "
                if outcome["status"] == FAILED:
                    complain(f"{label}{outcome['error']}")
                elif outcome["status"] == SKIPPED:
                    _tell(f"{label}{outcome['output']} exists: skipped", options.quiet)
                else:
                    _tell_done(outcome["output"], outcome["report"], label, options.quiet)
                signals.check()
    finally:
        result = summary(found, time.perf_counter() - began)
        if summary_file is not None:
            write_json(summary_file, result, bool(options.overwrite))
    counts = ", ".join(f"{result[status]} {status}" for status in (DONE_STATUS, SKIPPED, FAILED))
    _tell(f"{counts} in {result['seconds']:.1f} s", options.quiet)
    if report is None:
        _tell(json.dumps(result), quiet=False)
    return FAULT if result[FAILED] else DONE


def _job_options(options: argparse.Namespace) -> dict[str, Any]:
    own = ("jobs", "resume", "quiet", "backends", "dry_run")
    return {name: value for name, value in vars(options).items() if name not in own}


def _open_blend() -> Path | None:
    """The .blend that is open in the Blender we run in, if any."""
    bpy = sys.modules.get("bpy")
    return Path(bpy.data.filepath) if bpy is not None and bpy.data.filepath else None


def _tell_done(output: str, report: dict[str, Any], label: str, quiet: bool) -> None:
    removed = report["removed_volume"]
    change = f"{removed:.6g} removed" if removed >= 0 else f"{-removed:.6g} added"
    closed = "closed" if report["closed"] else "not closed"
    _tell(
        f"{label}{output}: {change}, volume {report['volume']:.6g}, {report['faces']} faces, {closed}, "
        f"{report['seconds']['total']:.1f} s, {report['backend']} ({report['device']})",
        quiet,
    )
    if "accuracy" in report:
        from .compute.model import in_words

        _tell(f"{label}{output}: {in_words(report['accuracy'])}", quiet)
    if not quiet:
        for warning in report["warnings"]:
            complain(f"warning: {label}{warning}")


def _tell_forecasts(told: Sequence[tuple[str, Any]], label: str) -> None:
    from .compute.forecasts import rounded
    from .compute.runtime import memory_texts

    for name, expected in told:
        grid = " x ".join(str(side) for side in reversed(expected.grid_shape))
        figures = f"{rounded(expected.faces)} faces, {memory_texts(expected.memory)[0]}, {expected.seconds_text()}"
        tell(f"{label}{name}: {grid} voxels, about {figures}")


def _tell(line: str, quiet: bool) -> None:
    if not quiet:
        tell(line)


@contextmanager
def _progress(quiet: bool, signals: Signals) -> Iterator[tuple[Progress, ProgressBar]]:
    """The progress callback of a job, and the bar that shows it."""
    bar = ProgressBar(wanted=not quiet)

    def hear(stage: str, fraction: float) -> None:
        signals.check()
        bar.draw(stage, fraction)

    try:
        yield hear, bar
    finally:
        bar.clear()


def _quiet_libraries() -> None:
    """Keep log records out of stderr, unless a handler is set."""
    for name in ("trimesh", "ezdxf", __package__):
        logging.getLogger(name).addHandler(logging.NullHandler())
