"""A quick look: coarse voxels, nothing carried over."""

import bpy

settings = bpy.context.scene.voxel_carve

settings.size_mode = "RESOLUTION"
settings.resolution = 64
settings.result = "REMESH"
settings.adaptivity = 0.0
settings.tolerance = 0.0
settings.shade_smooth = True
settings.transfer_attributes = False
settings.custom_normals = False
settings.verify = False
