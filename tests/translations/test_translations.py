"""The interface in other languages: it is complete, has nothing obsolete, and Blender finds it."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

bpy = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import voxel_carve  # noqa: E402
from tests.translations.translatable_strings import DEFAULT, keys, literals, refusals, untranslated  # noqa: E402
from voxel_carve import registration, translations  # noqa: E402
from voxel_carve.settings import OPERATIONS  # noqa: E402
from voxel_carve.translations import CONTEXT, LANGUAGES, OPERATOR_CONTEXT  # noqa: E402
from voxel_carve.ui.wording import sentence_lines  # noqa: E402

MESSAGES = {language: LANGUAGES[language] for language in ("de", "es", "ja", "zh_HANS")}
# Locales as in the preferences; Blender may return them in another letter case, or with another country.
LOCALES = ["de_DE", "es", "ja_JP", "zh_HANS"]
JAPANESE = "切削するメッシュ。" * 20
every_language = pytest.mark.parametrize("messages", MESSAGES.values(), ids=MESSAGES)

# Runs in a full Blender, which need not have the modules for computing. Writes what it shows in each language.
ASK = """
import json
import sys
from pathlib import Path

import bpy
from bpy.app.translations import pgettext

folder = Path(__file__).parent
sys.path.insert(0, str(folder))
import translations

translations.register()
asked, found = json.loads((folder / "asked.json").read_text()), {}
for language in sys.argv[sys.argv.index("--") + 1:]:
    bpy.context.preferences.view.language = language
    found[language] = [pgettext(text, context) for context, text in asked]
translations.unregister()
translations.register()  # refused, where anything is left by that name
translations.unregister()
found["none"] = [pgettext(text, context) for context, text in asked if context != "*"]
(folder / "found.json").write_text(json.dumps(found))
"""
BLENDER_ROOT = Path(os.environ.get("VOXEL_CARVE_BLENDER_ROOT", "/"))


@every_language
def test_every_string_is_translated(messages, registered):
    assert sorted(keys() - set(messages)) == []


@every_language
def test_no_translation_is_obsolete(messages, registered):
    said = {text for _, text in keys()} | literals()
    assert sorted({text for _, text in messages} - said) == []


def test_every_kind_of_string_is_collected(registered):
    """Labels, values with descriptions, reports, drawn texts and texts with fields are all found."""
    assert keys() >= {
        (OPERATOR_CONTEXT, "Voxelize"),
        (OPERATOR_CONTEXT, "Carve"),
        (CONTEXT, "Subtract"),
        (DEFAULT, OPERATIONS[0][2]),
        (CONTEXT, "Compute in Another Process"),
        (CONTEXT, "Diagnostics copied to the clipboard"),
        (CONTEXT, "Make one of the selected objects active: it is the base"),
        (CONTEXT, "Replace Stock"),
        (CONTEXT, "{time} left"),
    }
    assert not {text for _, text in keys()} & {"Voxel Carve Cut", "Space Type", "X"}


def test_every_name_is_looked_up_in_a_context_of_ours(registered):
    """Blender's own catalogue is asked first, and says "Themen" for Remesh. Descriptions have no context."""
    assert sorted(untranslated()) == []
    own = {CONTEXT, OPERATOR_CONTEXT}
    assert {context for context, _ in keys()} == own | {DEFAULT}
    assert not own & set(bpy.app.translations.contexts)
    for cls in registration.CLASSES:
        if issubclass(cls, bpy.types.Panel | bpy.types.Menu | bpy.types.Operator):
            assert cls.bl_rna.translation_context in own, cls
    assert bpy.context.scene.voxel_carve.bl_rna.properties["result"].translation_context == CONTEXT


@every_language
def test_translations_have_the_same_fields(messages):
    wrong = [text for (_, text), translated in messages.items() if _fields(text) != _fields(translated)]
    assert wrong == []


@every_language
def test_translations_have_the_same_punctuation_at_the_end(messages):
    """Blender adds the period itself; "…" and quoted names stay at the end."""
    wrong = [translated for translated in messages.values() if re.search(r"[.。．,，、:：;；\s]$", translated)]
    wrong += [text for (_, text), translated in messages.items() if text.endswith("…") != translated.endswith("…")]
    assert wrong == [] and all(translated.strip() for translated in messages.values())


@every_language
def test_a_refusal_is_followed_by_a_remedy(messages, registered):
    """The panel splits it there."""
    found = [text for text in refusals() if (CONTEXT, text) in messages]
    assert len(found) > 3
    assert [text for text in found if (": " in text) != (": " in messages[CONTEXT, text])] == []


def test_unregistering_leaves_nothing(registered, monkeypatch):
    """A bpy built without languages stores none, so a mock does here, and a full Blender below."""
    kept = {}
    keeper = SimpleNamespace(register=kept.__setitem__, unregister=kept.__delitem__)
    voxel_carve.unregister()
    monkeypatch.setattr(translations, "bpy", SimpleNamespace(app=SimpleNamespace(translations=keeper), types=bpy.types))
    voxel_carve.register()
    assert kept == {"voxel_carve.translations": LANGUAGES}
    voxel_carve.unregister()
    assert kept == {}
    monkeypatch.undo()
    voxel_carve.register()


def test_lines_of_wide_letters_are_shorter():
    narrow = sentence_lines(bpy.context, "carve the mesh " * 20)
    wide = sentence_lines(bpy.context, JAPANESE)
    assert "".join(wide) == JAPANESE
    assert max(map(len, wide)) <= max(map(len, narrow)) // 2 + 1


@pytest.mark.skipif(not bpy.app.build_options.international, reason="this bpy is built without languages")
@pytest.mark.parametrize("language", LOCALES)
def test_blender_finds_them(language, registered):
    view = bpy.context.preferences.view
    before = view.language
    view.language = language
    try:
        shown = bpy.app.translations.pgettext_iface("Voxel Carve", OPERATOR_CONTEXT)
        assert shown == _messages(language)[OPERATOR_CONTEXT, "Voxel Carve"]
    finally:
        view.language = before


@pytest.fixture
def folder():
    """A folder that a full Blender sees too, even if it has another root directory."""
    temporary = BLENDER_ROOT / "tmp" if BLENDER_ROOT != Path("/") else None
    with tempfile.TemporaryDirectory(prefix="voxel_carve_", dir=temporary) as name:
        yield Path(name).resolve()


@pytest.mark.real_blender
@pytest.mark.slow
def test_a_full_blender_shows_what_we_say(real_blender, folder, registered):
    """Every string in every language, and nothing that Blender's own catalogue has for it."""
    asked = sorted(keys())
    shutil.copytree(translations.__path__[0], folder / "translations", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "ask.py").write_text(ASK)
    (folder / "asked.json").write_text(json.dumps(asked))
    script = Path("/") / (folder / "ask.py").relative_to(BLENDER_ROOT)
    words = ["-b", "--factory-startup", "--python-exit-code", "9", "--python", str(script), "--", *LOCALES]
    done = subprocess.run([*real_blender, *words], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "found.json").read_text())
    for language in LOCALES:
        messages = _messages(language)
        wrong = {key: shown for key, shown in zip(asked, found[language], strict=True) if shown != messages[key]}
        assert wrong == {}, language
    assert found["none"] == [text for context, text in asked if context != DEFAULT]


def _fields(text):
    return sorted(re.findall(r"\{.*?\}", text)) + ["'"] * text.count("'{")


def _messages(locale):
    return LANGUAGES.get(locale) or LANGUAGES[locale.partition("_")[0]]
