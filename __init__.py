from .voxel_carve import register, unregister

__all__ = ["register", "unregister"]
