"""Tables of points as programs write them: each reads as the same coordinates, or is refused by line and column."""

import time

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.formats import read_paths

POINTS = [[0.5, -1.25, 2.0], [1.5, 0.0, 1000.125], [-3.0, 4.5, 0.25]]
RADII = [0.5, 0.25, 1.5]
ROWS = [f"{x},{y},{z},{r}" for (x, y, z), r in zip(POINTS, RADII, strict=True)]
COMMAS = "\n".join(["x,y,z,radius", *ROWS, ""])
GERMAN = COMMAS.replace(",", ";").replace(".", ",")
BLANKS = COMMAS.replace(",", " ")
BARE = BLANKS.split("\n", 1)[1]


def columns(header, *places, separator=",", filling="7"):
    """The rows in other columns: each place is a column of `ROWS`, or None."""
    rows = [row.split(",") for row in ROWS]
    lines = [separator.join(filling if place is None else row[place] for place in places) for row in rows]
    return "\n".join([header, *lines, ""])


# File name, content, and what the notes say.
SAME = {
    "commas": ("a.csv", COMMAS, []),
    "semicolons": ("a.csv", COMMAS.replace(",", ";"), []),
    "tabs": ("a.txt", COMMAS.replace(",", "\t"), []),
    "blanks": ("a.txt", BLANKS, []),
    "many blanks": ("a.xyz", BLANKS.replace(" ", "   ").replace("\n", " \n  "), []),
    "tabs and blanks": ("a.txt", BLANKS.replace(" ", " \t "), []),
    "decimal commas": ("a.csv", GERMAN, ["commas in its numbers were read as decimal marks"]),
    "decimal commas, tabs": ("a.txt", GERMAN.replace(";", "\t"), ["decimal marks"]),
    "decimal commas, blanks": ("a.txt", GERMAN.replace(";", "  "), ["decimal marks"]),
    "decimal commas in quotes": (
        "a.csv",
        "x,y,z,radius\n" + "\n".join(",".join(f'"{n}"'.replace(".", ",") for n in row.split(",")) for row in ROWS),
        ["decimal marks"],
    ),
    "sep": ("a.csv", "sep=;\n" + GERMAN, ["decimal marks"]),
    "sep in quotes": ("a.csv", '"sep=,"\r\n' + COMMAS.replace("\n", "\r\n"), []),
    "sep of another sign": ("a.csv", "SEP=|\n" + COMMAS.replace(",", "|"), []),
    "BOM": ("a.csv", "\ufeff" + GERMAN, ["decimal marks"]),
    "BOM and sep": ("a.csv", "\ufeffsep=;\r\n" + GERMAN.replace("\n", "\r\n"), ["decimal marks"]),
    "comments": ("a.csv", "# made by hand\n\n# in two lines\n" + COMMAS.replace("\n1.5", "\n  # between\n\n1.5"), []),
    "header in a comment": ("a.txt", "# x y z radius\n" + BARE, []),
    "header in a comment, commas": ("a.csv", "#x,y,z,radius\n" + COMMAS.split("\n", 1)[1], []),
    "no header": ("a.xyz", BARE, ["does not name its columns: they were taken as x, y, z, radius"]),
    "no header, exponents": (
        "a.txt",
        "\n".join(" ".join(f"{float(n):.18e}" for n in row.split(",")) for row in ROWS),
        ["taken as x, y, z, radius"],
    ),
    "no header, decimal commas": ("a.txt", BARE.replace(".", ","), ["taken as", "decimal marks"]),
    "no header, commas": ("a.txt", COMMAS.split("\n", 1)[1], ["taken as x, y, z, radius"]),
    "CR": ("a.csv", COMMAS.replace("\n", "\r"), []),
    "capitals and quotes": ("a.CSV", COMMAS.replace("x,y,z,radius", '"X", Y ,"Z","Radius"'), []),
    "other order": ("a.csv", columns("radius;z;y;x", 3, 2, 1, 0, separator=";"), []),
    "unknown columns": (
        "a.csv",
        columns("id,x,y,z,feed rate,radius,nx", None, 0, 1, 2, None, 3, None),
        ["columns that we do not know were ignored: id, feed rate, nx"],
    ),
    "unknown columns of text": (
        "a.csv",
        columns("name;x;y;z;radius", None, 0, 1, 2, 3, separator=";", filling="a #1, and"),
        ["ignored: name"],
    ),
    "a separator at the end of each line": ("a.csv", COMMAS.replace("\n", ",\n"), []),
    "header in a comment before another": ("a.txt", "# x y z radius\n# tool 5 flat\n" + BARE, []),
    "empty rows of a spreadsheet": ("a.csv", COMMAS.replace("\n1.5", "\n , ,\t,\n,,,\n1.5") + ",,,\n", []),
    "unit in a comment": ("a.csv", "# exported\n# Units: m\n" + COMMAS, ["is in m"]),
    "units in another order of words": ("a.csv", COMMAS.replace("x,y,z,radius", "x_m,y_m,z_m,radius_m"), ["is in m"]),
}


