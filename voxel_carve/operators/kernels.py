"""Delete the compiled kernels."""

import bpy

from ..backend_status import forget_statuses
from ..compute import BackendError
from ..compute.runtime import Sentence, clear_cache
from ..printing import printable
from ..translations.telling import told


class WM_OT_voxel_carve_clear_kernels(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Delete the compiled kernels."""

    bl_idname = "wm.voxel_carve_clear_kernels"
    bl_label = "Clear Compiled Kernels"
    bl_description = (
        "Delete the compiled kernels from disk. They are compiled anew when they are next needed, "
        "which takes less than a minute in the background"
    )
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Delete them, unless some process is compiling."""
        try:
            freed = clear_cache()
        except BackendError as error:
            self.report({"ERROR"}, printable(told(error)))
            return {"CANCELLED"}
        forget_statuses()
        sentence = Sentence("Compiled kernels cleared: {memory}", memory=f"{freed / 2**20:.0f} MiB")
        self.report({"INFO"}, printable(told(sentence)))
        return {"FINISHED"}
