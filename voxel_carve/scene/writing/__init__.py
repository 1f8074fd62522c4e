"""Arrays to Blender objects."""
