"""A new user's day in a window of 1280 x 800, from the zip to files for other programs; see drivers/day/.

The volumes of results are Blender's figures. What is missing in them is compared with the volume of balls along the
paths, as Blender evaluates these, which is measured here by points.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial import KDTree

from tests.window.harness import PICTURES, play

pytestmark = pytest.mark.window

Floats = npt.NDArray[np.float64]
Distances = Callable[[Floats], Floats]

DEFAULT_RADIUS = 0.1  # a twentieth of the longest side of the stock, which is 2
VOXEL = 2 / 128  # with Automatic
CYLINDER_SIDES = 32


def test_a_day(bare, extension_zip):
    facts = play(bare, "day", limit_s=1200, height=800, VOXEL_CARVE_ZIP=bare.inside(f"zip/{extension_zip.name}"))
    assert facts["tab"] == "Voxel Carve"

    assert facts["first"]["selected"] == ["BézierCurve", "Cube"]
    carved_as_swept(facts["first"], DEFAULT_RADIUS)
    assert facts["undone"] and facts["redone"] and facts["deleted"]

    text = facts["text"]
    assert text["grooves"] >= text["letters"] == 4
    depth = text["depth"]  # the radius of a ball that runs along the top
    carved_as_swept(text, depth, voxel=depth / 2)
    carved_as_swept(facts["bolt"], facts["bolt"]["radius"], within=within_cylinder)

    carved_as_swept(facts["channels"], DEFAULT_RADIUS)
    deleted = facts["path_deleted"]
    assert deleted["told"] == [deleted["gone"]] and deleted["outdated"] == ["Cube Carved"]
    carved_as_swept(facts["two_channels"], DEFAULT_RADIUS)

    chain = ["Cube Carved", "Cube Carved.001"]
    carved_as_swept(facts["chain"], DEFAULT_RADIUS)
    assert facts["outdated_by_the_move"] == chain and facts["outdated_after_update"] == []
    for updated in (facts["first_of_chain"], facts["second_of_chain"]):
        carved_as_swept(updated, DEFAULT_RADIUS)
    assert facts["second_of_chain"]["result"]["volume"] < facts["chain"]["result"]["volume"] - 0.01
    assert facts["objects"] == ["Camera", "Cube", *chain, "Light", "NurbsPath", "NurbsPath.001"]

    for triangles_or_quads in (faces_of_stl(bare.folder / "day/day.stl"), faces_of_obj(bare.folder / "day/day.obj")):
        ways = Counter(side for face in triangles_or_quads for side in zip(face, [*face[1:], face[0]], strict=True))
        assert len(ways) > 10_000 and set(ways.values()) == {1}
        assert {(end, start) for start, end in ways} == set(ways)
    assert "Traceback" not in (PICTURES / "day" / "blender.log").read_text()


def carved_as_swept(
    station: dict[str, Any], radius: float, voxel: float = VOXEL, within: Distances | None = None
) -> None:
    """Check that a result is one closed body, and lacks what balls along the paths take from the stock.

    The faces of a groove are chords of its round section, so a part (voxel / radius)² / 6 of that is left standing.
    """
    stock, result = station["stock"], station["result"]
    assert result["open_edges"] == 0 and result["parts"] == 1
    step = radius / 6
    ends = np.array(station["paths"])
    low = np.maximum(stock["low"], ends.min(axis=(0, 1)) - radius)
    high = np.minimum(stock["high"], ends.max(axis=(0, 1)) + radius)
    counts = np.ceil((high - low) / step).astype(int)
    steps = (high - low) / counts
    grid = np.meshgrid(*(a + d * (np.arange(n) + 0.5) for a, d, n in zip(low, steps, counts, strict=True)))
    points = np.column_stack([axis.ravel() for axis in grid])
    distances, _ = KDTree(along(ends, radius / 20)).query(points, distance_upper_bound=radius + step)
    inside = np.clip(0.5 + (radius - distances) / step, 0, 1)  # of the cube around a point, about
    if within is not None:
        inside *= np.clip(0.5 + within(points) / step, 0, 1)
    removed = (stock["volume"] - result["volume"]) / (inside.sum() * np.prod(steps))
    assert 1 - (voxel / radius) ** 2 / 4 < removed < 1.003


def along(ends: Floats, apart: float) -> Floats:
    """Points along lines, from their (N, 2, 3) ends."""
    return np.concatenate(
        [
            start + np.linspace(0, 1, 2 + int(np.linalg.norm(end - start) / apart))[:, None] * (end - start)
            for start, end in ends
        ]
    )


def within_cylinder(points: Floats) -> Floats:
    """How far points are from the sides of Blender's cylinder, which is a prism; negative outside."""
    angles = (np.arange(CYLINDER_SIDES) + 0.5) * 2 * np.pi / CYLINDER_SIDES
    outward = points[:, :2] @ np.stack([np.cos(angles), np.sin(angles)])
    return np.cos(np.pi / CYLINDER_SIDES) - outward.max(axis=1)


def faces_of_stl(file: Path) -> Iterable[list[int]]:
    """The corners of each triangle; equal points are one corner."""
    kind = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])
    points = np.frombuffer(file.read_bytes(), kind, offset=84)["points"].reshape(-1, 3)
    _, corners = np.unique(points, axis=0, return_inverse=True)
    return corners.reshape(-1, 3).tolist()


def faces_of_obj(file: Path) -> Iterable[list[int]]:
    """The corners of each face."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [[int(word.split("/")[0]) for word in line.split()[1:]] for line in lines if line.startswith("f ")]
