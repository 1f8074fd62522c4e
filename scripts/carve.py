"""The command line of Voxel Carve, in Blender or in a plain Python.

    blender -b [file.blend] --python scripts/carve.py -- --stock Part --path Tool --resolution 256 --output part.stl
    python scripts/carve.py --stock part.stl --path tool.csv --resolution 256 --output part.ply

In Blender the enabled extension does the work, otherwise the checkout with this script. `--help` lists the options.
"""

import importlib
import os
import sys

CHECKOUT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def package() -> str:
    """The name of the package: that of the enabled extension, else of the checkout."""
    bpy = sys.modules.get("bpy")
    enabled = bpy.context.preferences.addons.keys() if bpy else []
    for name in enabled:
        if name.startswith("bl_ext.") and name.endswith(".voxel_carve"):
            return f"{name}.voxel_carve"
    sys.path.insert(0, CHECKOUT)
    return "voxel_carve"


def arguments() -> list[str]:
    """Our arguments: in Blender those after `--`, because it reads the others itself."""
    if os.path.realpath(sys.argv[0]) == os.path.realpath(__file__):
        return sys.argv[1:]
    return sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []


if __name__ == "__main__":
    name = package()
    importlib.import_module(f"{name}.process").begin()
    sys.exit(importlib.import_module(f"{name}.cli").main(arguments()))
