"""Live Update, as the hand sees it."""

import pytest

from tests.command_line import ROOT
from tests.window.harness import play

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(not (ROOT / "voxel_carve/live.py").exists(), reason="no live update yet"),
]


def test_a_result_follows_the_curve_that_is_dragged(installed):
    facts = play(installed, "live")
    assert facts["mode"] == "EDIT_CURVE"
    assert facts["shapes_while_dragging"] >= 1
    assert facts["changed"]
    assert facts["open_edges"] == 0
    assert facts["as_carved_anew"]
