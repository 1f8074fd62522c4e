"""A job on objects: it reads, computes and writes, and writes nothing before everything is computed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import bpy

from ...compute import InputError, Progress, TriMesh
from ...compute.model import check_voxel_size, voxel_size_for_resolution
from ...preferences import Limits, limits
from ...scene.presence import is_among, is_deleted
from ...scene.writing.write import refuse_replace
from ...settings import chosen_voxel_size
from .running import Ask

T = TypeVar("T")


@dataclass(frozen=True)
class JobOptions:
    """The options of every job on voxels; see `settings.py` for the properties they come from.

    `most_voxels`, if not None, limits the voxels along the longest side of the stock.
    """

    size_mode: str
    resolution: int
    voxel_size: float
    replace: bool
    limits: Limits
    most_voxels: int | None

    def voxel_size_for(self, stock: TriMesh, least_radius: float = math.inf) -> float:
        """The voxel size, for a stock and the least radius of the tool, infinite if there is none.

        Raises:
            InputError: it is not a positive length, or larger than the stock.
        """
        voxel_size = chosen_voxel_size(self, voxel_size_for_resolution(stock, 1), least_radius)
        if self.most_voxels is not None:
            voxel_size = max(voxel_size, voxel_size_for_resolution(stock, self.most_voxels))
        check_voxel_size(stock, voxel_size)
        return voxel_size


@dataclass(frozen=True)
class Outcome:
    """One object that a job made.

    Attributes:
        obj: the object.
        message: tells the user what was done.
        warnings: sentences for the user.
        change: what was removed or added; "" if the message says no such thing.
    """

    obj: bpy.types.Object
    message: str
    warnings: tuple[str, ...] = ()
    change: str = ""


@dataclass(frozen=True)
class Job(Generic[T]):
    """A job that has read all its inputs.

    Attributes:
        compute: does the work, on any thread. It gets a progress, and an `Ask` to call functions on the main thread.
        write: puts what `compute` returned into the scene, on the main thread; raises CarveError before anything is
            changed.
        close: removes the copies made for reading, however the job ended.
    """

    compute: Callable[[Progress, Ask], T]
    write: Callable[[bpy.types.Context, T], list[Outcome]]
    close: Callable[[], None]


def job_options(properties: Any, context: bpy.types.Context) -> JobOptions:
    """The options set in an operator or a property group with `VoxelProperties`."""
    return JobOptions(
        size_mode=properties.size_mode,
        resolution=properties.resolution,
        voxel_size=properties.voxel_size,
        replace=getattr(properties, "replace", False),  # a recipe has none
        limits=limits(context, properties.backend),
        most_voxels=None,
    )


def refuse_replacing(stocks: Sequence[bpy.types.Object], options: JobOptions) -> None:
    """Raise InputError if stocks are to be replaced and one of them cannot be."""
    if options.replace:
        for stock in stocks:
            refuse_replace(stock)


def refuse_deleted(blocks: Sequence[bpy.types.ID], names: Sequence[str]) -> None:
    """Raise InputError if one of the data-blocks that a job needs, called by these names, was deleted."""
    for block, name in zip(blocks, names, strict=True):
        if is_deleted(block):
            raise InputError("{name} was deleted meanwhile: nothing was changed", name=name)


def select_results(context: bpy.types.Context, outcomes: Sequence[Outcome]) -> None:
    """Select the results alone, and make the first one active."""
    layer = cast(bpy.types.ViewLayer, context.view_layer)
    shown = [outcome.obj for outcome in outcomes if is_among(outcome.obj, layer.objects)]
    if not shown:
        return
    for obj in tuple(cast(Any, layer.objects).selected):
        obj.select_set(False)
    for obj in shown:
        obj.select_set(True)
    layer.objects.active = shown[0]
