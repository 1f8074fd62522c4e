"""3MF: what a build places, in the unit that the file says, and what is refused."""

import json

import numpy as np
import pytest

from tests.command_line import run
from tests.formats import packages
from tests.formats.packages import model, package, solid
from tests.shapes import box
from voxel_carve.compute import InputError, TriMesh, carve
from voxel_carve.formats import read_mesh, write_meshes

UNITS = {"micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048, "meter": 1.0}


def read(folder, content, **options):
    file = folder / "part.3mf"
    file.write_bytes(content if isinstance(content, bytes) else package(content))
    return read_mesh(file, **options)


@pytest.mark.parametrize("unit", UNITS)
def test_lengths_are_converted_to_the_unit_of_the_caller(tmp_path, unit):
    found = read(tmp_path, model(solid(), '<item objectid="1"/>', f'unit="{unit}"'), unit="mm")
    np.testing.assert_allclose(found.bounds()[1], UNITS[unit] / 1e-3, rtol=1e-12)


def test_without_a_unit_a_file_is_in_millimeters(tmp_path):
    content = model(solid(), '<item objectid="1"/>')
    np.testing.assert_array_equal(read(tmp_path, content, unit=1e-3).bounds(), [[0] * 3, [1] * 3])
    np.testing.assert_allclose(read(tmp_path, content).bounds(), [[0] * 3, [1e-3] * 3])


def test_components_and_items_are_placed_and_mirrored_ones_keep_their_orientation(tmp_path):
    turned = "0 1 0 -1 0 0 0 0 1 10 0 0"  # x becomes y, y becomes -x, then 10 along x
    parts = (
        solid(7) + f'<object id="8"><components><component objectid="7"/><component objectid="7" transform="{turned}"/>'
        "</components></object>"
    )
    build = (
        '<item objectid="8" transform="2 0 0 0 2 0 0 0 2 0 0 5"/>'
        '<item objectid="7" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/>'
    )
    found = read(tmp_path, model(parts, build), unit="mm")
    assert len(found.triangles) == 12
    np.testing.assert_allclose(found.corners()[:4].reshape(-1, 3).max(axis=0), [2, 2, 7])
    np.testing.assert_allclose(found.corners()[4:8].reshape(-1, 3).min(axis=0), [18, 0, 5])
    np.testing.assert_allclose(found.corners()[4:8].reshape(-1, 3).max(axis=0), [20, 2, 7])
    np.testing.assert_allclose(found.corners()[8:].reshape(-1, 3).min(axis=0), [-1, 0, 0])
    assert found.volume() == pytest.approx((8 + 8 + 1) / 6)


def test_objects_in_other_parts_of_a_package_are_read(tmp_path):
    """As Bambu Studio writes them."""
    root = model(
        '<object id="2"><components><component objectid="1" p:path="/3D/Objects/one.model"/></components></object>',
        '<item objectid="2" transform="1 0 0 0 1 0 0 0 1 3 0 0"/>',
        'requiredextensions="p"',
    )
    found = read(tmp_path, package({"3D/3dmodel.model": root, "3D/Objects/one.model": model(solid())}), unit="mm")
    np.testing.assert_array_equal(found.bounds(), [[3, 0, 0], [4, 1, 1]])


def test_what_the_build_does_not_place_is_left_out(tmp_path):
    assert len(read(tmp_path, model(solid(1) + solid(2), '<item objectid="2"/>')).triangles) == 4


def test_other_extensions_are_not_read(tmp_path):
    materials = '<m:colorgroup id="5" xmlns:m="urn:m"><m:color color="#FF0000"/></m:colorgroup>'
    assert len(read(tmp_path, model(materials + solid(), '<item objectid="1"/>')).triangles) == 4


@pytest.mark.parametrize(
    ("unit", "said", "factor"),
    [("mm", "millimeter", 1), ("in", "inch", 1), (1.0, "meter", 1), ("km", "meter", 1000), (0.5, "meter", 0.5)],
)
def test_a_result_says_its_unit(tmp_path, unit, said, factor):
    result = carve(box(), ([[0, 0, 1]], 0.5), resolution=16)
    result.save(tmp_path / "carved.3mf", unit=unit)
    told, mesh = packages.load(tmp_path / "carved.3mf")
    assert told == said
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(result.report.volume * factor**3, rel=1e-5)
    found = read_mesh(tmp_path / "carved.3mf", unit=unit)
    np.testing.assert_allclose(found.points, result.surface.points, atol=1e-6)
    with pytest.raises(InputError, match="unit ell: choose"):
        result.save(tmp_path / "other.3mf", unit="ell")


def test_names_become_those_of_objects_whatever_they_are(tmp_path):
    write_meshes(tmp_path / "a.3mf", [box(name='a <b> & "c"\0\x1b\ud800'), box((5, 0, 0), (7, 2, 2), "テスト")])
    found = packages.load(tmp_path / "a.3mf")[1]
    assert found.volume == pytest.approx(2 * box().volume())


def test_a_package_goes_through_the_command_line_in_its_unit(tmp_path):
    (tmp_path / "part.3mf").write_bytes(package(model(solid(), '<item objectid="1"/>', 'unit="inch"')))
    (tmp_path / "tool.csv").write_text("x,y,z,radius\n0,0,0,5\n")
    arguments = ["--stock", "part.3mf", "--path", "tool.csv", "--resolution", 48, "--unit", "mm"]
    done = run([*arguments, "--output", "out.3mf", "--report", "out.json"], tmp_path)
    assert done.status == 0, done.err
    report = json.loads((tmp_path / "out.json").read_text())
    assert "part.3mf is in inches: its lengths were multiplied by 25.4; --unit in keeps them" in report["warnings"]
    unit, mesh = packages.load(tmp_path / "out.3mf")
    assert unit == "millimeter"
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(25.4**3 / 6 - 4 / 3 * np.pi * 5**3 / 8, rel=0.02)


RINGS = "".join(
    f'<object id="{name}"><components><component objectid="{other}"/></components></object>'
    for name, other in (("1", "2"), ("2", "1"))
)
DOUBLING = solid(0) + "".join(
    f'<object id="{n}"><components><component objectid="{n - 1}"/><component objectid="{n - 1}"/></components></object>'
    for n in range(1, 60)
)
BOMB = '<!DOCTYPE model [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + model(solid(), '<item objectid="1"/>')
ITEM = '<item objectid="1"/>'
BAD = {
    "no zip": (b"PK is not all", "its zip is damaged"),
    "an empty zip": (b"PK\5\6" + bytes(18), "has no '_rels/.rels'"),
    "no model": (package({"3D/other.model": ""}), "has no '/3D/3dmodel.model'"),
    "no relationship": (package(model(), "<Relationships/>"), "names no 3D model"),
    "cut short": (package(model(solid(), ITEM))[:-30], "its zip is damaged"),
    "no XML": (package("hello"), "line 1 is not well-formed XML"),
    "entities": (package(BOMB), "it has a document type"),
    "another unit": (package(model(solid(), ITEM, 'unit="ell"')), "its unit 'ell' is none of micron,"),
    "an extension": (
        package(model(solid(), ITEM, 'xmlns:b="urn:beams" requiredextensions="b"')),
        "requires 'urn:beams'",
    ),
    "no such object": (package(model(solid(), '<item objectid="3"/>')), "places an object '3' that is not there"),
    "objects in a ring": (package(model(RINGS, ITEM)), "its objects are in each other"),
    "objects that double": (package(model(DOUBLING, '<item objectid="59"/>')), "its placed objects need about"),
    "a missing vertex": (package(model(solid().replace('v1="1"', 'v1="4"'), ITEM)), "refer to missing vertices"),
    "a vertex below zero": (package(model(solid().replace('v1="1"', 'v1="-1"'), ITEM)), "refer to missing vertices"),
    "a word": (package(model(solid().replace('x="1"', 'x="one"'), ITEM)), "has a <vertex> that lacks numbers"),
    "no z": (package(model(solid().replace(' z="1"', ""), ITEM)), "has a <vertex> that lacks numbers"),
    "a short transform": (package(model(solid(), '<item objectid="1" transform="1 0 0"/>')), "has a <item> that lacks"),
    "no number": (package(model(solid(), "<item/>")), "has a <item> that lacks numbers"),
    "nothing placed": (package(model(solid())), "no faces"),
    "another packing": (package(model(solid(), ITEM), method=14), "is encrypted, or packed as 3MF does not"),
    "infinity": (package(model(solid().replace('x="1"', 'x="1e999"'), ITEM)), "coordinates"),
    "a long tag": (package(model(solid(1, f' name="{"x" * 3_000_000}"'), ITEM)), "tag of more than"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_packages_are_refused_in_one_line(tmp_path, name):
    content, message = BAD[name]
    with pytest.raises(InputError) as error:
        read(tmp_path, content)
    assert message in str(error.value)
    assert "part.3mf" in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < len(str(tmp_path)) + 300


def test_what_unpacks_to_gigabytes_is_refused(tmp_path):
    rows = '<vertex x="0" y="0" z="0"/>' * 2_000_000
    content = package(model(f'<object id="1"><mesh><vertices>{rows}</vertices></mesh></object>', ITEM))
    assert len(content) < 1 << 20
    with pytest.raises(InputError, match=r"its first .* elements need about"):
        read(tmp_path, content, memory_limit=64 << 20)


def test_the_bytes_are_the_same_at_any_time(tmp_path, monkeypatch):
    write_meshes(tmp_path / "a.3mf", [box()])
    monkeypatch.setattr("time.time", lambda: 2e9)
    write_meshes(tmp_path / "b.3mf", [TriMesh(box().points, box().triangles, box().name)])
    assert (tmp_path / "a.3mf").read_bytes() == (tmp_path / "b.3mf").read_bytes()
