"""For renders: fine voxels, flat places merged."""

import bpy

settings = bpy.context.scene.voxel_carve

settings.size_mode = "RESOLUTION"
settings.resolution = 384
settings.result = "REMESH"
settings.adaptivity = 0.05
settings.tolerance = 0.0
settings.shade_smooth = True
settings.transfer_attributes = True
settings.custom_normals = True
settings.verify = False
