"""The panel in the sidebar of the 3D view."""

from typing import Any, cast

import bpy

from ..operators.selection import Selection, carve_refusal, selection
from ..settings import VoxelCarveSettings, scene_settings
from .forecast import forecast


class VIEW3D_PT_voxel_carve(bpy.types.Panel):  # noqa: N801 - Blender's naming
    """Carve the selected meshes along the selected paths."""

    bl_label = "Voxel Carve"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Voxel Carve"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show what is selected, what is set, what it will take, and the buttons."""
        layout, settings, found = cast(bpy.types.UILayout, self.layout), scene_settings(context), selection(context)
        _draw_selection(layout, found)
        _draw_settings(layout, settings)
        _draw_forecast(layout, found, settings)
        refusal = carve_refusal(context)
        button = layout.column()
        button.scale_y = 1.6
        button.operator("object.voxel_carve", text="Carve", icon="MOD_BOOLEAN")
        if refusal:
            _draw_refusal(layout, refusal)
        others = layout.column(align=True)
        others.operator("object.voxel_carve_voxelize", icon="MESH_GRID")
        others.operator("object.voxel_carve_offset", icon="MOD_SOLIDIFY")
        others.operator("object.voxel_carve_boolean", icon="SELECT_SUBTRACT")


def _draw_selection(layout: bpy.types.UILayout, found: Selection) -> None:
    box = layout.box().column(align=True)
    _draw_things(box, "Stock", "MESH_DATA", found.stocks)
    _draw_things(box, "Path", "CURVE_DATA", found.paths)


def _draw_things(layout: bpy.types.UILayout, noun: str, icon: Any, things: tuple[bpy.types.Object, ...]) -> None:
    """One line: how many, and the name of the first."""
    if not things:
        layout.label(text=f"{noun}: None Selected", icon=icon)
    elif len(things) == 1:
        layout.label(text=f"{noun}: {things[0].name}", icon=icon)
    else:
        layout.label(text=f"{len(things)} {noun}s: {things[0].name}, ...", icon=icon)


def _draw_settings(layout: bpy.types.UILayout, settings: VoxelCarveSettings) -> None:
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    column.row().prop(settings, "size_mode", expand=True)
    column.prop(settings, "resolution" if settings.size_mode == "RESOLUTION" else "voxel_size")
    column.prop(settings, "radius")
    column.prop(settings, "operation")
    column.prop(settings, "result")
    column.prop(settings, "adaptivity")
    column.prop(settings, "tolerance")
    column.prop(settings, "backend")
    column.prop(settings, "replace")
    column.prop(settings, "transfer_attributes")
    column.prop(settings, "verify")


def _draw_forecast(layout: bpy.types.UILayout, found: Selection, settings: VoxelCarveSettings) -> None:
    """The grid and the memory of the stock that takes most."""
    forecasts = [forecast(stock, found.paths, settings) for stock in found.stocks]
    known = [each for each in forecasts if each is not None]
    if known:
        largest = max(known, key=lambda each: each.memory)
        x, y, z = largest.voxels
        layout.label(text=f"About {x} × {y} × {z} Voxels, {memory_text(largest.memory)}", icon="MESH_GRID")
    elif forecasts:
        layout.label(text="The voxel size makes no grid", icon="ERROR")


def _draw_refusal(layout: bpy.types.UILayout, refusal: str) -> None:
    """What is wrong, and below it what to do: a sidebar is too narrow for both in one line."""
    column = layout.column(align=True)
    what, _, remedy = refusal.partition(": ")
    column.label(text=what, icon="INFO")
    if remedy:
        column.label(text=remedy[0].upper() + remedy[1:], icon="BLANK1")


def memory_text(count: int) -> str:
    """Bytes as MB or GB, as Blender's own statistics have them."""
    return f"{count / 2**20:.0f} MB" if count < 2**30 else f"{count / 2**30:.1f} GB"
