"""Sentences for the user that keep their template and its fields, so that the interface can say them in other words.

As text they are plain English. The interface translates the template, and then fills in the fields; a length it writes
in the units of the scene.
"""

from collections.abc import Mapping
from typing import Any


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


def sentence_of(text: str, fields: Mapping[str, Any]) -> Sentence:
    """The sentence with these fields; a text that is a sentence already stays as it is."""
    return text if isinstance(text, Sentence) and not fields else Sentence(text, **fields)


def _made(template: str, fields: Mapping[str, Any]) -> Sentence:
    return Sentence(template, **fields)


def _sayable(value: Any) -> Any:
    return getattr(value, "sentence", str(value)) if isinstance(value, BaseException) else value
