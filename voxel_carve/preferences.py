"""The preferences of the extension. A checkout that is not installed as an extension has none and uses the defaults."""

from dataclasses import dataclass
from typing import Any, cast

import bpy

from .backend_status import TITLES, cuda_devices, in_words, kernel_bytes, known_status, outside_backends
from .compute import BackendError
from .compute.runtime import cache_folder
from .settings import OWN_BACKENDS, Item, backend_choices, keep_backend_name
from .translations import interface_text
from .translations.telling import told

# The extension's own package: this one's parent, as in bl_ext.user_default.voxel_carve. Empty in a checkout.
EXTENSION = (__package__ or "").rpartition(".")[0]

AUTOMATIC: Item = ("AUTO", "Automatic", "The fastest one that works here", "NONE", 0)
EVERY_DEVICE = ("AUTO", "All", "Share the work between all CUDA devices")

MANUAL_ENTRY = "OBJECT_MT_voxel_carve"  # the name in the manual map that leads to its first page

# Blender shows these items but keeps no reference to them.
_device_items: list[tuple[str, str, str]] = []


@dataclass(frozen=True)
class Limits:
    """What a job may use.

    Attributes:
        backend: name for `get_backend`; None lets it choose.
        memory_limit: in bytes; None is half of the free memory.
        use_process: whether a carve runs in a separate process.
    """

    backend: str | None = None
    memory_limit: int | None = None
    use_process: bool = False


class VoxelCarvePreferences(bpy.types.AddonPreferences):
    """Settings shared by all scenes: backend, memory and kernels."""

    bl_idname = EXTENSION

    def _items_of_device(self, context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
        known = [(alias, f"{name} ({alias})", "Compute on this device alone") for alias, name, _ in cuda_devices()]
        chosen = self.device_alias
        if chosen not in ("AUTO", *(alias for alias, _, _ in known)):
            known.append((chosen, chosen, "Chosen before; Check shows whether it is there"))
        _device_items[:] = [EVERY_DEVICE, *known]
        return _device_items

    def _get_device(self) -> int:
        aliases = [alias for alias, _, _ in self._items_of_device(None)]
        return aliases.index(self.device_alias)

    def _set_device(self, number: int) -> None:
        self.device_alias = self._items_of_device(None)[number][0]

    backend_name: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Name of the Backend",
        description="The backend of another package, as it was chosen; empty for the extension's own",
        options={"HIDDEN"},
    )
    backend: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Backend",
        description="What computes where a scene leaves it to the preferences. Every backend gives the same result",
        items=backend_choices(AUTOMATIC),
        default=0,
        update=keep_backend_name,
    )
    device: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="CUDA Device",
        description="Which NVIDIA GPU computes, where the backend is CUDA. Check lists those that are there",
        items=_items_of_device,
        get=_get_device,
        set=_set_device,
    )
    device_alias: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Device Alias", description="The device by Warp's name", default="AUTO", options={"HIDDEN"}
    )
    memory_limit: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Memory Limit (GiB)",
        description="Refuse jobs that would take more memory than this, before they begin. "
        "0 is half of the memory that is free",
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
        """Show the settings, what Automatic has chosen, and the compiled kernels."""
        layout: Any = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(self, "backend")
        device = column.column()
        device.active = self.backend in ("AUTO", "CUDA")
        device.prop(self, "device")
        _draw_status(column, _backend_name(self, "AUTO"))
        _draw_backends(column, self)
        column.separator()
        column.prop(self, "memory_limit")
        column.prop(self, "use_process")
        column.separator()
        _draw_kernels(column)
        column.separator()
        manual = _line(column, "").operator("wm.doc_view_manual", text="Open the Manual", icon="HELP")
        manual.doc_id = MANUAL_ENTRY
        _line(column, "").operator("wm.voxel_carve_copy_diagnostics", icon="COPYDOWN")


def preferences_of(context: bpy.types.Context) -> VoxelCarvePreferences | None:
    """The preferences; None in a checkout, and before Blender has made them."""
    addon = context.preferences.addons.get(EXTENSION) if EXTENSION and context.preferences else None
    return cast(Any, addon.preferences) if addon else None


def limits(context: bpy.types.Context, backend: str = "AUTO") -> Limits:
    """The limits of a job whose scene or operator has this `backend` setting."""
    preferences = preferences_of(context)
    if preferences is None:
        return Limits(None if backend == "AUTO" else backend.lower())
    memory_limit = int(preferences.memory_limit * 2**30) or None
    return Limits(_backend_name(preferences, backend), memory_limit, preferences.use_process)


def _backend_name(preferences: VoxelCarvePreferences, backend: str) -> str | None:
    """The name for `get_backend` of the backend setting of a scene, an operator or the preferences themselves."""
    if backend == "AUTO":
        backend = preferences.backend
    if backend == "CUDA" and preferences.device not in ("", "AUTO"):
        return str(preferences.device)
    return None if backend == "AUTO" else str(backend.lower())


def _draw_status(layout: Any, name: str | None) -> None:
    """Show the outcome of the last check, and the button for the next one."""
    status = known_status(name)
    failed = status is not None and not status.name
    line = _line(layout, "Runs on")
    line.label(
        text=told(in_words(status)) if status else interface_text("Not Checked Yet"), icon="ERROR" if failed else "NONE"
    )
    line.operator("wm.voxel_carve_check_backend", text="Check", icon="FILE_REFRESH")
    for note in status.notes if status else ():
        _line(layout, "").label(text=told(note), icon="INFO")


def _draw_backends(layout: Any, preferences: VoxelCarvePreferences) -> None:
    """Show what is known of each backend, with why one does not work, and the button that tries it.

    The one that was chosen works, whether or not it was tried by its own name.
    """
    chosen = known_status(_backend_name(preferences, "AUTO"))
    for name in (*(item[0].lower() for item in OWN_BACKENDS), *outside_backends()):
        status = known_status(_backend_name(preferences, name.upper()))
        if status is None and chosen is not None and chosen.name == name:
            status = chosen
        line = _line(layout, TITLES.get(name, name))
        if status is None:
            line.label(text=interface_text("Not Checked Yet"))
        else:
            line.label(
                text=told(in_words(status) if status.name else status.notes[0]), icon="NONE" if status.name else "ERROR"
            )
        line.operator("wm.voxel_carve_check_backend", text="Check", icon="FILE_REFRESH").backend = name.upper()


def _draw_kernels(layout: Any) -> None:
    """Show the folder and size of the compiled kernels, and the button that deletes them."""
    line = _line(layout, "Compiled Kernels")
    try:
        folder, size = cache_folder(), kernel_bytes()
    except BackendError as error:
        line.label(text=told(error), icon="ERROR")
        return
    line.label(text=f"{size / 2**20:.0f} MiB")
    line.operator("wm.voxel_carve_clear_kernels", text="Clear", icon="TRASH")
    _line(layout, "").label(text=str(folder))


def _line(layout: Any, name: str) -> Any:
    """A row in the value column of `use_property_split`, with a label in its label column."""
    split = layout.split(factor=0.4)
    left = split.row()
    left.alignment = "RIGHT"
    left.label(text=interface_text(name))
    return split.row()
