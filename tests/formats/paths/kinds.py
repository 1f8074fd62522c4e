"""One path in a file of each kind: a corner of three points about the origin, in meters."""

import math
from pathlib import Path

import numpy as np

POINTS = np.array([[-1.0, -0.5, 0.0], [1.0, -0.5, 0.0], [1.0, 0.5, 0.0]])
# Meters in a degree along the equator, and along a meridian there, of WGS 84.
EAST, NORTH = 6378137.0 * math.pi / 180, 6378137.0 * (1 - 6.69437999014e-3) * math.pi / 180
ROWS = POINTS.tolist()


def _dxf() -> str:
    vertices = "".join(f"0\nVERTEX\n8\n0\n10\n{x}\n20\n{y}\n30\n{z}\n" for x, y, z in ROWS)
    return f"0\nSECTION\n2\nENTITIES\n0\nPOLYLINE\n8\n0\n66\n1\n70\n8\n{vertices}0\nSEQEND\n0\nENDSEC\n0\nEOF\n"


def _gpx() -> str:
    places = "".join(f'<trkpt lat="{y / NORTH!r}" lon="{x / EAST!r}"><ele>{z}</ele></trkpt>' for x, y, z in ROWS)
    return f"<gpx><trk><trkseg>{places}</trkseg></trk></gpx>"


TEXTS = {
    ".csv": "x;y;z\n" + "".join(f"{x};{y};{z}\n".replace(".", ",") for x, y, z in ROWS),
    ".txt": "# x y z\n" + "".join(f"{x} {y} {z}\n" for x, y, z in ROWS),
    ".xyz": "".join(f"{x}\t{y}\t{z}\n" for x, y, z in ROWS),
    ".obj": "".join(f"v {x} {y} {z}\n" for x, y, z in ROWS) + "l 1 2 3\n",
    # The lower left corner of the viewBox is the origin.
    ".svg": '<svg width="4000mm" height="3000mm" viewBox="0 0 4 3"><path d="M-1 3.5 H1 V2.5"/></svg>',
    ".dxf": _dxf(),
    ".gpx": _gpx(),
}
KINDS = (*TEXTS, ".npy", ".npz")


def write(folder: Path, kind: str, name: str = "tool") -> Path:
    """Write the path as a file with this ending."""
    file = folder / f"{name}{kind}"
    if kind == ".npy":
        np.save(file, POINTS)
    elif kind == ".npz":
        np.savez(file, tool=POINTS)
    else:
        file.write_text(TEXTS[kind], encoding="utf-8")
    return file
