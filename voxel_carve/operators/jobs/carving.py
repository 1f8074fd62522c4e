"""The job that carves stocks along paths: read, compute, write."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import bpy

from ...backend_status import note_backend
from ...compute import CarveCall, CarveResult, PreparedStock, Progress, run_apart
from ...compute.engines.numba.compiler import load_kernels, load_seconds
from ...compute.level_set import HALF_WIDTH
from ...compute.model import in_words
from ...compute.runtime import Sentence, Volume, progress_range, reporting_to
from ...recipes.path_display import settle_displays
from ...recipes.recipe import is_recipe, remember, set_shown_fingerprint
from ...recipes.stock_display import how_shown, keep_shown
from ...scene.presence import is_deleted
from ...scene.writing.arrays import MeshArrays, mesh_arrays
from ...scene.writing.keep import write_kept
from ...scene.writing.volumes import (
    checked_folder,
    is_volume_result,
    write_volume_file,
    write_volume_object,
)
from ...scene.writing.write import write_report, write_result
from ..selection.selected import Selection
from .carve_reading import CarveOptions, ReadStock, all_path_warnings, read_for_carve
from .fingerprint import fingerprint
from .history import remember_report
from .job import Job, Outcome, refuse_deleted, refuse_replacing, select_results
from .progress import part_of, span_of
from .running import Ask

# Said when a result is carved, and not its stock.
AGAIN = Sentence("'{name}' is itself the result of a carve: Update would carve its stock again")
VOLUME_AGAIN = Sentence("'{name}' is itself the result of a carve: show and select its stock for a new one")

# Approximate shares of a job that making the arrays of the mesh takes, with layers of the stock and without.
ARRAYS_SHARE, BARE_ARRAYS_SHARE = 0.4, 0.15


@dataclass(frozen=True)
class Carved:
    """A result.

    Attributes:
        result: what was computed.
        arrays: of its mesh; None for a volume, and if it keeps the faces of the stock, which has its own.
        file: of a volume.
    """

    result: CarveResult
    arrays: MeshArrays | None
    file: Path | None = None


def read_carve_job(context: bpy.types.Context, selected: Selection, options: CarveOptions) -> Job[list[Carved]]:
    """The job that carves each stock along all paths, and measures the results if `verify` is set.

    Raises:
        CarveError: something cannot be read.
    """
    refuse_replacing(selected.stocks, options)
    folder = checked_folder(options.volume_folder) if options.result == "volume" else None
    options = replace(options, own=selected.own)
    scene, depsgraph = cast(bpy.types.Scene, context.scene), context.evaluated_depsgraph_get()
    with ExitStack() as copies:
        stocks = [read_for_carve(stock, selected.paths, depsgraph, options, copies) for stock in selected.stocks]
        for error in stocks[0].lacking if stocks else ():
            raise error
        notes = tuple(all_path_warnings(selected.paths, options))
        notes += tuple(Sentence(AGAIN, name=obj.name) for obj in selected.stocks if is_recipe(obj))
        notes += tuple(Sentence(VOLUME_AGAIN, name=obj.name) for obj in selected.stocks if is_volume_result(obj))
        files = copies.enter_context(ExitStack())
        close = copies.pop_all().close

    def compute(progress: Progress, _ask: Ask) -> list[Carved]:
        results = []
        for number, stock in enumerate(stocks):
            part = part_of(progress, number, len(stocks))
            if folder is not None:
                results.append(compute_volume(stock, options, part, folder, files))
                continue
            results.append(compute_carve(stock, options, part))
            _ = stock.stock_digest  # for the fingerprint, which is written on the main thread
        return results

    def write(context: bpy.types.Context, results: list[Carved]) -> list[Outcome]:
        blocks, names = needed_blocks(stocks)
        refuse_deleted([scene, *blocks], [Sentence("the scene"), *names])
        outcomes = []
        for number, (stock, result) in enumerate(zip(stocks, results, strict=True)):
            shown = how_shown(stock.obj)
            outcome = write_carve(scene, stock, result, options, () if number else notes)
            if not options.replace and folder is None:
                paths = [None if is_deleted(path) else path for path in selected.paths]
                remember(outcome.obj, stock.obj, paths, options.settings, options.cut_material, options.own)
                set_shown_fingerprint(outcome.obj, fingerprint(stock, options))
                keep_shown(stock.obj, shown)
            outcomes.append(outcome)
        files.pop_all()
        settle_displays()
        select_results(context, outcomes)
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
    share = ARRAYS_SHARE if read.provenance.stock.layers else BARE_ARRAYS_SHARE
    result = _computed(read, options, span_of(progress, 0.0, 1.0 - share), prepared)
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


def compute_volume(
    read: ReadStock, options: CarveOptions, progress: Progress, folder: Path, files: ExitStack
) -> Carved:
    """Carve a stock as read, on any thread, and write the volume; see `compute_carve` and `write_volume_file`."""
    result = _computed(read, options, span_of(progress, 0.0, 1.0 - BARE_ARRAYS_SHARE))
    assert result.band is not None  # it was asked for
    began, origin = time.perf_counter(), read.place.matrix[:3, 3]
    with reporting_to(progress), progress_range(1.0 - BARE_ARRAYS_SHARE, 1.0, "Write"):
        file = write_volume_file(folder, f"{read.name} Carved", result.band, origin, files)
    seconds = result.report.seconds | {"mesh": 0.0, "write": time.perf_counter() - began}
    return Carved(replace(result, band=None, report=replace(result.report, seconds=seconds)), None, file)


def _computed(
    read: ReadStock, options: CarveOptions, progress: Progress, prepared: PreparedStock | None = None
) -> CarveResult:
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
        half_width=HALF_WIDTH if options.result == "volume" else 0.0,
        open_stock=options.open_stock,
        close=options.close,
    )
    result = run_apart(call, progress) if options.limits.use_process else call.run(progress)
    note_backend(options.limits.backend, result.report.backend, result.report.device)
    return result


def _with_arrays(read: ReadStock, result: CarveResult) -> Carved:
    if read.kept and result.report.result == "keep":
        return Carved(read.kept.lay_out(result, read.provenance), None)
    return Carved(result, mesh_arrays(result.surface, read.provenance, read.place))


def write_carve(
    scene: bpy.types.Scene, read: ReadStock, carved: Carved, options: CarveOptions, notes: tuple[str, ...] = ()
) -> Outcome:
    """Write one result with its report; the notes precede the report's warnings."""
    began, result, replaces = time.perf_counter(), carved.result, options.replace
    if carved.file is not None:
        obj = write_volume_object(scene, carved.file, options.volume_folder, read.obj, read.place)
    elif read.kept and result.report.result == "keep":
        obj = write_kept(scene, read.kept, read.obj, read.provenance.cut, replaces)
    else:
        obj = write_result(scene, result, read.obj, replaces, read.provenance, carved.arrays)
    return report_outcome(obj, read, result, time.perf_counter() - began, notes)


