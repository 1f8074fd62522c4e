"""The pages in the zips: every link and picture leads somewhere, and nothing of the Markdown is lost."""

import re
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import pytest

import build_zip

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "manual").glob("*.md"))}
EMPTY = {"meta", "link", "img", "br", "hr"}


class Page(HTMLParser):
    """What a page names, leads to and says."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.targets: list[str] = []
        self.described: list[str | None] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        assert self.open == [], "tags that are never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "id" in given:
            self.anchors.append(given["id"])
        self.targets += [given[name] for name in ("href", "src") if name in given]
        if tag == "img":
            self.described.append(given.get("alt"))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in EMPTY or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "main" in self.open:
            self.words += re.findall(r"\w+", data)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return {
        str(PurePosixPath(name).relative_to("docs/manual")): data for name, data in build_zip.manual_files().items()
    }


@pytest.fixture(scope="module")
def pages(files) -> dict[str, Page]:
    return {name: Page(data.decode()) for name, data in files.items() if name.endswith(".html")}


def test_every_page_is_made(pages):
    assert set(pages) == {f"{stem}.html" for stem in SOURCES}


@pytest.mark.parametrize("stem", SOURCES)
def test_every_link_of_a_page_leads_somewhere(stem, files, pages):
    page = pages[f"{stem}.html"]
    assert len(page.targets) > len(SOURCES)  # the stylesheet, and all pages
    for target in page.targets:
        parts = urlsplit(target)
        assert not parts.scheme and not parts.netloc, target
        file = unquote(parts.path) or f"{stem}.html"
        assert file in files, target
        assert not parts.fragment or parts.fragment in pages[file].anchors, target
    assert len(set(page.anchors)) == len(page.anchors)


@pytest.mark.parametrize("stem", SOURCES)
def test_a_page_leads_where_its_markdown_does_and_has_its_pictures(stem, pages):
    page = pages[f"{stem}.html"]
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]*)\)", SOURCES[stem])
    assert {target.replace(".md", ".html") for _, target in links} <= set(page.targets)
    assert len(page.described) == sum(sign == "!" for sign, _ in links)
    assert all(page.described)


@pytest.mark.parametrize("stem", SOURCES)
def test_a_page_says_what_its_markdown_says(stem, pages):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", lambda link: "" if link[0][0] == "!" else link[1], SOURCES[stem])
    text = re.sub(r"^```python$|^\d+\. ", "", text, flags=re.MULTILINE)
    assert pages[f"{stem}.html"].words == re.findall(r"\w+", text)


def test_the_stylesheet_is_for_light_and_dark(files):
    style = files["style.css"].decode()
    dark = style.partition("@media (prefers-color-scheme: dark)")[2].partition("}\n}")[0]
    light = style.partition("@media")[0]
    names = re.findall(r"(--\w+):", light)
    assert names and set(re.findall(r"var\((--\w+)\)", style)) <= set(names)
    assert set(re.findall(r"(--\w+):", dark)) == set(names) - {"--mark"}
