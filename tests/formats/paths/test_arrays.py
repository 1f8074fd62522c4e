"""Arrays of numpy as toolpaths, .npy and .npz."""

import io
import zipfile

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.formats import read_paths

POINTS = np.array([[0.5, -1.25, 2.0], [1.5, 0.0, 1000.125], [-3.0, 4.5, 0.25]])
RADII = np.array([0.5, 0.25, 1.5])
TABLE = np.column_stack([POINTS, RADII])
FIELDS = np.dtype([("radius", "f4"), ("z", "f8"), ("time", "i8"), ("y", "f8"), ("x", "f8")])


def structured():
    table = np.zeros(3, FIELDS)
    table["x"], table["y"], table["z"] = POINTS.T
    table["radius"] = RADII
    return table


def npy(array, version=None):
    opened = io.BytesIO()
    np.lib.format.write_array(opened, np.asanyarray(array), version)
    return opened.getvalue()


def npz(compressed=False, **arrays):
    opened = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(opened, **arrays)
    return opened.getvalue()


SAME = {
    "table": ("a.npy", lambda: npy(TABLE)),
    "big-endian": ("a.npy", lambda: npy(TABLE.astype(">f8"))),
    "float32": ("a.npy", lambda: npy(TABLE.astype("f4"))),
    "columns first": ("a.npy", lambda: npy(np.asfortranarray(TABLE))),
    "version 2": ("a.npy", lambda: npy(TABLE, (2, 0))),
    "one path of a batch": ("a.npy", lambda: npy(TABLE[None])),
    "structured": ("a.npy", lambda: npy(structured())),
    "capital ending": ("a.NPY", lambda: npy(TABLE)),
    "bytes after the array": ("a.npy", lambda: npy(TABLE) + b"\0" * 64),
    "archive": ("a.npz", lambda: npz(tool=TABLE)),
    "compressed archive": ("a.npz", lambda: npz(True, tool=TABLE)),
    "archive without a name": ("a.npz", lambda: npz(arr_0=TABLE)),
    "points and radii": ("a.npz", lambda: npz(points=POINTS, radii=RADII)),
    "points and radius": ("a.npz", lambda: npz(True, points=POINTS, radius=RADII.astype("f2"))),
    "columns": ("a.npz", lambda: npz(x=POINTS[:, 0], y=POINTS[:, 1], z=POINTS[:, 2], radius=RADII)),
    "columns in capitals": ("a.npz", lambda: npz(Z=POINTS[:, 2], Y=POINTS[:, 1], X=POINTS[:, 0], Radius=RADII)),
    "archive of a structured one": ("a.npz", lambda: npz(tool=structured())),
    "archive of a batch": ("a.npz", lambda: npz(tools=TABLE[None])),
}


@pytest.mark.parametrize("case", SAME)
def test_an_array_is_read_however_it_is_written(tmp_path, case):
    name, content = SAME[case]
    (tmp_path / name).write_bytes(content())
    (path,) = read_paths(tmp_path / name, 9.0)
    assert np.array_equal(path.points, POINTS) and np.array_equal(path.radii, RADII)
    assert path.joined and not path.cyclic


@pytest.mark.parametrize(("unit", "file_unit", "scale"), [(1.0, None, 1.0), (1e-3, None, 1.0), (1.0, 0.0254, 0.0254)])
@pytest.mark.parametrize("kind", ["i2", "u4", "f8"])
def test_points_alone_have_the_given_radius(tmp_path, kind, unit, file_unit, scale):
    (tmp_path / "a.npy").write_bytes(npy(np.arange(12).reshape(4, 3).astype(kind)))
    (path,) = read_paths(tmp_path / "a.npy", 0.75, unit=unit, file_unit=file_unit)
    assert np.array_equal(path.points, np.arange(12).reshape(4, 3) * scale)
    assert path.radii.tolist() == [0.75] * 4
    with pytest.raises(InputError, match="has no radius: give one"):
        read_paths(tmp_path / "a.npy")


def test_several_paths(tmp_path):
    (tmp_path / "a.npz").write_bytes(npz(rough=TABLE, dot=TABLE[:1], fine=np.stack([TABLE, TABLE + 1])))
    paths = read_paths(tmp_path / "a.npz", 1.0)
    assert [path.name.rpartition("path ")[2] for path in paths] == ["rough", "dot", "fine 1", "fine 2"]
    assert [len(path.points) for path in paths] == [3, 1, 3, 3]
    assert np.array_equal(paths[3].points, POINTS + 1)


def test_arrays_beside_points_are_no_paths(tmp_path):
    """A mesh that was saved has faces, and a scan has normals."""
    (tmp_path / "a.npz").write_bytes(npz(points=TABLE[:, :3], faces=TABLE[:, :3], normals=TABLE[:, :3]))
    paths = read_paths(tmp_path / "a.npz", 1.0)
    assert len(paths) == 1 and np.array_equal(paths[0].points, POINTS)
    assert [note.rpartition("a.npz")[2] for note in paths.notes] == [
        ": columns that we do not know were ignored: faces, normals"
    ]


