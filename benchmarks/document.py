"""The part of docs/benchmarks.md that is measured; the prose around it is written by hand."""

from collections.abc import Mapping
from pathlib import Path

BEGIN, END = "<!-- measured: written by dev.py bench --write -->", "<!-- end of what is measured -->"


class DocumentError(Exception):
    """The document has no place for what is measured."""


def with_measured(text: str, measured: str) -> str:
    """The text with another measured part.

    Raises:
        DocumentError: the marks are missing, or stand there twice or in the wrong order.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise DocumentError(f"there must be one line '{BEGIN}', and after it one line '{END}'")
    before, after = text.split(BEGIN, maxsplit=1)[0], text.split(END)[1]
    return f"{before}{BEGIN}\n\n{measured.strip()}\n\n{END}{after}"


def measured_part(tables: str, pictures: Mapping[str, Path], folder: Path) -> str:
    """Pictures, by what they show, and tables; `folder` is the document's own."""
    shown = [f"![{title}]({file.relative_to(folder).as_posix()})" for title, file in pictures.items()]
    return "\n\n".join([*shown, tables])
