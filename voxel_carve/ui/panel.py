"""The panel in the sidebar of the 3D view."""

from typing import Any, cast

import bpy
from bl_ui.utils import PresetPanel

from ..compute.forecasts import rounded, seconds_texts
from ..compute.runtime import Sentence, memory_texts
from ..operators.jobs.carving import VOLUME_AGAIN
from ..operators.jobs.compiling import compiling_part
from ..operators.jobs.progress import seconds_text
from ..operators.jobs.running import RunningJob, running_job
from ..operators.presets import PRESET_FOLDER
from ..operators.selection.selected import Selection, carve_refusal
from ..operators.selection.target import CarveSettings, Target, chosen_results, target
from ..recipes.recipe import deleted_paths, is_recipe, message_of, recipe_of, shown_fingerprint
from ..recipes.watching import is_outdated
from ..scene.writing.volumes import is_volume_result
from ..settings import VoxelCarveSettings, scene_settings
from ..settings.layout import draw_radius, draw_result, draw_voxels
from ..translations import interface_text
from ..translations.telling import told
from ..updating.comparing import ask
from .face_forecast import FaceForecast
from .forecast import Fitting, Outlook, outlook
from .overlay import overlay_message
from .wording import draw_note, draw_sentence, length_text

# So many sentences on what is not cut are shown in full.
MOST_WARNINGS = 3
# The lines of the forecast, which are empty while there is nothing to carve.
LEAST_LINES = 3


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


def split_layout(panel: bpy.types.Panel) -> bpy.types.UILayout:
    """The layout of a panel, with names at the left and values at the right."""
    layout = cast(bpy.types.UILayout, panel.layout)
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


class VIEW3D_PT_voxel_carve(SidebarPanel, bpy.types.Panel):  # noqa: N801
    """Carve stocks along paths."""

    bl_label = "Voxel Carve"

    def draw_header_preset(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the button of the presets."""
        cast(Any, VIEW3D_PT_voxel_carve_presets).draw_panel_header(self.layout)

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show objects and settings, the button, and below it all that comes and goes, so that the button stays."""
        layout, chosen = split_layout(self), target(context)
        expected = outlook(context, chosen.objects, chosen.settings)
        if chosen.result is None:
            _draw_objects(layout, scene_settings(context), chosen.objects)
        else:
            _draw_recipe_objects(layout, chosen)
        _draw_tool(layout, context, chosen.settings, expected)
        _draw_voxels(layout, context, chosen.settings, expected)
        draw_result(layout.column(), chosen.settings)
        job = running_job()
        if job and not job.preemptible:
            draw_job(layout, job)
            return
        _draw_button(layout, context, chosen)
        if job:
            draw_job(layout, job)
        compiled = compiling_part()
        if compiled is not None:
            layout.progress(factor=compiled, text=interface_text("Preparing, First Use Only"))
        if chosen.result is None:
            _draw_what_is_carved(layout, context, chosen.objects)
        else:
            draw_state(layout, context, chosen.result)
        _draw_outlook(layout, context, chosen.settings, expected)
        if scene_settings(context).show_overlay and overlay_message():
            draw_sentence(layout, context, overlay_message(), "INFO")


def draw_job(layout: bpy.types.UILayout, job: RunningJob[Any]) -> None:
    """Show the progress of a job, and the button that cancels it."""
    left = ""
    if job.remaining is not None:
        left = ", " + interface_text("{time} left").format(time=seconds_text(job.remaining))
    row = layout.row(align=True)
    row.scale_y = 1.6
    row.progress(factor=job.fraction, text=f"{interface_text(job.stage)}{left}")
    row.operator("wm.voxel_carve_cancel", text="", icon="CANCEL")


def _draw_button(layout: bpy.types.UILayout, context: bpy.types.Context, chosen: Target) -> None:
    """Show Carve, or Update for a result."""
    button = layout.column()
    button.scale_y = 1.6
    if chosen.result is None:
        button.operator("object.voxel_carve", text="Carve", icon="MOD_BOOLEAN")
        return
    count = len(chosen_results(context, all_selected=True))
    text = interface_text("Update {count} Results").format(count=count) if count > 1 else "Update"
    cast(Any, button.operator("object.voxel_carve_update", text=text, icon="FILE_REFRESH")).all_selected = count > 1


def _draw_what_is_carved(layout: bpy.types.UILayout, context: bpy.types.Context, objects: Selection) -> None:
    """Show why Carve cannot start, or that it would carve a result once more."""
    refusal = carve_refusal(context)
    if refusal:
        _draw_refusal(layout, context, refusal)
        return
    results = [obj.name for obj in objects.stocks if is_recipe(obj)]
    if results:
        sentence = interface_text("Carves the result '{name}' itself, along the other paths")
        draw_sentence(layout, context, sentence.format(name=results[0]), "INFO")
        layout.operator("object.voxel_carve_recipe_add", icon="ADD")
        return
    for volume in filter(is_volume_result, objects.stocks):
        draw_sentence(layout, context, Sentence(VOLUME_AGAIN, name=volume.name), "INFO")


def draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, result: bpy.types.Object) -> None:
    """Show why a result does not show its inputs, if it does not."""
    ask(result)
    message = told(message_of(result))
    if message:
        column = layout.column()
        column.alert = True
        what, _, remedy = message.partition(": ")
        draw_sentence(column, context, what, "ERROR")
        if remedy:
            draw_sentence(column, context, remedy, "BLANK1")
    elif not shown_fingerprint(result):
        layout.label(text=interface_text("Preview"), icon="TIME", translate=False)
    elif is_outdated(result) or deleted_paths(result):
        layout.label(text=interface_text("Out of Date"), icon="INFO", translate=False)


