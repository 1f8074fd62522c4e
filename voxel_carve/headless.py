"""One job from files or a .blend to a file and a report. bpy is imported only for jobs that read or write a .blend."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from .clashes import files_read, refuse_shared_outputs, refuse_spoiled_inputs
from .compute import (
    CarveCall,
    CarveResult,
    EmptySweepError,
    Forecast,
    InputError,
    Operation,
    Sweep,
    TriMesh,
    forecast,
    get_backend,
)
from .compute import Path as PathLine
from .compute.forecasts import remember
from .compute.job import SWEEP_BYTES_PER_PATH, SWEEP_BYTES_PER_POINT, beside, bounds_of_steps, check_limit
from .compute.level_set import HALF_WIDTH, openvdb
from .compute.model import operation_of_nothing, steps_of, voxel_size_for_resolution
from .compute.runtime import Sentence, allowed_bytes, array_bytes, remaining_progress, reporting_to, said_at
from .formats import (
    as_text,
    check_input,
    check_output,
    check_precision,
    read_mesh_file,
    read_paths,
    readable,
    replacing,
    write_meshes,
    write_volume,
)
from .jobs import BLEND_SUFFIX, Job, PathOwn

# Greatest distance of a curve from its polyline, in voxels.
CHORD_TOLERANCE = 0.1
# Memory per triangle of a result while its file is written, measured. trimesh copies the contents of a .glb; for a
# .blend, Blender holds a mesh of its own, and custom normals are the largest part of it.
WRITING_BYTES = {".glb": 108, ".blend": 110}
WRITING_BYTES_ELSE = 16
STAGES = ("read", "voxelize", "sweep", "combine", "surface", "simplify", "write", "compute", "compile", "total")
OTHER_STAGES = ("boolean", "judge", "verify")  # with Keep Stock, and when measuring results
SUMS = ("stock_triangles", "removed_volume", "volume", "vertices", "faces", "triangles", "triangles_before")

Progress = Callable[[str, float], None]

# Whether a job of ours imported Blender. If not, the open scene is the user's, and jobs may use it.
_brought_blender = False


@dataclass(frozen=True)
class Stock:
    """A stock as read, and its source. Its result is named after `name`.

    `faces` has the looks of an object's faces, and `notes` tell what the reader of a file decided.
    """

    mesh: TriMesh
    source: Path | str
    name: str
    faces: Any = None
    notes: tuple[str, ...] = ()


def run_job(job: Job, progress: Progress | None = None) -> dict[str, Any]:
    """Run a job: read, carve, write the output, then the report. If only the report fails, the output stays.

    Args:
        job: the job.
        progress: called with the stage and the fraction done, 0 to 1.

    Returns:
        The report, ready for JSON.

    Raises:
        InputError: bad input; the message says what is wrong and where.
    """
    with ExitStack() as copies, reporting_to(progress):
        return _run_job(job, copies)


def _run_job(job: Job, copies: ExitStack) -> dict[str, Any]:
    """The same; `copies` receives the copies of stocks."""
    began = time.perf_counter()
    check_files(job)
    loading = time.perf_counter()
    backend = get_backend(job.backend)
    loading = time.perf_counter() - loading
    blend = open_blend_of(job) if job.needs_blender() else None
    to_blend = job.output.suffix.lower() == BLEND_SUFFIX
    limit = allowed_bytes(job.memory_limit)
    unit = unit_of(job, blend)
    stocks: list[Stock] = []
    held = 0
    for source in job.stocks:
        with beside(held, limit) as left:
            stocks.append(read_stock(source, blend, to_blend, left, unit))
        held += array_bytes(stocks[-1].mesh)
    lines, notes = read_path_files(job, unit, held, limit)
    notes = [note for stock in stocks for note in stock.notes] + notes
    held += sum(array_bytes(*each) for each in lines.values())
    kept_stocks = [_kept_stock(stock, blend, copies) if job.result == "keep" else None for stock in stocks]
    for stock in stocks:
        check_precision(job.output, stock.mesh.bounds(), voxel_size_of(job, stock))
    seconds = {"read": time.perf_counter() - began - loading}

    results: list[CarveResult] = []
    kept = 0
    provenances: list[Any] = []
    for number, (stock, kept_stock) in enumerate(zip(stocks, kept_stocks, strict=True)):
        voxel_size = voxel_size_of(job, stock)
        reading = time.perf_counter()
        path_lines, lacking = path_lines_of(job, lines, blend, CHORD_TOLERANCE * voxel_size)
        notes += lacking
        sweep, operations = sweep_of(job, path_lines, held + kept, limit)
        counts = [len(each) for each in path_lines]
        if blend is not None and to_blend:
            provenances.append(blend.provenance(stock.faces, stock.mesh, sweep, operations, job.paths, counts))
        bounds = bounds_of_steps(stock.mesh, steps_of(sweep, operations))
        check_precision(job.output, bounds, voxel_size)
        seconds["read"] += time.perf_counter() - reading
        with beside(held + kept + array_bytes(sweep), limit) as left:
            call = CarveCall(
                stock.mesh,
                sweep,
                voxel_size,
                operations,
                job.adaptivity.tolerance(voxel_size),
                provenances[-1].labels() if provenances else None,
                backend,
                left,
                job.result,
                job.verify,
                HALF_WIDTH if job.makes_volume() else 0.0,
                job.open_stock,
                job.close,
            )
            with remaining_progress(1 / (len(stocks) - number)):
                result = call.run(None)
        if kept_stock and result.report.result == "keep":
            result = kept_stock.lay_out(result, provenances[-1] if provenances else None)
        results.append(_beside_others(result, kept))
        # All results are held until the file is written.
        writing_bytes = WRITING_BYTES.get(job.output.suffix.lower(), WRITING_BYTES_ELSE)
        kept += array_bytes(result.surface) + writing_bytes * result.surface.triangle_count()
        check_limit(held + kept, limit, held, voxel_size)

    writing = time.perf_counter()
    if blend is not None and to_blend:
        sources = [(stock.source, stock.mesh) for stock in stocks]
        blend.write_results(job.output, sources, results, provenances, kept_stocks, job.overwrite)
    elif job.makes_volume():
        assert results[0].band is not None  # it was asked for
        write_volume(job.output, results[0].band, job.overwrite)
    else:
        names = [f"{stock.name} Carved" for stock in stocks]
        meshes = [result.surface.to_tri_mesh(name) for name, result in zip(names, results, strict=True)]
        voxel_size = min(result.report.voxel_size for result in results)
        write_meshes(job.output, meshes, job.overwrite, voxel_size, unit)
    seconds["write"] = time.perf_counter() - writing
    seconds["compile"] = loading + sum(result.report.seconds["compile"] for result in results)
    seconds["total"] = time.perf_counter() - began

    warnings = blend.warnings(named_paths(job)) if blend is not None else ()
    reports = [in_our_words(result.report.to_dict()) for result in results]
    report = combine(reports, [stock.name for stock in stocks], seconds)
    said = (said_at("command_line", note) for note in (*warnings, *notes))
    report["warnings"] = [*dict.fromkeys(said), *report["warnings"]]
    remember(report)
    if job.report is not None:
        write_json(job.report, report, job.overwrite)
    return report


def forecast_job(job: Job, progress: Progress | None = None) -> list[tuple[str, Forecast]]:
    """The name of each stock of a job, and what its carve would make and take. Nothing is written, and nothing carved.

    Raises:
        InputError: as `run_job`.
    """
    with reporting_to(progress):
        check_files(job)
        blend = open_blend_of(job) if job.needs_blender() else None
        limit = allowed_bytes(job.memory_limit)
        unit = unit_of(job, blend)
        stocks = [read_stock(source, blend, False, limit, unit) for source in job.stocks]
        lines, _ = read_path_files(job, unit, 0, limit)
        told = []
        for stock in stocks:
            voxel_size = voxel_size_of(job, stock)
            path_lines, _ = path_lines_of(job, lines, blend, CHORD_TOLERANCE * voxel_size)
            sweep, operations = sweep_of(job, path_lines, 0, limit)
            expected = forecast(
                stock.mesh,
                sweep,
                voxel_size,
                operation=operations,
                tolerance=job.adaptivity.tolerance(voxel_size),
                backend=job.backend,
                result=job.result,
                verified=job.verify,
                half_width=HALF_WIDTH if job.makes_volume() else 0.0,
                open_stock=job.open_stock,
                close=job.close,
            )
            told.append((stock.name, expected))
        return told


def in_our_words(report: dict[str, Any]) -> dict[str, Any]:
    """A report whose warnings speak of the options of the command line."""
    return report | {"warnings": [said_at("command_line", warning) for warning in report["warnings"]]}


def combine(reports: Sequence[dict[str, Any]], names: Sequence[str], seconds: dict[str, float]) -> dict[str, Any]:
    """One report of one or several stocks.

    For several, `stocks` has one report each, and the top level has sums. There, `closed` is whether all are closed.
    Voxel size, grid and segments are those of the largest grid, and the accuracy is that of the least accurate stock.
    """
    largest = max(reports, key=lambda report: _voxels(report["grid_shape"]))
    whole = dict(largest)
    for key in SUMS:
        whole[key] = sum(report[key] for report in reports)
    whole["closed"] = all(report["closed"] for report in reports)
    whole["peak_memory_mb"] = max(report["peak_memory_mb"] for report in reports)
    whole["estimated_memory_mb"] = max(report["estimated_memory_mb"] for report in reports)
    whole["memory_before_mb"] = reports[0]["memory_before_mb"]
    names_of_counts = dict.fromkeys(name for report in reports for name in report["counts"])
    whole["counts"] = {name: sum(report["counts"].get(name, 0) for report in reports) for name in names_of_counts}
    whole["grid_shape"] = list(largest["grid_shape"])
    if "accuracy" in whole:
        known = [report["accuracy"] for report in reports]
        whole["accuracy"] = max(known, key=lambda accuracy: accuracy["voxels"]["vertices"]["largest"])
    stages = [*STAGES, *(stage for stage in OTHER_STAGES if any(stage in report["seconds"] for report in reports))]
    spent = {stage: sum(report["seconds"].get(stage, 0.0) for report in reports) for stage in stages}
    whole["seconds"] = {stage: round(seconds.get(stage, spent[stage]), 4) for stage in stages}
    whole["warnings"] = list(dict.fromkeys(warning for report in reports for warning in report["warnings"]))
    if len(reports) > 1:
        whole["stocks"] = [{"name": name, **report} for name, report in zip(names, reports, strict=True)]
    return whole


def write_json(file: Path, value: object, overwrite: bool) -> None:
    """Write a JSON file, completely or not at all.

    Raises:
        InputError: the file exists and `overwrite` is not set, or it cannot be written.
    """
    with replacing(file, overwrite) as beside:
        beside.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def check_files(job: Job) -> None:
    """Check that the inputs exist, and that the outputs can be written and spoil no input."""
    if job.makes_volume():
        openvdb()  # raises where it is missing
    for source in (*job.stocks, *job.paths):
        if isinstance(source, Path):
            check_input(source)
    refuse_shared_outputs([("", job)])
    refuse_spoiled_inputs(job.outputs(), files_read(job))
    for file in job.outputs().values():
        check_output(file, job.overwrite)


def open_blend_of(job: Job) -> ModuleType:
    """The module that reads and writes the .blend of a job, with its scene open."""
    global _brought_blender  # noqa: PLW0603 - one Blender in a process
    named = [source for source in (*job.stocks, *job.paths) if isinstance(source, str)]
    if ("bpy" not in sys.modules or _brought_blender) and job.blend is None and (named or job.frame is not None):
        what = f"'{readable(named[0])}' is no file, and no .blend is open" if named else "--frames: no .blend is open"
        raise InputError("{what}: name one with --blend", what=what)
    brings = "bpy" not in sys.modules
    try:
        from . import blend_file
    except ModuleNotFoundError as error:
        if error.name != "bpy":
            raise
        raise InputError(
            "{file} needs Blender, which this Python does not have: run blender -b FILE.blend --python "
            "scripts/carve.py -- ...",
            file=job.blend or job.output,
        ) from error
    _brought_blender |= brings
    blend_file.open_scene(job)
    return blend_file


def unit_of(job: Job, blend: ModuleType | None) -> float:
    """The meters in a unit of the coordinates of a job."""
    return job.unit or (1.0 if blend is None else blend.scene_unit())


def read_stock(source: Path | str, blend: ModuleType | None, with_faces: bool, memory_limit: int, unit: float) -> Stock:
    """A stock from its file, in a unit of so many meters, or the object with its name."""
    if isinstance(source, Path):
        found = read_mesh_file(source, memory_limit, unit)
        return Stock(found.mesh, source, as_text(source.stem), notes=found.notes)
    assert blend is not None  # needs_blender
    if not with_faces:
        return Stock(blend.read_stock_object(source), source, source)
    faces = blend.read_stock_faces_of(source)
    return Stock(faces.mesh, source, source, faces)


def named_paths(job: Job) -> dict[str, bool]:
    """The paths that are objects, and whether each uses a radius of its own."""
    return {source: own.radius is None for source, own in job.each_path() if isinstance(source, str)}


def voxel_size_of(job: Job, stock: Stock) -> float:
    """The voxel size that a job has for a stock."""
    return job.voxel_size or voxel_size_for_resolution(stock.mesh, job.resolution or 0)


def _kept_stock(stock: Stock, blend: ModuleType | None, copies: ExitStack) -> Any:
    """What the mesh of a kept stock is made from in a .blend; None if the job writes another file."""
    if blend is None:
        return None
    return copies.enter_context(blend.kept_stock(stock.source, stock.mesh))


def read_path_files(
    job: Job, unit: float, held: int, limit: int
) -> tuple[dict[tuple[Path, PathOwn], tuple[PathLine, ...]], list[str]]:
    """The polylines of the paths that are files, and what was decided about them."""
    lines: dict[tuple[Path, PathOwn], tuple[PathLine, ...]] = {}
    notes: list[str] = []
    for source, own in job.each_path():
        if isinstance(source, Path) and (source, own) not in lines:
            with beside(held, limit) as left:
                toolpath = read_paths(source, own.radius or job.radius, left, unit)
            lines[source, own] = _with_radius(toolpath, own.radius)
            notes += toolpath.notes
            held += array_bytes(*lines[source, own])
    return lines, notes


def path_lines_of(
    job: Job, lines: dict[tuple[Path, PathOwn], tuple[PathLine, ...]], blend: ModuleType | None, chord_tolerance: float
) -> tuple[list[tuple[PathLine, ...]], list[str]]:
    """The polylines of each path, and notes on paths that have none at the job's frame."""
    found: list[tuple[PathLine, ...]] = []
    lacking: list[str] = []
    for source, own in job.each_path():
        if isinstance(source, Path):
            found.append(lines[source, own])
        else:
            assert blend is not None  # needs_blender
            try:
                found.append(blend.read_path_object(source, job.radius, chord_tolerance, own.radius))
            except EmptySweepError as error:
                if job.frame is None:
                    raise
                found.append(())
                lacking.append(Sentence("nothing was carved along a path: {error}", error=error))
    return found, lacking


