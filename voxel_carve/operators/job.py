"""Jobs on objects: read, compute, write. Everything is computed before anything is written."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import bpy

from ..compute import (
    Adaptivity,
    CarveResult,
    Operation,
    Path,
    Progress,
    ResultKind,
    Surface,
    Sweep,
    TriMesh,
    carve,
    in_words,
    keep_stock,
    voxel_size_for_resolution,
    with_accuracy,
)
from ..compute.plan import check_voxel_size
from ..preferences import Limits, limits
from ..scene.keep import BlenderBoolean, write_kept
from ..scene.provenance import CutFaces, Provenance, line_materials
from ..scene.read import path_warnings, read_paths, read_stock, read_stock_faces
from ..scene.write import refuse_replace, write_report, write_result, write_surface
from .dense import stock_warnings
from .progress import part_of
from .selection import Selection

# Of a voxel: how far a curve may be from its polyline.
CHORD_TOLERANCE = 0.1


@dataclass(frozen=True)
class JobOptions:
    """What every job on voxels is asked for; see `settings.py` for the properties it comes from."""

    size_mode: str
    resolution: int
    voxel_size: float
    replace: bool
    limits: Limits

    def voxel_size_for(self, stock: TriMesh) -> float:
        """Raises InputError where it is not a positive length, or larger than the stock."""
        by_resolution = self.size_mode == "RESOLUTION"
        voxel_size = voxel_size_for_resolution(stock, self.resolution) if by_resolution else self.voxel_size
        check_voxel_size(stock, voxel_size)
        return voxel_size


@dataclass(frozen=True)
class Outcome:
    """One object that a job made.

    Attributes:
        thing: the object.
        message: what was done, for the user.
        warnings: sentences for the user.
    """

    thing: bpy.types.Object
    message: str
    warnings: tuple[str, ...] = ()


def job_options(operator: bpy.types.Operator, context: bpy.types.Context) -> JobOptions:
    """The options that an operator with `VoxelProperties` has."""
    asked = operator.properties
    return JobOptions(
        asked.size_mode, asked.resolution, asked.voxel_size, asked.replace, limits(context, asked.backend)
    )


@dataclass(frozen=True)
class CarveOptions(JobOptions):
    """What a carve is asked for beside; see `CarveProperties`."""

    operation: Operation
    result: ResultKind
    adaptivity: Adaptivity
    radius: float
    transfer_attributes: bool
    verify: bool


def carve_options(operator: bpy.types.Operator, context: bpy.types.Context) -> CarveOptions:
    """The options that an operator with `CarveProperties` has."""
    asked = operator.properties
    return CarveOptions(
        **vars(job_options(operator, context)),
        operation=asked.operation.lower(),
        result=asked.result.lower(),
        adaptivity=Adaptivity(asked.adaptivity, asked.tolerance),
        radius=asked.radius,
        transfer_attributes=asked.transfer_attributes,
        verify=asked.verify,
    )


@dataclass(frozen=True)
class _Carved:
    """What a carve made of a stock, before it is written.

    Attributes:
        stock: the object.
        result: the carve's.
        provenance: what the primitives of its surface were in the scene.
        boolean: holds the mesh of a stock that is kept, None of one that is remeshed.
        read: seconds that reading took.
    """

    stock: bpy.types.Object
    result: CarveResult
    provenance: Provenance
    boolean: BlenderBoolean | None
    read: float


def carve_selection(
    context: bpy.types.Context, selected: Selection, options: CarveOptions, progress: Progress
) -> list[Outcome]:
    """Carve each stock along all paths, and where `verify` says so measure the results.

    Raises:
        CarveError: nothing was changed.
    """
    _refuse_replace(selected.stocks, options)
    scene, outcomes = cast(bpy.types.Scene, context.scene), []
    with ExitStack() as copies:
        done = [
            _carve_stock(context, selected, number, options, part_of(progress, number, len(selected.stocks)), copies)
            for number in range(len(selected.stocks))
        ]
        notes = tuple(warning for thing in selected.paths for warning in path_warnings(thing))
        for carved in done:
            outcomes.append(_write_carved(scene, carved, options.replace, notes))
            notes = ()
    _select(context, selected.stocks, outcomes)
    return outcomes


def _carve_stock(
    context: bpy.types.Context,
    selected: Selection,
    number: int,
    options: CarveOptions,
    progress: Progress,
    copies: ExitStack,
) -> _Carved:
    """Read and carve one of the stocks; what it copies of the stock is handed to `copies`."""
    began, stock, depsgraph = time.perf_counter(), selected.stocks[number], context.evaluated_depsgraph_get()
    faces = read_stock_faces(stock, depsgraph, options.transfer_attributes)
    voxel_size = options.voxel_size_for(faces.mesh)
    paths: list[Path] = []
    lines: list[tuple[int, bpy.types.Material | None]] = []
    for index, thing in enumerate(selected.paths):
        read_lines = read_paths(thing, depsgraph, options.radius, CHORD_TOLERANCE * voxel_size)
        paths += read_lines
        lines += [(index, material) for material in line_materials(thing, len(read_lines))]
    sweep = Sweep.from_paths(paths)
    provenance = Provenance(faces, CutFaces.of(sweep, lines))
    boolean = copies.enter_context(BlenderBoolean.of(stock, depsgraph)) if options.result == "keep" else None
    read = time.perf_counter() - began
    carving = carve if boolean is None else partial(keep_stock, boolean=boolean)
    result = carving(
        faces.mesh,
        sweep,
        voxel_size,
        operation=options.operation,
        tolerance=options.adaptivity.tolerance(voxel_size),
        labels=provenance.labels(),
        backend=options.limits.backend,
        memory_limit=options.limits.memory_limit,
        progress=progress,
    )
    if options.verify:
        result = with_accuracy(result, faces.mesh, sweep, progress)
    return _Carved(stock, result, provenance, boolean if result.report.result == "keep" else None, read)


def _write_carved(scene: bpy.types.Scene, carved: _Carved, replaces: bool, notes: tuple[str, ...]) -> Outcome:
    """Write one result with its report, whose warnings the notes come before."""
    name, report, began = carved.stock.name, carved.result.report, time.perf_counter()
    spent = report.seconds
    if carved.boolean:
        thing = write_kept(scene, carved.boolean, carved.stock, carved.provenance.cut, replaces)
    else:
        thing = write_result(scene, carved.result, carved.stock, replaces, carved.provenance)
    write = time.perf_counter() - began
    total = carved.read + spent["compute"] + spent["compile"] + spent.get("verify", 0.0) + write
    seconds = spent | {"read": carved.read, "write": write, "total": total}
    report = replace(report, seconds=seconds, warnings=(*notes, *report.warnings))
    write_report(thing, report)
    change = f"{abs(report.removed_volume):.4g} {'removed' if report.removed_volume >= 0 else 'added'}"
    message = f"'{name}' carved: volume {change}, {report.faces:,} faces, {total:.2f} s"
    message += f" (of that read {carved.read:.2f}, write {write:.2f})"
    if report.accuracy is not None:
        message += f"; {in_words(report.accuracy.to_dict())}"
    return Outcome(thing, message, report.warnings)


def remesh_stocks(
    context: bpy.types.Context,
    stocks: Sequence[bpy.types.Object],
    options: JobOptions,
    remesh: Callable[[TriMesh, float, Limits, Progress], Surface],
    noun: str,
    progress: Progress,
    notes: tuple[str, ...] = (),
) -> list[Outcome]:
    """Give each stock another surface, computed by `remesh` from its mesh and the voxel size.

    Args:
        context: where the objects are.
        stocks: each gives an object "<stock> <noun>".
        options: as the operator has them.
        remesh: called with mesh, voxel size, limits and progress.
        noun: what the result is.
        progress: as for `carve`.
        notes: sentences about what else was read, told with the first result.

    Raises:
        CarveError: nothing was changed.
    """
    _refuse_replace(stocks, options)
    scene, depsgraph, done = cast(bpy.types.Scene, context.scene), context.evaluated_depsgraph_get(), []
    for number, stock in enumerate(stocks):
        began = time.perf_counter()
        mesh = read_stock(stock, depsgraph)
        voxel_size = options.voxel_size_for(mesh)
        surface = remesh(mesh, voxel_size, options.limits, part_of(progress, number, len(stocks)))
        done.append((stock, surface, stock_warnings(mesh), time.perf_counter() - began))
    outcomes = []
    for stock, surface, warnings, spent in done:
        began = time.perf_counter()
        thing = write_surface(scene, surface, stock, f"{stock.name} {noun}", options.replace)
        seconds = spent + time.perf_counter() - began
        message = f"'{thing.name}' made: {len(surface.faces):,} faces, {seconds:.2f} s"
        outcomes.append(Outcome(thing, message, (*warnings, *notes)))
        notes = ()
    _select(context, stocks, outcomes)
    return outcomes


def _refuse_replace(stocks: Sequence[bpy.types.Object], options: JobOptions) -> None:
    if options.replace:
        for stock in stocks:
            refuse_replace(stock)


def _select(context: bpy.types.Context, stocks: Sequence[bpy.types.Object], outcomes: Sequence[Outcome]) -> None:
    """Let the results take the place of their stocks in the selection, the first of them active.

    What else was selected stays so: Blender shows the redo panel only where the operator could run again.
    """
    for stock in stocks:
        stock.select_set(False)
    for outcome in outcomes:
        outcome.thing.select_set(True)
    cast(bpy.types.ViewLayer, context.view_layer).objects.active = outcomes[0].thing
