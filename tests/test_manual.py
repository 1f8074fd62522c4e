"""The manual agrees with the interface: its settings, operators and messages are those of the code."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "voxel_carve"
MANUAL = ROOT / "docs" / "manual"
PICTURES = {"panel.png", "overlay.png", "recipe.png", "preferences.png", "result.png", "running.png", "terrain.png"}
# The classes with the properties of scene settings and recipes.
PARTS = {
    "VoxelProperties": "VoxelCarveSettings",
    "CarveProperties": "VoxelCarveSettings",
    "PathProperties": "VoxelCarvePath",
}
GROUPS = {*PARTS, "VoxelCarveSettings", "VoxelCarvePreferences", "CarveRecipe", "CarveRecipePath"}
TEXT = {page.name: page.read_text(encoding="utf-8") for page in sorted(MANUAL.glob("*.md"))}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]*)\)")


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def classes() -> Iterator[ast.ClassDef]:
    for tree in trees().values():
        yield from (node for node in tree.body if isinstance(node, ast.ClassDef))


def pages() -> tuple[tuple[str, str], ...]:
    """The page of each name in the manual map; parsed, not imported, so that no Blender is needed."""
    for node in trees()[PACKAGE / "ui" / "manual.py"].body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGES":
            return tuple(ast.literal_eval(node.value))
    raise AssertionError("ui/manual.py has no PAGES")


def page_of(name: str) -> str:
    return next(page for pattern, page in pages() if fnmatchcase(name.lower(), pattern))


def properties(group: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Identifier and name of the visible properties of a class."""
    for node in group.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Call):
            given = {word.arg: word.value for word in node.annotation.keywords}
            if "HIDDEN" not in ast.unparse(given.get("options", ast.Constant(None))):
                yield ast.unparse(node.target), ast.literal_eval(given["name"])


def shown() -> list[tuple[str, str, str]]:
    """Page, full name and title of all settings and operators."""
    found = []
    for group in classes():
        values = {ast.unparse(node.targets[0]): node.value for node in group.body if isinstance(node, ast.Assign)}
        idname = values.get("bl_idname")
        if group.name in GROUPS:
            prefix = f"bpy.types.{PARTS.get(group.name, group.name)}"
        elif isinstance(idname, ast.Constant) and "_OT_" in group.name:
            prefix = f"bpy.ops.{idname.value}"
            found.append((page_of(prefix), prefix, ast.literal_eval(values["bl_label"])))
        else:
            continue
        names = [(f"{prefix}.{name}", title) for name, title in properties(group)]
        found += [(page_of(name), name, title) for name, title in names]
    return found


def named(page: str) -> set[str]:
    """The terms that a page explains: those in headings, in bold or as code."""
    return set(re.findall(r"^#+ (.+)$", TEXT[page], flags=re.MULTILINE)) | {
        " ".join((bold or code).split()) for bold, code in re.findall(r"\*\*([^*]+)\*\*|`([^`]+)`", TEXT[page])
    }


# Set by buttons, not by users.
OF_BUTTONS = {"bpy.ops.wm.voxel_carve_check_backend.backend", "bpy.ops.object.voxel_carve_recipe_remove.index"}


@pytest.mark.parametrize(("page", "name", "title"), [each for each in shown() if each[1] not in OF_BUTTONS])
def test_every_setting_and_operator_is_on_its_page(page, name, title):
    assert title in named(page), f"{name}, '{title}', is not in {page}"


def test_recipes_have_the_settings_of_a_carve():
    parts = [group for group in classes() if group.name in PARTS]
    assert {group.name for group in parts} == PARTS.keys()
    for identifier, title in (each for group in parts for each in properties(group)):
        if identifier not in ("replace", "volume_folder"):
            assert re.search(rf"\b{title.lower()}\b", plain(TEXT["recipe.md"])), identifier


def test_the_settings_were_found():
    names = {name for _, name, _ in shown()}
    for name in ("resolution", "radius_factor", "verify", "stock", "show_overlay"):
        assert f"bpy.types.VoxelCarveSettings.{name}" in names
    assert {"bpy.types.VoxelCarvePreferences.device", "bpy.ops.object.voxel_carve_offset.distance"} <= names


def test_every_page_linked_from_buttons_exists_and_is_in_the_index():
    assert {page for _, page in pages()} <= TEXT.keys()
    linked = {target.partition("#")[0] for _, _, target in LINK.findall(TEXT["index.md"])}
    assert TEXT.keys() - {"index.md"} <= linked


def anchors(text: str) -> set[str]:
    """The anchors that GitHub makes from headings."""
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", TEXT)
def test_links_lead_to_pages_and_their_headings(page):
    for sign, _, target in LINK.findall(TEXT[page]):
        if not sign:
            file, _, anchor = target.partition("#")
            assert (file or page) in TEXT, target
            assert not anchor or anchor in anchors(TEXT[file or page]), target


def test_pictures_are_those_taken_and_have_descriptions():
    pictures = [(words, target) for text in TEXT.values() for sign, words, target in LINK.findall(text) if sign]
    assert {target for _, target in pictures} == {f"pictures/{name}" for name in PICTURES}
    assert all(len(words.split()) > 3 for words, _ in pictures)


def plain(text: str) -> str:
    """Collapse spaces, and convert to lower case, because sentences are capitalized only when shown."""
    return " ".join(text.split()).lower()


@cache
def sentences() -> tuple[str, ...]:
    """All string literals of the code, with … in place of values."""
    found = []
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
                found.append(plain("".join(str(part) for part in parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(plain(node.value))
    return tuple(found)


def messages(page: str) -> list[str]:
    return re.findall(r'^- "([^"]+)"', TEXT[page], flags=re.MULTILINE)


def quoted_messages() -> list[tuple[str, str]]:
    return [(page, each) for page in TEXT for each in messages(page)]


@pytest.mark.parametrize(("page", "message"), quoted_messages())
def test_messages_agree_with_the_code(page, message):
    parts = [re.escape(part) for part in plain(message).split("…")]
    pattern = re.compile(".*".join(parts))
    assert any(pattern.search(sentence) for sentence in sentences()), f"{page}: {message}"


def test_messages_were_found():
    assert len(messages("carve.md")) > 20 and messages("recipe.md")
