"""Runs the command line as a process, and has the small input that its tests share."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.forks.forked import run_python
from voxel_carve.compute import TriMesh
from voxel_carve.formats import write_meshes

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "carve.py"

BOX_SIZE = np.array([4.0, 3.0, 2.0])
BOX_VOLUME = 24.0
CAPSULE_RADIUS, CAPSULE_LENGTH = 0.5, 2.0
CAPSULE_VOLUME = np.pi * CAPSULE_RADIUS**2 * (CAPSULE_LENGTH + 4 / 3 * CAPSULE_RADIUS)
CAPSULE_CSV = f"x,y,z,radius\n1,1.5,1,{CAPSULE_RADIUS}\n{1 + CAPSULE_LENGTH},1.5,1,{CAPSULE_RADIUS}\n"

# A box (material "steel") and a mirrored, scaled copy far away; a curve whose bevel makes the capsule, which is inside
# the box at frame 1 and half out of it, through the top, at frame 3; a curve without bevel; a lamp; points only.
MAKE_SCENE = """
import sys
import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
corners = [(x, y, z) for x in (0, 4) for y in (0, 3) for z in (0, 2)]
quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def add(name, data):
    obj = bpy.data.objects.new(name, data)
    scene.collection.objects.link(obj)
    return obj


def mesh(name, corners, quads):
    data = bpy.data.meshes.new(name)
    data.from_pydata(corners, [], quads)
    return data


def curve(name, depth):
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    data.bevel_depth = depth
    spline = data.splines.new("POLY")
    spline.points.add(1)
    for point, x in zip(spline.points, (1, 3)):
        point.co = (x, 1.5, 0, 1)
    return data


box = add("Box", mesh("Box", corners, quads))
box.data.materials.append(bpy.data.materials.new("steel"))
copy = add("Box Copy", box.data)
copy.location, copy.scale = (10, 0, 0), (-0.5, 0.5, 0.5)
tool = add("Tool", curve("Tool", 0.5))
for frame, z in ((1, 1), (3, 2)):
    tool.location = (0, 0, z)
    tool.keyframe_insert("location", frame=frame)
add("Thin", curve("Thin", 0)).location = (0, 0, 1)
add("Lamp", bpy.data.lights.new("Lamp", "POINT"))
add("Points", mesh("Points", corners, []))
scene.frame_set(1)
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
"""

# Prints the contents of a .blend as JSON on the last line.
LOOK = """
import json, sys
import bpy

bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
found = {}
for obj in bpy.data.objects:
    entry = {"hidden": obj.hide_get(), "render": obj.hide_render, "location": list(obj.location)}
    found[obj.name] = entry
    if obj.type == "MESH":
        corners = [tuple(obj.matrix_world @ vertex.co) for vertex in obj.data.vertices]
        entry["low"] = [min(corner[axis] for corner in corners) for axis in range(3)]
        entry["faces"] = len(obj.data.polygons)
        entry["materials"] = [material.name if material else None for material in obj.data.materials]
print(json.dumps({"objects": found, "frame": bpy.context.scene.frame_current}))
"""


@dataclass(frozen=True)
class Run:
    """The result of a process."""

    status: int
    out: str
    err: str


def environment() -> dict[str, str]:
    """Environment variables that select the CPU backend, unless a test asks for another."""
    return {**os.environ, "VOXEL_CARVE_BACKEND": "cpu"}


def run(arguments: Sequence[object], folder: Path) -> Run:
    """Run the command line in `folder`, in a process that has loaded the libraries: see `tests.forks`."""
    done = run_python([SCRIPT, *arguments], folder, environment())
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def start(arguments: Sequence[object], folder: Path, python: Sequence[str] = ()) -> Run:
    """Run the command line as a user does, from the start of Python on; `python` are options of the interpreter."""
    command = [sys.executable, *python, str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=environment()
    )
    return Run(done.returncode, done.stdout, done.stderr)


# Runs jobs, each a list of arguments, and prints what became of them as JSON on the last line.
RUN_EACH = """
import contextlib, io, json, sys

sys.path.insert(0, sys.argv[1])
from voxel_carve.cli import main

done = []
for arguments in json.loads(sys.argv[2]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    done.append([status, out.getvalue(), err.getvalue()])
print(json.dumps(done))
"""


def run_each(jobs: Sequence[Sequence[object]], folder: Path) -> list[Run]:
    """Like `run` for several jobs, one after the other in one process."""
    asked = json.dumps([[str(word) for word in job] for job in jobs])
    done = run_python(["-c", RUN_EACH, ROOT, asked], folder, environment())
    done.check_returncode()
    return [Run(*answer) for answer in json.loads(done.stdout.splitlines()[-1])]


def in_blender(program: str, *arguments: object) -> str:
    """Run a program that imports bpy, and return what it printed."""
    done = run_python(["-c", program, *arguments], ROOT, environment())
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def look(file: Path) -> dict[str, Any]:
    """The contents of a .blend, as LOOK prints them."""
    found: dict[str, Any] = json.loads(in_blender(LOOK, file).splitlines()[-1])
    return found


def box(name: str = "box", offset: Sequence[float] = (0.0, 0.0, 0.0)) -> TriMesh:
    """A box with a corner at `offset`, its faces outward."""
    points = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * BOX_SIZE + offset
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return TriMesh(points, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]), name)


def job_options(**more: object) -> dict[str, object]:
    """The options of a job with what `write_input` writes, as in a jobs file."""
    return {"stock": "box.stl", "path": ["tool.csv"], "resolution": 16, "output": "out.ply", **more}


def write_input(folder: Path) -> None:
    """Write box.stl, and tool.csv with a capsule well inside it."""
    write_meshes(folder / "box.stl", [box()])
    (folder / "tool.csv").write_text(CAPSULE_CSV)
