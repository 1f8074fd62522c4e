"""Benchmarks of Voxel Carve against Blender's own SDF grid nodes: cases, peer, measurements and tables."""
