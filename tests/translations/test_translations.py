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
from tests.translations.translatable_strings import DEFAULT, OPERATOR, keys, literals, refusals  # noqa: E402
from voxel_carve import translations  # noqa: E402
from voxel_carve.settings import OPERATIONS  # noqa: E402
from voxel_carve.translations import LANGUAGES  # noqa: E402
from voxel_carve.ui.wording import sentence_lines  # noqa: E402

MESSAGES = {language: LANGUAGES[language] for language in ("de", "es", "ja", "zh_HANS")}
# Locales as in the preferences; Blender may return them in another letter case, or with another country.
LOCALES = ["de_DE", "es", "ja_JP", "zh_HANS"]
JAPANESE = "切削するメッシュ。" * 20
every_language = pytest.mark.parametrize("messages", MESSAGES.values(), ids=MESSAGES)

# Runs in a full Blender, which need not have the modules for computing. Prints for each language the name of an
# operator, a value of a setting, and a sentence with a field.
ASK = """
import json
import sys
from pathlib import Path

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt

sys.path.insert(0, str(Path(__file__).parent))
import translations

translations.register()
view = bpy.context.preferences.view
view.use_translate_interface = view.use_translate_reports = True
found = {}
for language in sys.argv[sys.argv.index("--") + 1:]:
    view.language = language
    sentence = pgettext_rpt("Select at least {count} meshes with faces")
    found[language] = [pgettext_iface("Voxel Carve", "Operator"), pgettext_iface("Keep Stock"), sentence]
translations.unregister()
translations.register()  # refused, where anything is left by that name
translations.unregister()
found["none"] = pgettext_iface("Keep Stock")
print(json.dumps(found))
"""
BLENDER_ROOT = Path(os.environ.get("VOXEL_CARVE_BLENDER_ROOT", "/"))


@every_language
def test_every_string_is_translated(messages, registered):
    assert sorted(keys() - set(messages)) == []


@every_language
def test_no_translation_is_obsolete(messages, registered):
    said = keys() | {(DEFAULT, text) for text in literals()}
    assert sorted(set(messages) - said) == []


def test_every_kind_of_string_is_collected(registered):
    """Labels, values with descriptions, reports, drawn texts and texts with fields are all found."""
    assert keys() >= {
        (OPERATOR, "Voxelize"),
        (OPERATOR, "Carve"),
        (DEFAULT, "Subtract"),
        (DEFAULT, OPERATIONS[0][2]),
        (DEFAULT, "Compute in Another Process"),
        (DEFAULT, "Diagnostics copied to the clipboard"),
        (DEFAULT, "Make one of the selected meshes active: it is the base"),
        (DEFAULT, "Replace Stock"),
        (DEFAULT, "{time} left"),
    }
    assert not {text for _, text in keys()} & {"Voxel Carve Cut", "Space Type", "X"}


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
    found = [text for text in refusals() if (DEFAULT, text) in messages]
    assert len(found) > 3
    assert [text for text in found if (": " in text) != (": " in messages[DEFAULT, text])] == []


def test_unregistering_leaves_nothing(registered, monkeypatch):
    """A bpy built without languages stores none, so a mock does here, and a full Blender below."""
    kept = {}
    keeper = SimpleNamespace(register=kept.__setitem__, unregister=kept.__delitem__)
    voxel_carve.unregister()
    monkeypatch.setattr(translations, "bpy", SimpleNamespace(app=SimpleNamespace(translations=keeper)))
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
        assert (
            bpy.app.translations.pgettext_iface("Voxel Carve", OPERATOR) == _messages(language)[OPERATOR, "Voxel Carve"]
        )
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
def test_a_full_blender_finds_them(real_blender, folder):
    shutil.copytree(translations.__path__[0], folder / "translations", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "ask.py").write_text(ASK)
    script = Path("/") / (folder / "ask.py").relative_to(BLENDER_ROOT)
    words = ["-b", "--factory-startup", "--python-exit-code", "9", "--python", str(script), "--", *LOCALES]
    done = subprocess.run([*real_blender, *words], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    asked = ((OPERATOR, "Voxel Carve"), (DEFAULT, "Keep Stock"), (DEFAULT, "Select at least {count} meshes with faces"))
    expected = {language: [_messages(language)[key] for key in asked] for language in LOCALES}
    assert found == {**expected, "none": "Keep Stock"}


def _fields(text):
    return sorted(re.findall(r"\{.*?\}", text)) + ["'"] * text.count("'{")


def _messages(locale):
    return LANGUAGES.get(locale) or LANGUAGES[locale.partition("_")[0]]
