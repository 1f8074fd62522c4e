"""The command line: arguments in, exit status out. Only the standard library is imported until there is work to do."""

import argparse
import json
import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, cast

from .commands.arguments import COMPILE, FARM, Refusal, carving_parser, compiling_parser, farming_parser
from .printing import ProgressBar, complain, complain_in_lines, flush, tell
from .process import Signals

DONE, FAULT, BAD_INPUT, BY_SIGNAL = 0, 1, 2, 128

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


def _main(arguments: Sequence[str], signals: Signals) -> int:
    command = next(iter(arguments[:1]), "")
    parsers = {COMPILE: compiling_parser, FARM: farming_parser}
    try:
        parser, words = (parsers[command](), arguments[1:]) if command in parsers else (carving_parser(), arguments)
        options = parser.parse_args(list(words))
    except SystemExit:  # after --help or --version
        return DONE
    try:
        from .compute import InputError
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        raise Refusal(f"{library} is missing: {how_to_get('numpy', 'scipy', 'trimesh')}") from error
    _quiet_libraries()
    from .compute.forecasts import keep_history

    keep_history(True)
    if command == COMPILE:
        return _compile(options.quiet, signals)
    try:
        if command == FARM:
            return _farm(options, signals)
        if options.backends:
            return _list_backends()
        return _batch(options, signals) if options.jobs is not None else _single(options, signals)
    except InputError as error:
        from .compute.runtime import said_at

        raise Refusal(said_at("command_line", error)) from error


def _explained(error: BaseException) -> int:
    """Report what ended the work and what to do, and return the exit status."""
    if isinstance(error, KeyboardInterrupt):  # not on the main thread, which alone receives signals
        raise error
    if isinstance(error, Refusal):
        complain(str(error))
        return BAD_INPUT
    if isinstance(error, MemoryError):
        complain("memory ran out outside of the carve itself: give it less to read, or choose larger voxels")
        return BAD_INPUT
    complain_in_lines("".join(traceback.format_exception(error)))
    complain("this is a fault of voxel_carve: please report it with the lines above")
    return FAULT


def _compile(quiet: bool, signals: Signals) -> int:
    from .commands.compile_command import compile_all
    from .compute import InputError

    try:
        with _progress(quiet, signals) as (progress, _):
            done = compile_all(progress)
    except InputError as error:
        raise Refusal(str(error)) from error
    _tell(done, quiet)
    return DONE


def _farm(options: argparse.Namespace, signals: Signals) -> int:
    from .commands.farm_command import check_list, collect, write_job_type, write_openjd

    wanted = [name for name in ("openjd", "flamenco", "check", "collect") if getattr(options, name)]
    if len(wanted) != 1:
        raise Refusal("farm: give one of --openjd, --flamenco, --check and --collect")
    if options.report is not None and not options.collect:
        raise Refusal("farm: --report goes with --collect")
    if options.flamenco:
        if options.jobs is not None:
            raise Refusal("farm: --flamenco takes no list of jobs")
        _tell(f"{write_job_type(Path(options.flamenco), options.overwrite)}: written", options.quiet)
        return DONE
    if options.jobs is None:
        raise Refusal(f"farm: name the list of jobs that --{wanted[0]} is for")
    jobs_file = Path(options.jobs)
    if options.openjd:
        for written in write_openjd(jobs_file, Path(options.openjd), options.overwrite):
            _tell(f"{written}: written", options.quiet)
        return DONE
    if options.check:
        with _progress(options.quiet, signals) as (progress, _):
            count = check_list(jobs_file, progress, complain)
        _tell(f"{count} jobs, kernels ready", options.quiet)
        return DONE
    report = None if options.report is None else Path(options.report)
    counts = collect(jobs_file, Path(options.collect), report, options.overwrite, complain)
    _tell(", ".join(f"{count} {name}" for name, count in counts.items()), options.quiet)
    return FAULT if counts["failed"] else DONE


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
    from .compute import EmptyResultError, InputError
    from .compute.runtime import said_at
    from .formats import is_file
    from .headless import forecast_job, run_job
    from .jobs import read_options

    if options.resume and not options.frames:
        raise Refusal("--resume goes with --jobs or --frames")
    if options.only is not None:
        raise Refusal("--only goes with --jobs")
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
    empty: list[EmptyResultError] = []
    for label, job in to_do:
        try:
            with _progress(options.quiet, signals) as (progress, _):
                if options.dry_run:
                    told = forecast_job(job, progress)
                elif options.workers is not None or options.scheduler is not None or options.out_of_core:
                    report = _in_slabs(job, options, progress)
                else:
                    report = run_job(job, progress)
        except EmptyResultError as error:
            if job.frame is None:
                raise
            _tell_empty(said_at("command_line", error), job.output, label)
            empty.append(error)
            signals.check()
            continue
        except InputError as error:
            raise InputError("{label}{error}", label=label, error=error) from error
        signals.check()
        if options.dry_run:
            _tell_forecasts(told, label)
        else:
            _tell_done(str(job.output), report, label, options.quiet)
    if empty and len(empty) == len(to_do):
        raise empty[0]
    return DONE


