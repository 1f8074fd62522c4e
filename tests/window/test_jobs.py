"""A job during the user's work: cancelled, interrupted, and with the view rotated meanwhile.

How long Blender's main thread was away is noted in result.json under build/window/cancel and cancel_compiled, and is no
matter of a test.
"""

import pytest

from tests.window.harness import play

pytestmark = pytest.mark.window

SCENE = ["Camera", "Light", "Suzanne", "Walk"]


@pytest.mark.parametrize("driver", ["cancel", pytest.param("cancel_compiled", marks=pytest.mark.slow)])
def test_escape_leaves_everything_as_it_was(driver, installed):
    facts = play(installed, driver, limit_s=900)
    assert facts["changed_by_idling"] == []  # the fingerprint itself is sound
    assert facts["objects_meanwhile"] == SCENE
    assert facts["changed_meanwhile"] == []
    fractions = [each["fraction"] for each in facts["progress"]]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] < fractions[-1] < 1
    assert facts["changed_by_cancelling"] == []
    assert facts["changed_later"] == []
    assert facts["reports"][-1] == "Cancelled: nothing was changed"
    assert facts["objects_in_the_end"] == ["Camera", "Light", "Suzanne", "Suzanne Carved", "Walk"]


def test_cancelling_by_the_button_leaves_everything_as_it_was(installed):
    facts = play(installed, "cancel_button", limit_s=500)
    assert facts["changed"] == []
    assert facts["reports"][-1] == "Cancelled: nothing was changed"


def test_the_user_can_continue_while_a_job_runs(installed):
    facts = play(installed, "interrupt", limit_s=900)
    assert facts["undone"] == ["Camera", "Cube", "Light"]
    assert facts["redone"] == SCENE
    assert facts["mode"] == "EDIT_MESH"
    assert facts["waits"]
    assert facts["in_edit_mode"] == SCENE
    assert facts["out_of_edit_mode"] == ["Camera", "Light", "Suzanne", "Suzanne Carved", "Walk"]
    assert facts["undone_again"] == SCENE
    assert facts["deleted"] == ["Camera", "Light", "Walk"]
    assert facts["job_without_stock"] == facts["deleted"]
    assert facts["reports"][-1] == "'Suzanne' was deleted meanwhile: nothing was changed"
    assert facts["loaded"] == SCENE


def test_bake_asks_first_and_counts_the_frames(installed):
    facts = play(installed, "bake", limit_s=500)
    assert not facts["job_after_escape"] and facts["objects_after_escape"]
    assert facts["made"] == [f"Icosphere Carved {frame:04d}" for frame in range(1, 13)]
    counted = [stage for stage in facts["stages"] if stage != "Read"]
    assert len(counted) > 2 and set(counted) <= {f"Frame {frame} of 12" for frame in range(1, 13)}
    assert "12 frames" in facts["reports"][-1]


@pytest.mark.slow
def test_what_blocks_the_window_beside_a_job_is_measured(installed):
    """How long is no matter of a test: see docs/responsiveness.md."""
    facts = play(installed, "pauses", limit_s=1800)
    assert len(facts["runs"]) == 5
    for run in facts["runs"]:
        assert run["stage"], "the job ended before the measurement did"
        for measured in (run["idle"], run["job"]):
            longest = measured["longest"][0]
            assert longest["ms"] == measured["longest_ms"] and measured["seconds"] >= 12
            assert 0 <= longest["main_ran"] + longest["main_waited"] <= longest["ms"] + 20
