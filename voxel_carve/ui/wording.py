"""Figures as Blender shows them: lengths in the units of the scene, memory and time as text."""

import textwrap
import unicodedata
from typing import Any

import bpy

from ..compute.runtime import memory_texts
from ..translations.telling import length_text, told, volume_texts

__all__ = ["draw_note", "draw_sentence", "length_text", "memory_text", "sentence_lines", "volume_texts"]

# Average width of a letter in the interface's font, in pixels at a UI scale of 1.
LETTER_WIDTH = 6.5
# Pixels of a panel's width that icons, margins and the scroll bar take.
MARGINS = 60
SIDEBAR_WIDTH = 300


def memory_text(count: int) -> str:
    """Bytes as MiB or GiB, like Blender's own statistics."""
    return memory_texts(count)[0]


def sentence_lines(context: bpy.types.Context, sentence: str) -> list[str]:
    """A sentence, translated and capitalized, in lines that fit the region it is drawn in."""
    # Without a window there is no region, and the scale is 0.
    scale = (context.preferences.system.ui_scale if context.preferences else 0.0) or 1.0
    width = context.region.width if context.region else SIDEBAR_WIDTH
    letters = max(20, int((width - MARGINS * scale) / (LETTER_WIDTH * scale)))
    sentence = told(sentence)
    if any(unicodedata.east_asian_width(letter) in "FW" for letter in sentence):
        letters //= 2
    return textwrap.wrap(sentence, letters)


def draw_sentence(layout: bpy.types.UILayout, context: bpy.types.Context, sentence: str, icon: Any = "NONE") -> None:
    """Draw a sentence as labels below each other, with the icon on the first."""
    column = layout.column(align=True)
    for number, line in enumerate(sentence_lines(context, sentence)):
        column.label(text=line, icon="BLANK1" if number and icon != "NONE" else icon, translate=False)


def draw_note(layout: bpy.types.UILayout, text: str) -> bpy.types.UILayout:
    """Draw a line in the value column of `use_property_split`, as a note on the setting above it. Return the line.

    The text is shown as it is: it may be a name, and Blender would translate that.
    """
    split = layout.split(factor=0.4)
    split.label(text="")
    line = split.row()
    note = line.row()
    note.active = False
    note.label(text=text, translate=False)
    return line