def _draw_objects(layout: bpy.types.UILayout, settings: VoxelCarveSettings, found: Selection) -> None:
    column = layout.column()
    column.prop(settings, "stock")
    if not settings.stock:
        draw_note(column, _names(found.stocks, interface_text("{count} Meshes: {first}, …")))
    collection = column.row()
    collection.active = not len(cast(Any, settings).paths)  # a list of paths comes first
    collection.prop(settings, "path_collection")
    draw_note(column, _names(found.paths, interface_text("{count} Paths: {first}, …")))


def _draw_recipe_objects(layout: bpy.types.UILayout, chosen: Target) -> None:
    """Show what a result is made from, in as many lines as the objects of a new carve take."""
    column, result = layout.column(), cast(bpy.types.Object, chosen.result)
    column.prop(chosen.settings, "stock")
    draw_note(column, f"→ {result.name}")
    split = column.split(factor=0.4)
    left = split.row()
    left.alignment = "RIGHT"
    left.label(text=interface_text("Paths"), translate=False)
    deleted, paths = deleted_paths(result), chosen.objects.paths
    if not deleted:
        split.label(text=f"{len(paths):,}" if paths else interface_text("None Selected"), translate=False)
        draw_note(column, paths[0].name + (", …" if len(paths) > 1 else "") if paths else "")
        return
    count = len(cast(Any, recipe_of(result)).paths)
    text = interface_text("{count} of {all}").format(count=count - len(deleted), all=count)
    split.label(text=text, translate=False)
    names = ", ".join(f"'{name}'" for name in deleted if name)
    draw_note(
        column, interface_text("Deleted: {names}").format(names=names) if names else interface_text("Some Deleted")
    )


def _names(objs: tuple[bpy.types.Object, ...], several: str) -> str:
    """The name of a single object, or the number of objects and the name of the first."""
    if not objs:
        return interface_text("None Selected")
    return objs[0].name if len(objs) == 1 else several.format(count=len(objs), first=objs[0].name)


def _draw_tool(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: CarveSettings, expected: Outlook
) -> None:
    column = layout.column()
    draw_radius(column, settings)
    if settings.radius_mode != "VALUE":
        draw_note(column, _range_text(context.scene, expected.radii) if expected.radii and context.scene else "")


def _draw_voxels(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: CarveSettings, expected: Outlook
) -> None:
    column = layout.column()
    draw_voxels(column, settings)
    note = ""
    if settings.size_mode != "SIZE" and expected.voxel_sizes and context.scene:
        note = f"{interface_text('Voxel Size')} {_range_text(context.scene, expected.voxel_sizes)}"
    elif settings.size_mode == "SIZE" and expected.resolution:
        note = f"{interface_text('Resolution')} {expected.resolution:,}"
    draw_note(column, note)


