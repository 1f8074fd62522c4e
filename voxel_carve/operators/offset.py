"""Grow or shrink the selected meshes and volumes by a distance."""

from functools import partial

import bpy

from ..settings import VoxelProperties
from .jobs.dense import offset
from .jobs.job import Job, job_options
from .jobs.remeshing import Remeshed, read_remesh_job
from .jobs.voxel_operator import VoxelOperator
from .selection.selected import selected, stock_refusal


class OBJECT_OT_voxel_carve_offset(VoxelProperties, VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Dilate or erode each selected mesh or volume by a distance, in cubes."""

    bl_idname = "object.voxel_carve_offset"
    bl_label = "Voxel Offset"
    bl_description = (
        "Grow or shrink each selected mesh or volume by a distance, rounded to voxels; the result is made of cubes"
    )
    bl_options = {"REGISTER", "UNDO"}

    distance: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Distance",
        description="How far the surface moves: outward where positive, inward where negative",
        default=0.1,
        soft_min=-1.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
    )

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say whether a stock is missing."""
        return stock_refusal(context)

    def read(self, context: bpy.types.Context) -> Job[list[Remeshed]]:
        """Read the stocks."""
        options, remesh = job_options(self.properties, context), partial(offset, self.distance)
        return read_remesh_job(context, selected(context).stocks, options, remesh, "Offset")
