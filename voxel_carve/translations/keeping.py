"""Sentences that are kept in a file: as plain text, which scripts read, and beside it as JSON to translate them from.
`compute.runtime.as_json` makes that.

Files come from anywhere. A template from a file is filled in only if it is one of ours.
"""

import json
import math
from typing import Any

from ..compute.runtime import Length, Sentence, Volume
from . import de, de_messages

TEMPLATES = {text for _, text in (*de.MESSAGES, *de_messages.MESSAGES)}


def kept_sentence(text: str, kept: str) -> str:
    """The sentence with this plain text, from its JSON; the text alone, if that is damaged or says something else.

    The text may have got a capital letter.
    """
    try:
        made = _value(json.loads(kept))
        return made if isinstance(made, Sentence) and made[1:] == text[1:] else text
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return text


def _value(data: Any) -> Any:
    """The opposite of `as_json`. What is damaged raises one of the errors above."""
    if not isinstance(data, dict):
        return data
    template = data.get("template")
    if template is not None:
        if template not in TEMPLATES:
            raise ValueError
        return Sentence(template, **{name: _value(field) for name, field in data["fields"].items()})
    lengths = {name: float(length) for name, length in data.items()}
    if not all(map(math.isfinite, lengths.values())):
        raise ValueError
    return Length(lengths["length"]) if "length" in lengths else Volume(lengths["volume"], lengths["beside"])
