"""Lines of .obj files as toolpaths."""

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.formats import read_paths

V = "v 0 0 0\nv 1.5 0 0\nv 1.5 2.5 0\nv 0 2 -1e0\n"
A, B, C, D = [0, 0, 0], [1.5, 0, 0], [1.5, 2.5, 0], [0, 2, -1]

# Content, and for each path its points, whether it is cyclic, and whether its points are joined.
READ = {
    "one line": (V + "l 1 2 3 4\n", [([A, B, C, D], False, True)]),
    "lines of two": (V + "l 1 2\nl 2 3\nl 3 4\n", [([A, B, C, D], False, True)]),
    "a ring of lines of two": (V + "l 1 2\nl 2 3\nl 3 4\nl 4 1\n", [([A, B, C, D], True, True)]),
    "a ring": (V + "l 1 2 3 4 1\n", [([A, B, C, D], True, True)]),
    "two lines": (V + "l 1 2\nl 3 4\n", [([A, B], False, True), ([C, D], False, True)]),
    "a line after a ring": (V + "l 1 2 3 1\nl 1 4\n", [([A, B, C], True, True), ([A, D], False, True)]),
    "texture": (V + "vt 0 0\nl 1/1 2/1 3/1 4/1\n", [([A, B, C, D], False, True)]),
    "negative": (V + "l -4 -3 -2 -1\n", [([A, B, C, D], False, True)]),
    "points": (V + "p 1 3\np 4\n", [([A, C, D], False, False)]),
    "one point": (V + "p 2\n", [([B], False, False)]),
    "points and lines": (V + "p 1\nl 2 3\n", [([A], False, False), ([B, C], False, True)]),
    "objects": (V + "o one\nl 1 2\no two\nl 2 3\n", [([A, B], False, True), ([B, C], False, True)]),
    "CRLF": ((V + "l 1 2 3 4\n").replace("\n", "\r\n"), [([A, B, C, D], False, True)]),
    "comments": ("# a\n" + V + "\n\n# l 9 9\nl 1 2 3 4 # no\n".replace(" # no", ""), [([A, B, C, D], False, True)]),
    "continued": (V + "l 1 2 \\\n3 4\n", [([A, B, C, D], False, True)]),
    "weights": (V.replace("\n", " 1.0\n") + "l 1 2 3 4\n", [([A, B, C, D], False, True)]),
    "colors": (V.replace("\n", " 0.5 0.5 1\n") + "l 1 2 3 4\n", [([A, B, C, D], False, True)]),
    "tabs": ((V + "l 1 2 3 4\n").replace(" ", "\t"), [([A, B, C, D], False, True)]),
    "other statements": (
        "mtllib a.mtl\n" + V + "vn 0 0 1\ns off\nusemtl a\ng a\nl 1 2 3 4\n",
        [([A, B, C, D], False, True)],
    ),
    "points between": (V[:18] + "l 1 2\n" + V[18:] + "l 3 4\n", [([A, B], False, True), ([C, D], False, True)]),
}


@pytest.mark.parametrize("case", READ)
def test_lines_are_read_however_they_are_written(tmp_path, case):
    content, expected = READ[case]
    file = tmp_path / "a.obj"
    file.write_bytes(content.encode())
    found = read_paths(file, 0.5)
    assert [(path.points.tolist(), path.cyclic, path.joined) for path in found] == [
        (points, cyclic, joined and len(points) > 1) for points, cyclic, joined in expected
    ]
    assert all((path.radii == 0.5).all() for path in found)
    assert found.notes == ()


def test_faces_are_left_out_and_told(tmp_path):
    (tmp_path / "a.obj").write_text(V + "f 1 2 3\nl 1 4\nf 2 3 4\ncurv 0 1 1 2\n")
    found = read_paths(tmp_path / "a.obj", 1.0)
    assert np.array_equal(found[0].points, [A, D])
    assert found.notes[0].endswith("a.obj: left out, as they are no paths: 2 faces, 1 curves (curv)")


REFUSED = {
    "no lines": (V + "f 1 2 3\n", "has no path: export lines, curves or points into it"),
    "a word": (V + "l 1 two\n", "line 5, column 5: 'two' is not a number"),
    "a bad coordinate": ("v 0 0 0\nv 0 0,5 0\nl 1 2\n", "line 2, column 5: '0,5' is not a number"),
    "too few": ("v 0 0\n", "line 1, column 6: a point needs three numbers"),
    "beyond the last": (V + "l 1 5\n", "line 5, column 5: it refers to point 5, and there are 4 so far"),
    "zero": (V + "l 0 1\n", "line 5, column 3: it refers to point 0"),
    "before the first": (V + "l 1 -5\n", "line 5, column 5: it refers to point -5"),
    "no points": (V + "l\n", "line 5, column 2: a line needs points"),
    "infinite": ("v inf 0 0\nv 1 0 0\nl 1 2\n", "has coordinates that are not numbers or are too large"),
    "binary": ("v 0 0 0\0\n", "line 1, column 1: it is not a text file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_by_line_and_column(tmp_path, case):
    content, message = REFUSED[case]
    (tmp_path / "a.obj").write_text(content)
    with pytest.raises(InputError) as error:
        read_paths(tmp_path / "a.obj", 1.0)
    assert message in str(error.value)