@pytest.mark.parametrize("case", SAME)
def test_a_table_is_read_however_it_is_written(tmp_path, case):
    name, content, notes = SAME[case]
    file = tmp_path / name
    file.write_bytes(content.encode())
    found = read_paths(file)
    (path,) = found
    assert np.array_equal(path.points, POINTS) and np.array_equal(path.radii, RADII)
    assert len(found.notes) == len(notes)
    for said, note in zip(found.notes, notes, strict=True):
        assert note in said and str(file) in said


@pytest.mark.parametrize("case", ["semicolons", "tabs", "blanks", "decimal commas", "no header", "comments"])
def test_a_long_table_is_read_likewise(tmp_path, case):
    """Numpy reads what is long and plain."""
    name, content, _ = SAME[case]
    head, rows = content.split("\n0", 1) if case != "no header" else ("", content[1:])
    file = tmp_path / name
    file.write_text(f"{head}\n" + ("0" + rows.strip("\n") + "\n") * 1500)
    (path,) = read_paths(file)
    assert np.array_equal(path.points, POINTS * 1500) and np.array_equal(path.radii, RADII * 1500)


# Header, the factors of the coordinates and of the radius to meters, and what the notes say.
UNITS = {
    "mm in brackets": (
        "X (mm),Y (mm),Z (mm),Radius [mm]",
        1e-3,
        1e-3,
        "is in mm: its lengths were multiplied by 0.001",
    ),
    "cm": ("x [cm],y [cm],z [cm],radius (cm)", 1e-2, 1e-2, "is in cm"),
    "inches": (
        "x (in),y(in),z ( in ),radius [IN]",
        0.0254,
        0.0254,
        "is in inches: its lengths were multiplied by 0.0254",
    ),
    "words": ("x (Inches),y (inch),z (inches),radius (inches)", 0.0254, 0.0254, "is in inches"),
    "underscores": ("x_mm,y_mm,z_mm,radius_mm", 1e-3, 1e-3, "is in mm"),
    "slashes": ("x/mm,y/mm,z/mm,radius/mm", 1e-3, 1e-3, "is in mm"),
    "only one": ("X (mm),y,z,radius", 1e-3, 1e-3, "is in mm"),
    "another radius": ("x (m),y (m),z (m),radius (mm)", 1.0, 1e-3, "has radius in mm: they were multiplied by 0.001"),
    "only the radius": ("x,y,z,radius (um)", 1.0, 1e-6, "has radius in µm"),
    "feet": ("x (ft),y (ft),z (ft),radius (ft)", 0.3048, 0.3048, "is in ft"),
    "spelt out": ("x [Millimetres],y [mm],z [mm],radius [millimeter]", 1e-3, 1e-3, "is in mm"),
}


