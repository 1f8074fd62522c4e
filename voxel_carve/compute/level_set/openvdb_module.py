"""The openvdb module, which nobody installs: Blender brings it along."""

import importlib
import importlib.util
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any

from ..runtime.errors import InputError
from ..runtime.sentences import Sentence

_NAME = "openvdb"
NO_OPENVDB = Sentence(
    "volumes need the openvdb module, which this Python does not have: use Blender as blender.org builds it, or bpy "
    "from the Python Package Index"
)


def openvdb() -> Any:
    """The openvdb module: this Python's own, or the one that the bpy module carries in a Python folder of its own.

    Raises:
        InputError: there is none.
    """
    if _NAME in sys.modules:
        return sys.modules[_NAME]
    if importlib.util.find_spec(_NAME) is not None:
        return importlib.import_module(_NAME)
    file = _carried_by_bpy()
    if file is None:
        raise InputError(NO_OPENVDB)
    return openvdb_from(file)


@cache
def has_openvdb() -> bool:
    """Whether the module is there, found without importing it."""
    return _NAME in sys.modules or importlib.util.find_spec(_NAME) is not None or _carried_by_bpy() is not None


def openvdb_from(file: Path) -> ModuleType:
    """The openvdb module in a file. Raises InputError if it cannot be imported."""
    if _NAME in sys.modules:
        return sys.modules[_NAME]
    spec = importlib.util.spec_from_file_location(_NAME, file)
    assert spec is not None and spec.loader is not None  # its suffix is that of a module
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[_NAME]
        if not isinstance(error, ImportError):
            raise
        raise InputError("{fault} ({error})", fault=NO_OPENVDB, error=error) from error
    return module


def _carried_by_bpy() -> Path | None:
    """The file of the module beside the bpy module, if both are for this Python."""
    bpy = importlib.util.find_spec("bpy")
    for folder in (bpy and bpy.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            found = sorted(Path(folder).glob(f"*/python/**/site-packages/{_NAME}{suffix}"))
            if found:
                return found[0]
    return None
