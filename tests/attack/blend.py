"""The family of .blend files: odd names, scripts that must not run, damaged bytes; and a program that imports bpy."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.attack.case import Case, Maker, Place, Random, mutated, often, pick
from tests.attack.solids import inputs

# Exit statuses, as shells report signals, with which Blender's own parser may crash on a damaged file.
CRASHES = frozenset({132, 134, 135, 136, 139})

# Objects with odd names, a driver and a text that would each write a file if run, and objects that are no mesh.
MAKE = """
import sys
import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
corners = [(x, y, z) for x in (0, 4) for y in (0, 3) for z in (0, 2)]
quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
RECORD = "__import__('pathlib').Path('executed.txt').write_text('run')"


def add(name, data):
    obj = bpy.data.objects.new(name, data)
    scene.collection.objects.link(obj)
    return obj


box = bpy.data.meshes.new("Box")
box.from_pydata(corners, [], quads)
for name in ("Box", "Bo\\nx", "\\x1b[2J\\x07", "box.stl", "Bö\\u2028x", "--stock", "../Box", "B" * 60):
    add(name, box)
line = bpy.data.curves.new("Tool", "CURVE")
line.dimensions, line.bevel_depth = "3D", 0.5
spline = line.splines.new("POLY")
spline.points.add(1)
for point, x in zip(spline.points, (1, 3)):
    point.co = (x, 1.5, 1, 1)
tool = add("Tool", line)
add("Empty", None)
add("Lamp", bpy.data.lights.new("Lamp", "POINT"))
add("No faces", bpy.data.meshes.new("No faces"))
add("Nothing", bpy.data.meshes.new("Nothing")).scale = (0, 0, 0)
driven = add("Driven", box)
driven.driver_add("location", 0).driver.expression = RECORD + " or 0"
text = bpy.data.texts.new("run.py")
text.write(RECORD)
text.use_module = True
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1], compress=COMPRESS)
"""

# A user's own program: imports bpy, registers the extension, carves, and ends.
PROGRAM = """
import sys
import bpy

sys.path.insert(0, sys.argv[1])
import voxel_carve

voxel_carve.register()
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.mesh.primitive_cube_add(size=4)
stock = bpy.context.object
bpy.ops.curve.primitive_nurbs_path_add()
path = bpy.context.object
path.data.bevel_depth = 0.3
stock.select_set(True)
path.select_set(True)
bpy.context.view_layer.objects.active = stock
settings = bpy.context.scene.voxel_carve
settings.backend = "CPU"
print(bpy.ops.object.voxel_carve())
"""


@cache
def scene(compressed: bool) -> bytes:
    """The .blend."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scene.blend"
        script = MAKE.replace("COMPRESS", str(compressed))
        subprocess.run([sys.executable, "-c", script, str(file)], check=True, capture_output=True, timeout=120)
        return file.read_bytes()


NAMES = ("Box", "Bo\nx", "\x1b[2J\x07", "box.stl", "Bö\u2028x", "../Box", "B" * 60, "Tool", "Empty", "Lamp", "No faces",
         "Nothing", "Driven", "Gone", "", "B" * 300, "\udcff", "Scene")  # fmt: skip


def blend_case(rng: Random) -> Case:
    """Objects with all names, from a whole or a damaged file, into a mesh or a .blend."""
    raw = scene(often(rng, 0.5))
    damaged = often(rng, 0.5)
    if damaged:
        raw = mutated(rng, raw, 3) if often(rng, 0.7) else raw[: int(rng.integers(len(raw)))]
    stock, path = pick(rng, NAMES) if often(rng, 0.5) else "Box", pick(rng, NAMES) if often(rng, 0.3) else "Tool"
    output = pick(rng, ("out.ply", "out.blend", "out.glb"))
    what = f"{'damaged, ' if damaged else ''}{stock!a} and {path!a} into {output}"
    return of_blend(what, raw, stock, path, output, CRASHES if damaged else frozenset())


def of_blend(
    what: str, raw: bytes | Place, stock: str, path: str, output: str, more: frozenset[int] = frozenset(), *words: str
) -> Case:
    """A case of a .blend."""
    arguments = ["--blend", "a.blend", f"--stock={stock}", f"--path={path}", "--resolution", "12", "--output", output]
    return Case(
        what,
        [*arguments, *words],
        {**inputs(), "a.blend": raw},
        (output,),
        own_process=True,
        needs_blender=True,
        statuses=frozenset({0, 2}) | more,
        memory_limit=0.1,
    )


def known(what: str, stock: str = "Box", output: str = "out.ply") -> Maker:
    """A case of a whole file."""
    return lambda rng: of_blend(what, scene(True), stock, "Tool", output)


def frames(rng: Random) -> Case:
    """Two frames of a whole file."""
    whole = of_blend("frames", scene(True), "Box", "Tool", "out{frame}.ply", frozenset(), "--frames", "1:2")
    return replace(whole, written=("out1.ply", "out2.ply"))


def program(rng: Random) -> Case:
    """A user's own program that carves and ends."""
    return Case(
        "a program with Blender as a module ends",
        [],
        inputs(),
        (),
        own_process=True,
        needs_blender=True,
        makes=False,
        program=("-c", PROGRAM, "{root}"),
        memory_limit=None,
    )


KNOWN_BLENDS: tuple[Maker, ...] = (
    program,
    known("a driver and a text that are not run", "Driven"),
    known("a driver that is not run, into a .blend", "Driven", "out.blend"),
    known("no such object", "Gone"),
    known("a lamp", "Lamp"),
    known("control characters", "\x1b[2J\x07"),
    frames,
    lambda rng: of_blend("a .blend that is a pipe", Place("pipe"), "Box", "Tool", "out.ply"),
    lambda rng: of_blend("a .blend that is a folder", Place("folder"), "Box", "Tool", "out.ply"),
    lambda rng: of_blend("the first bytes", scene(False)[:12], "Box", "Tool", "out.ply", CRASHES),
    lambda rng: of_blend("the first half", scene(False)[: len(scene(False)) // 2], "Box", "Tool", "out.ply", CRASHES),
    lambda rng: of_blend(
        "half of what was compressed", scene(True)[: len(scene(True)) // 2], "Box", "Tool", "out.ply", CRASHES
    ),
)

FAMILIES: Mapping[str, tuple[tuple[Maker, ...], Maker]] = {"blend": (KNOWN_BLENDS, blend_case)}
