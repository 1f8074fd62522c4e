"""The job that carves stocks along paths: read, compute, write."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import cast

import bpy

from ...backend_status import note_backend
from ...compute import CarveCall, CarveResult, PreparedStock, Progress, run_apart
from ...compute.engines.numba.compiler import load_kernels, load_seconds
from ...compute.model import in_words
from ...compute.runtime import Sentence, Volume, progress_range, reporting_to
from ...recipes.path_display import settle_displays
from ...recipes.recipe import is_recipe, remember, set_shown_fingerprint
from ...scene.presence import is_deleted
from ...scene.reading.read import path_warnings
from ...scene.writing.arrays import MeshArrays, mesh_arrays
from ...scene.writing.keep import write_kept
from ...scene.writing.write import write_report, write_result
from ..selection.selected import Selection
from .carve_reading import CarveOptions, ReadStock, read_for_carve
from .fingerprint import fingerprint
from .history import remember_report
from .job import Job, Outcome, refuse_deleted, refuse_replacing, select_results
from .progress import part_of, span_of
from .running import Ask

# Said when a result is carved, and not its stock.
AGAIN = Sentence("'{name}' is itself the result of a carve: Update would carve its stock again")

# Approximate shares of a job that making the arrays of the mesh takes, with layers of the stock and without.
ARRAYS_SHARE, BARE_ARRAYS_SHARE = 0.4, 0.15


@dataclass(frozen=True)
class Carved:
    """A result, and the arrays of its mesh; None if it keeps the faces of the stock, which has its own."""

    result: CarveResult
    arrays: MeshArrays | None


def read_carve_job(context: bpy.types.Context, selected: Selection, options: CarveOptions) -> Job[list[Carved]]:
    """The job that carves each stock along all paths, and measures the results if `verify` is set.

    Raises:
        CarveError: something cannot be read.
    """
    refuse_replacing(selected.stocks, options)
    options = replace(options, own=selected.own)
    scene, depsgraph = cast(bpy.types.Scene, context.scene), context.evaluated_depsgraph_get()
    with ExitStack() as copies:
        stocks = [read_for_carve(stock, selected.paths, depsgraph, options, copies) for stock in selected.stocks]
        notes = tuple(warning for obj in selected.paths for warning in path_warnings(obj))
        notes += tuple(Sentence(AGAIN, name=obj.name) for obj in selected.stocks if is_recipe(obj))
        close = copies.pop_all().close

    def compute(progress: Progress, _ask: Ask) -> list[Carved]:
        results = []
        for number, stock in enumerate(stocks):
            results.append(compute_carve(stock, options, part_of(progress, number, len(stocks))))
            _ = stock.stock_digest  # for the fingerprint, which is written on the main thread
        return results

    def write(context: bpy.types.Context, results: list[Carved]) -> list[Outcome]:
        blocks, names = needed_blocks(stocks)
        refuse_deleted([scene, *blocks], [Sentence("the scene"), *names])
        outcomes = []
        for number, (stock, result) in enumerate(zip(stocks, results, strict=True)):
            outcome = write_carve(scene, stock, result, options.replace, () if number else notes)
            if not options.replace:
                paths = [None if is_deleted(path) else path for path in selected.paths]
                remember(outcome.obj, stock.obj, paths, options.settings, options.cut_material, options.own)
                set_shown_fingerprint(outcome.obj, fingerprint(stock, options))
            outcomes.append(outcome)
        settle_displays()
        select_results(context, selected.stocks, outcomes)
        return outcomes

    return Job(compute, write, close)


def compute_carve(
    read: ReadStock, options: CarveOptions, progress: Progress, prepared: PreparedStock | None = None
) -> Carved:
    """Carve a stock as read, on any thread.

    Args:
        read: the stock and its paths.
        options: of the carve.
        progress: as for `carve`.
        prepared: the stock, if it was prepared for this voxel size.

    Raises:
        CarveError: as `carve`.
    """
    call = CarveCall(
        prepared or read.mesh,
        read.sweep,
        read.voxel_size,
        read.operations,
        options.adaptivity.tolerance(read.voxel_size),
        read.provenance.labels(),
        options.limits.backend,
        options.limits.memory_limit,
        kind="remesh" if read.kept is None else "keep",
        verify=options.verify,
    )
    share = ARRAYS_SHARE if read.provenance.stock.layers else BARE_ARRAYS_SHARE
    carving = span_of(progress, 0.0, 1.0 - share)
    result = run_apart(call, carving) if options.limits.use_process else call.run(carving)
    note_backend(options.limits.backend, result.report.backend, result.report.device)
    began, loaded = time.perf_counter(), load_seconds()
    with reporting_to(progress):
        with progress_range(1.0 - share, 1.0, "Mesh"):
            # Wait for these kernels here, where waiting can be cancelled and does not block Blender.
            load_kernels("write")
            carved = _with_arrays(read, result)
        with progress_range(1.0, 1.0, "Done"):
            report = carved.result.report
    loaded = load_seconds() - loaded
    made = time.perf_counter() - began - loaded
    seconds = report.seconds | {"mesh": made, "compile": report.seconds["compile"] + loaded}
    report = replace(report, seconds=seconds)
    return replace(carved, result=replace(carved.result, report=report))


def _with_arrays(read: ReadStock, result: CarveResult) -> Carved:
    if read.kept and result.report.result == "keep":
        return Carved(read.kept.lay_out(result), None)
    return Carved(result, mesh_arrays(result.surface, read.provenance, read.place))


def write_carve(
    scene: bpy.types.Scene, read: ReadStock, carved: Carved, replaces: bool, notes: tuple[str, ...] = ()
) -> Outcome:
    """Write one result with its report; the notes precede the report's warnings."""
    began, result = time.perf_counter(), carved.result
    if read.kept and result.report.result == "keep":
        obj = write_kept(scene, read.kept, read.obj, read.provenance.cut, replaces)
    else:
        obj = write_result(scene, result, read.obj, replaces, read.provenance, carved.arrays)
    return report_outcome(obj, read, result, time.perf_counter() - began, notes)


