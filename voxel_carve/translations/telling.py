"""Messages to the user of a window: in the language of the interface, with lengths in the units of the scene."""

from typing import Any

import bpy

from ..compute.runtime import Length, Sentence, Volume
from . import report_text


def told(message: str | BaseException, scene: bpy.types.Scene | None = None) -> str:
    """A message or an error, translated, with a capital letter. What is no sentence of ours stays as it is.

    Args:
        message: a `Sentence`, an error of ours, or any text.
        scene: whose units are used; that of the context by default.
    """
    sentence = getattr(message, "sentence", message)
    text = _filled(sentence if isinstance(sentence, str) else str(sentence), scene or bpy.context.scene)
    return text[:1].upper() + text[1:]


def length_text(scene: bpy.types.Scene, length: float) -> str:
    """A length in Blender units, as text in the scene's units."""
    return _in_units(scene, "LENGTH", length, 1)


def volume_text(scene: bpy.types.Scene, volume: float) -> str:
    """A volume in cubic Blender units, as text in the scene's units."""
    return _in_units(scene, "VOLUME", volume, 3)


def _filled(text: str, scene: bpy.types.Scene | None) -> str:
    """A text, translated if it is a sentence of ours."""
    if not isinstance(text, Sentence):
        return report_text(text)
    fields = {name: _shown(value, scene) for name, value in text.fields.items()}
    template = report_text(text.template)
    return template.format(**fields) if fields else template


def _shown(value: Any, scene: bpy.types.Scene | None) -> Any:
    if isinstance(value, Sentence):
        return _filled(value, scene)
    if isinstance(value, Length) and scene is not None:
        return (volume_text if isinstance(value, Volume) else length_text)(scene, value)
    return value


def _in_units(scene: bpy.types.Scene, kind: str, value: float, power: int) -> str:
    units: Any = scene.unit_settings
    scale = 1.0 if units.system == "NONE" else units.scale_length**power  # as in Blender's own fields
    return bpy.utils.units.to_string(units.system, kind, value * scale, precision=3).strip()
