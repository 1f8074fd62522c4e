"""Drawings of SVG as toolpaths: exact coordinates, and the places where Blender's own import puts them."""

import math
import time

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.formats import read_paths

# Meters in a pixel, and in a user unit of a drawing of 100 mm whose viewBox is 100 wide.
PIXEL, MM = 0.0254 / 90, 1e-3
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="100mm" viewBox="0 0 100 100">'
TRIANGLE = [[10, 90], [50, 90], [50, 60]]  # of (10, 10), (50, 10), (50, 40), from the lower left corner
D = "M10 10 L50 10 L50 40"


def svg(body, head=HEAD):
    return f'<?xml version="1.0"?>\n{head}\n{body}\n</svg>\n'


def lines_of(folder, content, name="a.svg", **more):
    (folder / name).write_text(content, encoding="utf-8")
    return read_paths(folder / name, 0.5, **more)


def path(d):
    return svg(f'<path d="{d}"/>')


# Drawings of the same three points, in user units of MM.
SAME = {
    "absolute": path(D),
    "relative": path("m10 10 l40 0 l0 30"),
    "lines after a move": path("M10 10 50 10 50 40"),
    "relative lines after a move": path("m10,10 40,0 0,30"),
    "across and down": path("M10 10H50V40"),
    "relative across and down": path("m10 10h40v30"),
    "without gaps": path("M10-10m0,20L50 10.0.0.0".replace(".0.0.0", "v30")),
    "points and signs": path("M1e1+10L.5e2,10-0,0L50,10L50 40".replace("-0,0L50,10", "")),
    "commas and line ends": path("M 10,10\n\tL 50 , 10,\n 50 40"),
    "polyline": svg('<polyline points="10,10 50,10 50,40"/>'),
    "polyline without commas": svg('<polyline points=" 10 10 50 10\n50 40 "/>'),
    "translate": svg(f'<g transform="translate(10)"><path transform="translate(-10, 0)" d="{D}"/></g>'),
    "scale": svg('<path transform="scale(10)" d="M1 1 L5 1 L5 4"/>'),
    "scale of both": svg('<path transform="scale(10,-5)" d="M1 -2 L5 -2 L5 -8"/>'),
    "matrix": svg('<path transform="matrix(0 1 1 0 0 0)" d="M10 10 L10 50 L40 50"/>'),
    "rotate": svg('<path transform="rotate(90)" d="M10 -10 L10 -50 L40 -50"/>'),
    "rotate about": svg('<path transform="rotate(180 50 50)" d="M90 90 L50 90 L50 60"/>'),
    "skew": svg('<path transform="skewX(45)" d="M0 10 L40 10 L10 40"/>'),
    "several transforms": svg('<path transform="translate(10 10) , scale(2)" d="M0 0 L20 0 L20 15"/>'),
    "use": svg(f'<defs><path id="a" d="{D}"/></defs><use href="#a"/>'),
    "use of xlink": svg('<symbol id="a"><path d="M0 0 H40 V30"/></symbol><use xlink:href="#a" x="10" y="10"/>').replace(
        "<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" '
    ),
    "prefix": svg(f'<svg:path d="{D}"/>').replace("<svg ", '<svg xmlns:svg="http://www.w3.org/2000/svg" '),
    "doctype": svg(f'<path d="{D}"/>').replace(
        "?>",
        '?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
    ),
    "centimeters": svg(f'<path d="{D}"/>', HEAD.replace("100mm", "10cm")),
    "no height": path(D).replace(' height="100mm"', ""),
    "no width": path(D).replace(' width="100mm"', ""),
    "a height in percent": path(D).replace('height="100mm"', 'height="100%"'),
    "another viewBox": svg('<path d="M110 60 H150 V90"/>', HEAD.replace("0 0 100", "100 50 100")),
    "inches": svg('<path d="M10 10 H50 V40"/>', HEAD.replace("100mm", f"{100 / 25.4!r}in")),
    "nested": svg('<svg x="10" y="10" width="40" height="40" viewBox="0 0 4 4"><path d="M0 0 H4 V3"/></svg>'),
    "no viewBox": svg(
        f'<path transform="scale({90 / 25.4!r})" d="M10 -90 H50 V-60"/>', '<svg width="100mm" height="100mm">'
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_lines_are_read_however_they_are_written(tmp_path, case):
    (found,) = lines_of(tmp_path, SAME[case])
    np.testing.assert_allclose(found.points[:, :2], np.array(TRIANGLE) * MM, rtol=1e-12, atol=1e-16)
    assert not found.points[:, 2].any() and not found.cyclic
    assert found.radii.tolist() == [0.5] * 3


def test_pixels_are_those_of_blender(tmp_path):
    found = lines_of(tmp_path, svg(f'<path d="{D}"/>', '<svg width="100" height="100" viewBox="0 0 100 100">'))
    np.testing.assert_allclose(found[0].points[:, :2], np.array(TRIANGLE) * PIXEL, rtol=1e-12)
    assert found.notes[0].endswith("a.svg: a unit of the drawing is 0.000282222 m")


@pytest.mark.parametrize("unit", [1e-3, 0.0254])
def test_the_unit_of_the_result(tmp_path, unit):
    found, *_ = made = lines_of(tmp_path, path(D), unit=unit)
    assert made.notes[0].endswith("a.svg: a unit of the drawing is 0.001 m")
    np.testing.assert_allclose(found.points[:, :2], np.array(TRIANGLE) * MM / unit, rtol=1e-12)


def off_circle(points, x, y, rx, ry):
    """How far points (N, 2), and the middles of the chords between them, are off an ellipse, by its longer radius."""
    middles = (points + np.roll(points, -1, axis=0)) / 2
    return [abs(np.hypot((each[:, 0] - x) / rx, (each[:, 1] - y) / ry) - 1).max() for each in (points, middles)]


ROUND = {
    "circle": ('<circle cx="40" cy="30" r="20"/>', 40, 70, 20, 20),
    "ellipse": ('<ellipse cx="40" cy="30" rx="20" ry="10"/>', 40, 70, 20, 10),
    "circle in mm": (f'<circle cx="{40 * 25.4 / 90}mm" cy="30" r="20px"/>', 40, 70, 20, 20),
    "circle in percent": ('<circle cx="40%" cy="30%" r="20%"/>', 40, 70, 20, 20),
    "arcs": ('<path d="M60 30 A20 20 0 0 1 20 30 A20 20 0 0 1 60 30 Z"/>', 40, 70, 20, 20),
    "arcs without gaps": ('<path d="M60 30a20 20 0 01-40 0 20 20 0 0140 0z"/>', 40, 70, 20, 20),
    "large arc": ('<path d="M60 30 A20 10 0 1 1 40 20 A20 10 0 0 1 60 30Z"/>', 40, 70, 20, 10),
    "turned arc": ('<path d="M60 30 A10 20 90 1 0 40 40 A10 20 -90 0 0 60 30Z"/>', 40, 70, 20, 10),
    "arcs too short": ('<path d="M60 30 A1 1 0 0 1 20 30 A1 1 0 0 1 60 30z"/>', 40, 70, 20, 20),
    "squeezed": ('<circle transform="translate(40 30) scale(2 1)" r="10"/>', 40, 70, 20, 10),
    "turned": ('<circle transform="rotate(30 40 30)" cx="40" cy="30" r="20"/>', 40, 70, 20, 20),
}


@pytest.mark.parametrize("case", ROUND)
def test_circles_are_round(tmp_path, case):
    body, *ellipse = ROUND[case]
    (found,) = lines_of(tmp_path, svg(body))
    points = found.points[:, :2] / MM
    on, beside = off_circle(points, *ellipse)
    assert on < 1e-12 and 1e-6 < beside < 3e-4  # of its diameter, a chord is off by a ten-thousandth
    assert found.cyclic
    assert 100 < len(points) < 300
    np.testing.assert_allclose(np.ptp(points, axis=0), 2 * np.array(ellipse[2:]), rtol=1e-3)


def bezier(t, *control):
    n = len(control) - 1
    return sum(
        math.comb(n, k) * t[:, None] ** k * (1 - t[:, None]) ** (n - k) * np.array(p) for k, p in enumerate(control)
    )


# Path data, and the curves that it has, each by its control points.
SMOOTH = {
    "cubic": ("M0 0 C0 50 100 50 100 0", [[(0, 0), (0, 50), (100, 50), (100, 0)]]),
    "relative cubic": ("m10 0 c0 50 80 50 80 0", [[(10, 0), (10, 50), (90, 50), (90, 0)]]),
    "quadratic": ("M0 0 Q50 90 100 0", [[(0, 0), (50, 90), (100, 0)]]),
    "smooth cubics": (
        "M0 0 C0 20 30 40 50 20 S100 0 100 50",
        [[(0, 0), (0, 20), (30, 40), (50, 20)], [(50, 20), (70, 0), (100, 0), (100, 50)]],
    ),
    "smooth quadratics": ("M0 0 Q20 40 50 20 t50 30", [[(0, 0), (20, 40), (50, 20)], [(50, 20), (80, 0), (100, 50)]]),
    "smooth after a line": ("M0 0 L50 20 s30 0 50 30", [[(0, 0), (50, 20)], [(50, 20), (50, 20), (80, 20), (100, 50)]]),
}  # fmt: skip


@pytest.mark.parametrize("case", SMOOTH)
def test_curves_are_followed(tmp_path, case):
    data, curves = SMOOTH[case]
    (found,) = lines_of(tmp_path, path(data))
    points = found.points[:, :2] / MM * [1, -1] + [0, 100]
    true = np.concatenate([bezier(np.linspace(0, 1, 50_000), *curve) for curve in curves])
    steps = points[1:] - points[:-1]
    for place in (points, points[:-1] + steps / 2, points[:-1] + steps / 3):
        assert np.linalg.norm(place[:, None] - true, axis=2).min(axis=1).max() < 1.1e-2
    # And every place of the curve is near a chord.
    true = true[::10]
    off = true[:, None] - points[:-1]
    along = np.clip((off * steps).sum(axis=2) / (steps**2).sum(axis=1), 0, 1)
    assert np.linalg.norm(off - along[..., None] * steps, axis=2).min(axis=1).max() < 1.1e-2
    np.testing.assert_allclose(points[[0, -1]], [curves[0][0], curves[-1][-1]], atol=1e-12)


def test_paths_of_several_parts(tmp_path):
    found = lines_of(tmp_path, path("M1 1 M0 0 H10 V10 Z l5 5 M20 20 h10"))
    assert [(each.cyclic, len(each.points)) for each in found] == [(True, 3), (False, 2), (False, 2)]
    np.testing.assert_allclose(found[1].points[:, :2] / MM, [[0, 100], [5, 95]], atol=1e-12)
    (closed,) = lines_of(tmp_path, path("M0 0 H10 V10 L0 0 Z"))
    assert closed.cyclic and len(closed.points) == 3


def test_rectangles(tmp_path):
    sharp, rounded = lines_of(
        tmp_path, svg('<rect x="10" y="20" width="30" height="40"/><rect rx="5" ry="50" width="30" height="40"/>')
    )
    np.testing.assert_allclose(sharp.points[:, :2] / MM, [[10, 80], [40, 80], [40, 40], [10, 40]], atol=1e-12)
    assert sharp.cyclic and rounded.cyclic
    points = rounded.points[:, :2] / MM
    np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], [[0, 60], [30, 100]], atol=1e-9)
    # The radii are 5 and 20: the corner's arc is there.
    corner = points[(points[:, 0] > 25) & (points[:, 1] > 80)]
    np.testing.assert_allclose(np.hypot((corner[:, 0] - 25) / 5, (corner[:, 1] - 80) / 20), 1, atol=1e-12)


