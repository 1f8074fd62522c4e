"""What a file keeps of sentences: plain English for scripts, and what the panel says them from, in any language."""

import json
from typing import Any

import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from tests.scene_objects import box, poly_curve, select  # noqa: E402
from tests.ui.test_panel import drawn  # noqa: E402
from voxel_carve.compute.runtime import Length, Sentence, Volume, as_json  # noqa: E402
from voxel_carve.recipes.recipe import recipe_of  # noqa: E402
from voxel_carve.translations import CONTEXT, LANGUAGES, telling  # noqa: E402
from voxel_carve.translations.keeping import kept_sentence  # noqa: E402
from voxel_carve.translations.telling import told  # noqa: E402
from voxel_carve.updating import comparing  # noqa: E402

LAST_RESULT = "VIEW3D_PT_voxel_carve_last_result"


@pytest.fixture(autouse=True)
def language(registered, monkeypatch):
    """Switches the interface to a language. A bpy built without languages translates nothing, so this asks ours."""
    bpy.ops.wm.read_factory_settings(use_empty=True)

    def switch(name):
        messages = LANGUAGES[name]
        monkeypatch.setattr(telling, "report_text", lambda text: messages.get((CONTEXT, text), text))

    return switch


def carved(tmp_path):
    """A result with a warning and a message, from a file in which both arose in English."""
    path = poly_curve([(-2, 0, 0), (2, 0, 0)])
    path.data.bevel_depth, path.data.extrude = 0.3, 0.5
    select(box("Block"), path)
    assert bpy.ops.object.voxel_carve(resolution=16, backend="CPU") == {"FINISHED"}
    bpy.context.scene.collection.objects.unlink(path)
    comparing.compare(bpy.context.object)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    return bpy.context.object


def test_a_message_and_a_warning_are_said_in_the_language_of_whoever_opens_the_file(language, tmp_path):
    obj = carved(tmp_path)
    message = "All paths of 'Block Carved' were deleted: add one, or apply"
    warning = "'Path' is cut without its extrusion: set Extrude to 0"
    assert recipe_of(obj).message == message
    assert json.loads(obj["voxel_carve_report"])["warnings"] == [warning]
    assert " ".join(drawn().red) == message.replace(": add", " Add")
    assert " ".join(drawn(getattr(bpy.types, LAST_RESULT)).labels).endswith(warning)
    for name, said, warned in (
        ("de", "Alle Pfade von 'Block Carved' wurden gelöscht Einen hinzufügen, oder anwenden", "ohne Extrusion"),
        ("ja", "'Block Carved' のすべてのパスが削除されました パスを追加するか、適用してください", "押し出しなし"),
    ):
        language(name)
        assert " ".join(drawn().red) == said
        assert warned in " ".join(drawn(getattr(bpy.types, LAST_RESULT)).labels)


def test_a_message_of_an_older_file_or_of_a_script_is_shown_as_it_is(language, tmp_path):
    obj = carved(tmp_path)
    language("de")
    recipe_of(obj).message = "Nothing is left: carve less"
    assert drawn().red == ["Nothing is left", "Carve less"]
    report = json.loads(obj["voxel_carve_report"])
    for its in ({"warnings": ["mind the gap"]}, {"warnings_kept": []}, {"warnings_kept": 7}):
        obj["voxel_carve_report"] = json.dumps(report | its)
        shown = (report | its)["warnings"][0]
        assert " ".join(drawn(getattr(bpy.types, LAST_RESULT)).labels).endswith(shown[:1].upper() + shown[1:])


def test_fields_are_kept_with_their_units(language):
    sentence = Sentence(
        "'{name}' carved: {change}, {faces:,} faces, {total:.2f} s (of that read {read:.2f}, write {write:.2f})",
        name="A {brace}",
        change=Sentence("volume {volume} removed", volume=Volume(0.065439, 7.93)),
        faces=12345,
        **dict.fromkeys(("total", "read", "write"), 1.5),
    )
    assert told(kept_sentence(str(sentence), as_json(sentence))) == told(sentence)
    size = Sentence("use voxels of at most {voxel_size}, or a larger radius", voxel_size=Length(0.01))
    assert told(kept_sentence(str(size), as_json(size))) == "Use voxels of at most 1 cm, or a larger radius"


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "{",
        "[" * 100_000,
        json.dumps({"template": "{x:>999999999}", "fields": {"x": 1}}),
        json.dumps({"template": "volume {volume} removed", "fields": {"volume": {"volume": "x"}}}),
        json.dumps({"template": "volume {volume} removed", "fields": {"volume": {"volume": 1e999, "beside": 0}}}),
        json.dumps({"template": "volume {volume} removed", "fields": {}}),
        json.dumps({"template": ["volume {volume} removed"], "fields": {}}),
        json.dumps({"template": "radius", "fields": {}}),
    ],
)
def test_what_is_damaged_or_no_sentence_of_ours_leaves_the_plain_text(kept):
    assert type(kept_sentence("volume 1 removed", kept)) is str
