"""The interface in other languages. The sources are written in English.

Each language has two modules, for what is drawn and for what is told, as {(context, English): translation}, with
"Operator" as the context of the names of operators, and "*" for all else.

Blender looks into its own catalogue first. There "Remesh" is an animation's theme in German. So our words are looked up
in contexts of our own, which that catalogue does not have. Descriptions have no context in Blender.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, cast

import bpy

from . import de, de_messages, es, es_messages, ja, ja_messages, zh_hans, zh_hans_messages

# The contexts of our words; an action is often another word than the thing.
CONTEXT, OPERATOR_CONTEXT = "Voxel Carve", "Voxel Carve Operator"
OWN_CONTEXTS = {"*": CONTEXT, "Operator": OPERATOR_CONTEXT}
_PACKAGE = __name__.rpartition(".")[0]


def _in_both_contexts(messages: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Messages for our own contexts, and for Blender's, where it knows no other."""
    return {
        (context, text): translated
        for (kind, text), translated in messages.items()
        for context in (OWN_CONTEXTS[kind], kind)
    }


# Blender looks for the full locale, such as de_DE, and then for the language alone. Chinese has no entry for the
# language alone, because it has two scripts. With an automatic language, Blender may have the script in lower case.
LANGUAGES = {
    "de": _in_both_contexts(de.MESSAGES | de_messages.MESSAGES),
    "es": _in_both_contexts(es.MESSAGES | es_messages.MESSAGES),
    "ja": _in_both_contexts(ja.MESSAGES | ja_messages.MESSAGES),
    "zh_HANS": _in_both_contexts(zh_hans.MESSAGES | zh_hans_messages.MESSAGES),
    "zh_Hans": _in_both_contexts(zh_hans.MESSAGES | zh_hans_messages.MESSAGES),
}


def register() -> None:
    """Register the translations with Blender."""
    cast(Any, bpy.app.translations).register(__name__, LANGUAGES)


def unregister() -> None:
    """Unregister the translations."""
    bpy.app.translations.unregister(__name__)


def use_own_contexts(classes: Sequence[type]) -> None:
    """Let Blender look up the names of classes, of their own properties and of these properties' values in our context.

    Call it before the classes are registered.
    """
    for cls in classes:
        if issubclass(cls, bpy.types.Operator):
            cast(Any, cls).bl_translation_context = OPERATOR_CONTEXT
        elif issubclass(cls, bpy.types.Panel | bpy.types.Menu):
            cast(Any, cls).bl_translation_context = CONTEXT
        for base in cls.__mro__:
            if base.__module__.startswith(_PACKAGE):
                for prop in inspect.get_annotations(base).values():
                    if isinstance(getattr(prop, "keywords", None), dict):
                        prop.keywords.setdefault("translation_context", CONTEXT)


def interface_text(text: str) -> str:
    """Translate a text that is drawn. Blender itself would look up labels, headings and progress in its own context."""
    translated: str = cast(Any, bpy.app.translations).pgettext_iface(text, CONTEXT)
    return translated


def report_text(text: str) -> str:
    """Translate a message to the language of reports."""
    translated: str = cast(Any, bpy.app.translations).pgettext_rpt(text, CONTEXT)
    return translated


def blender_text(text: str, context: str) -> str:
    """One of Blender's own words, such as the name of a mode, in the language of the interface."""
    translated: str = cast(Any, bpy.app.translations).pgettext_iface(text, context)
    return translated
