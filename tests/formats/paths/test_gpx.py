"""Tracks of GPX as toolpaths: projected about their middle, in meters."""

import math

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.formats import read_paths

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">\n'
# Latitude, longitude, elevation.
PLACES = [(47.0, 8.0, 400.0), (47.002, 8.002, 410.5), (47.001, 8.004, 380.0)]


def points(kind="trkpt", form='<{kind} lat="{lat}" lon="{lon}"><ele>{ele}</ele></{kind}>', places=PLACES):
    return "".join(form.format(kind=kind, lat=lat, lon=lon, ele=ele) for lat, lon, ele in places)


def gpx(body, head=HEAD):
    return f"{head}{body}\n</gpx>\n"


def track(text):
    return gpx(f"<trk><trkseg>{text}</trkseg></trk>")


def arc_length(latitudes, radius):
    """Simpson's rule over the radius of curvature of the ellipsoid of WGS 84."""
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    low, high = np.radians(latitudes)
    phi = np.linspace(low, high, 1001)
    flat = 1 - e2 * np.sin(phi) ** 2
    values = a * (1 - e2) / flat**1.5 if radius == "meridian" else a / np.sqrt(flat) * np.cos(phi)
    weights = np.array([1, *([4, 2] * 499), 4, 1]) / 3000
    return float(values @ weights) * (high - low if radius == "meridian" else 1.0)


def expected():
    """Meters east and north of 47.001, 8.002."""
    east = arc_length((47.0009999, 47.0010001), "parallel")
    return [
        [
            math.copysign(east * math.radians(abs(lon - 8.002)), lon - 8.002),
            math.copysign(arc_length(sorted((47.001, lat)), "meridian"), lat - 47.001) if lat != 47.001 else 0.0,
            ele,
        ]
        for lat, lon, ele in PLACES
    ]


