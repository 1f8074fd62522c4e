"""Carve the selected stocks along the selected paths."""

import bpy

from ..compute import CarveResult
from ..settings import CarveProperties, MaterialName
from .jobs.carve_reading import carve_options
from .jobs.carving import read_carve_job
from .jobs.job import Job
from .jobs.selection import carve_refusal, selection
from .jobs.voxel_operator import VoxelOperator


class OBJECT_OT_voxel_carve(CarveProperties, MaterialName, VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Carve the volume that a round tool sweeps along the selected paths out of each selected mesh."""

    bl_idname = "object.voxel_carve"
    bl_label = "Voxel Carve"
    bl_description = (
        "Take what a round tool sweeps along the paths out of each stock, or add it, or keep only that. "
        "Select a mesh and curves, or choose them in the panel"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say whether stock or path is missing."""
        return carve_refusal(context)

    def read(self, context: bpy.types.Context) -> Job[list[CarveResult]]:
        """Read the stocks and the paths."""
        return read_carve_job(context, selection(context), carve_options(self.properties, context))
