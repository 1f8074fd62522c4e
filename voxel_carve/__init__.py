"""Carve the volume that a round tool sweeps along paths out of meshes, through voxels.

The public names of `voxel_carve.compute` can be imported from here: `from voxel_carve import carve`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compute import *  # noqa: F403

__version__ = "0.1.0"


def register() -> None:
    """Add settings, preferences, operators and panels to Blender.

    Raises:
        ImportError: this Python is not Blender's, or this is the package for plain Python, which has none of them.
    """
    _registration().register()


def unregister() -> None:
    """Remove what `register` added, in reverse order."""
    _registration().unregister()


def _registration() -> Any:
    try:
        return import_module(".registration", __name__)
    except ModuleNotFoundError as error:
        if error.name not in ("bpy", f"{__name__}.registration"):
            raise
        raise ImportError("the interface is for Blender, and comes with the extension's zip: install that") from error


def __getattr__(name: str) -> Any:
    """A public name of `compute`, which is imported when one is first asked for; or a room that is public."""
    if name in ("compute", "formats"):
        return import_module(f".{name}", __name__)
    if name == "__all__":
        return list(import_module(".compute", __name__).__all__)
    if not name.startswith("_"):
        compute = import_module(".compute", __name__)
        if name in compute.__all__:
            return getattr(compute, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({"__version__", "compute", "formats", "register", "unregister", *__getattr__("__all__")})
