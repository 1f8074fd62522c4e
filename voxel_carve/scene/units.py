"""What Blender units are in meters."""

import bpy
import numpy as np


def meters_per_unit(scene: bpy.types.Scene) -> float:
    """The length of a Blender unit in meters, as the scene's Unit Scale has it; 1 without a unit system."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return 1.0
    # Blender keeps the scale as float32, whose shortest decimal is what the user gave.
    return float(str(np.float32(settings.scale_length)))
