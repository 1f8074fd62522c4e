"""The subpanels: other tools, advanced settings, and the last result."""

from typing import Any, cast

import bpy

from ..backend_status import TITLES, cuda_devices, free_memory, known_status, likely_backend
from ..operators.jobs.progress import seconds_text
from ..operators.selection.target import CarveSettings, target
from ..preferences import limits, preferences_of
from ..scene.writing.reports import object_report
from ..settings import scene_settings
from ..settings.layout import draw_options, draw_surface, draw_verify
from ..translations import interface_text
from .panel import SidebarPanel, split_layout
from .wording import draw_note, draw_sentence, length_text, memory_text, volume_texts

# The stages of a report that are shown, in order.
STAGES = (
    "read",
    "compile",
    "voxelize",
    "sweep",
    "combine",
    "surface",
    "simplify",
    "boolean",
    "judge",
    "verify",
    "mesh",
    "write",
)
# Shorter stages are not shown.
LEAST_SECONDS = 0.005


class ChildPanel(SidebarPanel):
    """Base of the subpanels."""

    bl_parent_id = "VIEW3D_PT_voxel_carve"
    bl_options: Any = {"DEFAULT_CLOSED"}


class VIEW3D_PT_voxel_carve_surface(ChildPanel, bpy.types.Panel):  # noqa: N801 - Blender's naming
    """How many faces the result has, and how they look."""

    bl_label = "Surface"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the settings of the faces."""
        draw_surface(split_layout(self), target(context).settings)


class VIEW3D_PT_voxel_carve_options(ChildPanel, bpy.types.Panel):  # noqa: N801
    """The factor of radii, and what becomes of stock and paths."""

    bl_label = "Options"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the settings, and the switch of the overlay."""
        layout = split_layout(self)
        draw_options(layout, target(context).settings)
        layout.prop(scene_settings(context), "show_overlay")


class VIEW3D_PT_voxel_carve_tools(ChildPanel, bpy.types.Panel):  # noqa: N801
    """The other operators on voxels."""

    bl_label = "Voxel Tools"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the operators on selected meshes."""
        column = cast(bpy.types.UILayout, self.layout).column(align=True)
        column.operator("object.voxel_carve_voxelize", icon="MESH_GRID")
        column.operator("object.voxel_carve_offset", icon="MOD_SOLIDIFY")
        column.operator("object.voxel_carve_boolean", icon="MOD_BOOLEAN")


class VIEW3D_PT_voxel_carve_advanced(ChildPanel, bpy.types.Panel):  # noqa: N801
    """The backend, its limits, and checks of the result."""

    bl_label = "Advanced"

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show backend, device, memory and checks."""
        layout, settings = split_layout(self), target(context).settings
        _draw_backend(layout.column(), context, settings)
        column, free = layout.column(), memory_text(free_memory())
        preferences = preferences_of(context)
        if preferences:
            column.prop(preferences, "memory_limit", text="Memory (GiB)")
        limited = preferences is not None and preferences.memory_limit > 0
        line = interface_text("{memory} free") if limited else interface_text("Half of the {memory} free")
        draw_note(column, line.format(memory=free))
        switches = layout.column()
        if preferences:
            switches.prop(preferences, "use_process", text="In Another Process")
        draw_verify(switches, settings)
        layout.operator("wm.voxel_carve_copy_diagnostics", icon="COPYDOWN")


class VIEW3D_PT_voxel_carve_last_result(ChildPanel, bpy.types.Panel):  # noqa: N801
    """The report of the active object."""

    bl_label = "Last Result"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether the active object has a report."""
        return object_report(context.active_object) is not None

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the report."""
        layout = cast(bpy.types.UILayout, self.layout)
        figures, scene = object_report(context.active_object), cast(bpy.types.Scene, context.scene)
        if figures:
            _draw_figures(layout.column(align=True), scene, figures, cast(Any, context.active_object).type == "MESH")
            _draw_seconds(layout.column(align=True), figures.get("seconds", {}))
            for warning in figures.get("warnings", ()):
                draw_sentence(layout, context, warning, "ERROR")


def _draw_backend(layout: bpy.types.UILayout, context: bpy.types.Context, settings: CarveSettings) -> None:
    """Show the backend setting, and below it the actual backend, its device, and why it was chosen."""
    layout.prop(settings, "backend")
    name = limits(context, settings.backend).backend
    status, likely = known_status(name), likely_backend(name)
    if status is None:
        line = draw_note(
            layout, interface_text("{backend}, Not Checked Yet").format(backend=TITLES.get(likely, likely))
        )
    elif status.name:
        line = draw_note(layout, interface_text("Uses {backend}").format(backend=TITLES.get(status.name, status.name)))
    else:
        line = draw_note(layout, interface_text("No Backend Works"))
    check: Any = line.operator("wm.voxel_carve_check_backend", text="", icon="FILE_REFRESH", emboss=False)
    check.backend = settings.backend
    for note in status.notes if status else ():
        draw_sentence(layout, context, note, "INFO")
    for alias, device, free in cuda_devices():
        free_text = interface_text("{memory} free").format(memory=memory_text(free))
        draw_sentence(layout, context, f"{device} ({alias}): {free_text}", "BLANK1")


def _draw_figures(layout: bpy.types.UILayout, scene: bpy.types.Scene, figures: dict[str, Any], has_faces: bool) -> None:
    removed = figures.get("removed_volume", 0.0)
    change, volume = volume_texts(scene, abs(removed), figures.get("volume", 0.0))
    _draw_pair(layout, "Removed" if removed >= 0 else "Added", change)
    _draw_pair(layout, "Total Volume", volume)
    if has_faces:
        _draw_pair(layout, "Faces", f"{figures.get('faces', 0):,}")
    _draw_pair(layout, "Voxel Size", length_text(scene, figures.get("voxel_size", 0.0)))
    if has_faces:
        _draw_pair(layout, "Closed", "Yes" if figures.get("closed") else "No")
    accuracy = figures.get("accuracy")
    if accuracy:
        _draw_accuracy(layout, scene, accuracy)
    backend = figures.get("backend", "")
    _draw_pair(layout, "Backend", TITLES.get(backend, backend))


def _draw_accuracy(layout: bpy.types.UILayout, scene: bpy.types.Scene, accuracy: dict[str, Any]) -> None:
    """Show how far the vertices and the sharp edges are from those of the exact surface."""
    for name, part in (("Off Surface", accuracy["vertices"]), ("Off Edges", accuracy["edges"])):
        if part["count"]:
            _draw_pair(layout, name, f"{length_text(scene, part['rms'])} RMS")
            largest = interface_text("{length} at Most").format(length=length_text(scene, part["largest"]))
            _draw_pair(layout, "", largest, active=False)


def _draw_seconds(layout: bpy.types.UILayout, seconds: dict[str, float]) -> None:
    """Show the total time, and below it the time of each stage."""
    _draw_pair(layout, "Time", seconds_text(seconds.get("total", seconds.get("compute", 0.0))))
    for stage in STAGES:
        if seconds.get(stage, 0.0) >= LEAST_SECONDS:
            _draw_pair(layout, stage.capitalize(), f"{seconds[stage]:.2f} s", active=False)


def _draw_pair(layout: bpy.types.UILayout, name: str, value: str, active: bool = True) -> None:
    """Show a name at the right of its column, as `use_property_split` does, and a value."""
    split = layout.split(factor=0.4)
    split.active = active
    left = split.row()
    left.alignment = "RIGHT"
    left.label(text=interface_text(name), translate=False)
    split.label(text=interface_text(value), translate=False)