def test_units_and_unknown_columns_are_told(tmp_path):
    table = np.zeros(2, [("x_mm", "f4"), ("y_mm", "f8"), ("z_mm", "i4"), ("radius_in", "f8"), ("time", "f8")])
    table["x_mm"], table["radius_in"] = [500, 1000], [1, 2]
    (tmp_path / "a.npy").write_bytes(npy(table))
    (tmp_path / "b.npz").write_bytes(npz(**{name: table[name] for name in table.dtype.names}))
    for name in ("a.npy", "b.npz"):
        found = read_paths(tmp_path / name, file_unit=0.3048)
        np.testing.assert_allclose(found[0].points, [[0.5, 0, 0], [1, 0, 0]], rtol=1e-15)
        np.testing.assert_allclose(found[0].radii, [0.0254, 0.0508], rtol=1e-15)
        assert [note.rpartition(name)[2] for note in found.notes] == [
            " has x, y, z in mm: they were multiplied by 0.001",
            " has radius in inches: they were multiplied by 0.0254",
            ": columns that we do not know were ignored: time",
        ]


def zipped(**parts):
    opened = io.BytesIO()
    with zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw)
    return opened.getvalue()


class Trap:
    """What unpickling it would run."""

    def __reduce__(self):
        return (pytest.fail, ("it was unpickled",))


def with_shape(shape):
    """An array of a few bytes that says it had another shape."""
    return npy(np.zeros((3, 3))).replace(b"(3, 3), }" + b" " * (len(shape) - 6), shape.encode() + b", }")


REFUSED = {
    "not a number": ("a.npy", lambda: npy([[0, 0, 0], [0, np.nan, 0]]), "row 1, column 'y': nan is not a number"),
    "infinite": ("a.npz", lambda: npz(a=[[0, 0, -np.inf]]), "array 'a', row 0, column 'z': -inf is not a number"),
    "too large": ("a.npy", lambda: npy([[1e30, 0, 0]]), "row 0, column 'x': 1e+30"),
    "negative radius": ("a.npy", lambda: npy([[0, 0, 0, 1.0], [0, 0, 0, -1]]), "row 1, column 'radius': -1"),
    "two columns": ("a.npy", lambda: npy(np.zeros((5, 2))), "it has the shape (5, 2): give (N, 3) or (N, 4)"),
    "a number": ("a.npy", lambda: npy(5.0), "it has the shape ()"),
    "text": ("a.npy", lambda: npy([["a", "b", "c"]]), "it holds no numbers"),
    "complex": ("a.npy", lambda: npy(np.zeros((2, 3), complex)), "it holds no numbers"),
    "a batch of text": ("a.npy", lambda: npy([[["a", "b", "c"]]]), "it holds no numbers"),
    "columns of text": ("a.npz", lambda: npz(x=["a"], y=[0.0], z=[0.0]), "it holds no numbers"),
    "objects": ("a.npy", lambda: npy(np.array([[Trap()] * 3], object)), "Python objects, which are never loaded"),
    "cut short": ("a.npy", lambda: npy(TABLE)[:-1], "it is cut short"),
    "cut in the header": ("a.npy", lambda: npy(TABLE)[:40], "cannot be read as .npy"),
    "more rows than bytes": ("a.npy", lambda: with_shape("(99999999999, 3)"), "it is cut short"),
    "negative shape": ("a.npy", lambda: with_shape("(-1, -3)"), "cannot be read as .npy"),
    "no magic": ("a.npy", lambda: b"x,y,z\n0,0,0\n", "cannot be read as .npy: "),
    "no archive": ("a.npz", lambda: npy(TABLE), "cannot be read as .npz: "),
    "cut archive": ("a.npz", lambda: npz(a=TABLE)[:-30], "cannot be read as .npz: "),
    "another file in it": ("a.npz", lambda: zipped(readme=b"hello"), "array 'readme' cannot be read"),
    "columns of other lengths": ("a.npz", lambda: npz(x=[0, 1], y=[0, 1], z=[0.0]), "not of the same length"),
    "radii of another length": ("a.npz", lambda: npz(points=POINTS, radii=[1, 2]), "'points' has the shape (3, 3)"),
    "no z": ("a.npy", lambda: npy(np.zeros(2, [("x", "f8"), ("y", "f8")])), "the column 'z' is missing"),
    "empty": ("a.npy", lambda: npy(np.zeros((0, 3))), "has no path"),
    "empty archive": ("a.npz", zipped, "has no path"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused(tmp_path, case):
    name, content, message = REFUSED[case]
    (tmp_path / name).write_bytes(content())
    with pytest.raises(InputError) as error:
        read_paths(tmp_path / name, 1.0)
    assert message in str(error.value) and name in str(error.value)
    assert "\n" not in str(error.value)


def test_an_archive_that_unpacks_to_gigabytes_is_refused_before(tmp_path):
    (tmp_path / "a.npz").write_bytes(zipped(**{f"a{n}": bytes(2**26) for n in range(4)}))
    assert (tmp_path / "a.npz").stat().st_size < 2**20
    with pytest.raises(InputError, match="its arrays of 256 MiB need about"):
        read_paths(tmp_path / "a.npz", 1.0, 2**27)
