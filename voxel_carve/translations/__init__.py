"""The interface in other languages. The sources are written in English.

Each module holds one language, as {(context, English): translation}. Terms follow Blender's own translations if there
are any, because Blender looks there first.
"""

from typing import Any, cast

import bpy

from . import de, es, ja, zh_hans

# Blender looks for the full locale, such as de_DE, and then for the language alone. Chinese has no entry for the
# language alone, because it has two scripts. With an automatic language, Blender may have the script in lower case.
LANGUAGES = {
    "de": de.MESSAGES,
    "es": es.MESSAGES,
    "ja": ja.MESSAGES,
    "zh_HANS": zh_hans.MESSAGES,
    "zh_Hans": zh_hans.MESSAGES,
}


def register() -> None:
    """Register the translations with Blender."""
    cast(Any, bpy.app.translations).register(__name__, LANGUAGES)


def unregister() -> None:
    """Unregister the translations."""
    bpy.app.translations.unregister(__name__)


def interface_text(text: str) -> str:
    """Translate a drawn text to the interface language, for texts with fields that are filled in before Blender sees
    them."""
    translated: str = cast(Any, bpy.app.translations).pgettext_iface(text)
    return translated


def report_text(text: str) -> str:
    """Translate a message to the language of reports, for poll messages, which Blender does not translate."""
    translated: str = cast(Any, bpy.app.translations).pgettext_rpt(text)
    return translated
