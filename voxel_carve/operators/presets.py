"""Presets of the settings, kept by Blender as it keeps its own."""

from typing import Any, cast

import bpy
from bl_operators.presets import AddPresetBase

from ..settings import VoxelCarveSettings

# The folder of these presets in each folder of presets.
PRESET_FOLDER = "voxel_carve"
# Shown or not, it makes no other result.
DISPLAY = {"show_overlay"}


def preset_properties() -> list[str]:
    """The names of the settings that a preset keeps: how something is done, and not to which objects."""
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
        """What is written, as Blender's base wants it."""
        return [f"settings.{name}" for name in preset_properties()]