def _in_slabs(job: Any, options: argparse.Namespace, progress: Progress) -> dict[str, Any]:
    from .commands.slabs_command import carve_in_slabs_by

    if options.out_of_core and not (options.workers is None and options.scheduler is None):
        raise Refusal("--out-of-core is for this process: leave it out with --workers and --scheduler")
    return carve_in_slabs_by(job, options.workers, options.scheduler, progress)


def _batch(options: argparse.Namespace, signals: Signals) -> int:
    from .batch import DONE as DONE_STATUS
    from .batch import EMPTY, FAILED, SKIPPED, outcomes, plan, summary
    from .farm.places import places_text, read_places
    from .formats import check_output
    from .headless import write_json
    from .jobs_file import read_jobs_file

    for name in ("dry_run", "out_of_core"):
        if getattr(options, name):
            raise Refusal(f"--{name.replace('_', '-')} is for a job by itself: leave --jobs out")
    common = _job_options(options)
    for option in ("stock", "path", "output", "frames"):
        if common[option] is not None:
            raise Refusal(f"--{option} is for each job by itself: put it into the jobs file")
    report = common.pop("report")
    if common["blend"] is not None:
        common["blend"] = str(Path(common["blend"]).absolute())
    file = Path(options.jobs)
    entries = read_jobs_file(file)
    summary_file = None if report is None else Path(report)
    tasks = plan(entries, common, file, _open_blend(), options.resume, summary_file)
    if options.only is not None:
        places = read_places(options.only, len(tasks))
        tasks = [tasks[place - 1] for place in places]
    if summary_file is not None:
        check_output(summary_file, bool(options.overwrite))

    began = time.perf_counter()
    found: dict[int, dict[str, Any]] = {}
    coming: Iterator[tuple[int, dict[str, Any]]]
    try:
        with ExitStack() as stack:
            progress, bar = stack.enter_context(_progress(options.quiet, signals))
            if options.workers is None and options.scheduler is None:
                coming = enumerate(outcomes(tasks, options.resume, progress))
            else:
                from .commands.compile_command import compile_missing
                from .distributed.cluster import connected
                from .farm.scheduling import outcomes_on

                if options.workers is not None:
                    compile_missing(progress)
                cluster = stack.enter_context(connected(options.workers, options.scheduler))
                some = outcomes_on(cluster, tasks, file.parent, _open_blend(), options.resume, progress)
                coming = stack.enter_context(closing(some))
            for place, outcome in coming:
                if outcome["status"] == FAILED:
                    signals.check()  # an interrupted job may look like one that failed
                found[place] = outcome
                bar.clear()
                label = f"job {outcome['job']} of {len(entries)}: "
                if outcome["status"] == FAILED:
                    complain(f"{label}{outcome['error']}")
                elif outcome["status"] == EMPTY:
                    _tell_empty(outcome["error"], Path(outcome["output"]), label)
                elif outcome["status"] == SKIPPED:
                    _tell(f"{label}{outcome['output']} exists: skipped", options.quiet)
                else:
                    _tell_done(outcome["output"], outcome["report"], label, options.quiet)
                signals.check()
    finally:
        result = summary((found[place] for place in sorted(found)), time.perf_counter() - began)
        if options.only is not None:
            result["only"] = places_text(places[place] for place in found)
        if summary_file is not None:
            write_json(summary_file, result, bool(options.overwrite))
    counts = ", ".join(
        f"{result[status]} {status}" for status in (DONE_STATUS, SKIPPED, FAILED, EMPTY) if status in result
    )
    _tell(f"{counts} in {result['seconds']:.1f} s", options.quiet)
    if report is None:
        _tell(json.dumps(result), quiet=False)
    return FAULT if result[FAILED] else DONE


def _job_options(options: argparse.Namespace) -> dict[str, Any]:
    own = ("jobs", "resume", "quiet", "backends", "dry_run", "out_of_core", "workers", "scheduler", "only")
    return {name: value for name, value in vars(options).items() if name not in own}


def _open_blend() -> Path | None:
    """The .blend that is open in the Blender we run in, if any."""
    bpy = sys.modules.get("bpy")
    return Path(bpy.data.filepath) if bpy is not None and bpy.data.filepath else None


def _tell_empty(why: str, output: Path, label: str) -> None:
    from .formats import is_file

    stays = ", and the one that is there is of an earlier run" if is_file(output) else ""
    complain(f"warning: {label}{why}; no {output.name} is written{stays}")


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
