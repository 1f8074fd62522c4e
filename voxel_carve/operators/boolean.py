"""Combine the active mesh or volume with the other selected ones."""

from functools import partial

import bpy

from ..scene.reading.read import read_stock
from ..settings import VoxelProperties
from .jobs.dense import combined
from .jobs.job import Job, job_options
from .jobs.remeshing import Remeshed, read_remesh_job
from .jobs.voxel_operator import VoxelOperator
from .selection.selected import active_stock_refusal, selected

OPERATIONS = (
    ("UNION", "Union", "Join the others to the active one"),
    ("INTERSECT", "Intersect", "Keep what all of them share"),
    ("SUBTRACT", "Subtract", "Take the others out of the active one"),
)


class OBJECT_OT_voxel_carve_boolean(VoxelProperties, VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Combine the active mesh or volume with the other selected ones, in cubes."""

    bl_idname = "object.voxel_carve_boolean"
    bl_label = "Voxel Boolean"
    bl_description = (
        "Combine the active mesh or volume with the other selected ones, as voxels: works on open and crossing meshes "
        "too. The result is made of cubes"
    )
    bl_options = {"REGISTER", "UNDO"}

    operation: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Operation", description="How they are combined", items=OPERATIONS, default="SUBTRACT"
    )

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say which objects are missing."""
        return active_stock_refusal(context)

    def read(self, context: bpy.types.Context) -> Job[list[Remeshed]]:
        """Read the base and the others, which are not changed."""
        options, (base, *others) = job_options(self.properties, context), selected(context).stocks
        meshes = [read_stock(other, context.evaluated_depsgraph_get()) for other in others]
        remesh = partial(combined, meshes, self.operation.lower())
        return read_remesh_job(context, [base], options, remesh, "Boolean", meshes)
