"""The generated part of a document; the text around it is written by hand."""

from collections.abc import Mapping
from pathlib import Path

BEGIN, END = "<!-- measured: written by dev.py bench --write -->", "<!-- end of what is measured -->"


class DocumentError(Exception):
    """The document has no place for the generated part."""


def with_measured(text: str, measured: str, begin: str = BEGIN) -> str:
    """Replace the generated part of a text, which starts at the mark `begin`.

    Raises:
        DocumentError: the marks are missing, duplicated, or in the wrong order.
    """
    if text.count(begin) != 1 or text.count(END) != 1 or text.index(begin) > text.index(END):
        raise DocumentError(f"there must be one line '{begin}', and after it one line '{END}'")
    before, after = text.split(begin, maxsplit=1)[0], text.split(END)[1]
    return f"{before}{begin}\n\n{measured.strip()}\n\n{END}{after}"


def measured_part(tables: str, pictures: Mapping[str, Path], folder: Path) -> str:
    """Pictures, with their captions as keys, and tables; `folder` is that of the document."""
    shown = [f"![{title}]({file.relative_to(folder).as_posix()})" for title, file in pictures.items()]
    return "\n\n".join([*shown, tables])
