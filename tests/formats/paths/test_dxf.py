"""Drawings of DXF as toolpaths."""

import math
import time

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.formats import read_paths

ezdxf = pytest.importorskip("ezdxf")

A, B, C = (0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (4.0, 3.0, 0.0)


def tags(*pairs):
    return "".join(f"{code}\n{value}\n" for code, value in pairs)


def point(at, first=10):
    return tuple((first + 10 * axis, value) for axis, value in enumerate(at))


def entities(*parts, header=""):
    """A drawing in the oldest form, with entities alone."""
    return header + tags((0, "SECTION"), (2, "ENTITIES")) + "".join(parts) + tags((0, "ENDSEC"), (0, "EOF"))


def entity(kind, *pairs):
    return tags((0, kind), (8, "cut"), *pairs)


def line(start, end, *more):
    return entity("LINE", *point(start), *point(end, 11), *more)


def lwpolyline(points, *more, bulges=None):
    pairs = [(10, x) if axis == 0 else (20, x) for p in points for axis, x in enumerate(p[:2])]
    for number, bulge in (bulges or {}).items():
        pairs.insert(2 * number + 2 + sum(other < number for other in bulges), (42, bulge))
    kind = tags((0, "LWPOLYLINE"), (5, "2A"), (100, "AcDbEntity"), (8, "cut"), (100, "AcDbPolyline"), (90, len(points)))
    return kind + tags(*(more or [(70, 0)])) + tags(*pairs)


def polyline(points, flags=0, bulges=None):
    vertices = (
        entity("VERTEX", *point(at), (70, 32 if flags & 8 else 0), *([(42, bulges[n])] if n in (bulges or {}) else []))
        for n, at in enumerate(points)
    )
    return entity("POLYLINE", (66, 1), *point((0, 0, 0)), (70, flags)) + "".join(vertices) + entity("SEQEND")


def insunits(number):
    variables = ((9, "$ACADVER"), (1, "AC1015"), (9, "$INSUNITS"), (70, number))
    return tags((0, "SECTION"), (2, "HEADER"), *variables, (0, "ENDSEC"))


def modern(version, add, binary=False, units=None):
    """The bytes of a drawing that ezdxf writes whole, with tables, blocks and objects."""

    def content(folder):
        drawing = ezdxf.new(version)
        if units is not None:
            drawing.header["$INSUNITS"] = units
        else:
            drawing.header["$INSUNITS"] = 0
        add(drawing.modelspace())
        drawing.saveas(folder / "made.dxf", fmt="bin" if binary else "asc")
        return (folder / "made.dxf").read_bytes()

    return content


L_SHAPE = [A, B, C]
# What has the points A, B and C; whether it is closed.
SAME = {
    "polyline of two dimensions": (entities(polyline(L_SHAPE)), False),
    "polyline of three dimensions": (entities(polyline(L_SHAPE, 8)), False),
    "closed polyline": (entities(polyline(L_SHAPE, 1)), True),
    "closed polyline of three dimensions": (entities(polyline(L_SHAPE, 9)), True),
    "light polyline": (entities(lwpolyline(L_SHAPE), header=insunits(0)), False),
    "closed light polyline": (entities(lwpolyline(L_SHAPE, (70, 1)), header=insunits(0)), True),
    "ring of a light polyline": (entities(lwpolyline([*L_SHAPE, A]), header=insunits(0)), True),
    "light polyline with widths": (entities(lwpolyline(L_SHAPE, (70, 0), (43, 0.5)), header=insunits(0)), False),
    "mirrored by its extrusion": (
        entities(lwpolyline([(-x, y) for x, y, _ in L_SHAPE], (70, 0), *point((0, 0, -1), 210)), header=insunits(0)),
        False,
    ),
    "CRLF": (entities(polyline(L_SHAPE)).replace("\n", "\r\n"), False),
    "codes with blanks": (entities(polyline(L_SHAPE)).replace("\n10\n", "\n 10\n").replace("0\nV", "  0\nV"), False),
    "exponents": (entities(polyline(L_SHAPE)).replace("\n4.0\n", "\n0.04E+02\n"), False),
    "a comment": (tags((999, "made by hand")) + entities(polyline(L_SHAPE)), False),
    "no number of an entity": (entities(polyline(L_SHAPE), header=insunits(0)), False),
    "spline of degree 1": (
        modern("R2000", lambda space: space.add_open_spline(L_SHAPE, degree=1)),
        False,
    ),
    "R12": (modern("R12", lambda space: space.add_polyline2d(L_SHAPE)), False),
    "R2000": (modern("R2000", lambda space: space.add_lwpolyline(L_SHAPE)), False),
    "R2010": (modern("R2010", lambda space: space.add_lwpolyline(L_SHAPE, close=True)), True),
    "R2018": (modern("R2018", lambda space: space.add_polyline3d(L_SHAPE)), False),
    "binary": (modern("R2010", lambda space: space.add_lwpolyline(L_SHAPE), binary=True), False),
    "binary R12": (modern("R12", lambda space: space.add_polyline2d(L_SHAPE), binary=True), False),
}


def load(folder, content, **more):
    raw = content(folder) if callable(content) else content.encode()
    (folder / "a.dxf").write_bytes(raw)
    return read_paths(folder / "a.dxf", 0.5, **more)


@pytest.mark.parametrize("case", SAME)
def test_polylines_are_read_however_they_are_written(tmp_path, case):
    content, closed = SAME[case]
    found = load(tmp_path, content)
    (path,) = found
    if case == "spline of degree 1":
        keep = [0, len(path.points) // 2, -1]
        assert np.array_equal(path.points[keep], L_SHAPE)
    else:
        assert np.array_equal(path.points, L_SHAPE)
    assert path.cyclic == closed and path.radii.tolist() == [0.5] * len(path.points)
    assert found.notes == ()


def test_lines_keep_their_heights_and_order(tmp_path):
    found = load(
        tmp_path, entities(line((1, 2, 3), (4, 5, 6.5)), line((0, 0, -1), (0, 0, 1)), line((1, 1, 0), (2, 2, 0)))
    )
    assert [path.points.tolist() for path in found] == [
        [[1, 2, 3], [4, 5, 6.5]],
        [[0, 0, -1], [0, 0, 1]],
        [[1, 1, 0], [2, 2, 0]],
    ]


def arc(x, y, radius, start, end):
    return entity("ARC", *point((x, y, 2.0)), (40, radius), (50, start), (51, end))


# Entities on a circle about (5, 6), of radius 4, at the height z; from and to which angles, and whether it is closed.
ROUND = {
    "circle": (entities(entity("CIRCLE", *point((5, 6, 2)), (40, 4))), 2, None),
    "arc": (entities(arc(5, 6, 4, 30, 120)), 2, (30, 120)),
    "arc over 0": (entities(arc(5, 6, 4, 300, 60)), 2, (300, 420)),
    "mirrored arc": (
        entities(entity("ARC", *point((-5, 6, -2)), (40, 4), (50, 0), (51, 90), *point((0, 0, -1), 210))),
        2,
        (180, 90),
    ),
    "half by a bulge": (entities(lwpolyline([(9, 6), (1, 6)], bulges={0: 1}), header=insunits(0)), 0, (0, 180)),
    "half by a bulge to the right": (
        entities(lwpolyline([(9, 6), (1, 6)], bulges={0: -1}), header=insunits(0)),
        0,
        (0, -180),
    ),
    "quarter by a bulge": (
        entities(lwpolyline([(9, 6), (5, 10)], bulges={0: math.tan(math.pi / 8)}), header=insunits(0)),
        0,
        (0, 90),
    ),
    "whole by two bulges": (
        entities(lwpolyline([(9, 6), (1, 6)], (70, 1), bulges={0: 1, 1: 1}), header=insunits(0)),
        0,
        None,
    ),
    "at a height": (
        entities(lwpolyline([(9, 6), (1, 6)], (70, 0), (38, 2.5), bulges={0: 1}), header=insunits(0)),
        2.5,
        (0, 180),
    ),
    "old polyline": (entities(polyline([(9, 6, 0), (1, 6, 0)], bulges={0: 1})), 0, (0, 180)),
    "old polyline, closed": (entities(polyline([(9, 6, 0), (1, 6, 0)], 1, bulges={0: -1, 1: -1})), 0, None),
    "ellipse": (
        modern("R2000", lambda space: space.add_ellipse((5, 6, 2), (0, 4, 0), 1.0)),
        2,
        None,
    ),
    "rational spline": (
        modern(
            "R2000",
            lambda space: space.add_rational_spline(
                [(9, 6, 2), (9, 10, 2), (5, 10, 2)], [1, math.sqrt(0.5), 1], degree=2
            ),
        ),
        2,
        (0, 90),
    ),
}


@pytest.mark.parametrize("case", ROUND)
def test_arcs_are_round(tmp_path, case):
    content, z, angles = ROUND[case]
    (path,) = load(tmp_path, content)
    assert np.allclose(path.points[:, 2], z, atol=1e-12)
    flat = path.points[:, :2] - [5, 6]
    np.testing.assert_allclose(np.hypot(*flat.T), 4, rtol=1e-12)
    whole = np.vstack([flat, flat[:1]]) if angles is None else flat
    middles = (whole[1:] + whole[:-1]) / 2
    assert 1e-7 < (1 - np.hypot(*middles.T) / 4).max() < 3e-4  # chords are off by a ten-thousandth of the diameter
    assert path.cyclic == (angles is None)
    turned = np.degrees(np.unwrap(np.arctan2(whole[:, 1], whole[:, 0])))
    assert abs(turned[-1] - turned[0]) == pytest.approx(360 if angles is None else abs(angles[1] - angles[0]), abs=1e-6)
    if angles is not None:
        assert (turned[0] - angles[0]) % 360 == pytest.approx(0, abs=1e-6) or (turned[0] - angles[0]) % 360 > 359.999
        assert np.sign(turned[-1] - turned[0]) == np.sign(angles[1] - angles[0])


def test_a_polyline_of_lines_and_arcs_goes_on(tmp_path):
    slot = [(0, 0), (10, 0), (10, 4), (0, 4)]
    content = entities(lwpolyline(slot, (70, 1), bulges={1: 1, 3: 1}), header=insunits(0))
    (path,) = load(tmp_path, content)
    assert path.cyclic
    x, y, _ = path.points.T
    assert np.abs(np.where(x > 10, np.hypot(x - 10, y - 2) - 2, 0)).max() < 1e-12
    assert np.abs(np.where(x < 0, np.hypot(x, y - 2) - 2, 0)).max() < 1e-12
    assert (x.min(), x.max()) == pytest.approx((-2, 12), abs=2e-3)
    ring = np.vstack([path.points, path.points[:1]])
    length = np.linalg.norm(np.diff(ring, axis=0), axis=1).sum()
    assert length == pytest.approx(20 + 4 * math.pi, rel=1e-3)


def test_splines_are_followed(tmp_path):
    control = [(0, 0, 0), (0, 50, 10), (100, 50, 20), (100, 0, 30)]
    (path,) = load(tmp_path, modern("R2010", lambda space: space.add_open_spline(control, degree=3)))
    t = np.linspace(0, 1, 20_000)[:, None]
    true = sum(math.comb(3, k) * t**k * (1 - t) ** (3 - k) * np.array(p) for k, p in enumerate(control))
    places = np.vstack([path.points, (path.points[1:] + path.points[:-1]) / 2])
    assert np.linalg.norm(places[:, None] - true, axis=2).min(axis=1).max() < 1.2e-2
    np.testing.assert_allclose(path.points[[0, -1]], [control[0], control[-1]], atol=1e-9)


@pytest.mark.parametrize(
    ("number", "name", "meters"), [(1, "inches", 0.0254), (2, "ft", 0.3048), (4, "mm", 1e-3), (6, "m", 1.0)]
)
@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_the_unit_of_a_drawing_is_used_and_told(tmp_path, number, name, meters, unit):
    found = load(tmp_path, entities(line(A, C), header=insunits(number)), unit=unit)
    np.testing.assert_allclose(found[0].points, np.array([A, C]) * meters / unit, rtol=1e-15)
    factor = meters / unit
    ending = f": its lengths were multiplied by {factor:g}" if factor != 1 else ""
    assert found.notes[0].endswith(f"a.dxf is in {name}{ending}")


def test_what_is_no_path_is_left_out_and_told(tmp_path):
    text = entity("TEXT", *point(A), (40, 1), (1, "hello"))
    face = entity("3DFACE", *point(A), *point(B, 11), *point(C, 12), *point(C, 13))
    found = load(tmp_path, entities(text, line(A, B), face, text))
    assert len(found) == 1
    assert found.notes[0].endswith("a.dxf: left out, as they are no paths: 2 TEXT, 1 3DFACE")


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("version", ["R12", "R2010"])
def test_what_the_drawing_hides_is_left_out_and_told(tmp_path, version, binary):
    """By a layer that is off or frozen, in another case of letters too, or by itself."""

    def add(space):
        layers = space.doc.layers
        layers.add("Hidden").off()
        layers.add("frozen").freeze()
        layers.add("locked").lock()
        space.add_line(A, B, {"layer": "Hidden"})
        space.add_circle(A, 1, {"layer": "FROZEN"})
        space.add_line(A, C, {"layer": "locked"})
        space.add_text("a", dxfattribs={"layer": "Hidden"})
        space.add_line(B, C, {"invisible": 1} if version != "R12" else {"layer": "frozen"})

    (found,) = made = load(tmp_path, modern(version, add, binary))
    np.testing.assert_allclose(found.points, [A, C], atol=1e-12)
    assert [note.rpartition("a.dxf: ")[2] for note in made.notes] == [
        "left out, as the drawing hides them: 2 LINE, 1 CIRCLE"
    ]


def test_a_drawing_that_hides_all_its_paths_is_refused(tmp_path):
    def add(space):
        space.doc.layers.add("cut").off()
        space.add_line(A, B, {"layer": "cut"})

    with pytest.raises(InputError, match=r"a\.dxf hides all its paths \(1 LINE\): show their layers"):
        load(tmp_path, modern("R2010", add))


GOOD = entities(polyline(L_SHAPE))
REFUSED = {
    "no pairs": ("hello\nworld\n", "line 1, column 1: 'hello' is no group code of a DXF file"),
    "a shifted line": (GOOD.replace("VERTEX\n", "VERTEX\n\n", 1), "is no group code"),
    "a word": (GOOD.replace("\n4.0\n", "\nfour\n", 1), "column 1: 'four' is not a number, or is too large"),
    "decimal comma": (GOOD.replace("\n4.0\n", "\n4,0\n", 1), "column 1: '4,0' is not a number"),
    "not finite": (GOOD.replace("\n4.0\n", "\nnan\n", 1), "column 1: 'nan' is not a number, or is too large"),
    "too large": (GOOD.replace("\n4.0\n", "\n1e300\n", 1), "column 1: '1e300' is not a number, or is too large"),
    "cut short": (GOOD[:-10], "is cut short: it does not end with EOF"),
    "cut in the middle": (GOOD[: len(GOOD) // 2], "is cut short"),
    "no entities": (entities(), "has no path: export lines, curves or points into it"),
    "texts alone": (entities(entity("TEXT", *point(A), (40, 1), (1, "a"))), "has no path"),
    "an archive": ("PK\3\4" + "\0" * 99, "line 1, column 1"),
    "binary, cut": ("AutoCAD Binary DXF\r\n\x1a\0\0\0", "cannot be read as .dxf"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_by_line(tmp_path, case):
    content, message = REFUSED[case]
    began = time.perf_counter()
    with pytest.raises(InputError) as error:
        load(tmp_path, content)
    assert message in str(error.value) and "a.dxf" in str(error.value)
    assert "\n" not in str(error.value)
    assert time.perf_counter() - began < 20  # a hang, and no measure


def test_without_ezdxf_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ezdxf", None)
    with pytest.raises(
        InputError, match=r"a\.dxf: ezdxf is missing, which reads \.dxf: install it \(pip install ezdxf\)"
    ):
        load(tmp_path, GOOD)


@pytest.mark.parametrize(("number", "meters"), [(21, 1200 / 3937), (12, 1e-9), (16, 100), (8, 0.0254e-6)])
def test_rare_units_are_known(tmp_path, number, meters):
    (tmp_path / "a.dxf").write_text(entities(lwpolyline(L_SHAPE), header=insunits(number)))
    found = read_paths(tmp_path / "a.dxf", 1.0)
    np.testing.assert_allclose(found[0].points, np.array(L_SHAPE) * meters)
    assert "its lengths were multiplied by" in found.notes[0]
