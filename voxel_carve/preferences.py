"""The preferences of the extension. A checkout that is not installed as one has none, and the defaults hold."""

from dataclasses import dataclass
from typing import Any, cast

import bpy

from .settings import BACKENDS

# The extension's own package: this one's parent, as in bl_ext.user_default.voxel_carve. Empty in a checkout.
EXTENSION = (__package__ or "").rpartition(".")[0]


@dataclass(frozen=True)
class Limits:
    """What a job may use.

    Attributes:
        backend: name for `get_backend`; None lets it choose.
        memory_limit: in bytes; None is half of the free memory.
        use_process: whether a carve runs in a process of its own.
    """

    backend: str | None = None
    memory_limit: int | None = None
    use_process: bool = False


class VoxelCarvePreferences(bpy.types.AddonPreferences):
    """Backend and memory, for every scene."""

    bl_idname = EXTENSION

    backend: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Backend",
        description="What computes where a scene leaves it to the preferences",
        items=(("AUTO", "Automatic", "The fastest one that works here"), *BACKENDS[1:]),
        default="AUTO",
    )
    memory_limit: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Memory Limit (GiB)",
        description="Refuse jobs that would take more memory than this; 0 is half of the free memory",
        default=0.0,
        min=0.0,
        soft_max=256.0,
        precision=1,
    )

    use_process: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Compute in Another Process",
        description="Carve in a process of its own: a job that runs out of memory then ends without Blender, "
        "and starts a second later",
        default=False,
    )

    def draw(self, context: bpy.types.Context) -> None:  # type: ignore[override]
        """Show them."""
        layout: Any = self.layout
        layout.use_property_split = True
        layout.prop(self, "backend")
        layout.prop(self, "memory_limit")
        layout.prop(self, "use_process")


def limits(context: bpy.types.Context, backend: str = "AUTO") -> Limits:
    """What a job may use whose scene or operator asks for `backend`, by the name in the settings."""
    addon = context.preferences.addons.get(EXTENSION) if EXTENSION and context.preferences else None
    preferences = cast(Any, addon.preferences) if addon else None
    if backend == "AUTO" and preferences:
        backend = preferences.backend
    gibibytes = preferences.memory_limit if preferences else 0.0
    return Limits(
        backend=None if backend == "AUTO" else backend.lower(),
        memory_limit=int(gibibytes * 2**30) if gibibytes else None,
        use_process=bool(preferences and preferences.use_process),
    )
