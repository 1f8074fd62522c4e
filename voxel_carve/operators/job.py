"""Jobs on objects: read, compute, write. Everything is computed before anything is written."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import bpy

from ..compute import (
    Operation,
    Path,
    Progress,
    Surface,
    Sweep,
    TriMesh,
    carve,
    in_words,
    voxel_size_for_resolution,
    with_accuracy,
)
from ..compute.plan import check_voxel_size
from ..preferences import Limits, limits
from ..scene.read import path_warnings, read_paths, read_stock
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


def carve_selection(
    context: bpy.types.Context,
    selected: Selection,
    options: JobOptions,
    operation: Operation,
    radius: float,
    verify: bool,
    progress: Progress,
) -> list[Outcome]:
    """Carve each stock along all paths, and where `verify` says so measure the results.

    Raises:
        CarveError: nothing was changed.
    """
    _refuse_replace(selected.stocks, options)
    scene, depsgraph, done = cast(bpy.types.Scene, context.scene), context.evaluated_depsgraph_get(), []
    for number, stock in enumerate(selected.stocks):
        began = time.perf_counter()
        mesh = read_stock(stock, depsgraph)
        voxel_size = options.voxel_size_for(mesh)
        paths: list[Path] = []
        for thing in selected.paths:
            paths += read_paths(thing, depsgraph, radius, CHORD_TOLERANCE * voxel_size)
        sweep = Sweep.from_paths(paths)
        read = time.perf_counter() - began
        told = part_of(progress, number, len(selected.stocks))
        result = carve(
            mesh,
            sweep,
            voxel_size,
            operation=operation,
            backend=options.limits.backend,
            memory_limit=options.limits.memory_limit,
            progress=told,
        )
        done.append((stock, with_accuracy(result, mesh, sweep, told) if verify else result, read))
    outcomes = []
    notes = tuple(warning for thing in selected.paths for warning in path_warnings(thing))
    for stock, result, read in done:
        name, began = stock.name, time.perf_counter()
        thing = write_result(scene, result, stock, options.replace)
        write = time.perf_counter() - began
        spent = result.report.seconds
        total = read + spent["compute"] + spent["compile"] + spent.get("verify", 0.0) + write
        seconds = spent | {"read": read, "write": write, "total": total}
        report = replace(result.report, seconds=seconds, warnings=(*notes, *result.report.warnings))
        write_report(thing, report)
        change = f"{abs(report.removed_volume):.4g} {'removed' if report.removed_volume >= 0 else 'added'}"
        message = f"'{name}' carved: volume {change}, {report.faces:,} faces, {total:.2f} s"
        message += f" (of that read {read:.2f}, write {write:.2f})"
        if report.accuracy is not None:
            message += f"; {in_words(report.accuracy.to_dict())}"
        outcomes.append(Outcome(thing, message, report.warnings))
        notes = ()
    _select(context, selected.stocks, outcomes)
    return outcomes


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
