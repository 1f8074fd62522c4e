"""The pages for users of the library: the manual, and a reference of all that is public."""

import html
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from environment import ROOT, small_interpreter
from voxel_carve import compute


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "pages"
    python = small_interpreter(Path(sys.executable), "pages")
    done = subprocess.run(
        [str(python), str(ROOT / "scripts" / "library_docs.py"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert all(Path(file).is_file() for file in done.stdout.splitlines())
    return folder


@cache
def anchors(page: Path) -> frozenset[str]:
    return frozenset(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))


def test_the_reference_has_all_public_names_and_no_module_behind_them(pages):
    reference = pages / "reference"
    assert set(compute.__all__) <= anchors(reference / "voxel_carve" / "compute.html")
    for door in ("jax", "torch"):
        assert {"sweep", "sweep_distance", "sweep_field"} <= anchors(reference / "voxel_carve" / f"{door}.html")
    assert {file.name for file in (reference / "voxel_carve").iterdir()} == {"compute.html", "jax.html", "torch.html"}


def test_the_reference_says_what_docstrings_say(pages):
    text = html.unescape(
        re.sub(r"<[^>]+>", "", (pages / "reference/voxel_carve/compute.html").read_text(encoding="utf-8"))
    )
    assert "merge faces if that moves the surface by less than this" in " ".join(text.split())
    assert "Raises:" in text and "def carve" in text


def test_links_lead_to_pages_and_places_that_are_there(pages):
    broken, count = [], 0
    for page in pages.rglob("*.html"):
        drawn = re.sub("<script.*?</script>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r'<a[^>]* href="([^"]+)"', drawn):
            file, _, anchor = html.unescape(link).partition("#")
            if not re.match(r"\w+:", file):
                target = Path(os.path.normpath(page.parent / file)) if file else page
                count += 1
                if not target.is_file() or (anchor and anchor not in anchors(target)):
                    broken.append(f"{page.relative_to(pages)}: {link}")
    assert broken == []
    assert count > 200
