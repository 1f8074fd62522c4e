"""Stop the job that runs."""

import bpy

from ..translations import report_text
from .running import running_job


class WM_OT_voxel_carve_cancel(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Stop the job that is running; nothing is changed."""

    bl_idname = "wm.voxel_carve_cancel"
    bl_label = "Cancel Voxel Carve"
    bl_description = "Stop the job that is running, and leave everything as it was"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether a job runs."""
        if running_job() is None:
            cls.poll_message_set(report_text("No job is running"))
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Let the job go; who started it says so."""
        job = running_job()
        if job is not None:
            job.cancel()
        return {"FINISHED"}
