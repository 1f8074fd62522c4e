"""The picture that compares Voxel Carve with Blender's own ways: `dev.py compare`."""

import numpy as np
import pytest

from tests.command_line import ROOT, environment
from tests.forks.forked import run_python

SIZE = 60  # pixels


@pytest.mark.blender
def test_each_way_is_cut_and_rendered(tmp_path):
    """A groove of 0.4 voxel is seen in two of three: the voxels of Remesh cannot hold it."""
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("bpy")
    folders = ["--work", tmp_path / "renders", "--output", tmp_path / "sheet.png"]
    small = ["--scene", "groove", "--resolution", 64, "--size", SIZE, "--samples", 1]
    done = run_python([ROOT / "scripts" / "compare.py", *folders, *small], tmp_path, environment())
    assert done.returncode == 0, done.stderr.decode()
    assert image.open(tmp_path / "sheet.png").width > 3 * SIZE
    shares = {}
    for way in ("carve", "remesh", "boolean"):
        red, _, blue = np.moveaxis(
            np.asarray(image.open(tmp_path / "renders" / f"groove_{way}.png"), int)[..., :3], 2, 0
        )
        assert red.shape == (SIZE, SIZE)
        shares[way] = np.mean(red > blue)  # the cut is orange, and the plate blue
    assert shares["remesh"] == 0
    assert 0.04 < shares["boolean"] < shares["carve"] < 0.12  # the tube's facets lie inside the tool's surface
