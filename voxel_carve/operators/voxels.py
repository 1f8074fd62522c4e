"""Voxels that suit the radius of the tool."""

from typing import Any, cast

import bpy

from ..compute.runtime import Sentence
from ..printing import printable
from ..settings import LARGEST_RESOLUTION
from ..translations.telling import told
from .selection.selected import may_run
from .selection.target import target


class SCENE_OT_voxel_carve_fit_voxels(bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Give the settings in the panel voxels of the size asked for."""

    bl_idname = "scene.voxel_carve_fit_voxels"
    bl_label = "Fit Voxels to Radius"
    bl_description = "Make the voxels so small that the smallest radius is two of them"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    resolution: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Resolution",
        description="Number of voxels along the longest side of the stock, unless voxels are given by their size",
        default=128,
        min=1,
        max=LARGEST_RESOLUTION,
    )
    voxel_size: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Voxel Size",
        description="Edge of a voxel, if voxels are given by their size",
        default=0.02,
        min=0.0,
        precision=4,
        subtype="DISTANCE",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether the panel has settings to change; sets the message if not."""
        return may_run(cls, None if context.scene and context.view_layer else "No scene: nothing can be read")

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Change the settings of the next carve, or of the result that the panel shows.

        Only the panel knows what fits: the properties' own defaults fit nothing, and so are refused.
        """
        settings = cast(Any, target(context).settings)
        if not self.properties.is_property_set("voxel_size" if settings.size_mode == "SIZE" else "resolution"):
            sentence = Sentence("No voxels are given: pass resolution and voxel_size, or make them Automatic")
            self.report({"ERROR"}, printable(told(sentence)))
            return {"CANCELLED"}
        if settings.size_mode == "SIZE":
            settings.voxel_size = self.voxel_size
        else:
            settings.size_mode, settings.resolution = "RESOLUTION", self.resolution
        return {"FINISHED"}
