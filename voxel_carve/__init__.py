"""Carve the volume that a round tool sweeps along paths out of meshes, through voxels."""


def register() -> None:
    """Add settings, preferences, operators and panels to Blender."""
    from . import registration

    registration.register()


def unregister() -> None:
    """Take away what `register` added, in the opposite order."""
    from . import registration

    registration.unregister()
