"""Reading the report kept with a result."""

import json
from functools import lru_cache
from typing import Any

import bpy

from .write import REPORT_PROPERTY


def object_report(obj: bpy.types.Object | None) -> dict[str, Any] | None:
    """The report of an object as `Report.to_dict` returns it; None if it has none, or one that cannot be read.

    Cheap enough for drawing: each text is parsed once.
    """
    text = obj.get(REPORT_PROPERTY) if obj else None
    return _parsed(text) if isinstance(text, str) else None


@lru_cache(maxsize=8)
def _parsed(text: str) -> dict[str, Any] | None:
    try:
        figures = json.loads(text)
    except ValueError:
        return None
    return figures if isinstance(figures, dict) else None
