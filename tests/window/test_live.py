"""Live Update, as the hand sees it."""

import pytest

from tests.window.harness import play

pytestmark = pytest.mark.window


def test_a_result_follows_the_curve_that_is_dragged(installed):
    facts = play(installed, "live")
    assert facts["mode"] == "EDIT_CURVE"
    assert facts["shapes_while_dragging"] >= 1
    assert facts["changed"]
    assert facts["open_edges"] == 0
    assert facts["as_carved_anew"]
