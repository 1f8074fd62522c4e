"""The elements of an XML file with their places. Nothing else is ever read, and a file may not define entities."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from ...compute.runtime import Sentence
from .toolpath import Request

# No drawing has more elements in each other.
DEEPEST = 500
# Measured: memory of an element, of an attribute without its text, and of a character of text.
BYTES_PER_ELEMENT, BYTES_PER_ATTRIBUTE, BYTES_PER_CHARACTER = 500, 200, 4
CHECKED_EVERY = 1000

_LONG_TAG = re.compile(rb"<[^<]{65536,}")


@dataclass(frozen=True)
class Element:
    """An element.

    Attributes:
        name: as it stands in the file, with its prefix.
        attributes: by their names.
        line, column: where it begins, from 1.
        children: the elements in it.
        texts: the pieces of its text.
    """

    name: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list["Element"] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Its own text."""
        return "".join(self.texts)

    def all(self) -> Iterator["Element"]:
        """It and all elements in it, in the order of the file."""
        waiting = [self]
        while waiting:
            each = waiting.pop()
            yield each
            waiting.extend(reversed(each.children))


def read_xml(raw: bytes, request: Request, root: str, with_text: Collection[str] = ()) -> Element:
    """The tree of a file.

    Args:
        raw: the bytes of the file.
        request: for its name and the memory that reading may take.
        root: the name, without a prefix, that the outermost element must have.
        with_text: the names of elements, without prefix, whose text is kept.

    Raises:
        InputError: it is not well-formed, defines entities, or is something else.
        TooLargeError: it takes too much memory.
    """
    for long in _LONG_TAG.finditer(raw):  # whose attributes are all read at once
        count = raw.count(b"=", long.start(), long.end())
        room = BYTES_PER_ATTRIBUTE * count + BYTES_PER_CHARACTER * (long.end() - long.start())
        request.room.check(room, f"its {count} attributes")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    document = Element("", {}, 1, 1)
    above, used, count = [document], 0, 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal used, count
        element = Element(name, attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        if len(above) > DEEPEST:
            raise request.error_at(
                element.line, element.column, Sentence("elements are in each other more than {most} deep", most=DEEPEST)
            )
        texts = sum(len(value) for value in attributes.values())
        used += BYTES_PER_ELEMENT + BYTES_PER_ATTRIBUTE * len(attributes) + BYTES_PER_CHARACTER * texts
        count += 1
        if count % CHECKED_EVERY == 0:
            request.room.check(used, f"its first {count} elements")
        above[-1].children.append(element)
        above.append(element)

    def end(_name: str) -> None:
        above.pop()

    def text(data: str) -> None:
        nonlocal used
        if local_name(above[-1]) in with_text:
            used += 60 + BYTES_PER_CHARACTER * len(data)
            above[-1].texts.append(data)

    def doctype(_name: str, _system: Any, _public: Any, has_subset: int) -> None:
        # A DOCTYPE that only names a DTD is never followed. One that defines things could make gigabytes of them.
        if has_subset:
            raise request.error_at(
                parser.CurrentLineNumber,
                parser.CurrentColumnNumber + 1,
                Sentence("the file has a document type (DTD) of its own, which we do not read: export it without"),
            )

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, doctype
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        fault = Sentence("it is not well-formed XML ({error})", error=expat.ErrorString(error.code))
        raise request.error_at(error.lineno, error.offset + 1, fault) from None
    except (LookupError, UnicodeError) as error:
        raise request.error_at(1, 1, Sentence("it is not well-formed XML ({error})", error=error)) from None
    request.room.check(used, f"its {count} elements")
    top = document.children[0]
    if local_name(top) != root:
        fault = Sentence("it begins with <{name}>, and not with <{root}>", name=top.name[:60], root=root)
        raise request.error_at(top.line, top.column, fault)
    return top


def local_name(element: Element) -> str:
    """The name of an element without its prefix."""
    return element.name.rpartition(":")[2]


def number_in(element: Element, text: str, what: str, request: Request) -> float:
    """A number in an element.

    Raises:
        InputError: it is none; `what` says what it is.
    """
    try:
        return float(text)
    except ValueError:
        fault = Sentence("{what} is '{text}', which is not a number", what=what, text=text.strip()[:60])
        raise request.error_at(element.line, element.column, fault) from None
