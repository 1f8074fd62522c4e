"""Running the command line as a process, and the small input that its tests share."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voxel_carve.compute import TriMesh
from voxel_carve.formats import write_meshes

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "carve.py"

BOX_SIZE = np.array([4.0, 3.0, 2.0])
BOX_VOLUME = 24.0
CAPSULE_RADIUS, CAPSULE_LENGTH = 0.5, 2.0
CAPSULE_VOLUME = np.pi * CAPSULE_RADIUS**2 * (CAPSULE_LENGTH + 4 / 3 * CAPSULE_RADIUS)
CAPSULE_CSV = f"x,y,z,radius\n1,1.5,1,{CAPSULE_RADIUS}\n{1 + CAPSULE_LENGTH},1.5,1,{CAPSULE_RADIUS}\n"


@dataclass(frozen=True)
class Run:
    """What a process left behind."""

    status: int
    out: str
    err: str


def environment() -> dict[str, str]:
    """The CPU backend unless a test asks for another, whatever the machine has."""
    return {**os.environ, "VOXEL_CARVE_BACKEND": "cpu"}


def run(arguments: Sequence[object], folder: Path, python: Sequence[str] = ()) -> Run:
    """The command line as a user calls it, in `folder`; `python` are options of the interpreter."""
    command = [sys.executable, *python, str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=environment()
    )
    return Run(done.returncode, done.stdout, done.stderr)


def box(name: str = "box", offset: Sequence[float] = (0.0, 0.0, 0.0)) -> TriMesh:
    """A box with a corner at `offset`, faces outward."""
    points = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * BOX_SIZE + offset
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return TriMesh(points, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]), name)


def write_input(folder: Path) -> None:
    """box.stl and a capsule well inside it, tool.csv."""
    write_meshes(folder / "box.stl", [box()])
    (folder / "tool.csv").write_text(CAPSULE_CSV)
