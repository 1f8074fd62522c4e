"""The job that carves results again from their recipes: read, compute, write into the same objects."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import bpy
from mathutils import Matrix

from ...compute import EmptyResultError, Progress
from ...compute.runtime import Sentence
from ...recipes.recipe import (
    deleted_paths,
    drop_deleted_paths,
    ingredients,
    recipe_of,
    refuse_writing,
    set_message,
    set_shown_fingerprint,
    shown_fingerprint,
    sources,
)
from ...recipes.watching import forget_watch, mark_unsure
from ...scene.provenance import StockFaces
from ...scene.reading.evaluation import evaluated_depsgraph_for
from ...scene.writing.rewrite import clear, put, rewrite_kept, rewrite_result
from ...scene.writing.write import drop_report
from .carve_reading import CarveOptions, ReadStock, all_path_warnings, carve_options, read_for_carve
from .carving import Carved, compute_carve, needed_blocks, report_outcome
from .fingerprint import fingerprint
from .job import Job, Outcome, refuse_deleted
from .prepared import PREPARE_SHARE, StockCache, can_prepare
from .progress import part_of, span_of
from .running import Ask


@dataclass(frozen=True)
class Recarve:
    """A result to carve again, and the inputs read for it.

    Attributes:
        obj: the result's object.
        read: its stock and its paths.
        options: the options in its recipe.
        notes: sentences about paths that were deleted or sweep nothing now, and what of the others is not cut.
    """

    obj: bpy.types.Object
    read: ReadStock
    options: CarveOptions
    notes: tuple[str, ...]

    def fingerprint(self, stock: str | None = None) -> str:
        """The fingerprint of all inputs; `stock` as for `fingerprint`."""
        return fingerprint(self.read, self.options, stock)


def read_recarve(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    options: CarveOptions,
    copies: ExitStack,
    faces: StockFaces | None = None,
) -> Recarve:
    """Read the inputs of a result's recipe; arguments as for `read_for_carve`.

    Raises:
        CarveError: something is missing or cannot be read, or the result cannot be written.
    """
    refuse_writing(obj)
    stock, paths = ingredients(obj)
    with evaluated_depsgraph_for(context, (stock, *paths)) as depsgraph:
        read = read_for_carve(stock, paths, depsgraph, options, copies, faces)
    notes = [_deleted_note(name) for name in deleted_paths(obj)]
    notes += [Sentence("nothing was carved along a path: {error}", error=error) for error in read.lacking]
    notes += all_path_warnings(paths, options)
    return Recarve(obj, read, options, tuple(notes))


def _deleted_note(name: str) -> str:
    if not name:
        return Sentence("a path was deleted: carved without it")
    return Sentence("path '{name}' was deleted: carved without it", name=name)


def read_update_job(context: bpy.types.Context, objs: Sequence[bpy.types.Object]) -> Job[Any]:
    """The job that carves each result again. What a result is carved from is carved before it, if it is out of date.

    Raises:
        CarveError: as `read_recarve`.
    """
    order = _in_order(objs)
    if len(order) > len(objs) or any(source in objs for obj in objs for source in sources(obj)):
        return _chain_job(order, objs)
    with ExitStack() as copies:
        recarves = [read_recarve(context, obj, carve_options(recipe_of(obj), context), copies) for obj in objs]
        return update_job(recarves, copies.pop_all().close)


def update_job(
    recarves: Sequence[Recarve], close: Callable[[], None], prepared: StockCache | None = None
) -> Job[list[Carved]]:
    """The job that carves results again, with the prepared stock of the last time if there is one."""
    names = [f"'{each.obj.name}'" for each in recarves]

    def compute(progress: Progress, _ask: Ask) -> list[Carved]:
        results = []
        for number, each in enumerate(recarves):
            part = part_of(progress, number, len(recarves))
            results.append(compute_recarve(each, part, prepared))
            _ = each.read.stock_digest  # for the fingerprint, which is written on the main thread
        return results

    def write(context: bpy.types.Context, results: list[Carved]) -> list[Outcome]:
        others, their_names = needed_blocks([each.read for each in recarves])
        refuse_deleted([*(each.obj for each in recarves), *others], [*names, *their_names])
        for each in recarves:
            refuse_writing(each.obj)
        return [rewrite(each, result) for each, result in zip(recarves, results, strict=True)]

    return Job(compute, write, close)


def _in_order(objs: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Results and all that they are carved from, each after its own sources.

    Raises:
        InputError: as `refuse_writing` and `ingredients`; one may be carved from itself.
    """
    order: dict[bpy.types.Object, None] = {}
    for obj in objs:
        refuse_writing(obj)
        ingredients(obj)
        order.update(dict.fromkeys([*_in_order(sources(obj)), obj]))
    return list(order)


