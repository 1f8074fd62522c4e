"""Make HTML pages from the Markdown of docs/manual, with its pictures and stylesheet beside them.

build_zip.py runs this in a small environment of its own, because nothing else needs markdown-it-py.

usage: html_manual.py FOLDER
"""

import re
import shutil
import sys
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

MANUAL = Path(__file__).resolve().parent.parent / "docs" / "manual"
NAME = "Voxel Carve"

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav>
{navigation}
</nav>
<main>
{content}
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """One page: the anchors and titles of its sections, and its content as HTML."""

    title: str
    sections: list[tuple[str, str]]
    content: str


def main(folder: Path) -> None:
    """Write the whole manual into a folder, which is created."""
    sources = sorted(MANUAL.glob("*.md"))
    shutil.copytree(MANUAL, folder, ignore=shutil.ignore_patterns("*.md"))
    pages = {source.stem: page_of(source) for source in sources}
    index = (MANUAL / "index.md").read_text(encoding="utf-8")
    names = {"index": NAME} | {
        stem: words for words, stem in re.findall(r"^- \[(.+)\]\((\w+)\.md\)", index, re.MULTILINE)
    }
    for stem, page in pages.items():
        title = page.title if page.title == NAME else f"{page.title} - {NAME}"
        text = PAGE.format(title=escape(title), navigation=navigation(names, stem, page), content=page.content)
        (folder / f"{stem}.html").write_text(text, encoding="utf-8")


def page_of(source: Path) -> Page:
    """Render one page. Its headings get the anchors that GitHub gives them, and its links lead to HTML pages."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(source.read_text(encoding="utf-8"))
    headings = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            title = plain_text(inline)
            token.attrSet("id", anchor(title))
            headings.append((token.tag, anchor(title), title))
        for link in (child for child in token.children or () if child.type == "link_open"):
            link.attrSet("href", re.sub(r"^(\w+)\.md(?=#|$)", r"\1.html", str(link.attrGet("href"))))
    (title,) = (title for tag, _, title in headings if tag == "h1")
    sections = [(name, title) for tag, name, title in headings if tag == "h2"]
    return Page(title, sections, markdown.renderer.render(tokens, markdown.options, {}).strip())


def plain_text(inline: Token) -> str:
    """The words of a heading, without marks."""
    return "".join(child.content for child in inline.children or ())


def anchor(title: str) -> str:
    """The anchor that GitHub makes from a heading, so that links work there and here."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def navigation(names: dict[str, str], current: str, page: Page) -> str:
    """Links to all pages by the names in the index, and to the sections of the current page."""
    lines = ["<ul>"]
    for stem, name in names.items():
        mark = ' aria-current="page"' if stem == current else ""
        lines.append(f'<li><a href="{stem}.html"{mark}>{escape(name)}</a>')
        if stem == current:
            links = [f'<li><a href="#{where}">{escape(title)}</a></li>' for where, title in page.sections]
            lines += ["<ul>", *links, "</ul>"]
        lines.append("</li>")
    return "\n".join([*lines, "</ul>"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
