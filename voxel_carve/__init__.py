"""Carve the volume that a round tool sweeps along paths out of meshes, through voxels."""


def register() -> None:
    """Add settings, preferences, operators and panels to Blender."""
    from . import registration

    registration.register()


def unregister() -> None:
    """Remove what `register` added, in reverse order."""
    from . import registration

    registration.unregister()
