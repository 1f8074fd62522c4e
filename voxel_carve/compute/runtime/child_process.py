"""The command of a child process that imports our modules under the same names as this one."""

import json
import os
import subprocess
import sys
from pathlib import Path

from .cache import chosen_folder

# Cached kernels and pickled objects name their modules, so both processes must use the same names. In an extension, our
# package lies within packages that only Blender can import.
START = """
import importlib, json, sys, types
name, function, arguments, root, runtime, cache, sys.path[:] = json.loads(sys.argv[1])
sys.path.append(root)
outer = runtime.split(".")[:-3]
for depth in range(len(outer)):
    package = types.ModuleType(".".join(outer[:depth + 1]))
    package.__path__ = [root]
    sys.modules[package.__name__] = package
importlib.import_module(runtime + ".cache").set_cache_folder(cache)
getattr(importlib.import_module(name), function)(*arguments)
"""

# Flags for a new process. Outside Windows, it sets its own niceness.
if sys.platform == "win32":
    NO_WINDOW = subprocess.CREATE_NO_WINDOW
    LOW_PRIORITY = subprocess.BELOW_NORMAL_PRIORITY_CLASS
else:
    NO_WINDOW = LOW_PRIORITY = 0


def child_command(module: str, function: str, *arguments: int | str) -> list[str]:
    """The command that runs a function in a new Python process.

    Args:
        module: the `__name__` of a module of this package.
        function: the name of a function in it.
        arguments: passed to the function.
    """
    # Isolated, as Blender's own Python is: it ignores the working folder, PYTHON... variables and the user's
    # site-packages, which may hold code that was not meant for us. It gets this process's path, without relative
    # entries, which point to the working folder.
    path = [folder for folder in sys.path if os.path.isabs(folder)]
    asked = json.dumps(
        [module, function, arguments, str(Path(__file__).parents[3]), __package__, chosen_folder(), path]
    )
    return [sys.executable, "-I", "-c", START, asked]
