"""Live Update with mouse and keyboard."""

import pytest

from tests.window.harness import play

pytestmark = pytest.mark.window


def test_a_result_follows_a_dragged_curve(installed):
    facts = play(installed, "live")
    assert facts["mode"] == "EDIT_CURVE"
    assert facts["shapes_while_dragging"] >= 1
    assert facts["changed"]
    assert facts["open_edges"] == 0
    assert facts["as_carved_anew"]
