"""Sentences for the user that keep their template and its fields, so that the interface can say them in other words.

As text they are plain English, in the words of Python. The interface translates the template, and then fills in the
fields; a length it writes in the units of the scene. Where a user of the command line, or of a window, would be told
otherwise, as of an option, the sentence is a `SentenceByDoor`.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal, cast

Door = Literal["python", "command_line", "window"]


class Length(float):
    """A length in Blender units, as a field of a sentence: four digits in plain text."""

    def __format__(self, spec: str) -> str:
        """The number alone."""
        return format(float(self), spec or ".4g")


class Volume(Length):
    """The same for a volume in cubic Blender units.

    Attributes:
        beside: a larger volume, whose unit it is shown in.
    """

    beside: float

    def __new__(cls, volume: float, beside: float = 0.0) -> "Volume":
        """Remember what it is compared with."""
        made = super().__new__(cls, volume)
        made.beside = beside
        return made


class Sentence(str):
    """A text made of a template and its fields; without fields, the template itself, braces and all.

    A template that is not written where it is filled in is itself a sentence, so that it is found for translation.

    Attributes:
        template: in English, as `str.format` takes it.
        fields: values by name. They can be pickled, and may be sentences themselves.
    """

    template: str
    fields: Mapping[str, Any]

    def __new__(cls, template: str, /, **fields: Any) -> "Sentence":
        """Fill in the fields; of an exception, what it says."""
        fields = {name: _sayable(value) for name, value in fields.items()}
        sentence = super().__new__(cls, template.format(**fields) if fields else template)
        sentence.template, sentence.fields = str(template), fields
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts."""
        return _made, (self.template, self.fields)


class SentenceByDoor(Sentence):
    """A sentence that names what a user would do, and so is another one at each door.

    Attributes:
        templates: by door, in English. As text, the sentence is that of Python.
    """

    templates: Mapping[Door, str]

    def __new__(
        cls, python: str, /, *, command_line: str | None = None, window: str | None = None, **fields: Any
    ) -> "SentenceByDoor":
        """The templates of the doors; one that is left out is that of Python. They have the same fields."""
        sentence = cast(SentenceByDoor, super().__new__(cls, python, **fields))
        sentence.templates = {"python": python, "command_line": command_line or python, "window": window or python}
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts."""
        return _made_by_door, (self.templates, self.fields)


def sentence_of(text: str, fields: Mapping[str, Any]) -> Sentence:
    """The sentence with these fields; a text that is a sentence already stays as it is."""
    if isinstance(text, Sentence) and not fields:
        return text
    return _made_by_door(text.templates, fields) if isinstance(text, SentenceByDoor) else Sentence(text, **fields)


def said_at(door: Door, message: str | BaseException) -> str:
    """A message, or an error, in the words of a door, with those of the sentences in its fields; any other text as it
    is."""
    sentence: str = _sayable(message)
    if not isinstance(sentence, Sentence):
        return sentence
    template = sentence.templates[door] if isinstance(sentence, SentenceByDoor) else sentence.template
    fields = {
        name: said_at(door, field) if isinstance(field, Sentence) else field for name, field in sentence.fields.items()
    }
    return Sentence(template, **fields)


def as_json(sentence: str) -> str:
    """A sentence with its template and its fields; of any other text, the text."""
    return json.dumps(_data(sentence))


def _made_by_door(templates: Mapping[Door, str], fields: Mapping[str, Any]) -> SentenceByDoor:
    python = templates["python"]
    return SentenceByDoor(python, command_line=templates["command_line"], window=templates["window"], **fields)


def _made(template: str, fields: Mapping[str, Any]) -> Sentence:
    return Sentence(template, **fields)


def _sayable(value: Any) -> Any:
    return getattr(value, "sentence", str(value)) if isinstance(value, BaseException) else value


def _data(value: Any) -> Any:
    """A sentence, or a field of one, as values for JSON."""
    if isinstance(value, Sentence):
        return {"template": value.template, "fields": {name: _data(field) for name, field in value.fields.items()}}
    if isinstance(value, Volume):
        return {"volume": float(value), "beside": value.beside}
    if isinstance(value, Length):
        return {"length": float(value)}
    value = value.item() if hasattr(value, "item") else value  # numpy's numbers
    return value if isinstance(value, str | int | float) else str(value)
