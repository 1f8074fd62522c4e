"""Like cancel.py, with numba's compiled kernels, which are compiled first, while Blender waits."""

from importlib import import_module

from drivers.cancel import scenario


def steps():
    import_module("bl_ext.user_default.voxel_carve.voxel_carve.compute").get_backend("cpu")
    yield 1.0
    yield from scenario("CPU", segments=60_000, resolution=1000)
