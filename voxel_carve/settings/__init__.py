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
    choose_resolution,
    choose_size,
    scene_settings,
    take_settings,
)
from .voxel_sizes import LARGEST_RESOLUTION, MOST_RESOLUTION, USUAL_RESOLUTION, chosen_voxel_size, fitting_voxel_size

__all__ = [
    "AUTOMATIC_RADIUS",
    "LARGEST_RESOLUTION",
    "MESHES",
    "MOST_RESOLUTION",
    "OPERATIONS",
    "OWN_BACKENDS",
    "USUAL_RESOLUTION",
    "CarveProperties",
    "Item",
    "MaterialName",
    "Own",
    "PathProperties",
    "VoxelCarvePath",
    "VoxelCarveSettings",
    "VoxelProperties",
    "backend_choices",
    "choose_resolution",
    "choose_size",
    "chosen_voxel_size",
    "fitting_voxel_size",
    "give_own",
    "keep_backend_name",
    "own_of",
    "scene_settings",
    "take_settings",
]
