"""Presets of the settings, managed by Blender like its own."""

from typing import Any, cast

import bpy
from bl_operators.presets import AddPresetBase

from ..settings import VoxelCarveSettings

# The subfolder of these presets in each preset folder.
PRESET_FOLDER = "voxel_carve"
# Settings that affect only the display, not the result.
DISPLAY = {"show_overlay", "path_index"}


def preset_properties() -> list[str]:
    """The names of the settings that a preset stores: how to carve, but not which objects."""
    return [
        prop.identifier
        for prop in cast(Any, VoxelCarveSettings).bl_rna.properties
        if prop.type not in {"POINTER", "COLLECTION"} and prop.identifier not in DISPLAY | {"name"}
    ]


class WM_OT_voxel_carve_preset_add(AddPresetBase, bpy.types.Operator):  # type: ignore[misc]  # noqa: N801
    """Add or remove a preset."""

    bl_idname = "wm.voxel_carve_preset_add"
    bl_label = "Add Voxel Carve Preset"
    bl_description = (
        "Add the settings of the panel as a preset, or remove a preset. It keeps all but Stock, Paths, "
        "Cut Material, and Grid and Sweep"
    )
    preset_menu = "VIEW3D_PT_voxel_carve_presets"
    preset_subdir = PRESET_FOLDER
    preset_defines = ["settings = bpy.context.scene.voxel_carve"]

    @property
    def preset_values(self) -> list[str]:
        """The values to store, in the form that Blender's base class requires."""
        return [f"settings.{name}" for name in preset_properties()]
