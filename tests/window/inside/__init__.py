"""What runs in Blender: drivers import from here what a user does and sees."""
