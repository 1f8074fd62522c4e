"""The settings of a carve: their properties, and how they are laid out."""

from .operations import OPERATIONS
from .path_items import Own, PathProperties, VoxelCarvePath, give_own, own_of
from .properties import (
    AUTOMATIC_RADIUS,
    BACKENDS,
    MESHES,
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
    "MESHES",
    "OPERATIONS",
    "CarveProperties",
    "MaterialName",
    "Own",
    "PathProperties",
    "VoxelCarvePath",
    "VoxelCarveSettings",
    "VoxelProperties",
    "give_own",
    "own_of",
    "scene_settings",
    "take_settings",
]
