"""Benchmarks of Voxel Carve against OpenVDB, in Blender and alone: cases, peers, measurements and tables."""
