"""Backends of former versions: files and presets that name numpy or Numba mean the CPU now."""

import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import bpy

from .formats import replacing
from .operators.presets import PRESET_FOLDER
from .preferences import preferences_of

logger = logging.getLogger(__name__)

NUMBA_IN_PRESET = re.compile(r"^(settings\.backend = )(['\"])NUMBA\2", re.MULTILINE)


def register() -> None:
    """Look at the preferences and the presets now, and at each file when it is loaded."""
    preferences = preferences_of(bpy.context)
    if preferences is not None:
        _renew([preferences])
    renew_presets()
    cast(Any, bpy.app.handlers).load_post.append(_on_load)


def unregister() -> None:
    """The opposite of `register`."""
    cast(Any, bpy.app.handlers).load_post.remove(_on_load)


def renew_presets() -> None:
    """Let the user's presets say CPU where they say NUMBA: Blender would stop in the middle of such a preset."""
    folder = bpy.utils.user_resource("SCRIPTS", path=f"presets/{PRESET_FOLDER}")
    for file in Path(folder).glob("*.py"):
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        renewed = NUMBA_IN_PRESET.sub(r"\1\2CPU\2", text)
        if renewed != text:
            with replacing(file, overwrite=True) as beside:
                beside.write_text(renewed, encoding="utf-8", errors="surrogateescape")
            logger.info("%s: the backend NUMBA is CPU now", file)


@cast(Any, bpy.app.handlers).persistent  # type: ignore[untyped-decorator]
def _on_load(*_: object) -> None:
    """Renew all settings of a file."""
    data = cast(Any, bpy.data)
    _renew(owner.voxel_carve for owner in (*data.scenes, *data.objects) if owner.library is None)


def _renew(owners: Iterable[Any]) -> None:
    """Set the CPU where the number that is stored names no backend any more."""
    for owner in owners:
        if owner.backend == "":
            owner.backend = "CPU"