def test_what_is_no_path_is_left_out_and_told(tmp_path):
    found = lines_of(
        tmp_path,
        svg(
            '<title>t</title><defs><circle r="1"/></defs><clipPath><circle r="1"/></clipPath><text>a</text>'
            f'<image/><text>b</text><metadata/><path id="cut" d="{D}"/><line x1="1" x2="5"/><line x2="5" y2="5"/>'
        ),
    )
    assert [each.name.rpartition("path ")[2] for each in found] == ["cut", "2", "3"]
    assert found.notes[1].endswith("left out, as they are no paths: 2 text, 1 image")


CUT = f'<path d="{D}"/>'
HIDDEN = {
    "a layer": (
        f'<g style="fill:none; display : none !important"><g>{CUT}</g><circle r="5"/></g>{CUT}',
        "1 path, 1 circle",
    ),
    "an attribute": (f'<g display="none">{CUT}</g>{CUT}', "1 path"),
    "a path": (f'<path style="display:none" d="{D}"/>{CUT}', "1 path"),
    "what says it is shown in a hidden layer": (
        f'<g display="none"><path display="inline" d="{D}"/></g>{CUT}',
        "1 path",
    ),
    "invisible": (f'<g visibility="hidden">{CUT}</g>{CUT}', "1 path"),
    "seen in an invisible layer": (
        f'<g visibility="collapse">{CUT}<path style="visibility:visible" d="{D}"/></g>',
        "1 path",
    ),
    "a style that outweighs": (f'<g display="inline" style="display:none">{CUT}</g>{CUT}', "1 path"),
    "a use": (f'<defs><path id="a" d="{D}"/></defs><use display="none" href="#a"/><use href="#a"/>', "1 path"),
    "the used": (f'<defs><path id="a" display="none" d="{D}"/></defs><use href="#a"/>{CUT}', "1 path"),
    "a text too": (f'<g display="none"><text>a</text>{CUT}</g>{CUT}', "1 path"),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_what_the_drawing_hides_is_left_out_and_told(tmp_path, case):
    body, told = HIDDEN[case]
    (found,) = made = lines_of(tmp_path, svg(body))
    np.testing.assert_allclose(found.points[:, :2], np.array(TRIANGLE) * MM, rtol=1e-12, atol=1e-16)
    assert [note.rpartition("a.svg: ")[2] for note in made.notes[1:]] == [
        f"left out, as the drawing hides them: {told}"
    ]


def test_what_defs_hide_is_shown_where_it_is_used(tmp_path):
    body = f'<defs style="display:none"><path id="a" d="{D}"/></defs><g display="none"><path id="b" d="{D}"/></g>'
    assert len(lines_of(tmp_path, svg(f'{body}<use href="#a"/><use href="#b"/>'))) == 2


BOMB = '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12)
) + "]>"  # fmt: skip
DOUBLING = "<defs><g id='a0'/>" + "".join(
    f"<g id='a{n + 1}'><use href='#a{n}'/><use href='#a{n}'/></g>" for n in range(60)
) + "</defs><use href='#a60'/>"  # fmt: skip
REFUSED = {
    "a word": (
        path("M0 0 L5 five"),
        "line 3, column 1: <path>: character 9 of its d is 'five', which may not stand there",
    ),
    "a command unknown": (path("M0 0 X5 5"), "line 3, column 1: <path>: character 6 of its d is 'X5 5'"),
    "cut short": (path("M0 0 L5"), "line 3, column 1: <path>: its d is cut short"),
    "a flag": (path("M0 0 A1 1 0 2 0 1 1"), "character 13 of its d is '2 0 1 1'"),
    "numbers after the end": (path("M0 0 H1 Z 5"), "character 11 of its d is '5'"),
    "no command": (path("5 5"), "character 1 of its d is '5 5'"),
    "points": (svg('\n  <polygon points="0,0 1;1"/>'), "4, column 3: <polygon>: character 6 of its points is ';1'"),
    "an odd point": (svg('<polyline points="0 0 1"/>'), "<polyline>: its points is cut short"),
    "a length": (svg('<rect width="5" height="5 apples"/>'), "<rect>: character 1 of its height is '5 apples'"),
    "a transform": (svg('<g transform="turn(5)"><path d="M0 0H1"/></g>'), "its transform is 'turn(5)', which cannot"),
    "a transform's numbers": (svg('<path transform="rotate(1 2)" d="M0 0H1"/>'), "its transform is 'rotate(1 2)'"),
    "width": (path(D).replace("100mm", "wide", 1), "line 2, column 1: its width is 'wide', which cannot be read"),
    "viewBox": (path(D).replace("0 0 100 100", "0 0 a b"), "its viewBox is '0 0 a b', which cannot be read"),
    "not well-formed": (svg('<path d="M0 0'), "line 4, column 1: it is not well-formed XML"),
    "a tag that does not fit": (svg("<g></h>"), "line 3, column 6: it is not well-formed XML (mismatched tag)"),
    "an entity": (svg("<g>&nothing;</g>"), "line 3, column 4: it is not well-formed XML (undefined entity)"),
    "another root": ("<html><body/></html>", "line 1, column 1: it begins with <html>, and not with <svg>"),
    "all hidden": (svg(f'<g display="none">{CUT}</g>'), "a.svg hides all its paths (1 path): show their layers"),
    "the drawing hidden": (path(D).replace("<svg ", '<svg style="display:none" '), "hides all its paths"),
    "nothing drawn": (svg("<text>a</text>"), "has no path: export lines, curves or points into it"),
    "a bomb of entities": (svg("<text>&m;</text>").replace("?>", "?>" + BOMB), "has a document type (DTD) of its own"),
    "an entity of a file": (
        svg("<text>&a;</text>").replace("?>", '?><!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
        "line 1, column 36: the file has a document type (DTD) of its own",
    ),
    "use of itself": (svg('<g id="a"><use href="#a"/></g>'), "3, column 11: <use> shows 'a', which it is in itself"),
    "use that doubles": (svg(DOUBLING), "elements use each other more than 100000 times"),
    "deep": (svg("<g>" * 5000 + "</g>" * 5000), "line 3, column 1498: elements are in each other more than 500 deep"),
    "too large": (path("M0 0 L1e300 0"), "has coordinates that are not numbers or are too large"),
    "infinite": (path("M0 0 L1e999 0"), "has coordinates that are not numbers or are too large"),
    "no text": ("\0\1\2", "line 1, column 1: it is not well-formed XML"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_by_line_and_column(tmp_path, case):
    content, message = REFUSED[case]
    began = time.perf_counter()
    with pytest.raises(InputError) as error:
        lines_of(tmp_path, content)
    assert message in str(error.value) and "a.svg" in str(error.value)
    assert "\n" not in str(error.value)
    assert time.perf_counter() - began < 20  # a hang, and no measure
