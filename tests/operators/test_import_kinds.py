"""File > Import > Toolpath with files of each kind, and SVG beside Blender's own import."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.formats.paths import kinds

bpy: Any = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("registered")]


@pytest.fixture(autouse=True)
def empty_scene(registered):
    bpy.ops.wm.read_factory_settings(use_empty=True)


def load(file, **properties):
    """Import a file; return the new curve."""
    assert bpy.ops.import_curve.voxel_carve_toolpath(filepath=str(file), **properties) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def splines(obj):
    """The points of each spline in world space, (N, 3), and whether it is cyclic."""
    bpy.context.view_layer.update()
    return [
        (np.array([obj.matrix_world @ point.co.to_3d() for point in spline.points]), spline.use_cyclic_u)
        for spline in obj.data.splines
    ]


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_file_of_each_kind_makes_a_curve(tmp_path, kind):
    if kind == ".dxf":
        pytest.importorskip("ezdxf")
    curve = load(kinds.write(tmp_path, kind), radius=0.25)
    assert curve.name == "tool" and curve.data.bevel_depth == 0.25 and curve.select_get()
    ((points, cyclic),) = splines(curve)
    np.testing.assert_allclose(points, kinds.POINTS, atol=1e-6)
    assert not cyclic


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_the_unit_is_that_of_files_that_say_none(tmp_path, kind):
    if kind == ".dxf":
        pytest.importorskip("ezdxf")
    bpy.context.scene.unit_settings.scale_length = 0.01
    curve = load(kinds.write(tmp_path, kind), unit="MILLIMETERS")
    assert curve.data.bevel_depth == 0
    ((points, _),) = splines(curve)
    factor = 100 if kind in (".svg", ".gpx") else 0.1
    np.testing.assert_allclose(points, kinds.POINTS * factor, rtol=1e-5, atol=1e-6 * factor)


def test_columns_in_millimeters(tmp_path):
    (tmp_path / "a.csv").write_text("X (mm);Y (mm);Z (mm);Radius [mm]\n1000;0;0;125\n0;2000;500;125\n")
    curve = load(tmp_path / "a.csv", unit="INCHES")
    ((points, _),) = splines(curve)
    np.testing.assert_allclose(points, [[1, 0, 0], [0, 2, 0.5]], atol=1e-6)
    assert curve.data.bevel_depth == 0.125


def test_a_bad_drawing_is_refused_and_nothing_made(tmp_path):
    (tmp_path / "a.svg").write_text("<svg><path d='M0 0 Lx'/></svg>")
    with pytest.raises(RuntimeError, match="line 1, column 6: <path>: character 7 of its d is 'x'"):
        bpy.ops.import_curve.voxel_carve_toolpath(filepath=str(tmp_path / "a.svg"))
    assert not bpy.data.objects and not bpy.data.curves


# Without a fill, for which Blender would close what is open. It draws quadratic curves and arcs of too short radii as
# other ones, so there are none.
SHAPES = """
<path d="M10 10 L50 10 C60 10 70 20 70 30 S40 60 20 50 S0 30 10 20 Z m5 5 h20 v10"/>
<path d="M20 70 A15 10 30 1 1 45 75 a9 8 0 0 0 10 5"/>
<rect x="60" y="60" width="30" height="20"/>
<rect x="5" y="80" width="30" height="15" transform="rotate(-10 20 90)"/>
<g transform="translate(5 3) scale(1.5 0.75)">
<circle cx="30" cy="40" r="12"/><ellipse cx="10" cy="9" rx="8" ry="3"/>
</g>
<g transform="matrix(0.9 0.2 -0.1 1.1 3 4) skewX(12)"><polyline points="1,2 30,4 31 20"/></g>
<polygon transform="skewY(-8)" points="80,20 95,20 90,35"/>
<defs><path id="used" d="M0 0 L9 0 L9 7 Z"/></defs><use xlink:href="#used" x="40" y="30"/>
"""
HEADS = {
    "mm": 'width="100mm" height="100mm" viewBox="0 0 100 100"',
    "mm, scaled": 'width="210mm" height="297mm" viewBox="0 0 420 594"',
    "pixels": 'width="100" height="100" viewBox="0 0 100 100"',
    "pixels, scaled": 'width="300px" height="300px" viewBox="0 0 100 100"',
    "no viewBox": 'width="100" height="100"',
    "no size": 'viewBox="0 0 100 100"',
    "nothing": "",
}


def sampled(spline):
    """(N, 3) close points along a Bézier spline of Blender."""
    points = [(np.array(p.handle_left), np.array(p.co), np.array(p.handle_right)) for p in spline.bezier_points]
    ends = [*points, points[0]] if spline.use_cyclic_u else points
    t = np.linspace(0, 1, 400)[:, None]
    found = [
        (1 - t) ** 3 * co + 3 * (1 - t) ** 2 * t * right + 3 * (1 - t) * t**2 * left + t**3 * end
        for (_, co, right), (left, end, _) in pairwise(ends)
    ]
    return np.concatenate(found)


def apart(points, others):
    """The greatest distance of points (N, 3) from the polyline of others (M, 3)."""
    steps = others[1:] - others[:-1]
    off = points[:, None] - others[:-1]
    along = np.clip((off * steps).sum(axis=2) / np.maximum((steps**2).sum(axis=1), 1e-30), 0, 1)
    return np.linalg.norm(off - along[..., None] * steps, axis=2).min(axis=1).max()


# Blender takes its unit scale into account only for drawings in mm.
@pytest.mark.parametrize(("head", "scale"), [*((head, 1.0) for head in HEADS), ("mm", 0.001), ("mm, scaled", 0.001)])
def test_a_drawing_is_where_blenders_own_import_puts_it(tmp_path, head, scale):
    bpy.ops.preferences.addon_enable(module="io_curve_svg")
    bpy.context.scene.unit_settings.scale_length = scale
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    (tmp_path / "a.svg").write_text(f"<svg {names} {HEADS[head]}><g fill='none'>{SHAPES}</g></svg>")
    assert bpy.ops.import_curve.svg(filepath=str(tmp_path / "a.svg")) == {"FINISHED"}
    theirs = [sampled(spline) for obj in bpy.data.objects for spline in obj.data.splines]
    made = splines(load(tmp_path / "a.svg"))
    ours = [np.vstack([points, points[:1]]) if cyclic else points for points, cyclic in made]
    assert len(theirs) == len(ours) == 10
    size = np.abs(np.concatenate(ours)).max()
    left = list(range(len(ours)))
    for curve in theirs:
        # Blender draws circles by four Béziers with handles of 0.552, which are off by up to 0.0003 radii, and its
        # matrices of 32 bits are off by 0.0002.
        distance, match = min((max(apart(curve[::7], ours[n]), apart(ours[n], curve)), n) for n in left)
        assert distance < 4e-4 * size
        left.remove(match)