SAME = {
    "track": track(points()),
    "route": gpx(f"<rte>{points('rtept')}</rte>"),
    "GPX 1.0": track(points()).replace("1.1", "1.0").replace("1/1", "1/0"),
    "no namespace": track(points()).replace(' xmlns="http://www.topografix.com/GPX/1/1"', ""),
    "a prefix": gpx(f"<trk><trkseg>{points()}</trkseg></trk>", "<gpx xmlns='a'>")
    .replace("<", "<g:")
    .replace("<g:/", "</g:")
    .replace("ns=", "ns:g="),
    "single quotes": track(points()).replace('"', "'"),
    "times": track(points(form='<{kind} lat="{lat}" lon="{lon}"><ele>{ele}</ele><time>2026-01-01</time></{kind}>')),
    "time before": track(points(form='<{kind} lat="{lat}" lon="{lon}"><time>2026</time><ele>{ele}</ele></{kind}>')),
    "extensions": track(
        points(form='<{kind} lat="{lat}" lon="{lon}"><ele>{ele}</ele><extensions><hr>99</hr></extensions></{kind}>')
    ),
    "metadata": track(points()).replace("<trk>", '<metadata><bounds minlat="0"/></metadata><trk><name>a</name>'),
    "lon before": track(points(form='<{kind} lon="{lon}" lat="{lat}"><ele>{ele}</ele></{kind}>')),
    "digits": track(points(form='<{kind} lat="{lat:.7f}" lon="{lon:.7f}"><ele>{ele:.3f}</ele></{kind}>')),
    "plus signs": track(points(form='<{kind} lat="+{lat}" lon="+{lon}"><ele>+{ele}</ele></{kind}>')),
    "exponents": track(points(form='<{kind} lat="{lat:.12e}" lon="{lon:.12e}"><ele>{ele:e}</ele></{kind}>')),
    "white space": track(points(form='\n  <{kind}\n lat=" {lat} "\tlon="{lon}">\n <ele>\n{ele} </ele>\n</{kind}>')),
    "CDATA": track(points(form='<{kind} lat="{lat}" lon="{lon}"><ele><![CDATA[{ele}]]></ele></{kind}>')),
    "comments": track(points(form='<!-- a --><{kind} lat="{lat}" lon="{lon}"><ele>{ele}</ele></{kind}>')),
    "Latin-1": track(points()).replace("UTF-8", "ISO-8859-1").replace("<trk>", "<trk><name>Zürich</name>"),
    "no declaration": track(points()).split("\n", 1)[1],
    "an empty segment": gpx(f"<trk><trkseg/><trkseg>{points()}</trkseg></trk>"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_a_track_is_read_however_it_is_written(tmp_path, case):
    content = SAME[case]
    (tmp_path / "a.gpx").write_text(content, encoding="latin-1" if case == "Latin-1" else "utf-8")
    found = read_paths(tmp_path / "a.gpx", 0.5)
    (path,) = found
    np.testing.assert_allclose(path.points, expected(), rtol=1e-6, atol=1e-6)
    assert path.joined and path.radii.tolist() == [0.5] * 3
    assert [note.rpartition("a.gpx ")[2] for note in found.notes] == [
        "is in m",
        "was projected about 47.001000, 8.002000 (latitude, longitude): x is east, y north",
    ]


def test_tracks_routes_and_waypoints_share_one_middle(tmp_path):
    east, west = ('<wpt lat="10" lon="179.999"/>', '<wpt lat="10" lon="-179.999"/>')
    (tmp_path / "a.gpx").write_text(
        gpx(f'{west}{east}<rte><rtept lat="10.001" lon="180"/><rtept lat="9.999" lon="-180"/></rte>')
    )
    found = read_paths(tmp_path / "a.gpx", 1.0)
    balls, route = found
    assert not balls.joined and route.joined
    # On both sides of 180 degrees, 0.001 degrees from the middle.
    side = arc_length((9.9999999, 10.0000001), "parallel") * math.radians(0.001)
    np.testing.assert_allclose(balls.points, [[side, 0, 0], [-side, 0, 0]], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(route.points[:, 0], 0, atol=1e-6)
    assert route.points[0, 1] == pytest.approx(arc_length((10, 10.001), "meridian"), rel=1e-6)
    assert any("4 points have no elevation: it was taken as 0" in note for note in found.notes)
    assert any("was projected about 10.000000, -180.000000" in note for note in found.notes)


def test_one_point_without_elevation_is_told_as_one(tmp_path):
    (tmp_path / "a.gpx").write_text(gpx('<wpt lat="10" lon="20"/><wpt lat="10" lon="20"><ele>3</ele></wpt>'))
    notes = read_paths(tmp_path / "a.gpx", 1.0).notes
    assert any(note.endswith("a.gpx: a point has no elevation: it was taken as 0") for note in notes)


def test_the_unit_of_the_result(tmp_path):
    (tmp_path / "a.gpx").write_text(track(points()))
    (path,) = read_paths(tmp_path / "a.gpx", 0.5, unit=1e-3)
    np.testing.assert_allclose(path.points, np.array(expected()) * 1e3, rtol=1e-6, atol=1e-3)
    assert path.radii.tolist() == [0.5] * 3


REFUSED = {
    "no number": (track('<trkpt lat="north" lon="8"/>'), "line 3, column 14: lat is 'north', which is not a number"),
    "no longitude": (track('<trkpt lat="47"/>'), "line 3, column 14: lon is '', which is not a number"),
    "decimal comma": (track('\n<trkpt lat="47,1" lon="8"/>'), "line 4, column 1: lat is '47,1'"),
    "beyond the pole": (track('<trkpt lat="91" lon="8"/>'), "line 3, column 14: lat is 91, beyond 90 degrees"),
    "not finite": (track('<trkpt lat="nan" lon="8"/>'), "lat is nan, beyond 90 degrees"),
    "elevation": (track('<trkpt lat="1" lon="8"><ele>high</ele></trkpt>'), "ele is 'high', which is not a number"),
    "no points": (gpx("<trk><trkseg/></trk>"), "has no path: export lines, curves or points into it"),
    "not well-formed": (track("")[:-10], "line 3, column 23: it is not well-formed XML (unclosed token)"),
    "another root": ("<kml/>", "line 1, column 1: it begins with <kml>, and not with <gpx>"),
    "an encoding unknown": (
        HEAD.replace("UTF-8", "klingon") + "</gpx>",
        "it is not well-formed XML (unknown encoding: klingon)",
    ),
    "a document type": (
        track("&a;").replace("?>", '?><!DOCTYPE gpx [<!ENTITY a "b">]>'),
        "has a document type (DTD) of its own, which we do not read",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_by_line_and_column(tmp_path, case):
    content, message = REFUSED[case]
    (tmp_path / "a.gpx").write_text(content)
    with pytest.raises(InputError) as error:
        read_paths(tmp_path / "a.gpx", 1.0)
    assert message in str(error.value) and "a.gpx" in str(error.value)


def test_no_radius(tmp_path):
    (tmp_path / "a.gpx").write_text(track(points()))
    with pytest.raises(InputError, match=r"a\.gpx has no radius: give one"):
        read_paths(tmp_path / "a.gpx")
