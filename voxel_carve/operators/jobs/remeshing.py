"""Jobs that remesh stocks: read, compute, write."""

import time
from collections.abc import Callable, Sequence
from typing import cast

import bpy

from ...compute import Progress, Surface, TriMesh
from ...compute.runtime import Sentence
from ...preferences import Limits
from ...scene.reading.read import read_stock
from ...scene.writing.write import write_surface
from .dense import stock_warnings
from .job import Job, JobOptions, Outcome, refuse_deleted, refuse_replacing, select_results
from .progress import part_of
from .running import Ask

# Makes a new surface from the mesh, the voxel size, the limits and the progress.
Remesh = Callable[[TriMesh, float, Limits, Progress], Surface]


def read_remesh_job(
    context: bpy.types.Context,
    stocks: Sequence[bpy.types.Object],
    options: JobOptions,
    remesh: Remesh,
    noun: str,
    notes: tuple[str, ...] = (),
) -> Job[list[tuple[Surface, float]]]:
    """The job that gives each stock a new surface.

    Args:
        context: has the objects.
        stocks: each results in an object "<stock> <noun>".
        options: the operator's options.
        remesh: makes the surface; called on any thread.
        noun: the kind of result.
        notes: sentences about other inputs, reported with the first result.

    Raises:
        CarveError: a stock cannot be read.
    """
    refuse_replacing(stocks, options)
    scene, depsgraph = cast(bpy.types.Scene, context.scene), context.evaluated_depsgraph_get()
    began = time.perf_counter()
    meshes = [read_stock(stock, depsgraph) for stock in stocks]
    names, sizes = [f"'{stock.name}'" for stock in stocks], [options.voxel_size_for(mesh) for mesh in meshes]
    read = (time.perf_counter() - began) / len(stocks)

    def compute(progress: Progress, ask: Ask) -> list[tuple[Surface, float]]:
        surfaces = []
        for number, (mesh, voxel_size) in enumerate(zip(meshes, sizes, strict=True)):
            began = time.perf_counter()
            surface = remesh(mesh, voxel_size, options.limits, part_of(progress, number, len(meshes)))
            surfaces.append((surface, time.perf_counter() - began))
        return surfaces

    def write(context: bpy.types.Context, surfaces: list[tuple[Surface, float]]) -> list[Outcome]:
        refuse_deleted([scene, *stocks], [Sentence("the scene"), *names])
        outcomes = []
        made = zip(stocks, meshes, sizes, surfaces, strict=True)
        for number, (stock, mesh, voxel_size, (surface, spent)) in enumerate(made):
            began = time.perf_counter()
            name = f"{stock.name} {noun}"
            obj = write_surface(scene, surface, stock, name, options.replace, voxel_size=voxel_size)
            seconds = read + spent + time.perf_counter() - began
            message = Sentence(
                "'{name}' made: {count:,} faces, {seconds:.2f} s",
                name=obj.name,
                count=len(surface.faces),
                seconds=seconds,
            )
            outcomes.append(Outcome(obj, message, (*stock_warnings(mesh), *(notes if number == 0 else ()))))
        select_results(context, stocks, outcomes)
        return outcomes

    return Job(compute, write, close=lambda: None)
