"""Start the backend, and report what it runs on."""

import bpy

from ..backend_status import check_backend, in_words
from ..preferences import limits
from ..printing import printable
from ..translations.telling import told


class WM_OT_voxel_carve_check_backend(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Start the backend that a carve would use, and report what it runs on."""

    bl_idname = "wm.voxel_carve_check_backend"
    bl_label = "Check Backend"
    bl_description = (
        "Start the backend as a carve would, and show what it runs on and why it is this one. "
        "Loading Numba or Warp takes some seconds"
    )
    bl_options = {"INTERNAL"}

    backend: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Backend", description="As the scene's settings have it", default="AUTO", options={"SKIP_SAVE"}
    )

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Start the backend, and report."""
        status = check_backend(limits(context, self.backend).backend)
        if status.name:
            self.report({"INFO"}, printable(told(in_words(status))))
        else:
            self.report({"WARNING"}, printable(told(status.notes[0])))
        return {"FINISHED"}
