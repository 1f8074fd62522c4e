"""The first steps of a user with mouse and keyboard: install, carve, undo, choose, set preferences.

Each scenario is a driver of the same name; its pictures are in build/window/.
"""

import pytest

from tests.command_line import ROOT
from tests.window.harness import PICTURES, play

pytestmark = pytest.mark.window

SPHERE_VERTICES = 642


def test_install_from_disk(bare, extension_zip):
    facts = play(bare, "install", VOXEL_CARVE_ZIP=bare.inside(f"zip/{extension_zip.name}"))
    assert not facts["enabled_before"]
    assert facts["enabled_after"]
    assert facts["tab"] == "Voxel Carve"


def test_carve_undo_redo(installed):
    facts = play(installed, "carve", limit_s=500)
    assert facts["after"] == [*facts["before"], "Suzanne Carved"]
    assert facts["hidden"]
    assert facts["active"] == "Suzanne Carved"
    assert facts["open_edges"] == 0
    assert facts["report"]["closed"]
    assert facts["report"]["removed_volume"] > 0
    assert facts["shown_again"]
    assert facts["redone_open_edges"] == 0
    assert any(line.startswith("'Suzanne' carved: volume") for line in facts["reports"])
    assert any("'Terrain' is a sheet" in line for line in facts["terrain_reports"])
    # One border, with two dips where the road leaves: about as many voxels as there are along the sides.
    assert facts["open_before"] == 240
    assert 4 * 128 < facts["terrain"]["open"] < 5 * 128
    assert not facts["terrain"]["report"]["closed"]
    assert 0.14 < facts["terrain"]["report"]["removed_volume"] < 0.22


def test_keep_stock_and_a_volume(installed):
    facts = play(installed, "results", limit_s=500)
    assert facts["chosen"] == "KEEP"
    assert facts["report"]["warnings"] == []
    assert facts["report"]["result"] == "keep"
    assert facts["open_edges"] == 0
    assert SPHERE_VERTICES / 2 < facts["kept_vertices"] < SPHERE_VERTICES
    assert facts["then"] == "VOLUME"
    assert "Icosphere Carved" not in facts["refused"]
    assert facts["file"] == "//Icosphere_Carved.vdb" and facts["exists"] and facts["loads"]
    assert facts["volume_report"]["volume"] == pytest.approx(facts["report"]["volume"], rel=0.01)


def test_the_first_that_the_search_of_menus_lists_is_carve(installed):
    assert '"operation": "subtract"' in play(installed, "search", limit_s=500)["report"]


def test_the_panel_and_a_report_in_german(installed):
    facts = play(installed, "language", limit_s=500)
    assert any(" gefräst: Volumen " in line for line in facts["reports"])


def test_files_that_are_dropped(installed):
    facts = play(installed, "drop")
    assert facts["taken"] == [True, False]
    twice = ["one", "one Balls", "one Balls.001", "one.001", "two", "two Balls"]
    assert facts["made"] == twice and set(twice) <= set(facts["selected"])
    assert any("'two Balls' made of 20 balls" in line for line in facts["reports"])


def test_preferences(installed):
    facts = play(installed, "preferences")
    assert facts["found"] == ["backend", "memory_limit"]


def test_the_pictures_of_the_manual_can_be_taken(installed):
    """They are in build/window/manual/; after a look at them, copy them to docs/manual/pictures/."""
    play(installed, "manual", limit_s=900)
    taken = {file.stem for file in (PICTURES / "manual").glob("*.png")}
    assert taken == {file.stem for file in (ROOT / "docs" / "manual" / "pictures").glob("*.png")}


@pytest.mark.slow
def test_an_afternoon(installed):
    """How long our functions kept the main thread is in result.json, under spent, and is no matter of a test."""
    facts = play(installed, "afternoon", limit_s=1500)
    assert len(facts["made"]) == 10
    assert {name for name, found in facts.items() if name.startswith("outdated_after_") and found} == set()
    assert facts["button_after_carve"] == "bpy.ops.object.voxel_carve_update("
    assert facts["finer"] == [True] * 5 and facts["objects_after_updates"]
    assert facts["undone"] and facts["redone"]
    assert facts["recipes"] == [True] * 10
    assert facts["removed"]
    assert not any("Error" in line for line in facts["reports"])
    log = (PICTURES / "afternoon" / "blender.log").read_text()
    assert "Traceback" not in log
