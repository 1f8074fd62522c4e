"""Keep a result at every frame."""

from typing import cast

import bpy

from ..compute import InputError
from ..recipes.recipe import is_recipe
from .jobs.baking import read_bake_job
from .jobs.job import Job
from .jobs.selection import active_object
from .jobs.voxel_operator import VoxelOperator


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

    @classmethod
    def refusal(cls, context: bpy.types.Context) -> str | None:
        """Say whether there is a result to bake."""
        return None if is_recipe(active_object(context)) else "No recipe: make the result of a carve active"

    def read(self, context: bpy.types.Context) -> Job[None]:
        """Find the frames."""
        scene, is_given = cast(bpy.types.Scene, context.scene), self.properties.is_property_set
        if not is_given("use_scene_range"):
            self.use_scene_range = not (is_given("frame_start") or is_given("frame_end"))
        for name in ("frame_start", "frame_end"):
            if self.use_scene_range or not is_given(name):
                setattr(self, name, getattr(scene, name))
        frames = range(self.frame_start, self.frame_end + 1, self.frame_step)
        if not frames:
            raise InputError(f"no frames from {self.frame_start} to {self.frame_end}: choose a later end")
        return read_bake_job(context, cast(bpy.types.Object, active_object(context)), frames)

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show the range of frames."""
        layout = cast(bpy.types.UILayout, self.layout)
        layout.use_property_split = True
        layout.prop(self, "use_scene_range")
        column = layout.column(align=True)
        column.active = not self.use_scene_range
        for name in ("frame_start", "frame_end"):
            column.prop(self, name)
        layout.prop(self, "frame_step")
