"""Stop the job that runs."""

import bpy

from .jobs.running import is_rendering, running_job
from .selection.selected import may_run


class WM_OT_voxel_carve_cancel(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Stop the job that is running; nothing is changed."""

    bl_idname = "wm.voxel_carve_cancel"
    bl_label = "Cancel Voxel Carve"
    bl_description = "Stop the job that is running, and leave everything as it was"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether a job is running that can be cancelled now."""
        refusal = None if running_job() else "No job is running"
        if is_rendering():
            refusal = "A render is running: wait for it, or cancel it"
        return may_run(cls, refusal)

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Cancel the job; the operator that started it reports this."""
        job = running_job()
        if job is not None:
            job.cancel()
        return {"FINISHED"}
