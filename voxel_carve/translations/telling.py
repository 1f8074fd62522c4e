"""Messages to the user of a window: in the language of the interface, with lengths in the units of the scene."""

import math
from typing import Any

import bpy

from ..compute.runtime import Length, Sentence, Volume, said_at
from . import report_text

MOST_DECIMALS = 9


def told(message: str | BaseException, scene: bpy.types.Scene | None = None) -> str:
    """A message or an error, translated, with a capital letter. What is no sentence of ours stays as it is.

    Args:
        message: a `Sentence`, an error of ours, or any text.
        scene: whose units are used; that of the context by default.
    """
    text = _filled(said_at("window", message), scene or bpy.context.scene)
    return text[:1].upper() + text[1:]


def length_text(scene: bpy.types.Scene, length: float) -> str:
    """A length in Blender units, as text in the scene's units."""
    return _in_units(scene, "LENGTH", length, 1)


def volume_texts(scene: bpy.types.Scene, *volumes: float) -> tuple[str, ...]:
    """Volumes in cubic Blender units, as texts in the scene's units: all in the unit that suits the largest."""
    largest = max(volumes)
    number, _, unit = _in_units(scene, "VOLUME", largest, 3).partition(" ")
    # The number is rounded, and so the others would be off by as much.
    exact = float(_in_units(scene, "VOLUME", largest, 3, MOST_DECIMALS).partition(" ")[0])
    factor = exact / largest if largest > 0 else 0.0
    return tuple(f"{number if volume == largest else _digits(volume * factor)} {unit}".strip() for volume in volumes)


def _digits(value: float) -> str:
    """Three digits of a value that is not negative, none of them an exponent."""
    decimals = 2 - math.floor(math.log10(value)) if value > 0 else 0
    text = f"{value:.{min(max(decimals, 0), MOST_DECIMALS)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


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
    if scene is None or not isinstance(value, Length):
        return value
    return volume_texts(scene, value, value.beside)[0] if isinstance(value, Volume) else length_text(scene, value)


def _in_units(scene: bpy.types.Scene, kind: str, value: float, power: int, precision: int = 3) -> str:
    units: Any = scene.unit_settings
    scale = 1.0 if units.system == "NONE" else units.scale_length**power  # as in Blender's own fields
    return bpy.utils.units.to_string(units.system, kind, value * scale, precision=precision).strip()