def _with_radius(lines: tuple[PathLine, ...], radius: float | None) -> tuple[PathLine, ...]:
    """Polylines with this greatest radius, and the others in proportion; None leaves them as they are."""
    if radius is None:
        return lines
    factor = radius / max(float(line.radii.max()) for line in lines)
    return tuple(replace(line, radii=line.radii * factor) for line in lines)


def sweep_of(
    job: Job, path_lines: Sequence[tuple[PathLine, ...]], held: int, limit: int
) -> tuple[Sweep, tuple[Operation, ...]]:
    """The sweep of all paths, refused beforehand if it would take too much memory, and the operation of each polyline.

    At a frame, it may sweep nothing.
    """
    paths = [(job.operation_of(own), lines) for (_, own), lines in zip(job.each_path(), path_lines, strict=True)]
    lines = [line for _, each in paths for line in each]
    with beside(held, limit) as left:
        points = sum(len(line.points) for line in lines)
        needed = SWEEP_BYTES_PER_POINT * points + SWEEP_BYTES_PER_PATH * len(lines)
        check_limit(needed, left, needed, 0.0)
        try:
            return Sweep.from_paths(lines), tuple(operation for operation, each in paths for _ in each)
        except EmptySweepError:
            if job.frame is None:
                raise
            return Sweep.nothing(), (operation_of_nothing([operation for operation, _ in paths]),)


def _beside_others(result: CarveResult, kept: int) -> CarveResult:
    """The result, with the memory of the results kept so far added to its report's."""
    needed = result.report.estimated_memory_mb + kept / 2**20
    return replace(result, report=replace(result.report, estimated_memory_mb=needed))


def _voxels(shape: Sequence[int]) -> int:
    return int(shape[0]) * int(shape[1]) * int(shape[2])
