"""The settings of a carve: their properties, and how they are laid out."""

from .properties import (
    AUTOMATIC_RADIUS,
    BACKENDS,
    OPERATIONS,
    CarveProperties,
    MaterialName,
    VoxelCarveSettings,
    VoxelProperties,
    scene_settings,
    take_settings,
)

__all__ = [
    "AUTOMATIC_RADIUS",
    "BACKENDS",
    "OPERATIONS",
    "CarveProperties",
    "MaterialName",
    "VoxelCarveSettings",
    "VoxelProperties",
    "scene_settings",
    "take_settings",
]