@pytest.mark.parametrize("case", UNITS)
@pytest.mark.parametrize("unit", [1.0, 1e-3, 0.0254])
@pytest.mark.parametrize("separator", [",", ";", " "])
def test_units_in_names_are_used_and_told(tmp_path, case, unit, separator):
    header, scale, radius_scale, note = UNITS[case]
    file = tmp_path / "a.csv"
    file.write_text("\n".join([header.replace(",", separator), *ROWS]).replace(",", separator), encoding="utf-8")
    found = read_paths(file, unit=unit)
    own = [scale, radius_scale] if case != "only the radius" else [unit, radius_scale]
    np.testing.assert_allclose(found[0].points, np.array(POINTS) * own[0] / unit, rtol=1e-15)
    np.testing.assert_allclose(found[0].radii, np.array(RADII) * own[1] / unit, rtol=1e-15)
    if unit == 1.0:
        assert any(note in said for said in found.notes)


@pytest.mark.parametrize("header", ["x,y,z,radius", "# x,y,z,radius", "# x,y,z,radius\n# made by hand"])
def test_the_unit_of_a_comment_is_that_of_columns_without_one(tmp_path, header):
    file = tmp_path / "a.csv"
    file.write_text("# units: mm\n" + header + "\n1000,2000,3000,500\n", encoding="utf-8")
    (path,) = read_paths(file)
    np.testing.assert_allclose(path.points, [[1, 2, 3]])
    np.testing.assert_allclose(path.radii, [0.5])
    file.write_text("# units: mm\nx (m),y,z,radius (cm)\n1,2,3,50\n", encoding="utf-8")
    np.testing.assert_allclose(read_paths(file)[0].points, [[1, 2, 3]])
    np.testing.assert_allclose(read_paths(file)[0].radii, [0.5])


