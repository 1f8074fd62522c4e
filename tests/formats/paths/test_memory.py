"""Files that would take more memory than they may are refused before they do."""

import io
import time
import tracemalloc

import numpy as np
import pytest

from voxel_carve.compute import InputError
from voxel_carve.formats import read_paths

LIMIT = 32 << 20
# Generous: it takes a second or two.
HANG_SECONDS = 60


def npy(array):
    opened = io.BytesIO()
    np.save(opened, array)
    return opened.getvalue()


def dxf(body):
    return b"0\nSECTION\n2\nENTITIES\n" + body + b"0\nENDSEC\n0\nEOF\n"


LARGE = {
    "semicolons.csv": lambda: b"x;y;z\n" + b"0,5;0;0\n" * 500_000,
    "blanks.txt": lambda: b"x y z\n" + b"0 0 0\n" * 500_000,
    "labels.txt": lambda: b"x\ty\tz\tpath\n" + b"".join(b"0\t0\t0\t%d\n" % (row // 2) for row in range(100_000)),
    "one_line.txt": lambda: b"x y z\n" + b"0 " * 2_000_000,
    "one_line.xyz": lambda: b"0 " * 2_000_000,
    "points.npy": lambda: npy(np.zeros((1_000_000, 3), "f2")),
    "paths.npy": lambda: npy(np.zeros((100_000, 1, 3), "f2")),
    "lines.obj": lambda: b"v 0 0 0\nv 1 0 0\n" + b"l 1 2\n" * 100_000,
    "names.obj": lambda: b"v 0 0 0\n" + b"".join(b"o %d\np 1\n" % n for n in range(100_000)),
    "shapes.svg": lambda: b"<svg>" + b"<circle r='1'/>" * 20_000 + b"</svg>",
    "steps.svg": lambda: b"<svg><path d='M0 0" + b"h1" * 500_000 + b"'/></svg>",
    "elements.svg": lambda: b"<svg>" + b"<g/>" * 300_000 + b"</svg>",
    "attributes.svg": lambda: b"<svg " + b" ".join(b"a%d=''" % n for n in range(300_000)) + b"/>",
    "points.gpx": lambda: b"<gpx><trk><trkseg>" + b"<trkpt lat='1' lon='1'/>" * 100_000 + b"</trkseg></trk></gpx>",
    "lines.dxf": lambda: dxf(b"0\nLINE\n10\n0\n20\n0\n11\n1\n21\n1\n" * 50_000),
    "circles.dxf": lambda: dxf(b"0\nCIRCLE\n10\n0\n20\n0\n40\n1\n" * 15_000),
}


@pytest.mark.parametrize("name", LARGE)
def test_files_that_would_exceed_the_limit_are_refused_beforehand(tmp_path, name):
    if name.endswith(".dxf"):
        pytest.importorskip("ezdxf.recover")  # its own memory does not count
    (tmp_path / name).write_bytes(LARGE[name]())
    began = time.perf_counter()
    tracemalloc.start()
    try:
        with pytest.raises(
            InputError, match=r"is too large: .* of memory, and may take 32[.0]* MiB: raise the memory"
        ) as error:
            read_paths(tmp_path / name, 1.0, LIMIT)
        assert tracemalloc.get_traced_memory()[1] < LIMIT
    finally:
        tracemalloc.stop()
    assert "\n" not in str(error.value)
    assert time.perf_counter() - began < HANG_SECONDS
