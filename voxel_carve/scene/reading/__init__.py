"""Blender objects to arrays."""
