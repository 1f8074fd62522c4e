"""Carve the selected stocks along the selected paths."""

from typing import cast

import bpy

from ..settings import CarveProperties, MaterialName
from ..settings.layout import draw_options, draw_radius, draw_result, draw_surface, draw_verify, draw_voxels
from ..translations import interface_text
from .jobs.carve_reading import carve_options
from .jobs.carving import Carved, read_carve_job
from .jobs.job import Job
from .jobs.voxel_operator import VoxelOperator
from .selection.selected import carve_refusal, selection


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

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the settings as the panel does."""
        layout = cast(bpy.types.UILayout, self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        for draw in (draw_radius, draw_voxels, draw_result):
            draw(layout.column(), self)
        for name, title, draw in (("surface", "Surface", draw_surface), ("options", "Options", draw_options)):
            header, body = layout.panel(f"voxel_carve_{name}", default_closed=True)
            header.label(text=interface_text(title), translate=False)
            if body:
                draw(body, self)
        header, body = layout.panel("voxel_carve_advanced", default_closed=True)
        header.label(text=interface_text("Advanced"), translate=False)
        if body:
            body.prop(self, "backend")
            draw_verify(body, self)

    def read(self, context: bpy.types.Context) -> Job[list[Carved]]:
        """Read the stocks and the paths."""
        return read_carve_job(context, selection(context), carve_options(self.properties, context))
