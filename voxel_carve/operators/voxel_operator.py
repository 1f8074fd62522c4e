"""What the operators share: how a job is started, and how its end is told."""

from typing import TYPE_CHECKING, cast

import bpy

from ..compute import CarveCancelled, CarveError, Progress
from ..settings import take_settings
from .job import Outcome
from .progress import shown_progress

if TYPE_CHECKING:
    OperatorBase = bpy.types.Operator
else:
    OperatorBase = object  # Blender wants its own class last among the bases, and once


class VoxelOperator(OperatorBase):
    """Base of operators whose work is one job: `job` does it, `refusal` says why it cannot start."""

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Why the job cannot start, for the user; None where it can."""
        raise NotImplementedError

    def job(self, context: bpy.types.Context, progress: Progress) -> list[Outcome]:
        """Do the work; raise CarveError before anything is changed."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:  # type: ignore[override]
        """Whether the job can start; says why not."""
        refusal = cls.refusal(context)
        if refusal:
            cls.poll_message_set(refusal)
        return refusal is None

    def execute(self, context: bpy.types.Context) -> set[str]:  # type: ignore[override]
        """Run the job, and report what came of it."""
        take_settings(self, context)
        try:
            with shown_progress(context) as progress:
                outcomes = self.job(context, progress)
        except CarveCancelled:
            self.report({"INFO"}, "Cancelled: nothing was changed")
            return {"CANCELLED"}
        except CarveError as error:
            text = str(error)
            self.report({"ERROR"}, text[:1].upper() + text[1:])
            return {"CANCELLED"}
        for outcome in outcomes:
            for warning in outcome.warnings:
                self.report({"WARNING"}, warning[:1].upper() + warning[1:])
            self.report({"INFO"}, outcome.message)
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the properties in the redo panel."""
        layout = cast(bpy.types.UILayout, self.layout)
        layout.use_property_split = True
        shown = {"RESOLUTION": "resolution", "SIZE": "voxel_size"}[self.properties.size_mode]
        for prop in self.properties.bl_rna.properties:
            if prop.identifier not in {"rna_type", "resolution", "voxel_size"} or prop.identifier == shown:
                layout.prop(self, prop.identifier)
