"""Voxel Carve beside Blender's own SDF grid nodes: the cases, the peer, the measuring and the tables."""
