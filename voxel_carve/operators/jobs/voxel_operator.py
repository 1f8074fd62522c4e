"""The base of the operators: it starts a job, runs it in the background, and reports how it ended."""

from typing import TYPE_CHECKING, Any, cast

import bpy

from ...compute import CarveCancelled, CarveError, InputError
from ...compute.runtime import Sentence
from ...printing import printable
from ...settings import take_settings
from ...settings.layout import draw_voxels
from ...translations import report_text
from ...translations.telling import told
from ..selection.selected import context_refusal, may_run, select_again, selection_text
from .compiling import hurry
from .job import Job, Outcome
from .progress import progress_text, redraw_sidebars, show_running, shown_progress
from .running import RunningJob, blocking_job, call_directly, is_rendering, preempt

if TYPE_CHECKING:
    OperatorBase = bpy.types.Operator
else:
    OperatorBase = object  # Blender requires its own class to be the last base, and only once

# Seconds between two checks of a running job, and at least between two redraws of its progress.
LOOK_EVERY, SHOW_EVERY = 0.05, 0.5


class VoxelOperator(OperatorBase):
    """Base of operators that run one job: `read` makes it, `refusal` says why it cannot start.

    Started from a button or a menu, it is a modal operator: the job runs on a background thread, and Blender stays
    responsive. From a script, without a window and on redo, Blender waits for the job.
    """

    subject: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Subject", description="What was selected when the job was started", options={"HIDDEN", "SKIP_SAVE"}
    )

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Why the job cannot start, for the user; None if it can."""
        raise NotImplementedError

    def read(self, context: bpy.types.Context) -> Job[Any]:
        """Read the inputs of the job; raise CarveError if that is not possible."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether the job can start; sets the message if not.

        Blender shows the redo panel only where the operator could run again, and then selects what was selected before.
        """
        refusal = busy_refusal() or context_refusal(context)
        if refusal is None and not _was_run_last(cls, context):
            refusal = cls.refusal(context)
        return may_run(cls, refusal)

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Run the job, and report its outcome."""
        preempt()
        if self.options.is_repeat and self.subject:
            # Redo: the user may have selected other objects since.
            select_again(context, self.subject)
        take_settings(self, context)
        try:
            self._refuse_selection(context)
            with shown_progress(context) as progress:
                job = self.read(context)
                try:
                    outcomes = job.write(context, job.compute(progress, call_directly))
                finally:
                    job.close()
        except (CarveError, MemoryError) as error:
            return self._refused(error)
        return self._finished(outcomes)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        """Start the job on a background thread, if there is a window."""
        window, manager = context.window, context.window_manager
        if bpy.app.background or window is None or manager is None:
            return self.execute(context)
        preempt()
        take_settings(self, context)
        try:
            self._refuse_selection(context)
            self._job = self.read(context)
        except (CarveError, MemoryError) as error:
            return self._refused(error)
        self.subject = selection_text(context)
        hurry()
        self._running = RunningJob(self._job.compute, self._job.close)
        self._shown, self._shown_at, self._workspaces = "", 0.0, set[int]()
        self._mode, self._timer = context.mode, manager.event_timer_add(LOOK_EVERY, window=window)
        manager.modal_handler_add(cast(bpy.types.Operator, self))
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        """Check on the job at each timer event; pass all other events through."""
        running = self._running
        # While rendering, the scene may be neither read nor written.
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
        """Cancel the job. Blender calls this when it ends the operator itself, as when the window closes."""
        try:
            self._running.cancel()
        finally:
            self._leave(context)

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the properties in the redo panel."""
        layout = cast(bpy.types.UILayout, self.layout)
        layout.use_property_split = True
        properties = self.properties
        hidden = {"rna_type"}
        if hasattr(properties, "size_mode"):
            draw_voxels(layout, self)
            hidden |= {"size_mode", "resolution", "voxel_size"}
        if getattr(properties, "radius_mode", "VALUE") == "CURVE":
            hidden.add("radius")
        for prop in properties.bl_rna.properties:
            if prop.identifier == "cut_material":
                layout.prop_search(self, "cut_material", bpy.data, "materials")
            elif prop.identifier not in hidden and not prop.is_hidden:
                layout.prop(self, prop.identifier)

    def _refuse_selection(self, context: bpy.types.Context) -> None:
        """Raise InputError if the job cannot start: `poll` lets an operator run that ran last."""
        refusal = type(self).refusal(context)
        if refusal is not None:
            raise InputError(refusal)

    def _show(self, context: bpy.types.Context) -> None:
        """Show the progress if it has changed; redrawing takes time from the user."""
        text = progress_text(self._running)
        if text != self._shown and self._running.elapsed > self._shown_at + SHOW_EVERY:
            self._shown, self._shown_at = text, self._running.elapsed
            show_running(context, text)
            # Each workspace keeps its text, even after the user has switched to another.
            self._workspaces.add(cast(bpy.types.WorkSpace, context.workspace).session_uid)

    def _leave(self, context: bpy.types.Context) -> None:
        cast(bpy.types.WindowManager, context.window_manager).event_timer_remove(self._timer)
        for workspace in bpy.data.workspaces:
            if workspace.session_uid in self._workspaces:
                cast(Any, workspace).status_text_set(None)
        redraw_sidebars(context)

    def _refused(self, error: CarveError | MemoryError) -> set[str]:
        if isinstance(error, CarveCancelled):
            self.report({"INFO"}, printable(report_text("Cancelled: nothing was changed")))
        elif isinstance(error, CarveError):
            self.report({"ERROR"}, printable(told(error)))
        else:
            sentence = report_text("Out of memory: use larger voxels, or set a memory limit in the preferences")
            self.report({"ERROR"}, printable(sentence))
        return {"CANCELLED"}

    def _finished(self, outcomes: list[Outcome]) -> set[str]:
        # The status bar shows the last report alone. So warnings come after the messages, and the last one says the
        # change again.
        for outcome in outcomes:
            self.report({"INFO"}, printable(told(outcome.message)))
        for outcome in outcomes:
            warnings = list(outcome.warnings)
            if warnings and outcome.change:
                warnings[-1] = Sentence("{change}; {warning}", change=outcome.change, warning=warnings[-1])
            for warning in warnings:
                self.report({"WARNING"}, printable(told(warning)))
        return {"FINISHED"}


def busy_refusal() -> str | None:
    """Why no job at all can start now."""
    if blocking_job():
        return "Another job is running: wait for it, or cancel it"
    return "A render is running: wait for it, or cancel it" if is_rendering() else None


def _is_busy(context: bpy.types.Context, mode: str) -> bool:
    """Whether a new object would disturb the user, who is in another mode or in a transform."""
    window = cast(bpy.types.Window, context.window)
    return context.mode not in ("OBJECT", mode) or any(
        operator.bl_idname.startswith(("TRANSFORM_OT", "OBJECT_OT_duplicate_move"))
        for operator in window.modal_operators
    )


def _was_run_last(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Whether Blender would show the redo panel of an operator."""
    manager: Any = context.window_manager
    module, _, function = cast(Any, cls).bl_idname.partition(".")
    return bool(manager and manager.operators) and manager.operators[-1].bl_idname == f"{module.upper()}_OT_{function}"
