"""Reading the report kept with a result."""

import json
from functools import lru_cache
from typing import Any

import bpy

from ...translations.keeping import kept_sentence
from .write import REPORT_PROPERTY


def object_report(obj: bpy.types.Object | None) -> dict[str, Any] | None:
    """The report of an object as `Report.to_dict` returns it; None if it has none, or one that cannot be read.

    Its warnings can be translated, except those of an older file. Cheap enough for drawing: each text is parsed once.
    """
    text = obj.get(REPORT_PROPERTY) if obj else None
    return _parsed(text) if isinstance(text, str) else None


@lru_cache(maxsize=8)
def _parsed(text: str) -> dict[str, Any] | None:
    try:
        figures = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(figures, dict):
        return None
    warnings, kept = figures.get("warnings"), figures.pop("warnings_kept", None)
    if isinstance(warnings, list) and isinstance(kept, list) and len(warnings) == len(kept):
        figures["warnings"] = [kept_sentence(*both) for both in zip(warnings, kept, strict=True)]
    return figures