def report_outcome(
    obj: bpy.types.Object, read: ReadStock, result: CarveResult, write: float, notes: tuple[str, ...]
) -> Outcome:
    """Store the report with the result, including the seconds for reading and writing, and sum it up in a message."""
    report, spent = result.report, result.report.seconds
    write += spent.get("write", 0.0)
    total = read.seconds + spent["compute"] + spent["compile"] + spent.get("verify", 0.0) + spent["mesh"] + write
    seconds = spent | {"read": read.seconds, "write": write, "total": total}
    report = replace(report, seconds=seconds, warnings=(*notes, *report.warnings))
    write_report(obj, report)
    remember_report(report.to_dict())
    change, volume = Sentence("volume {volume} removed"), Volume(abs(report.removed_volume), report.volume)
    if report.removed_volume < 0:
        change = Sentence("volume {volume} added")
    changed = Sentence(change, volume=volume)
    template = Sentence(
        "'{name}' carved: {change}, {faces:,} faces, {total:.2f} s (of that read {read:.2f}, write {write:.2f})"
    )
    if obj.type == "VOLUME":
        template = Sentence(
            "'{name}' carved: {change}, {total:.2f} s (of that read {read:.2f}, write {write:.2f}); its file is {file}"
        )
    message = Sentence(
        template,
        name=read.name,
        change=changed,
        faces=report.faces,
        file=getattr(obj.data, "filepath", ""),
        total=total,
        read=read.seconds,
        write=write,
    )
    if report.accuracy is not None:
        message = Sentence("{carved}; {accuracy}", carved=message, accuracy=in_words(report.accuracy.to_dict()))
    return Outcome(obj, message, report.warnings, changed)


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
