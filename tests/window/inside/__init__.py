"""Code that runs in Blender: drivers import from here the actions of a user and what the user sees."""
