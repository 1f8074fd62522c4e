"""Turn the selected meshes and volumes into blocks."""

import bpy

from ..settings import VoxelProperties
from .jobs.dense import voxelized
from .jobs.job import Job, job_options
from .jobs.remeshing import Remeshed, read_remesh_job
from .jobs.voxel_operator import VoxelOperator
from .selection.selected import selected, stock_refusal


class OBJECT_OT_voxel_carve_voxelize(VoxelProperties, VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Build each selected mesh or volume of cubes, one for every voxel inside it."""

    bl_idname = "object.voxel_carve_voxelize"
    bl_label = "Voxelize"
    bl_description = (
        "Build each selected mesh or volume of cubes, one for every voxel inside it; only sides that can be "
        "seen are made"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say whether a stock is missing."""
        return stock_refusal(context)

    def read(self, context: bpy.types.Context) -> Job[list[Remeshed]]:
        """Read the stocks."""
        options = job_options(self.properties, context)
        return read_remesh_job(context, selected(context).stocks, options, voxelized, "Voxels")
