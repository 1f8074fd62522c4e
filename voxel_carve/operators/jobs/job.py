"""What every job on objects is: it reads, computes and writes, and nothing is written before all is computed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import bpy

from ...compute import InputError, Progress, TriMesh, voxel_size_for_resolution
from ...compute.plan import check_voxel_size
from ...preferences import Limits, limits
from ...scene.presence import is_among, is_deleted
from ...scene.writing.write import refuse_replace
from .running import Ask

T = TypeVar("T")


@dataclass(frozen=True)
class JobOptions:
    """What every job on voxels is asked for; see `settings.py` for the properties it comes from.

    There are no more than `most_voxels` along the longest side of the stock, where that is not None.
    """

    size_mode: str
    resolution: int
    voxel_size: float
    replace: bool
    limits: Limits
    most_voxels: int | None

    def voxel_size_for(self, stock: TriMesh) -> float:
        """Raises InputError where it is not a positive length, or larger than the stock."""
        by_resolution = self.size_mode == "RESOLUTION"
        voxel_size = voxel_size_for_resolution(stock, self.resolution) if by_resolution else self.voxel_size
        if self.most_voxels is not None:
            voxel_size = max(voxel_size, voxel_size_for_resolution(stock, self.most_voxels))
        check_voxel_size(stock, voxel_size)
        return voxel_size


@dataclass(frozen=True)
class Outcome:
    """One object that a job made.

    Attributes:
        obj: the object.
        message: what was done, for the user.
        warnings: sentences for the user.
    """

    obj: bpy.types.Object
    message: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job(Generic[T]):
    """A job that has read all that it needs.

    Attributes:
        compute: does the work, on any thread: it is given a progress, and what to ask Blender's thread with.
        write: puts what `compute` returned into the scene, on Blender's thread; raises CarveError before anything is
            changed.
        close: takes away what was copied to read from, whatever came of the job.
    """

    compute: Callable[[Progress, Ask], T]
    write: Callable[[bpy.types.Context, T], list[Outcome]]
    close: Callable[[], None]


def job_options(asked: Any, context: bpy.types.Context) -> JobOptions:
    """The options that an operator's properties, or a group of settings, with `VoxelProperties` have."""
    return JobOptions(
        size_mode=asked.size_mode,
        resolution=asked.resolution,
        voxel_size=asked.voxel_size,
        replace=getattr(asked, "replace", False),  # a recipe has none
        limits=limits(context, asked.backend),
        most_voxels=None,
    )


def refuse_replacing(stocks: Sequence[bpy.types.Object], options: JobOptions) -> None:
    """Raise InputError where stocks are to be replaced and one cannot be."""
    if options.replace:
        for stock in stocks:
            refuse_replace(stock)


def refuse_deleted(blocks: Sequence[bpy.types.ID], names: Sequence[str]) -> None:
    """Raise InputError where one of the data-blocks that a job has read, called by these names, is there no more."""
    for block, name in zip(blocks, names, strict=True):
        if is_deleted(block):
            raise InputError(f"{name} was deleted meanwhile: nothing was changed")


def select_results(context: bpy.types.Context, stocks: Sequence[bpy.types.Object], outcomes: Sequence[Outcome]) -> None:
    """Let the results take the place of their stocks in the selection, the first of them active.

    What else was selected stays so: Blender shows the redo panel only where the operator could run again.
    """
    layer = cast(bpy.types.ViewLayer, context.view_layer)
    for stock in stocks:
        if is_among(stock, layer.objects):
            stock.select_set(False)
    shown = [outcome.obj for outcome in outcomes if is_among(outcome.obj, layer.objects)]
    for obj in shown:
        obj.select_set(True)
    if shown:
        layer.objects.active = shown[0]
