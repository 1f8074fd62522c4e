"""What the operators share: how a job is started, how it goes on beside the user's work, and how its end is told."""

from typing import TYPE_CHECKING, Any, cast

import bpy

from ...backend_status import capitalized
from ...compute import CarveCancelled, CarveError
from ...printing import printable
from ...settings import take_settings
from ...translations import report_text
from .job import Job, Outcome
from .progress import progress_text, redraw_sidebars, show_running, shown_progress
from .running import RunningJob, busy_job, directly, is_rendering, make_way
from .selection import select_again, selection_text

if TYPE_CHECKING:
    OperatorBase = bpy.types.Operator
else:
    OperatorBase = object  # Blender wants its own class last among the bases, and once

# Seconds between two looks at a job that runs, and at least between two pictures of it.
LOOK_EVERY, SHOW_EVERY = 0.05, 0.5


class VoxelOperator(OperatorBase):
    """Base of operators whose work is one job: `read` makes it, `refusal` says why it cannot start.

    From a button or a menu the job runs on a thread of its own, and Blender stays at hand; from a script, in the
    background and when it is redone, Blender waits for it.
    """

    subject: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Subject", description="What was selected when the job was started", options={"HIDDEN", "SKIP_SAVE"}
    )

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Why the job cannot start, for the user; None where it can."""
        raise NotImplementedError

    def read(self, context: bpy.types.Context) -> Job[Any]:
        """Read what the job is about; raise CarveError where that cannot be."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether the job can start; says why not."""
        refusal = busy_refusal() or cls.refusal(context)
        if refusal:
            cls.poll_message_set(report_text(refusal))
        return refusal is None

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Run the job, and report what came of it."""
        make_way()
        if self.options.is_repeat and self.subject:
            # What the job was about: meanwhile the user may have selected something else.
            select_again(context, self.subject)
        take_settings(self, context)
        try:
            with shown_progress(context) as progress:
                job = self.read(context)
                try:
                    outcomes = job.write(context, job.compute(progress, directly))
                finally:
                    job.close()
        except (CarveError, MemoryError) as error:
            return self._refused(error)
        return self._finished(outcomes)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        """Start the job on a thread of its own, where there is a window to come back to."""
        window, manager = context.window, context.window_manager
        if bpy.app.background or window is None or manager is None:
            return self.execute(context)
        make_way()
        take_settings(self, context)
        try:
            self._job = self.read(context)
        except (CarveError, MemoryError) as error:
            return self._refused(error)
        self.subject = selection_text(context)
        self._running = RunningJob(self._job.compute, self._job.close)
        self._shown, self._shown_at, self._workspaces = "", 0.0, set[int]()
        self._mode, self._timer = context.mode, manager.event_timer_add(LOOK_EVERY, window=window)
        manager.modal_handler_add(cast(bpy.types.Operator, self))
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        """Look after the job; all else passes by."""
        running = self._running
        # Nothing may be asked of the scene then, nor written into it.
        if is_rendering():
            return {"PASS_THROUGH"}
        if running.is_cancelled or (event.type == "ESC" and event.value == "PRESS"):
            self.cancel(context)
            return self._refused(CarveCancelled())
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        done = running.is_done()
        if done and _is_busy(context, self._mode):
            done, running.stage = False, "Done: waits until you leave the mode, or end the transform"
        if not done:
            self._show(context)
            return {"PASS_THROUGH"}
        try:
            outcomes = self._job.write(context, running.result())
        except (CarveError, MemoryError) as error:
            return self._refused(error)
        finally:
            try:
                running.end()
            finally:
                self._leave(context)
        return self._finished(outcomes)

    def cancel(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Let go of the job. Blender calls this where it ends the operator itself, as when its window closes."""
        try:
            self._running.cancel()
        finally:
            self._leave(context)

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the properties in the redo panel."""
        layout = cast(bpy.types.UILayout, self.layout)
        layout.use_property_split = True
        properties = self.properties
        hidden = {"rna_type", {"RESOLUTION": "voxel_size", "SIZE": "resolution"}[properties.size_mode]}
        if getattr(properties, "radius_mode", "VALUE") == "CURVE":
            hidden.add("radius")
        for prop in properties.bl_rna.properties:
            if prop.identifier == "cut_material":
                layout.prop_search(self, "cut_material", bpy.data, "materials")
            elif prop.identifier not in hidden and not prop.is_hidden:
                layout.prop(self, prop.identifier)

    def _show(self, context: bpy.types.Context) -> None:
        """Show how far the job is, where that is news: drawing takes time from the user."""
        text = progress_text(self._running)
        if text != self._shown and self._running.elapsed > self._shown_at + SHOW_EVERY:
            self._shown, self._shown_at = text, self._running.elapsed
            show_running(context, text)
            # Each keeps its text, also where another is shown by and by.
            self._workspaces.add(cast(bpy.types.WorkSpace, context.workspace).session_uid)

    def _leave(self, context: bpy.types.Context) -> None:
        cast(bpy.types.WindowManager, context.window_manager).event_timer_remove(self._timer)
        for workspace in bpy.data.workspaces:
            if workspace.session_uid in self._workspaces:
                cast(Any, workspace).status_text_set(None)
        redraw_sidebars(context)

    def _refused(self, error: CarveError | MemoryError) -> set[str]:
        if isinstance(error, CarveCancelled):
            self.report({"INFO"}, "Cancelled: nothing was changed")
        elif isinstance(error, CarveError):
            self.report({"ERROR"}, printable(capitalized(str(error))))
        else:
            self.report({"ERROR"}, "Out of memory: use larger voxels, or set a memory limit in the preferences")
        return {"CANCELLED"}

    def _finished(self, outcomes: list[Outcome]) -> set[str]:
        # The status bar shows what was said last: what to look at counts more than what was done.
        for outcome in outcomes:
            self.report({"INFO"}, printable(outcome.message))
        for outcome in outcomes:
            for warning in outcome.warnings:
                self.report({"WARNING"}, printable(capitalized(warning)))
        return {"FINISHED"}


def busy_refusal() -> str | None:
    """Why no job can start now, whatever it is about."""
    if busy_job():
        return "Another job is running: wait for it, or cancel it"
    return "A render is running: wait for it, or cancel it" if is_rendering() else None


def _is_busy(context: bpy.types.Context, mode: str) -> bool:
    """Whether the user is in the middle of what a new object would disturb: another mode, or a transform."""
    window = cast(bpy.types.Window, context.window)
    return context.mode not in ("OBJECT", mode) or any(
        operator.bl_idname.startswith(("TRANSFORM_OT", "OBJECT_OT_duplicate_move"))
        for operator in window.modal_operators
    )