def _draw_outlook(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: CarveSettings, expected: Outlook
) -> None:
    """Show grid, memory, time and faces; in red why the job would be refused, and what it would not cut."""
    box = layout.box().column(align=True)
    if not expected.voxels:
        for _ in range(LEAST_LINES):  # so that the panels below stay where they are
            box.label(text="")
    else:
        x, y, z = expected.voxels
        box.label(text=f"{x:,} × {y:,} × {z:,} {interface_text('Voxels')}", icon="MESH_GRID")
        figures = box.row()
        figures.alert = expected.memory > expected.allowed
        figure = _figures(memory_texts(expected.memory, expected.allowed)[0], expected.seconds)
        text = interface_text("About {figures}").format(figures=figure)
        figures.label(text=text, icon="BLANK1")
        if expected.faces:
            _draw_faces(box, context, settings, expected.faces)
            _draw_openings(box, context, settings, expected.faces)
    more = len(expected.warnings) - MOST_WARNINGS
    for sentence in (*expected.refusals, *expected.warnings[:MOST_WARNINGS]):
        alert = box.column()
        alert.alert = True
        draw_sentence(alert, context, sentence, "ERROR")
    if more > 0:
        box.label(text=interface_text("and {count} more").format(count=more), icon="BLANK1", translate=False)
    for sentence in expected.cautions:
        draw_sentence(box, context, sentence, "INFO")
    if expected.fitting and context.scene:
        _draw_fitting(box, context.scene, settings, expected.fitting)


def _draw_fitting(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, settings: CarveSettings, fitting: Fitting
) -> None:
    """Show a button that makes the voxels small enough for the radius, and what that costs."""
    row = layout.row()
    size = f"{fitting.resolution:,}" if settings.size_mode != "SIZE" else length_text(scene, fitting.voxel_size)
    text = interface_text("Use {value}").format(value=size)
    button = cast(Any, row.operator("scene.voxel_carve_fit_voxels", text=text))
    button.resolution, button.voxel_size = fitting.resolution, fitting.voxel_size
    figures = _figures(memory_texts(fitting.memory)[0], fitting.seconds)
    row.label(text=interface_text("About {figures}").format(figures=figures), translate=False)


def _figures(memory: str, seconds: tuple[float, float] | None) -> str:
    if seconds is None:
        return memory
    low, high = seconds_texts(*seconds)
    return (
        f"{memory}, {low}"
        if low == high
        else f"{memory}, {interface_text('{low} to {high}').format(low=low, high=high)}"
    )


def _draw_faces(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: CarveSettings, faces: FaceForecast
) -> None:
    """Show how many faces to expect, and a button for Keep Stock where it would give far fewer."""
    count = {"REMESH": faces.remeshed, "KEEP": faces.kept}.get(settings.result)
    if count is None:
        return
    merges = settings.adaptivity > 0 or settings.tolerance > 0
    text = interface_text("At most {count} faces" if merges else "About {count} faces")
    layout.label(text=text.format(count=f"{rounded(count):,}"), icon="BLANK1", translate=False)
    if settings.result == "REMESH" and not merges and faces.suggests_keeping and faces.kept:
        sentence = interface_text("Keep Stock would give about {count}, and leave flat faces whole")
        draw_sentence(layout, context, sentence.format(count=f"{rounded(faces.kept):,}"), "INFO")
        button = layout.row()
        button.use_property_split = False
        button.prop_enum(settings, "result", "KEEP")


def _draw_openings(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: CarveSettings, faces: FaceForecast
) -> None:
    """Show what each open stock is taken for."""
    for name, openings in faces.openings.items():
        if openings.holes == 0:
            continue
        is_sheet = settings.open_stock == "SHEET" or (settings.open_stock == "AUTOMATIC" and openings.is_sheet)
        if is_sheet:
            text = interface_text("{name}: a sheet, solid behind its faces")
        elif settings.result == "KEEP":
            one, many = "{name}: a hole, which stays", "{name}: {count} holes, which stay"
            text = interface_text(one if openings.holes == 1 else many)
        else:
            one, many = "{name}: a hole, to be filled", "{name}: {count} holes, to be filled"
            text = interface_text(one if openings.holes == 1 else many)
        draw_sentence(layout, context, text.format(name=name, count=openings.holes), "BLANK1")


def _draw_refusal(layout: bpy.types.UILayout, context: bpy.types.Context, refusal: str) -> None:
    """Show the problem, and below it the remedy."""
    what, _, remedy = told(refusal).partition(": ")
    draw_sentence(layout, context, what, "INFO")
    if remedy:
        draw_sentence(layout, context, remedy, "BLANK1")


def _range_text(scene: bpy.types.Scene, lengths: tuple[float, float]) -> str:
    """One length, or two if they differ."""
    low, high = (length_text(scene, length) for length in lengths)
    return low if low == high else interface_text("{low} to {high}").format(low=low, high=high)
