"""The settings of a carve: their properties, and how they are laid out."""

from .backends import OWN_BACKENDS, Item, backend_choices, keep_backend_name
from .operations import OPERATIONS
from .path_items import Own, PathProperties, VoxelCarvePath, give_own, own_of
from .properties import (
    AUTOMATIC_RADIUS,
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
    "MESHES",
    "OPERATIONS",
    "OWN_BACKENDS",
    "CarveProperties",
    "Item",
    "MaterialName",
    "Own",
    "PathProperties",
    "VoxelCarvePath",
    "VoxelCarveSettings",
    "VoxelProperties",
    "backend_choices",
    "give_own",
    "keep_backend_name",
    "own_of",
    "scene_settings",
    "take_settings",
]
