"""Blender objects to arrays and back."""
