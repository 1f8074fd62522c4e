"""Keep a result at every frame."""

import textwrap
from typing import Any, cast

import bpy

from ..compute import InputError
from ..recipes.animation import animated_names
from ..scene.writing.reports import object_report
from ..translations import interface_text
from .jobs.baking import read_bake_job
from .jobs.job import Job
from .jobs.progress import seconds_text
from .jobs.voxel_operator import VoxelOperator
from .selection.target import chosen_results, recipe_refusal

RANGE = ("use_scene_range", "frame_start", "frame_end", "frame_step")
# The width of the dialog in pixels, letters in a line of it, and names of animated things that it shows.
DIALOG_WIDTH, LINE_LETTERS, MOST_NAMES = 360, 48, 8


class OBJECT_OT_voxel_carve_bake(VoxelOperator, bpy.types.Operator):  # noqa: N801 - Blender's naming
    """Carve the active result at every frame, and keep each as an object that is visible at its frame only.

    The frames become objects and not a cache such as Alembic's. A carved mesh has different vertices and faces at every
    frame, so shape keys cannot hold it, and a cache file would lose materials, modifiers and attributes. Objects stay
    in the .blend, render without this extension, and can be edited.
    """

    bl_idname = "object.voxel_carve_bake"
    bl_label = "Bake Frames"
    bl_description = "Carve the active result at every frame, and keep each in an object that is seen at its frame only"
    bl_options = {"REGISTER", "UNDO"}

    use_scene_range: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Frames of the Scene",
        description="Bake from the first to the last frame of the scene, instead of Start to End",
        default=True,
        options={"SKIP_SAVE"},
    )
    frame_start: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Start", description="First frame", default=1, options={"SKIP_SAVE"}
    )
    frame_end: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="End", description="Last frame", default=250, options={"SKIP_SAVE"}
    )
    frame_step: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Step", description="Frames from one object to the next", default=1, min=1, options={"SKIP_SAVE"}
    )
    is_confirmed: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Confirmed", description="Whether the user was asked", options={"HIDDEN", "SKIP_SAVE"}
    )
    # What the dialog names as animated; None where there is no dialog.
    _animated: list[str] | None = None

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say whether there is a result to bake."""
        return recipe_refusal(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        """Ask first, if there is a window."""
        window, manager = context.window, context.window_manager
        if self.is_confirmed or bpy.app.background or window is None or manager is None:
            return super().invoke(context, event)
        self._take_missing(cast(bpy.types.Scene, context.scene))
        self._animated = animated_names(chosen_results(context)[0])
        confirm = interface_text("Bake")
        return set(manager.invoke_props_dialog(cast(Any, self), width=DIALOG_WIDTH, confirm_text=confirm))

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Bake, and wait for it; from the dialog, start the job in the background."""
        if self._animated is None:
            return super().execute(context)
        # A dialog ends with this call, and an operator cannot go on after it. So another one does the work.
        given = {name: getattr(self, name) for name in RANGE}
        cast(Any, bpy.ops.object).voxel_carve_bake("INVOKE_DEFAULT", is_confirmed=True, **given)
        return {"CANCELLED"}  # only the other one is an undo step

    def read(self, context: bpy.types.Context) -> Job[None]:
        """Find the frames."""
        self._take_missing(cast(bpy.types.Scene, context.scene))
        frames = self._frames(cast(bpy.types.Scene, context.scene))
        if not frames:
            raise InputError(
                "no frames from {start} to {end}: choose a later end", start=self.frame_start, end=self.frame_end
            )
        return read_bake_job(context, chosen_results(context)[0], frames)

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the range of frames; in the dialog also what is animated, and how long it will take."""
        layout = cast(bpy.types.UILayout, self.layout)
        if self._animated is not None:
            self._draw_prospect(layout.column(align=True), context, self._animated)
            layout.separator()
        layout.use_property_split = True
        layout.prop(self, "use_scene_range")
        column = layout.column(align=True)
        column.active = not self.use_scene_range
        for name in ("frame_start", "frame_end"):
            column.prop(self, name)
        layout.prop(self, "frame_step")

    def _take_missing(self, scene: bpy.types.Scene) -> None:
        """Set the frames that were not given to those of the scene."""
        is_given = self.properties.is_property_set
        if not is_given("use_scene_range"):
            self.use_scene_range = not (is_given("frame_start") or is_given("frame_end"))
        for name in ("frame_start", "frame_end"):
            if self.use_scene_range or not is_given(name):
                setattr(self, name, getattr(scene, name))

    def _frames(self, scene: bpy.types.Scene) -> range:
        source = scene if self.use_scene_range else self
        return range(source.frame_start, source.frame_end + 1, self.frame_step)

    def _draw_prospect(self, layout: bpy.types.UILayout, context: bpy.types.Context, animated: list[str]) -> None:
        if animated:
            names = ", ".join(f"'{name}'" for name in animated[:MOST_NAMES])
            if len(animated) > MOST_NAMES:
                more = interface_text("{names} and {count} more")
                names = more.format(names=names, count=len(animated) - MOST_NAMES)
            lines = textwrap.wrap(interface_text("Animated: {names}").format(names=names), LINE_LETTERS)
        else:
            lines = [interface_text("Nothing is animated: all frames will be the same")]
        for number, line in enumerate(lines):
            layout.label(text=line, icon="BLANK1" if number else "ANIM" if animated else "INFO")
        frames = self._frames(cast(bpy.types.Scene, context.scene))
        text = interface_text("One frame" if len(frames) == 1 else "{count} frames").format(count=len(frames))
        report = object_report(chosen_results(context)[0])
        if report is not None and frames:
            seconds = report["seconds"]
            one = seconds.get("total", seconds["compute"]) - seconds.get("compile", 0.0)
            expected = interface_text("about {time} by the last carve")
            text += ", " + expected.format(time=seconds_text(len(frames) * one))
        layout.label(text=text, icon="TIME")
