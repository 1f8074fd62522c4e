"""The part of a document that is measured; the prose around it is written by hand."""

from collections.abc import Mapping
from pathlib import Path

BEGIN, END = "<!-- measured: written by dev.py bench --write -->", "<!-- end of what is measured -->"


class DocumentError(Exception):
    """The document has no place for what is measured."""


def with_measured(text: str, measured: str, begin: str = BEGIN) -> str:
    """The text with another measured part, from the mark `begin` on.

    Raises:
        DocumentError: the marks are missing, or stand there twice or in the wrong order.
    """
    if text.count(begin) != 1 or text.count(END) != 1 or text.index(begin) > text.index(END):
        raise DocumentError(f"there must be one line '{begin}', and after it one line '{END}'")
    before, after = text.split(begin, maxsplit=1)[0], text.split(END)[1]
    return f"{before}{begin}\n\n{measured.strip()}\n\n{END}{after}"


def measured_part(tables: str, pictures: Mapping[str, Path], folder: Path) -> str:
    """Pictures, by what they show, and tables; `folder` is the document's own."""
    shown = [f"![{title}]({file.relative_to(folder).as_posix()})" for title, file in pictures.items()]
    return "\n\n".join([*shown, tables])
