"""Messages reach the user in the language of the interface, with lengths in the units of the scene."""

import pickle
from typing import Any

import pytest

bpy: Any = pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from tests.scene_objects import box, poly_curve, select  # noqa: E402
from voxel_carve.compute import EmptyResultError, InputError, MemoryLimitError  # noqa: E402
from voxel_carve.compute.runtime import Length, Sentence, Volume  # noqa: E402
from voxel_carve.translations import CONTEXT, LANGUAGES, telling  # noqa: E402
from voxel_carve.translations.telling import told  # noqa: E402

GERMAN = LANGUAGES["de"]


@pytest.fixture(autouse=True)
def german(registered, monkeypatch):
    """A bpy built without languages translates nothing, so the catalogue itself is asked."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    monkeypatch.setattr(telling, "report_text", lambda text: GERMAN.get((CONTEXT, text), text))


def test_the_template_is_translated_and_a_length_gets_the_unit_of_the_scene():
    error = pickle.loads(pickle.dumps(MemoryLimitError(3 * 2**30, 2**30, 0.0024961)))
    said = "Der Auftrag braucht etwa 3.0 GiB und darf 1.0 GiB nehmen: eine Voxelgröße von {} würde passen"
    assert told(error) == said.format("2.5 mm")
    bpy.context.scene.unit_settings.system = "NONE"
    assert told(error) == said.format("0.0025")
    assert str(error).endswith("a voxel size of 0.002496 would fit")


def test_sentences_in_a_sentence_are_translated_too():
    remedy = Sentence("use voxels of at most {voxel_size}, or a larger radius", voxel_size=Length(0.01))
    empty = "nothing is left of '{name}': what the paths share with it is thinner than a voxel; {remedy}"
    error = InputError("frame {frame}: {error}", frame=7, error=EmptyResultError(empty, name="Box", remedy=remedy))
    assert told(error) == (
        "Einzelbild 7: von 'Box' bleibt nichts übrig: was die Pfade mit ihm teilen, ist dünner als ein Voxel; "
        "Voxel von höchstens 1 cm oder einen größeren Radius nehmen"
    )


def test_what_is_not_ours_stays_as_it_is():
    assert told("Some other text") == told(ValueError("some other text")) == "Some other text"


def test_a_volume_is_told_in_the_unit_of_the_one_beside_it():
    assert told(Sentence("volume {volume} removed", volume=Volume(0.065439, 7.93))) == "Volumen 0.0654 m³ entfernt"


def test_reports_and_refusals_of_operators_are_translated(capfd):
    stock, path = box("Box"), poly_curve([(-9, 0, 0), (9, 0, 0)])
    select(stock, path)
    assert bpy.ops.object.voxel_carve(resolution=16, backend="CPU") == {"FINISHED"}
    assert "'Box' gefräst: Volumen " in capfd.readouterr().out
    stock.hide_set(False)
    select(stock, path)
    with pytest.raises(RuntimeError, match="Voxelgröße 3 m ist größer als 'Box', dessen längste Seite 2 m misst"):
        bpy.ops.object.voxel_carve(size_mode="SIZE", voxel_size=3, backend="CPU")
    with pytest.raises(RuntimeError, match="Mindestens 2 Meshes mit Flächen oder Volumen auswählen"):
        bpy.ops.object.voxel_carve_boolean()
