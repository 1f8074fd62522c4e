"""The command of a child process that imports our modules under the same names as this one."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

from .cache import chosen_folder, set_cache_folder

# Cached kernels and pickled objects name their modules, so both processes must use the same names. In an extension, our
# package lies within packages that only Blender can import. So these are made here, empty, with a folder.
START = """
import importlib, json, sys, types
name, function, arguments, packages, sys.path[:] = json.loads(sys.argv[1])
for package, folder in packages:
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = [folder]
getattr(importlib.import_module(name), function)(*arguments)
"""

# The number of packages around our own.
_ROOM_ABOVE = len(__name__.split(".")) - 4

# Flags for a new process. Outside Windows, it sets its own niceness.
if sys.platform == "win32":
    NO_WINDOW = subprocess.CREATE_NO_WINDOW
    LOW_PRIORITY = subprocess.BELOW_NORMAL_PRIORITY_CLASS
else:
    NO_WINDOW = LOW_PRIORITY = 0


def child_command(module: str, function: str, *arguments: int | str) -> list[str]:
    """The command that runs a function in a new Python process, which keeps its kernels where this one does.

    Args:
        module: the `__name__` of a module of this package.
        function: the name of a function in it.
        arguments: passed to the function.
    """
    return _command(_ROOM_ABOVE, __name__, run.__name__, chosen_folder(), module, function, *arguments)


def light_command(module: str, function: str, *arguments: int | str) -> list[str]:
    """The same for a module that needs little of this package, and starts in a fraction of the time: what the packages
    around the module import is left out."""
    return _command(len(module.split(".")) - 1, module, function, *arguments)


def run(cache: str | None, module: str, function: str, *arguments: int | str) -> None:
    """Run a function with a folder for kernels: the main function of a new process."""
    set_cache_folder(cache)
    getattr(importlib.import_module(module), function)(*arguments)


def _command(empty: int, module: str, function: str, *arguments: int | str | None) -> list[str]:
    """The command that runs a function of a module, whose first `empty` packages are not run."""
    # Isolated, as Blender's own Python is: it ignores the working folder, PYTHON... variables and the user's
    # site-packages, which may hold code that was not meant for us. It gets this process's path, without relative
    # entries, which point to the working folder.
    root = Path(__file__).parents[3]
    names = module.split(".")
    folders = [root.joinpath(*names[_ROOM_ABOVE : depth + 1]) for depth in range(empty)]
    packages = [(".".join(names[: depth + 1]), str(folder)) for depth, folder in enumerate(folders)]
    path = [*(folder for folder in sys.path if os.path.isabs(folder)), str(root)]
    return [sys.executable, "-I", "-c", START, json.dumps([module, function, arguments, packages, path])]
