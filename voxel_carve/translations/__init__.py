"""The interface in other languages. English is what the sources are written in.

A module holds one language, as {(context, English): translation}. The words are those of Blender's own translations,
where it has any: Blender looks there first.
"""

from typing import Any, cast

import bpy

from . import de, es, ja, zh_hans

# Blender looks for the whole locale, as in de_DE, and then for its language alone, which Chinese must not have: it has
# two scripts. Where the language is automatic, Blender may have the script in small letters.
LANGUAGES = {
    "de": de.MESSAGES,
    "es": es.MESSAGES,
    "ja": ja.MESSAGES,
    "zh_HANS": zh_hans.MESSAGES,
    "zh_Hans": zh_hans.MESSAGES,
}


def register() -> None:
    """Let Blender look here."""
    cast(Any, bpy.app.translations).register(__name__, LANGUAGES)


def unregister() -> None:
    """Let it look here no longer."""
    bpy.app.translations.unregister(__name__)


def interface_text(text: str) -> str:
    """A text that is drawn, in the language of the interface: for texts with fields, which Blender gets filled in."""
    translated: str = cast(Any, bpy.app.translations).pgettext_iface(text)
    return translated


def report_text(text: str) -> str:
    """A message in the language of reports: for those on why an operator cannot start, which Blender leaves alone."""
    translated: str = cast(Any, bpy.app.translations).pgettext_rpt(text)
    return translated
