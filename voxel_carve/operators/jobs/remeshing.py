"""Jobs that remesh stocks: read, compute, write."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import bpy

from ...compute import Progress, Surface, TriMesh
from ...compute.runtime import Sentence, progress_range, reporting_to
from ...preferences import Limits
from ...scene.reading.read import read_stock
from ...scene.writing.arrays import MeshArrays, mesh_arrays
from ...scene.writing.write import place_of, write_surface
from .dense import stock_warnings
from .job import Job, JobOptions, Outcome, refuse_deleted, refuse_replacing, select_results
from .progress import part_of, span_of
from .running import Ask

# Approximate share of a job that making the surface takes; the rest are the arrays of its mesh.
SURFACE_SHARE = 0.8

# Makes a new surface from the mesh, the voxel size, the limits and the progress.
Remesh = Callable[[TriMesh, float, Limits, Progress], Surface]


@dataclass(frozen=True)
class Remeshed:
    """A new surface, the arrays of its mesh, the seconds it took, and warnings about what it was made of."""

    surface: Surface
    arrays: MeshArrays
    seconds: float
    warnings: tuple[str, ...]


def read_remesh_job(
    context: bpy.types.Context,
    stocks: Sequence[bpy.types.Object],
    options: JobOptions,
    remesh: Remesh,
    noun: str,
    others: Sequence[TriMesh] = (),
) -> Job[list[Remeshed]]:
    """The job that gives each stock a new surface.

    Args:
        context: has the objects.
        stocks: each results in an object "<stock> <noun>".
        options: the operator's options.
        remesh: makes the surface; called on any thread.
        noun: the kind of result.
        others: further inputs, whose warnings are reported with the first result.

    Raises:
        CarveError: a stock cannot be read.
    """
    refuse_replacing(stocks, options)
    scene, depsgraph = cast(bpy.types.Scene, context.scene), context.evaluated_depsgraph_get()
    began = time.perf_counter()
    meshes = [read_stock(stock, depsgraph) for stock in stocks]
    names, sizes = [f"'{stock.name}'" for stock in stocks], [options.voxel_size_for(mesh) for mesh in meshes]
    places = [place_of(stock, options.replace, size) for stock, size in zip(stocks, sizes, strict=True)]
    read = (time.perf_counter() - began) / len(stocks)

    def compute(progress: Progress, ask: Ask) -> list[Remeshed]:
        made = []
        for number, (mesh, place) in enumerate(zip(meshes, places, strict=True)):
            began = time.perf_counter()
            part, checked = part_of(progress, number, len(meshes)), (mesh, *others) if number == 0 else (mesh,)
            surface = remesh(mesh, place.voxel_size, options.limits, span_of(part, 0.0, SURFACE_SHARE))
            with reporting_to(part), progress_range(SURFACE_SHARE, 1.0, "Mesh"):
                arrays = mesh_arrays(surface, None, place)
                warnings = tuple(warning for each in checked for warning in stock_warnings(each))
            made.append(Remeshed(surface, arrays, time.perf_counter() - began, warnings))
        return made

    def write(context: bpy.types.Context, results: list[Remeshed]) -> list[Outcome]:
        refuse_deleted([scene, *stocks], [Sentence("the scene"), *names])
        outcomes = []
        for stock, place, made in zip(stocks, places, results, strict=True):
            began = time.perf_counter()
            obj = write_surface(
                scene,
                made.surface,
                stock,
                f"{stock.name} {noun}",
                options.replace,
                voxel_size=place.voxel_size,
                arrays=made.arrays,
            )
            message = Sentence(
                "'{name}' made: {count:,} faces, {seconds:.2f} s",
                name=obj.name,
                count=len(made.surface.faces),
                seconds=read + made.seconds + time.perf_counter() - began,
            )
            outcomes.append(Outcome(obj, message, made.warnings))
        select_results(context, outcomes)
        return outcomes

    return Job(compute, write, close=lambda: None)
