"""A part as milled: the stock's own faces are kept, and the cut is measured."""

import bpy

settings = bpy.context.scene.voxel_carve

settings.size_mode = "RESOLUTION"
settings.resolution = 512
settings.operation = "SUBTRACT"
settings.result = "KEEP"
settings.adaptivity = 0.02
settings.tolerance = 0.0
settings.shade_smooth = False
settings.transfer_attributes = True
settings.custom_normals = True
settings.verify = True