def report_outcome(
    obj: bpy.types.Object, read: ReadStock, result: CarveResult, write: float, notes: tuple[str, ...]
) -> Outcome:
    """Store the report with the result, including the seconds for reading and writing, and sum it up in a message."""
    report, spent = result.report, result.report.seconds
    total = read.seconds + spent["compute"] + spent["compile"] + spent.get("verify", 0.0) + spent["mesh"] + write
    seconds = spent | {"read": read.seconds, "write": write, "total": total}
    report = replace(report, seconds=seconds, warnings=(*notes, *report.warnings))
    write_report(obj, report)
    remember_report(report.to_dict())
    change, volume = Sentence("volume {volume} removed"), Volume(abs(report.removed_volume), report.volume)
    if report.removed_volume < 0:
        change = Sentence("volume {volume} added")
    message = Sentence(
        "'{name}' carved: {change}, {faces:,} faces, {total:.2f} s (of that read {read:.2f}, write {write:.2f})",
        name=read.name,
        change=Sentence(change, volume=volume),
        faces=report.faces,
        total=total,
        read=read.seconds,
        write=write,
    )
    if report.accuracy is not None:
        message = Sentence("{carved}; {accuracy}", carved=message, accuracy=in_words(report.accuracy.to_dict()))
    return Outcome(obj, message, report.warnings)


def needed_blocks(stocks: Sequence[ReadStock]) -> tuple[list[bpy.types.ID], list[str]]:
    """The data-blocks that writing the results needs, and their names."""
    blocks: list[bpy.types.ID] = [stock.obj for stock in stocks]
    names = [f"'{stock.name}'" for stock in stocks]
    for stock in stocks:
        for material in (*stock.provenance.stock.materials, *stock.provenance.cut.materials):
            if material is not None:
                blocks.append(material)
                names.append(Sentence("a material of '{name}'", name=stock.name))
    return blocks, names