def test_a_file_may_be_given_as_text(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\n1,2,3\n", encoding="utf-8")
    assert read_paths(str(tmp_path / "a.csv"), 1.0)[0].points.tolist() == [[1, 2, 3]]
    with pytest.raises(InputError, match="the file is a NoneType: give its path"):
        read_paths(None, 1.0)


def test_a_given_radius_is_in_the_unit_of_the_result(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x (mm);y (mm);z (mm)\n1;2;3\n4;5;6\n")
    (path,) = read_paths(file, 0.5)
    assert np.array_equal(path.points, np.array([[1, 2, 3], [4, 5, 6]]) * 1e-3)
    assert path.radii.tolist() == [0.5, 0.5]


# Names with blanks, which separate no columns here: the header, the factors to meters.
DRESSED = {
    "a blank": ("x mm,y mm, Z  mm,Radius mm", 1e-3, 1e-3),
    "positions": ("X Position,y_pos,Pos-Z,radius", 1.0, 1.0),
    "positions with units": ("Pos X [mm],Pos Y [mm],Pos Z [mm],Radius (cm)", 1e-3, 1e-2),
    "coordinates": ("x_coordinate_mm,y coord (mm),Axis Z mm,radius_mm", 1e-3, 1e-3),
}


@pytest.mark.parametrize("case", DRESSED)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_names_may_say_more_than_the_coordinate(tmp_path, case, separator):
    header, scale, radius_scale = DRESSED[case]
    (tmp_path / "a.csv").write_text("\n".join([header, *ROWS]).replace(",", separator), encoding="utf-8")
    (path,) = read_paths(tmp_path / "a.csv")
    np.testing.assert_allclose(path.points, np.array(POINTS) * scale, rtol=1e-15)
    np.testing.assert_allclose(path.radii, np.array(RADII) * radius_scale, rtol=1e-15)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_table_in_utf_16_is_read_by_its_mark(tmp_path, encoding):
    marked = GERMAN if encoding in ("utf-16", "utf-32") else "\ufeff" + GERMAN
    (tmp_path / "a.csv").write_bytes(marked.encode(encoding))
    (path,) = found = read_paths(tmp_path / "a.csv")
    assert np.array_equal(path.points, POINTS) and np.array_equal(path.radii, RADII)
    assert len(found.notes) == 1 and "decimal marks" in found.notes[0]


@pytest.mark.parametrize("count", [1, 1500])
def test_a_table_of_windows_is_read_and_told(tmp_path, count):
    file, units = tmp_path / "a.csv", "x (\xb5m);y (\xb5m);z (\xb5m);radius (\xb5m);Kühlung\n"
    rows = "".join(row.replace(",", ";") + ";än\n" for row in ROWS)
    file.write_bytes((units + rows * count).encode("latin-1"))
    (path,) = found = read_paths(file)
    np.testing.assert_allclose(path.points, np.array(POINTS * count) * 1e-6, rtol=1e-12)
    assert found.notes[0] == f"{file} is not in UTF-8: it was read as Windows-1252"
    assert "were ignored: kühlung" in found.notes[-1]


@pytest.mark.parametrize(
    ("more", "meant"), [("255 0 0", "colours"), ("0.0 0.0 1.0", "normals"), ("7 255 0 0", "intensity"), ("1 2", "two")]
)
@pytest.mark.parametrize("count", [1, 1500])
def test_columns_after_the_third_are_no_radius_where_there_are_more_than_four(tmp_path, more, meant, count):
    file = tmp_path / "a.xyz"
    file.write_text("".join(" ".join(row.split(",")[:3]) + f" {more}\n" for row in ROWS) * count)
    (path,) = found = read_paths(file, 0.25)
    assert np.array_equal(path.points, POINTS * count) and set(path.radii) == {0.25}
    assert [note.partition(" ")[2] for note in found.notes] == [
        "does not name its columns: they were taken as x, y, z",
        "the columns after the third were ignored; where one is the radius, name the columns",
    ]
    with pytest.raises(InputError, match="has no column 'radius'"):
        read_paths(file)


def test_a_position_beside_a_coordinate_is_another_column(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y,z,radius,x position,y position\n1,2,3,4,5,6\n")
    (path,) = found = read_paths(file)
    assert path.points.tolist() == [[1, 2, 3]] and path.radii.tolist() == [4]
    assert "were ignored: x position, y position" in found.notes[0]


@pytest.mark.parametrize(("name", "meters"), [("mm", 1e-3), ("Inches", 0.0254), (np.float32(0.5), 0.5)])
def test_a_unit_is_given_by_its_name_or_its_meters(tmp_path, name, meters):
    file = tmp_path / "a.csv"
    file.write_text("x,y,z\n1,2,3\n4,5,6\n")
    (path,) = read_paths(file, 0.5, unit=1.0, file_unit=name)
    np.testing.assert_allclose(path.points, np.array([[1, 2, 3], [4, 5, 6]]) * meters, rtol=1e-12)
    (path,) = read_paths(file, 0.5, unit=name, file_unit="m")
    np.testing.assert_allclose(path.points, np.array([[1, 2, 3], [4, 5, 6]]) / meters, rtol=1e-12)


@pytest.mark.parametrize("unit", ["ells", "", 0, -1, np.nan, np.inf, True, np.ones(3), b"mm"])
@pytest.mark.parametrize("which", ["unit", "file_unit"])
def test_what_is_no_unit_is_refused(tmp_path, unit, which):
    file = tmp_path / "a.csv"
    file.write_text("x,y,z\n1,2,3\n")
    with pytest.raises(InputError, match=f"^{which} .*: choose µm, mm, .* or give its meters, a positive number"):
        read_paths(file, 0.5, **{which: unit})


def test_paths_of_a_table_with_semicolons(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("path;x;y;z\n#1;0,5;0;0\n#1;1;0;0\nb, c;2;0;0\n")
    first, second = read_paths(file, 1.0)
    assert first.points.tolist() == [[0.5, 0, 0], [1, 0, 0]] and second.points.tolist() == [[2, 0, 0]]
    assert second.name.endswith("path b, c")


REFUSED = {
    "marks mixed": (
        "x;y;z\n0,5;0;0\n1;0;0\n1;0.5;0\n",
        "line 4, column 'y': '0.5' has another decimal mark than line 2",
    ),
    "thousands": ("x;y;z\n1.234,5;0;0\n", "line 2, column 'x': '1.234,5' has another decimal mark"),
    "thousands alone": ("x;y;z\n0;1,234,567;0\n", "line 2, column 'y': '1,234,567' is not a number"),
    "commas for both": ("x,y,z\n0,5,1,5,2,5\n", "line 2: 6 fields where the header has 3 (x,y,z)"),
    "a word": ("x y z\n0 0 0\n0 zero 0\n", "line 3, column 'y': 'zero' is not a number"),
    "a single field": ("x,y,z\n0,0,0\n1\n", "line 3: one field where the header has 3 (x,y,z)"),
    "a short line": ("# note\nx\ty\tz\n0\t0\t0\n0\t0\n", "line 4: 2 fields where the header has 3"),
    "an unknown unit": ("x (parsec);y;z\n0;0;0\n", "line 1: column 1 has the unit 'parsec': choose µm, mm"),
    "a slip": ("x;y;z;raduis\n0;0;0;1\n", "line 1: column 4 is 'raduis' (did you mean 'radius'?)"),
    "a column twice": ("x (mm);y;z;x [in]\n0;0;0;0\n", "line 1: the column 'x' stands there twice"),
    "no z": ("# a\nx;y;feed\n0;0;0\n", "line 2: the column 'z' is missing"),
    "no header": ("0;0;0\n1;1;1\n", "line 1: column 1 is '0'"),
    "negative radius": ("x;y;z;radius\n0;0;0;-0,5\n", "line 2, column 'radius': -0,5 is not a positive radius"),
    "too large": ("x;y;z\n0;1e30;0\n", "line 2, column 'y': 1e30 is larger than 1e+12"),
    "not finite": ("x;y;z\n0;-inf;0\n", "line 2, column 'y': -inf is not a finite number"),
    "only comments": ("# x;y;z\n#\n", "is empty: it needs the header"),
    "a path again": ("path;x;y;z\na;0;0;0\nb;0;0;0\na;0;0;0\n", "line 4: path 'a' ended in line 2 already"),
    "open quote": ('x;y;z;"radius\n0;0;0;0\n', "line 1 cannot be read as a table"),
    "a unit in a number": ("x;y;z\n0;0;5 mm\n", "line 2, column 'z': '5 mm' is not a number"),
    "sep of another": ("sep=;\nx,y,z\n0,0,0\n", "line 2: the column 'x' is missing"),
    "sep of a quote": ('sep="\nx,y,z\n0,0,0\n', "line 1: the column 'x' is missing"),
    "binary": ("x;y;z\n\0", "is not a text file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_by_line_and_column(tmp_path, case):
    content, message = REFUSED[case]
    file = tmp_path / "a.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_paths(file, 1.0)
    assert message in str(error.value) and "a.csv" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", ["1,2,3,4,5,6\n", "0.5 1.5\n", "3\nC 0 0 0\n", "five\n"])
def test_a_table_without_names_is_not_guessed(tmp_path, content):
    (tmp_path / "a.xyz").write_text(content)
    with pytest.raises(InputError, match="line 1"):
        read_paths(tmp_path / "a.xyz", 1.0)


def test_a_line_of_a_million_numbers_is_no_hang(tmp_path):
    (tmp_path / "a.xyz").write_text("0 " * 1_000_000)
    began = time.perf_counter()
    with pytest.raises(InputError, match="line 1: column 1 is '0'"):
        read_paths(tmp_path / "a.xyz")
    assert time.perf_counter() - began < 60  # a hang, and no measure
