"""Carve the selected stocks along the selected paths."""

import bpy

from ..compute import Progress
from ..settings import CarveProperties
from .job import Outcome, carve_options, carve_selection
from .selection import carve_refusal, selection
from .voxel_operator import VoxelOperator


class OBJECT_OT_voxel_carve(CarveProperties, VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
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
        """Say what is missing of stock and path."""
        return carve_refusal(context)

    def job(self, context: bpy.types.Context, progress: Progress) -> list[Outcome]:
        """Carve each stock."""
        return carve_selection(context, selection(context), carve_options(self, context), progress)