def _chain_job(order: Sequence[bpy.types.Object], objs: Sequence[bpy.types.Object]) -> Job[list[Outcome]]:
    """The job that carves results one after the other, each from what the ones before have become.

    Args:
        order: of carving; objs: those to be carved in any case. Others are carved if they are out of date.
    """
    names = [f"'{obj.name}'" for obj in order]
    copies = ExitStack()

    def read(obj: bpy.types.Object) -> Recarve:
        refuse_deleted(order, names)
        cast(bpy.types.ViewLayer, bpy.context.view_layer).update()
        return read_recarve(bpy.context, obj, carve_options(recipe_of(obj), bpy.context), copies)

    def write(recarve: Recarve, carved: Carved) -> Outcome:
        others, their_names = needed_blocks([recarve.read])
        refuse_deleted([*order, *others], [*names, *their_names])
        refuse_writing(recarve.obj)
        return rewrite(recarve, carved)

    def compute(progress: Progress, ask: Ask) -> list[Outcome]:
        outcomes = []
        for number, obj in enumerate(order):
            recarve = ask(partial(read, obj))
            if obj in objs or recarve.fingerprint() != shown_fingerprint(obj):
                carved = compute_recarve(recarve, part_of(progress, number, len(order)))
                _ = recarve.read.stock_digest  # as in `update_job`
                outcomes.append(ask(partial(write, recarve, carved)))
        return outcomes

    return Job(compute, lambda _, outcomes: outcomes, copies.close)


def compute_recarve(recarve: Recarve, progress: Progress, prepared: StockCache | None = None) -> Carved:
    """Carve a result again, on any thread; arguments and errors as for `compute_carve`."""
    read, options = recarve.read, recarve.options
    if prepared is None or not can_prepare(options):
        return compute_carve(read, options, progress)
    begin = 0.0 if prepared.is_ready(read, options) else PREPARE_SHARE
    stock = prepared.stock(read, options, span_of(progress, 0.0, begin))
    return compute_carve(read, options, span_of(progress, begin, 1.0), stock)


def rewrite(recarve: Recarve, carved: Carved) -> Outcome:
    """Write one result into its object, with its report."""
    began, obj = time.perf_counter(), recarve.obj
    replace_mesh(obj, recarve.read, carved)
    set_shown_fingerprint(obj, recarve.fingerprint())
    set_message(obj, "")
    drop_deleted_paths(obj)
    forget_watch()
    mark_unsure(obj)  # its inputs may have changed while it was computed
    return report_outcome(obj, recarve.read, carved.result, time.perf_counter() - began, recarve.notes)


def rewrite_empty(recarve: Recarve, error: EmptyResultError) -> None:
    """Leave an object without faces, because nothing is left of its stock, and show the error that says so."""
    obj = recarve.obj
    clear(obj)
    drop_report(obj)
    set_shown_fingerprint(obj, recarve.fingerprint())
    set_message(obj, error)
    drop_deleted_paths(obj)
    forget_watch()
    mark_unsure(obj)


def replace_mesh(obj: bpy.types.Object, read: ReadStock, carved: Carved) -> None:
    """Fill an object's mesh with the result, and move the object as its stock has moved since the last time."""
    if read.kept and carved.result.report.result == "keep":
        place = rewrite_kept(obj, read.kept, read.obj, read.provenance.cut)
    else:
        place = rewrite_result(obj, carved.result, read.obj, read.provenance, carved.arrays)
    recipe = recipe_of(obj)
    put(obj, read.obj, Matrix(recipe.place), place)
    recipe.place = place
