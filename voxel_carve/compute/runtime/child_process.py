"""Another Python process that knows our modules by the names that they have here."""

import json
import os
import subprocess
import sys
from pathlib import Path

from .cache import chosen_folder

# What is kept or sent under the name of its module can only be shared under the same name: in an extension, there are
# packages around ours, which only Blender could import.
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

# Flags for a new process; where it has a niceness, it takes that itself.
if sys.platform == "win32":
    NO_WINDOW = subprocess.CREATE_NO_WINDOW
    LOW_PRIORITY = subprocess.BELOW_NORMAL_PRIORITY_CLASS
else:
    NO_WINDOW = LOW_PRIORITY = 0


def child_command(module: str, function: str, *arguments: int | str) -> list[str]:
    """The command that runs a function.

    Args:
        module: the full name of a module of this package, as its `__name__` says.
        function: the name of the function in it.
        arguments: what it is called with.
    """
    # Isolated, as Blender's own Python is: it looks neither into the working folder, nor at PYTHON... variables, nor
    # into the user's site-packages, which may hold code that was not meant for us. It is given the path of this
    # process, but not what is relative in it: that is the working folder.
    path = [folder for folder in sys.path if os.path.isabs(folder)]
    asked = json.dumps(
        [module, function, arguments, str(Path(__file__).parents[3]), __package__, chosen_folder(), path]
    )
    return [sys.executable, "-I", "-c", START, asked]
