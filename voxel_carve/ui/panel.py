"""The panel in the sidebar of the 3D view."""

from typing import Any, cast

import bpy
from bl_ui.utils import PresetPanel

from ..compute.runtime import memory_texts
from ..operators.jobs.compiling import compiling_part
from ..operators.jobs.progress import seconds_text
from ..operators.jobs.running import RunningJob, running_job
from ..operators.jobs.selection import Selection, carve_refusal, selection
from ..operators.presets import PRESET_FOLDER
from ..settings import VoxelCarveSettings, scene_settings
from ..translations import interface_text, report_text
from .forecast import Outlook, outlook
from .overlay import overlay_message
from .wording import draw_note, draw_sentence, length_text


class VIEW3D_PT_voxel_carve_presets(PresetPanel, bpy.types.Panel):  # type: ignore[misc]  # noqa: N801 - Blender's naming
    """The presets popover, behind the button in the panel's header."""

    bl_label = "Voxel Carve Presets"
    bl_space_type = "VIEW_3D"
    preset_subdir = PRESET_FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "wm.voxel_carve_preset_add"


class SidebarPanel:
    """The shared base of the panels."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Voxel Carve"


class VIEW3D_PT_voxel_carve(SidebarPanel, bpy.types.Panel):  # noqa: N801
    """Carve stocks along paths."""

    bl_label = "Voxel Carve"

    def draw_header_preset(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the button of the presets."""
        cast(Any, VIEW3D_PT_voxel_carve_presets).draw_panel_header(self.layout)

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the objects, the settings, the forecast and the button, or else the running job."""
        layout, settings, found = cast(bpy.types.UILayout, self.layout), scene_settings(context), selection(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        expected = outlook(context, found, settings)
        _draw_objects(layout, settings, found)
        _draw_tool(layout, context, settings, expected)
        _draw_voxels(layout, context, settings, expected)
        _draw_result(layout, settings)
        job = running_job()
        if job:
            draw_job(layout, job)
            if not job.preemptible:
                return
        compiled = compiling_part()
        if compiled is not None:
            layout.progress(factor=compiled, text=interface_text("Compiling Kernels, Once"))
        _draw_outlook(layout, context, expected)
        layout.prop(settings, "show_overlay")
        if settings.show_overlay and overlay_message():
            draw_note(layout, overlay_message())
        button = layout.column()
        button.scale_y = 1.6
        button.operator("object.voxel_carve", text="Carve", icon="MOD_BOOLEAN")
        refusal = carve_refusal(context)
        if refusal:
            _draw_refusal(layout, context, refusal)


def draw_job(layout: bpy.types.UILayout, job: RunningJob[Any]) -> None:
    """Show the progress of a job, and the button that cancels it."""
    left = ""
    if job.remaining is not None:
        left = ", " + interface_text("{time} left").format(time=seconds_text(job.remaining))
    row = layout.row(align=True)
    row.scale_y = 1.6
    row.progress(factor=job.fraction, text=f"{interface_text(job.stage)}{left}")
    row.operator("wm.voxel_carve_cancel", text="", icon="CANCEL")


def _draw_objects(layout: bpy.types.UILayout, settings: VoxelCarveSettings, found: Selection) -> None:
    column = layout.column()
    column.prop(settings, "stock")
    if settings.stock is None:
        draw_note(column, _names(found.stocks, interface_text("{count} Meshes: {first}, …")))
    column.prop(settings, "path_collection")
    if settings.path_collection is None or found.paths:
        draw_note(column, _names(found.paths, interface_text("{count} Paths: {first}, …")))


def _names(objs: tuple[bpy.types.Object, ...], several: str) -> str:
    """The name of a single object, or the number of objects and the name of the first."""
    if not objs:
        return interface_text("None Selected")
    return objs[0].name if len(objs) == 1 else several.format(count=len(objs), first=objs[0].name)


def _draw_tool(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: VoxelCarveSettings, expected: Outlook
) -> None:
    column = layout.column()
    column.row().prop(settings, "radius_mode", expand=True)
    if settings.radius_mode == "VALUE":
        column.prop(settings, "radius", text=" ")
    elif expected.radii and context.scene:
        draw_note(column, _range_text(context.scene, expected.radii))
    column.prop(settings, "radius_factor")


def _draw_voxels(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: VoxelCarveSettings, expected: Outlook
) -> None:
    column = layout.column()
    column.row().prop(settings, "size_mode", expand=True)
    by_resolution = settings.size_mode == "RESOLUTION"
    column.prop(settings, "resolution" if by_resolution else "voxel_size")
    if not (expected.voxel_sizes and context.scene):
        return
    if by_resolution:
        draw_note(column, f"{interface_text('Voxel Size')} {_range_text(context.scene, expected.voxel_sizes)}")
    elif expected.resolution:
        draw_note(column, f"{interface_text('Resolution')} {expected.resolution:,}")


def _draw_result(layout: bpy.types.UILayout, settings: VoxelCarveSettings) -> None:
    column = layout.column()
    operation = column.row()
    operation.use_property_split = False  # three labels need the whole width
    operation.prop(settings, "operation", expand=True)
    column.row().prop(settings, "result", expand=True)
    merging = column.column(align=True)
    adaptivity = merging.row()
    adaptivity.active = settings.tolerance == 0
    adaptivity.prop(settings, "adaptivity")
    merging.prop(settings, "tolerance")
    switches = layout.column(heading=interface_text("Faces"))
    switches.prop(settings, "shade_smooth")
    switches.prop(settings, "transfer_attributes")
    switches.prop(settings, "custom_normals")
    column = layout.column()
    column.prop(settings, "cut_material")
    column.prop(settings, "replace")


def _draw_outlook(layout: bpy.types.UILayout, context: bpy.types.Context, expected: Outlook) -> None:
    """Show grid, memory and time, in red with the reasons if the job would be refused."""
    if not (expected.voxels or expected.refusals or expected.cautions):
        return
    box = layout.box().column(align=True)
    if expected.voxels:
        x, y, z = expected.voxels
        box.label(text=f"{x:,} × {y:,} × {z:,} {interface_text('Voxels')}", icon="MESH_GRID")
        figures = box.row()
        figures.alert = bool(expected.refusals)
        time = "" if expected.seconds is None else f", {seconds_text(expected.seconds)}"
        memory, _ = memory_texts(expected.memory, expected.allowed)
        text = interface_text("About {figures}").format(figures=f"{memory}{time}")
        figures.label(text=text, icon="BLANK1")
    for sentence in expected.refusals:
        alert = box.column()
        alert.alert = True
        draw_sentence(alert, context, sentence, "ERROR")
    for sentence in expected.cautions:
        draw_sentence(box, context, sentence, "INFO")


def _draw_refusal(layout: bpy.types.UILayout, context: bpy.types.Context, refusal: str) -> None:
    """Show the problem, and below it the remedy."""
    what, _, remedy = report_text(refusal).partition(": ")
    draw_sentence(layout, context, what, "INFO")
    if remedy:
        draw_sentence(layout, context, remedy, "BLANK1")


def _range_text(scene: bpy.types.Scene, lengths: tuple[float, float]) -> str:
    """One length, or two if they differ."""
    low, high = (length_text(scene, length) for length in lengths)
    return low if low == high else interface_text("{low} to {high}").format(low=low, high=high)
