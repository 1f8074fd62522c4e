"""Figures as Blender shows them: in the units of the scene, memory and time in words."""

import textwrap
import unicodedata
from typing import Any

import bpy

from ..translations import interface_text

# Of a letter, on an average, in the interface's font, where the user has not scaled it.
LETTER_WIDTH = 6.5
# Pixels that icons, margins and the scroll bar take of a panel.
MARGINS = 60
SIDEBAR_WIDTH = 300


def length_text(scene: bpy.types.Scene, length: float) -> str:
    """A length in Blender units, in the scene's own."""
    units = scene.unit_settings
    return bpy.utils.units.to_string(units.system, "LENGTH", length * units.scale_length, precision=3).strip()


def volume_text(scene: bpy.types.Scene, volume: float) -> str:
    """A volume in cubic Blender units, in the scene's own."""
    units = scene.unit_settings
    return bpy.utils.units.to_string(units.system, "VOLUME", volume * units.scale_length**3, precision=3).strip()


def memory_text(count: int) -> str:
    """Bytes as MiB or GiB, as Blender's own statistics have them."""
    return f"{count / 2**20:.0f} MiB" if count < 2**30 else f"{count / 2**30:.1f} GiB"


def seconds_text(seconds: float) -> str:
    """A time with as many figures as anyone wants to know of it."""
    if seconds < 0.1:
        return interface_text("under 0.1 s")
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes < 10 and rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def sentence_lines(context: bpy.types.Context, sentence: str) -> list[str]:
    """A sentence, translated, its first letter large, in lines that fit the region it is drawn in."""
    # Without a window there is no region, and the scale is 0.
    scale = (context.preferences.system.ui_scale if context.preferences else 0.0) or 1.0
    width = context.region.width if context.region else SIDEBAR_WIDTH
    letters = max(20, int((width - MARGINS * scale) / (LETTER_WIDTH * scale)))
    sentence = interface_text(sentence)
    if any(unicodedata.east_asian_width(letter) in "FW" for letter in sentence):
        letters //= 2
    return textwrap.wrap(sentence[:1].upper() + sentence[1:], letters)


def draw_sentence(layout: bpy.types.UILayout, context: bpy.types.Context, sentence: str, icon: Any = "NONE") -> None:
    """A sentence as labels below each other, the icon at the first."""
    column = layout.column(align=True)
    for number, line in enumerate(sentence_lines(context, sentence)):
        column.label(text=line, icon="BLANK1" if number and icon != "NONE" else icon)


def draw_note(layout: bpy.types.UILayout, text: str) -> bpy.types.UILayout:
    """A line where `use_property_split` has its values: what follows from the setting above it. Returns the line."""
    split = layout.split(factor=0.4)
    split.label(text="")
    line = split.row()
    note = line.row()
    note.active = False
    note.label(text=text)
    return line
